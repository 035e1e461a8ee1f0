// Package endpoint is the machinery of the faces: one declaration per endpoint, or
// page, drives its routing, decoding, permission check, answer and documentation.
package endpoint

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/web/httpserver"
	"lectern/internal/web/params"
)

// Authenticate finds the user a name and a token belong to; a fault.Unknown
// when there is none. On is the record the request is about, as far as that is known,
// so that what the user is there can be found in one go.
type Authenticate func(ctx context.Context, username, token string, on access.Scope) (*access.Caller, error)

// Config is what a Server stands on.
type Config struct {
	HTTP         *httpserver.Server // what the endpoints are added to; one of its own when nil
	DB           *db.DB
	Authenticate Authenticate
	Credentials  Credentials   // where a face finds them; the headers of the API when nil
	Spool        string        // directory for uploads on their way
	Room         *params.Spool // what they may hold of the disk; nil for no bound
	Origins      []string      // other origins whose pages may call the API
	Version      string
	Words        Words                      // what the document says about names
	Operations   map[string]string          // what it calls the endpoints, by method and path
	Schemas      map[string]string          // what it calls the records, by package and type
	Examples     map[string]json.RawMessage // of bodies, by the name of the operation
	Tags         []Tag                      // how it groups them
	Now          clock.Clock                // counts what people used of allowances; the machine's when nil
	// Asked, where it is set, hears of every right a request is asked for, for the
	// test that compares them with those its endpoint declares.
	Asked func(*Info, *policy.Right)
}

// Server routes requests to the declared endpoints.
type Server struct {
	Config
	routes []*Info
	bulk   bulk
	polls  polls
	ledger *ledger
	tags   map[string]*Info // the endpoints that answer with an ETag, by path
}

// Credentials finds who sent a request about a record; fault.Unknown when it does not
// say, or says what is wrong.
type Credentials func(r *http.Request, on access.Scope) (*access.Caller, error)

// New makes a Server without endpoints: the face of every path under /api.
func New(c Config) *Server {
	s := For(c)
	s.HTTP.AddFace("/api", s)
	return s
}

// For makes a Server without endpoints for a face that begins and explains its
// requests itself.
func For(c Config) *Server {
	if c.HTTP == nil {
		c.HTTP = httpserver.New(httpserver.Config{})
	}
	s := &Server{Config: c, bulk: newBulk(), polls: polls{db: c.DB}, ledger: newLedger(c.Now),
		tags: map[string]*Info{}}
	if s.Credentials == nil {
		s.Credentials = s.fromHeaders
	}
	return s
}

// Info is an endpoint as declared, for whatever is derived from the list of
// them: documentation, the table of rights, the tests that walk every route.
type Info struct {
	Method, Path, Summary string
	Status                int
	Right                 policy.Rule
	Inside                []*policy.Right // further rights, for single parameters or parts of the answer
	In, Out               reflect.Type
	Extra                 map[int]string // further answers, by status
	Audit                 []audit.Kind   // of the entries that a success writes, at least one of one of them
	Unaudited             string         // why a success writes none
	Allowance             *Allowance     // what each use draws on; nil: nothing
	limits                params.Limits
	accepts               func(ctx context.Context, who *access.Caller, in any) (func(field string) error, error)
	again                 any // see Again
	location              string
	scope                 []scopeField
	shown                 func(context.Context, *access.Caller, any) (Shown, error) // of a polled one; see PolledBy
	polled                bool
	present               present // of one that answers with an ETag
	guarded               bool    // it heeds If-Match; known once all are declared
	forBrowsers           bool
	names                 map[string]string // of inputs, by the names the domain has for them
	sends                 []string          // types of content of a download
	kept                  bool              // the download is a stored file: it has parts and a tag
	shapes                map[string]reflect.Type
}

// Routes gives the declared endpoints in order of declaration.
func (s *Server) Routes() []*Info { return s.routes }

// Option adds to the declaration of an endpoint.
type Option func(*Info)

// Uploads lets an endpoint take files: n of at most so many bytes each.
func Uploads(n int, most int64) Option {
	return func(i *Info) { i.limits.Files, i.limits.File, i.limits.Total = n, most, int64(n)*most+8*bounds.MB }
}

// MostBody is how many bytes a request may have beside its head.
func (i *Info) MostBody() int64 { return max(i.limits.Total, i.limits.JSON) }

// Raw gives an endpoint the body as it came, of at most so many bytes, in a field of
// type params.Body.
func Raw(most int64) Option { return func(i *Info) { i.limits.Raw, i.limits.JSON = true, most } }

// Location names where a created record is found, such as
// "/api/units/{unit_id}/outcomes/{.id}": {name} is a value of the request's
// path, {.name} a field of the answer.
func Location(template string) Option { return func(i *Info) { i.location = template } }

// Stored says which types of content an endpoint's downloads have. They are files
// that are kept, so a part of one can be asked for.
func Stored(types ...string) Option {
	return func(i *Info) { i.sends, i.kept = types, true }
}

