package page

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
)

// offlinePath is where browsers fetch the page that they keep for when there is no network.
const offlinePath = "/offline"

// offlineRoutes serve that page, and the script that keeps it. The script stands at the root,
// because it may answer for the pages below its own address only.
func (s *Site) offlineRoutes() {
	Show(s, offlinePath, policy.Anybody, "What a browser shows without a network",
		func(context.Context, *access.Caller, struct{}) (*Page, error) { return s.offlinePage(), nil })
	worker := sync.OnceValues(s.offlineWorker)
	s.HTTP.Handle("GET /offline-worker.js", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := worker()
		if err != nil {
			s.HTTP.Fail(w, r, err)
			return
		}
		h := w.Header()
		h.Set("Content-Type", kinds[".js"])
		h.Set("Content-Security-Policy", "default-src 'none'; connect-src 'self'")
		h.Set("Cache-Control", "no-cache") // browsers ask after every page whether it is still the same
		h.Set("ETag", `"`+fingerprint([]byte(text))+`"`)
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(text))
	}))
}

// offlinePage is the same for everybody: whoever asks for it, nobody is on it.
func (s *Site) offlinePage() *Page {
	p := s.Page(nil, "no-network", nil)
	p.Alone = true
	return p
}

// loaded finds what a page loads.
var loaded = regexp.MustCompile(`"(/assets/[^"#]+)`)

// offlineWorker is the script with what it keeps: the page, and all that the page loads.
func (s *Site) offlineWorker() (string, error) {
	page, err := s.offlinePage().body(context.Background(), new(bytes.Buffer))
	if err != nil {
		return "", err
	}
	files := []string{offlinePath}
	for _, m := range loaded.FindAllSubmatch(page, -1) {
		files = append(files, string(m[1]))
	}
	slices.Sort(files)
	kept, err := json.Marshal(map[string]any{"name": "offline " + fingerprint(page), "page": offlinePath,
		"files": slices.Compact(files)})
	if err != nil {
		return "", err
	}
	return "const kept = " + string(kept) + ";\n" + script("assets/offline-worker.js"), nil
}

// fingerprint tells one content from another.
func fingerprint(of []byte) string {
	sum := sha256.Sum256(of)
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}
