package api

import (
	"context"

	"lectern/internal/ground/grade"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/moderation"
	"lectern/internal/teaching/rubric"
	"lectern/internal/teaching/status"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

const (
	samplesPath = "/api/units/{unit_id}/moderation/samples"
	sampledPath = "/api/units/{unit_id}/moderation/works"
)

func (s *Server) moderationRoutes() {
	all := endpoint.Asks(policy.Moderate)
	entered := endpoint.Audited(audit.Moderation)
	endpoint.Route(s.Server, "GET "+samplesPath, 200, policy.Moderate,
		"List the samples of marked work of a unit, with how far each is", s.listSamples)
	endpoint.Route(s.Server, "POST "+samplesPath, 200, policy.Moderate,
		"Draw a sample of the marked work of a unit to have it marked a second time, or plan it", s.drawSample, entered,
		endpoint.Also(409, "other work would be drawn than was planned"),
		endpoint.Also(422, "no work fits, too much does, or somebody is not on the staff"))
	endpoint.Route(s.Server, "DELETE "+samplesPath+"/{id}", 204, policy.Moderate,
		"Discard a sample that nobody marked anything of yet", s.discardSample, entered,
		endpoint.Also(409, "it has second marks"))
	endpoint.Route(s.Server, "GET "+sampledPath, 200, policy.SecondMark, "List the work of samples, differences first: "+
		"of the whole unit for convenors, for others what they may mark or marked a second time", s.listSampled, all)
	endpoint.Route(s.Server, "GET "+sampledPath+"/{id}", 200, policy.SecondMark,
		"Get a work of a sample. What it was given is left out until its second mark is there", s.getSampled, all)
	endpoint.Route(s.Server, "PUT "+sampledPath+"/{id}/second_marker", 200, policy.Moderate,
		"Say who marks a work of a sample, or that anybody does", s.assignSampled, entered,
		endpoint.Also(409, "it has its second mark"),
		endpoint.Also(422, "who is named marked it first, or is not on the staff"))
	endpoint.Route(s.Server, "PUT "+sampledPath+"/{id}/second_mark", 200, policy.SecondMark, "Give a work of a sample "+
		"its second mark. It stays as it is given, and the student's task is left alone", s.secondMark, entered, all,
		endpoint.Also(403, "you marked it first, have a part in it, or somebody else is to mark it"),
		endpoint.Also(409, "it has its second mark"), endpoint.Also(422, "no verdict could give this"))
	endpoint.Route(s.Server, "PUT "+sampledPath+"/{id}/settlement", 200, policy.Moderate, "Say which mark of a work "+
		"stands. Unless it is the first, the student is given it by a verdict", s.settleSampled,
		endpoint.Asks(policy.GradeTask, policy.ChangeTask, policy.Comment),
		endpoint.Audited(audit.Moderation, audit.Status, audit.Grade, audit.Review),
		endpoint.Also(409, "there is no difference, somebody settled it, or the task has changed: `stands` tells what it "+
			"is now"),
		endpoint.Also(422, "there is no reason, or no verdict could give this"))
	endpoint.Route(s.Server, "GET /api/units/{unit_id}/moderation/csv", 200, policy.Moderate,
		"Export the work of samples that has both marks as CSV, differences first",
		exported(s, "moderation", s.exportSampled), endpoint.Audited(audit.Export), endpoint.Costs(endpoint.Exports),
		sendsSheet)
}

type listSamplesIn struct {
	underUnit
	paging
}

func (s *Server) listSamples(ctx context.Context, _ *access.Caller,
	in listSamplesIn) (endpoint.List[moderation.Sample], error) {
	return listed(ctx, s.db, in.paging, func(q db.Q, p db.Page) ([]moderation.Sample, int64, error) {
		return moderation.Samples(ctx, q, in.UnitID, p)
	})
}

type drawSampleIn struct {
	underUnit
	DefinitionID params.Opt[int64]         `param:"task_definition_id" doc:"only work of this task"`
	TutorID      params.Opt[int64]         `param:"tutor_id" doc:"only what this user marked"`
	LevelID      params.Opt[int64]         `param:"level_id" doc:"only work that was given this level of the task's rubric"`
	Status       params.Opt[status.Status] `param:"status" enum:"" doc:"only work that was given this status"`
	Grade        params.Opt[grade.Grade]   `param:"grade" doc:"only work that was given this grade"`
	Spread       moderation.Spread         `param:"spread" enum:"" doc:"so many works of each tutor, task or result, or in all; absent: all"`
	Size         int                       `param:"size,required" doc:"how many works; a sample has at most 500"`
	Seed         string                    `param:"seed" doc:"draws the same from the same work; at most 40 characters; absent: one is made"`
	Markers      []int64                   `param:"marker_ids" doc:"the users who mark a second time, in turn; absent: anybody on the staff who did not mark it"`
	DryRun       bool                      `param:"dry_run" doc:"report the same and change nothing"`
	Plan         string                    `param:"plan" doc:"the sign of a dry run; if other work would be drawn now, none is"`
}

func (s *Server) drawSample(ctx context.Context, who *access.Caller, in drawSampleIn) (*moderation.Drawn, error) {
	d := moderation.Draw{From: moderation.Narrowed{DefinitionID: in.DefinitionID.Ptr(), TutorID: in.TutorID.Ptr(),
		LevelID: in.LevelID.Ptr(), Status: in.Status.Ptr(), Grade: in.Grade.Ptr()}, Spread: in.Spread, Size: in.Size,
		Seed: in.Seed, Markers: in.Markers, Plan: in.Plan}
	if in.DryRun {
		return s.usecases.PlanSample(ctx, in.UnitID, d)
	}
	return s.usecases.DrawSample(ctx, who, in.UnitID, d)
}

type sampledIn struct {
	underUnit
	ID int64 `path:"id"`
}

func (s *Server) discardSample(ctx context.Context, _ *access.Caller, in sampledIn) (endpoint.NoContent, error) {
	return endpoint.NoContent{}, s.usecases.DiscardSample(ctx, in.UnitID, in.ID)
}

// sampledFilter is what narrows the work of samples.
type sampledFilter struct {
	SampleID     params.Opt[int64] `param:"sample_id" doc:"only of this sample"`
	DefinitionID params.Opt[int64] `param:"task_definition_id" doc:"only of this task"`
	State        moderation.State  `param:"state" enum:"" doc:"only work in this state"`
}

func (in sampledFilter) query(unitID int64) moderation.Query {
	return moderation.Query{UnitID: unitID, SampleID: in.SampleID.Or(0), DefinitionID: in.DefinitionID.Or(0),
		State: in.State}
}

type listSampledIn struct {
	underUnit
	sampledFilter
	Mine bool `param:"mine" doc:"only what you may mark now"`
	paging
}

func (s *Server) listSampled(ctx context.Context, who *access.Caller,
	in listSampledIn) (endpoint.List[moderation.Work], error) {
	f := in.query(in.UnitID)
	f.Mine = in.Mine
	return listed(ctx, s.db, in.paging, func(q db.Q, p db.Page) ([]moderation.Work, int64, error) {
		f.Page = p
		return f.List(ctx, q, usecase.ModerationReader(who))
	})
}

func (s *Server) getSampled(ctx context.Context, who *access.Caller, in sampledIn) (*moderation.Work, error) {
	return view(ctx, s.db, func(q db.Q) (*moderation.Work, error) {
		return moderation.ByID(ctx, q, usecase.ModerationReader(who), in.UnitID, in.ID)
	})
}

type assignSampledIn struct {
	sampledIn
	UserID params.Opt[int64] `param:"user_id" doc:"who is to mark it; absent: anybody on the staff who did not"`
}

func (s *Server) assignSampled(ctx context.Context, who *access.Caller, in assignSampledIn) (*moderation.Work, error) {
	return s.usecases.AssignSecondMarker(ctx, who, in.UnitID, in.ID, in.UserID.Ptr())
}

// sampledMark is what a work of a sample is given.
type sampledMark struct {
	Grade   params.Opt[grade.Grade] `param:"grade" doc:"-1 (fail) to 3 (high distinction)"`
	Quality params.Opt[int]         `param:"quality_pts" doc:"absent: what the levels add up to, where one of each criterion is picked"`
	Levels  []int64                 `param:"levels" doc:"the numbers of the levels, at most one of each criterion of the work's rubric"`
}

func (in sampledMark) given(to status.Status) moderation.Given {
	return moderation.Given{Status: to, Grade: in.Grade.Ptr(), Quality: in.Quality.Ptr(), Levels: rubric.Levels(in.Levels)}
}

type secondMarkIn struct {
	sampledIn
	sampledMark
	Status  status.Status `param:"status,required" enum:"" doc:"the status you would give"`
	Comment string        `param:"comment" text:"lines" doc:"for the staff; at most 4000 characters"`
}

func (s *Server) secondMark(ctx context.Context, who *access.Caller, in secondMarkIn) (*moderation.Work, error) {
	return s.usecases.GiveSecondMark(ctx, who, in.UnitID, in.ID,
		moderation.NewMark{Given: in.given(in.Status), Comment: in.Comment})
}

type settleSampledIn struct {
	sampledIn
	sampledMark
	Stands  moderation.Stands `param:"stands,required" enum:"" doc:"whose mark stands; other: the one that status, grade, points and levels say"`
	Status  status.Status     `param:"status" enum:"" doc:"the status, where neither mark stands"`
	Reason  string            `param:"reason,required" text:"lines" doc:"why, for the staff; at most 4000 characters"`
	Comment string            `param:"comment" text:"lines" doc:"to the student, with the verdict; not where the first mark stands"`
	Version params.Opt[int64] `param:"version" doc:"of the task as it was seen; required unless the first mark stands"`
}

func (s *Server) settleSampled(ctx context.Context, who *access.Caller, in settleSampledIn) (*moderation.Work, error) {
	return s.usecases.SettleDifference(ctx, who, in.UnitID, in.ID, usecase.Settling{Settling: moderation.Settling{
		Stands: in.Stands, Given: in.given(in.Status), Reason: in.Reason}, Version: in.Version.Ptr(), Comment: in.Comment})
}

type exportSampledIn struct {
	underUnit
	sampledFilter
}

func (s *Server) exportSampled(ctx context.Context, who *access.Caller, in exportSampledIn) (*endpoint.File, error) {
	return view(ctx, s.db, func(q db.Q) (*endpoint.File, error) {
		u, err := course.UnitByID(ctx, q, in.UnitID)
		if err != nil {
			return nil, err
		}
		write, err := moderation.Sheet(ctx, q, usecase.ModerationReader(who), in.query(in.UnitID))
		return sheetFile(u.Code+"-Moderation.csv", write), err
	})
}
