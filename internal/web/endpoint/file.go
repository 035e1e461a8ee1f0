package endpoint

import (
	"context"
	"io"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/files"
	"lectern/internal/web/httpserver"
)

// File is a download. Content is closed when it has been sent.
type File struct {
	Content    io.ReadSeeker         // served with ranges
	Write      func(io.Writer) error // instead of Content: made while it is sent
	ready      func() error          // asked before Write: what it fails with is answered instead
	Name       string                // for Content-Disposition
	Type       string
	Modified   time.Time
	ETag       string // with its quotes
	Attachment bool
	Page       bool   // HTML made by us of escaped text, without scripts: a browser may show it
	Cache      string // Cache-Control; no-store when empty
}

// FromStore is a file of a store, handed out as another one says, with ranges. It fails with
// fault.Missing where the store has no such file.
func FromStore(ctx context.Context, store files.Store, hash files.Hash, as File) (*File, error) {
	content, err := store.Open(ctx, hash)
	if err != nil {
		return nil, err
	}
	as.Content, as.ETag = content, `"`+string(hash)+`"`
	return &as, nil
}

// Zip is an archive that is packed of stored files while it is sent. That one of them is lost
// is answered before anything is sent; later it could only break off.
func Zip(ctx context.Context, store files.Store, hashes []files.Hash, name string, pack func(io.Writer) error) *File {
	ready := func() error {
		err := files.Present(ctx, store, hashes)
		if fault.Is(err, fault.Missing) {
			return &fault.Error{Kind: fault.Missing, Err: err,
				Text: "A file is missing from the file store. Tell an administrator."}
		}
		return err
	}
	return &File{Name: name, Type: "application/zip", Attachment: true, ready: ready, Write: pack}
}

// Confirm fails where what the download is made of is lost. It is asked before anything is sent,
// and earlier by who puts the download on record first.
func (f *File) Confirm() error {
	if f.ready == nil {
		return nil
	}
	err := f.ready()
	if err == nil {
		f.ready = nil
	}
	return err
}

// token is what needs no quotes in a header (RFC 9110, 5.6.2); escapes is what some clients
// would read as another character all the same (RFC 6266, appendix D).
var (
	token   = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")
	escapes = regexp.MustCompile("%[0-9A-Fa-f]{2}")
)

// Disposition is a Content-Disposition for name, whatever characters it has: without quotes
// where it needs none.
func Disposition(name string, attachment bool) string {
	kind := "inline"
	if attachment {
		kind = "attachment"
	}
	if token.MatchString(name) && !escapes.MatchString(name) {
		return kind + "; filename=" + name
	}
	plain := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || strings.ContainsRune(`"\/;%`, r) {
			return '_'
		}
		return r
	}, name)
	v := kind + `; filename="` + plain + `"`
	if plain != name {
		v += "; filename*=UTF-8''" + strings.ReplaceAll(url.QueryEscape(name), "+", "%20")
	}
	return v
}

// active are the types a browser would run or render as a page of ours.
func active(kind string) bool {
	m, _, _ := mime.ParseMediaType(kind)
	return strings.HasSuffix(m, "html") || strings.HasSuffix(m, "xml") || strings.Contains(m, "script")
}

func (s *Server) sendFile(w http.ResponseWriter, r *http.Request, status int, f *File) {
	if err := f.Confirm(); err != nil {
		s.HTTP.Fail(w, r, err)
		return
	}
	h := w.Header()
	httpserver.Guard(h, httpserver.Download)
	h.Set("Content-Type", f.Type)
	h.Set("Content-Disposition", Disposition(f.Name, f.Attachment || active(f.Type) && !f.Page))
	h.Set("Access-Control-Expose-Headers", "Content-Disposition")
	if f.Cache != "" {
		h.Set("Cache-Control", f.Cache)
	}
	if f.ETag != "" {
		h.Set("ETag", f.ETag)
	}
	w, sent := s.HTTP.Sending(w)
	defer sent()
	if f.Write != nil {
		w.WriteHeader(status)
		if err := f.Write(w); err != nil {
			s.HTTP.Log.ErrorContext(r.Context(), "a download broke off", "name", f.Name, "err", err)
			panic(http.ErrAbortHandler)
		}
		return
	}
	if c, ok := f.Content.(io.Closer); ok {
		defer c.Close()
	}
	guard := &rangeGuard{ResponseWriter: w}
	http.ServeContent(guard, r, "", f.Modified, f.Content)
	if guard.refused {
		for _, name := range []string{"Content-Disposition", "Content-Length"} {
			h.Del(name)
		}
		httpserver.Guard(h, httpserver.Data)
		s.Explain(w, r, httpserver.Problem{Status: http.StatusRequestedRangeNotSatisfiable,
			Code: "range_not_satisfiable",
			Text: "The file does not have the part that was asked for; Content-Range says how long it is."})
	}
}

// rangeGuard keeps back the plain text that refuses a range beyond the end of a
// file, so that it is refused in JSON like everything else.
type rangeGuard struct {
	http.ResponseWriter
	refused bool
}

func (g *rangeGuard) WriteHeader(status int) {
	if g.refused = status == http.StatusRequestedRangeNotSatisfiable; !g.refused {
		g.ResponseWriter.WriteHeader(status)
	}
}

func (g *rangeGuard) Write(b []byte) (int, error) {
	if g.refused {
		return len(b), nil
	}
	return g.ResponseWriter.Write(b)
}
