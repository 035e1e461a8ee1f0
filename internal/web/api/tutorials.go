package api

import (
	"context"
	"fmt"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/teaching/enrol"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

func (s *Server) tutorialRoutes() {
	endpoint.Route(s.Server, "POST /api/tutorials", 201, policy.EditTutorials, "Create a tutorial", s.addTutorial,
		endpoint.Audited(audit.Tutorial),
		endpoint.Location("/api/tutorials/{.id}"), endpoint.Also(409, "the abbreviation is taken"),
		endpoint.Also(422, "the tutor is not on the unit's staff"))
	endpoint.Route(s.Server, "GET /api/tutorials/{id}", 200, policy.ReadUnit, "Get a tutorial", s.getTutorial)
	endpoint.Route(s.Server, "PUT /api/tutorials/{id}", 200, policy.EditTutorials, "Change a tutorial",
		s.changeTutorial,
		endpoint.Audited(audit.Tutorial),
		endpoint.Also(409, "the abbreviation is taken, students in it go against the change, or a value is no longer "+
			"what was seen"),
		endpoint.Also(422, "the tutor is not on the unit's staff"))
	endpoint.Route(s.Server, "DELETE /api/tutorials/{id}", 204, policy.EditTutorials, "Delete a tutorial nobody uses",
		s.deleteTutorial,
		endpoint.Audited(audit.Tutorial),
		endpoint.Also(409, "groups or enrolled students use it"))
}

type addTutorialIn struct {
	Tutorial struct {
		UnitID          int64              `param:"unit_id,required" scope:"unit"`
		TutorID         int64              `param:"tutor_id,required" doc:"the user id of someone on the unit's staff"`
		Capacity        int32              `param:"capacity,required" doc:"0 or below: no limit"`
		Abbreviation    string             `param:"abbreviation,required"`
		MeetingLocation string             `param:"meeting_location,required"`
		MeetingDay      string             `param:"meeting_day,required"`
		MeetingTime     string             `param:"meeting_time,required"`
		CampusID        params.Opt[int64]  `param:"campus_id" doc:"-1: none"`
		StreamAbbr      params.Opt[string] `param:"tutorial_stream_abbr"`
	} `param:"tutorial,required"`
}

func (s *Server) addTutorial(ctx context.Context, _ *access.Caller, in addTutorialIn) (endpoint.TextOf[*enrol.Tutorial],
	error) {
	t := in.Tutorial
	capacity := int64(t.Capacity)
	made, err := s.usecases.AddTutorial(ctx, t.UnitID, enrol.TutorialChange{Abbreviation: &t.Abbreviation,
		MeetingDay: &t.MeetingDay, MeetingTime: &t.MeetingTime, MeetingLocation: &t.MeetingLocation,
		Capacity: &capacity, TutorID: someone(t.TutorID), CampusID: t.CampusID.Ptr(), StreamAbbr: t.StreamAbbr.Ptr()})
	if err != nil {
		return endpoint.TextOf[*enrol.Tutorial]{}, err
	}
	said := endpoint.Text{Message: fmt.Sprintf("Tutorial %s was created.", made.Abbreviation), ID: made.ID}
	return endpoint.TextOf[*enrol.Tutorial]{Text: said, Record: made}, nil
}

// someone keeps 0, which the domain reads as nobody, from passing for a user.
func someone(userID int64) *int64 {
	if userID == 0 {
		userID = -1
	}
	return &userID
}

// tutorialChanges are the values of a tutorial that may be changed.
type tutorialChanges struct {
	TutorID         params.Opt[int64]  `param:"tutor_id" null:"clears" doc:"the user id of someone on the unit's staff; null: nobody"`
	Capacity        params.Opt[int32]  `param:"capacity" null:"clears" doc:"0 or below: no limit"`
	Abbreviation    params.Opt[string] `param:"abbreviation"`
	MeetingLocation params.Opt[string] `param:"meeting_location" null:"clears"`
	MeetingDay      params.Opt[string] `param:"meeting_day" null:"clears"`
	MeetingTime     params.Opt[string] `param:"meeting_time" null:"clears"`
	CampusID        params.Opt[int64]  `param:"campus_id" null:"clears" doc:"-1 or null: none"`
	StreamAbbr      params.Opt[string] `param:"tutorial_stream_abbr" null:"clears" doc:"null: none"`
}

func (t tutorialChanges) all() enrol.TutorialChange {
	c := enrol.TutorialChange{Abbreviation: t.Abbreviation.Ptr(), MeetingDay: orNone(t.MeetingDay, ""),
		MeetingTime:     orNone(t.MeetingTime, ""),
		MeetingLocation: orNone(t.MeetingLocation, ""), CampusID: orNone(t.CampusID, -1), StreamAbbr: orNone(t.StreamAbbr,
			"")}
	if capacity := orNone(t.Capacity, -1); capacity != nil {
		c.Capacity = new(int64(*capacity))
	}
	if c.TutorID = orNone(t.TutorID, 0); t.TutorID.Has() {
		c.TutorID = someone(t.TutorID.V)
	}
	return c
}

type changeTutorialIn struct {
	ID       int64 `path:"id" scope:"tutorial"`
	Tutorial struct {
		UnitID int64 `param:"unit_id,required" scope:"unit" doc:"the tutorial's own unit"`
		tutorialChanges
	} `param:"tutorial,required"`
	Seen tutorialChanges `param:"seen" faults:"none" doc:"the tutorial as you saw it; what somebody else changed meanwhile is refused"`
}

func (s *Server) changeTutorial(ctx context.Context, _ *access.Caller, in changeTutorialIn) (*enrol.Tutorial, error) {
	c, seen := in.Tutorial.all(), in.Seen.all()
	c.Seen = &seen
	return s.usecases.ChangeTutorial(ctx, in.ID, c)
}

// orNone is what an update asks to set: nil for nothing, none for null.
func orNone[T any](o params.Opt[T], none T) *T {
	if o.Set && o.Null {
		return &none
	}
	return o.Ptr()
}

type tutorialIn struct {
	ID int64 `path:"id" scope:"tutorial"`
}

func (s *Server) getTutorial(ctx context.Context, _ *access.Caller, in tutorialIn) (*enrol.Tutorial, error) {
	return enrol.TutorialByID(ctx, s.db.Pool(), in.ID)
}

func (s *Server) deleteTutorial(ctx context.Context, _ *access.Caller, in tutorialIn) (endpoint.NoContent,
	error) {
	return endpoint.NoContent{}, s.usecases.DeleteTutorial(ctx, in.ID)
}
