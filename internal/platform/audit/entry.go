// Package audit keeps who did what: an append-only log in which each entry holds
// the hash of the one before, so that none can be changed, removed or added
// without it showing.
//
// An entry is written in the transaction of the change it tells of. It gets its
// number and its hash only after the commit, from one relay at a time, so that
// writers do not wait for each other. It holds ids, an action and names of fields,
// never names, addresses or contents: a person can be erased, and the chain still
// verifies.
package audit

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/netip"

	"lectern/internal/platform/db"
)

// Entry is something that was done. An id that is 0 does not apply.
type Entry struct {
	Kind      Kind     `json:"kind"`
	Action    string   `json:"action"`
	ActorID   int64    `json:"actor_id,omitzero"` // who did it; 0: whoever the context names
	UserID    int64    `json:"user_id,omitzero"`  // whom it concerns
	UnitID    int64    `json:"unit_id,omitzero"`
	ProjectID int64    `json:"project_id,omitzero"`
	TaskID    int64    `json:"task_id,omitzero"`
	RecordID  int64    `json:"record_id,omitzero"` // of any other kind, which Kind and Action tell
	Fields    []string `json:"fields,omitempty"`   // names of what changed; see Given and Diff
}

// Origin is who acts, where from, and on what. The zero value is the service
// itself. An entry that names no unit is about the origin's; one that names no user,
// and no other project, is about the origin's project and its student.
type Origin struct {
	ActorID                    int64
	UnitID, ProjectID, OwnerID int64
	Address                    netip.Addr
	RequestID                  string
}

// fill completes an entry with what the origin knows.
func (o *Origin) fill(e Entry) Entry {
	e.ActorID = cmp.Or(e.ActorID, o.ActorID)
	e.UnitID = cmp.Or(e.UnitID, o.UnitID)
	if e.UserID == 0 && (e.ProjectID == 0 || e.ProjectID == o.ProjectID) {
		e.ProjectID, e.UserID = o.ProjectID, o.OwnerID
	}
	return e
}

type originKey struct{}

// By gives a context in which what is done is done by o. Whatever takes requests
// puts it there, so that no change can forget to say who made it.
func By(ctx context.Context, o Origin) context.Context { return context.WithValue(ctx, originKey{}, o) }

// topic wakes the relay of this process when an entry was committed.
const topic = "audit"

// Add writes entries in the caller's transaction, all with one statement.
func Add(ctx context.Context, q db.Q, list ...Entry) error {
	if len(list) == 0 {
		return nil
	}
	return write(ctx, q, list)
}

// AddNothing takes as long as Add and leaves no entry, for who must not tell by the
// time they take whether there was something to write down.
func AddNothing(ctx context.Context, q db.Q) error { return write(ctx, q, nil) }

func write(ctx context.Context, q db.Q, list []Entry) error {
	by, _ := ctx.Value(originKey{}).(Origin)
	full := make([]Entry, len(list))
	for i, e := range list {
		full[i] = by.fill(e)
	}
	data, err := json.Marshal(full)
	if err != nil {
		return fmt.Errorf("encode audit entries: %w", err)
	}
	var address any
	if by.Address.IsValid() {
		address = by.Address.String()
	}
	if _, err := db.Exec(ctx, q, `INSERT INTO audit_outbox (at, address, request_id, entries)
		VALUES ($1, $2, $3, $4)`, q.Now(), address, by.RequestID, string(data)); err != nil {
		return fmt.Errorf("write audit entries: %w", err)
	}
	q.Wake(topic)
	return nil
}
