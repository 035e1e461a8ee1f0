// Package demo fills an empty database with a small university in the middle of
// its teaching period, always the same but for today's date, so that people can
// look around and tests have something to walk through.
package demo

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/teaching/submit"
)

// Password is that of every demo account.
const Password = "password"

// Fill makes the university where there are no users yet, and tells whether it
// did. Seal is the stored form of Password, one for all accounts: hashing it
// for each would take most of the start.
//
// Work is handed in at desk and its receipts are signed by signer; the documents
// follow as jobs.
func Fill(ctx context.Context, q db.Q, seal string, desk *submit.Service, signer *submit.Signer) (filled bool,
	err error) {
	if err := db.LockName(ctx, q, "first administrator"); err != nil {
		return false, err
	}
	n, err := db.One[int64](ctx, q, `SELECT count(*) FROM users`)
	if err != nil || *n > 0 {
		return false, err
	}
	b := &builder{ctx: ctx, q: q, desk: desk, signer: signer, id: map[string]int64{},
		kept: map[[sha256.Size]byte]files.Info{}, today: clock.Day(q.Now().Time)}
	b.people(seal)
	b.calendar()
	b.units()
	b.announcements()
	b.replay()
	b.portfolios()
	b.staff()
	return b.err == nil, b.err
}

// builder inserts records and knows their ids by name. After the first error it
// does nothing more.
type builder struct {
	ctx     context.Context
	q       db.Q
	desk    *submit.Service
	signer  *submit.Signer
	id      map[string]int64
	kept    map[[sha256.Size]byte]files.Info // by the hash of their content
	today   clock.Date
	actions []action
	err     error
}

type row map[string]any

// add inserts a record and remembers its id under name.
func (b *builder) add(name, table string, r row) int64 {
	if b.err != nil {
		return 0
	}
	cols := slices.Sorted(maps.Keys(r))
	args := make([]any, len(cols))
	for i, c := range cols {
		args[i] = r[c]
	}
	list, args := db.List(nil, args)
	id, err := db.One[int64](b.ctx, b.q, "INSERT INTO "+table+" ("+strings.Join(cols, ", ")+") VALUES "+list+
		" RETURNING id", args...)
	if err != nil {
		b.err = fmt.Errorf("demo data for %s: %w", table, err)
		return 0
	}
	b.id[name] = *id
	return *id
}

// monday is the first day of the present week.
func (b *builder) monday() clock.Date { return b.today.AddDays(-(int(b.today.Weekday()) + 6) % 7) }
