package trash

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"

	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
)

// What of a retirement belongs to no task: portfolios, which hold all of a student's work under their name, and who
// has which number where work was anonymised.

// The rows that are kept of these. Of a project, that is what it loses.
var (
	portfolioDocuments = table{name: "projects", label: "portfolios", files: []string{"portfolio_hash"}}
	portfolioFiles     = table{name: "portfolio_files", files: []string{"hash"}}
	numbers            = table{name: "pseudonyms"}
)

const (
	// ofPortfolio picks the projects p of a unit $1 that have a portfolio, or parts of one.
	ofPortfolio = `p.unit_id = $1 AND (p.portfolio_hash IS NOT NULL OR p.compile_portfolio
		OR EXISTS (SELECT 1 FROM portfolio_files f WHERE f.project_id = p.id))`
	// numbered gives the project of each pseudonym of the retirement $1 beside the student's.
	numbered = `(SELECT r.project_id AS was, r.row_id AS pseudonym FROM deleted_rows r
		JOIN deletions d ON d.id = r.deletion_id WHERE d.retirement_id = $1 AND d.record_id = 0
			AND r.table_name = 'pseudonyms')`
)

// begin takes away the portfolios of a unit and gives out numbers, where that is still to be done.
func (r *Retirement) begin(ctx context.Context, q db.Q) (done bool, err error) {
	left, err := db.One[int64](ctx, q, `SELECT count(*) FROM projects p WHERE `+ofPortfolio, r.UnitID)
	if err != nil {
		return false, err
	}
	begun, err := db.One[int64](ctx, q, `SELECT count(*) FROM deletions WHERE retirement_id = $1 AND record_id = 0`, r.ID)
	if err != nil || *left == 0 && (r.Plan != Anonymise || *begun > 0) {
		return false, err
	}
	b, err := r.portfolios(ctx, q)
	if err == nil && r.Plan == Anonymise {
		err = r.giveNumbers(ctx, q, b)
	}
	if err != nil {
		return false, err
	}
	name, err := db.One[string](ctx, q, `SELECT code || ' ' || name FROM units WHERE id = $1`, r.UnitID)
	if err != nil {
		return false, err
	}
	d := &Deletion{UnitID: r.UnitID, Kind: Portfolios, Name: *name, DeletedBy: r.UserID, Students: *left, At: q.Now(),
		RetirementID: &r.ID}
	if err := d.insert(ctx, q, nil, b); err != nil {
		return false, fmt.Errorf("keep portfolios: %w", err)
	}
	return true, r.clearPortfolios(ctx, q)
}

// portfolios gathers what is kept of them.
func (r *Retirement) portfolios(ctx context.Context, q db.Q) (*box, error) {
	b := &box{}
	for _, from := range []struct {
		table *table
		owner string
		text  string
	}{
		{&portfolioDocuments, "id", `SELECT p.id, p.portfolio_hash, p.compile_portfolio FROM projects p WHERE ` + ofPortfolio},
		{&portfolioFiles, "project_id", `SELECT f.* FROM portfolio_files f JOIN projects p ON p.id = f.project_id
			WHERE p.unit_id = $1 ORDER BY f.project_id, f.idx`},
	} {
		for rec, err := range db.Records(ctx, q, from.text, r.UnitID) {
			if err != nil {
				return nil, err
			}
			x := toRow(rec)
			b.rows = append(b.rows, kept{table: from.table, row: x, owner: owner{project: x.id(from.owner)}})
		}
	}
	return b, nil
}

func (r *Retirement) clearPortfolios(ctx context.Context, q db.Q) error {
	for _, text := range []string{
		`UPDATE projects SET portfolio_hash = NULL, compile_portfolio = FALSE WHERE unit_id = $1
			AND (portfolio_hash IS NOT NULL OR compile_portfolio)`,
		`DELETE FROM portfolio_files WHERE project_id IN (SELECT id FROM projects WHERE unit_id = $1)`} {
		if _, err := db.Exec(ctx, q, text, r.UnitID); err != nil {
			return err
		}
	}
	return nil
}

