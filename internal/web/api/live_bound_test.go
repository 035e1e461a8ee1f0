package api

import (
	"context"
	"net/http"
	"testing"
	"time"

	"lectern/internal/web/live"
)

// A user hears events twenty times at once; one more is told to close some.
func TestStreamsOfOneUserAreBounded(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		url := w.instance(t, time.Minute)
		open := func(as string) (status int, end func()) {
			ctx, stop := context.WithCancel(t.Context())
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/api/events", http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Username", as)
			r.Header.Set("Auth-Token", w.tokens[as])
			a, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			return a.StatusCode, func() { stop(); a.Body.Close() }
		}
		var ends []func()
		keep := func(as string) int {
			got, end := open(as)
			ends = append(ends, end)
			return got
		}
		for range live.MostStreams {
			if got := keep("student"); got != http.StatusOK {
				t.Fatalf("got %d", got)
			}
		}
		if got := keep("student"); got != http.StatusTooManyRequests {
			t.Errorf("one too many gets %d", got)
		}
		if got := keep("mate"); got != http.StatusOK {
			t.Errorf("somebody else gets %d", got)
		}
		ends[0]()
		for until := time.Now().Add(time.Minute); keep("student") != http.StatusOK; {
			if time.Now().After(until) {
				t.Fatal("a place is never free again")
			}
		}
		for _, end := range ends {
			end()
		}
	})
}
