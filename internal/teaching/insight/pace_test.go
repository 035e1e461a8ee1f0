package insight

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"lectern/internal/ground/clock"
)

// Percentiles are the least time within which the share of the work lies, however the
// times stand; the simple way tries them all.
func TestPaceTheSlowWay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		minutes := rapid.SliceOfN(rapid.IntRange(0, 200), 1, 60).Draw(t, "minutes")
		took := make([]time.Duration, len(minutes))
		for i, m := range minutes {
			took[i] = time.Duration(m) * time.Minute
		}
		promise := time.Duration(rapid.IntRange(1, 200).Draw(t, "promise")) * time.Minute
		p := paceOf(slices.Clone(took), promise)
		for tenths, got := range map[int]*float64{5: p.Median, 9: p.Most} {
			if want := slowly(took, tenths); *got != *hours(want) {
				t.Fatalf("%d tenths: %v, want %v", tenths, *got, want)
			}
		}
		kept := 0
		for _, d := range took {
			if d <= promise {
				kept++
			}
		}
		if *p.Kept != kept || p.Marked != len(took) || *p.KeptPercent() > 100 || *p.KeptPercent() < 0 ||
			(*p.KeptPercent() == 100) != (kept == len(took)) {
			t.Fatalf("%+v", p)
		}
	})
}

// slowly tries each time: the least one with at least so many tenths not above it.
func slowly(took []time.Duration, tenths int) time.Duration {
	best := time.Duration(1 << 62)
	for _, d := range took {
		within := 0
		for _, o := range took {
			if o <= d {
				within++
			}
		}
		if within*10 >= len(took)*tenths && d < best {
			best = d
		}
	}
	return best
}

func TestPaceOfNothing(t *testing.T) {
	p := paceOf(nil, 0)
	if p.Marked != 0 || p.Median != nil || p.Most != nil || p.Kept != nil || p.KeptPercent() != nil {
		t.Errorf("%+v", p)
	}
	if p = paceOf(nil, time.Hour); *p.Kept != 0 || p.KeptPercent() != nil {
		t.Errorf("%+v", p)
	}
}

// How long one work took is told by those that were marked one by one without a pause; what was marked
// together, or after something else, tells nothing.
func TestHowLongOneWorkTook(t *testing.T) {
	begun := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	at := func(seconds ...int) (list []firstMark) {
		for _, s := range seconds {
			list = append(list, firstMark{At: clock.At(begun.Add(time.Duration(s) * time.Second)).Milli()})
		}
		return list
	}
	for want, marked := range map[time.Duration][]firstMark{
		0:                at(0, 40),
		50 * time.Second: at(0, 40, 90, 9000, 9055),
		30 * time.Second: at(0, 30, 60, 100, 100, 100, 101),
	} {
		if got := onOne(marked); got != want {
			t.Errorf("%v took %v, want %v", marked, got, want)
		}
	}
}
