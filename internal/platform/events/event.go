// Package events tells what happened. An event is written in the transaction of
// the change it tells of; it gets its number only after the commit, from one
// relay at a time. The numbers therefore become visible in order: a reader who
// has seen 105 can never meet 104 later, and whoever remembers the last number
// it saw misses nothing.
package events

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

// Event is something that happened. An id that is 0 does not apply.
type Event struct {
	Seq       int64      `db:"seq" json:"seq,omitzero"` // given by the relay; 0 of what is not kept
	Kind      Kind       `db:"kind" json:"kind"`
	At        clock.Time `db:"at" json:"at"` // given by Add
	ActorID   int64      `db:"actor_id" json:"actor_id,omitzero"`
	UserID    int64      `db:"user_id" json:"user_id,omitzero"` // the student it concerns, who hears of it
	UnitID    int64      `db:"unit_id" json:"unit_id,omitzero"` // the unit whose staff hear of it
	ProjectID int64      `db:"project_id" json:"project_id,omitzero"`
	TaskID    int64      `db:"task_id" json:"task_id,omitzero"`
	Body      any        `json:"body"` // anything that encodes as JSON; a json.RawMessage when read

	// HiddenFrom is who does not hear of it, though staff of the unit. Only what is
	// not kept has it.
	HiddenFrom int64 `json:"-"`
}

// topic wakes the hubs of this process when it has committed an event.
const topic = "events"

// Add writes events in the caller's transaction, all with one statement.
func Add(ctx context.Context, q db.Q, list ...Event) error {
	if len(list) == 0 {
		return nil
	}
	rows := make([][]any, len(list))
	for i, e := range list {
		body, err := json.Marshal(e.Body)
		if err != nil {
			return fmt.Errorf("encode the event %s: %w", e.Kind, err)
		}
		rows[i] = []any{e.Kind, q.Now(), id(e.ActorID), id(e.UserID), id(e.UnitID), id(e.ProjectID), id(e.TaskID),
			string(body), isNews(e.Kind, body)}
	}
	if err := db.Insert(ctx, q, `events (kind, at, actor_id, user_id, unit_id, project_id, task_id, body, news)`, "",
		rows); err != nil {
		return fmt.Errorf("write the event %s: %w", list[0].Kind, err)
	}
	q.Wake(topic)
	return nil
}

// AddEach writes an event for each row of a statement that selects user_id and project_id, for these
// users alone: all with one statement, however many there are.
func AddEach(ctx context.Context, q db.Q, e Event, of string, args ...any) error {
	body, err := json.Marshal(e.Body)
	if err != nil {
		return fmt.Errorf("encode the event %s: %w", e.Kind, err)
	}
	n := len(args)
	args = append(args, e.Kind, q.Now(), id(e.ActorID), string(body), isNews(e.Kind, body))
	text := fmt.Sprintf(`INSERT INTO events (kind, at, actor_id, body, news, user_id, project_id)
		SELECT $%d, $%d, $%d, $%d, $%d, x.user_id, x.project_id FROM (%s) x`, n+1, n+2, n+3, n+4, n+5, of)
	if _, err := db.Exec(ctx, q, text, args...); err != nil {
		return fmt.Errorf("write the events %s: %w", e.Kind, err)
	}
	q.Wake(topic)
	return nil
}

// OnlyTheirs tells whether an event is for the user it concerns and for no other system: that somebody
// was sent an announcement says why, to whoever knows the others.
func (e *Event) OnlyTheirs() bool { return e.Kind == Announcement && e.UserID != 0 }

func id(n int64) any {
	if n == 0 {
		return nil
	}
	return n
}

// Filter chooses events: those about a user, those of units, or all.
type Filter struct {
	UserID  int64
	UnitIDs []int64
	All     bool
	Shared  bool // with All: leave out what is for the user it concerns alone
}

// Matches tells whether the filter chooses an event.
func (f Filter) Matches(e *Event) bool {
	if e.HiddenFrom != 0 && e.HiddenFrom == f.UserID {
		return false
	}
	return f.All ||
		e.UserID != 0 && e.UserID == f.UserID ||
		e.UnitID != 0 && slices.Contains(f.UnitIDs, e.UnitID)
}

const columns = `seq, kind, at, coalesce(actor_id, 0) AS actor_id, coalesce(user_id, 0) AS user_id,
	coalesce(unit_id, 0) AS unit_id, coalesce(project_id, 0) AS project_id, coalesce(task_id, 0) AS task_id, body`

