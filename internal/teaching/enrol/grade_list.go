package enrol

import (
	"context"
	"fmt"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/progress"
)

// GradeShow narrows the final grades of a unit.
type GradeShow string

// What can be shown; the zero value shows all.
const (
	ShowWithout    GradeShow = "without"    // those without a final grade
	ShowFirst      GradeShow = "first"      // those with one who never saw any
	ShowChanged    GradeShow = "changed"    // those who saw another last
	ShowPortfolios GradeShow = "portfolios" // those who have a portfolio
)

// gradeShows are conditions on a project p.
var gradeShows = map[GradeShow]string{
	"":             `TRUE`,
	ShowWithout:    `p.grade = 0`,
	ShowFirst:      `p.grade > 0 AND p.grade_shown IS NULL`,
	ShowChanged:    `p.grade > 0 AND p.grade_shown <> p.grade`,
	ShowPortfolios: `p.portfolio_hash IS NOT NULL`,
}

// Enum gives all values, for the documentation of the API.
func (GradeShow) Enum() []string {
	return []string{string(ShowWithout), string(ShowFirst), string(ShowChanged), string(ShowPortfolios)}
}

// Known tells whether there is such a part.
func (g GradeShow) Known() bool { return gradeShows[g] != "" }

// FinalGradeRow is an enrolled student of a unit with what the final grade rests on.
type FinalGradeRow struct {
	ProjectID      int64 `db:"id" json:"project_id"`
	Student        `json:"student"`
	TargetGrade    grade.Grade  `db:"target_grade" json:"target_grade"`
	SubmittedGrade *grade.Grade `db:"submitted_grade" json:"submitted_grade"`
	HasPortfolio   bool         `db:"has_portfolio" json:"has_portfolio"`
	PortfolioAt    *clock.Time  `db:"portfolio_produced_at" json:"portfolio_produced_at" doc:"when the portfolio was made; null: there is none"`
	GradeValue
	Shown          *int64 `db:"grade_shown" json:"grade_shown" doc:"the final grade the student saw last; null: none yet"`
	progress.Stats `json:"stats"`
}

// GradeQuery says which final grades of a unit are asked for, and which part of them.
type GradeQuery struct {
	UnitID   int64
	CallerID int64  // who studies the unit beside teaching it is not in the list: nobody grades themselves
	Text     string // see ident.MatchPerson
	Show     GradeShow
	Page     db.Page
}

// from picks the rows of a query from projects p and their students s.
func (g GradeQuery) from() (string, []any) {
	match, args := ident.MatchPerson([]any{g.UnitID, g.CallerID}, g.Text)
	show := gradeShows[g.Show]
	if show == "" {
		show = gradeShows[""]
	}
	return ` FROM projects p JOIN users s ON s.id = p.user_id WHERE p.unit_id = $1 AND p.enrolled AND p.user_id <> $2
		AND ` + show + ` AND ` + match, args
}

// selectGrades reads FinalGradeRow from a project p and its student s.
const selectGrades = `SELECT p.id, s.id AS person_id, s.student_id, s.username, s.email, s.first_name, s.last_name,
	coalesce(s.nickname, '') AS nickname, p.target_grade, p.submitted_grade, p.portfolio_hash IS NOT NULL AS has_portfolio,
	p.portfolio_produced_at, p.grade, p.grade_rationale, p.grade_shown, p.red_pct, p.grey_pct, p.orange_pct, p.blue_pct,
	p.green_pct, p.order_scale`

const gradeOrder = ` ORDER BY s.name_key, s.first_name, s.last_name, p.id`

// List gives the final grades of the enrolled students of a unit by name, with or without one, and tells how
// many there are in all, -1 where all were asked for. It is for holders of policy.ListStudents in the unit.
func (g GradeQuery) List(ctx context.Context, q db.Q) (list []FinalGradeRow, total int64, err error) {
	from, args := g.from()
	total = -1
	if g.Page.Asked() {
		n, err := db.One[int64](ctx, q, `SELECT count(*)`+from, args...)
		if err != nil {
			return nil, 0, err
		}
		total = *n
	}
	n := len(args)
	list, err = db.All[FinalGradeRow](ctx, q, fmt.Sprintf(selectGrades+`%s%s LIMIT $%d OFFSET $%d`, from, gradeOrder, n+1,
		n+2), append(args, g.Page.Limit(), g.Page.Offset())...)
	return list, total, err
}

