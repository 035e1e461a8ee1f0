package site

import (
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"lectern/internal/ground/links"
	"lectern/internal/web/httpserver"
	"lectern/internal/web/signin"
	"lectern/internal/web/site/page"
)

// signedOutPage is what people see who send a form after their session has ended.
type signedOutPage struct {
	Next  string   // where they were
	Words []string // what they typed: it is saved nowhere
	ID    string   // of the request
}

// typedFields are the fields of forms in which people write sentences.
var typedFields = []string{"title", "comment", "text", "reason", "description"}

// mostTyped is how much of a form is read for somebody who is not signed in.
const mostTyped = 64 << 10

// signedOut leads somebody back to where they were, and shows what they typed, so that
// it is not lost even where no script kept it.
func (s *Server) signedOut(w http.ResponseWriter, r *http.Request) *page.Page {
	v := signedOutPage{Next: s.cameFrom(r), ID: httpserver.RequestID(r.Context())}
	r.Body = http.MaxBytesReader(w, r.Body, mostTyped)
	form := typedIn(r)
	for _, name := range typedFields {
		v.Words = append(v.Words, form[name]...)
	}
	v.Words = slices.DeleteFunc(v.Words, func(text string) bool { return strings.TrimSpace(text) == "" })
	p := s.Refusal(nil, "signed-out", s.Word("signed-out.title"), v)
	p.Gate = true
	return p
}

// typedIn gives what a form says as far as it can be read. Texts come before the files of
// a form that has some, and the files are not waited for.
func typedIn(r *http.Request) url.Values {
	if parts, err := r.MultipartReader(); err == nil && r.PostForm == nil {
		return textsOf(parts)
	}
	if err := r.ParseForm(); err != nil {
		return nil
	}
	return r.PostForm
}

// textsOf gives the texts of a form that come before its first file.
func textsOf(parts *multipart.Reader) url.Values {
	out := url.Values{}
	for {
		part, err := parts.NextPart()
		if err != nil || part.FileName() != "" {
			return out
		}
		text, err := io.ReadAll(part)
		if err != nil {
			return out
		}
		out.Add(part.FormName(), string(text))
	}
}

// cameFrom is the page that a form was on. That of a plan is the answer to another form:
// the nearest page above it is the one to begin with.
func (s *Server) cameFrom(r *http.Request) string {
	u, err := url.Parse(r.Referer())
	if err != nil || u.Path == "" {
		return links.Home
	}
	to := url.URL{Path: u.Path, RawQuery: u.RawQuery}
	for !s.HTTP.Reads(to.Path) {
		to = url.URL{Path: path.Dir(to.Path)}
		if to.Path == "/" || to.Path == "." {
			return links.Home
		}
	}
	return signin.Inside(to.String())
}
