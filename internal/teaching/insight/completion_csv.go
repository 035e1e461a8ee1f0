package insight

import (
	"context"
	"io"
	"strconv"

	"lectern/internal/ground/grade"
	"lectern/internal/ground/opt"
	"lectern/internal/platform/db"
	"lectern/internal/platform/sheet"
	"lectern/internal/teaching/status"
)

// Sheet is how far every enrolled student of a unit is with every task: what
// the sheet of task completion is written from.
type Sheet struct {
	streams  []namedID
	sets     []namedID
	tasks    []column
	students []student
	enrolled map[place]string // tutorials by student and stream, 0 for none
	groups   map[place]string // groups by student and set
	work     []mark           // by student, then by task; those nobody began are zero
}

type namedID struct {
	ID   int64  `db:"id"`
	Name string `db:"name"`
}

// column is a task definition with the cells it takes.
type column struct {
	namedID
	Graded  bool `db:"is_graded"`
	Quality bool `db:"quality"`
	Grouped bool `db:"grouped"`
}

type student struct {
	ProjectID int64       `db:"project_id"`
	StudentID *string     `db:"student_id"`
	Username  string      `db:"username"`
	Name      string      `db:"name"`
	Email     string      `db:"email"`
	Target    grade.Grade `db:"target_grade"`
	Portfolio bool        `db:"portfolio"`
	Grade     int64       `db:"grade"`
	Rationale *string     `db:"grade_rationale"`
}

// place is a student and a stream, a group set or a definition.
type place struct {
	Project int64 `db:"project_id"`
	Of      int64 `db:"of_id"`
}

type placedName struct {
	place
	Name string `db:"name"`
}

// noGrade is the grade of a task that has none.
const noGrade = grade.Lowest - 1

// mark is what a student's work on a task has come to. Numbers are none below
// their range, which spares 60,000 pointers in a large unit.
type mark struct {
	Status  status.Status `db:"status"`
	Grade   grade.Grade   `db:"grade"`
	Quality int           `db:"quality_pts"`
	Points  int           `db:"contribution_pts"`
}

// SheetOf reads a unit in seven statements. Of the caller, who may study the unit beside teaching it, it has no final
// grade.
func SheetOf(ctx context.Context, q db.Q, unitID, callerID int64) (s *Sheet, err error) {
	s = &Sheet{}
	if s.streams, err = db.All[namedID](ctx, q, `SELECT id, abbreviation AS name FROM tutorial_streams
		WHERE unit_id = $1 ORDER BY id`, unitID); err != nil {
		return nil, err
	}
	if s.sets, err = db.All[namedID](ctx, q, `SELECT id, name FROM group_sets WHERE unit_id = $1 ORDER BY id`,
		unitID); err != nil {
		return nil, err
	}
	if s.tasks, err = db.All[column](ctx, q, `SELECT id, abbreviation AS name, is_graded, max_quality_pts > 0 AS
		quality, group_set_id IS NOT NULL AS grouped
		FROM task_definitions WHERE unit_id = $1 ORDER BY target_grade, start_date, abbreviation`, unitID); err != nil {
		return nil, err
	}
	if s.students, err = db.All[student](ctx, q, `SELECT p.id AS project_id, u.student_id, u.username, u.first_name ||
		' ' || u.last_name AS name,
			u.email, p.target_grade, p.portfolio_hash IS NOT NULL AS portfolio,
			CASE WHEN p.user_id = $2 THEN 0 ELSE p.grade END AS grade,
			CASE WHEN p.user_id <> $2 THEN p.grade_rationale END AS grade_rationale
		FROM projects p JOIN users u ON u.id = p.user_id WHERE p.unit_id = $1 AND p.enrolled ORDER BY u.username_key`,
		unitID, callerID); err != nil {
		return nil, err
	}
	if s.enrolled, err = names(ctx, q, `SELECT p.id AS project_id, coalesce(e.tutorial_stream_id, 0) AS of_id,
		t.abbreviation AS name
		FROM projects p JOIN tutorial_enrolments e ON e.project_id = p.id JOIN tutorials t ON t.id = e.tutorial_id
		WHERE p.unit_id = $1 AND p.enrolled`, unitID); err != nil {
		return nil, err
	}
	if s.groups, err = names(ctx, q, `SELECT m.project_id, m.group_set_id AS of_id, g.name
		FROM group_sets gs JOIN unit_groups g ON g.group_set_id = gs.id
		JOIN group_memberships m ON m.unit_group_id = g.id AND m.active
		WHERE gs.unit_id = $1`, unitID); err != nil {
		return nil, err
	}
	return s, s.readWork(ctx, q, unitID)
}

