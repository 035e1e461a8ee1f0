package params_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"lectern/internal/web/params"
)

func benchmark(b *testing.B, query, kind, body string) {
	r := httptest.NewRequest("POST", "/", nil)
	r.URL.RawQuery = query
	r.Header = http.Header{"Content-Type": {kind}}
	src := strings.NewReader(body)
	w := httptest.NewRecorder()
	b.ReportAllocs()
	for b.Loop() {
		src.Reset(body)
		r.Body, r.ContentLength = io.NopCloser(src), int64(len(body))
		s, err := params.Read(w, r, params.Limits{}, "", nil)
		if err != nil {
			b.Fatal(err)
		}
		var in everything
		if err := s.Decode(&in, nil); err != nil {
			b.Fatal(err)
		}
		s.Close()
	}
}

func BenchmarkJSON(b *testing.B) {
	benchmark(b, "", "application/json", `{"unit":{"name":"Programming","start_date":"2026-03-02","closed":false,"weeks":[1,2,3]},"ids":[1,2],"limit":20}`)
}

func BenchmarkQuery(b *testing.B) {
	benchmark(b, "unit[name]=Programming&unit[start_date]=2026-03-02&unit[closed]=false&ids[]=1&ids[]=2&limit=20", "",
		"")
}

func BenchmarkForm(b *testing.B) {
	benchmark(b, "", form, "unit[name]=Programming&unit[start_date]=2026-03-02&unit[closed]=false&ids[]=1&ids[]=2&limit=20")
}
