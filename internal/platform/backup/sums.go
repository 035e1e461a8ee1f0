package backup

import (
	"context"
	"crypto/sha256"
	endian "encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"lectern/internal/platform/blob"
	"lectern/internal/platform/db"
)

// ownTable holds, beside keys of the installation, what a place says of itself alone.
const ownTable = "installation"

// ownRow tells by its name whether a row of ownTable is of one place alone.
func ownRow(name string) bool { return db.OfMove(name) || blob.IsHold(name) }

// writeRecords writes every row of every table, and last of all the ids that were given last.
func writeRecords(ctx context.Context, d *db.DB, w io.Writer, tell func(Progress)) error {
	return d.View(ctx, func(q db.Q) error {
		tables, err := db.Tables(ctx, q)
		if err != nil {
			return err
		}
		for i, t := range tables {
			tell(Progress{Doing: "tables of records", Done: int64(i), Of: int64(len(tables))})
			if _, err := writeTable(ctx, q, w, &t, false); err != nil {
				return err
			}
		}
		last, err := db.Numbers(ctx, q)
		if err != nil {
			return err
		}
		return json.NewEncoder(w).Encode(line{Numbers: last})
	})
}

// sum reads all records of a database.
func sum(ctx context.Context, d *db.DB, tell func(Progress)) (*sums, error) {
	s := &sums{}
	return s, writeRecords(ctx, d, s, tell)
}

// sums tells whether two databases have the same rows, in whatever order: it adds up the hashes of
// the lines that writeRecords writes, table by table.
type sums struct {
	tables  []tableSum
	numbers map[string]int64
}

type tableSum struct {
	name string
	rows int64
	sum  [4]uint64
}

// Write takes one line: an encoder writes each at once.
func (s *sums) Write(text []byte) (int, error) {
	if text[0] == '{' {
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			return 0, err
		}
		if l.Table != "" {
			s.tables = append(s.tables, tableSum{name: l.Table})
		}
		if l.Numbers != nil {
			s.numbers = l.Numbers
		}
		return len(text), nil
	}
	t := &s.tables[len(s.tables)-1]
	if t.name == ownTable {
		var row []string
		if err := json.Unmarshal(text, &row); err != nil || len(row) == 0 {
			return 0, fmt.Errorf("a row of %s: %w", ownTable, err)
		}
		if ownRow(row[0]) {
			return len(text), nil
		}
	}
	t.rows++
	h := sha256.Sum256(text)
	for i := range t.sum {
		t.sum[i] += endian.BigEndian.Uint64(h[8*i:])
	}
	return len(text), nil
}

// rows is how many there are.
func (s *sums) rows() (n int64) {
	if s == nil {
		return 0
	}
	for _, t := range s.tables {
		n += t.rows
	}
	return n
}

// String is the same for the same records.
func (s *sums) String() string {
	h := sha256.New()
	for _, t := range s.tables {
		fmt.Fprintln(h, t.name, t.rows, t.sum)
	}
	for _, name := range slices.Sorted(maps.Keys(s.numbers)) {
		fmt.Fprintln(h, name, s.numbers[name])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// differs names what is not the same; nothing when all is.
func (s *sums) differs(other *sums) string {
	var all []string
	has := map[string]tableSum{}
	for _, t := range other.tables {
		has[t.name] = t
	}
	for _, t := range s.tables {
		o := has[t.name]
		switch {
		case o.rows != t.rows:
			all = append(all, fmt.Sprintf("the table %s has %d rows instead of %d", t.name, o.rows, t.rows))
		case o.sum != t.sum:
			all = append(all, fmt.Sprintf("the table %s has other rows", t.name))
		}
	}
	if len(other.tables) != len(s.tables) {
		all = append(all, "it has other tables")
	}
	if !maps.Equal(s.numbers, other.numbers) {
		all = append(all, "it goes on with other ids")
	}
	return strings.Join(all, "; ")
}

// atOnce is how many files are on their way together: a bucket answers each after a while.
const atOnce = 8

// each does something to every file, several at once, until one fails.
func (m *Move) each(ctx context.Context, doing string, list []stored, do func(context.Context, stored) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var next, done atomic.Int64
	var telling sync.Mutex
	var workers sync.WaitGroup
	for range atOnce {
		workers.Go(func() {
			for ctx.Err() == nil {
				i := next.Add(1) - 1
				if i >= int64(len(list)) {
					return
				}
				if err := do(ctx, list[i]); err != nil {
					stop(err)
					return
				}
				telling.Lock()
				m.Tell(Progress{Doing: doing, Done: done.Add(1), Of: int64(len(list))})
				telling.Unlock()
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}
