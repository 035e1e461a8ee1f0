package blob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/files"
)

// sizes is a store of which only hashes and sizes are known: one of many files on a disk
// takes minutes to make.
type sizes struct {
	files.Store
	of map[files.Hash]int64
}

func (s sizes) Stat(_ context.Context, h files.Hash) (files.Info, error) {
	size, ok := s.of[h]
	if !ok {
		return files.Info{}, fault.New(fault.Missing, "there is no such file")
	}
	return files.Info{Hash: h, Size: size}, nil
}

func (s sizes) List(_ context.Context, fn func(files.Info) error) error {
	var all []files.Info
	for h, size := range s.of {
		all = append(all, files.Info{Hash: h, Size: size})
	}
	slices.SortFunc(all, func(a, b files.Info) int { return strings.Compare(string(a.Hash), string(b.Hash)) })
	for _, i := range all {
		if err := fn(i); err != nil {
			return err
		}
	}
	return nil
}

// many gives a store of n files that are on record, touched at a moment, and their hashes.
func (s sizes) many(t *testing.T, d *db.DB, n int, at time.Time) (hashes []files.Hash) {
	t.Helper()
	var rows [][]any
	for range n {
		sum := sha256.Sum256([]byte(fmt.Sprint("file ", len(s.of))))
		h := files.Hash(hex.EncodeToString(sum[:]))
		s.of[h] = 100
		hashes, rows = append(hashes, h), append(rows, []any{string(h), int64(100), clock.At(at)})
	}
	if err := d.Tx(t.Context(), func(q db.Q) error {
		return db.Insert(t.Context(), q, "blobs (hash, size, touched_at)", "", rows)
	}); err != nil {
		t.Fatal(err)
	}
	return hashes
}

// found tells what a comparison finds, whether of a sample or of all.
func (s sizes) found(t *testing.T, d *db.DB, all bool) (looked int, lost []Lost) {
	t.Helper()
	compare := CompareSome
	if all {
		compare = CompareAll
	}
	looked, err := compare(t.Context(), d, s, func(some []Lost) error {
		lost = append(lost, some...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return looked, lost
}

func TestComparingFindsWhatTheStoreHasLost(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := sizes{of: map[files.Hash]int64{}}
		if looked, lost := s.found(t, d, true); looked != 0 || len(lost) != 0 {
			t.Errorf("of nothing %d %v", looked, lost)
		}
		const n = 1300 // more than two pages of rows, and than both samples
		kept := s.many(t, d, n, time.Now())
		s.of[files.Hash(strings.Repeat("0", 64))], s.of[files.Hash(strings.Repeat("f", 64))] = 1, 1 // on no record
		for _, all := range []bool{false, true} {
			if looked, lost := s.found(t, d, all); len(lost) != 0 || all && looked != n || looked < Sample || looked > n {
				t.Errorf("all %v: looked at %d, lost %v", all, looked, lost)
			}
		}
		gone, short := kept[17], kept[4]
		delete(s.of, gone)
		s.of[short] = 2
		looked, lost := s.found(t, d, true)
		if looked != n || len(lost) != 2 {
			t.Fatalf("looked at %d, lost %v", looked, lost)
		}
		for _, l := range lost {
			if l.Size != 100 || l.Hash == gone && l.Found != nil || l.Hash == short && (l.Found == nil || *l.Found != 2) {
				t.Errorf("lost %+v", l)
			}
		}
		clear(s.of)
		if looked, lost := s.found(t, d, true); looked != n || len(lost) != n {
			t.Errorf("of an empty store: looked at %d, lost %d", looked, len(lost))
		}
		if looked, lost := s.found(t, d, false); len(lost) != looked || looked < Sample {
			t.Errorf("of an empty store, a sample: looked at %d, lost %d", looked, len(lost))
		}
	})
}

// A copy of the store that is older than the database lacks what came last: few of many.
func TestASampleHoldsTheFilesThatCameLast(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := sizes{of: map[files.Hash]int64{}}
		s.many(t, d, 3000, time.Now().Add(-time.Hour))
		last := s.many(t, d, 3, time.Now())
		for _, h := range last {
			delete(s.of, h)
		}
		if looked, lost := s.found(t, d, false); len(lost) != 3 || looked > 2*Sample {
			t.Errorf("looked at %d, lost %v", looked, lost)
		}
	})
}
