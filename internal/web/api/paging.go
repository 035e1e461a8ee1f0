package api

import (
	"context"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

// paging are the parameters of every list. Without them the list is whole; with
// one, X-Total-Count tells how many rows there are in all.
type paging struct {
	Limit  params.Opt[int64] `param:"limit" doc:"how many rows, 0 to 10000; all without it"`
	Offset params.Opt[int64] `param:"offset" doc:"how many rows to pass over"`
}

// page gives the part of a list the caller asks for.
func (p paging) page() (db.Page, error) {
	limit, offset := p.Limit.Or(db.NoLimit), p.Offset.Or(0)
	switch {
	case limit < 0:
		return db.Page{}, fault.Field(fault.Invalid, "limit", "may not be negative")
	case p.Limit.Has() && limit > mostRows:
		return db.Page{}, fault.Field(fault.Invalid, "limit", "may be at most %d: use offset for the rest", mostRows)
	case offset < 0:
		return db.Page{}, fault.Field(fault.Invalid, "offset", "may not be negative")
	case !p.Limit.Has() && !p.Offset.Has():
		return db.Page{}, nil
	}
	return db.Part(limit, offset), nil
}

// mostRows is the most rows that a limit may ask for.
const mostRows = 10_000

// bounded is page for the records of the service, which grow without end: as
// many rows as usual where the caller names no limit, and never the whole.
func (p paging) bounded(usual int64) (db.Page, error) {
	if !p.Limit.Has() {
		p.Limit = params.Opt[int64]{V: usual, Set: true}
	}
	return p.page()
}

// listed answers with the part of a list the caller asks for. Read gives its
// rows and how many there are in all, -1 where the whole list is asked for.
func listed[T any](ctx context.Context, d *db.DB, in paging,
	read func(db.Q, db.Page) ([]T, int64, error)) (endpoint.List[T], error) {
	p, err := in.page()
	if err != nil {
		return endpoint.List[T]{}, err
	}
	return view(ctx, d, func(q db.Q) (endpoint.List[T], error) {
		rows, total, err := read(q, p)
		return endpoint.Listed(rows, total), err
	})
}

// short answers with the part the caller asks for of a list that is read whole.
func short[T any](in paging, list []T, err error) (endpoint.List[T], error) {
	if err != nil {
		return endpoint.List[T]{}, err
	}
	return windowed(list, in)
}

// windowed gives the rows the caller asked for of a list that is held whole, as the
// ones may be that grow with a person's years and not with the university.
func windowed[T any](list []T, in paging) (endpoint.List[T], error) {
	p, err := in.page()
	if err != nil || !p.Asked() {
		return endpoint.Listed(list, -1), err
	}
	n := int64(len(list))
	rest := list[min(p.Offset(), n):]
	return endpoint.Listed(rest[:min(p.Limit(), int64(len(rest)))], n), nil
}
