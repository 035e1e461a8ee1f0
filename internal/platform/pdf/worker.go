package pdf

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"sync"
	"time"
)

var (
	errTooSlow = errors.New("it took too long to read")
	errDied    = errors.New("child died")
)

// worker is the parent's end of a child process. It starts a child when there
// is none, and after one died.
type worker struct {
	dir    string
	limits Limits
	child  *child
	served int // requests the present child has answered
	rss    int64
	cpu    time.Duration
}

type child struct {
	cmd    *exec.Cmd
	in     *json.Encoder
	out    *json.Decoder
	close  func() error
	stderr *lastWords
}

// crowded is how many times longer than its processor time a child may take
// when others keep the processors busy.
const crowded = 5

// do sends one request and waits for its answer until the child has worked for
// the limit: processor time, so that a busy machine refuses nothing it would
// show on a quiet one. A child that fails to answer is killed, with all it started.
func (w *worker) do(ctx context.Context, r request, limit time.Duration) (reply, error) {
	a, err := w.once(ctx, r, limit)
	if err != nil && w.served > 0 && !errors.Is(err, errTooSlow) && ctx.Err() == nil {
		// An older child may have died of what it had gathered: a new one decides.
		w.served = 0
		a, err = w.once(ctx, r, limit)
	}
	w.served++
	return a, err
}

func (w *worker) once(ctx context.Context, r request, limit time.Duration) (reply, error) {
	if w.child == nil {
		if err := w.start(); err != nil {
			return reply{}, err
		}
		w.served = 0
	}
	c := w.child
	type result struct {
		a   reply
		err error
	}
	got := make(chan result, 1)
	go func() {
		var res result
		if res.err = c.in.Encode(r); res.err == nil {
			res.err = c.out.Decode(&res.a)
		}
		got <- res
	}()
	late, stop := c.overdue(limit)
	defer stop()
	var err error
	select {
	case res := <-got:
		if res.err == nil {
			w.rss = max(w.rss, res.a.Peak)
			return res.a, nil
		}
		err = fmt.Errorf("%w: %w", errDied, res.err)
	case <-late:
		err = errTooSlow
	case <-ctx.Done():
		err = ctx.Err()
	}
	killGroup(c.cmd)
	w.reap()
	if errors.Is(err, errTooSlow) || ctx.Err() != nil {
		return reply{}, err
	}
	return reply{}, fmt.Errorf("%w: %s", err, c.stderr)
}

// overdue tells when a child has worked for the limit since now, looking every
// hundredth of it. Where processor time cannot be read the clock decides.
func (c *child) overdue(limit time.Duration) (late <-chan struct{}, stop func()) {
	told, done := make(chan struct{}), make(chan struct{})
	began, used := time.Now(), processorTime(c.cmd.Process.Pid)
	go func() {
		tick := time.NewTicker(max(limit/100, 10*time.Millisecond))
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			worked, elapsed := processorTime(c.cmd.Process.Pid)-used, time.Since(began)
			if used < 0 {
				worked = elapsed
			}
			if worked > limit || elapsed > crowded*limit {
				close(told)
				return
			}
		}
	}()
	return told, func() { close(done) }
}

func (w *worker) start() error {
	exe, err := childProgram()
	if err != nil {
		return fmt.Errorf("find own program: %w", err)
	}
	cmd := exec.Command(exe) //nolint:noctx // it outlives any one request; the limits end it
	cmd.Dir = w.dir
	cmd.Env = []string{
		childMark + "=1", childMemory + "=" + strconv.FormatInt(w.limits.Memory, 10),
		"GOMAXPROCS=1", "GOTRACEBACK=none", "TMPDIR=" + w.dir, "HOME=" + w.dir,
	}
	ownGroup(cmd)
	errs := &lastWords{}
	cmd.Stderr = errs
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start child: %w", err)
	}
	w.child = &child{cmd: cmd, in: json.NewEncoder(in), out: json.NewDecoder(out), close: in.Close, stderr: errs}
	return nil
}

// reap waits for a child that is ending and adds up what it used.
func (w *worker) reap() {
	_ = w.child.cmd.Wait()
	st := w.child.cmd.ProcessState
	w.cpu += st.UserTime() + st.SystemTime()
	w.child = nil
}

// stop ends the child, by closing its input, or by force when it does not heed that.
func (w *worker) stop() {
	if w.child == nil {
		return
	}
	c := w.child
	_ = c.close()
	force := time.AfterFunc(time.Second, func() { killGroup(c.cmd) })
	defer force.Stop()
	w.reap()
}

// lastWords keeps the beginning of what a child says when it dies.
type lastWords struct {
	mu  sync.Mutex
	buf []byte
}

func (t *lastWords) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.buf = append(t.buf, b...); len(t.buf) > 2000 {
		t.buf = append([]byte(nil), t.buf[:2000]...)
	}
	return len(b), nil
}

func (t *lastWords) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	first, _, _ := bytes.Cut(t.buf, []byte("\n"))
	return string(first)
}
