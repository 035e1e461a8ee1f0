package enrol

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/status"
)

// StudentOrder is a way to sort the students of a unit; a minus in front turns it
// round.
type StudentOrder string

// studentOrders are the ways to sort, each with what of a project p and its student s
// it goes by. Who has no value comes last.
var studentOrders = map[StudentOrder]string{
	"name":          `s.name_key`,
	"-name":         `s.name_key DESC`,
	"tutorial":      firstClass + ` NULLS LAST, s.name_key`,
	"-tutorial":     firstClass + ` DESC NULLS LAST, s.name_key`,
	"target_grade":  `p.target_grade, s.name_key`,
	"-target_grade": `p.target_grade DESC, s.name_key`,
	"progress":      `p.green_pct, p.blue_pct, s.name_key`,
	"-progress":     `p.green_pct DESC, p.blue_pct DESC, s.name_key`,
	"last_active":   `p.last_active_at NULLS FIRST, s.name_key`, // whoever never was, waits longest
	"-last_active":  `p.last_active_at DESC NULLS LAST, s.name_key`,
	"waiting":       waitingTasks + `, s.name_key`,
	"-waiting":      waitingTasks + ` DESC, s.name_key`,
	"overdue":       `stand.overdue, stand.behind_plan, s.name_key`,
	"-overdue":      `stand.overdue DESC, stand.behind_plan DESC, s.name_key`,
}

// waitingTasks counts the tasks of a project p that wait for feedback.
var waitingTasks = `(SELECT count(*) FROM tasks w WHERE w.project_id = p.id AND w.status IN ` +
	db.Literals(status.Awaiting...) + `)`

// helpTasks counts those that need help.
var helpTasks = `(SELECT count(*) FROM tasks w WHERE w.project_id = p.id AND w.status = ` +
	db.Literals(status.NeedHelp) + `)`

const firstClass = `(SELECT min(c.abbreviation) FROM tutorial_enrolments e JOIN tutorials c ON c.id = e.tutorial_id
	WHERE e.project_id = p.id)`

// Enum gives all orders, for the documentation of the API.
func (StudentOrder) Enum() []string {
	var out []string
	for o := range studentOrders {
		out = append(out, string(o))
	}
	slices.SortFunc(out, func(a, b string) int {
		return strings.Compare(strings.TrimPrefix(a, "-")+a, strings.TrimPrefix(b, "-")+b)
	})
	return out
}

// Known tells whether there is such an order.
func (o StudentOrder) Known() bool { return studentOrders[o] != "" }

// Sign is something that asks the staff to look after a student.
type Sign string

// The signs. A note asks for a second look whether a student is enrolled or not.
const (
	SecondLook Sign = "second_look"
	Overdue    Sign = "overdue"
	BehindPlan Sign = "behind_plan"
	NeedHelp   Sign = "need_help"
)

// StudentSearch says which students of a unit its staff look for, in which order,
// and which part of them.
type StudentSearch struct {
	UnitID     int64
	CallerID   int64        // who studies the unit beside teaching it sees nothing of similar work or notes of their own
	Text       string       // see ident.MatchPerson
	TutorialID *int64       // 0: those without a tutorial; nil: all
	CampusID   *int64       // 0: those without a campus; nil: all
	Enrolled   *bool        // nil: all
	Target     *grade.Grade // only those who aim for it; nil: all
	Sign       Sign         // only those who have it; "": all
	Order      StudentOrder
	Page       db.Page
}

// FoundStudent is a student of a unit with what a list of them is searched for.
type FoundStudent struct {
	StudentEntry
	LastActiveAt *clock.Time `db:"last_active_at" json:"last_active_at"`
	Waiting      int64       `db:"waiting" json:"waiting"` // tasks that wait for feedback
	SecondLook   bool        `db:"second_look" json:"second_look"`
	NeedHelp     int64       `db:"need_help" json:"need_help"` // tasks with which the student needs help

	// Of the tasks that the target grade asks for; see against.
	Asked      int64         `db:"asked" json:"-"`
	Overdue    int64         `db:"overdue" json:"overdue" doc:"tasks that should have been handed in by now"`
	BehindPlan bool          `db:"behind_plan" json:"behind_plan"`
	Tasks      []StatusCount `json:"task_counts"`
}

// flaggedNote tells whether a note on the student asks the staff for a second look.
const flaggedNote = `EXISTS (SELECT 1 FROM staff_notes n WHERE n.project_id = p.id AND n.flagged)`

