package page

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
)

// Somebody of the staff sees what a student sees under /views/{id}, in front of the
// paths of the student's project: the same pages, read as the student by
// access.Permit. The address says so in every tab, and the session's own pages stay
// as they are beside it.

// ViewPath is where a project is seen as its student does.
func ViewPath(id, project int64) string { return fmt.Sprintf("/views/%d/projects/%d", id, project) }

type viewKey struct{}

// AsStudent gives the request for the page of a student's project that a path under
// /views names, as one of that view. Only reading is let through.
func AsStudent(r *http.Request) (*http.Request, error) {
	rest, under := strings.CutPrefix(r.URL.Path, "/views/")
	id, path, _ := strings.Cut(rest, "/")
	view, _ := strconv.ParseInt(id, 10, 64) // 0 is no view
	if !under || view <= 0 || !strings.HasPrefix(path, "projects/") {
		return r, nil
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return r, fault.New(fault.Denied, "You are viewing this as the student, so nothing can be changed. Leave the "+
			"view first.")
	}
	to := *r.URL
	to.Path, to.RawPath = "/"+path, strings.TrimPrefix(r.URL.RawPath, "/views/"+id)
	next := r.WithContext(context.WithValue(r.Context(), viewKey{}, view))
	next.URL = &to
	return next, nil
}

// Looking gives the caller as whom a request is made: who, or the student that who
// looks as.
func (s *Site) Looking(r *http.Request, who *access.Caller) (*access.Caller, error) {
	id, ok := r.Context().Value(viewKey{}).(int64)
	if !ok {
		return who, nil
	}
	return ident.Look(r.Context(), s.DB.Pool(), who, id)
}

// View is the look at a student's project that the page is part of; nil: it is none.
func (p *Page) View() *access.View {
	if p.Me == nil {
		return nil
	}
	return p.Me.View
}

var (
	scriptTag = regexp.MustCompile(`<script [^>]*src="([^"]*)"[^>]*></script>\n?`)
	// forLooking are the scripts that only show.
	forLooking = []string{"document.js", "dates.js"}

	postForm = regexp.MustCompile(`(?s)<form [^>]*method="post"[^>]*>.*?</form>`)
	control  = regexp.MustCompile(`<(button|input|select|textarea)\b`)
)

// throughView keeps the links of a page inside the view, and takes away what would act
// for the student: scripts, and the use of forms, which are shown all the same. In what
// html/template wrote, a quote or the beginning of a tag stands only where markup has
// one: those of people are escaped.
func (s *Site) throughView(v *access.View, body []byte) []byte {
	leave := []byte(fmt.Sprintf(`action="/views/%d/leave"`, v.ID))
	body = postForm.ReplaceAllFunc(body, func(form []byte) []byte {
		if bytes.Contains(form, leave) {
			return form
		}
		return control.ReplaceAll(form, []byte(`<$1 disabled title="`+s.Word("view.closed")+`"`))
	})
	from, to := fmt.Sprintf(`"/projects/%d`, v.ProjectID), `"`+ViewPath(v.ID, v.ProjectID)
	for _, next := range []string{`"`, `/`, `?`, `#`} {
		body = bytes.ReplaceAll(body, []byte(from+next), []byte(to+next))
	}
	return scriptTag.ReplaceAllFunc(body, func(tag []byte) []byte {
		src := string(scriptTag.FindSubmatch(tag)[1])
		for _, name := range forLooking {
			if src == s.house.asset(name) {
				return tag
			}
		}
		return nil
	})
}
