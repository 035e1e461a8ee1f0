package audit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"lectern/internal/ground/canonical"
	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

// Record is an entry of the chain.
type Record struct {
	Seq       int64      `db:"seq" json:"seq"`
	At        clock.Time `db:"at" json:"at"`
	Kind      Kind       `db:"kind" json:"kind"`
	Action    string     `db:"action" json:"action"`
	ActorID   int64      `db:"actor_id" json:"actor_id"` // 0: the service itself, or a visitor
	UserID    int64      `db:"user_id" json:"user_id"`
	UnitID    int64      `db:"unit_id" json:"unit_id"`
	ProjectID int64      `db:"project_id" json:"project_id"`
	TaskID    int64      `db:"task_id" json:"task_id"`
	RecordID  int64      `db:"record_id" json:"record_id"`
	Fields    Names      `db:"fields" json:"fields"`
	Hash      string     `db:"hash" json:"hash"`

	// What stands beside the chain.
	Address   *string `db:"address" json:"address"` // null when it is not known any more
	RequestID string  `db:"request_id" json:"request_id"`
}

// Names is a list of words that is stored as one text.
type Names []string

// Scan implements sql.Scanner.
func (n *Names) Scan(src any) error {
	*n = Names{}
	text, ok := src.(string)
	if !ok {
		return fmt.Errorf("cannot read names from %T", src)
	}
	if text != "" {
		*n = strings.Split(text, ",")
	}
	return nil
}

func (n Names) text() string { return strings.Join(n, ",") }

// end is where the chain has come to: the number and the hash of its last entry.
type end struct {
	Seq  int64  `db:"seq"`
	Hash string `db:"hash"`
}

// hashAfter gives the hash the entry has behind another: SHA-256 over canonical
// JSON of all it says and the hash before it.
func (r *Record) hashAfter(previous string) (string, error) {
	text, err := json.Marshal(map[string]any{"seq": r.Seq, "at": r.At, "kind": r.Kind, "action": r.Action,
		"actor_id": r.ActorID, "user_id": r.UserID, "unit_id": r.UnitID, "project_id": r.ProjectID,
		"task_id": r.TaskID, "record_id": r.RecordID, "fields": r.Fields.text(), "previous": previous})
	if err == nil {
		text, err = canonical.JSON(text)
	}
	if err != nil {
		return "", fmt.Errorf("hash the audit entry %d: %w", r.Seq, err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// relayAtOnce bounds how many transactions' entries are chained in one.
const relayAtOnce = 200

// Relay numbers and chains the committed entries that wait, and tells how many.
// Any number of relays may run at once, in as many processes: they take turns.
func Relay(ctx context.Context, d *db.DB) (total int64, err error) {
	for {
		some, err := db.All[int64](ctx, d.Pool(), `SELECT id FROM audit_outbox LIMIT 1`)
		if err != nil {
			return total, fmt.Errorf("look for new audit entries: %w", err)
		}
		if len(some) == 0 {
			return total, nil
		}
		var n int64
		if err := d.Brief(ctx, func(q db.Q) (err error) {
			n, err = relay(ctx, q)
			return err
		}); err != nil {
			return total, fmt.Errorf("chain audit entries: %w", err)
		}
		total += n
	}
}

// waiting is a row of the outbox.
type waiting struct {
	ID        int64      `db:"id"`
	At        clock.Time `db:"at"`
	Address   *string    `db:"address"`
	RequestID string     `db:"request_id"`
	Entries   string     `db:"entries"`
}

// lock lets one relay at a time at the end of the chain. It is a statement of its
// own, so that the next one sees all that earlier holders have committed.
func lock(ctx context.Context, q db.Q) error { return db.LockName(ctx, q, "audit relay") }

// relay moves waiting entries to the end of the chain.
func relay(ctx context.Context, q db.Q) (int64, error) {
	if err := lock(ctx, q); err != nil {
		return 0, err
	}
	rows, err := db.All[waiting](ctx, q, `SELECT id, at, address, request_id, entries FROM audit_outbox
		ORDER BY id LIMIT $1`, relayAtOnce)
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	last, err := endOf(ctx, q)
	if err != nil {
		return 0, err
	}
	var list []Record
	ids := make([]int64, len(rows))
	for i := range rows {
		ids[i] = rows[i].ID
		if list, err = rows[i].chain(list, last); err != nil {
			return 0, err
		}
	}
	if len(list) > 0 {
		if err := insert(ctx, q, list); err != nil {
			return 0, err
		}
	}
	in, args := db.In(nil, ids)
	_, err = db.Exec(ctx, q, `DELETE FROM audit_outbox WHERE id IN `+in, args...)
	return int64(len(list)), err
}

// chain appends the entries of a transaction and moves the end of the chain on.
func (w *waiting) chain(list []Record, last *end) ([]Record, error) {
	var entries []Entry
	if err := json.Unmarshal([]byte(w.Entries), &entries); err != nil {
		return nil, fmt.Errorf("read the waiting audit entry %d: %w", w.ID, err)
	}
	for _, e := range entries {
		r := Record{Seq: last.Seq + 1, At: w.At, Kind: e.Kind, Action: e.Action, ActorID: e.ActorID, UserID: e.UserID,
			UnitID: e.UnitID, ProjectID: e.ProjectID, TaskID: e.TaskID, RecordID: e.RecordID, Fields: e.Fields,
			Address: w.Address, RequestID: w.RequestID}
		hash, err := r.hashAfter(last.Hash)
		if err != nil {
			return nil, err
		}
		r.Hash = hash
		last.Seq, last.Hash = r.Seq, hash
		list = append(list, r)
	}
	return list, nil
}

// insert writes entries of the chain with one statement, however many there are.
func insert(ctx context.Context, q db.Q, list []Record) error {
	rows := make([][]any, len(list))
	for i := range list {
		r := &list[i]
		rows[i] = []any{r.Seq, r.At, r.Kind, r.Action, r.ActorID, r.UserID, r.UnitID, r.ProjectID, r.TaskID,
			r.RecordID, r.Fields.text(), r.Hash, r.Address, r.RequestID}
	}
	from, args, err := db.Rows(q, nil, []string{"seq BIGINT", "at TIMESTAMPTZ", "kind TEXT", "action TEXT",
		"actor_id BIGINT", "user_id BIGINT", "unit_id BIGINT", "project_id BIGINT", "task_id BIGINT",
		"record_id BIGINT", "fields TEXT", "hash TEXT", "address TEXT", "request_id TEXT"}, rows)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, q, `INSERT INTO audit_entries (seq, at, kind, action, actor_id, user_id, unit_id,
		project_id, task_id, record_id, fields, hash, address, request_id) SELECT * FROM `+from+` AS r`, args...)
	return err
}

// endOf finds the end of the chain; where there is no entry, that is its start.
func endOf(ctx context.Context, q db.Q) (*end, error) {
	found, err := db.All[end](ctx, q, `SELECT seq, hash FROM audit_entries ORDER BY seq DESC LIMIT 1`)
	if err == nil && len(found) == 0 {
		found, err = db.All[end](ctx, q, `SELECT seq, hash FROM audit_checkpoints WHERE start`)
	}
	if err != nil {
		return nil, fmt.Errorf("find the end of the audit chain: %w", err)
	}
	if len(found) == 0 {
		return &end{}, nil
	}
	return &found[0], nil
}
