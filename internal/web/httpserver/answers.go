package httpserver

import (
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// answers are those being given. While the server stops, none may wait long for
// its reader, whatever time it was given before.
type answers struct {
	mu   sync.Mutex
	open map[*recorder]struct{}
	idle atomic.Int64 // nanoseconds that a piece may take while the server stops; 0 before
}

func (a *answers) begin(r *recorder) {
	r.all = a
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open == nil {
		a.open = map[*recorder]struct{}{}
	}
	a.open[r] = struct{}{}
}

// rest is how long a client may take for the last few kilobytes of an answer,
// which net/http sends when the handler is done.
const rest = 10 * time.Second

func (a *answers) end(r *recorder) {
	if r.bytes > 0 {
		_ = r.SetWriteDeadline(time.Now().Add(rest))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.open, r)
}

// stopping lets each answer that is being sent take so long for its next piece.
func (a *answers) stopping(idle time.Duration) {
	a.idle.Store(int64(idle))
	a.mu.Lock()
	defer a.mu.Unlock()
	for r := range a.open {
		r.mu.Lock()
		if r.writing {
			_ = r.limit() // a connection without deadlines cannot hold up a stop
		}
		r.mu.Unlock()
	}
}

// recorder notes the status and size of an answer, and holds its deadline.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64

	all     *answers
	mu      sync.Mutex
	by      time.Time // the deadline that was asked for; none when zero
	writing bool
}

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	r.mu.Lock()
	r.writing = true
	if r.all.idle.Load() > 0 {
		_ = r.limit() // as above
	}
	r.mu.Unlock()
	n, err := r.ResponseWriter.Write(b)
	r.mu.Lock()
	r.writing = false
	r.mu.Unlock()
	r.bytes += int64(n)
	return n, err
}

// SetWriteDeadline implements what http.ResponseController looks for.
func (r *recorder) SetWriteDeadline(by time.Time) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.by = by
	return r.limit()
}

// limit sets the deadline of the connection: the one asked for, or an earlier one
// while the server stops.
func (r *recorder) limit() error {
	by := r.by
	if idle := time.Duration(r.all.idle.Load()); idle > 0 {
		if last := time.Now().Add(idle); by.IsZero() || last.Before(by) {
			by = last
		}
	}
	return http.NewResponseController(r.ResponseWriter).SetWriteDeadline(by)
}

// Unwrap lets http.ResponseController reach the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
