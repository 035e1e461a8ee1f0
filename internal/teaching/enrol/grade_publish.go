package enrol

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/events"
)

// Publication is whether the students of a unit see their final grades, and what publishing them now comes to.
type Publication struct {
	PublishedAt *clock.Time `db:"grades_published_at" json:"published_at" doc:"since when students see their final grades; null: they do not"`
	Students    int64       `db:"students" json:"students" doc:"students enrolled"`
	Without     int64       `db:"without_grade" json:"without_grade" doc:"of them, those who have no final grade, and are shown none"`
	First       int64       `db:"first_time" json:"first_time" doc:"of them, those who have a final grade and never saw one"`
	Changed     int64       `db:"changed" json:"changed" doc:"of them, those whose final grade is another than they saw last"`
	Same        int64       `db:"unchanged" json:"unchanged" doc:"of them, those whose final grade is the one they saw last"`
	Plan        string      `json:"plan" doc:"the sign of this answer, for the call that publishes"`
}

// Graded is how many students have a final grade.
func (p *Publication) Graded() int64 { return p.Students - p.Without }

// PublicationOf tells whether the final grades of a unit are published, and who would see what if they were
// published now. It is for holders of policy.ListStudents in the unit.
func PublicationOf(ctx context.Context, q db.Q, unitID int64) (*Publication, error) {
	type row struct {
		ID    int64 `db:"id"`
		Grade int64 `db:"grade"`
		Shown int64 `db:"grade_shown"`
	}
	p, err := db.OneOf[Publication](ctx, q, "unit", `SELECT u.grades_published_at FROM units u WHERE u.id = $1`, unitID)
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	for r, err := range db.Each[row](ctx, q, `SELECT p.id, p.grade, coalesce(p.grade_shown, -1) AS grade_shown
		FROM projects p WHERE p.unit_id = $1 AND p.enrolled ORDER BY p.id`, unitID) {
		if err != nil {
			return nil, fmt.Errorf("read final grades: %w", err)
		}
		p.Students++
		switch {
		case r.Grade == 0:
			p.Without++
		case r.Shown < 0:
			p.First++
		case r.Shown != r.Grade:
			p.Changed++
		default:
			p.Same++
		}
		fmt.Fprintln(sum, r)
	}
	p.Plan = hex.EncodeToString(sum.Sum(nil))
	return p, nil
}

// PublishGrades lets the students of a unit see their final grades, on behalf of someone, and tells each who has
// one that it is there. It is for holders of policy.PublishGrades. It refuses with fault.Conflict what is
// published already or no longer as it was planned, and with fault.Refused a unit in which nobody has a grade.
func PublishGrades(ctx context.Context, q db.Q, by, unitID int64, plan string) (*Publication, error) {
	if err := db.Lock(ctx, q, "units", unitID); err != nil {
		return nil, err
	}
	p, err := PublicationOf(ctx, q, unitID)
	switch {
	case err != nil:
		return nil, err
	case p.PublishedAt != nil:
		return nil, fault.New(fault.Conflict, "The final grades are published already. Students see every change at once.")
	case plan != "" && plan != p.Plan:
		return nil, fault.New(fault.Conflict, "Somebody changed a final grade in the meantime, so nothing was published. "+
			"Look at the plan again.")
	case p.Graded() == 0:
		return nil, fault.New(fault.Refused, "No student has a final grade. Enter final grades first.")
	}
	_, err = db.Exec(ctx, q, `UPDATE projects SET grade_shown = grade WHERE unit_id = $1 AND enrolled AND grade > 0`,
		unitID)
	if err != nil {
		return nil, err
	}
	return setPublished(ctx, q, by, unitID, GradePublished)
}

// TakeGradesBack hides the final grades of a unit from its students again, on behalf of someone, and tells each who
// saw one. What they saw is kept, so that publishing anew can say who sees another. It is for holders of
// policy.PublishGrades, and refuses with fault.Conflict where they are not published.
func TakeGradesBack(ctx context.Context, q db.Q, by, unitID int64) (*Publication, error) {
	if err := db.Lock(ctx, q, "units", unitID); err != nil {
		return nil, err
	}
	at, err := GradesPublished(ctx, q, unitID)
	if err != nil {
		return nil, err
	}
	if at == nil {
		return nil, fault.New(fault.Conflict, "The final grades are not published, so there is nothing to take back.")
	}
	return setPublished(ctx, q, by, unitID, GradeTakenBack)
}

// setPublished notes from when on students see their final grades, or that they do not, and tells them.
func setPublished(ctx context.Context, q db.Q, by, unitID int64, what Seeing) (*Publication, error) {
	var at any
	if what == GradePublished {
		at = q.Now()
	}
	if _, err := db.Exec(ctx, q, `UPDATE units SET grades_published_at = $2 WHERE id = $1`, unitID, at); err != nil {
		return nil, err
	}
	err := events.AddEach(ctx, q, events.Event{Kind: events.Grade, ActorID: by, Body: gradeNews{what}},
		`SELECT user_id, id AS project_id FROM projects WHERE unit_id = $1 AND enrolled AND grade > 0`, unitID)
	if err != nil {
		return nil, err
	}
	err = audit.Add(ctx, q, audit.Entry{Kind: audit.Grade, Action: string(what), UnitID: unitID})
	if err != nil {
		return nil, err
	}
	return PublicationOf(ctx, q, unitID)
}

// holdPublished tells whether the students of the unit of a project see their final grades, and keeps that so until
// the transaction ends.
func holdPublished(ctx context.Context, q db.Q, projectID int64) (bool, error) {
	return published(ctx, q, `(SELECT unit_id FROM projects WHERE id = $1)`, projectID)
}

// published is holdPublished for the unit of a number.
func published(ctx context.Context, q db.Q, unit string, id int64) (bool, error) {
	text := `SELECT grades_published_at IS NOT NULL FROM units WHERE id = ` + unit
	if q.Postgres() {
		text += ` FOR SHARE`
	}
	is, err := db.OneOf[bool](ctx, q, "unit", text, id)
	if err != nil {
		return false, err
	}
	return *is, nil
}

// GradesPublished tells since when the students of a unit see their final grades; nil: they do not.
func GradesPublished(ctx context.Context, q db.Q, unitID int64) (*clock.Time, error) {
	at, err := db.OneOf[*clock.Time](ctx, q, "unit", `SELECT grades_published_at FROM units WHERE id = $1`, unitID)
	if err != nil {
		return nil, err
	}
	return *at, nil
}