// from gives the part of the statements that picks the students.
func (s StudentSearch) from() (string, []any) {
	match, args := ident.MatchPerson([]any{s.UnitID}, s.Text)
	text := ` FROM projects p JOIN users s ON s.id = p.user_id`
	if s.planned() {
		text += ` JOIN planned stand ON stand.id = p.id`
	}
	text += ` WHERE p.unit_id = $1 AND ` + match
	and := func(condition string, value any) {
		args = append(args, value)
		text += fmt.Sprintf(` AND `+condition, len(args))
	}
	if s.Enrolled != nil {
		and(`p.enrolled = $%d`, *s.Enrolled)
	}
	if s.Target != nil {
		and(`p.target_grade = $%d`, *s.Target)
	}
	switch s.Sign {
	case "":
	case SecondLook:
		and(flaggedNote+` AND p.user_id <> $%d`, s.CallerID)
	case NeedHelp:
		text += ` AND ` + helpTasks + ` > 0`
	case Overdue:
		text += ` AND stand.overdue > 0`
	case BehindPlan:
		text += ` AND stand.behind_plan`
	}
	switch {
	case s.CampusID == nil:
	case *s.CampusID == 0:
		text += ` AND p.campus_id IS NULL`
	default:
		and(`p.campus_id = $%d`, *s.CampusID)
	}
	switch {
	case s.TutorialID == nil:
	case *s.TutorialID == 0:
		text += ` AND NOT EXISTS (SELECT 1 FROM tutorial_enrolments e WHERE e.project_id = p.id)`
	default:
		and(`EXISTS (SELECT 1 FROM tutorial_enrolments e WHERE e.project_id = p.id AND e.tutorial_id = $%d)`, *s.TutorialID)
	}
	return text, args
}

// planned tells whether the plan of the unit decides who is listed, or in which order.
func (s StudentSearch) planned() bool {
	return s.Sign == Overdue || s.Sign == BehindPlan || s.Order == "overdue" || s.Order == "-overdue"
}

// Students lists the students that are looked for, and tells how many there are in
// all, -1 where all were asked for. It takes five statements whatever their number,
// and one more to count; what each row shows is read for the rows of the part only.
// An unknown order is by name.
func (s StudentSearch) Students(ctx context.Context, q db.Q) (list []FoundStudent, total int64, err error) {
	from, args := s.from()
	with, args, err := asked(ctx, q, []int64{s.UnitID}, args)
	if err != nil {
		return nil, 0, err
	}
	if s.planned() {
		with += `, planned AS MATERIALIZED (` + against(`(SELECT * FROM projects WHERE unit_id = $1) p`, "p") + `)`
	}
	total = -1
	if s.Page.Asked() {
		n, err := db.One[int64](ctx, q, with+` SELECT count(*)`+from, args...)
		if err != nil {
			return nil, 0, err
		}
		total = *n
	}
	order := studentOrders[s.Order]
	if order == "" {
		order = studentOrders["name"]
	}
	order += `, s.first_name, s.last_name, p.id`
	n := len(args)
	list, err = db.All[FoundStudent](ctx, q, fmt.Sprintf(`%s, page AS MATERIALIZED (SELECT p.id, p.unit_id, p.target_grade%s
			ORDER BY %s LIMIT $%d OFFSET $%d), beside AS (%s)
		%s, p.last_active_at, %s AS waiting, %s AS second_look, %s AS need_help, stand.asked, stand.overdue, stand.behind_plan
		FROM beside stand JOIN projects p ON p.id = stand.id JOIN users s ON s.id = p.user_id
		ORDER BY %s`, with, from, order, n+1, n+2, against("page", "page"), selectEntries, waitingTasks, flaggedNote,
		helpTasks, order),
		append(args, s.Page.Limit(), s.Page.Offset())...)
	if err != nil || len(list) == 0 {
		return list, total, err
	}
	if err := s.addCounts(ctx, q, list); err != nil {
		return nil, 0, err
	}
	return list, total, s.addTutorials(ctx, q, list)
}

// addTutorials adds the tutorials of the students.
func (s StudentSearch) addTutorials(ctx context.Context, q db.Q, list []FoundStudent) error {
	streams, err := StreamsOf(ctx, q, s.UnitID)
	if err != nil {
		return err
	}
	which, args := s.which(list)
	held := map[int64][]Enrolment{}
	for e, err := range db.Each[Enrolment](ctx, q, `SELECT e.project_id, e.tutorial_id, e.tutorial_stream_id
		FROM projects p JOIN tutorial_enrolments e ON e.project_id = p.id WHERE `+which, args...) {
		if err != nil {
			return err
		}
		held[e.ProjectID] = append(held[e.ProjectID], e)
	}
	for i := range list {
		own := list[i].PersonID == s.CallerID
		list[i].SimilarityFlag, list[i].SecondLook = list[i].SimilarityFlag && !own, list[i].SecondLook && !own
		if own {
			list[i].GradeValue = GradeValue{}
		}
		list[i].Enrolments = enrolmentsByStream(streams, held[list[i].ID])
	}
	return nil
}

// which is the condition on a project p that it is one of the list, of which all of a unit need no
// names.
func (s StudentSearch) which(list []FoundStudent) (string, []any) {
	args := []any{s.UnitID}
	if !s.Page.Asked() {
		return `p.unit_id = $1`, args
	}
	ids := make([]int64, len(list))
	for i := range list {
		ids[i] = list[i].ID
	}
	in, args := db.In(args, ids)
	return `p.unit_id = $1 AND p.id IN ` + in, args
}

// LastActiveOf tells when the student of a project last did something on it; nil:
// never.
func LastActiveOf(ctx context.Context, q db.Q, projectID int64) (*clock.Time, error) {
	at, err := db.OneOf[*clock.Time](ctx, q, "project", `SELECT last_active_at FROM projects WHERE id = $1`, projectID)
	if err != nil {
		return nil, err
	}
	return *at, nil
}
