package enrol

import (
	"context"
	"slices"

	"lectern/internal/ground/grade"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/events"
)

// projectEvent is a project with what its events say.
type projectEvent struct {
	ID          int64       `db:"id"`
	UserID      int64       `db:"user_id"`
	UnitID      int64       `db:"unit_id"`
	Enrolled    bool        `db:"enrolled"`
	Grade       int64       `db:"grade"`
	TargetGrade grade.Grade `db:"target_grade"`
}

// readProjectEvents reads projects by id.
func readProjectEvents(ctx context.Context, q db.Q, ids []int64) (list []projectEvent, err error) {
	for some := range slices.Chunk(ids, 500) {
		in, args := db.In(nil, some)
		part, err := db.All[projectEvent](ctx, q, `SELECT id, user_id, unit_id, enrolled, grade, target_grade
			FROM projects
			WHERE id IN `+in+` ORDER BY id`, args...)
		if err != nil {
			return nil, err
		}
		list = append(list, part...)
	}
	return list, nil
}

// enrolmentBody is what the event of an enrolment or a withdrawal says.
type enrolmentBody struct {
	Enrolled bool `json:"enrolled"`
}

// enrolment is the event for the staff and the student.
func (t *projectEvent) enrolment(by int64) events.Event {
	return events.Event{Kind: events.Enrolment, ActorID: by, UserID: t.UserID, UnitID: t.UnitID, ProjectID: t.ID,
		Body: enrolmentBody{t.Enrolled}}
}

// gradeBody is what the event of a grade says: the final one, and the one the
// student aims for.
type gradeBody struct {
	Grade       int64       `json:"grade"`
	TargetGrade grade.Grade `json:"target_grade"`
}

// graded is the event for the staff alone: the final grade is theirs until it
// is published.
func (t *projectEvent) graded(by int64) events.Event {
	return events.Event{Kind: events.Grade, ActorID: by, UnitID: t.UnitID, ProjectID: t.ID,
		Body: gradeBody{t.Grade, t.TargetGrade}}
}

// Seeing is what became of the final grade that a student sees.
type Seeing string

// What can become of it.
const (
	GradePublished Seeing = "published"
	GradeChanged   Seeing = "changed"    // while it was published
	GradeTakenBack Seeing = "taken_back" // the student sees it no longer
)

// gradeNews is what a student is told of their final grade: never the grade itself, which they see on the
// pages of the unit as long as it is published.
type gradeNews struct {
	Action Seeing `json:"action"`
}

// seen is the event for the student alone.
func (t *projectEvent) seen(by int64, what Seeing) events.Event {
	return events.Event{Kind: events.Grade, ActorID: by, UserID: t.UserID, ProjectID: t.ID, Body: gradeNews{what}}
}

// tell adds the events of a project's change.
func (p *projectState) tell(ctx context.Context, q db.Q, by int64, before projectState) error {
	came := p.Enrolled != before.Enrolled
	graded := p.Grade != before.Grade || p.TargetGrade != before.TargetGrade
	if err := audit.Add(ctx, q, p.entry(before)); err != nil || !came && !graded {
		return err
	}
	found, err := readProjectEvents(ctx, q, []int64{p.ID})
	if err != nil {
		return err
	}
	var list []events.Event
	for _, t := range found {
		if came {
			list = append(list, t.enrolment(by))
		}
		if graded {
			list = append(list, t.graded(by))
		}
		if p.published && p.Grade != before.Grade {
			list = append(list, t.seen(by, GradeChanged))
		}
	}
	return events.Add(ctx, q, list...)
}

// entry is what the audit log keeps of a project's change.
func (p *projectState) entry(before projectState) audit.Entry {
	e := audit.Entry{Kind: audit.Enrolment, Action: audit.Changed, ProjectID: p.ID, Fields: audit.Diff(before, *p)}
	if p.Grade != before.Grade || p.Rationale != before.Rationale {
		e.Kind = audit.Grade
	}
	return e
}

// tellEnrolment adds the events of students who were enrolled or withdrawn.
func tellEnrolment(ctx context.Context, q db.Q, by int64, ids ...int64) error {
	found, err := readProjectEvents(ctx, q, ids)
	if err != nil {
		return err
	}
	var list []events.Event
	var entries []audit.Entry
	for _, t := range found {
		action := "withdrawn"
		if t.Enrolled {
			action = "enrolled"
		}
		list = append(list, t.enrolment(by))
		entries = append(entries, audit.Entry{Kind: audit.Enrolment, Action: action, UserID: t.UserID, UnitID: t.UnitID,
			ProjectID: t.ID})
	}
	if err := audit.Add(ctx, q, entries...); err != nil {
		return err
	}
	return events.Add(ctx, q, list...)
}
