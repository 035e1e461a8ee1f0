package files

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"
	"time"
)

// spoolDir, inside the root so that a rename never crosses file systems, holds
// files that have no name yet. Nothing is ever read from it.
const spoolDir = "tmp"

// disk keeps the file abcd... at ab/cd/abcd... below its root. All access goes
// through os.Root, so not even a symbolic link planted there leads out.
type disk struct {
	root *os.Root

	// synced holds the directories ab/cd whose entries, up to the root, this
	// process has synced. To find a directory is not enough: another writer
	// may have made it without having come to the sync.
	synced sync.Map
}

func openDisk(dir string) (*disk, error) {
	if err := makeDirs(filepath.Join(dir, spoolDir)); err != nil {
		return nil, fmt.Errorf("create the directory of the file store: %w", err)
	}
	return existingDisk(dir)
}

func existingDisk(dir string) (*disk, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open the directory of the file store: %w", err)
	}
	return &disk{root: root}, nil
}

// makeDirs makes dir and its parents as needed, each synced into its own.
//
//nolint:gosec // the directory is the operator's choice
func makeDirs(dir string) error {
	err := os.Mkdir(dir, 0o700)
	if parent := filepath.Dir(dir); errors.Is(err, fs.ErrNotExist) && parent != dir {
		if err = makeDirs(parent); err == nil {
			err = os.Mkdir(dir, 0o700)
		}
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return syncAndClose(os.Open(filepath.Dir(dir)))
}

func syncAndClose(f *os.File, err error) error {
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func dirOf(h Hash) string  { return path.Join(string(h[:2]), string(h[2:4])) }
func pathOf(h Hash) string { return path.Join(dirOf(h), string(h)) }

func (d *disk) Put(ctx context.Context, r io.Reader) (Info, error) {
	f, name, err := d.createTemp()
	if err != nil {
		return Info{}, fmt.Errorf("create a temporary file in the file store: %w", err)
	}
	placed := false
	defer func() { // also when r panics
		f.Close()
		if !placed {
			_ = d.root.Remove(name)
		}
	}()
	h, size, err := spool(ctx, f, r)
	if err != nil {
		return Info{}, err
	}
	stat, err := f.Stat()
	if err = cmp.Or(err, f.Sync()); err != nil {
		return Info{}, fmt.Errorf("sync the temporary file: %w", err)
	}
	if err := d.place(name, h); err != nil {
		return Info{}, fmt.Errorf("put a file into the store: %w", err)
	}
	placed = true
	return Info{h, size, stat.ModTime().UTC()}, nil
}

func (d *disk) createTemp() (*os.File, string, error) { return d.createIn(spoolDir) }

func (d *disk) createIn(dir string) (*os.File, string, error) {
	name := path.Join(dir, rand.Text())
	f, err := d.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	return f, name, err
}

// place gives the synced temporary file its name for good. Directories are
// synced last and from below: a journaling file system then writes its journal
// once for all of them.
func (d *disk) place(temp string, h Hash) error {
	dir := dirOf(h)
	unsynced := []string{dir}
	if _, done := d.synced.Load(dir); !done {
		if err := d.root.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		unsynced = append(unsynced, path.Dir(dir), ".")
	}
	if err := d.root.Rename(temp, pathOf(h)); err != nil {
		return err
	}
	for _, dir := range unsynced {
		if err := d.syncDir(dir); err != nil {
			return err
		}
	}
	d.synced.Store(dir, nil)
	return nil
}

func (d *disk) syncDir(dir string) error { return syncAndClose(d.root.Open(dir)) }

// diskFile shows the methods of os.File, so that the kernel can send it.
type diskFile struct {
	*os.File
	size int64
}

func (f diskFile) Size() int64 { return f.size }

func (d *disk) Open(ctx context.Context, h Hash) (File, error) {
	if err := cmp.Or(ctx.Err(), h.check()); err != nil {
		return nil, err
	}
	f, err := d.root.Open(pathOf(h))
	if err != nil {
		return nil, diskError("open a stored file", err)
	}
	stat, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, diskError("open a stored file", err)
	}
	return diskFile{f, stat.Size()}, nil
}

// diskError tells what failed, and that a file is missing where it is.
func diskError(doing string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return missing(err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

func (d *disk) Stat(ctx context.Context, h Hash) (Info, error) {
	if err := cmp.Or(ctx.Err(), h.check()); err != nil {
		return Info{}, err
	}
	stat, err := d.root.Lstat(pathOf(h))
	if err != nil {
		return Info{}, diskError("look at a stored file", err)
	}
	return Info{h, stat.Size(), stat.ModTime().UTC()}, nil
}

func (d *disk) Delete(ctx context.Context, h Hash) error {
	if err := cmp.Or(ctx.Err(), h.check()); err != nil {
		return err
	}
	err := d.root.Remove(pathOf(h))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = d.syncDir(dirOf(h))
	}
	if err != nil {
		return fmt.Errorf("delete a stored file: %w", err)
	}
	return nil
}

// List holds the entries of three directories at most: some hundred names in a
// store of millions.
func (d *disk) List(ctx context.Context, fn func(Info) error) error {
	return fs.WalkDir(d.root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err := cmp.Or(ctx.Err(), err); err != nil {
			return fmt.Errorf("list the file store: %w", err)
		}
		if name == spoolDir {
			return fs.SkipDir
		}
		h := Hash(e.Name())
		if !e.Type().IsRegular() || !h.valid() || name != pathOf(h) {
			return nil // a directory, or a stranger's file
		}
		stat, err := d.root.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // deleted meanwhile
		}
		if err != nil {
			return fmt.Errorf("list the file store: %w", err)
		}
		return fn(Info{h, stat.Size(), stat.ModTime().UTC()})
	})
}

