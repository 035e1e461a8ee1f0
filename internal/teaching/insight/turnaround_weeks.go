package insight

import (
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/teaching/chart"
)

const (
	oneWeek   = 7 * 24 * time.Hour
	paceWeeks = int(turnaroundSpan / oneWeek)
)

// PaceWeek is the pace of one of the weeks that turnaround looks at, of seven days up to now.
type PaceWeek struct {
	From clock.Time
	Pace
}

// OverTarget tells whether half of what was marked in a week took longer than was promised.
func (w PaceWeek) OverTarget(days *int) bool {
	return days != nil && w.Median != nil && *w.Median > float64(*days*24)
}

// each gives what points to each.
func each(marked []firstMark) []*firstMark {
	out := make([]*firstMark, len(marked))
	for i := range marked {
		out[i] = &marked[i]
	}
	return out
}

// took are the times that works took.
func took(marked []*firstMark) []time.Duration {
	out := make([]time.Duration, len(marked))
	for i, m := range marked {
		out[i] = m.took()
	}
	return out
}

// byWeek is the pace of each week, of what was marked in it.
func (t *Turnaround) byWeek(marked []*firstMark) []PaceWeek {
	in := make([][]time.Duration, paceWeeks)
	for i := range in {
		in[i] = make([]time.Duration, 0, len(marked)/paceWeeks)
	}
	since := t.Since.Milli()
	for _, m := range marked {
		at := min(int(m.At.Since(since)/oneWeek), paceWeeks-1)
		in[at] = append(in[at], m.took())
	}
	out := make([]PaceWeek, paceWeeks)
	for i := range out {
		out[i] = PaceWeek{clock.At(t.Since.Add(time.Duration(i) * oneWeek)), paceOf(in[i], t.promise())}
	}
	return out
}

// PacePicture is how soon work was marked week by week, to be drawn: in these words, with what a week is
// called in short and in full.
func (t *Turnaround) PacePicture(say chart.PacesWords, short, long func(clock.Time) string) chart.Paces {
	p := chart.Paces{Words: say}
	if t.FeedbackDays != nil {
		p.Target = float64(*t.FeedbackDays)
	}
	days := func(hours *float64) *float64 {
		if hours == nil {
			return nil
		}
		return new(*hours / 24)
	}
	for _, w := range t.Weeks {
		p.Weeks = append(p.Weeks, chart.PaceWeek{Name: short(w.From), Long: long(w.From), Median: days(w.Median),
			Most: days(w.Most)})
	}
	return p
}
