package api

import (
	"context"

	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/portfolio"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/web/endpoint"
)

func (s *Server) portfolioPartRoutes() {
	const own = "/api/submission/project/{id}/portfolio"
	endpoint.Route(s.Server, "GET "+own+"/progress", 200, policy.ReadSubmission, "Tell how far a portfolio has come",
		s.portfolioProgress)
	endpoint.Route(s.Server, "GET "+own+"/summary", 200, policy.ReadSubmission,
		"Get the learning summary that was typed in", s.getSummary)
	endpoint.Route(s.Server, "PUT "+own+"/summary", 200, policy.EditPortfolio, "Type the learning summary in",
		s.writeSummary, endpoint.Audited(audit.Portfolio))
	endpoint.Route(s.Server, "PUT "+own, 200, policy.EditPortfolio, "Move a file of a portfolio to another place",
		s.movePortfolioFile, endpoint.Audited(audit.Portfolio), endpoint.Also(404, "the portfolio has no such file"))
	endpoint.Route(s.Server, "PUT "+own+"/tasks", 200, policy.EditPortfolio,
		"Choose the tasks that are in a portfolio", s.includeTasks, endpoint.Audited(audit.Portfolio))
}

func (s *Server) portfolioProgress(ctx context.Context, _ *access.Caller, in projectIn) (*portfolio.Progress, error) {
	return view(ctx, s.db, func(q db.Q) (*portfolio.Progress, error) { return portfolio.ProgressOf(ctx, q, in.ID) })
}

func (s *Server) getSummary(ctx context.Context, _ *access.Caller, in projectIn) (*portfolio.Summary, error) {
	return portfolio.SummaryOf(ctx, s.db.Pool(), s.files, in.ID)
}

type writeSummaryIn struct {
	projectIn
	Text string `param:"text,required" text:"lines" doc:"Markdown"`
}

func (s *Server) writeSummary(ctx context.Context, _ *access.Caller, in writeSummaryIn) (*portfolioFileAnswer, error) {
	f, err := s.usecases.WriteSummary(ctx, in.ID, in.Text)
	if err != nil {
		return nil, err
	}
	return &portfolioFileAnswer{f.Name, f.Kind, f.Path(), *f}, nil
}

type movePortfolioFileIn struct {
	projectIn
	Idx   int64              `param:"idx,required"`
	Kind  taskdef.UploadKind `param:"kind,required" enum:""`
	Name  string             `param:"name,required" text:"any"`
	Place int64              `param:"place,required" doc:"from 1, beside the learning summary"`
}

// portfolioFiles are the files of a portfolio in their order.
type portfolioFiles struct {
	Files []portfolio.File `json:"portfolio_files"`
}

func (s *Server) movePortfolioFile(ctx context.Context, _ *access.Caller, in movePortfolioFileIn) (*portfolioFiles,
	error) {
	list, err := s.usecases.MovePortfolioFile(ctx, in.ID, portfolio.File{Idx: in.Idx, Kind: in.Kind, Name: in.Name},
		in.Place)
	return &portfolioFiles{list}, err
}

type includeTasksIn struct {
	projectIn
	Included []int64 `param:"included" doc:"task definitions whose work is in the portfolio"`
	Excluded []int64 `param:"excluded" doc:"those whose work is not; all others stay as they are"`
}

// included tells what a choice of tasks changed.
type included struct {
	Changed int `json:"changed"`
}

func (s *Server) includeTasks(ctx context.Context, _ *access.Caller, in includeTasksIn) (*included, error) {
	if len(in.Included)+len(in.Excluded) == 0 {
		return nil, fault.New(fault.Invalid, "Send the tasks to include, to exclude, or both.")
	}
	n, err := s.usecases.IncludeTasks(ctx, in.ID, in.Included, in.Excluded)
	return &included{n}, err
}
