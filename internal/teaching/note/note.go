// Package note knows what the staff of a unit note on a student for each other, which
// the student does not see in the service.
package note

import (
	"context"
	"fmt"
	"time"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
)

const (
	// MostText is how many characters a note may have.
	MostText = 4095
	// Most is how many notes there may be on a student in a unit.
	Most = 500
	// echo is how long the same note again is the first one, sent twice.
	echo = time.Minute
)

// Note is what somebody on the staff noted on a student.
type Note struct {
	ID           int64      `db:"id" json:"id"`
	ProjectID    int64      `db:"project_id" json:"project_id"`
	DefinitionID *int64     `db:"task_definition_id" json:"task_definition_id"` // nil: on the student at large
	Text         string     `db:"text" json:"text"`
	Flagged      bool       `db:"flagged" json:"flagged"` // somebody should have a second look
	UserID       int64      `db:"user_id" json:"user_id"` // who wrote it
	Author       string     `db:"author" json:"author"`
	CreatedAt    clock.Time `db:"created_at" json:"created_at"`
	UpdatedAt    clock.Time `db:"updated_at" json:"updated_at"`
}

const selectNotes = `SELECT n.id, n.project_id, n.task_definition_id, n.text, n.flagged, n.user_id,
		a.first_name || ' ' || a.last_name AS author, n.created_at, n.updated_at
	FROM staff_notes n JOIN users a ON a.id = n.user_id `

// Of lists the notes on a student, the newest first. With a definition they are those
// on that task and those on the student at large; 0 is all.
func Of(ctx context.Context, q db.Q, projectID, definitionID int64) ([]Note, error) {
	list, err := db.All[Note](ctx, q, selectNotes+`WHERE n.project_id = $1 AND (CAST($2 AS BIGINT) = 0
			OR n.task_definition_id IS NULL OR n.task_definition_id = CAST($2 AS BIGINT))
		ORDER BY n.id DESC`, projectID, definitionID)
	if err != nil {
		return nil, fmt.Errorf("read notes: %w", err)
	}
	return list, nil
}

// ByID gives a note, whosesoever it is: who may see it is the caller's to ask.
func ByID(ctx context.Context, q db.Q, id int64) (*Note, error) {
	return db.OneOf[Note](ctx, q, "note", selectNotes+`WHERE n.id = $1`, id)
}

// New is a note to add.
type New struct {
	ProjectID    int64
	DefinitionID *int64 // of the project's unit; nil: on the student at large
	UserID       int64  // who writes it
	Text         string
	Flagged      bool
}

// Add adds a note. It refuses an empty text, one too long, and one more than Most. The same
// again within a minute is the first one: who clicks twice, or loads the answer to a form
// again, means one note. It is for holders of policy.TakeNotes on the project.
func Add(ctx context.Context, q db.Q, n New) (*Note, error) {
	text, err := bounds.Trim("text", n.Text, MostText)
	if err != nil {
		return nil, err
	}
	if err := db.Lock(ctx, q, "projects", n.ProjectID); err != nil {
		return nil, err
	}
	type there struct {
		Notes int64  `db:"notes"`
		Same  *int64 `db:"same"`
	}
	have, err := db.One[there](ctx, q, `SELECT count(*) AS notes, max(CASE WHEN user_id = $2
			AND task_definition_id IS NOT DISTINCT FROM $3 AND text = $4 AND flagged = $5 AND created_at > $6 THEN id END)
			AS same FROM staff_notes WHERE project_id = $1`, n.ProjectID, n.UserID, n.DefinitionID, text, n.Flagged,
		clock.At(q.Now().Add(-echo)))
	switch {
	case err != nil:
		return nil, fmt.Errorf("look for the same note: %w", err)
	case have.Same != nil:
		return ByID(ctx, q, *have.Same)
	case have.Notes >= Most:
		return nil, fault.New(fault.Refused, "There are already %d staff notes on this student, which is the limit. "+
			"Delete one first.", Most)
	}
	id, err := db.One[int64](ctx, q, `INSERT INTO staff_notes (project_id, task_definition_id, user_id, text, flagged,
		created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $6) RETURNING id`, n.ProjectID, n.DefinitionID, n.UserID,
		text, n.Flagged, q.Now())
	if err != nil {
		return nil, fmt.Errorf("add a note: %w", err)
	}
	made, err := ByID(ctx, q, *id)
	if err != nil {
		return nil, err
	}
	return made, made.record(ctx, q, audit.Created, nil)
}

// Change is what to set of a note; nil leaves a value alone.
type Change struct {
	Text    *string
	Flagged *bool
}

// Apply changes a note, whose author stays who wrote it. It is for its author, and for holders
// of policy.EditNotes on the project. It refuses an empty text and one too long.
func (c Change) Apply(ctx context.Context, q db.Q, old *Note) (*Note, error) {
	text, flagged := old.Text, old.Flagged
	var err error
	if c.Text != nil {
		if text, err = bounds.Trim("text", *c.Text, MostText); err != nil {
			return nil, err
		}
	}
	if c.Flagged != nil {
		flagged = *c.Flagged
	}
	if _, err := db.Exec(ctx, q, `UPDATE staff_notes SET text = $2, flagged = $3, updated_at = $4 WHERE id = $1`, old.ID,
		text, flagged, q.Now()); err != nil {
		return nil, fmt.Errorf("change a note: %w", err)
	}
	made, err := ByID(ctx, q, old.ID)
	if err != nil {
		return nil, err
	}
	return made, made.record(ctx, q, audit.Changed, audit.Diff(*old, *made))
}

// Delete deletes a note, for its author and for holders of policy.EditNotes on the project.
func Delete(ctx context.Context, q db.Q, n *Note) error {
	if _, err := db.Exec(ctx, q, `DELETE FROM staff_notes WHERE id = $1`, n.ID); err != nil {
		return fmt.Errorf("delete a note: %w", err)
	}
	return n.record(ctx, q, audit.Deleted, nil)
}

// record tells in the audit log that something was done with a note, not what it says.
func (n *Note) record(ctx context.Context, q db.Q, action string, fields []string) error {
	type owner struct {
		UserID int64 `db:"user_id"`
		UnitID int64 `db:"unit_id"`
	}
	p, err := db.One[owner](ctx, q, `SELECT user_id, unit_id FROM projects WHERE id = $1`, n.ProjectID)
	if err != nil {
		return err
	}
	return audit.Add(ctx, q, audit.Entry{Kind: audit.Note, Action: action, UserID: p.UserID, UnitID: p.UnitID,
		ProjectID: n.ProjectID, RecordID: n.ID, Fields: fields})
}
