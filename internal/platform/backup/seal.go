package backup

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"

	"filippo.io/age"
)

// writing is a file on its way to the disk: what is written is compressed where that is asked for,
// counted, encrypted where there is a key, and has its name when kept.
type writing struct {
	io.Writer
	path string
	file *os.File
	ends []io.Closer // of the layers, outermost last
	sum  counted
}

// begin opens a file beside the one of that name.
func begin(path string, compressed bool, key age.Recipient) (*writing, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".unfinished-*")
	if err != nil {
		return nil, err
	}
	w := &writing{path: path, file: f, Writer: f}
	if key != nil {
		e, err := age.Encrypt(f, key)
		if err != nil {
			return nil, errors.Join(err, w.drop())
		}
		w.Writer, w.ends = e, append(w.ends, e)
	}
	w.sum = counted{sum: sha256.New()}
	w.Writer = io.MultiWriter(&w.sum, w.Writer)
	if compressed {
		z := gzip.NewWriter(w.Writer)
		w.Writer, w.ends = z, append(w.ends, z)
	}
	b := bufio.NewWriterSize(w.Writer, 128<<10)
	w.Writer, w.ends = b, append(w.ends, flushing{b})
	return w, nil
}

// counted is what went by: how much, and its hash.
type counted struct {
	sum  hash.Hash
	size int64
}

func (c *counted) Write(p []byte) (int, error) {
	c.size += int64(len(p))
	return c.sum.Write(p)
}

func (c *counted) part() Part { return Part{Size: c.size, Hash: hex.EncodeToString(c.sum.Sum(nil))} }

// flushing is a buffer that is emptied when it is closed.
type flushing struct{ *bufio.Writer }

func (f flushing) Close() error { return f.Flush() }

// end writes out what is still held back, and tells what the file has become.
func (w *writing) end() (Part, error) {
	for i := len(w.ends) - 1; i >= 0; i-- {
		if err := w.ends[i].Close(); err != nil {
			return Part{}, err
		}
	}
	return w.sum.part(), nil
}

// keep gives a file that was ended its name, once it is on the disk.
func (w *writing) keep() error {
	if err := w.file.Sync(); err != nil {
		return errors.Join(err, w.drop())
	}
	if err := errors.Join(w.file.Close(), os.Rename(w.file.Name(), w.path)); err != nil {
		return err
	}
	return syncDir(filepath.Dir(w.path))
}

// drop leaves nothing of the file.
func (w *writing) drop() error { return errors.Join(w.file.Close(), os.Remove(w.file.Name())) }

// save makes a file of what f writes. Where it is known what comes out, anything else is refused.
func save(path string, compressed bool, key age.Recipient, want *Part, f func(io.Writer) error) (Part, error) {
	w, err := begin(path, compressed, key)
	if err != nil {
		return Part{}, err
	}
	if err := f(w); err != nil {
		return Part{}, errors.Join(err, w.drop())
	}
	got, err := w.end()
	if err == nil && want != nil && got != *want {
		err = errOther
	}
	if err != nil {
		return Part{}, errors.Join(err, w.drop())
	}
	return got, w.keep()
}

// errOther is what is said of content that is not the expected one.
var errOther = errors.New("it has another content")

func syncDir(dir string) error {
	d, err := os.Open(dir) //nolint:gosec // the operator's choice
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// reading is a file of a backup as it was before it was compressed and encrypted.
type reading struct {
	io.Reader
	file  *os.File
	under io.Reader // what is counted, before it is made larger again
	sum   counted
}

// open reads a file of a backup. What is read is counted, to be held against what was written.
func open(path string, compressed bool, key age.Identity) (*reading, error) {
	f, err := os.Open(path) //nolint:gosec // the operator's choice
	if err != nil {
		return nil, err
	}
	r := &reading{file: f, under: bufio.NewReaderSize(f, 128<<10), sum: counted{sum: sha256.New()}}
	if key != nil {
		if r.under, err = age.Decrypt(r.under, key); err != nil {
			return nil, errors.Join(unreadable(path, err), f.Close())
		}
	}
	r.under = io.TeeReader(r.under, &r.sum)
	r.Reader = r.under
	if compressed {
		if r.Reader, err = gzip.NewReader(r.under); err != nil {
			return nil, errors.Join(fmt.Errorf("%w: %s: %w", errDamaged, filepath.Base(path), err), f.Close())
		}
	}
	return r, nil
}

// unreadable tells a wrong key from a damaged file.
func unreadable(path string, err error) error {
	if _, wrong := errors.AsType[*age.NoIdentityMatchError](err); wrong {
		return errors.New("the backup is encrypted for another key")
	}
	return fmt.Errorf("%w: %s: %w", errDamaged, filepath.Base(path), err)
}

func (r *reading) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("%w: %s: %w", errDamaged, filepath.Base(r.file.Name()), err)
	}
	return n, err
}

// ended reads what is left and refuses what is not as it was written.
func (r *reading) ended(want Part) error {
	for _, rest := range []io.Reader{r, r.under} { // some bytes may stand behind what was compressed
		if _, err := io.Copy(io.Discard, rest); err != nil {
			return err
		}
	}
	if r.sum.part() != want {
		return fmt.Errorf("%w: %s is not what was written", errDamaged, filepath.Base(r.file.Name()))
	}
	return nil
}

func (r *reading) Close() error { return r.file.Close() }