func (d *disk) Sweep(ctx context.Context, olderThan time.Duration) (swept int, err error) {
	entries, err := fs.ReadDir(d.root.FS(), spoolDir)
	if err != nil {
		return 0, fmt.Errorf("sweep the file store: %w", err)
	}
	limit := time.Now().Add(-olderThan)
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return swept, err
		}
		removed, err := d.removeBefore(limit, path.Join(spoolDir, e.Name()))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return swept, fmt.Errorf("sweep the file store: %w", err)
		}
		if removed {
			swept++
		}
	}
	return swept, nil
}

// removeBefore removes the file unless it was written to since limit.
func (d *disk) removeBefore(limit time.Time, name string) (bool, error) {
	stat, err := d.root.Lstat(name)
	if err != nil || !stat.ModTime().Before(limit) {
		return false, err
	}
	err = d.root.Remove(name)
	return err == nil, err
}

// Check writes, reads and removes a temporary file. It does not sync, so that
// frequent checks cost nothing.
func (d *disk) Check(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return d.checkIn(spoolDir)
}

// Try is Check in a directory that may have been made by hand, and lack that of temporary files.
func (d *disk) Try(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if _, err := d.root.Stat(spoolDir); errors.Is(err, fs.ErrNotExist) {
		return d.checkIn(".")
	}
	return d.checkIn(spoolDir)
}

func (d *disk) checkIn(dir string) error {
	f, name, err := d.createIn(dir)
	if err != nil {
		return fmt.Errorf("the file store cannot be written to: %w", err)
	}
	defer func() { _ = d.root.Remove(name) }()
	defer f.Close()
	if _, err := f.Write(probe); err != nil {
		return fmt.Errorf("the file store cannot be written to: %w", err)
	}
	got, err := d.root.ReadFile(name)
	if err != nil {
		return fmt.Errorf("the file store cannot be read from: %w", err)
	}
	if !bytes.Equal(got, probe) {
		return errors.New("the file store does not give back what was written to it")
	}
	return nil
}

// probe is what Check writes.
var probe = []byte("the file store was checked\n")