// Since gives the first events after a number, in order. Events older than Keep
// may be gone.
func Since(ctx context.Context, q db.Q, f Filter, after int64, limit int) ([]Event, error) {
	text, args := f.query([]any{after, limit})
	return read(ctx, q, text, args)
}

// read runs a statement that gives events.
func read(ctx context.Context, q db.Q, text string, args []any) ([]Event, error) {
	type row struct {
		Event
		Text string `db:"body"`
	}
	list := []Event{}
	for r, err := range db.Each[row](ctx, q, text, args...) {
		if err != nil {
			return nil, fmt.Errorf("read events: %w", err)
		}
		r.Body = json.RawMessage(r.Text)
		list = append(list, r.Event)
	}
	return list, nil
}

// Choice narrows the newest events; what is zero chooses all.
type Choice struct {
	Kind   Kind
	UnitID int64
	Before int64 // events of lower numbers
}

// Newest gives the last of the chosen events that other systems hear of, the newest first.
func Newest(ctx context.Context, q db.Q, c Choice, limit int) ([]Event, error) {
	args := []any{limit}
	text := []string{"seq IS NOT NULL", "NOT (kind IN " + db.Literals(Announcement) + " AND user_id IS NOT NULL)"}
	add := func(given bool, condition string, value any) {
		if given {
			args = append(args, value)
			text = append(text, fmt.Sprintf("%s $%d", condition, len(args)))
		}
	}
	add(c.Kind != "", "kind =", c.Kind)
	add(c.UnitID != 0, "unit_id =", c.UnitID)
	add(c.Before > 0, "seq <", c.Before)
	return read(ctx, q, `SELECT `+columns+` FROM events WHERE `+strings.Join(text, " AND ")+`
		ORDER BY seq DESC LIMIT $1`, args)
}

// query writes a branch for each reason to hear of an event, each with an index
// of its own: with OR between them the engines would walk all events.
func (f Filter) query(args []any) (string, []any) {
	var reasons []string
	if f.All {
		reasons = []string{"TRUE"}
		if f.Shared {
			reasons = []string{"NOT (kind IN " + db.Literals(Announcement) + " AND user_id IS NOT NULL)"}
		}
	} else {
		list, with := db.In(append(args, f.UserID), f.UnitIDs)
		reasons, args = []string{"user_id = $3", "unit_id IN " + list}, with
	}
	for i, reason := range reasons {
		reasons[i] = fmt.Sprintf(`SELECT * FROM (SELECT %s FROM events WHERE seq > $1 AND %s ORDER BY seq
			LIMIT $2) AS r%d`,
			columns, reason, i)
	}
	return strings.Join(reasons, " UNION ") + " ORDER BY seq LIMIT $2", args
}

// Range gives the lowest number that is kept and the highest given so far, 0
// and 0 when there is none: who saw a number below the lowest has missed some.
func Range(ctx context.Context, q db.Q) (first, last int64, err error) {
	type row struct {
		First int64 `db:"first"`
		Last  int64 `db:"last"`
	}
	r, err := db.One[row](ctx, q, `SELECT coalesce((SELECT min(seq) FROM events), 0) AS first, coalesce((SELECT
		max(seq) FROM events), 0) AS last`)
	if err != nil {
		return 0, 0, fmt.Errorf("read the range of events: %w", err)
	}
	return r.First, r.Last, nil
}

// Last gives the highest number given so far, 0 when there is none.
func Last(ctx context.Context, q db.Q) (int64, error) {
	n, err := db.One[int64](ctx, q, `SELECT coalesce(max(seq), 0) FROM events`)
	if err != nil {
		return 0, fmt.Errorf("read the last event: %w", err)
	}
	return *n, nil
}

// Keep is how long events are kept.
const Keep = 30 * 24 * time.Hour

// pruneAtOnce keeps the transactions that delete short.
const pruneAtOnce = 1000

// Prune deletes events older than Keep and tells how many. The last one always
// stays, as the numbers count on from it.
func Prune(ctx context.Context, d *db.DB) (total int64, err error) {
	old := clock.At(d.Now().Add(-Keep))
	for {
		var n int64
		err := d.Tx(ctx, func(q db.Q) (err error) {
			n, err = db.Exec(ctx, q, `DELETE FROM events WHERE id IN (SELECT id FROM events
				WHERE at < $1 AND seq < (SELECT max(seq) FROM events) ORDER BY at LIMIT $2)`, old, pruneAtOnce)
			return err
		})
		total += n
		if err != nil {
			return total, fmt.Errorf("remove old events: %w", err)
		}
		if n < pruneAtOnce {
			return total, nil
		}
	}
}
