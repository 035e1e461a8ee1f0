package browser

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
)

// The network is lost half-way through a hand-in, and once more when the answer is on
// its way: the page goes on by itself, and there is exactly one submission.
func TestHandInWithTheNetworkLost(t *testing.T) {
	needed(t)
	s := serve(t)
	for i, on := range []screen{wide, phone} {
		t.Run(on.name, func(t *testing.T) {
			line := badLine(t, s)
			b := open(t, line.service, on)
			b.expect("net::ERR_")
			b.signIn([]string{"student_2", "student_6"}[i])
			task := b.firstTask("5.1P")
			before := b.versions()
			line.trouble.Store(2)
			b.handInFiles(map[string]string{"#file0": b.file("Program.cs", bytes.Repeat([]byte("// a long program\n"),
				20_000))})
			b.await(atReceipt)
			if line.sent.Load() != 3 || line.trouble.Load() != 0 {
				t.Errorf("%d requests, %d troubles left; want 3 and none", line.sent.Load(), line.trouble.Load())
			}
			b.visit(task)
			if after := b.versions(); after != before+1 {
				t.Errorf("%d versions before and %d after", before, after)
			}
		})
	}
}

// versions counts what was handed in for the task in view.
func (b *tab) versions() int {
	b.Helper()
	return eval[int](b, "document.querySelectorAll(\"a[href*='/versions/'][href$='/receipt']\").length && "+
		"new Set([...document.querySelectorAll(\"details a[href*='/versions/']\")].map((a) => "+
		"a.href.split('/versions/')[1].split('/')[0])).size")
}

// line is a network between the browser and the service on which hand-ins get lost.
type line struct {
	*service
	down    atomic.Bool  // every hand-in gets lost
	trouble atomic.Int32 // how many of the next hand-ins get lost
	sent    atomic.Int32 // how many were tried
}

var errLost = errors.New("the network is lost")

func badLine(t *testing.T, s *service) *line {
	to, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	l := &line{}
	answerLost := func(r *http.Response) error {
		if r.Request.Header.Get("X-Test-Lost") != "" {
			return errLost
		}
		return nil
	}
	proxy := &httputil.ReverseProxy{ModifyResponse: answerLost, ErrorHandler: hangUp, FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			r.Out.Host = r.In.Host
		}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/hand-in") {
			l.sent.Add(1)
			if l.down.Load() {
				hangUp(w, r, errLost)
				return
			}
			switch l.trouble.Load() {
			case 2: // half of it arrives
				l.trouble.Add(-1)
				r.Body = struct {
					io.Reader
					io.Closer
				}{io.MultiReader(io.LimitReader(r.Body, r.ContentLength/2), lost{}), r.Body}
			case 1: // all of it arrives, and the answer does not
				l.trouble.Add(-1)
				r.Header.Set("X-Test-Lost", "yes")
			}
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.CloseClientConnections)
	l.service = &service{url: server.URL, data: s.data}
	return l
}

type lost struct{}

func (lost) Read([]byte) (int, error) { return 0, errLost }

// hangUp ends a connection without a word.
func hangUp(w http.ResponseWriter, _ *http.Request, _ error) {
	if c, _, err := w.(http.Hijacker).Hijack(); err == nil {
		c.Close()
	}
}
