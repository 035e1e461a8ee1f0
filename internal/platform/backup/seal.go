package backup

import (
	"bufio"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"path"
	"sync"

	"filippo.io/age"
)

// writing is a file on its way to its shelf: what is written is compressed where that is asked
// for, counted, and encrypted where there is a key.
type writing struct {
	*bufio.Writer // the outermost layer
	pending
	ends []io.Closer // of the layers, outermost last
	sum  counted
}

// Write is that of the outermost layer.
func (w *writing) Write(p []byte) (int, error) { return w.Writer.Write(p) }

func begin(p pending, compressed bool, key age.Recipient) (*writing, error) {
	w := &writing{pending: p}
	var to io.Writer = p
	if key != nil {
		e, err := age.Encrypt(p, key)
		if err != nil {
			return nil, errors.Join(err, w.drop())
		}
		to, w.ends = e, append(w.ends, e)
	}
	w.sum = counted{sum: sha256.New()}
	to = io.MultiWriter(&w.sum, to)
	if compressed {
		z := gzip.NewWriter(to)
		to, w.ends = z, append(w.ends, z)
	}
	w.Writer, _ = buffers.Get().(*bufio.Writer)
	w.Reset(to)
	w.ends = append(w.ends, flushing{w.Writer})
	return w, nil
}

// buffers are used for one file after the other: a place has many that are smaller than a buffer.
var buffers = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, 128<<10) }}

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

// flushing is a buffer that is emptied and given back when it is closed.
type flushing struct{ *bufio.Writer }

func (f flushing) Close() error {
	err := f.Flush()
	f.Reset(nil)
	buffers.Put(f.Writer)
	return err
}

// end writes out what is still held back, and tells what the file has become.
func (w *writing) end() (Part, error) {
	for i := len(w.ends) - 1; i >= 0; i-- {
		if err := w.ends[i].Close(); err != nil {
			return Part{}, err
		}
	}
	return w.sum.part(), nil
}

// form says how a file is kept.
type form struct {
	compressed bool
	key        age.Recipient
	want       *Part // anything else is refused, where it is known what comes out
}

// save makes a file of what f writes.
func save(ctx context.Context, on shelf, name string, how form, f func(io.Writer) error) (Part, error) {
	p, err := on.create(ctx, name)
	if err != nil {
		return Part{}, err
	}
	w, err := begin(p, how.compressed, how.key)
	if err != nil {
		return Part{}, err
	}
	if err := f(w); err != nil {
		return Part{}, errors.Join(err, w.drop())
	}
	got, err := w.end()
	if err == nil && how.want != nil && got != *how.want {
		err = errOther
	}
	if err != nil {
		return Part{}, errors.Join(err, w.drop())
	}
	return got, w.keep(ctx)
}

// saveText makes a file of a text.
func saveText(ctx context.Context, on shelf, name string, key age.Recipient, text []byte) error {
	_, err := save(ctx, on, name, form{key: key}, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
	return err
}

// errOther is what is said of content that is not the expected one.
var errOther = errors.New("it has another content")

// reading is a file of a backup as it was before it was compressed and encrypted.
type reading struct {
	io.Reader
	name  string
	file  io.Closer
	under io.Reader // what is counted, before it is made larger again
	sum   counted
}

// open reads a file of a backup. What is read is counted, to be held against what was written.
func open(ctx context.Context, on shelf, name string, compressed bool, key age.Identity) (*reading, error) {
	f, err := on.open(ctx, name)
	if err != nil {
		return nil, err
	}
	r := &reading{name: path.Base(name), file: f, under: bufio.NewReaderSize(f, 128<<10),
		sum: counted{sum: sha256.New()}}
	if key != nil {
		if r.under, err = age.Decrypt(r.under, key); err != nil {
			return nil, errors.Join(r.damaged(err), f.Close())
		}
	}
	r.under = io.TeeReader(r.under, &r.sum)
	r.Reader = r.under
	if compressed {
		if r.Reader, err = gzip.NewReader(r.under); err != nil {
			return nil, errors.Join(r.damaged(err), f.Close())
		}
	}
	return r, nil
}

// readText reads a small file.
func readText(ctx context.Context, on shelf, name string, key age.Identity) ([]byte, error) {
	r, err := open(ctx, on, name, false, key)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, 64<<20))
}

// damaged tells a wrong key and a broken connection from a damaged file.
func (r *reading) damaged(err error) error {
	if _, wrong := errors.AsType[*age.NoIdentityMatchError](err); wrong {
		return errors.New("the backup is encrypted for another key")
	}
	if _, far := errors.AsType[unreached](err); far {
		return err
	}
	return fmt.Errorf("%w: %s: %w", errDamaged, r.name, err)
}

func (r *reading) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = r.damaged(err)
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
		return fmt.Errorf("%w: %s is not what was written", errDamaged, r.name)
	}
	return nil
}

func (r *reading) Close() error { return r.file.Close() }
