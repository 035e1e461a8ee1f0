package enrol

import (
	"context"

	"lectern/internal/db"
	"lectern/internal/events"
)

// tidings is a project with what its events say.
type tidings struct {
	UserID      int64 `db:"user_id"`
	UnitID      int64 `db:"unit_id"`
	Enrolled    bool  `db:"enrolled"`
	Grade       int64 `db:"grade"`
	TargetGrade int64 `db:"target_grade"`
}

// enrolmentTold is what the event of an enrolment or a withdrawal says.
type enrolmentTold struct {
	Enrolled bool `json:"enrolled"`
}

// gradeTold is what the event of a grade says: the final one, or the one the
// student aims for.
type gradeTold struct {
	Grade       int64 `json:"grade"`
	TargetGrade int64 `json:"target_grade"`
}

func (t *tidings) enrolment() events.Event {
	return events.Event{Kind: "enrolment", Body: enrolmentTold{t.Enrolled}}
}

// tell adds the events of a project's change: the staff hear of both, and the
// student of what became of their enrolment. The final grade is the staff's
// until it is published.
func (p *standing) tell(ctx context.Context, q db.Q, by int64, before standing) error {
	if p.Enrolled == before.Enrolled && p.Grade == before.Grade && p.TargetGrade == before.TargetGrade {
		return nil
	}
	t, err := readTidings(ctx, q, p.ID)
	if err != nil {
		return err
	}
	var list []events.Event
	if p.Enrolled != before.Enrolled {
		list = append(list, t.enrolment())
	}
	if p.Grade != before.Grade || p.TargetGrade != before.TargetGrade {
		list = append(list, events.Event{Kind: "grade", Body: gradeTold{t.Grade, t.TargetGrade}})
	}
	return t.add(ctx, q, by, p.ID, list...)
}

// tellEnrolment adds the event of a student who was enrolled.
func tellEnrolment(ctx context.Context, q db.Q, by, id int64) error {
	t, err := readTidings(ctx, q, id)
	if err != nil {
		return err
	}
	return t.add(ctx, q, by, id, t.enrolment())
}

func readTidings(ctx context.Context, q db.Q, id int64) (*tidings, error) {
	return db.One[tidings](ctx, q, `SELECT user_id, unit_id, enrolled, grade, target_grade FROM projects WHERE id = $1`, id)
}

func (t *tidings) add(ctx context.Context, q db.Q, by, id int64, list ...events.Event) error {
	for i := range list {
		e := &list[i]
		e.ActorID, e.UnitID, e.ProjectID = by, t.UnitID, id
		if e.Kind != "grade" {
			e.UserID = t.UserID
		}
	}
	return events.Add(ctx, q, list...)
}
