package httpserver

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"net/http"
)

// plain is the face of paths that no other has: health checks, and whatever a
// browser asks for in vain.
type plain struct{}

// Begin implements Face.
func (plain) Begin(_ http.ResponseWriter, r *http.Request) (*http.Request, bool) { return r, false }

// Explain implements Face.
func (plain) Explain(w http.ResponseWriter, r *http.Request, p Problem) { ExplainPlainly(w, r, p) }

// ExplainPlainly answers with a plain page where the caller's Accept prefers HTML,
// and with JSON otherwise.
func ExplainPlainly(w http.ResponseWriter, r *http.Request, p Problem) {
	ExplainByAccept(w, r, p, errorPage)
}

// ExplainByAccept answers with the page that a face draws where the caller's
// Accept prefers HTML, as a browser's does, and with JSON otherwise. The page is
// whole, may load nothing and runs no script; csp has what else it needs, such as
// the source of its style.
func ExplainByAccept(w http.ResponseWriter, r *http.Request, p Problem,
	draw func(r *http.Request, p Problem) (html []byte, csp string)) {
	h := w.Header()
	h.Add("Vary", "Accept")
	if Prefers(r, "application/json", "text/html") != "text/html" {
		JSON(w, p.Status, p)
		return
	}
	page, csp := draw(r, p)
	h.Set("Content-Type", "text/html; charset=utf-8")
	Guard(h, Page, csp)
	w.WriteHeader(p.Status)
	Write(w, page) //nolint:errcheck // the client left
}

const errorStyle = `body{font:1.1rem/1.5 system-ui,sans-serif;max-width:38rem;margin:15vh auto;padding:0 1rem;` +
	`color:#1b1b1b;background:#fff}small{color:#595959}` +
	`@media(prefers-color-scheme:dark){body{color:#eee;background:#161616}a{color:#9cf}small{color:#aaa}}`

// The style is let in by its hash, so that no other can be.
var errorCSP = func() string {
	sum := sha256.Sum256([]byte(errorStyle))
	return "style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}()

var errorTemplate = template.Must(template.New("error").Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{{.Title}}</title>
<style>` + errorStyle + `</style>
</head>
<body>
<h1>{{.Title}}</h1>
<p>{{.Text}}</p>
<p><a href="/">Go to the start page</a></p>
<p><small>Request {{.ID}}</small></p>
</body>
</html>
`))

var titles = map[int]string{
	http.StatusBadRequest: "This request cannot be used", http.StatusUnauthorized: "Sign in first",
	http.StatusForbidden: "You may not do this", http.StatusNotFound: "Not found",
	http.StatusMethodNotAllowed: "This does not work here", http.StatusConflict: "This cannot be done now",
	http.StatusRequestEntityTooLarge: "This is too large", http.StatusUnprocessableEntity: "This cannot be done",
	http.StatusTooManyRequests: "Please wait", http.StatusInternalServerError: "Something went wrong",
}

// titleOf is a heading for a page about a failure with this status.
func titleOf(status int) string {
	if t, ok := titles[status]; ok {
		return t
	}
	return http.StatusText(status)
}

func errorPage(r *http.Request, p Problem) ([]byte, string) {
	var b bytes.Buffer
	err := errorTemplate.Execute(&b, struct{ Title, Text, ID string }{titleOf(p.Status), p.Text,
		RequestID(r.Context())})
	if err != nil {
		panic(err) // a buffer takes everything, and the template is our own
	}
	return b.Bytes(), errorCSP
}
