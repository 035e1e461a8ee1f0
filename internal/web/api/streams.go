package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/teaching/enrol"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

func (s *Server) streamRoutes() {
	const path = "/api/units/{unit_id}/tutorial_streams"
	endpoint.Route(s.Server, "POST "+path, 201, policy.EditTutorials, "Create a tutorial stream", s.addStream,
		endpoint.Audited(audit.Tutorial),
		endpoint.Location(path+"/{.abbreviation}"))
	endpoint.Route(s.Server, "GET "+path+"/{tutorial_stream_abbr}", 200, policy.ReadUnit, "Get a tutorial stream",
		s.getStream)
	endpoint.Route(s.Server, "PUT "+path+"/{tutorial_stream_abbr}", 200, policy.EditTutorials,
		"Change a tutorial stream", s.changeStream,
		endpoint.Audited(audit.Tutorial),
		endpoint.Also(409, "the name or abbreviation is taken, or a value is no longer what was seen"))
	endpoint.Route(s.Server, "DELETE "+path+"/{tutorial_stream_abbr}", 200, policy.EditTutorials,
		"Delete a tutorial stream with its tutorials", s.deleteStream,
		endpoint.Audited(audit.Tutorial),
		endpoint.Also(409, "groups, enrolled students or task definitions use it"))
}

// streamAnswer shows a stream inside tutorial_stream and, for those who look
// for its fields there, at the top too.
type streamAnswer struct {
	enrol.Stream
	TutorialStream enrol.Stream `json:"tutorial_stream"`
}

func answerStream(s *enrol.Stream, err error) (*streamAnswer, error) {
	if err != nil {
		return nil, err
	}
	return &streamAnswer{*s, *s}, nil
}

type addStreamIn struct {
	UnitID       int64  `path:"unit_id" scope:"unit"`
	ActivityAbbr string `param:"activity_type_abbr,required"`
}

func (s *Server) addStream(ctx context.Context, _ *access.Caller, in addStreamIn) (*streamAnswer, error) {
	return answerStream(s.usecases.AddStream(ctx, in.UnitID, in.ActivityAbbr))
}

// streamChanges are the values of a stream that may be changed.
type streamChanges struct {
	Name         params.Opt[string] `param:"name"`
	Abbreviation params.Opt[string] `param:"abbreviation"`
	ActivityAbbr params.Opt[string] `param:"activity_type_abbr"`
	ActivityType params.Opt[string] `param:"activity_type" doc:"the same as activity_type_abbr"`
}

func (c streamChanges) all() enrol.StreamChange {
	kind := c.ActivityAbbr.Ptr()
	if kind == nil {
		kind = c.ActivityType.Ptr()
	}
	return enrol.StreamChange{Name: c.Name.Ptr(), Abbreviation: c.Abbreviation.Ptr(), ActivityType: kind}
}

type changeStreamIn struct {
	UnitID int64  `path:"unit_id" scope:"unit"`
	Abbr   string `path:"tutorial_stream_abbr"`
	streamChanges
	Seen streamChanges `param:"seen" faults:"none" doc:"the stream as you saw it; what somebody else changed meanwhile is refused"`
}

func (s *Server) changeStream(ctx context.Context, _ *access.Caller, in changeStreamIn) (*streamAnswer, error) {
	c, seen := in.all(), in.Seen.all()
	c.Seen = &seen
	return answerStream(s.usecases.ChangeStream(ctx, in.UnitID, in.Abbr, c))
}

type streamIn struct {
	UnitID int64  `path:"unit_id" scope:"unit"`
	Abbr   string `path:"tutorial_stream_abbr"`
}

func (s *Server) getStream(ctx context.Context, _ *access.Caller, in streamIn) (*streamAnswer, error) {
	return answerStream(enrol.StreamNamed(ctx, s.db.Pool(), in.UnitID, in.Abbr))
}

func (s *Server) deleteStream(ctx context.Context, _ *access.Caller, in streamIn) (bool, error) {
	return true, s.usecases.RemoveStream(ctx, in.UnitID, in.Abbr)
}
