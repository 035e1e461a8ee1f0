package enrol

import (
	"context"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/grade"
	"lectern/internal/ground/opt"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
)

// Project is a student in a unit, as lists show it.
type Project struct {
	ID                 int64  `db:"id" json:"id"`
	CampusID           *int64 `db:"campus_id" json:"campus_id"`
	UserID             int64  `db:"user_id" json:"user_id"`
	course.UnitBrief   `json:"unit"`
	TargetGrade        grade.Grade `db:"target_grade" json:"target_grade"`
	PortfolioAvailable bool        `db:"portfolio_available" json:"portfolio_available"`
}

// selectProjects reads Project for the caller $1, who is employed as r.
const selectProjects = `SELECT p.id, p.campus_id, p.user_id, p.target_grade, p.portfolio_hash IS NOT NULL AS
	portfolio_available,
		u.code, u.id AS unit_id, u.name AS unit_name, u.teaching_period_id, u.start_date, u.end_date, u.active,
		CASE r.role WHEN 3 THEN 'Convenor' WHEN 2 THEN 'Tutor' ELSE 'Student' END AS my_role
	FROM projects p JOIN units u ON u.id = p.unit_id
	LEFT JOIN unit_roles r ON r.unit_id = u.id AND r.user_id = $1`

// ProjectsOf lists what a user studies; units that are over only when asked.
func ProjectsOf(ctx context.Context, q db.Q, userID int64, inactive bool) ([]Project, error) {
	return db.All[Project](ctx, q, selectProjects+`
		WHERE p.user_id = $1 AND p.enrolled AND (u.active OR CAST($2 AS BOOLEAN)) ORDER BY p.id`, userID, inactive)
}

// ProjectDetail is one project as its student sees it; ForStaff is nil then.
type ProjectDetail struct {
	Project
	Enrolled                 bool         `db:"enrolled" json:"enrolled"`
	SubmittedGrade           *grade.Grade `db:"submitted_grade" json:"submitted_grade"`
	CompilePortfolio         bool         `db:"compile_portfolio" json:"compile_portfolio"`
	UsesDraftLearningSummary bool         `db:"uses_draft_learning_summary" json:"uses_draft_learning_summary"`
	GradePublishedAt         *clock.Time  `db:"grade_published_at" json:"grade_published_at"` // nil: it is not
	Has                      Parts        `json:"-"`
	*GradeValue                           // nil: it is not for the reader
	*ForStaff
}

// Parts tell what a project has of what many have not, so that nobody need ask for it.
type Parts struct {
	Files      bool `db:"has_files"` // in its portfolio
	Groups     bool `db:"has_groups"`
	Alignments bool `db:"has_alignments"` // the student's own
}

const partColumns = `EXISTS (SELECT 1 FROM portfolio_files f WHERE f.project_id = p.id) AS has_files,
	EXISTS (SELECT 1 FROM group_memberships m WHERE m.project_id = p.id AND m.active) AS has_groups,
	EXISTS (SELECT 1 FROM tasks t JOIN learning_outcome_links l ON l.task_id = t.id
		WHERE t.project_id = p.id) AS has_alignments`

// publishedColumn reads since when the student of a project p sees their final grade in the unit u.
const publishedColumn = `CASE WHEN p.enrolled THEN u.grades_published_at END AS grade_published_at`

// ProjectByID gives one, for a reader with this role in its unit and, where
// they are of the staff, with what only the staff may see.
func ProjectByID(ctx context.Context, q db.Q, id int64, myRole policy.RoleName, staff bool) (*ProjectDetail, error) {
	forStaff := `, p.grade, p.grade_rationale FROM projects p JOIN units u ON u.id = p.unit_id WHERE p.id = $1`
	if staff {
		forStaff = `, ` + staffColumns + ` FROM projects p JOIN units u ON u.id = p.unit_id
			JOIN users s ON s.id = p.user_id WHERE p.id = $1`
	}
	row, err := db.OneOf[struct {
		ProjectDetail
		Parts
		GradeValue
		ForStaff
	}](ctx, q, "project", `SELECT p.id, p.campus_id, p.user_id, p.target_grade, p.portfolio_hash IS NOT NULL AS
		portfolio_available,
			p.enrolled, p.submitted_grade, p.compile_portfolio, p.uses_draft_learning_summary, `+publishedColumn+`,
			u.code, u.id AS unit_id, u.name AS unit_name, u.teaching_period_id, u.start_date, u.end_date, u.active, `+
		partColumns+forStaff, id)
	if err != nil {
		return nil, err
	}
	d := row.ProjectDetail
	d.Has = row.Parts
	if myRole != "" {
		d.MyRole = &myRole
	}
	if staff || d.GradePublishedAt != nil {
		d.GradeValue = &row.GradeValue
	}
	if staff {
		row.ForStaff.GradeValue = row.GradeValue
		d.ForStaff = &row.ForStaff
	}
	return &d, nil
}

