package enrol

import (
	"context"
	"fmt"

	"lectern/internal/platform/db"
)

// ListedStudent is a student of a unit as those see them who enrol: who they are, and where.
type ListedStudent struct {
	ProjectID  int64   `db:"id"`
	PersonID   int64   `db:"person_id"`
	Enrolled   bool    `db:"enrolled"`
	CampusID   *int64  `db:"campus_id"`
	Username   string  `db:"username"`
	StudentID  *string `db:"student_id"`
	FirstName  string  `db:"first_name"`
	LastName   string  `db:"last_name"`
	Email      string  `db:"email"`
	Enrolments []Enrolment
}

const selectListed = `SELECT p.id, s.id AS person_id, p.enrolled, p.campus_id, s.username, s.student_id, s.first_name,
	s.last_name, s.email`

// Listed lists the students that are looked for with nothing of their work, and tells how many there are in
// all. It takes three statements whatever their number. An unknown order is by name.
func (s StudentSearch) Listed(ctx context.Context, q db.Q) ([]ListedStudent, int64, error) {
	from, args := s.from()
	total, err := db.One[int64](ctx, q, `SELECT count(*)`+from, args...)
	if err != nil {
		return nil, 0, err
	}
	order := studentOrders[s.Order]
	if order == "" || s.planned() {
		order = studentOrders["name"]
	}
	n := len(args)
	list, err := db.All[ListedStudent](ctx, q, selectListed+from+fmt.Sprintf(` ORDER BY %s, s.first_name, s.last_name, p.id
		LIMIT $%d OFFSET $%d`, order, n+1, n+2), append(args, s.Page.Limit(), s.Page.Offset())...)
	if err != nil {
		return nil, 0, err
	}
	return list, *total, addEnrolments(ctx, q, list)
}

// ListedByProject reads one of them. It fails with fault.Missing where the unit has no such project.
func ListedByProject(ctx context.Context, q db.Q, unitID, projectID int64) (*ListedStudent, error) {
	one, err := db.OneOf[ListedStudent](ctx, q, "student", selectListed+`
		FROM projects p JOIN users s ON s.id = p.user_id WHERE p.unit_id = $1 AND p.id = $2`, unitID, projectID)
	if err != nil {
		return nil, err
	}
	one.Enrolments, err = EnrolmentsOf(ctx, q, projectID)
	return one, err
}

func addEnrolments(ctx context.Context, q db.Q, list []ListedStudent) error {
	if len(list) == 0 {
		return nil
	}
	at, projects := map[int64]*ListedStudent{}, make([]int64, len(list))
	for i := range list {
		at[list[i].ProjectID], projects[i] = &list[i], list[i].ProjectID
	}
	in, args := db.In(nil, projects)
	for e, err := range db.Each[Enrolment](ctx, q, `SELECT project_id, tutorial_id, tutorial_stream_id
		FROM tutorial_enrolments WHERE project_id IN `+in+` ORDER BY id`, args...) {
		if err != nil {
			return err
		}
		at[e.ProjectID].Enrolments = append(at[e.ProjectID].Enrolments, e)
	}
	return nil
}

// RosterCounts are the students of a unit by whether they are enrolled, and of those the ones without a tutorial.
type RosterCounts struct {
	Enrolled  int64 `db:"enrolled"`
	Withdrawn int64 `db:"withdrawn"`
	Unplaced  int64 `db:"unplaced"`
}

// CountRoster counts the students of a unit.
func CountRoster(ctx context.Context, q db.Q, unitID int64) (*RosterCounts, error) {
	return db.One[RosterCounts](ctx, q, `SELECT count(*) FILTER (WHERE p.enrolled) AS enrolled,
		count(*) FILTER (WHERE NOT p.enrolled) AS withdrawn,
		count(*) FILTER (WHERE p.enrolled AND NOT EXISTS (SELECT 1 FROM tutorial_enrolments e
			WHERE e.project_id = p.id)) AS unplaced
		FROM projects p WHERE p.unit_id = $1`, unitID)
}
