// Package trash keeps what was deleted together with students' work: a task
// definition, a group set, a group, or the work of a unit that is over, with all rows and files that went with it.
// For thirty days it can be restored as it was, and students get their own files.
package trash

import (
	"context"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

// Lasts is how long it is kept.
const Lasts = 30 * 24 * time.Hour

// Kind is what was deleted.
type Kind string

// The kinds.
const (
	Definition Kind = "task_definition"
	GroupSet   Kind = "group_set"
	Group      Kind = "group"
	// TaskWork is the work for a task that stays, with its statuses and grades, and Portfolios are those of a unit:
	// parts of a retirement.
	TaskWork   Kind = "task_work"
	Portfolios Kind = "portfolios"
)

// Enum gives all kinds, for the documentation of the API.
func (Kind) Enum() []string {
	return []string{string(Definition), string(GroupSet), string(Group), string(TaskWork), string(Portfolios)}
}

// Word is what people call it.
func (k Kind) Word() string {
	return map[Kind]string{Definition: "task", GroupSet: "group set", Group: "group",
		TaskWork: "work for the task", Portfolios: "portfolios of the unit"}[k]
}

// Deletion is something that was deleted and can still be restored.
type Deletion struct {
	ID        int64      `db:"id" json:"id"`
	UnitID    int64      `db:"unit_id" json:"unit_id"`
	Kind      Kind       `db:"kind" json:"kind"`
	RecordID  int64      `db:"record_id" json:"record_id"`
	Name      string     `db:"name" json:"name"`
	DeletedBy int64      `db:"user_id" json:"deleted_by_id"`
	By        string     `db:"by_name" json:"deleted_by"` // their name
	Students  int64      `db:"students" json:"students"`
	At        clock.Time `db:"at" json:"deleted_at"`
	KeptUntil clock.Time `json:"kept_until"`

	RetirementID *int64 `db:"retirement_id" json:"retirement_id"` // that it is part of; null: it was deleted by itself
	Plan         *Plan  `db:"plan" json:"-"`                      // of that
}

// Anonymised tells whether the work is still there, without the names.
func (d *Deletion) Anonymised() bool { return d.Plan != nil && *d.Plan == Anonymise }

// kindOf is the kind of a deletion d. The column has no word for parts of a retirement.
const kindOf = `CASE WHEN d.retirement_id IS NULL THEN d.kind WHEN d.record_id = 0 THEN 'portfolios'
	ELSE 'task_work' END`

const selectDeletions = `SELECT d.id, d.unit_id, ` + kindOf + ` AS kind, d.record_id, d.name, d.user_id, d.students,
		d.at, d.retirement_id, r.plan, u.first_name || ' ' || u.last_name AS by_name
	FROM deletions d JOIN users u ON u.id = d.user_id LEFT JOIN retirements r ON r.id = d.retirement_id
	WHERE ` + keptAt

// keptAt tells of a deletion d that it is still kept at a time of which $1 is since. What is being undone is kept
// until it is: an undo that was begun within the 30 days takes longer than their last minute.
const keptAt = `(d.at > $1 OR EXISTS (SELECT 1 FROM retirements x WHERE x.id = d.retirement_id AND x.state = 'undoing'))`

// since is the moment before which what was deleted is gone.
func since(q db.Q) clock.Time { return clock.At(q.Now().Add(-Lasts)) }

func (d *Deletion) date() { d.KeptUntil = clock.At(d.At.Add(Lasts)) }

// Of lists what was deleted in a unit, the latest first. What was anonymised is not: it is brought back as a whole.
func Of(ctx context.Context, q db.Q, unitID int64) ([]Deletion, error) {
	list, err := db.All[Deletion](ctx, q, selectDeletions+` AND d.unit_id = $2
		AND (r.plan IS NULL OR r.plan <> 'anonymise') ORDER BY d.at DESC, d.id DESC`, since(q), unitID)
	for i := range list {
		list[i].date()
	}
	return list, err
}

// byID reads one of a unit, or fault.Missing.
func byID(ctx context.Context, q db.Q, unitID, id int64) (*Deletion, error) {
	d, err := db.OneOf[Deletion](ctx, q, "deleted record", selectDeletions+` AND d.unit_id = $2 AND d.id = $3`,
		since(q), unitID, id)
	if err == nil {
		d.date()
	}
	return d, err
}

// Needed tells whether something that was deleted can be restored only while a
// group set and its groups are there, or restored before it.
func Needed(ctx context.Context, q db.Q, setID int64) (bool, error) {
	n, err := db.One[int64](ctx, q, `SELECT count(*) FROM deletions WHERE group_set_id = $1 AND at > $2`, setID, since(q))
	return err == nil && *n > 0, err
}

// pruneAtOnce bounds a transaction: a large task has some ten thousand rows.
const pruneAtOnce = 5

// Prune forgets what was kept long enough, a bounded number, and lets its files go
// with the next sweep. It tells how many: call it again, in a new transaction,
// until that is 0.
func Prune(ctx context.Context, q db.Q) (int64, error) {
	return db.Exec(ctx, q, `DELETE FROM deletions WHERE id IN (SELECT d.id FROM deletions d WHERE d.at <= $1 AND NOT `+keptAt+`
		ORDER BY d.at LIMIT $2)`, since(q), pruneAtOnce)
}
