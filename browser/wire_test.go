package browser

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
)

// fate is what a network does with requests.
type fate int32

const (
	arrives       fate = iota
	isLost             // before the service hears of it
	answerLost         // the service does what is asked, and nobody hears of it
	postsLost          // what changes something, before the service hears of it
	once               // the next verdict arrives, and nothing after it
	documentsLost      // those that are asked for, before the service hears of it
	fails              // what stands before the service answers that it is broken
)

// wire is a network between the browser and a service that can be cut, and whose
// service can be replaced.
type wire struct {
	*service
	does fate32
	to   atomic.Pointer[url.URL]
	slow atomic.Pointer[held]
	lost atomic.Int32 // how many verdicts were
}

// held are answers that do not come before they are let go: those to paths with these steps.
type held struct {
	part string // such as search/found
	free chan struct{}
}

// hold keeps answers back until what it gives is called.
func (w *wire) hold(part string) (release func()) {
	h := &held{part, make(chan struct{})}
	w.slow.Store(h)
	return func() {
		w.slow.Store(nil)
		close(h.free)
	}
}

type fate32 struct{ atomic.Int32 }

func (f *fate32) set(to fate) { f.Store(int32(to)) }

func newWire(t *testing.T, s *service) *wire {
	t.Helper()
	w := &wire{}
	w.lead(t, s)
	proxy := &httputil.ReverseProxy{ErrorHandler: hangUp, FlushInterval: -1,
		ModifyResponse: func(r *http.Response) error {
			if fate(w.does.Load()) == answerLost {
				return errLost
			}
			return nil
		},
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(w.to.Load())
			r.Out.Host = r.In.Host
		}}
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		does := fate(w.does.Load())
		if does != arrives && r.Method == http.MethodPost {
			w.lost.Add(1)
		}
		verdict := strings.HasSuffix(r.URL.Path, "/verdict")
		document := strings.HasSuffix(r.URL.Path, "/document")
		if does == isLost || does == documentsLost && document || does == postsLost && r.Method == http.MethodPost ||
			does == once && !(verdict && w.does.CompareAndSwap(int32(once), int32(isLost))) {
			hangUp(rw, r, errLost)
			return
		}
		if does == fails {
			http.Error(rw, "the service is broken", http.StatusInternalServerError)
			return
		}
		if h := w.slow.Load(); h != nil && strings.Contains(r.URL.Path+"/", "/"+h.part+"/") {
			select {
			case <-h.free:
			case <-r.Context().Done():
			}
		}
		proxy.ServeHTTP(rw, r)
	}))
	t.Cleanup(server.CloseClientConnections)
	w.service = &service{url: server.URL, data: s.data}
	return w
}

// lead connects the wire to a service.
func (w *wire) lead(t *testing.T, s *service) {
	t.Helper()
	to, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	w.to.Store(to)
}
