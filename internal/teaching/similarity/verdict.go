package similarity

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/opt"
	"lectern/internal/people/access"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
)

// Verdict is what a person decides on cases of a unit, and why.
type Verdict struct {
	Cases    []int64
	Decision State  // not_a_concern, asked or reported
	Reason   string // for the staff; it must be given
	Seen     Seen   // nil: whatever was decided before is replaced
}

// Seen is when cases were decided on last as somebody saw it; nil: nobody had.
type Seen map[int64]*clock.Time

// SeenAt reads when a case was decided on as an answer told it; nil of an empty text.
func SeenAt(text string) (*clock.Time, error) {
	if text == "" {
		return nil, nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return nil, fault.Field(fault.Refused, "seen", "must be times as decided_at tells them, or empty")
	}
	at := clock.At(t)
	return &at, nil
}

// Decisions are what can be decided.
var Decisions = []State{Harmless, Asked, Reported}

// mostCases and mostReason bound a decision.
const (
	mostCases  = 500
	mostReason = 2000
)

func (v *Verdict) check() error {
	v.Reason = strings.TrimSpace(v.Reason)
	slices.Sort(v.Cases)
	v.Cases = slices.Compact(v.Cases)
	switch {
	case len(v.Cases) == 0:
		return fault.Field(fault.Refused, "cases", "name at least one")
	case len(v.Cases) > mostCases:
		return fault.Field(fault.Refused, "cases", "must be at most %d", mostCases)
	case !slices.Contains(Decisions, v.Decision):
		return fault.Field(fault.Refused, "decision", "must be not_a_concern, asked or reported")
	case v.Reason == "":
		return fault.Field(fault.Refused, "reason", "must be given")
	case utf8.RuneCountInString(v.Reason) > mostReason:
		return fault.Field(fault.Refused, "reason", "must have at most %d characters", mostReason)
	}
	return nil
}

// DecideCases notes a person's decision on cases of a unit, at the tasks of both sides in the unit and of all
// members of a group. It stands until they hand in other work. A case that is not among those the caller may see
// is fault.Missing; one that somebody decided on since it was seen is fault.Conflict, which tells both decisions, and
// nothing is changed. It is for holders of policy.DecideCases; nobody decides about work they have a part in, which
// they do not see.
func DecideCases(ctx context.Context, q db.Q, who *access.Caller, unitID int64, v Verdict) ([]Case, error) {
	if err := v.check(); err != nil {
		return nil, err
	}
	if err := v.lock(ctx, q); err != nil {
		return nil, err
	}
	u, err := CasesIn(ctx, q, who, unitID)
	if err != nil {
		return nil, err
	}
	chosen := slices.DeleteFunc(slices.Clone(u.all), func(b brief) bool { return !slices.Contains(v.Cases, b.ID) })
	if len(chosen) < len(v.Cases) {
		return nil, fault.New(fault.Missing, "One of these cases is no longer there. Load the list again.")
	}
	if err := v.clashes(ctx, q, u, chosen); err != nil {
		return nil, err
	}
	pairs, outside := keysOf(chosen)
	if err := v.write(ctx, q, who, unitID, pairs, outside); err != nil {
		return nil, err
	}
	now := q.Now()
	for i := range chosen {
		chosen[i].Rank, chosen[i].Latest = slices.Index(states, v.Decision)+1, &now
	}
	return u.cases(ctx, q, chosen)
}

// lock lets two who decide on the same case do so one after the other.
func (v *Verdict) lock(ctx context.Context, q db.Q) error {
	if !q.Postgres() {
		return nil
	}
	in, args := db.In(nil, v.Cases)
	_, err := db.Exec(ctx, q, `SELECT 1 FROM task_similarities WHERE pair_id IN (SELECT r.pair_id FROM task_similarities r
			WHERE r.id IN `+in+`) OR outside_id IN (SELECT r.outside_id FROM task_similarities r WHERE r.id IN `+in+`)
		ORDER BY id FOR UPDATE`, args...)
	return err
}

// clashes refuses a decision on cases that a colleague decided on since they were seen.
func (v *Verdict) clashes(ctx context.Context, q db.Q, u *UnitCases, chosen []brief) error {
	if v.Seen == nil {
		return nil
	}
	list, err := u.cases(ctx, q, slices.DeleteFunc(slices.Clone(chosen), func(b brief) bool {
		seen, told := v.Seen[b.ID]
		return !told || b.Latest == nil || seen != nil && seen.Equal(b.Latest.Time)
	}))
	if err != nil || len(list) == 0 {
		return err
	}
	c := list[0]
	return fault.New(fault.Conflict, "%s decided in the meantime on %d of these cases, on %s: %s (%q). "+
		"Yours (%s) was not saved: save it again to replace theirs.", opt.Or(c.Decider, "A colleague"), len(list),
		c.Abbreviation, c.State.told(), opt.Or(c.Reason, ""), v.Decision.told())
}

// told says a state in words.
func (s State) told() string { return strings.ReplaceAll(string(s), "_", " ") }

// write keeps the decision at every task of the unit that the cases concern, and puts it on record.
func (v *Verdict) write(ctx context.Context, q db.Q, who *access.Caller, unitID int64, pairs []int64,
	outside []string) error {
	type told struct {
		ID        int64 `db:"id"`
		TaskID    int64 `db:"task_id"`
		ProjectID int64 `db:"project_id"`
		UserID    int64 `db:"user_id"`
	}
	args := []any{string(v.Decision), v.Reason, v.Decision != Harmless, who.ID, q.Now(), unitID}
	inPairs, args := db.In(args, pairs)
	inOutside, args := db.In(args, outside)
	list, err := db.All[told](ctx, q, `UPDATE task_similarities SET decision = $1, reason = $2, flagged = $3,
			decided_by = $4, decided_at = $5
		WHERE project_id IN (SELECT id FROM projects WHERE unit_id = $6)
			AND (pair_id IN `+inPairs+` OR outside_id IN `+inOutside+`)
		RETURNING id, task_id, project_id, (SELECT x.user_id FROM projects x WHERE x.id = project_id) AS user_id`, args...)
	if err != nil {
		return err
	}
	slices.SortFunc(list, func(a, b told) int { return int(a.ID - b.ID) })
	entries := make([]audit.Entry, len(list))
	for i, t := range list {
		entries[i] = audit.Entry{Kind: audit.Similarity, Action: "decided_" + string(v.Decision), UnitID: unitID,
			UserID: t.UserID, ProjectID: t.ProjectID, TaskID: t.TaskID, RecordID: t.ID}
	}
	return audit.Add(ctx, q, entries...)
}
