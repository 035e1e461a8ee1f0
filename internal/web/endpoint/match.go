package endpoint

import (
	"context"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/platform/db"
	"lectern/internal/web/httpserver"
	"lectern/internal/web/params"
)

// tagList is what If-Match or If-None-Match says.
type tagList struct {
	given bool
	any   bool // an asterisk: whatever there is
	tags  []string
}

func tagsOf(r *http.Request, header string) (l tagList) {
	text := strings.Join(r.Header.Values(header), ",")
	l.given = strings.TrimSpace(text) != ""
	for text = strings.Trim(text, " \t,"); text != ""; text = strings.TrimLeft(text, " \t,") {
		if text[0] == '*' {
			l.any, text = true, text[1:]
			continue
		}
		start := strings.IndexByte(text, '"')
		end := -1
		if start >= 0 {
			end = strings.IndexByte(text[start+1:], '"')
		}
		if end < 0 {
			return l // no tag; nothing has it
		}
		l.tags = append(l.tags, strings.TrimSpace(text[:start+end+2]))
		text = text[start+end+2:]
	}
	return l
}

const gzipTag = `-gzip"`

// codedTag gives the tag of an answer of n bytes in the coding that the client gets it in:
// the bytes differ, and so must the tags.
func codedTag(tag string, r *http.Request, n int) string {
	if httpserver.Packs(r, n) {
		return strings.TrimSuffix(tag, `"`) + gzipTag
	}
	return tag
}

// names gives the tag in the list that is one of an answer's, in whatever coding; empty
// without. A weak one says too little where strong is asked for (RFC 9110, 8.8.3.2).
func (l tagList) names(tag string, strong bool) string {
	if l.any {
		return tag
	}
	for _, one := range l.tags {
		plain := one
		if !strong {
			plain = strings.TrimPrefix(one, "W/")
		}
		if plain == tag || strings.TrimSuffix(plain, gzipTag)+`"` == tag {
			return plain
		}
	}
	return ""
}

// present tells the tag of what a GET of the same path would answer, empty where it would
// answer with none or nothing is there.
type present func(ctx context.Context, who *access.Caller, r *http.Request) (string, error)

// presentBy gives present of an endpoint that answers with a tag.
func presentBy[In, Out any](s *Server, i *Info, h func(context.Context, *access.Caller, In) (Out, error)) present {
	return func(ctx context.Context, who *access.Caller, r *http.Request) (string, error) {
		var in In
		if new(params.Set).Decode(&in, r.PathValue) != nil {
			return "", nil //nolint:nilerr // it asks for more than stands in the path
		}
		scope, err := scopeOf(i.scope, reflect.ValueOf(&in).Elem())
		if err == nil {
			who, err = access.Permit(ctx, s.DB.Pool(), *who, scope, i.Right)
		}
		var out Out
		if err == nil {
			out, err = h(ctx, who, in)
		}
		if fault.Is(err, fault.Missing) || fault.Is(err, fault.Denied) {
			return "", nil // nothing is there that the caller could have seen
		}
		if err != nil {
			return "", err
		}
		if f, ok := any(out).(*File); ok {
			return f.ETag, f.close()
		}
		whose := strconv.FormatInt(who.ID, 10)
		if i.shown != nil {
			s, err := i.shown(ctx, who, &in)
			if err != nil {
				return "", err
			}
			whose = s.Key
		}
		a := held{header: http.Header{}}
		s.answer(&a, r, i, out)
		return a.tag(whose), nil
	}
}

// close lets go of a file that is not sent.
func (f *File) close() error {
	if c, ok := f.Content.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// tagged gives the GET of the endpoint's path if that answers with an ETag and the endpoint
// changes or deletes it.
func (s *Server) tagged(i *Info) *Info {
	if i.Method != http.MethodPut && i.Method != http.MethodDelete {
		return nil
	}
	return s.tags[i.Path]
}

// onlyIf holds a request to its If-Match and If-None-Match: at once, and first thing in the
// transaction that writes, which holds the record so that nobody changes it in between.
func (s *Server) onlyIf(ctx context.Context, i *Info, r *http.Request, scope access.Scope,
	who *access.Caller) (context.Context, error) {
	get, match, none := s.tagged(i), tagsOf(r, "If-Match"), tagsOf(r, "If-None-Match")
	if get == nil || !match.given && !none.given {
		return ctx, nil
	}
	reader := *who
	reader.Asked = nil // it is not the endpoint that asks for the rights of the GET
	check := func(ctx context.Context) error {
		tag, err := get.present(ctx, &reader, r)
		if err != nil {
			return err
		}
		if match.given && (tag == "" || match.names(tag, true) == "") ||
			none.given && tag != "" && none.names(tag, false) != "" {
			return fault.New(fault.Stale, "This has changed since you loaded it, so nothing was saved. Load it again "+
				"and repeat your change.")
		}
		return nil
	}
	if err := check(ctx); err != nil {
		return ctx, err
	}
	done := false
	return db.AlsoGuarded(ctx, func(ctx context.Context, q db.Q) error {
		if done { // the request writes again after what it wrote itself
			return nil
		}
		if err := holdRecord(ctx, q, scope); err != nil {
			return err
		}
		q.After(func() { done = true })
		return check(db.Inside(ctx, q))
	}), nil
}

// holdRecord lets whoever else changes the record wait.
func holdRecord(ctx context.Context, q db.Q, s access.Scope) error {
	switch {
	case s.Task != 0:
		return db.Lock(ctx, q, "tasks", s.Task)
	case s.Project != 0:
		return db.Lock(ctx, q, "projects", s.Project)
	case s.Definition != 0:
		return db.Lock(ctx, q, "task_definitions", s.Definition)
	}
	return db.Lock(ctx, q, "units", s.Unit)
}
