package endpoint

import (
	"context"
	"net/http"
	"reflect"

	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/web/params"
)

// Again lets an endpoint answer a request itself whose body is larger than it takes: a
// form is drawn again with what was wrong. Of the input there is what stands in the
// path.
func Again[In, Out any](h func(ctx context.Context, who *access.Caller, in In, wrong error) (Out, error)) Option {
	return func(i *Info) { i.again = h }
}

// redraw answers what is too large by what Again named, for whoever may use the
// endpoint; anything else stays refused as it is.
func redraw[In, Out any](ctx context.Context, s *Server, i *Info, r *http.Request, who *access.Caller,
	wrong error) (out Out, err error) {
	h, ok := i.again.(func(context.Context, *access.Caller, In, error) (Out, error))
	var in In
	if !ok || !fault.Is(wrong, fault.TooLarge) || new(params.Set).Decode(&in, r.PathValue) != nil {
		return out, wrong
	}
	scope, err := scopeOf(i.scope, reflect.ValueOf(&in).Elem())
	if err == nil {
		who, err = s.permitAgain(ctx, i, r, scope, who)
	}
	if err != nil {
		return out, err
	}
	return h(ctx, who, in, wrong)
}