// AddProject enrols a user in a unit on behalf of someone. One who is enrolled already stays as
// they are; one who was withdrawn comes back, to the campus given. It is for holders of
// policy.EnrolStudents. It refuses a campus that there is not.
func AddProject(ctx context.Context, q db.Q, by, unitID, userID, campusID int64) (int64, error) {
	campus, err := campusOrNone(ctx, q, campusID)
	if err != nil {
		return 0, err
	}
	n, err := db.Exec(ctx, q, `INSERT INTO projects (unit_id, user_id, campus_id, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $4) ON CONFLICT (unit_id, user_id) DO NOTHING`, unitID, userID, campus, q.Now())
	if err != nil {
		return 0, err
	}
	id, err := db.One[int64](ctx, q, `SELECT id FROM projects WHERE unit_id = $1 AND user_id = $2`, unitID, userID)
	if err != nil {
		return 0, err
	}
	if n == 1 {
		return *id, tellEnrolment(ctx, q, by, *id)
	}
	if err := db.Lock(ctx, q, "projects", *id); err != nil {
		return 0, err
	}
	n, err = db.Exec(ctx, q, `UPDATE projects SET enrolled = TRUE, campus_id = $2, updated_at = $3 WHERE id = $1
		AND NOT enrolled`, *id, campus, q.Now())
	if err != nil || n == 0 {
		return *id, err
	}
	if err := dropStale(ctx, q, *id); err != nil {
		return 0, err
	}
	return *id, tellEnrolment(ctx, q, by, *id)
}

// ProjectChange is what to set of a project; nil leaves a value alone. Who may
// set what is the caller's to check.
type ProjectChange struct {
	CampusID         *int64 // below 1: none
	Enrolled         *bool
	TargetGrade      *grade.Grade
	SubmittedGrade   *grade.Grade // below 0: none
	CompilePortfolio *bool
	Grade            *FinalGrade
}

// FinalGrade is what to set of the result of a unit; nil leaves a value alone. Old is the
// grade its giver knew: where it is another by now, somebody else was faster.
type FinalGrade struct {
	Grade, Old *int64
	Explain    bool // Rationale is set too, nil for none
	Rationale  *string
}

// projectState is a project as the table holds it.
type projectState struct {
	ID             int64        `db:"id"`
	CampusID       *int64       `db:"campus_id"`
	Enrolled       bool         `db:"enrolled"`
	TargetGrade    grade.Grade  `db:"target_grade"`
	SubmittedGrade *grade.Grade `db:"submitted_grade"`
	Compile        bool         `db:"compile_portfolio"`
	AutoGenerated  bool         `db:"portfolio_auto_generated"`
	HasPortfolio   bool         `db:"has_portfolio"`
	Grade          int64        `db:"grade"`
	Rationale      *string      `db:"grade_rationale"`
	published      bool         // its student sees the final grade
}

// ChangeProject applies all of c or none of it, on behalf of someone; usecase.ChangeProject
// asks the right of each value. It refuses a campus that the student's tutorials are not for, a
// grade of a portfolio that is made already, and with fault.Conflict a final grade where
// somebody changed it meanwhile. It tells whether the student sees another final grade from now on.
func ChangeProject(ctx context.Context, q db.Q, by, id int64, c ProjectChange) (shown bool, err error) {
	published := false
	if c.Grade != nil {
		if published, err = holdPublished(ctx, q, id); err != nil {
			return false, err
		}
	}
	if err := db.Lock(ctx, q, "projects", id); err != nil {
		return false, err
	}
	p, err := db.OneOf[projectState](ctx, q, "project", `SELECT id, campus_id, enrolled, target_grade, submitted_grade,
		compile_portfolio,
		portfolio_auto_generated, portfolio_hash IS NOT NULL AS has_portfolio, grade, grade_rationale
		FROM projects WHERE id = $1`, id)
	if err != nil {
		return false, err
	}
	before := *p
	if err := p.apply(ctx, q, c); err != nil {
		return false, err
	}
	p.published = published && p.Enrolled
	shown = p.published && p.Grade != before.Grade
	_, err = db.Exec(ctx, q, `UPDATE projects SET campus_id = $2, enrolled = $3, target_grade = $4, submitted_grade =
		$5, compile_portfolio = $6,
			portfolio_auto_generated = $7, grade = $8, grade_rationale = $9, updated_at = $10,
			grade_shown = CASE WHEN CAST($11 AS BOOLEAN) THEN CAST($8 AS INTEGER) ELSE grade_shown END
		WHERE id = $1`, id, p.CampusID, p.Enrolled, p.TargetGrade, p.SubmittedGrade, p.Compile, p.AutoGenerated,
		p.Grade, p.Rationale, q.Now(), shown)
	if err != nil {
		return false, err
	}
	if p.Enrolled && !before.Enrolled {
		if err := dropStale(ctx, q, id); err != nil {
			return false, err
		}
	}
	return shown, p.tell(ctx, q, by, before)
}

