package usecase

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/portfolio"
	"lectern/internal/teaching/work"
)

// RemovePortfolioFile takes a file from a portfolio, for whoever holds policy.EditPortfolio on
// the project. One that is not there under its number, kind and name is fault.Missing.
func (s *Service) RemovePortfolioFile(ctx context.Context, projectID int64, f portfolio.File) error {
	return s.DB.Brief(ctx, func(q db.Q) error { return portfolio.RemoveFile(ctx, q, projectID, f) })
}

// MovePortfolioFile puts a file of a portfolio at another place and gives all in their order,
// for whoever holds policy.EditPortfolio on the project. It refuses to move the learning
// summary, which stays first.
func (s *Service) MovePortfolioFile(ctx context.Context, projectID int64, f portfolio.File,
	place int64) ([]portfolio.File, error) {
	return change(ctx, s.DB, func(q db.Q) ([]portfolio.File, error) {
		return portfolio.MoveFile(ctx, q, projectID, f, place)
	})
}

// IncludeTasks lets tasks, named by their definitions, into a portfolio and takes others out,
// for whoever holds policy.EditPortfolio on the project, and tells how many it changed. It
// refuses a task that stands on both sides.
func (s *Service) IncludeTasks(ctx context.Context, projectID int64, included, excluded []int64) (int, error) {
	return change(ctx, s.DB, func(q db.Q) (int, error) {
		return work.Include(ctx, q, projectID, included, excluded)
	})
}

// DropPortfolio takes the compiled portfolio away, for whoever holds policy.EditPortfolio on
// the project, so that the grade it claims can be changed. That there is none is no error.
func (s *Service) DropPortfolio(ctx context.Context, who *access.Caller, projectID int64) error {
	return s.DB.Brief(ctx, func(q db.Q) error { return portfolio.Drop(ctx, q, who.ID, projectID) })
}

// WithdrawPortfolio is DropPortfolio for who also wants none to be compiled any more, as one.
func (s *Service) WithdrawPortfolio(ctx context.Context, who *access.Caller, projectID int64) error {
	return s.DB.Brief(ctx, func(q db.Q) error {
		if _, _, err := changeProject(ctx, q, who, projectID, ProjectChange{CompilePortfolio: new(false)}); err != nil {
			return err
		}
		return portfolio.Drop(ctx, q, who.ID, projectID)
	})
}
