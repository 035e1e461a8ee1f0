package enrol

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/opt"
	"lectern/internal/people/ident"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/events"
)

const (
	// MostGiven is how many final grades may be given at once.
	MostGiven = 5000
	// MostRationale bounds what is said of a final grade, in bytes.
	MostRationale = 10_000
)

// GivenGrade is a final grade that somebody gives: to the student of a project, or to whom a name names.
type GivenGrade struct {
	ProjectID int64   `json:"project_id,omitempty" doc:"of the student; or student is given"`
	Name      string  `json:"student,omitempty" doc:"a student number, a user name or an address; or project_id is given"`
	Grade     *int64  `json:"grade,omitempty" doc:"the final grade, 0 to 100; 0: none; it stays where it is absent"`
	Old       *int64  `json:"old_grade,omitempty" doc:"the grade you know: the row is refused if it is another by now"`
	Rationale *string `json:"grade_rationale,omitempty" doc:"empty: none; it stays where it is absent"`
	OldWords  *string `json:"old_grade_rationale,omitempty" doc:"the rationale you know: the row is refused if it is another by now"`
	Line      int     `json:"-"` // where it stands in a sheet; 0: in none
	Wrong     string  `json:"-"` // what the sheet has wrong with it
}

// GradeOutcome is what becomes of one of the given grades, with the student whom it is for.
type GradeOutcome struct {
	Line      int         `json:"line,omitempty" doc:"where the row begins in the sheet; absent where there is none"`
	ProjectID int64       `db:"id" json:"project_id" doc:"0: nobody was found"`
	UserID    int64       `db:"user_id" json:"-"`
	Username  string      `db:"username" json:"username"`
	StudentID *string     `db:"student_id" json:"student_id"`
	FirstName string      `db:"first_name" json:"first_name"`
	LastName  string      `db:"last_name" json:"last_name"`
	Name      string      `json:"named" doc:"as the row names the student"`
	Outcome   MoveOutcome `json:"outcome" doc:"what becomes of the student"`
	Message   string      `json:"message" doc:"why not; empty: it can be"`
	From      GradeValue  `json:"from" doc:"what there was"`
	To        GradeValue  `json:"to" doc:"what there is, or would be"`
}

// GradesGiven is what giving final grades came to, or would.
type GradesGiven struct {
	Rows      []GradeOutcome `json:"rows" doc:"in the order in which they were given"`
	Changed   int            `json:"changed" doc:"rows that change something"`
	Unchanged int            `json:"unchanged" doc:"rows that say what is there already"`
	Refused   int            `json:"refused" doc:"rows that cannot be; nothing of them is saved"`
	Published bool           `json:"published" doc:"students see the final grades: they see these at once, and are told"`
	Plan      string         `json:"plan" doc:"the sign of this answer, for the call that saves"`
}

// Seen are the projects whose students see another grade from now on.
func (g *GradesGiven) Seen() (ids []int64) {
	for i := range g.Rows {
		if r := &g.Rows[i]; g.Published && r.Outcome == Moves && r.From.Grade != r.To.Grade {
			ids = append(ids, r.ProjectID)
		}
	}
	return ids
}

// GiveGrades gives final grades to students of a unit, on behalf of someone, for holders of policy.GradeUnit. A row
// that cannot be (nobody of that name is enrolled, two rows for one student, no grade, the own grade of who gives
// them, or a value that somebody changed since it was seen) is refused and says why; the others are saved. A plan
// does all but that. It refuses with fault.Missing a project of another unit, and with fault.Conflict what no longer
// comes to what was planned.
func GiveGrades(ctx context.Context, q db.Q, by, unitID int64, list []GivenGrade, plan string, planOnly bool) (
	*GradesGiven, error) {
	if len(list) == 0 || len(list) > MostGiven {
		return nil, fault.Field(fault.Refused, "grades", "must hold 1 to %d rows", MostGiven)
	}
	out := &GradesGiven{}
	var err error
	if planOnly {
		out.Published, err = isPublished(ctx, q, unitID)
	} else {
		out.Published, err = published(ctx, q, "$1", unitID)
	}
	if err != nil {
		return nil, err
	}
	students, err := readGradees(ctx, q, unitID, !planOnly)
	if err != nil {
		return nil, err
	}
	given := map[int64]int{}
	for i := range list {
		if id := list[i].ProjectID; id != 0 && students.byID[id] == nil {
			return nil, fault.New(fault.Missing, "No student of this unit has the project %d.", id)
		}
		out.Rows = append(out.Rows, students.decide(by, &list[i], i, given))
	}
	out.sum()
	switch {
	case planOnly:
		return out, nil
	case plan != "" && plan != out.Plan:
		return nil, fault.New(fault.Conflict, "Somebody changed a final grade in the meantime, so nothing was saved. "+
			"Look at the plan again.")
	}
	return out, out.write(ctx, q, by)
}