// giveNumbers enrols a pseudonym for each student of the unit, in no order that tells who is who, and remembers
// whose it is.
func (r *Retirement) giveNumbers(ctx context.Context, q db.Q, b *box) error {
	students, err := db.All[int64](ctx, q, `SELECT p.id FROM projects p JOIN users u ON u.id = p.user_id
		WHERE p.unit_id = $1 AND NOT `+ident.Pseudonymous+` ORDER BY p.id`, r.UnitID)
	if err != nil {
		return err
	}
	here, err := db.All[int64](ctx, q, `SELECT u.id FROM projects p JOIN users u ON u.id = p.user_id
		WHERE p.unit_id = $1 AND `+ident.Pseudonymous, r.UnitID)
	if err != nil {
		return err
	}
	people, err := ident.Pseudonyms(ctx, q, len(students)+len(here))
	if err != nil {
		return err
	}
	people = slices.DeleteFunc(people, func(p ident.Pseudonym) bool { return slices.Contains(here, p.ID) })[:len(students)]
	lots := make(map[int64]string, len(students))
	for _, id := range students {
		lots[id] = rand.Text()
	}
	slices.SortFunc(students, func(a, c int64) int { return strings.Compare(lots[a], lots[c]) })
	rows := make([][]any, len(people))
	for i, p := range people {
		rows[i] = []any{r.UnitID, p.ID, false, q.Now(), q.Now()}
	}
	if err := db.Insert(ctx, q, "projects (unit_id, user_id, enrolled, created_at, updated_at)", "", rows); err != nil {
		return err
	}
	made, err := db.All[int64](ctx, q, `SELECT p.id FROM projects p JOIN users u ON u.id = p.user_id WHERE p.unit_id = $1
		AND `+ident.Pseudonymous+` AND p.created_at = $2 ORDER BY p.user_id`, r.UnitID, q.Now())
	if err != nil {
		return err
	}
	if len(made) != len(students) {
		return fmt.Errorf("%d pseudonyms are enrolled for %d students", len(made), len(students))
	}
	for i, id := range made {
		b.rows = append(b.rows, kept{table: &numbers, row: row{"id": id}, owner: owner{project: students[i]}})
	}
	return nil
}

// restorePortfolios puts portfolios back, where there is none by now, and lets pseudonyms go that have nothing left.
func (d *Restored) restorePortfolios(ctx context.Context, q db.Q, archive map[string][]row) error {
	rows := make([][]any, len(archive[portfolioDocuments.label]))
	for i, r := range archive[portfolioDocuments.label] {
		rows[i] = []any{r.id("id"), r["portfolio_hash"], truth(r["compile_portfolio"])}
	}
	from, args, err := db.Rows(q, nil, []string{"id BIGINT", "hash TEXT", "asked BOOLEAN"}, rows)
	if err != nil {
		return err
	}
	if _, err := db.Exec(ctx, q, `UPDATE projects SET portfolio_hash = v.hash, compile_portfolio = v.asked
		FROM `+from+` v WHERE projects.id = v.id AND projects.portfolio_hash IS NULL`, args...); err != nil {
		return err
	}
	if parts := archive[portfolioFiles.name]; len(parts) > 0 {
		columns, err := columnsOf(ctx, q, portfolioFiles.name, parts[0])
		if err != nil {
			return err
		}
		if err := insertRows(ctx, q, portfolioFiles.name, columns, "ON CONFLICT DO NOTHING", parts); err != nil {
			return err
		}
	}
	_, err = db.Exec(ctx, q, `DELETE FROM projects WHERE id IN (SELECT m.pseudonym FROM `+numbered+` m)
		AND NOT EXISTS (SELECT 1 FROM tasks t WHERE t.project_id = projects.id)`, *d.RetirementID)
	return err
}

// truth is a truth value of a row, which SQLite has as a number.
func truth(v any) bool { return v == true || v == int64(1) }