// GradeCounts are how many students of a unit stand where with their final grade.
type GradeCounts struct {
	Students   int64 `db:"students"`
	Without    int64 `db:"without_grade"`
	Changed    int64 `db:"changed"`
	First      int64 `db:"first_time"`
	Portfolios int64 `db:"portfolios"`
}

// Counts tells how many students each part has, whatever text is looked for.
func (g GradeQuery) Counts(ctx context.Context, q db.Q) (*GradeCounts, error) {
	count := func(show GradeShow) string { return `count(CASE WHEN ` + gradeShows[show] + ` THEN 1 END)` }
	return db.One[GradeCounts](ctx, q, `SELECT count(*) AS students, `+count(ShowWithout)+` AS without_grade, `+
		count(ShowChanged)+` AS changed, `+count(ShowFirst)+` AS first_time, `+count(ShowPortfolios)+` AS portfolios
		FROM projects p WHERE p.unit_id = $1 AND p.enrolled AND p.user_id <> $2`, g.UnitID, g.CallerID)
}

// GradeSpread is how many students have which final grade; those without one are at 0.
type GradeSpread [101]int64

// Spread counts the final grades of all whom the caller may grade.
func (g GradeQuery) Spread(ctx context.Context, q db.Q) (out GradeSpread, err error) {
	type row struct {
		Grade int64 `db:"grade"`
		Count int64 `db:"n"`
	}
	for r, err := range db.Each[row](ctx, q, `SELECT p.grade, count(*) AS n FROM projects p
		WHERE p.unit_id = $1 AND p.enrolled AND p.user_id <> $2 GROUP BY p.grade`, g.UnitID, g.CallerID) {
		if err != nil {
			return out, err
		}
		out[r.Grade] = r.Count
	}
	return out, nil
}

// Tens counts the final grades by tens, from 0 to 90; 100 counts with 90. Who has none is in none of them.
func (s *GradeSpread) Tens() (out [10]int64) {
	for grade, n := range s[1:] {
		out[min((grade+1)/10, 9)] += n
	}
	return out
}

// Median is the final grade in the middle, between the two in the middle where there are two; 0: nobody has one.
func (s *GradeSpread) Median() float64 {
	var all int64
	for _, n := range s[1:] {
		all += n
	}
	at := func(i int64) float64 { // the one after i others
		for grade, n := range s[1:] {
			if i -= n; i < 0 {
				return float64(grade + 1)
			}
		}
		return 0
	}
	return (at((all-1)/2) + at(all/2)) / 2
}

// Neighbours gives the projects beside one in the order of the list, 0 where there is none: to read portfolios one
// after another.
func (g GradeQuery) Neighbours(ctx context.Context, q db.Q, projectID int64) (before, after int64, err error) {
	from, args := g.from()
	type row struct {
		ID     int64  `db:"id"`
		Before *int64 `db:"before_id"`
		After  *int64 `db:"after_id"`
	}
	over := ` OVER (ORDER BY s.name_key, s.first_name, s.last_name, p.id)`
	list, err := db.All[row](ctx, q, fmt.Sprintf(`SELECT x.id, x.before_id, x.after_id FROM (SELECT p.id,
		lag(p.id)%s AS before_id, lead(p.id)%s AS after_id%s) x WHERE x.id = $%d`, over, over, from, len(args)+1),
		append(args, projectID)...)
	if err != nil || len(list) == 0 {
		return 0, 0, err
	}
	if list[0].Before != nil {
		before = *list[0].Before
	}
	if list[0].After != nil {
		after = *list[0].After
	}
	return before, after, nil
}

// One gives the row of a project. It fails with fault.Missing where no enrolled student of the unit but the caller
// has it.
func (g GradeQuery) One(ctx context.Context, q db.Q, projectID int64) (*FinalGradeRow, error) {
	return db.OneOf[FinalGradeRow](ctx, q, "project", selectGrades+` FROM projects p JOIN users s ON s.id = p.user_id
		WHERE p.id = $1 AND p.unit_id = $2 AND p.enrolled AND p.user_id <> $3`, projectID, g.UnitID, g.CallerID)
}
