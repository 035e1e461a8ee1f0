// Package files keeps the service's files: uploads, documents and portfolios.
//
// A file is named by the SHA-256 of its content and by nothing else, so equal
// content is stored once, a file never changes under its name, and no path or
// name a user chose ever reaches the disk. Who may read a file, what it is
// called and when it may go are matters of the database, which refers to
// files by their Hash.
//
// There are two stores: a directory, which is the default, and a bucket of any
// S3-compatible service. Both may be used by several processes at once.
package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"time"

	"lectern/internal/ground/fault"
)

// Hash names a file: the SHA-256 of its content in 64 lower-case hex digits.
// Any other text names no file, and every Store answers it with
// fault.Missing before it looks anywhere.
type Hash string

// valid tells whether h is a hash at all, and so safe as part of a path.
func (h Hash) valid() bool {
	if len(h) != hex.EncodedLen(sha256.Size) {
		return false
	}
	for _, c := range []byte(h) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// check refuses a text that is not a hash.
func (h Hash) check() error {
	if !h.valid() {
		return missing(fmt.Errorf("%.100q is not the hash of a file", string(h)))
	}
	return nil
}

// missing is the answer for a file that is not there; why is only logged.
func missing(why error) error {
	return &fault.Error{Kind: fault.Missing, Text: "there is no such file in the store", Err: why}
}

// Info describes a stored file.
type Info struct {
	Hash Hash
	Size int64
	// Modified is when the content was last Put, to the second or better: a
	// sweep that spares what is young therefore spares what was just put
	// again. It follows the clock of the store, which may not be ours.
	Modified time.Time
}

// File is a stored file opened for reading. It seeks as an os.File does, so
// that http.ServeContent can answer ranges from it. From S3, reading fails once
// the context it was opened under has ended. Close it.
type File interface {
	io.ReadSeekCloser
	io.ReaderAt
	Size() int64
}

// Store holds files under the hash of their content. Its methods may be called
// from many goroutines, and several Stores may share one place.
type Store interface {
	// Put stores what r gives until io.EOF. When it returns without an error
	// the file survives a crash of the machine; otherwise there is nothing
	// to see of it. Content that is there already is replaced by itself,
	// which renews its Modified and heals a damaged copy. Put does not bound
	// the size: r must. An error of r is wrapped, so its fault.Kind stays.
	Put(ctx context.Context, r io.Reader) (Info, error)

	// Open gives the file for reading, or fault.Missing.
	Open(ctx context.Context, h Hash) (File, error)

	// Stat describes the file without opening it, or gives fault.Missing.
	Stat(ctx context.Context, h Hash) (Info, error)

	// Delete removes the file for good. A file that is not there is no
	// error; a text that is not a hash is fault.Missing. Those who have the
	// file open on disk may read on; on S3 their reading may fail.
	Delete(ctx context.Context, h Hash) error

	// List calls fn for every file in the order of the hashes, holding only
	// a few of them in memory, and ends with the first error of fn. Files
	// put or deleted meanwhile may be seen or not. fn may Delete.
	List(ctx context.Context, fn func(Info) error) error

	// Sweep removes what writers that died left half done, when it is older
	// than the given age, and tells how many such leftovers it removed. The
	// age must exceed the longest upload; a day is ample.
	Sweep(ctx context.Context, olderThan time.Duration) (int, error)

	// Check tells whether the store can be written to and read from now.
	Check(ctx context.Context) error

	// Try is Check that leaves nothing behind, for who only looks.
	Try(ctx context.Context) error
}

// Open opens the store a setting names:
//
//	/var/lib/lectern/files or file:///var/lib/lectern/files
//	s3://KEY:SECRET@host:port/bucket/prefix?region=eu-west-1&insecure=true
//
// A directory is created when it is not there. A bucket must exist; it is not
// looked for here, so that the service can start before its object storage:
// call Check to know. The connection is HTTPS unless insecure=true. Key and
// secret must be percent-encoded, above all "/" as %2F. No part of the URL
// before the host appears in an error.
func Open(ctx context.Context, location string) (Store, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	scheme, _, isURL := strings.Cut(location, ":")
	switch {
	case location == "":
		return nil, errors.New("the file store has no location: give a directory or an s3:// URL")
	case !isURL || strings.ContainsAny(scheme, "/\\"):
		return openDisk(location)
	}
	u, err := url.Parse(location)
	if err != nil { // its text quotes the URL, secret and all
		return nil, errors.New("the location of the file store is not a proper URL: " +
			"percent-encode special characters in key and secret, such as / (%2F), + (%2B) and @ (%40)")
	}
	switch u.Scheme {
	case "file":
		return openFileURL(u)
	case "s3":
		b, err := openS3(u)
		if err != nil {
			return nil, err
		}
		return b, nil
	}
	return nil, errors.New("the location of the file store must be a directory, a file:// URL or an s3:// URL")
}

// Existing is Open for who only looks: a directory that is not there is not created, but
// fs.ErrNotExist.
func Existing(ctx context.Context, location string) (Store, error) {
	dir := strings.TrimPrefix(location, "file://")
	if !strings.HasPrefix(location, "s3:") {
		if _, err := os.Stat(dir); err != nil {
			return nil, fmt.Errorf("open the directory of the file store: %w", err)
		}
		return existingDisk(dir)
	}
	return Open(ctx, location)
}

func openFileURL(u *url.URL) (Store, error) {
	if (u.Host != "" && u.Host != "localhost") || !strings.HasPrefix(u.Path, "/") || u.RawQuery != "" ||
		u.Fragment != "" {
		return nil, errors.New("the location of the file store must read file:///full/path/of/the/directory")
	}
	return openDisk(u.Path)
}

// spool copies r to w and tells what it copied. It looks at ctx before each
// read; a read that blocks must be ended by whoever owns r.
func spool(ctx context.Context, w io.Writer, r io.Reader) (Hash, int64, error) {
	sum := sha256.New()
	buf := make([]byte, 128<<10)
	var size int64
	for {
		if err := ctx.Err(); err != nil {
			return "", 0, err
		}
		n, err := r.Read(buf)
		sum.Write(buf[:n])
		if _, err := w.Write(buf[:n]); err != nil {
			return "", 0, fmt.Errorf("write the temporary file: %w", err)
		}
		size += int64(n)
		if err == io.EOF {
			return Hash(hex.EncodeToString(sum.Sum(nil))), size, nil
		}
		if err != nil {
			return "", 0, fmt.Errorf("read the content to store: %w", err)
		}
	}
}
