package enrol

import (
	"context"
	"fmt"

	"lectern/internal/ground/grade"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/progress"
)

// Student is the person of a project. It is embedded where rows are read, so no
// field may be named as one of what embeds it.
type Student struct {
	PersonID  int64   `db:"person_id" json:"id"`
	StudentID *string `db:"student_id" json:"student_id"`
	Username  string  `db:"username" json:"username"`
	Email     string  `db:"email" json:"email"`
	FirstName string  `db:"first_name" json:"first_name"`
	LastName  string  `db:"last_name" json:"last_name"`
	Nickname  string  `db:"nickname" json:"nickname"`
}

// GradeValue is the final grade of a student in a unit: the staff's alone until it is published.
type GradeValue struct {
	Grade          int64   `db:"grade" json:"grade"` // 0: none
	GradeRationale *string `db:"grade_rationale" json:"grade_rationale"`
}

// ForStaff is what of a project only the staff of its unit see.
type ForStaff struct {
	Student `json:"student"`
	GradeValue
	SimilarityFlag bool `db:"similarity_flag" json:"similarity_flag"`
	HasPortfolio   bool `db:"has_portfolio" json:"has_portfolio"`
	progress.Stats `json:"stats"`
}

// StudentColumns reads a Student from a user s.
const StudentColumns = `s.id AS person_id, s.student_id, s.username, s.email, s.first_name, s.last_name,
	coalesce(s.nickname, '') AS nickname`

// staffColumns reads ForStaff from a project p and its user s.
const staffColumns = StudentColumns + `,
	p.grade, p.grade_rationale, p.portfolio_hash IS NOT NULL AS has_portfolio,
	EXISTS (SELECT 1 FROM task_similarities m WHERE m.project_id = p.id AND m.flagged) AS similarity_flag,
	p.red_pct, p.grey_pct, p.orange_pct, p.blue_pct, p.green_pct, p.order_scale`

// StreamEnrolment is the tutorial a student has in a stream, if any.
type StreamEnrolment struct {
	StreamAbbr *string `json:"stream_abbr"`
	TutorialID *int64  `json:"tutorial_id"`
}

// StudentEntry is a student of a unit as its staff see them. Its id is the
// project's.
type StudentEntry struct {
	ID               int64        `db:"id" json:"id"`
	Enrolled         bool         `db:"enrolled" json:"enrolled"`
	CampusID         *int64       `db:"campus_id" json:"campus_id"`
	TargetGrade      grade.Grade  `db:"target_grade" json:"target_grade"`
	SubmittedGrade   *grade.Grade `db:"submitted_grade" json:"submitted_grade"`
	CompilePortfolio bool         `db:"compile_portfolio" json:"compile_portfolio"`
	ForStaff
	Enrolments []StreamEnrolment `json:"tutorial_enrolments"`
}

// StudentQuery says which students of a unit to list, and which part of them.
type StudentQuery struct {
	UnitID    int64
	CallerID  int64 // who studies the unit beside teaching it sees no final grade and no similar work of their own
	Withdrawn *bool // nil: all
	Page      db.Page
}

const selectEntries = `SELECT p.id, p.enrolled, p.campus_id, p.target_grade, p.submitted_grade, p.compile_portfolio, ` +
	staffColumns

// from gives the part of the statements that picks the students, and its order.
func (s StudentQuery) from() (text, order string, args []any) {
	text, args = ` FROM projects p JOIN users s ON s.id = p.user_id WHERE p.unit_id = $1`, []any{s.UnitID}
	if s.Withdrawn != nil {
		args = append(args, !*s.Withdrawn)
		text += ` AND p.enrolled = $2`
	}
	order = ` ORDER BY s.name_key, s.first_name, s.last_name, p.id`
	if s.Page.Asked() {
		order += fmt.Sprintf(` LIMIT $%d OFFSET $%d`, len(args)+1, len(args)+2)
		args = append(args, s.Page.Limit(), s.Page.Offset())
	}
	return text, order, args
}

