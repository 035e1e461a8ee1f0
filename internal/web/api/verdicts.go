package api

import (
	"context"

	"lectern/internal/ground/grade"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/teaching/rubric"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/verdict"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

func (s *Server) verdictRoutes() {
	endpoint.Route(s.Server, "POST "+aTask+"/verdict", 200, policy.GradeTask,
		"Give a verdict on a task: a move, marks and comments, all or nothing", s.giveVerdict,
		endpoint.Audited(audit.Status, audit.Grade, audit.Review),
		endpoint.Asks(policy.ChangeTask, policy.Comment, policy.SeeExtensions),
		endpoint.Also(409, "the task has changed since the version that was looked at, and `stands` tells what stands "+
			"now; the rubric has changed, and `stands` tells the present one; the same words were just said; or the key was "+
			"used for another verdict"),
		endpoint.Also(422, "the move, the marks or the levels are not allowed, or a place is not in the work"),
		endpoint.Shaped[[]usecase.PointedOn]("comments"))
	endpoint.Route(s.Server, "POST /api/verdicts/{id}/undo", 200, policy.GradeTask,
		"Undo a verdict of one's own, while nobody has acted since", s.undoVerdict,
		endpoint.Audited(audit.Status, audit.Grade, audit.Review, audit.Comment), endpoint.Asks(policy.ChangeTask, policy.Comment),
		endpoint.Also(403, "it is somebody else's"), endpoint.Also(409, "somebody has acted since"))
	endpoint.Route(s.Server, "POST /api/units/{id}/verdicts", 200, policy.GiveFeedback,
		"Give one verdict on many tasks, wherever it can be given, or tell what would come of it", s.giveVerdicts,
		endpoint.Audited(audit.Status, audit.Grade, audit.Review), endpoint.Asks(policy.GradeTask, policy.ChangeTask, policy.Comment),
		endpoint.Shaped[[]verdict.TaskVersion]("tasks"), endpoint.Also(404, "a task is not of this unit"),
		endpoint.Also(409, "the key was used for another verdict, or the rubric has changed"))
	endpoint.Route(s.Server, "POST /api/verdict_batches/{id}/undo", 200, policy.GiveFeedback,
		"Undo the verdicts of a batch of one's own, wherever nobody has acted since", s.undoVerdicts,
		endpoint.Audited(audit.Status, audit.Grade, audit.Review, audit.Comment),
		endpoint.Asks(policy.GradeTask, policy.ChangeTask, policy.Comment), endpoint.Also(403, "it is somebody else's"))
}

// verdictIn is what a verdict says.
type verdictIn struct {
	Trigger params.Opt[status.Status] `param:"trigger" doc:"the new status, by key, name or short word"`
	Grade   params.Opt[grade.Grade]   `param:"grade" doc:"-1 (fail) to 3 (high distinction)"`
	Quality params.Opt[int]           `param:"quality_pts" doc:"up to the definition's most; -1 not rated"`
	Comment string                    `param:"comment" text:"lines" doc:"comes with the verdict; at most 4095 characters"`
	Key     string                    `param:"key" doc:"makes a repeated request the same verdict; at most 255 characters"`
	Rubric  params.JSON[rubricIn]     `param:"rubric" doc:"levels of the task's rubric; absent: those it has stay"`
}

// rubricIn are the levels that whoever marks picks.
type rubricIn struct {
	ID     int64   `param:"id,required" doc:"of the rubric as it was seen"`
	Levels []int64 `param:"levels,required" doc:"the ids of levels, one of a criterion; none takes back those the task has"`
}

// pick are the levels; nil where none are spoken of.
func (in verdictIn) pick() *rubric.Pick {
	if !in.Rubric.Has() {
		return nil
	}
	return &rubric.Pick{RubricID: in.Rubric.V.ID, Levels: in.Rubric.V.Levels}
}

func (in verdictIn) verdict() verdict.Verdict {
	return verdict.Verdict{Trigger: plainText(in.Trigger), Grade: in.Grade.Ptr(), Quality: in.Quality.Ptr(),
		Comment: in.Comment, Key: in.Key, Rubric: in.pick()}
}

type giveVerdictIn struct {
	taskIn
	verdictIn
	Snippets []int64                  `param:"snippet_ids" doc:"reusable comments that the comment was made of, to count their use"`
	Version  int64                    `param:"version,required" doc:"of the task that was looked at; 0 for one that nothing is written of"`
	Comments params.JSON[[]pointedIn] `param:"comments" doc:"comments that point at the work, at most 300, in their order"`
}

// pointedIn is a comment that comes with a verdict and points at the work.
type pointedIn struct {
	Comment string  `param:"comment,required" text:"lines" doc:"at most 4095 characters with its place"`
	Place   pointIn `param:"place,required" doc:"where in the work it points"`
}

func (s *Server) giveVerdict(ctx context.Context, who *access.Caller, in giveVerdictIn) (*verdict.Given, error) {
	v := in.verdict()
	v.Version = &in.Version
	on := usecase.VerdictOn{Verdict: v, At: in.place(), Snippets: in.Snippets}
	for _, c := range in.Comments.V {
		on.PointsAt = append(on.PointsAt, usecase.PointedOn{Text: c.Comment, Place: c.Place.place()})
	}
	return s.usecases.GiveVerdict(ctx, who, on)
}

type undoVerdictIn struct {
	ID int64 `path:"id" scope:"verdict"`
}

func (s *Server) undoVerdict(ctx context.Context, who *access.Caller, in undoVerdictIn) (*verdict.Undone, error) {
	return s.usecases.UndoVerdict(ctx, who, in.ID)
}

type giveVerdictsIn struct {
	UnitID int64 `path:"id" scope:"unit"`
	verdictIn
	Tasks  params.JSON[[]taskVersion] `param:"tasks,required" doc:"at most 200 tasks, with the versions looked at"`
	DryRun bool                       `param:"dry_run" doc:"tell what would come of it and change nothing"`
}

type taskVersion struct {
	ID      int64 `param:"id,required" doc:"the number of the task"`
	Version int64 `param:"version,required" doc:"of the task that was looked at"`
}

func (s *Server) giveVerdicts(ctx context.Context, who *access.Caller, in giveVerdictsIn) (*verdict.Batch, error) {
	tasks := make([]verdict.TaskVersion, len(in.Tasks.V))
	for i, t := range in.Tasks.V {
		tasks[i] = verdict.TaskVersion{ID: t.ID, Version: t.Version}
	}
	if in.DryRun {
		return s.usecases.PlanVerdicts(ctx, who, in.UnitID, in.verdict(), tasks)
	}
	return s.usecases.GiveVerdicts(ctx, who, in.UnitID, in.verdict(), tasks)
}

type undoVerdictsIn struct {
	ID int64 `path:"id" scope:"verdict_batch"`
}

func (s *Server) undoVerdicts(ctx context.Context, who *access.Caller, in undoVerdictsIn) (*verdict.UndoneBatch,
	error) {
	return s.usecases.UndoVerdicts(ctx, who, in.ID)
}
