package admin

import (
	"context"
	"strings"

	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/usecase"
)

// entryRow is an entry of the audit log in words.
type entryRow struct {
	audit.Record
	Actor string // who did it; empty: the service itself, or a visitor
	User  string // whom it concerns, where that is somebody else
	Unit  string
	Kind  string
	What  string
}

// auditKeys are the words for kinds of entries.
func auditKeys() (list []string) {
	for _, k := range audit.Kinds() {
		list = append(list, auditKey(k))
	}
	return list
}

func auditKey(k audit.Kind) string { return "audit.kind-" + strings.ReplaceAll(string(k), "_", "-") }

// entries puts entries into words, with the names of whom they are about.
func (s *room) entries(ctx context.Context, q db.Q, list []audit.Record) ([]entryRow, error) {
	var people, units []int64
	for i := range list {
		people, units = append(people, list[i].ActorID, list[i].UserID), append(units, list[i].UnitID)
	}
	names, err := usecase.NamesOf(ctx, q, people, units)
	if err != nil {
		return nil, err
	}
	rows := make([]entryRow, len(list))
	for i, r := range list {
		rows[i] = entryRow{Record: r, Actor: names.Person(r.ActorID), Unit: names.Unit(r.UnitID),
			Kind: s.Word(auditKey(r.Kind)), What: strings.ReplaceAll(r.Action, "_", " ")}
		if r.UserID != r.ActorID {
			rows[i].User = names.Person(r.UserID)
		}
	}
	return rows, nil
}