// Students lists the students of a unit with their statistics and tutorials, by
// name, and tells how many there are in all, -1 where all were asked for.
// It takes three statements whatever their number, and one more to count.
func Students(ctx context.Context, q db.Q, s StudentQuery) (list []StudentEntry, total int64, err error) {
	total = -1
	if s.Page.Asked() {
		if total, err = s.count(ctx, q); err != nil {
			return nil, 0, err
		}
	}
	list, err = s.entries(ctx, q)
	return list, total, err
}

func (s StudentQuery) entries(ctx context.Context, q db.Q) ([]StudentEntry, error) {
	text, order, args := s.from()
	list, err := db.All[StudentEntry](ctx, q, selectEntries+text+order, args...)
	if err != nil {
		return nil, err
	}
	streams, err := StreamsOf(ctx, q, s.UnitID)
	if err != nil {
		return nil, err
	}
	enrolments := `SELECT e.project_id, e.tutorial_id, e.tutorial_stream_id FROM projects p
		JOIN tutorial_enrolments e ON e.project_id = p.id WHERE p.unit_id = $1`
	if !s.Page.Asked() {
		args = args[:1]
	} else {
		enrolments = `SELECT e.project_id, e.tutorial_id, e.tutorial_stream_id FROM (SELECT p.id` + text + order + `) page
			JOIN tutorial_enrolments e ON e.project_id = page.id`
	}
	held := map[int64][]Enrolment{}
	for e, err := range db.Each[Enrolment](ctx, q, enrolments, args...) {
		if err != nil {
			return nil, err
		}
		held[e.ProjectID] = append(held[e.ProjectID], e)
	}
	for i := range list {
		if list[i].PersonID == s.CallerID { // who is there as a student, too
			list[i].SimilarityFlag, list[i].GradeValue = false, GradeValue{}
		}
		list[i].Enrolments = enrolmentsByStream(streams, held[list[i].ID])
	}
	return list, nil
}

// count tells how many students a query means, its part aside.
func (s StudentQuery) count(ctx context.Context, q db.Q) (int64, error) {
	s.Page = db.Page{}
	text, _, args := s.from()
	n, err := db.One[int64](ctx, q, `SELECT count(*)`+text, args...)
	if err != nil {
		return 0, err
	}
	return *n, nil
}

// StudentByProject reads the entry that Students has for a project. It fails with
// fault.Missing where the unit has no such project.
func StudentByProject(ctx context.Context, q db.Q, unitID, projectID int64) (*StudentEntry, error) {
	e, err := db.OneOf[StudentEntry](ctx, q, "project", selectEntries+`
		FROM projects p JOIN users s ON s.id = p.user_id WHERE p.id = $1`, projectID)
	if err != nil {
		return nil, err
	}
	streams, err := StreamsOf(ctx, q, unitID)
	if err != nil {
		return nil, err
	}
	held, err := EnrolmentsOf(ctx, q, projectID)
	if err != nil {
		return nil, err
	}
	e.Enrolments = enrolmentsByStream(streams, held)
	return e, nil
}

// enrolmentsByStream gives a row a stream, with null where a student has no tutorial
// in it, and one without a stream for a tutorial that has none. A unit without
// streams has always that one.
func enrolmentsByStream(streams []Stream, held []Enrolment) []StreamEnrolment {
	out := make([]StreamEnrolment, 0, len(streams)+1)
	for i := range streams {
		s := StreamEnrolment{StreamAbbr: &streams[i].Abbreviation}
		for j := range held {
			if id := held[j].StreamID; id != nil && *id == streams[i].ID {
				s.TutorialID = &held[j].TutorialID
			}
		}
		out = append(out, s)
	}
	for j := range held {
		if held[j].StreamID == nil {
			return append(out, StreamEnrolment{TutorialID: &held[j].TutorialID})
		}
	}
	if len(streams) == 0 {
		out = append(out, StreamEnrolment{})
	}
	return out
}