// isPublished tells whether the students of a unit see their final grades at this moment.
func isPublished(ctx context.Context, q db.Q, unitID int64) (bool, error) {
	is, err := db.OneOf[bool](ctx, q, "unit", `SELECT grades_published_at IS NOT NULL FROM units WHERE id = $1`, unitID)
	if err != nil {
		return false, err
	}
	return *is, nil
}

// gradees are the students of a unit by all that a row may name them by.
type gradees struct {
	byID   map[int64]*gradee
	byName map[string]*gradee
}

type gradee struct {
	GradeOutcome
	GradeValue
	Enrolled bool   `db:"enrolled"`
	Key      string `db:"username_key"`
	EmailKey string `db:"email_key"`
}

func readGradees(ctx context.Context, q db.Q, unitID int64, hold bool) (*gradees, error) {
	text := `SELECT p.id, p.user_id, s.username, s.student_id, s.first_name, s.last_name, p.grade, p.grade_rationale,
		s.username_key, s.email_key, p.enrolled FROM projects p JOIN users s ON s.id = p.user_id WHERE p.unit_id = $1
		ORDER BY p.id`
	if hold && q.Postgres() {
		text += ` FOR NO KEY UPDATE OF p`
	}
	out := &gradees{map[int64]*gradee{}, map[string]*gradee{}}
	list, err := db.All[gradee](ctx, q, text, unitID)
	for i := range list {
		one := &list[i]
		out.byID[one.ProjectID] = one
		out.byName["e"+one.EmailKey] = one
		out.byName["u"+one.Key] = one
		if number := strings.TrimSpace(opt.Or(one.StudentID, "")); number != "" {
			out.byName["n"+strings.ToLower(number)] = one
		}
	}
	return out, err
}

// find gives whom a row is for: by project, student number, user name or address, in this order.
func (g *gradees) find(r *GivenGrade) *gradee {
	if r.ProjectID != 0 {
		return g.byID[r.ProjectID]
	}
	name := strings.TrimSpace(r.Name)
	for _, key := range []string{"n" + strings.ToLower(name), "u" + ident.Key(name), "e" + ident.Key(name)} {
		if one := g.byName[key]; one != nil {
			return one
		}
	}
	return nil
}

// decide tells what becomes of a row; given are the rows before it by project.
func (g *gradees) decide(by int64, r *GivenGrade, i int, given map[int64]int) (o GradeOutcome) {
	s := g.find(r)
	if s != nil {
		o, o.From = s.GradeOutcome, s.GradeValue
		o.To = o.From
	}
	o.Line, o.Name = r.Line, strings.TrimSpace(r.Name)
	refuse := func(format string, args ...any) GradeOutcome {
		o.Outcome, o.To, o.Message = Refused, o.From, fmt.Sprintf(format, args...)
		return o
	}
	switch before, again := given[o.ProjectID]; {
	case r.Wrong != "":
		return refuse("%s", r.Wrong)
	case s == nil:
		return refuse("Nobody of this number, user name or address is enrolled in this unit.")
	case !s.Enrolled:
		return refuse("The student is withdrawn from this unit. Enrol them again first.")
	case s.UserID == by:
		o.From = GradeValue{}
		return refuse("Nobody gives their own final grade. Ask a colleague.")
	case again:
		return refuse("The student is in row %d already. Remove one of the two rows.", before)
	}
	given[o.ProjectID] = i + 1
	if r.Line > 0 {
		given[o.ProjectID] = r.Line
	}
	if why := r.wrong(s); why != "" {
		return refuse("%s", why)
	}
	return o.give(r)
}

