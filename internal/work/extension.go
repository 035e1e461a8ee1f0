package work

import (
	"context"
	"fmt"

	"lectern/internal/audit"
	"lectern/internal/clock"
	"lectern/internal/db"
	"lectern/internal/fault"
	"lectern/internal/status"
)

// Extension is a request for more time, and what the task has after it.
type Extension struct {
	Comment
	Extensions int        `json:"extensions"` // whole weeks granted to the task in all
	DueDate    clock.Date `json:"due_date"`
}

// RequestExtension asks for more weeks, as many as fit before the deadline, and
// grants them at once when the staff ask or the unit says so. It fails with
// fault.Invalid for a number of weeks nobody can mean, fault.Conflict when no
// week is left.
func RequestExtension(ctx context.Context, q db.Q, by Reader, at TaskRef, reason string, weeks int) (*Extension,
	error) {
	reason, err := trimComment(reason)
	if err != nil {
		return nil, err
	}
	if reason == "" {
		return nil, fault.Field(fault.Invalid, "comment", "is required: say why more time is needed")
	}
	t, _, err := lockTask(ctx, q, at.ProjectID, at.DefinitionID, false)
	if err != nil {
		return nil, err
	}
	if by.Staff { // who asks for a student grants it
		if err := notOwn(ctx, q, by.UserID, t); err != nil {
			return nil, err
		}
	}
	dates, err := t.dates()
	if err != nil {
		return nil, err
	}
	if weeks, err = dates.Allow(weeks); err != nil {
		return nil, err
	}
	id, err := newComment{Type: typeExtension, Text: reason, Author: by.UserID, Weeks: &weeks}.add(ctx, q, t)
	if err != nil {
		return nil, err
	}
	if err := audit.Add(ctx, q, t.extension("asked", id)); err != nil {
		return nil, err
	}
	if err := decideAtOnce(ctx, q, by, t, id, weeks); err != nil {
		return nil, err
	}
	return extended(ctx, q, by, at, t, id, "created")
}

// decideAtOnce grants a request the staff made, or in the name of the tutor one
// that the unit grants by itself.
func decideAtOnce(ctx context.Context, q db.Q, by Reader, t *task, id int64, weeks int) error {
	d := decision{by: by.UserID, words: "Extension granted to %s"}
	if !by.Staff {
		auto, err := db.One[bool](ctx, q, `SELECT auto_apply_extension_before_deadline FROM units WHERE id = $1`,
			t.UnitID)
		if err != nil || !*auto {
			return err
		}
		d.words = "Time extended to %s"
		if t.TutorID != nil {
			d.by = *t.TutorID
		}
	}
	return d.grant(ctx, q, t, id, weeks)
}

// AssessExtension grants or rejects a request in the conversation at a place.
// What is no request there is fault.Missing, one that is decided already
// fault.Conflict. A request for which no week is left cannot be granted: it is
// rejected with that reason. Nobody decides on their own, nor on one of a group
// they are in.
func AssessExtension(ctx context.Context, q db.Q, by Reader, at TaskRef, id int64, granted bool) (*Extension, error) {
	c, err := oneComment(ctx, q, at, by.UserID, id)
	if err == nil && c.Type != typeExtension {
		err = fault.New(fault.Missing, "That comment asks for no extension.")
	}
	if err != nil {
		return nil, err
	}
	t, _, err := lockTask(ctx, q, c.ProjectID, at.DefinitionID, false)
	if err != nil {
		return nil, err
	}
	if err := notOwn(ctx, q, by.UserID, t); err != nil {
		return nil, err
	}
	// Again, now that no other decision can come in between.
	if c, err = oneComment(ctx, q, at, by.UserID, id); err != nil {
		return nil, err
	}
	if c.AssessedAt != nil {
		return nil, fault.New(fault.Conflict, "This request is decided already: %s.", *c.Response)
	}
	d := decision{by: by.UserID, words: "Extension granted to %s"}
	if granted {
		err = d.grant(ctx, q, t, id, c.Weeks)
	} else {
		err = d.write(ctx, q, t, id, false, "Extension rejected")
	}
	if err != nil {
		return nil, err
	}
	return extended(ctx, q, by, at, t, id, "assessed")
}

// extended shows a request and the task after it.
func extended(ctx context.Context, q db.Q, by Reader, at TaskRef, t *task, id int64, action string) (*Extension,
	error) {
	c, err := told(ctx, q, by, at, t, id, action)
	if err != nil {
		return nil, err
	}
	return &Extension{*c, t.Extensions, t.dueOn()}, nil
}

// decision is who decides on a request, and what they say with the new date.
type decision struct {
	by    int64
	words string
}

// grant gives the task as many of the weeks as still fit, and takes it back to
// ready for feedback where it was only late. In a group each member has their
// own extension: the others follow with the next move they share.
func (d decision) grant(ctx context.Context, q db.Q, t *task, id int64, weeks int) error {
	facts, err := t.facts()
	if err != nil {
		return err
	}
	weeks, err = facts.Due.Allow(weeks)
	if fault.Is(err, fault.Conflict) {
		return d.write(ctx, q, t, id, false, "No extension is possible: the deadline has been reached")
	}
	if err != nil {
		return err
	}
	facts.Extensions += weeks
	if err := d.apply(ctx, q, t, facts); err != nil {
		return err
	}
	return d.write(ctx, q, t, id, true, fmt.Sprintf(d.words, t.dueOn().Format("Mon 2 Jan")))
}

// apply writes the task with its new weeks.
func (d decision) apply(ctx context.Context, q db.Q, t *task, facts status.Task) error {
	if plan, back := status.Extended(facts); back {
		return record(ctx, q, Mover{UserID: d.by, As: status.Staff}, []change{{task: t, plan: plan}})
	}
	t.Extensions = facts.Extensions
	_, err := db.Exec(ctx, q, `UPDATE tasks SET extensions = $2, version = version + 1, updated_at = $3 WHERE id = $1`,
		t.ID, t.Extensions, q.Now())
	return err
}

// write records a decision. All the staff have read the request with it.
func (d decision) write(ctx context.Context, q db.Q, t *task, id int64, granted bool, response string) error {
	if _, err := db.Exec(ctx, q, `UPDATE task_comments SET extension_granted = $2, extension_response = $3,
		extension_assessed_at = $4, assessor_id = $5,
		staff_read_at = coalesce(staff_read_at, $4) WHERE id = $1`, id, granted, response, q.Now(), d.by); err != nil {
		return err
	}
	action := "rejected"
	if granted {
		action = "granted"
	}
	if err := audit.Add(ctx, q, t.extension(action, id)); err != nil {
		return err
	}
	return countOpen(ctx, q, t.ID)
}

// extension is what the audit log keeps of a request for more time, whose id is
// that of its comment.
func (t *task) extension(action string, id int64) audit.Entry {
	return audit.Entry{Kind: audit.Extension, Action: action, UserID: t.OwnerID, UnitID: t.UnitID,
		ProjectID: t.ProjectID, TaskID: t.ID, RecordID: id}
}
