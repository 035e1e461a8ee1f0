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
	"context"
	"encoding/json"
	"fmt"
	"net/netip"

	"lectern/internal/db"
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

// Origin is who acts, and where from. The zero value is the service itself.
type Origin struct {
	ActorID   int64
	Address   netip.Addr
	RequestID string
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
	data, err := json.Marshal(list)
	if err != nil {
		return fmt.Errorf("encode the audit of %s: %w", list[0].Kind, err)
	}
	by, _ := ctx.Value(originKey{}).(Origin)
	var address any
	if by.Address.IsValid() {
		address = by.Address.String()
	}
	if _, err := db.Exec(ctx, q, `INSERT INTO audit_outbox (at, actor_id, address, request_id, entries)
		VALUES ($1, $2, $3, $4, $5)`, q.Now(), by.ActorID, address, by.RequestID, string(data)); err != nil {
		return fmt.Errorf("write the audit of %s: %w", list[0].Kind, err)
	}
	q.Wake(topic)
	return nil
}
