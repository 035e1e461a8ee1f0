package portfolio

import (
	"context"
	"errors"
	"fmt"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/events"
	"lectern/internal/platform/files"
	"lectern/internal/platform/jobs"
)

// Args ask for the portfolio of a project to be compiled.
type Args struct {
	ProjectID int64 `json:"project_id"`
}

// Kind implements jobs.Args.
func (Args) Kind() string { return "portfolio" }

// tries is how often a portfolio is tried before the student hears of it.
const tries = 3

// Ask has a portfolio compiled from what there is when the caller's transaction is committed.
// Asking again while one is being compiled starts it over. It is for holders of
// policy.ChangeProject; what is missing for a portfolio is said in it, so nothing is refused.
func Ask(ctx context.Context, q db.Q, projectID int64) error {
	whose, err := db.OneOf[jobs.For](ctx, q, "project", `UPDATE projects SET compile_portfolio = TRUE,
		portfolio_asked_at = $2, portfolio_failure = NULL WHERE id = $1 RETURNING unit_id, user_id`, projectID, q.Now())
	if err != nil {
		return err
	}
	_, err = jobs.Enqueue(ctx, q, Args{projectID}, jobs.Options{Unique: jobName(projectID), MaxAttempts: tries,
		For: *whose})
	return err
}

// jobName is what there is one job of at a time: the portfolio of a project.
func jobName(projectID int64) string { return fmt.Sprintf("portfolio %d", projectID) }

// AskAgain starts a portfolio over that is being compiled, and does nothing
// where none is.
func AskAgain(ctx context.Context, q db.Q, projectID int64) error {
	wanted, err := db.One[bool](ctx, q, `SELECT compile_portfolio FROM projects WHERE id = $1`, projectID)
	if err != nil || !*wanted {
		return err
	}
	return Ask(ctx, q, projectID)
}

// Compiled is a portfolio that was made.
type Compiled struct {
	Hash     string     `db:"portfolio_hash"`
	At       clock.Time `db:"portfolio_produced_at"`
	Code     string     `db:"code"`
	Username string     `db:"username"`
}

// FileName is what the portfolio is saved as.
func (c *Compiled) FileName() string { return c.Code + "-" + c.Username + "-portfolio.pdf" }

// CompiledOf gives the portfolio of a project, or fault.Missing.
func CompiledOf(ctx context.Context, q db.Q, projectID int64) (*Compiled, error) {
	list, err := db.All[Compiled](ctx, q, `SELECT p.portfolio_hash, coalesce(p.portfolio_produced_at, p.updated_at) AS
		portfolio_produced_at,
			u.code, s.username
		FROM projects p JOIN units u ON u.id = p.unit_id JOIN users s ON s.id = p.user_id
		WHERE p.id = $1 AND p.portfolio_hash IS NOT NULL`, projectID)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, fault.New(fault.Missing, "This portfolio has not been compiled yet.")
	}
	return &list[0], nil
}

// Drop takes the compiled portfolio away, so that the grade it claims can be changed. That it
// was once made is remembered: it is not made again unasked. It is for holders of
// policy.EditPortfolio on the project.
func Drop(ctx context.Context, q db.Q, by, projectID int64) error {
	n, err := db.Exec(ctx, q, `UPDATE projects SET portfolio_hash = NULL, portfolio_auto_generated = FALSE, updated_at
		= $2
		WHERE id = $1 AND portfolio_hash IS NOT NULL`, projectID, q.Now())
	if err != nil || n == 0 {
		return err
	}
	if err := audit.Add(ctx, q, audit.Entry{Kind: audit.Portfolio, Action: audit.Deleted,
		ProjectID: projectID}); err != nil {
		return err
	}
	_, err = tell(ctx, q, by, projectID, portfolioEvent{State: "deleted"})
	return err
}

// portfolioEvent is what an event about a portfolio says beside its ids.
type portfolioEvent struct {
	State     string `json:"state"` // ready, failed, deleted
	Automatic bool   `json:"automatic"`
	Reason    string `json:"reason,omitempty"`
}