func names(ctx context.Context, q db.Q, text string, unitID int64) (map[place]string, error) {
	out := map[place]string{}
	for n, err := range db.Each[placedName](ctx, q, text, unitID) {
		if err != nil {
			return nil, err
		}
		out[n.place] = n.Name
	}
	return out, nil
}

func (s *Sheet) readWork(ctx context.Context, q db.Q, unitID int64) error {
	rows, columns := map[int64]int{}, map[int64]int{}
	for i, p := range s.students {
		rows[p.ProjectID] = i * len(s.tasks)
	}
	for i, c := range s.tasks {
		columns[c.ID] = i
	}
	s.work = make([]mark, len(s.students)*len(s.tasks))
	type placed struct {
		place
		mark
	}
	for w, err := range db.Each[placed](ctx, q, `SELECT t.project_id, t.task_definition_id AS of_id, t.status,
		coalesce(t.grade, `+strconv.Itoa(int(noGrade))+`) AS grade, t.quality_pts,
			CASE WHEN t.group_submission_id IS NOT NULL THEN t.contribution_pts ELSE -1 END AS contribution_pts
		FROM projects p JOIN tasks t ON t.project_id = p.id WHERE p.unit_id = $1 AND p.enrolled`, unitID) {
		if err != nil {
			return err
		}
		s.work[rows[w.Project]+columns[w.Of]] = w.mark
	}
	return nil
}

// Write writes the sheet: one row per student by user name, one column per task by
// target grade, start and abbreviation, with further ones for its grade, its
// stars and the share in a group's work where it has them.
func (s *Sheet) Write(w io.Writer) error {
	t := sheet.Write(w, s.headings())
	for i := range s.students {
		if err := t.Row(s.row(i)...); err != nil {
			return err
		}
	}
	return t.Flush()
}

func (s *Sheet) headings() []string {
	out := []string{"Student ID", "Username", "Student Name", "Target Grade", "Email", "Portfolio", "Grade",
		"Rationale"}
	if len(s.streams) == 0 {
		out = append(out, "Tutorial")
	}
	for _, n := range append(s.streams[:len(s.streams):len(s.streams)], s.sets...) {
		out = append(out, n.Name)
	}
	for _, c := range s.tasks {
		out = c.cells(out, c.Name, c.Name+" grade", c.Name+" stars", c.Name+" contribution")
	}
	return out
}

// cells adds those of a task's cells that its column has.
func (c column) cells(out []string, state, grade, stars, contribution string) []string {
	out = append(out, state)
	if c.Graded {
		out = append(out, grade)
	}
	if c.Quality {
		out = append(out, stars)
	}
	if c.Grouped {
		out = append(out, contribution)
	}
	return out
}

func (s *Sheet) row(i int) []string {
	p, grade := &s.students[i], ""
	if p.Grade > 0 {
		grade = strconv.FormatInt(p.Grade, 10)
	}
	out := []string{opt.Or(p.StudentID, ""), p.Username, p.Name, p.Target.Name(), p.Email,
		strconv.FormatBool(p.Portfolio), grade, opt.Or(p.Rationale, "")}
	out = append(out, s.tutorials(p.ProjectID)...)
	for _, set := range s.sets {
		out = append(out, s.groups[place{p.ProjectID, set.ID}])
	}
	for k, c := range s.tasks {
		m := s.work[i*len(s.tasks)+k]
		if m.Status == "" {
			m = mark{status.NotStarted, noGrade, -1, -1}
		}
		out = c.cells(out, m.Status.Name(), m.Grade.Letter(), number(m.Quality), number(m.Points))
	}
	return out
}

// tutorials gives a student's tutorial in each stream. One outside the streams
// takes the place of all.
func (s *Sheet) tutorials(project int64) []string {
	only := s.enrolled[place{project, 0}]
	if len(s.streams) == 0 {
		return []string{only}
	}
	out := make([]string, len(s.streams))
	for i, stream := range s.streams {
		out[i] = s.enrolled[place{project, stream.ID}]
		if out[i] == "" {
			out[i] = only
		}
	}
	return out
}

// number is one that is none below 0.
func number(n int) string {
	if n < 0 {
		return ""
	}
	return strconv.Itoa(n)
}
