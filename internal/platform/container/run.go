package container

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// Limits bound a run. All of them must be set.
type Limits struct {
	Time      time.Duration // by the clock on the wall
	Memory    int64         // bytes, without swap; what is in the folders counts
	CPUs      float64
	Processes int64 // and threads
	OpenFiles int64 // of each process
	Output    int64 // bytes of the standard output
	File      int64 // bytes of the longest file
}

// Folder is a place in memory where a run may write.
type Folder struct {
	Path string
	Size int64 // bytes
	Exec bool  // whether what is in it may be executed
}

// Run is a program to be run in a container of its own. Nothing is writable but
// the folders, there is no network, and it runs without rights under a user that
// nobody else is. It begins at the root: engines make any other place for it themselves,
// where only root can write.
type Run struct {
	Image   string
	Command []string
	Env     []string
	User    int // neither 0 nor that of another run at the same time
	Folders []Folder
	Limits  Limits
	Labels  map[string]string // to know it again by
	Input   io.Reader         // becomes its standard input
	Output  io.Writer         // gets its standard output
	Report  io.Writer         // gets its standard error, what fits
	// MostReport is how many bytes the standard error may have.
	MostReport int64
}

// Cause is why a run is over.
type Cause string

// The causes.
const (
	Exited    Cause = "exited"     // by itself
	TimeUp    Cause = "time"       // it was ended when its time was up
	TooMuch   Cause = "output"     // it was ended for writing too much
	OutOfMem  Cause = "memory"     // the kernel ended it for want of memory
	TooLarge  Cause = "report"     // it was ended for leaving too much behind
	cancelled Cause = "cancelled"  // the caller gave up
	broken    Cause = "connection" // the engine went away
)

// Ended tells how a run ended.
type Ended struct {
	Cause    Cause
	ExitCode int
}

// Run runs r to its end in a fresh container, which is gone when it returns,
// unless the engine is. An error is trouble of the engine or of the caller's
// context, never of the program; ErrUnavailable may pass.
func (e *Engine) Run(ctx context.Context, r Run) (Ended, error) {
	id, err := e.create(ctx, r)
	if err != nil {
		return Ended{}, err
	}
	defer e.removeLater(ctx, id)
	s, err := e.attach(ctx, id)
	if err != nil {
		return Ended{}, err
	}
	defer s.Close()
	if err := e.call(ctx, http.MethodPost, "/containers/"+id+"/start", nil, nil, nil); err != nil {
		return Ended{}, err
	}
	cause, err := s.carry(ctx, r)
	switch cause {
	case cancelled:
		return Ended{}, ctx.Err()
	case broken:
		return Ended{}, unavailable(ctx, err)
	case Exited:
		return e.ended(ctx, id)
	}
	return Ended{Cause: cause, ExitCode: -1}, nil
}

// killed is the exit code of a process that was killed.
const killed = 128 + 9

// ended asks how a container ended by itself. Its streams end a moment before
// the engine knows.
func (e *Engine) ended(ctx context.Context, id string) (Ended, error) {
	var c struct {
		State struct {
			Running   bool
			ExitCode  int
			OOMKilled bool
		}
	}
	for wait := 2 * time.Millisecond; ; wait *= 2 {
		if err := e.call(ctx, http.MethodGet, "/containers/"+id+"/json", nil, nil, &c); err != nil {
			return Ended{}, err
		}
		if !c.State.Running {
			break
		}
		if wait > 10*time.Second {
			return Ended{}, errors.New("a container closed its streams and runs on")
		}
		select {
		case <-ctx.Done():
			return Ended{}, ctx.Err()
		case <-time.After(wait):
		}
	}
	out := Ended{Exited, c.State.ExitCode}
	// Not every engine notices. But nothing inside can kill the first process.
	if c.State.OOMKilled || c.State.ExitCode == killed {
		out.Cause = OutOfMem
	}
	return out, nil
}

// removal is how long a removal may take, also when the caller has given up.
const removal = 30 * time.Second

// removeLater ends and removes a container whatever happened. One that cannot be
// removed now is a stray, which RemoveStrays finds.
func (e *Engine) removeLater(ctx context.Context, id string) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), removal)
	defer stop()
	_ = e.remove(ctx, id)
}

// remove ends a container at once and removes it; that it is gone is no error.
func (e *Engine) remove(ctx context.Context, id string) error {
	// Without this Podman first asks the program to end, and waits ten seconds.
	err := e.call(ctx, http.MethodPost, "/containers/"+id+"/kill", url.Values{"signal": {"KILL"}}, nil, nil)
	if errors.Is(err, ErrUnavailable) {
		return err
	}
	err = e.call(ctx, http.MethodDelete, "/containers/"+id, url.Values{"force": {"1"}, "v": {"1"}}, nil, nil)
	if r, ok := errors.AsType[*Refused](err); ok && r.Status == http.StatusNotFound {
		return nil
	}
	return err
}

// ownLabel marks the containers made here with the name of their service.
const ownLabel = "lectern.service"

// RemoveStrays ends and removes the containers of this service that keep, given
// their labels, does not want, and tells how many there were.
func (e *Engine) RemoveStrays(ctx context.Context, keep func(labels map[string]string) bool) (int, error) {
	var list []struct {
		ID     string
		Labels map[string]string
	}
	filter := fmt.Sprintf(`{"label":[%q]}`, ownLabel+"="+e.service)
	if err := e.call(ctx, http.MethodGet, "/containers/json", url.Values{"all": {"1"}, "filters": {filter}}, nil,
		&list); err != nil {
		return 0, err
	}
	n := 0
	for _, c := range list {
		if keep(c.Labels) {
			continue
		}
		if err := e.remove(ctx, c.ID); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
