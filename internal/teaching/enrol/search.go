package enrol

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lectern/internal/ground/clock"
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
}

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

// StudentSearch says which students of a unit its staff look for, in which order,
// and which part of them.
type StudentSearch struct {
	UnitID     int64
	CallerID   int64  // who studies the unit beside teaching it sees nothing of similar work or notes of their own
	Text       string // see ident.MatchPerson
	TutorialID *int64 // 0: those without a tutorial; nil: all
	CampusID   *int64 // 0: those without a campus; nil: all
	Enrolled   *bool  // nil: all
	SecondLook bool   // only those on whom a note asks for a second look
	Order      StudentOrder
	Page       db.Page
}

// FoundStudent is a student of a unit with what a list of them is searched for.
type FoundStudent struct {
	StudentEntry
	LastActiveAt *clock.Time `db:"last_active_at" json:"last_active_at"`
	Waiting      int64       `db:"waiting" json:"waiting"` // tasks that wait for feedback
	SecondLook   bool        `db:"second_look" json:"second_look"`
}

// flaggedNote tells whether a note on the student asks the staff for a second look.
const flaggedNote = `EXISTS (SELECT 1 FROM staff_notes n WHERE n.project_id = p.id AND n.flagged)`

// from gives the part of the statements that picks the students.
func (s StudentSearch) from() (string, []any) {
	match, args := ident.MatchPerson([]any{s.UnitID}, s.Text)
	text := ` FROM projects p JOIN users s ON s.id = p.user_id WHERE p.unit_id = $1 AND ` + match
	and := func(condition string, value any) {
		args = append(args, value)
		text += fmt.Sprintf(` AND `+condition, len(args))
	}
	if s.Enrolled != nil {
		and(`p.enrolled = $%d`, *s.Enrolled)
	}
	if s.SecondLook {
		and(flaggedNote+` AND p.user_id <> $%d`, s.CallerID)
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

// Students lists the students that are looked for, and tells how many there are in
// all, -1 where all were asked for. It takes three statements whatever their number,
// and one more to count; what each row shows is read for the rows of the part only.
// An unknown order is by name.
func (s StudentSearch) Students(ctx context.Context, q db.Q) (list []FoundStudent, total int64, err error) {
	from, args := s.from()
	total = -1
	if s.Page.Asked() {
		n, err := db.One[int64](ctx, q, `SELECT count(*)`+from, args...)
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
	list, err = db.All[FoundStudent](ctx, q, fmt.Sprintf(`WITH page AS MATERIALIZED (SELECT p.id%s
			ORDER BY %s LIMIT $%d OFFSET $%d)
		%s, p.last_active_at, (SELECT count(*) FROM tasks w WHERE w.project_id = p.id AND w.status IN %s) AS waiting,
			%s AS second_look
		FROM page JOIN projects p ON p.id = page.id JOIN users s ON s.id = p.user_id ORDER BY %s`,
		from, order, n+1, n+2, selectEntries, db.Literals(status.Awaiting...), flaggedNote, order),
		append(args, s.Page.Limit(), s.Page.Offset())...)
	if err != nil || len(list) == 0 {
		return list, total, err
	}
	return list, total, s.addTutorials(ctx, q, list)
}

// addTutorials adds the tutorials of the students.
func (s StudentSearch) addTutorials(ctx context.Context, q db.Q, list []FoundStudent) error {
	streams, err := StreamsOf(ctx, q, s.UnitID)
	if err != nil {
		return err
	}
	which, args := `p.unit_id = $1`, []any{s.UnitID}
	if s.Page.Asked() {
		ids := make([]int64, len(list))
		for i := range list {
			ids[i] = list[i].ID
		}
		var in string
		in, args = db.In(args, ids)
		which += ` AND p.id IN ` + in
	}
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
		list[i].Enrolments = enrolmentsByStream(streams, held[list[i].ID])
	}
	return nil
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