// tell writes the event, and tells whether nobody asked for the portfolio.
func tell(ctx context.Context, q db.Q, by, projectID int64, what portfolioEvent) (automatic bool, err error) {
	p, err := db.OneOf[struct {
		UserID    int64 `db:"user_id"`
		UnitID    int64 `db:"unit_id"`
		Automatic bool  `db:"portfolio_auto_generated"`
	}](ctx, q, "project", `SELECT user_id, unit_id, portfolio_auto_generated FROM projects WHERE id = $1`, projectID)
	if err != nil {
		return false, err
	}
	what.Automatic = p.Automatic
	return p.Automatic, events.Add(ctx, q, events.Event{Kind: events.Portfolio, ActorID: by, UserID: p.UserID,
		UnitID: p.UnitID, ProjectID: projectID, Body: what})
}

// errAgain says that the portfolio was asked for again while it was compiled.
var errAgain = errors.New("asked for again meanwhile")

// publish makes a compiled portfolio the project's, unless it is no longer
// wanted or was asked for again.
func (p *Compiler) publish(ctx context.Context, q db.Q, projectID int64, asked *clock.Time, file files.Info) error {
	n, err := db.Exec(ctx, q, `UPDATE projects SET portfolio_hash = $3, portfolio_produced_at = $4, compile_portfolio =
		FALSE, updated_at = $4
		WHERE id = $1 AND compile_portfolio AND portfolio_asked_at IS NOT DISTINCT FROM $2`, projectID, asked,
		string(file.Hash), q.Now())
	if err != nil {
		return err
	}
	if n == 1 {
		automatic, err := tell(ctx, q, 0, projectID, portfolioEvent{State: "ready"})
		if err == nil && p.Ready != nil {
			err = p.Ready(ctx, q, projectID, automatic)
		}
		return err
	}
	wanted, err := db.One[bool](ctx, q, `SELECT compile_portfolio FROM projects WHERE id = $1`, projectID)
	if err == nil && *wanted {
		return errAgain
	}
	return err
}

const failure = "The portfolio could not be compiled, but all its files are kept. Try again, or ask an administrator " +
	"to look at the background jobs."

// giveUp notes that a portfolio could not be made.
func (p *Compiler) giveUp(ctx context.Context, q db.Q, projectID int64) error {
	n, err := db.Exec(ctx, q, `UPDATE projects SET compile_portfolio = FALSE, portfolio_failure = $2
		WHERE id = $1 AND compile_portfolio`, projectID, failure)
	if err != nil || n == 0 {
		return err
	}
	if _, err := tell(ctx, q, 0, projectID, portfolioEvent{State: "failed", Reason: failure}); err != nil ||
		p.Failed == nil {
		return err
	}
	return p.Failed(ctx, q, projectID, failure)
}

// GenerateArgs ask for the portfolios that are due without anybody asking.
type GenerateArgs struct{}

// Kind implements jobs.Args.
func (GenerateArgs) Kind() string { return "portfolios_due" }

// atOnce keeps the transactions of Generate short.
const atOnce = 100

// Generate asks for the portfolios of students who have a learning summary and
// never had a portfolio made, in units whose day for it has come. They claim
// the grade they aim for unless they said otherwise. It tells how many.
func Generate(ctx context.Context, d *db.DB) (total int, err error) {
	for {
		n := 0
		err := d.Tx(ctx, func(q db.Q) (err error) {
			n, err = generateSome(ctx, q)
			return err
		})
		total += n
		if err != nil || n < atOnce {
			return total, err
		}
	}
}

func generateSome(ctx context.Context, q db.Q) (int, error) {
	ids, err := db.All[int64](ctx, q, `UPDATE projects SET compile_portfolio = TRUE, portfolio_auto_generated = TRUE,
		portfolio_asked_at = $1,
			submitted_grade = coalesce(submitted_grade, target_grade), updated_at = $1
		WHERE id IN (SELECT p.id FROM units u JOIN projects p ON p.unit_id = u.id
			JOIN portfolio_files f ON f.project_id = p.id AND f.idx = 0
			WHERE u.active AND u.portfolio_auto_generation_date <= $2 AND u.end_date >= $2
				AND p.enrolled AND NOT p.compile_portfolio AND p.portfolio_hash IS NULL
				AND p.portfolio_produced_at IS NULL
			ORDER BY p.id LIMIT $3)
		RETURNING id`, q.Now(), clock.Day(q.Now().Time), int64(atOnce))
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		if err := Ask(ctx, q, id); err != nil {
			return 0, err
		}
	}
	return len(ids), nil
}
