package httpserver

import (
	"io"
	"net/http"
	"sync"
	"time"
)

// Pace bounds how long a client may take over a body it sends or a file it
// fetches, so that a connection that does nothing costs nothing for long.
type Pace struct {
	Idle time.Duration // without a byte of a body, or a piece of a file; 30 s when 0
	Most time.Duration // for all of it; 2 h when 0
}

// slowest is how many bytes a second a transfer must bring in the long run.
const slowest = 1 << 10

// transfers are the bodies and files on their way.
type transfers struct {
	pace Pace
	mu   sync.Mutex
	open map[*transfer]struct{}
	stop *Pace // while the server stops
	by   time.Time
}

func newTransfers(p Pace) *transfers {
	if p.Idle == 0 {
		p.Idle = 30 * time.Second
	}
	if p.Most == 0 {
		p.Most = 2 * time.Hour
	}
	return &transfers{pace: p, open: map[*transfer]struct{}{}}
}

// transfer is one body or file on its way.
type transfer struct {
	all   *transfers
	began time.Time
	bytes int64
	limit func(time.Time) error // sets the deadline of the connection
}

func (a *transfers) begin(limit func(time.Time) error) *transfer {
	t := &transfer{all: a, began: time.Now(), limit: limit}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open[t] = struct{}{}
	return t
}

// moved gives the client time for the next piece once n bytes have come.
func (t *transfer) moved(n int) {
	t.all.mu.Lock()
	defer t.all.mu.Unlock()
	t.bytes += int64(n)
	t.extend()
}

// extend sets the deadline: a while from now, and not so far from the beginning
// that a trickle could go on for ever.
func (t *transfer) extend() {
	now, p := time.Now(), t.all.pace
	idle := p.Idle
	if t.all.stop != nil {
		idle = min(idle, t.all.stop.Idle)
	}
	by := earlier(now.Add(idle), t.began.Add(2*p.Idle+time.Duration(t.bytes/slowest)*time.Second))
	by = earlier(by, t.began.Add(p.Most))
	if t.all.stop != nil {
		by = earlier(by, t.all.by)
	}
	_ = t.limit(by) // fails where there is no connection, as in tests
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// end leaves the connection with another deadline, or none: what the server does
// next takes its own time.
func (t *transfer) end(by time.Time) {
	t.all.mu.Lock()
	defer t.all.mu.Unlock()
	delete(t.all.open, t)
	_ = t.limit(by)
}

// Stopping lets bodies and files that move finish within the time given, most of
// it, and gives those that do not a third of it, so that the service can stop. No
// other answer may wait longer for its reader either.
func (s *Server) Stopping(within time.Duration) {
	s.answers.stopping(within / 3)
	a := s.transfers
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stop, a.by = &Pace{Idle: within / 3}, time.Now().Add(within*3/4)
	for t := range a.open {
		t.extend()
	}
}

// pacedBody is a body whose sender must not dawdle. The time begins to count when
// somebody reads.
type pacedBody struct {
	io.ReadCloser
	begin func() *transfer
	t     *transfer
	err   error // what ended it
}

func (b *pacedBody) Read(p []byte) (int, error) {
	if b.t == nil {
		b.t = b.begin()
		b.t.moved(0)
	}
	n, err := b.ReadCloser.Read(p)
	if b.err = err; err == nil {
		b.t.moved(n)
	} else if err == io.EOF { //nolint:errorlint // a reader says it so
		b.t.end(time.Time{})
	}
	return n, err
}

// drain is how long net/http may look for the rest of a body that nobody read,
// so that the connection can be used again.
const drain = 5 * time.Second

// leave lets go of a body at the end of its request.
func (b *pacedBody) leave() {
	switch {
	case b.err == io.EOF: //nolint:errorlint // as above
		return
	case b.err != nil:
		b.t.end(time.Now()) // nothing more is wanted of who was too slow
		return
	case b.t == nil:
		b.t = b.begin()
	}
	b.t.end(time.Now().Add(min(drain, b.t.all.pace.Idle)))
}

// paced gives r with a body that has a deadline, and what to do at its end.
func (s *Server) paced(w http.ResponseWriter, r *http.Request) (*http.Request, func()) {
	if r.Body == nil || r.Body == http.NoBody {
		return r, func() {}
	}
	c := http.NewResponseController(w)
	b := &pacedBody{ReadCloser: r.Body, begin: func() *transfer { return s.transfers.begin(c.SetReadDeadline) }}
	r.Body = b
	return r, b.leave
}

// Received says that as much of the body has come as anybody wants: what follows
// is ours to do, and takes the time it takes.
func Received(r *http.Request) {
	if b, ok := r.Body.(*pacedBody); ok && b.t != nil && b.err == nil {
		b.t.end(time.Time{})
	}
}

// Sending gives a writer for a file, whose reader must not dawdle either, and what
// to do when it is sent.
func (s *Server) Sending(w http.ResponseWriter) (paced http.ResponseWriter, done func()) {
	t := s.transfers.begin(http.NewResponseController(w).SetWriteDeadline)
	return &pacedWriter{w, t}, func() { t.end(time.Time{}) }
}

type pacedWriter struct {
	http.ResponseWriter
	t *transfer
}

// piece is how much is sent under one deadline.
const piece = 64 << 10

func (w *pacedWriter) Write(b []byte) (sent int, err error) {
	for first := true; err == nil && (first || len(b) > 0); first = false {
		head := b[:min(len(b), piece)]
		b = b[len(head):]
		w.t.moved(0)
		n, failed := w.ResponseWriter.Write(head)
		w.t.moved(n)
		sent, err = sent+n, failed
	}
	return sent, err
}

// Unwrap lets http.ResponseController reach the connection.
func (w *pacedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
