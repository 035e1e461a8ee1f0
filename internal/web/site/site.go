// Package site is the HTML face of the service: the pages people open in a
// browser. A page is declared like an endpoint, with its right, and calls use
// cases and reads, never the JSON face.
package site

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/work"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/httpserver"
)

// Config is what the site stands on.
type Config struct {
	endpoint.Config
	Product   string // name of the service as people see it
	PublicURL string // where people reach the service; decides on the cookie's name
	Doors     Doors
	Usecases  *usecase.Service
	MostFile  int64     // bytes of a file of a submission
	MostMedia int64     // bytes of an attachment of a comment
	Words     *Language // what pages speak; nil is English
}

// Doors are the ways in and out that pages share with the API, so that both let
// the same people in and count the same guesses.
type Doors interface {
	// SignIn opens a session by a password and gives its token.
	SignIn(ctx context.Context, t ident.Try) (*ident.SignedIn, error)
	// Ways lists where people sign in elsewhere, to come back to the page next, and gives
	// the cookie by which they are known for those who left; nil: none is needed.
	Ways(ctx context.Context, next string) ([]ident.Way, *http.Cookie)
	// SignoutURL is where a sign-out goes on to elsewhere; "" for nowhere.
	SignoutURL() string
	// Passwords are the service's one way to prove and change them.
	Passwords() *ident.Passwords
	// Forgot sends a link to choose a new password, and never says whether there is
	// such an account.
	Forgot(ctx context.Context, who *access.Caller, username string) error
	// ChangeAccount changes the caller's own account; the password proves that an
	// address is theirs to change.
	ChangeAccount(ctx context.Context, who *access.Caller, c ident.Change, password string) error
	// ConfirmAddress makes an address a person's own by the token of a link, which
	// it uses up.
	ConfirmAddress(ctx context.Context, token string) error
	// Declaration is what whoever hands work in states by doing so.
	Declaration() string
	// Listen gives the events that a caller may hear, after the number of the last
	// one they saw.
	Listen(ctx context.Context, who *access.Caller, last string) (endpoint.Live, error)
	// FeedbackReady lets students know that these tasks were marked.
	FeedbackReady(ctx context.Context, q db.Q, taskIDs ...int64) error
}

// Server answers every request that is not for the API.
type Server struct {
	*endpoint.Server
	product   string
	publicURL string
	doors     Doors
	usecases  *usecase.Service
	mostFile  int64
	mostMedia int64
	words     *Language
	cross     *http.CrossOriginProtection
	cookie    string // its name
}

// New makes the site and declares its pages.
func New(c Config) *Server {
	s := &Server{product: c.Product, publicURL: strings.TrimSuffix(c.PublicURL, "/"), doors: c.Doors,
		usecases: c.Usecases, mostFile: cmp.Or(c.MostFile, submit.MostFile), mostMedia: cmp.Or(c.MostMedia, work.MaxMedia),
		words: cmp.Or(c.Words, english), cross: http.NewCrossOriginProtection(),
		cookie: "lectern"}
	if s.secure() {
		s.cookie = "__Host-lectern"
	}
	c.Credentials = s.credentials
	s.Server = endpoint.For(c.Config)
	s.HTTP.AddFace("/", s)
	s.assetRoutes()
	s.liveRoutes()
	s.newsRoutes()
	s.receiptRoutes()
	s.accountRoutes()
	s.homeRoutes()
	s.profileRoutes()
	s.profileFormRoutes()
	s.oldRoutes()
	s.helpRoutes()
	s.projectRoutes()
	s.planRoutes()
	s.calendarRoutes()
	s.portfolioRoutes()
	s.outcomeRoutes()
	s.tutorialRoutes()
	s.groupRoutes()
	s.taskRoutes()
	s.studentRoutes()
	s.studentPageRoutes()
	s.acrossRoutes()
	s.viewRoutes()
	s.historyRoutes()
	s.deletedRoutes()
	s.assessmentRoutes()
	s.inboxRoutes()
	s.verdictsRoutes()
	s.extensionRoutes()
	s.promiseRoutes()
	s.offlineRoutes()
	s.deskRoutes()
	s.snippetRoutes()
	s.noteRoutes()
	return s
}