// Made is Stored for downloads that are made while they are sent, whole.
func Made(types ...string) Option { return func(i *Info) { i.sends = types } }

// Shaped says that the input of that name, which the handler takes as JSON text to
// check it more closely, holds a T.
func Shaped[T any](name string) Option {
	return func(i *Info) {
		if i.shapes == nil {
			i.shapes = map[string]reflect.Type{}
		}
		i.shapes[name] = reflect.TypeFor[T]()
	}
}

// Created is the template of where a created record is found; empty where the
// endpoint tells no address.
func (i *Info) Created() string { return i.location }

// Unshaped gives the names of the inputs that are JSON of any shape.
func (i *Info) Unshaped() (names []string) {
	raw := reflect.TypeFor[json.RawMessage]()
	var look func(prefix string, t reflect.Type)
	look = func(prefix string, t reflect.Type) {
		for _, f := range params.Fields(t) {
			name := f.Name
			if prefix != "" {
				name = prefix + "[" + f.Name + "]"
			}
			if f.Elem == raw && i.shapes[name] == nil {
				names = append(names, name)
			}
			if f.In == "param" && nested(f.Elem) {
				look(name, f.Elem)
			}
		}
	}
	look("", i.In)
	return names
}

// Audited says that a success is written to the audit log, as an entry of one of
// the kinds. The domain writes it; this declares it, and tests hold both together.
func Audited(kinds ...audit.Kind) Option { return func(i *Info) { i.Audit = kinds } }

// Unaudited says why an endpoint that changes something leaves no entry in the
// audit log.
func Unaudited(reason string) Option { return func(i *Info) { i.Unaudited = reason } }

// Also documents a status the endpoint can answer beside its success and those
// that every endpoint has.
func Also(status int, what string) Option {
	return func(i *Info) {
		if i.Extra == nil {
			i.Extra = map[int]string{}
		}
		i.Extra[status] = what
	}
}

// ForBrowsers says that browsers come to an endpoint by themselves, at the end of a
// sign-in elsewhere: it takes forms of other sites, and what goes wrong is told as a
// page.
func ForBrowsers() Option { return func(i *Info) { i.forBrowsers = true } }

// Asks names further rights the handler asks for: for single parameters, or to
// tell what it shows. Whoever lacks one can still call the endpoint.
func Asks(rights ...*policy.Right) Option {
	return func(i *Info) { i.Inside = append(i.Inside, rights...) }
}

// Route declares an endpoint: In is decoded from the request, the right is
// checked on the record that In's scope tags name, and Out is the answer.
//
// A field of In tagged scope:"unit" (user, role, tutorial, group_set, group,
// project, definition, task, learning_alignment,
// verdict, verdict_batch) holds the id of a record the right is about.
func Route[In, Out any](s *Server, pattern string, status int, right policy.Rule, summary string,
	h func(ctx context.Context, who *access.Caller, in In) (Out, error), opts ...Option) {
	method, path, _ := strings.Cut(pattern, " ")
	i := &Info{Method: method, Path: path, Summary: summary, Status: status, Right: right,
		In: reflect.TypeFor[In](), Out: reflect.TypeFor[Out]()}
	for _, o := range opts {
		o(i)
	}
	i.scope = scopeFields(i.In, nil)
	if right == nil || summary == "" {
		panic(fmt.Sprintf("endpoint: %s lacks a right or a summary", pattern))
	}
	i.mustKnowWhom()
	i.Inside = slices.DeleteFunc(slices.Clone(i.Inside), func(r *policy.Right) bool {
		return slices.Contains(right.Rights(), r)
	})
	i.names = params.Names(i.In) // panics where the declaration is wrong
	s.routes = append(s.routes, i)
	if method == http.MethodGet && (i.polled || i.kept) {
		i.present, s.tags[path] = presentBy(s, i, h), i
	}
	s.HTTP.Handle(pattern, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := s.conditional(i, r)
		in := &input[In]{}
		defer in.close(r.Context(), s)
		out, err := serve(s, i, w, r, c, in, h)
		switch {
		case errors.Is(err, errNotModified):
			c.notModified(w)
		case errors.Is(err, errKept):
			c.sendKept(w, r)
		case err != nil:
			in.giveBack(r, err)
			s.HTTP.Fail(w, r, err)
		case c != nil:
			c.answer.header = w.Header()
			s.answer(&c.answer, r, i, out)
			c.finish(w, r)
		default:
			s.answer(w, r, i, out)
		}
	}))
}