// wrong tells why the row cannot be given to a student; empty: it can.
func (r *GivenGrade) wrong(s *gradee) string {
	switch {
	case r.Grade != nil && (*r.Grade < 0 || *r.Grade > 100):
		return "The grade must be a whole number from 0 to 100."
	case r.Rationale != nil && len(*r.Rationale) > MostRationale:
		return fmt.Sprintf("The rationale is longer than %s.", bounds.SizeText(MostRationale))
	case r.Old != nil && *r.Old != s.Grade && opt.Or(r.Grade, s.Grade) != s.Grade:
		return fmt.Sprintf("Somebody changed the grade in the meantime: it is %s now, you saw %s.", told(s.Grade),
			told(*r.Old))
	case r.OldWords != nil && *r.OldWords != opt.Or(s.GradeRationale, "") &&
		opt.Or(r.Rationale, opt.Or(s.GradeRationale, "")) != opt.Or(s.GradeRationale, ""):
		return "Somebody changed the rationale in the meantime."
	}
	return ""
}

// told is a final grade in words.
func told(grade int64) string {
	if grade == 0 {
		return "none"
	}
	return strconv.FormatInt(grade, 10)
}

// give puts the values of a row on its student.
func (o GradeOutcome) give(r *GivenGrade) GradeOutcome {
	if r.Grade != nil {
		o.To.Grade = *r.Grade
	}
	if r.Rationale != nil {
		o.To.GradeRationale = nil
		if text := strings.TrimSpace(*r.Rationale); text != "" {
			o.To.GradeRationale = &text
		}
	}
	o.Outcome = Stays
	if o.To.Grade != o.From.Grade || opt.Or(o.To.GradeRationale, "") != opt.Or(o.From.GradeRationale, "") {
		o.Outcome = Moves
	}
	return o
}

// sum counts the rows, and makes the sign by which they are known again.
func (g *GradesGiven) sum() {
	sum := sha256.New()
	for i := range g.Rows {
		r := &g.Rows[i]
		switch r.Outcome {
		case Moves:
			g.Changed++
		case Stays:
			g.Unchanged++
		case Refused:
			g.Refused++
		}
		fmt.Fprintf(sum, "%d %s %q %d %d %q %q\n", r.ProjectID, r.Outcome, r.Message, r.From.Grade, r.To.Grade,
			opt.Or(r.From.GradeRationale, ""), opt.Or(r.To.GradeRationale, ""))
	}
	fmt.Fprintln(sum, g.Published)
	g.Plan = hex.EncodeToString(sum.Sum(nil))
}

// write saves the rows that change something, with what is told of them, in a constant number of statements.
func (g *GradesGiven) write(ctx context.Context, q db.Q, by int64) error {
	var rows [][]any
	var ids []int64
	var entries []audit.Entry
	for i := range g.Rows {
		r := &g.Rows[i]
		if r.Outcome != Moves {
			continue
		}
		rows = append(rows, []any{r.ProjectID, r.To.Grade, r.To.GradeRationale})
		ids = append(ids, r.ProjectID)
		e := audit.Entry{Kind: audit.Grade, Action: audit.Changed, UserID: r.UserID, ProjectID: r.ProjectID}
		if r.From.Grade != r.To.Grade {
			e.Fields = append(e.Fields, "grade")
		}
		if opt.Or(r.From.GradeRationale, "") != opt.Or(r.To.GradeRationale, "") {
			e.Fields = append(e.Fields, "rationale")
		}
		entries = append(entries, e)
	}
	if len(rows) == 0 {
		return nil
	}
	from, args, err := db.Rows(q, []any{q.Now(), g.Published},
		[]string{"id BIGINT", "grade BIGINT", "rationale TEXT"}, rows)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, q, `UPDATE projects SET grade = v.grade, grade_rationale = v.rationale, updated_at = $1,
		grade_shown = CASE WHEN CAST($2 AS BOOLEAN) THEN v.grade ELSE grade_shown END FROM `+from+` v
		WHERE projects.id = v.id`, args...)
	if err != nil {
		return fmt.Errorf("save final grades: %w", err)
	}
	if err := audit.Add(ctx, q, entries...); err != nil {
		return err
	}
	return g.tell(ctx, q, by, ids)
}

// tell adds the events: for the staff what was given, and for students that they see another grade.
func (g *GradesGiven) tell(ctx context.Context, q db.Q, by int64, ids []int64) error {
	found, err := readProjectEvents(ctx, q, ids)
	if err != nil {
		return err
	}
	seen := map[int64]bool{}
	for _, id := range g.Seen() {
		seen[id] = true
	}
	var list []events.Event
	for i := range found {
		list = append(list, found[i].graded(by))
		if seen[found[i].ID] {
			list = append(list, found[i].seen(by, GradeChanged))
		}
	}
	return events.Add(ctx, q, list...)
}