// page declares a page that is read.
func page[In any](s *Server, path string, right policy.Rule, title string,
	h func(ctx context.Context, who *access.Caller, in In) (*Page, error), opts ...endpoint.Option) {
	endpoint.Route(s.Server, "GET "+path, http.StatusOK, right, title, h, opts...)
}

// form declares what a form of a page does: it leads to another page, or draws
// the form again with what was wrong.
func form[In any](s *Server, path string, right policy.Rule, title string,
	h func(ctx context.Context, who *access.Caller, in In) (endpoint.Drawing, error), opts ...endpoint.Option) {
	endpoint.Route(s.Server, "POST "+path, http.StatusSeeOther, right, title, h, opts...)
}

// secure tells whether browsers reach the site by https.
func (s *Server) secure() bool { return strings.HasPrefix(s.publicURL, "https://") }

// credentials finds the caller by the session cookie.
func (s *Server) credentials(r *http.Request, on access.Scope) (*access.Caller, error) {
	who, err := s.signedIn(r, on)
	if err != nil {
		return nil, err
	}
	return s.looking(r, who)
}

// signedIn is whose session a request brings.
func (s *Server) signedIn(r *http.Request, on access.Scope) (*access.Caller, error) {
	c, err := r.Cookie(s.cookie)
	if err != nil || c.Value == "" {
		return nil, fault.New(fault.Unknown, "Sign in first.")
	}
	return ident.AttendToken(r.Context(), s.DB, c.Value, on)
}

// session is the cookie that holds a session's token; an empty one removes it. It
// lasts as long as the browser, or as the longest session.
func (s *Server) session(token string, remember bool) *http.Cookie {
	c := &http.Cookie{Name: s.cookie, Value: token, Path: "/", HttpOnly: true, Secure: s.secure(),
		SameSite: http.SameSiteLaxMode}
	switch {
	case token == "":
		c.MaxAge = -1
	case remember:
		c.MaxAge = int(access.Lifetime(policy.Student, true).Seconds())
	}
	return c
}

// Enter sends a browser that signed in elsewhere on to the page it wanted, with its
// session.
func (s *Server) Enter(token, next string) endpoint.Redirect {
	return endpoint.Redirect{To: inside(next), Cookies: []*http.Cookie{s.session(token, false)}}
}

// Begin implements httpserver.Face: a form that another site sends is refused, and
// what is asked for in a view as a student is asked for as that student.
func (s *Server) Begin(w http.ResponseWriter, r *http.Request) (next *http.Request, done bool) {
	if err := s.cross.Check(r); err != nil && !s.own(r) {
		s.HTTP.Fail(w, r, fault.New(fault.Denied, "This was sent by a page of another site. Open the page here and "+
			"try again."))
		return r, true
	}
	next, err := asStudent(r)
	if err != nil {
		s.HTTP.Fail(w, r, err)
		return r, true
	}
	return next, false
}

// own tells whether a request that looks like another site's comes from the public
// address: a proxy may have changed the host the browser spoke to.
func (s *Server) own(r *http.Request) bool {
	return s.publicURL != "" && r.Header.Get("Sec-Fetch-Site") == "" && r.Header.Get("Origin") == s.publicURL
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
		e := &Page{site: s, Me: s.whoever(r, p.Status), name: "error", Title: s.words.refusal(p.Status),
			Data: struct{ Text, ID string }{p.Text, httpserver.RequestID(r.Context())}}
		e.Draw(w, r, p.Status)
	}
}

// whoever is signed in while a request is refused, so that the page around the
// refusal is theirs; nobody where that may be what is wrong.
func (s *Server) whoever(r *http.Request, refused int) *access.Caller {
	if refused == http.StatusUnauthorized || refused == http.StatusTooManyRequests ||
		refused >= http.StatusInternalServerError {
		return nil
	}
	who, err := s.credentials(r, access.Scope{})
	if err != nil {
		who, err = s.signedIn(r, access.Scope{}) // a view as a student has ended
	}
	if err != nil {
		return nil
	}
	return who
}

// inside gives a path of this site that somebody may be led to, and the home page
// where next is none: another site must not be reached by a link of ours.
func inside(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || !strings.HasPrefix(next, "/") ||
		strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\r\n\t") || strings.HasPrefix(next, "/api") {
		return home
	}
	return next
}
