package httpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// listening serves h with a pace that tests can wait for, and gives its address.
func listening(t *testing.T, p Pace, h http.HandlerFunc) (*Server, *http.Server, string) {
	t.Helper()
	s := New(Config{Log: slog.New(slog.DiscardHandler), Pace: p})
	s.Handle("/", h)
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := s.Net()
	go func() { _ = srv.Serve(l) }()
	t.Cleanup(func() { srv.Close() })
	return s, srv, l.Addr().String()
}

func dial(t *testing.T, addr, text string) net.Conn {
	t.Helper()
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	return c
}

const halfABody = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nhalf"

func TestABodyThatStopsComingIsGivenUp(t *testing.T) {
	read := make(chan error, 1)
	_, _, addr := listening(t, Pace{Idle: 50 * time.Millisecond}, func(_ http.ResponseWriter, r *http.Request) {
		_, err := io.ReadAll(r.Body)
		read <- err
	})
	dial(t, addr, halfABody)
	if err := <-read; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("read: %v", err)
	}
}

// A byte now and then is no progress: such a body ends too.
func TestATrickleIsGivenUp(t *testing.T) {
	read := make(chan error, 1)
	_, _, addr := listening(t, Pace{Idle: 100 * time.Millisecond}, func(_ http.ResponseWriter, r *http.Request) {
		_, err := io.ReadAll(r.Body)
		read <- err
	})
	c := dial(t, addr, halfABody)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for range 900 {
		select {
		case err := <-read:
			if !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("read: %v", err)
			}
			return
		case <-tick.C:
			_, _ = io.WriteString(c, "x")
		}
	}
	t.Error("the whole body was waited for")
}

// The deadline is the body's, not the handler's.
func TestAHandlerMayTakeLongerThanABody(t *testing.T) {
	_, _, addr := listening(t, Pace{Idle: 30 * time.Millisecond}, func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			t.Error(err)
		}
		select {
		case <-r.Context().Done():
			t.Error("the request was taken for one whose client left")
		case <-time.After(150 * time.Millisecond):
		}
		fmt.Fprint(w, "done")
	})
	for range 2 { // the second on the same connection
		res, err := http.Post("http://"+addr, "text/plain", strings.NewReader("all of it"))
		if err != nil {
			t.Fatal(err)
		}
		if b, _ := io.ReadAll(res.Body); string(b) != "done" {
			t.Errorf("got %q", b)
		}
		res.Body.Close()
	}
}

func TestAFileNobodyFetchesIsGivenUp(t *testing.T) {
	wrote := make(chan error, 1)
	var s *Server
	s, _, addr := listening(t, Pace{Idle: 50 * time.Millisecond}, func(w http.ResponseWriter, _ *http.Request) {
		out, done := s.Sending(w)
		defer done()
		var err error
		for b := make([]byte, 1<<20); err == nil; {
			_, err = out.Write(b)
		}
		wrote <- err
	})
	dial(t, addr, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	if err := <-wrote; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("write: %v", err)
	}
}

// A body that nobody reads is not waited for either.
func TestABodyNobodyReadsIsGivenUp(t *testing.T) {
	_, _, addr := listening(t, Pace{Idle: 50 * time.Millisecond}, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(401)
	})
	c := dial(t, addr, halfABody)
	_ = c.SetReadDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.ReadAll(c); err != nil {
		t.Errorf("the connection stayed open: %v", err)
	}
}

func TestNoTransferTakesLongerThanTheMost(t *testing.T) {
	read := make(chan error, 1)
	_, _, addr := listening(t, Pace{Idle: time.Minute, Most: 50 * time.Millisecond},
		func(_ http.ResponseWriter, r *http.Request) {
			_, err := io.ReadAll(r.Body)
			read <- err
		})
	dial(t, addr, halfABody)
	if err := <-read; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("read: %v", err)
	}
}

// TestStoppingDoesNotWaitForStuckAnswers lets clients ask for long answers and read
// nothing of them: lists that are given a minute for each piece, and pages that set
// no time at all. The server stops in time, also one that begins to write later.
func TestStoppingDoesNotWaitForStuckAnswers(t *testing.T) {
	writing, late := make(chan bool, 3), make(chan bool)
	s, srv, addr := listening(t, Pace{}, func(w http.ResponseWriter, r *http.Request) {
		writing <- true
		if r.URL.Path == "/late" {
			<-late
		}
		line := []byte(strings.Repeat("x", 64<<10))
		for err := error(nil); err == nil; {
			if r.URL.Path == "/list" {
				err = Write(w, line)
			} else {
				_, err = w.Write(line)
			}
		}
	})
	for _, path := range []string{"/list", "/page", "/late"} {
		dial(t, addr, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n")
		<-writing
	}
	const within = 2 * time.Second
	begin := time.Now()
	s.Stopping(within)
	close(late)
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	defer stop()
	if err := srv.Shutdown(ctx); err != nil {
		t.Errorf("shutdown: %v", err)
	}
	if took := time.Since(begin); took > 3*within { // a busy machine may be late
		t.Errorf("it took %v to stop within %v", took, within)
	}
}

func TestStoppingDoesNotWaitForStuckBodies(t *testing.T) {
	reading := make(chan bool, 1)
	s, srv, addr := listening(t, Pace{}, func(_ http.ResponseWriter, r *http.Request) {
		reading <- true
		_, _ = io.ReadAll(r.Body)
	})
	dial(t, addr, halfABody)
	<-reading
	s.Stopping(200 * time.Millisecond)
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	defer stop()
	if err := srv.Shutdown(ctx); err != nil {
		t.Errorf("shutdown: %v", err)
	}
}
