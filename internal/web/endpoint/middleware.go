package endpoint

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/web/httpserver"
)

type requestKey struct{}

// asked is the request that a handler answers, an empty one where there is none.
func asked(ctx context.Context) *http.Request {
	if r, ok := ctx.Value(requestKey{}).(*http.Request); ok {
		return r
	}
	return &http.Request{}
}

func header(ctx context.Context) http.Header { return asked(ctx).Header }

// LooksOnly tells whether a request asks for the head of an answer alone (HEAD), as programs do
// that look at a link before a person follows it: what is good once is not used up by that.
func LooksOnly(ctx context.Context) bool { return asked(ctx).Method == http.MethodHead }

// Token is the session token the caller sent, for the one endpoint that gives
// it back.
func Token(ctx context.Context) string { return tokenOf(header(ctx)) }

// LastEventID is where a client that heard events before says it was.
func LastEventID(ctx context.Context) string { return header(ctx).Get("Last-Event-ID") }

// Cookie is the value of a cookie of the request's, "" without it. No cookie tells
// the API who the caller is: it is for sign-ins elsewhere, which must come back to
// the browser that they left.
func Cookie(ctx context.Context, name string) string {
	c, err := (&http.Request{Header: header(ctx)}).Cookie(name)
	if err != nil {
		return ""
	}
	return c.Value
}

// FromForm tells whether a page's form sent the request, as a browser does at the
// end of a sign-in elsewhere: what it gets is shown to a person.
func FromForm(ctx context.Context) bool {
	return httpserver.Names(&http.Request{Header: header(ctx)}, "text/html")
}

// ServeHTTP implements http.Handler, for whoever needs no other face.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.HTTP.ServeHTTP(w, r) }

// Begin implements httpserver.Face: configured origins are let in, and a path may
// end in .json.
func (s *Server) Begin(w http.ResponseWriter, r *http.Request) (next *http.Request, done bool) {
	if s.cors(w, r) {
		return r, true
	}
	if p := r.URL.EscapedPath(); p != "/api/openapi.json" {
		r = httpserver.AtPath(r, strings.TrimSuffix(p, ".json"))
	}
	return r, false
}

// Explain implements httpserver.Face: an API tells its errors in JSON, whatever
// the caller accepts, but for the endpoints that browsers come to by themselves.
func (s *Server) Explain(w http.ResponseWriter, r *http.Request, p httpserver.Problem) {
	if slices.ContainsFunc(s.routes, func(i *Info) bool { return i.forBrowsers && r.Pattern == i.Method+" "+i.Path }) {
		httpserver.ExplainPlainly(w, r, p)
		return
	}
	httpserver.JSON(w, p.Status, p)
}

// cors answers preflights and lets the configured origins in. Credentials are
// headers of ours, never cookies, so no origin gains what it does not send.
func (s *Server) cors(w http.ResponseWriter, r *http.Request) (done bool) {
	origin := r.Header.Get("Origin")
	if origin == "" || !slices.Contains(s.Origins, origin) {
		return false
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", origin)
	h.Add("Vary", "Origin")
	h.Set("Access-Control-Expose-Headers", "Content-Disposition, ETag, Location, X-Total-Count, "+
		"X-Request-Id, Retry-After")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE")
	h.Set("Access-Control-Allow-Headers", "Username, Auth_Token, Auth-Token, Content-Type, Accept, Range, "+
		"Idempotency-Key, If-Match, If-None-Match, Last-Event-ID")
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}

// sentHere refuses what a page of another site makes a browser send, unless the
// endpoint is for that or the site is one of the configured origins. No cookie counts
// under /api, so it could do little; but nobody has a use for it either.
func (s *Server) sentHere(r *http.Request, i *Info) error {
	if i.forBrowsers || r.Method == http.MethodGet || r.Method == http.MethodHead ||
		r.Header.Get("Sec-Fetch-Site") != "cross-site" || slices.Contains(s.Origins, r.Header.Get("Origin")) {
		return nil
	}
	return fault.New(fault.Denied, "This was sent by a page of another site. An administrator can allow its origin "+
		"(--allow-origins).")
}

// caller finds out who asks, and from where.
func (s *Server) caller(r *http.Request, i *Info, on access.Scope) (*access.Caller, error) {
	if err := s.sentHere(r, i); err != nil {
		return nil, err
	}
	who, err := s.signedIn(r, i.Right.Allows(policy.Visitor), on)
	if err != nil {
		return nil, err
	}
	who.RequestID, who.From = httpserver.RequestID(r.Context()), httpserver.Address(r.Context())
	who.Agent = r.UserAgent()
	if s.Asked != nil {
		who.Asked = func(r *policy.Right) { s.Asked(i, r) }
	}
	return who, nil
}

// signedIn finds the user whose credentials the request has. Public endpoints
// take wrong credentials for none: a browser with an old session must still reach
// the sign-in page. One that must set up a second factor first is nobody there.
func (s *Server) signedIn(r *http.Request, public bool, on access.Scope) (*access.Caller, error) {
	who, err := s.Credentials(r, on)
	if public && (fault.Is(err, fault.Unknown) || err == nil && who.Enrolling) {
		return &access.Caller{}, nil
	}
	return who, err
}

// fromHeaders finds whoever the headers of the API name.
func (s *Server) fromHeaders(r *http.Request, on access.Scope) (*access.Caller, error) {
	name, token := r.Header.Get("Username"), tokenOf(r.Header)
	if name == "" || token == "" {
		return nil, fault.New(fault.Unknown, "Sign in first: send the headers Username and Auth_Token.")
	}
	return s.Authenticate(r.Context(), name, token, on)
}

func tokenOf(h http.Header) string {
	if token := h.Get("Auth_Token"); token != "" {
		return token
	}
	return h.Get("Auth-Token")
}
