package params_test

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"lectern/internal/web/params"
)

type fuzzInput struct {
	ID int64 `path:"id"`
	everything
	Sheet *params.Upload            `param:"file"`
	More  []*params.Upload          `param:"more"`
	All   map[string]*params.Upload `param:"*files"`
	List  []string                  `param:"l" enum:"a,b"`
}

// FuzzRead drives whole requests: no panic, no error but faults, no file left.
func FuzzRead(f *testing.F) {
	const part = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"../a\"\r\n\r\nx\r\n--b--\r\n"
	f.Add("unit[name]=a&ids[]=1", "application/json",
		`{"unit":{"start_date":"2026-03-02","weeks":[1]},"contributions":"[{}]"}`)
	f.Add("l[]=a&l[]=c", form, "rows[0][pct]=1&rows[x]=2&limit=%ff")
	f.Add("unit=1&unit[a]=2", "multipart/form-data; boundary=b", part)
	f.Add("", "multipart/form-data; boundary=b", part[:60])
	f.Add("", "multipart/form-data; boundary=b", strings.Replace(part, "; filename=\"../a\"", "", 1))
	f.Add("a[b][c][d][e]=&=", "text/plain; charset", "\x00")
	spool := f.TempDir()
	f.Fuzz(func(t *testing.T, query, kind, body string) {
		r := request(query, kind, body)
		lim := params.Limits{JSON: 1 << 16, Field: 1 << 12, File: 1 << 10, Files: 2}
		s, err := params.Read(httptest.NewRecorder(), r, lim, spool, func(s *params.Set) error {
			mustBeFault(t, s.Decode(new(fuzzInput), nil))
			return nil
		})
		mustBeFault(t, err)
		if err == nil {
			mustBeFault(t, s.Decode(new(fuzzInput), func(string) string { return "1" }))
			s.Close()
		}
		mustBeEmpty(t, spool)
	})
}

// FuzzDecode holds the JSON reader against the standard one: what it takes,
// that takes too, and a text comes out the same.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{`{"x":"a\u00e9\ud83d\ude00"}`, `{"x":null,"y":[1e5,-0.1,{"z":{}}]}`, `{"x":"\ud800"}`,
		`{"x":1,"x":2}`, `{"x":01}`, "{\"x\":\"\xff\"}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		got, err := decode[one[string]](t, request("", "application/json", body))
		if err != nil || strings.Trim(body, " \t\r\n\ufeff") == "" {
			return
		}
		var std map[string]any
		if err := json.Unmarshal([]byte(strings.TrimPrefix(body, "\ufeff")), &std); err != nil {
			t.Fatalf("%q is taken, but: %v", body, err)
		}
		if s, ok := std["x"].(string); ok && (s != got.X.V || !utf8.ValidString(got.X.V)) {
			t.Fatalf("%q: got %q, want %q", body, got.X.V, s)
		}
	})
}
