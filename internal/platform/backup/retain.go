package backup

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"lectern/internal/platform/db"
)

// Rule says which backups are kept: the newest of each of so many days, weeks and months that have
// one, and the newest of all. The zero value keeps every one.
type Rule struct{ Days, Weeks, Months int }

var errRule = errors.New("say which backups are kept as 7d,4w,12m: the newest of each of the last seven days, four " +
	"weeks and twelve months that have one")

// ParseRule reads a rule such as 7d,4w,12m, of which each part may be left out. Nothing keeps all.
func ParseRule(text string) (Rule, error) {
	var r Rule
	if text == "" {
		return r, nil
	}
	parts := map[byte]*int{'d': &r.Days, 'w': &r.Weeks, 'm': &r.Months}
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			return Rule{}, errRule
		}
		n, err := strconv.Atoi(part[:len(part)-1])
		to := parts[part[len(part)-1]]
		if err != nil || to == nil || n < 1 || n > 10000 || *to != 0 {
			return Rule{}, errRule
		}
		*to = n
	}
	return r, nil
}

// kept tells which of the backups, oldest first, the rule keeps.
func (r Rule) kept(all []string) map[string]bool {
	kept := map[string]bool{}
	for _, span := range []struct {
		n    int
		name func(time.Time) string
	}{
		{1, func(at time.Time) string { return at.Format(setLayout) }},
		{r.Days, func(at time.Time) string { return at.Format(time.DateOnly) }},
		{r.Weeks, func(at time.Time) string { y, w := at.ISOWeek(); return fmt.Sprint(y, w) }},
		{r.Months, func(at time.Time) string { return at.Format("2006-01") }},
	} {
		seen := map[string]bool{}
		for _, set := range slices.Backward(all) {
			at, err := time.Parse(setLayout, set)
			if err != nil { // a name that no backup has: not ours to remove
				kept[set] = true
				continue
			}
			if name := span.name(at); !seen[name] && len(seen) < span.n {
				seen[name], kept[set] = true, true
			}
		}
	}
	return kept
}

// retain removes the backups that the rule does not keep, then the files that no backup refers
// to. Wherever it is cut off, those that are kept are whole: the next run goes on. Nobody else may
// write to the place meanwhile.
func (m *Maker) retain(ctx context.Context, lock *db.Alone) error {
	if m.Keep == (Rule{}) {
		return nil
	}
	all, err := setsOn(ctx, m.on)
	if err != nil {
		return err
	}
	kept := m.Keep.kept(all.finished)
	used := map[[32]byte]bool{}
	var gone []string
	for _, set := range all.finished {
		if !kept[set] {
			gone = append(gone, set)
		} else if err := refers(ctx, m.on, set, used); err != nil {
			return fmt.Errorf("read which files the backup %s has: %w", set, err)
		}
	}
	if err := lock.Still(ctx); err != nil {
		return err
	}
	if err := removeSets(ctx, m.on, gone); err != nil {
		return err
	}
	if err := m.removeUnused(ctx, lock, used); err != nil {
		return err
	}
	for _, set := range all.finished {
		if kept[set] {
			return m.forgetErasures(ctx, set)
		}
	}
	return nil
}

// refers notes the files of a backup.
func refers(ctx context.Context, on shelf, set string, used map[[32]byte]bool) error {
	r, err := open(ctx, on, inSet(set, filesName), true, nil)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := readList(r, func(f stored) error {
		used[binaryHash(f.Hash)] = true
		return nil
	}); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, r)
	return err
}

func binaryHash(hash string) (out [32]byte) {
	_, _ = hex.Decode(out[:], []byte(hash)) // of the right form
	return out
}

// looks is how many files are removed before the lock is looked at again.
const looks = 200

func (m *Maker) removeUnused(ctx context.Context, lock *db.Alone, used map[[32]byte]bool) error {
	removed := 0
	return m.on.each(ctx, "files/", func(name string) error {
		hash := name[strings.LastIndex(name, "/")+1:]
		if !hashes.MatchString(hash) || used[binaryHash(hash)] {
			return nil
		}
		m.tell(Progress{Doing: "old files", Done: int64(removed)})
		if removed++; removed%looks == 0 {
			if err := lock.Still(ctx); err != nil {
				return err
			}
		}
		return m.on.remove(ctx, name)
	})
}
