package insight

import (
	"context"
	"fmt"
	"slices"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/queue"
)

// OwnWeek is what one of the staff has marked since a moment, in some units, for themselves. It counts
// as Turnaround does.
type OwnWeek struct {
	Pace                   // of all of it; what was promised is told by the next two
	Promised int           // of what was marked, in units that promise feedback
	InTime   int           // of that, as soon as promised
	Each     time.Duration // half of it took this or less since the work before; 0: too little to tell
}

// The longest that somebody spends on one work: after that they did something else.
const longestOnOne = time.Hour

// OwnWeekOf reads what a person marked since a moment in some units, by one statement.
func OwnWeekOf(ctx context.Context, q db.Q, userID int64, since clock.Time, units []queue.Target) (*OwnWeek, error) {
	promise, ids := map[int64]*int64{}, make([]int64, len(units))
	for i, u := range units {
		promise[u.UnitID], ids[i] = u.Days, u.UnitID
	}
	in, args := db.In([]any{userID, since}, ids)
	marked, err := firstMarksFrom(ctx, q, `task_history h CROSS JOIN tasks t
		WHERE t.id = h.task_id AND h.actor_id = $1 AND h.at >= $2 AND t.unit_id IN `+in, args...)
	if err != nil {
		return nil, fmt.Errorf("read what somebody marked: %w", err)
	}
	w := &OwnWeek{Each: onOne(marked)}
	took := make([]time.Duration, len(marked))
	for i, m := range marked {
		took[i] = m.took()
		if days := promise[m.UnitID]; days != nil {
			w.Promised++
			if took[i] <= time.Duration(*days)*24*time.Hour {
				w.InTime++
			}
		}
	}
	w.Pace = paceOf(took, 0)
	return w, nil
}

// InTimePercent is the share of what was promised that came in time, never rounded up.
func (w *OwnWeek) InTimePercent() int {
	if w.Promised == 0 {
		return 0
	}
	return w.InTime * 100 / w.Promised
}

// onOne is the median of the times between works that were marked one by one without a pause, in the
// order of time. What was marked together says nothing of how long each took.
func onOne(marked []firstMark) time.Duration {
	at := map[clock.Milli]int{}
	for _, m := range marked {
		at[m.At]++
	}
	var gaps []time.Duration
	for i := 1; i < len(marked); i++ {
		before, now := marked[i-1].At, marked[i].At
		if gap := now.Since(before); at[before] == 1 && at[now] == 1 && gap <= longestOnOne {
			gaps = append(gaps, gap)
		}
	}
	if len(gaps) < 2 {
		return 0
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/2]
}
