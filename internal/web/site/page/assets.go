package page

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"lectern/internal/ground/fault"
	"lectern/internal/web/httpserver"
	"lectern/internal/web/live"
)

//go:embed assets
var assetFiles embed.FS

// asset is a file that pages load. Its address holds the hash of all assets, so that
// a browser keeps it for ever, and a script finds another beside itself. Its content
// stays in the program's file until it is asked for; even the hash is made for the
// first page, as an idle program is small.
type asset struct {
	address, kind string
	open          func() (io.ReadSeeker, error)
}

// findAssets gives the scripts and pictures of all pages, the style sheets of the rooms, and
// the scripts that are made from what the service knows.
func (h *House) findAssets() map[string]asset {
	out := map[string]asset{}
	err := fs.WalkDir(assetFiles, "assets", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) == ".css" {
			return err
		}
		out[strings.TrimPrefix(name, "assets/")] = asset{open: func() (io.ReadSeeker, error) {
			f, err := assetFiles.Open(name)
			if err != nil {
				return nil, err
			}
			return f.(io.ReadSeeker), nil // a file of the program is
		}}
		return err
	})
	if err != nil {
		panic(err) // they are inside the program
	}
	made := h.sheets()
	maps.Copy(made, scripts())
	made["live-kinds.js"] = liveKinds
	for name, text := range made {
		out[name] = asset{open: func() (io.ReadSeeker, error) { return strings.NewReader(text()), nil }}
	}
	at := "/assets/" + hashOf(out) + "/"
	for name, a := range out {
		a.address, a.kind = at+name, kinds[path.Ext(name)]
		out[name] = a
	}
	return out
}

// scripts are our own ones as browsers get them, by name.
func scripts() map[string]func() string {
	out := map[string]func() string{}
	for _, file := range glob(assetFiles, "assets/*.js") {
		if !strings.Contains(file, ".min.") { // of others, unchanged
			out[path.Base(file)] = func() string { return script(file) }
		}
	}
	return out
}

// remarks are the lines of a script that are for whoever reads it.
var remarks = regexp.MustCompile(`(?m)^[ \t]*//.*$`)

// script is one of our own without its remarks. Its lines keep their numbers.
func script(file string) string { return remarks.ReplaceAllString(text(assetFiles, file), "") }

// liveKinds is the script that tells live.js what it may hear, so that a new kind of event
// needs no edit of a script.
func liveKinds() string {
	list, err := json.Marshal(live.Names())
	if err != nil {
		panic(err) // they are words
	}
	return "export const kinds = " + string(list) + ";\n"
}

// hashOf is the hash of all assets.
func hashOf(all map[string]asset) string {
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		f, err := all[name].open()
		if err != nil {
			panic(err) // they are inside the program
		}
		fmt.Fprintln(sum, name)
		n, err := io.Copy(sum, f)
		if err != nil {
			panic(err) // they are inside the program
		}
		fmt.Fprintln(sum, n)
	}
	return base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:12])
}

// kinds are the types of assets by the ending of their names: browsers run no module
// of another type, and what the system knows of endings differs.
var kinds = map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".mjs": "text/javascript; charset=utf-8", ".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8",
	".woff2": "font/woff2"}

// asset gives the address of an asset to templates.
func (h *House) asset(name string) string {
	a, ok := h.assets()[name]
	if !ok {
		panic("page: there is no asset " + name)
	}
	return a.address
}

// assetRoutes serves the assets to everybody: they hold nothing of anybody.
func (s *Site) assetRoutes() {
	s.HTTP.Handle("GET /assets/{hash}/{name...}", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("name")
		a := s.house.assets()[name]
		if a.address != r.URL.Path {
			s.HTTP.Fail(w, r, fault.New(fault.Missing, "There is no such file. Reload the page."))
			return
		}
		w.Header().Set("Content-Type", a.kind)
		if strings.HasPrefix(a.kind, "text/javascript") { // as a worker it may load other scripts of ours
			w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'")
		}
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		f, err := a.open()
		if err != nil {
			panic(err) // it is inside the program
		}
		if a.kind == "font/woff2" { // it is packed already
			http.ServeContent(w, r, "", time.Time{}, f)
			return
		}
		out, done := httpserver.CompressText(w, r)
		http.ServeContent(out, r, "", time.Time{}, f)
		done()
	}))
}
