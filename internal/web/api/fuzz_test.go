package api

import (
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// FuzzRequests sends any body to any endpoint, as somebody who may use it: the
// answer is never that something went wrong on our side, and comes in time.
func FuzzRequests(f *testing.F) {
	w := newWorld(f, "sqlite")
	for n, row := range rightRows {
		content, kind := encode(w, row.body)
		body, err := io.ReadAll(content)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint16(n), "", kind, string(body))
	}
	const part = "--b\r\nContent-Disposition: form-data; name=\"file\"; " +
		"filename=\"../a.csv\"\r\n\r\na,b\n1,2\r\n--b--\r\n"
	f.Add(uint16(3), "limit=1&offset=-1", "multipart/form-data; boundary=b", part)
	f.Fuzz(func(t *testing.T, n uint16, query, kind, body string) {
		w.TB = t
		row := rightRows[int(n)%len(rightRows)]
		method, path, _ := strings.Cut(row.request(), " ")
		r := httptest.NewRequest(method, w.path(path), strings.NewReader(body))
		r.URL.RawQuery = query
		r.Header.Set("Content-Type", kind)
		for _, who := range []string{"admin", "convenor", "tutor", "student"} {
			if row.allows(who) {
				r.Header.Set("Username", who)
				r.Header.Set("Auth-Token", w.tokens[who])
				break
			}
		}
		start := time.Now()
		if a := w.send(r, row.request()); a.Code >= 500 && a.Code != 503 {
			t.Fatalf("%s: %d %s", a.what, a.Code, a.Body)
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Fatalf("%s took %s", row.request(), took)
		}
	})
}