// serve runs the checks in their order: credentials, parameters, look-up,
// permission; then the handler, which checks the rules. What is brief is read first,
// so that credentials and permission take one statement; its mistakes are told last.
func serve[In, Out any](s *Server, i *Info, w http.ResponseWriter, r *http.Request, c *conditional,
	in *input[In], h func(context.Context, *access.Caller, In) (Out, error)) (out Out, err error) {
	ctx := context.WithValue(r.Context(), requestKey{}, r)
	if i.brief(r) {
		in.read(w, r, i, i.limits, "", nil)
	}
	who, err := s.caller(r, i, in.scope)
	if err == nil {
		err = s.ledger.check(who.ID, i.Allowance)
	}
	if err != nil {
		return out, err
	}
	if !i.brief(r) {
		in.receive(ctx, s, i, w, r, who)
	}
	if in.unread != nil {
		return redraw[In, Out](ctx, s, i, r, who, in.unread)
	}
	if in.wrong != nil {
		return out, in.wrong
	}
	scope := in.scope
	if who, err = s.permitAgain(ctx, i, r, scope, who); err != nil {
		return out, err
	}
	if err = whole(i, in.set); err != nil {
		return out, err
	}
	if err = s.ledger.spend(who.ID, i.Allowance); err != nil {
		return out, err
	}
	if !i.Right.Allows(policy.Visitor) {
		ctx = access.Guarded(ctx, who, scope, i.Right)
	}
	ctx = audit.By(ctx, audit.Origin{ActorID: who.Actor(), UnitID: who.UnitID, ProjectID: who.ProjectID,
		OwnerID: who.OwnerID, Address: who.From, RequestID: who.RequestID})
	if ctx, err = s.onlyIf(ctx, i, r, scope, who); err != nil {
		return out, err
	}
	if err = c.begin(ctx, who, &in.value); err != nil {
		return out, err
	}
	if out, err = h(ctx, who, in.value); who.ID != 0 && who.ID == who.OwnerID {
		err = fault.ToThemselves(err)
	}
	return out, i.inWireNames(err)
}

// inWireNames gives the fields of an error the names of the inputs they came
// in: the domain says code, the caller sent unit[code].
func (i *Info) inWireNames(err error) error {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || len(e.Fields) == 0 {
		return err
	}
	return e.Renamed(func(field string) string { return cmp.Or(i.names[field], field) })
}

// early refuses an upload before any of it is read, where the parameters that
// came ahead of it tell what record it is about.
func (s *Server) early(ctx context.Context, i *Info, p *params.Set, r *http.Request, in any, who *access.Caller) error {
	if err := p.Decode(in, r.PathValue); err != nil {
		return err
	}
	value := reflect.ValueOf(in).Elem()
	if lacking(i.scope, value) {
		return s.keepLittle(ctx, i, p, who)
	}
	scope, err := scopeOf(i.scope, value)
	if err != nil {
		return err
	}
	if !i.undecided(value) {
		_, err = s.permit(ctx, i, scope, who)
		return err
	}
	if who, err = access.Resolve(ctx, s.DB.Pool(), *who, scope); err != nil {
		return err
	}
	if !who.Could(i.Right) {
		return who.Must(i.Right.Rights()[0])
	}
	if !i.Right.Allows(who.Who) {
		p.KeepOnly(mostUndecided)
	}
	return nil
}

// mostUndecided is what is kept of the files of whoever has shown no right to send any.
const mostUndecided = bounds.MB

// keepLittle bounds what is kept of files that come before the record they are about is
// named, unless the caller could send them about some unit.
func (s *Server) keepLittle(ctx context.Context, i *Info, p *params.Set, who *access.Caller) error {
	may, err := access.Somewhere(ctx, s.DB.Pool(), who, i.Right)
	if err != nil {
		return err
	}
	most := int64(mostUndecided)
	if may {
		most = i.limits.Total
	}
	p.KeepOnly(most)
	return nil
}

// whole refuses files of which a part was dropped, as it was not known in time that the
// caller may send them.
func whole(i *Info, p *params.Set) error {
	if p == nil || !p.Dropped() {
		return nil
	}
	return fault.New(fault.TooLarge, "A file larger than %s must come after %s, which decides whether you may send it.",
		bounds.SizeText(mostUndecided), strings.Join(i.deciding(), " and "))
}

// permit finds the caller's standing on the record and asks the table.
func (s *Server) permit(ctx context.Context, i *Info, scope access.Scope, who *access.Caller) (*access.Caller,
	error) {
	var q db.Q // asked only about a record
	if len(i.scope) > 0 {
		q = s.DB.Pool()
	}
	return access.Permit(ctx, q, *who, scope, i.Right)
}

// permitAgain is permit once the parameters are read. A body that is not brief takes
// as long as its sender likes, so whoever sent one is asked for anew.
func (s *Server) permitAgain(ctx context.Context, i *Info, r *http.Request, scope access.Scope,
	who *access.Caller) (*access.Caller, error) {
	if who.ID == 0 || i.Right.Allows(policy.Visitor) || i.brief(r) {
		return s.permit(ctx, i, scope, who)
	}
	return access.PermitAgain(ctx, s.DB.Pool(), *who, scope, i.Right)
}
