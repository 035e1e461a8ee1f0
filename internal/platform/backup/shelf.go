package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lectern/internal/platform/files"
)

// shelf is what a place keeps its files on, under names such as sets/…/manifest.
type shelf interface {
	fmt.Stringer // where it is, without a secret

	// create begins a file, which has its name when it is kept and not before.
	create(ctx context.Context, name string) (pending, error)
	// open reads a file, or gives fs.ErrNotExist.
	open(ctx context.Context, name string) (io.ReadCloser, error)
	// each gives the names of all files that begin so, in their order. What begins so is a
	// folder, with the stroke at its end, or nothing.
	each(ctx context.Context, folder string, f func(name string) error) error
	// remove removes a file, if it is there.
	remove(ctx context.Context, name string) error
	// tidy removes what those who were killed had not finished. Nobody else may write meanwhile.
	tidy(ctx context.Context) error
}

// pending is a file on its way.
type pending interface {
	io.Writer
	keep(ctx context.Context) error
	drop() error
}

// IsBucket tells whether a location names a bucket and no directory.
func IsBucket(location string) bool { return strings.HasPrefix(location, "s3:") }

// shelfAt opens what a location names: a directory, or s3://KEY:SECRET@host/bucket/prefix.
func shelfAt(location string) (shelf, error) {
	if !IsBucket(location) {
		return directory(filepath.Clean(location)), nil
	}
	o, err := files.OpenObjects(location)
	if err != nil {
		return nil, err
	}
	return bucket{o}, nil
}

// directory is a shelf on a disk.
type directory string

// unfinished begins the names of files that have not their own yet.
const unfinished = ".unfinished-"

func (d directory) String() string { return string(d) }

func (d directory) path(name string) string {
	return filepath.Join(string(d), filepath.FromSlash(name))
}

func (d directory) create(_ context.Context, name string) (pending, error) {
	path := d.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(filepath.Dir(path), unfinished+"*")
	if err != nil {
		return nil, err
	}
	return &onDisk{f, path}, nil
}

// onDisk is a file beside the one that it will be.
type onDisk struct {
	*os.File
	path string
}

// keep gives the file its name, once it is on the disk.
func (p *onDisk) keep(context.Context) error {
	if err := p.Sync(); err != nil {
		return errors.Join(err, p.drop())
	}
	if err := errors.Join(p.Close(), os.Rename(p.Name(), p.path)); err != nil {
		return err
	}
	return syncDir(filepath.Dir(p.path))
}

func (p *onDisk) drop() error { return errors.Join(p.Close(), os.Remove(p.Name())) }

func syncDir(dir string) error {
	d, err := os.Open(dir) //nolint:gosec // the operator's choice
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func (d directory) open(_ context.Context, name string) (io.ReadCloser, error) {
	return os.Open(d.path(name))
}

func (d directory) each(ctx context.Context, folder string, f func(name string) error) error {
	return d.walk(ctx, folder, func(name string) error {
		if strings.HasPrefix(name[strings.LastIndex(name, "/")+1:], unfinished) {
			return nil
		}
		return f(name)
	})
}

func (d directory) walk(ctx context.Context, folder string, f func(name string) error) error {
	err := filepath.WalkDir(d.path(folder), func(path string, e fs.DirEntry, err error) error {
		if err := errors.Join(err, ctx.Err()); err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(string(d), path)
		if err != nil {
			return err
		}
		return f(filepath.ToSlash(name))
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// remove also removes the folder of a set that has nothing in it any more.
func (d directory) remove(_ context.Context, name string) error {
	if err := os.Remove(d.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if strings.HasPrefix(name, "sets/") {
		_ = os.Remove(filepath.Dir(d.path(name))) // not empty yet
	}
	return nil
}

func (d directory) tidy(ctx context.Context) error {
	var left []string
	if err := d.walk(ctx, "", func(name string) error {
		if strings.HasPrefix(name[strings.LastIndex(name, "/")+1:], unfinished) {
			left = append(left, name)
		}
		return nil
	}); err != nil {
		return err
	}
	for name := range slices.Values(left) {
		if err := d.remove(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// bucket is a shelf in an object storage.
type bucket struct{ *files.Objects }

// create begins a file of this machine, which nobody else sees and no crash leaves behind.
func (b bucket) create(_ context.Context, name string) (pending, error) {
	f, err := os.CreateTemp("", "lectern-backup-")
	if err != nil {
		return nil, err
	}
	return &inBucket{f, b, name}, os.Remove(f.Name())
}

// inBucket is a file that becomes an object at once and whole.
type inBucket struct {
	*os.File
	to   bucket
	name string
}

func (p *inBucket) keep(ctx context.Context) error {
	return errors.Join(p.to.Put(ctx, p.name, p.File), p.Close())
}

func (p *inBucket) drop() error { return p.Close() }

func (b bucket) open(ctx context.Context, name string) (io.ReadCloser, error) {
	body, err := b.Get(ctx, name)
	return distant{body}, err
}

// distant marks trouble on the way as such: it is no damage.
type distant struct{ io.ReadCloser }

type unreached struct{ error }

func (u unreached) Unwrap() error { return u.error }

func (d distant) Read(p []byte) (int, error) {
	n, err := d.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = unreached{fmt.Errorf("read from the bucket: %w", err)}
	}
	return n, err
}

func (b bucket) each(ctx context.Context, folder string, f func(name string) error) error {
	return b.Each(ctx, folder, f)
}

func (b bucket) remove(ctx context.Context, name string) error { return b.Remove(ctx, name) }

func (b bucket) tidy(ctx context.Context) error { return b.GiveUp(ctx, time.Now()) }
