package api

import (
	"context"

	"lectern/internal/access"
	"lectern/internal/api/endpoint"
	"lectern/internal/api/params"
	"lectern/internal/audit"
	"lectern/internal/grade"
	"lectern/internal/policy"
	"lectern/internal/status"
	"lectern/internal/work"
)

func (s *Server) verdictRoutes() {
	endpoint.Route(s.Server, "POST "+aTask+"/verdict", 200, policy.GradeTask,
		"Give a verdict on a task: a move, marks and a comment, all or nothing", s.giveVerdict,
		endpoint.Audited(audit.Status, audit.Grade), endpoint.Asks(policy.ChangeTask, policy.Comment),
		endpoint.Also(409, "the task has changed since the version that was looked at, and `stands` tells what stands "+
			"now; the same words were just said; or the key was used for another verdict"))
}

// verdictIn is what a verdict says.
type verdictIn struct {
	Trigger params.Opt[status.Status] `param:"trigger" doc:"the new status, by key, name or short word"`
	Grade   params.Opt[grade.Grade]   `param:"grade" doc:"-1 (fail) to 3 (high distinction)"`
	Quality params.Opt[int]           `param:"quality_pts" doc:"up to the definition's most; -1 not rated"`
	Comment string                    `param:"comment" text:"lines" doc:"comes with the verdict; at most 4095 characters"`
	Key     string                    `param:"key" doc:"makes a repeated request the same verdict; at most 255 characters"`
}

func (in verdictIn) verdict() work.Verdict {
	return work.Verdict{Trigger: plainText(in.Trigger), Grade: in.Grade.Ptr(), Quality: in.Quality.Ptr(),
		Comment: in.Comment, Key: in.Key}
}

type giveVerdictIn struct {
	taskIn
	verdictIn
	Version int64 `param:"version,required" doc:"of the task that was looked at; 0 for one that nothing is written of"`
}

func (s *Server) giveVerdict(ctx context.Context, who *access.Caller, in giveVerdictIn) (*work.Given, error) {
	v := in.verdict()
	v.Version = &in.Version
	return s.usecases.GiveVerdict(ctx, who, in.place(), v)
}
