package api

import (
	"context"
	"iter"

	"lectern/internal/access"
	"lectern/internal/api/endpoint"
	"lectern/internal/api/params"
	"lectern/internal/db"
	"lectern/internal/enrol"
	"lectern/internal/fault"
	"lectern/internal/policy"
)

func (s *Server) studentRoutes() {
	endpoint.Route(s.Server, "GET /api/students", 200, policy.ListStudents, "List the students of a unit",
		s.listStudents)
}

type listStudentsIn struct {
	UnitID    int64             `param:"unit_id,required" scope:"unit"`
	Withdraw  bool              `param:"withdraw" doc:"all students, not only the enrolled"`
	Withdrawn bool              `param:"withdrawn" doc:"only those who are withdrawn"`
	Limit     params.Opt[int64] `param:"limit" doc:"how many; all without it"`
	Offset    params.Opt[int64] `param:"offset" doc:"how many to pass over"`
}

// query turns the parameters into what to read. An offset without a limit is
// one with a limit nobody reaches.
func (in listStudentsIn) query() (out enrol.StudentQuery, err error) {
	out = enrol.StudentQuery{UnitID: in.UnitID, Limit: in.Limit.Ptr(), Offset: in.Offset.Or(0)}
	switch {
	case in.Limit.Has() && in.Limit.V < 0:
		return out, fault.Field(fault.Invalid, "limit", "may not be negative")
	case out.Offset < 0:
		return out, fault.Field(fault.Invalid, "offset", "may not be negative")
	case in.Offset.Has() && !in.Limit.Has():
		out.Limit = new(int64(1 << 40))
	}
	if in.Withdrawn || !in.Withdraw {
		out.Withdrawn = &in.Withdrawn
	}
	return out, nil
}

func (s *Server) listStudents(ctx context.Context, _ *access.Caller,
	in listStudentsIn) (endpoint.List[enrol.StudentEntry], error) {
	return view(ctx, s.db, func(q db.Q) (out endpoint.List[enrol.StudentEntry], err error) {
		ask, err := in.query()
		if err != nil {
			return out, err
		}
		list, err := enrol.Students(ctx, q, ask)
		if err != nil {
			return out, err
		}
		out.Rows, out.Total = inMemory(list), -1
		if ask.Limit != nil {
			out.Total, err = enrol.CountStudents(ctx, q, ask)
		}
		return out, err
	})
}

// inMemory hands out a list that is in memory already.
func inMemory[T any](list []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, v := range list {
			if !yield(v, nil) {
				return
			}
		}
	}
}
