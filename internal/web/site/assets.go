package site

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"lectern/internal/ground/fault"
	"lectern/internal/web/httpserver"
)

//go:embed assets
var assetFiles embed.FS

// asset is a file that pages load. Its address holds the hash of all assets, so that
// a browser keeps it for ever, and a script finds another beside itself. Its content
// stays in the program's file until it is asked for; even the hash is made for the
// first page, as an idle program is small.
type asset struct{ address, kind string }

var assets = sync.OnceValue(func() map[string]asset {
	out, sum := map[string]asset{}, sha256.New()
	err := fs.WalkDir(assetFiles, "assets", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f, err := assetFiles.Open(name)
		if err != nil {
			return err
		}
		fmt.Fprintln(sum, name)
		n, err := io.Copy(sum, f)
		fmt.Fprintln(sum, n)
		out[strings.TrimPrefix(name, "assets/")] = asset{kind: kinds[path.Ext(name)]}
		return err
	})
	if err != nil {
		panic(err) // they are inside the program
	}
	at := "/assets/" + base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:12]) + "/"
	for name, a := range out {
		a.address = at + name
		out[name] = a
	}
	return out
})

// kinds are the types of assets by the ending of their names: browsers run no module
// of another type, and what the system knows of endings differs.
var kinds = map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".mjs": "text/javascript; charset=utf-8", ".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8"}

// assetPath gives the address of an asset to templates.
func assetPath(name string) string {
	a, ok := assets()[name]
	if !ok {
		panic("site: there is no asset " + name)
	}
	return a.address
}

// assetRoutes serves the assets to everybody: they hold nothing of anybody.
func (s *Server) assetRoutes() {
	s.HTTP.Handle("GET /assets/{hash}/{name...}", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("name")
		a := assets()[name]
		if a.address != r.URL.Path {
			s.HTTP.Fail(w, r, fault.New(fault.Missing, "There is no such file. Load the page again."))
			return
		}
		w.Header().Set("Content-Type", a.kind)
		if strings.HasPrefix(a.kind, "text/javascript") { // as a worker it may load other scripts of ours
			w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'")
		}
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		f, err := assetFiles.Open("assets/" + name)
		if err != nil {
			panic(err) // it is inside the program
		}
		out, done := httpserver.CompressText(w, r)
		http.ServeContent(out, r, "", time.Time{}, f.(io.ReadSeeker))
		done()
	}))
}
