package httpserver

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"
	"sync"
)

// largeAnswer is the size from which an answer is compressed: below it, the
// packets saved are not worth the work.
const largeAnswer = 16 << 10

// compressors are for answers that are made each time, keepers for those that browsers keep.
var compressors, keepers = pool(gzip.BestSpeed), pool(gzip.BestCompression)

func pool(level int) *sync.Pool {
	return &sync.Pool{New: func() any {
		z, err := gzip.NewWriterLevel(nil, level)
		if err != nil {
			panic(err) // the level is a constant
		}
		return z
	}}
}

// Compress gives a writer that sends a large answer compressed where the client
// takes gzip, and done to be called when all is written. An answer that breaks
// off must not be done. It is for text that is made here: files are sent as they
// are, with ranges, and events must not wait in a buffer.
func Compress(w http.ResponseWriter, r *http.Request) (_ http.ResponseWriter, done func()) {
	w.Header().Add("Vary", "Accept-Encoding")
	return compress(w, r, largeAnswer, compressors)
}

// CompressText is Compress for text that browsers keep, such as styles and scripts: it
// is sent once, so that a smaller one is worth the work, too, and so is packing it tighter.
func CompressText(w http.ResponseWriter, r *http.Request) (_ http.ResponseWriter, done func()) {
	w.Header().Add("Vary", "Accept-Encoding")
	return compress(w, r, largeText, keepers)
}

// CompressPage is Compress for pages, whose markup shrinks to a fifth: what a person waits for
// fits into the first packets of a connection more often.
func CompressPage(w http.ResponseWriter, r *http.Request) (_ http.ResponseWriter, done func()) {
	w.Header().Add("Vary", "Accept-Encoding")
	return compress(w, r, largePage, compressors)
}

// largeText is small, because the modules of a page come together over one connection; largePage is
// what fits into three packets.
const (
	largeText = 256
	largePage = 4 << 10
)

func compress(w http.ResponseWriter, r *http.Request, from int, by *sync.Pool) (_ http.ResponseWriter, done func()) {
	if !takesGzip(r) {
		return w, func() {}
	}
	c := &compressed{ResponseWriter: w, from: from, by: by}
	return c, c.done
}

// Packs tells whether Compress and Send would compress an answer of n bytes.
func Packs(r *http.Request, n int) bool { return n >= largeAnswer && takesGzip(r) }

// takesGzip reads Accept-Encoding; a quality of 0 refuses.
func takesGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		name, params, _ := strings.Cut(part, ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			q := strings.ReplaceAll(params, " ", "")
			return !strings.HasPrefix(q, "q=0") || strings.Trim(q, "q=0.") != ""
		}
	}
	return false
}

// compressed holds the beginning of an answer back until it is known to be large.
type compressed struct {
	http.ResponseWriter
	from   int // bytes
	by     *sync.Pool
	status int
	start  []byte
	z      *gzip.Writer
}

func (c *compressed) WriteHeader(status int) {
	if c.status == 0 {
		c.status = status
	}
}

func (c *compressed) Write(b []byte) (int, error) {
	if c.z != nil {
		return c.z.Write(b)
	}
	if len(c.start)+len(b) < c.from {
		c.start = append(c.start, b...)
		return len(b), nil
	}
	c.Header().Set("Content-Encoding", "gzip")
	c.Header().Del("Content-Length")
	c.send()
	c.z = c.by.Get().(*gzip.Writer)
	c.z.Reset(c.ResponseWriter)
	if _, err := c.z.Write(c.start); err != nil {
		return 0, err
	}
	return c.z.Write(b)
}

func (c *compressed) send() {
	if c.status != 0 {
		c.ResponseWriter.WriteHeader(c.status)
	}
}

func (c *compressed) done() {
	if c.z == nil {
		c.send()
		if len(c.start) > 0 {
			_, _ = c.ResponseWriter.Write(c.start) // the client left
		}
		return
	}
	_ = c.z.Close() // the client left
	c.by.Put(c.z)
}

// Unwrap lets http.ResponseController reach the connection.
func (c *compressed) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// Body is an answer that is sent to many: compressed once, when the first asks for it.
type Body struct {
	Plain []byte
	once  sync.Once
	small []byte
}

// Send sends a body, compressed where it is large and the client takes gzip.
func Send(w http.ResponseWriter, r *http.Request, b *Body) error {
	w.Header().Add("Vary", "Accept-Encoding")
	if !Packs(r, len(b.Plain)) {
		return Write(w, b.Plain)
	}
	w.Header().Set("Content-Encoding", "gzip")
	b.once.Do(b.compress)
	return Write(w, b.small)
}

func (b *Body) compress() {
	var to bytes.Buffer
	z := compressors.Get().(*gzip.Writer)
	z.Reset(&to)
	_, _ = z.Write(b.Plain) // to memory
	_ = z.Close()
	compressors.Put(z)
	b.small = to.Bytes()
}
