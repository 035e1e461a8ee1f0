package endpoint

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"regexp"

	"github.com/swaggest/swgui"
	"github.com/swaggest/swgui/v5emb"

	"lectern/internal/web/httpserver"
)

// explorer serves Swagger UI. Its page has scripts of its own inside, which are
// let in by their hashes, so that no other can run.
func explorer() http.Handler {
	ui := v5emb.NewHandlerWithConfig(swgui.Config{Title: "Lectern API", SwaggerJSON: "/api/openapi.json",
		BasePath: "/api/docs"})
	scripts := "script-src 'self'" + hashes(ui)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		httpserver.Guard(w.Header(), httpserver.Explorer, scripts)
		ui.ServeHTTP(w, r)
	})
}

var inlineScript = regexp.MustCompile(`(?s)<script>(.*?)</script>`)

// hashes gives the hash of every script inside the explorer's page, as a
// Content-Security-Policy writes it.
func hashes(ui http.Handler) (out string) {
	r, err := http.NewRequest(http.MethodGet, "/api/docs", http.NoBody) //nolint:noctx // it goes nowhere
	if err != nil {
		panic(err) // the address is our own
	}
	page := &draft{h: http.Header{}}
	ui.ServeHTTP(page, r)
	for _, m := range inlineScript.FindAllSubmatch(page.Bytes(), -1) {
		sum := sha256.Sum256(m[1])
		out += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return out
}

// draft takes an answer that is looked at before anybody gets it.
type draft struct {
	bytes.Buffer
	h http.Header
}

func (d *draft) Header() http.Header { return d.h }
func (*draft) WriteHeader(int)       {}
