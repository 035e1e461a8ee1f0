package submit

import (
	"context"
	"encoding/json"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

// ListedVersion is a submission of a task as the list of them shows it.
type ListedVersion struct {
	ID        int64       `db:"id" json:"id"`
	At        clock.Time  `db:"at" json:"submitted_at"`
	UserID    int64       `db:"user_id" json:"user_id"` // who sent it
	FirstName string      `db:"first_name" json:"first_name"`
	LastName  string      `db:"last_name" json:"last_name"`
	Files     int         `db:"files" json:"files"`
	State     State       `db:"state" json:"state"`
	Reason    *string     `db:"reason" json:"reason"`
	HasPDF    bool        `db:"has_pdf" json:"has_pdf"`
	Pages     *int        `db:"pages" json:"pages"`
	MarkedAt  *clock.Time `db:"marked_at" json:"marked_at"`
	Sequence  *int64      `db:"sequence" json:"receipt_sequence"`
	Hash      *string     `db:"hash" json:"receipt_hash"`
}

// Versions lists all submissions of a task, newest first, each with what became of it.
func Versions(ctx context.Context, q db.Q, projectID, definitionID int64) ([]ListedVersion, error) {
	return db.All[ListedVersion](ctx, q, `SELECT s.id, l.at, s.user_id, b.first_name, b.last_name, s.parts AS files,
			s.state, s.reason, s.document_hash IS NOT NULL AS has_pdf, s.pages, m.at AS marked_at, r.sequence, r.hash
		FROM tasks t JOIN submission_tasks l ON l.task_id = t.id JOIN submissions s ON s.id = l.submission_id
		JOIN users b ON b.id = s.user_id LEFT JOIN receipts r ON r.submission_id = s.id
		LEFT JOIN marked_copies m ON m.submission_id = s.id
		WHERE t.project_id = $1 AND t.task_definition_id = $2 ORDER BY l.at DESC`, projectID, definitionID)
}

// ListedReceipt is a receipt of a project with the task it is for.
type ListedReceipt struct {
	DefinitionID int64      `json:"task_definition_id"`
	Abbreviation string     `json:"abbreviation"`
	Name         string     `json:"name"`
	At           clock.Time `json:"submitted_at"`
	Sequence     int64      `json:"sequence"`
	Receipt      Receipt    `json:"receipt"`
}

// Receipts lists the receipts of all that was handed in for a project, newest first:
// by its student, or by another one of a group.
func Receipts(ctx context.Context, q db.Q, projectID int64) ([]ListedReceipt, error) {
	type row struct {
		DefinitionID int64      `db:"task_definition_id"`
		Abbreviation string     `db:"abbreviation"`
		Name         string     `db:"name"`
		At           clock.Time `db:"at"`
		Sequence     int64      `db:"sequence"`
		Body         string     `db:"body"`
		Hash         string     `db:"hash"`
		KeyID        string     `db:"key_id"`
		Signature    string     `db:"signature"`
	}
	out := []ListedReceipt{}
	for r, err := range db.Each[row](ctx, q, `SELECT t.task_definition_id, d.abbreviation, d.name, l.at, r.sequence,
			r.body, r.hash, r.key_id, r.signature
		FROM tasks t JOIN task_definitions d ON d.id = t.task_definition_id
		JOIN submission_tasks l ON l.task_id = t.id JOIN receipts r ON r.submission_id = l.submission_id
		WHERE t.project_id = $1 ORDER BY l.at DESC, r.sequence DESC`, projectID) {
		if err != nil {
			return nil, err
		}
		out = append(out, ListedReceipt{r.DefinitionID, r.Abbreviation, r.Name, r.At, r.Sequence,
			Receipt{json.RawMessage(r.Body), r.Hash, r.KeyID, r.Signature}})
	}
	return out, nil
}
