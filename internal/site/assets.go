package site

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"

	"lectern/internal/httpserver"
)

//go:embed assets
var assetFiles embed.FS

// asset is a file that pages load. Its address holds its hash, so that a browser
// keeps it for ever.
type asset struct {
	address, kind string
	content       []byte
}

var assets = func() map[string]asset {
	out := map[string]asset{}
	err := fs.WalkDir(assetFiles, "assets", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := assetFiles.ReadFile(name)
		sum := sha256.Sum256(data)
		short := strings.TrimPrefix(name, "assets/")
		out[short] = asset{"/assets/" + base64.RawURLEncoding.EncodeToString(sum[:12]) + "/" + short,
			mime.TypeByExtension(path.Ext(name)), data}
		return err
	})
	if err != nil {
		panic(err) // they are inside the program
	}
	return out
}()

// assetPath gives the address of an asset to templates.
func assetPath(name string) string {
	a, ok := assets[name]
	if !ok {
		panic("site: there is no asset " + name)
	}
	return a.address
}

// assetRoutes serves the assets to everybody: they hold nothing of anybody.
func (s *Server) assetRoutes() {
	for _, a := range assets {
		s.HTTP.Handle("GET "+a.address, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", a.kind)
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
			out, done := httpserver.Compress(w, r)
			http.ServeContent(out, r, "", time.Time{}, bytes.NewReader(a.content))
			done()
		}))
	}
}
