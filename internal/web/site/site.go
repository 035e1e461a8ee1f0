// Package site is the HTML face of the service: the pages people open in a
// browser. A page is declared like an endpoint, with its right, and calls use
// cases and reads, never the JSON face.
package site

import (
	"cmp"
	"net/http"
	"net/url"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/httpserver"
	"lectern/internal/web/live"
	"lectern/internal/web/signin"
	"lectern/internal/web/site/account"
	"lectern/internal/web/site/admin"
	"lectern/internal/web/site/marking"
	"lectern/internal/web/site/page"
	"lectern/internal/web/site/student"
	"lectern/internal/web/site/styleguide"
	"lectern/internal/web/site/unit"
)

// rooms are where the pages are, by who uses them.
var rooms = page.NewHouse(account.Room, student.Room, marking.Room, unit.Room, admin.Room, styleguide.Room)

// Config is what the site stands on.
type Config struct {
	endpoint.Config
	SignIn   *signin.Service  // nil: by passwords kept here alone
	Events   *live.Events     // what open pages hear; nil: nothing happens
	Usecases *usecase.Service // nil where nothing is served but what is declared
	Words    *page.Language   // what pages speak; nil is what the service does
	// Styleguide shows the page of all components.
	Styleguide bool
	rooms      *page.House // nil: those of this site
}

// Server answers every request that is not for the API.
type Server struct {
	*page.Site
	events *live.Events
	cross  *http.CrossOriginProtection
}

// New makes the site and declares its pages.
func New(c Config) *Server {
	if c.Usecases == nil {
		c.Usecases = usecase.New(usecase.Config{})
	}
	if c.SignIn == nil {
		c.SignIn = signin.New(signin.Config{Usecases: c.Usecases, Pages: true})
	}
	if c.Events == nil {
		c.Events = live.New(live.Config{DB: c.DB})
	}
	now := clock.Real // where there is no database, as in tests of the components
	if c.DB != nil {
		now = func() time.Time { return c.DB.Now().Time }
	}
	s := &Server{Site: &page.Site{SignIn: c.SignIn, Usecases: c.Usecases, Words: cmp.Or(c.Words, page.Spoken()),
		Now: now, Styleguide: c.Styleguide},
		events: c.Events, cross: http.NewCrossOriginProtection()}
	c.Credentials = s.credentials
	s.Server = endpoint.For(c.Config)
	s.HTTP.AddFace("/", s)
	s.liveRoutes()
	cmp.Or(c.rooms, rooms).Open(s.Site)
	return s
}

// credentials finds the caller by the session cookie.
func (s *Server) credentials(r *http.Request, on access.Scope) (*access.Caller, error) {
	who, err := s.SignIn.Caller(r, on)
	if err != nil {
		return nil, err
	}
	return s.Looking(r, who)
}

// Begin implements httpserver.Face: a form that another site sends is refused, and
// what is asked for in a view as a student is asked for as that student.
func (s *Server) Begin(w http.ResponseWriter, r *http.Request) (next *http.Request, done bool) {
	if err := s.cross.Check(r); err != nil && !s.own(r) {
		s.HTTP.Fail(w, r, fault.New(fault.Denied, "This was sent by a page of another site. Open the page here and "+
			"try again."))
		return r, true
	}
	next, err := page.AsStudent(r)
	if err != nil {
		s.HTTP.Fail(w, r, err)
		return r, true
	}
	return next, false
}

// own tells whether a request that looks like another site's comes from the public
// address: a proxy may have changed the host the browser spoke to.
func (s *Server) own(r *http.Request) bool {
	public := s.Usecases.PublicURL
	return public != "" && r.Header.Get("Sec-Fetch-Site") == "" && r.Header.Get("Origin") == public
}

// Explain implements httpserver.Face: people get a page, programs JSON. Whoever
// is not signed in is led to the sign-in and back.
func (s *Server) Explain(w http.ResponseWriter, r *http.Request, p httpserver.Problem) {
	browser := httpserver.Prefers(r, "application/json", "text/html") == "text/html"
	w.Header().Add("Vary", "Accept")
	switch {
	case !browser:
		httpserver.JSON(w, p.Status, p)
	case p.Status == http.StatusUnauthorized && r.Method == http.MethodGet:
		to := "/sign-in?" + url.Values{"next": {r.URL.RequestURI()}}.Encode()
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusSeeOther)
	case p.Status == http.StatusUnauthorized:
		s.signedOut(w, r).Draw(w, r, p.Status)
	default:
		s.Refusal(s.optionalCaller(r, p.Status), "error", s.Words.Refusal(p.Status), failureOf(r, p)).Draw(w, r, p.Status)
	}
}

// optionalCaller is signed in while a request is refused, so that the page around the
// refusal is theirs; nobody where that may be what is wrong.
func (s *Server) optionalCaller(r *http.Request, refused int) *access.Caller {
	if refused == http.StatusUnauthorized || refused == http.StatusTooManyRequests ||
		refused >= http.StatusInternalServerError {
		return nil
	}
	who, err := s.credentials(r, access.Scope{})
	if err != nil {
		who, err = s.SignIn.Caller(r, access.Scope{}) // a view as a student has ended
	}
	if err != nil {
		return nil
	}
	return who
}
