package insight

import (
	"math"
	"slices"
	"time"
)

// Pace is how soon work was marked.
type Pace struct {
	Marked int      `json:"judged"`
	Median *float64 `json:"median_hours"` // within this, half of the work or more was marked; none: nothing was
	Most   *float64 `json:"p90_hours"`    // within this, nine tenths or more
	Kept   *int     `json:"kept"`         // how many within the promise; none: nothing is promised
}

// paceOf sums up how long each piece of work took, exactly: both percentiles are times
// that some work took. A promise of 0 is none.
func paceOf(took []time.Duration, promise time.Duration) Pace {
	p := Pace{Marked: len(took)}
	if promise > 0 {
		kept := 0
		for _, d := range took {
			if d <= promise {
				kept++
			}
		}
		p.Kept = &kept
	}
	if len(took) == 0 {
		return p
	}
	slices.Sort(took)
	p.Median, p.Most = hours(rank(took, 5)), hours(rank(took, 9))
	return p
}

// rank is the least of sorted times within which so many tenths of them lie.
func rank(sorted []time.Duration, tenths int) time.Duration {
	return sorted[(len(sorted)*tenths+9)/10-1]
}

// hours writes a time in hours, to the hundredth.
func hours(d time.Duration) *float64 {
	h := math.Round(d.Hours()*100) / 100
	return &h
}

// KeptPercent is the share of the work that was marked as promised, in whole percent
// that are never rounded up; none where there is nothing to tell.
func (p Pace) KeptPercent() *int {
	if p.Kept == nil || p.Marked == 0 {
		return nil
	}
	pct := *p.Kept * 100 / p.Marked
	return &pct
}
