package endpoint

import (
	"context"
	"net/http"
	"reflect"
	"strings"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/web/httpserver"
	"lectern/internal/web/params"
)

// mostBrief is a body that is read from anybody: no more than headers may hold.
const mostBrief = 16 * bounds.KB

// brief tells whether a request has no body, or one so short that it is read before
// anybody is asked for. Who wants to be told first whether to send it is not: that
// takes a second look at who they are once it has come, as do files.
func (i *Info) brief(r *http.Request) bool {
	if r.Body == nil || r.Body == http.NoBody {
		return true
	}
	kind := r.Header.Get("Content-Type")
	return r.ContentLength >= 0 && r.ContentLength <= mostBrief && r.Header.Get("Expect") == "" && !i.limits.Raw &&
		(strings.HasPrefix(kind, "application/json") || strings.HasPrefix(kind, "application/x-www-form-urlencoded"))
}

// input is what a request brings: its parameters, decoded, and the record they name.
type input[In any] struct {
	set    *params.Set
	value  In
	scope  access.Scope
	unread error // why it could not be read
	wrong  error // what was wrong with what was read
}

// receive reads what is not brief, from a known sender.
func (in *input[In]) receive(ctx context.Context, s *Server, i *Info, w http.ResponseWriter, r *http.Request,
	who *access.Caller) {
	ahead := reflect.New(i.In).Interface()
	lim := i.limits
	lim.Spool, lim.Sender, lim.Accept = s.Room, who.ID, i.accept(ctx, who, ahead)
	in.read(w, r, i, lim, s.Spool, func(p *params.Set) error { return s.early(ctx, i, p, r, ahead, who) })
}

// read reads and decodes the parameters, and finds the record they name.
func (in *input[In]) read(w http.ResponseWriter, r *http.Request, i *Info, lim params.Limits, spool string,
	early func(*params.Set) error) {
	in.set, in.unread = params.Read(w, r, lim, spool, early)
	httpserver.Received(r)
	if in.unread != nil {
		return
	}
	if in.wrong = in.set.Decode(&in.value, r.PathValue); in.wrong != nil {
		return
	}
	var scope access.Scope
	if scope, in.wrong = scopeOf(i.scope, reflect.ValueOf(&in.value).Elem()); in.wrong == nil {
		in.scope = scope
	}
}

// giveBack leaves what was typed with a request that nobody signed in sent: whoever tells
// them so can show it again, and it cannot be read a second time.
func (in *input[In]) giveBack(r *http.Request, err error) {
	if in.set != nil && fault.Is(err, fault.Unknown) {
		r.PostForm = in.set.Typed()
	}
}

// close removes what was spooled.
func (in *input[In]) close(ctx context.Context, s *Server) {
	if in.set == nil {
		return
	}
	if err := in.set.Close(); err != nil {
		s.HTTP.Log.WarnContext(ctx, "spooled upload not removed", "err", err)
	}
}
