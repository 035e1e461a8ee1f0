package site

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/web/endpoint"
)

// Somebody of the staff sees what a student sees under /views/{id}, in front of the
// paths of the student's project: the same pages, read as the student by
// access.Permit. The address says so in every tab, and the session's own pages stay
// as they are beside it.

func (s *Server) viewRoutes() {
	form(s, links.Student+"/view", policy.SeeAsStudent, "See a project as its student does", s.startView,
		endpoint.Audited(audit.SeeAs))
	form(s, "/views/{id}/leave", policy.SignedIn, "Leave a view as a student", s.leaveView,
		endpoint.Audited(audit.SeeAs))
}

func (s *Server) startView(ctx context.Context, who *access.Caller, in studentIn) (endpoint.Drawing, error) {
	var v *ident.StudentView
	err := s.DB.Brief(ctx, func(q db.Q) (err error) {
		v, err = ident.StartView(ctx, q, who, in.ProjectID)
		return err
	})
	if err != nil {
		return nil, err
	}
	return endpoint.Redirect{To: viewPath(v.ID, v.ProjectID)}, nil
}

func viewPath(id, project int64) string { return fmt.Sprintf("/views/%d/projects/%d", id, project) }

func (s *Server) leaveView(ctx context.Context, who *access.Caller, in struct {
	ID int64 `path:"id"`
}) (endpoint.Drawing, error) {
	var v *ident.StudentView
	err := s.DB.Brief(ctx, func(q db.Q) (err error) {
		v, err = ident.EndView(ctx, q, who, in.ID)
		return err
	})
	if fault.Is(err, fault.Missing) {
		return endpoint.Redirect{To: home}, nil // it ended by itself
	}
	if err != nil {
		return nil, err
	}
	return endpoint.Redirect{To: links.To(links.Student, v.UnitID, v.ProjectID)}, nil
}

type viewKey struct{}

// asStudent gives the request for the page of a student's project that a path under
// /views names, as one of that view. Only reading is let through.
func asStudent(r *http.Request) (*http.Request, error) {
	rest, under := strings.CutPrefix(r.URL.Path, "/views/")
	id, path, _ := strings.Cut(rest, "/")
	view, _ := strconv.ParseInt(id, 10, 64) // 0 is no view
	if !under || view <= 0 || !strings.HasPrefix(path, "projects/") {
		return r, nil
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return r, fault.New(fault.Denied, "You look at this as the student does, so nothing can be changed here. Leave "+
			"the view first.")
	}
	to := *r.URL
	to.Path, to.RawPath = "/"+path, strings.TrimPrefix(r.URL.RawPath, "/views/"+id)
	next := r.WithContext(context.WithValue(r.Context(), viewKey{}, view))
	next.URL = &to
	return next, nil
}

// looking gives the caller as whom a request is made: who, or the student that who
// looks as.
func (s *Server) looking(r *http.Request, who *access.Caller) (*access.Caller, error) {
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

// ViewEnds is the time of day at which the look ends.
func (p *Page) ViewEnds() string { return p.View().ExpiresAt.UTC().Format("15:04") }

var (
	scriptTag = regexp.MustCompile(`<script [^>]*src="([^"]*)"[^>]*></script>\n?`)
	// forLooking are the scripts that only show.
	forLooking = []string{"document.js", "due.js"}

	postForm = regexp.MustCompile(`(?s)<form [^>]*method="post"[^>]*>.*?</form>`)
	control  = regexp.MustCompile(`<(button|input|select|textarea)\b`)
)

// throughView keeps the links of a page inside the view, and takes away what would act
// for the student: scripts, and the use of forms, which are shown all the same. In what
// html/template wrote, a quote or the beginning of a tag stands only where markup has
// one: those of people are escaped.
func throughView(l *Language, v *access.View, body []byte) []byte {
	leave := []byte(fmt.Sprintf(`action="/views/%d/leave"`, v.ID))
	body = postForm.ReplaceAllFunc(body, func(form []byte) []byte {
		if bytes.Contains(form, leave) {
			return form
		}
		return control.ReplaceAll(form, []byte(`<$1 disabled title="`+l.word("view.closed")+`"`))
	})
	from, to := fmt.Sprintf(`"/projects/%d`, v.ProjectID), `"`+viewPath(v.ID, v.ProjectID)
	for _, next := range []string{`"`, `/`, `?`, `#`} {
		body = bytes.ReplaceAll(body, []byte(from+next), []byte(to+next))
	}
	return scriptTag.ReplaceAllFunc(body, func(tag []byte) []byte {
		src := string(scriptTag.FindSubmatch(tag)[1])
		for _, name := range forLooking {
			if src == assetPath(name) {
				return tag
			}
		}
		return nil
	})
}