func (p *projectState) apply(ctx context.Context, q db.Q, c ProjectChange) error {
	opt.Set(&p.Enrolled, c.Enrolled)
	opt.Set(&p.TargetGrade, c.TargetGrade)
	if c.CompilePortfolio != nil {
		p.Compile, p.AutoGenerated = *c.CompilePortfolio, false
	}
	if err := p.submitGrade(c.SubmittedGrade); err != nil {
		return err
	}
	if err := p.giveGrade(c.Grade); err != nil {
		return err
	}
	return p.moveCampus(ctx, q, c.CampusID)
}

// submitGrade notes the grade a student claims, which the portfolio then rests on.
func (p *projectState) submitGrade(g *grade.Grade) error {
	switch {
	case g == nil:
		return nil
	case p.HasPortfolio:
		return fault.New(fault.Conflict, "The portfolio is already compiled, so its grade can no longer be changed. "+
			"Delete the portfolio first.")
	case !g.Target():
		p.SubmittedGrade = nil
	default:
		p.SubmittedGrade = g
	}
	return nil
}

func (p *projectState) giveGrade(g *FinalGrade) error {
	if g == nil {
		return nil
	}
	if g.Old != nil && *g.Old != p.Grade {
		return fault.New(fault.Conflict, "The grade is now %d, not %d, because somebody changed it. Nothing was "+
			"saved: load the project again.", p.Grade, *g.Old)
	}
	opt.Set(&p.Grade, g.Grade)
	if g.Explain {
		p.Rationale = g.Rationale
	}
	return nil
}

// moveCampus changes the campus unless a tutorial the student is in is for
// another. Those tutorials are locked, so that none moves meanwhile.
func (p *projectState) moveCampus(ctx context.Context, q db.Q, campusID *int64) (err error) {
	if campusID == nil {
		return nil
	}
	if p.CampusID, err = campusOrNone(ctx, q, *campusID); err != nil || p.CampusID == nil {
		return err
	}
	if q.Postgres() {
		_, err := db.Exec(ctx, q, `SELECT 1 FROM tutorials WHERE id IN (SELECT tutorial_id
			FROM tutorial_enrolments WHERE project_id = $1)
			ORDER BY id FOR SHARE`, p.ID)
		if err != nil {
			return err
		}
	}
	names, err := db.All[string](ctx, q, `SELECT t.abbreviation FROM tutorial_enrolments e
		JOIN tutorials t ON t.id = e.tutorial_id WHERE e.project_id = $1 AND t.campus_id <> $2 ORDER BY t.id`, p.ID,
		p.CampusID)
	if err == nil && len(names) > 0 {
		return fault.New(fault.Conflict, "The student is in %s, which is not for that campus. Move them to another "+
			"tutorial first.", strings.Join(names, ", "))
	}
	return err
}

// dropStale takes from students who come back what no longer fits: places in
// tutorials of another campus, groups that stay in a class they are not in, and
// groups that have filled up meanwhile. Places in full tutorials stay: it is the
// staff who enrol again, and they may exceed the capacity.
func dropStale(ctx context.Context, q db.Q, ids ...int64) error {
	if len(ids) == 0 {
		return nil
	}
	list, args, err := idRows(q, ids)
	if err != nil {
		return err
	}
	back := `(SELECT id FROM ` + list + ` r)`
	_, err = db.Exec(ctx, q, `DELETE FROM tutorial_enrolments WHERE project_id IN `+back+` AND EXISTS (
		SELECT 1 FROM tutorials t JOIN projects p ON p.campus_id <> t.campus_id
		WHERE t.id = tutorial_enrolments.tutorial_id AND p.id = tutorial_enrolments.project_id)`, args...)
	if err != nil {
		return err
	}
	if q.Postgres() {
		_, err := db.Exec(ctx, q, `SELECT 1 FROM unit_groups WHERE id IN (SELECT unit_group_id FROM group_memberships
			WHERE project_id IN `+back+` AND active) ORDER BY id FOR UPDATE`, args...)
		if err != nil {
			return err
		}
	}
	// Of several who come back at once the first find the places.
	_, err = db.Exec(ctx, q, `UPDATE group_memberships SET active = FALSE WHERE project_id IN `+back+
		` AND active AND EXISTS (
		SELECT 1 FROM unit_groups g JOIN group_sets gs ON gs.id = g.group_set_id
		WHERE g.id = group_memberships.unit_group_id AND (
			(gs.keep_groups_in_same_class AND NOT EXISTS (
				SELECT 1 FROM tutorial_enrolments e WHERE e.project_id = group_memberships.project_id
				AND e.tutorial_id = g.tutorial_id))
			OR gs.capacity + g.capacity_adjustment <= (
				SELECT count(*) FROM group_memberships m JOIN projects p ON p.id = m.project_id AND p.enrolled
				WHERE m.unit_group_id = g.id AND m.active
				AND (m.project_id < group_memberships.project_id OR m.project_id NOT IN `+back+`))))`, args...)
	return err
}
