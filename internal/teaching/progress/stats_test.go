package progress

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"lectern/internal/teaching/status"
)

func TestOf(t *testing.T) {
	for _, c := range []struct {
		about  string
		counts map[status.Status]int
		total  int
		want   Stats
	}{
		{"nothing to do", nil, 0, Stats{Grey: 1}},
		{"nothing done", nil, 7, Stats{Grey: 1}},
		{"grey", map[status.Status]int{status.NotStarted: 2, status.WorkingOnIt: 1}, 3, Stats{Grey: 1}},
		{"red", map[status.Status]int{status.Fail: 1, status.FeedbackExceeded: 1, status.TimeExceeded: 1}, 4,
			Stats{Red: 0.75, Grey: 0.25, OrderScale: -0.75}},
		{"orange", map[status.Status]int{status.Redo: 1, status.NeedHelp: 1, status.FixAndResubmit: 1}, 10,
			Stats{Orange: 0.3, Grey: 0.7, OrderScale: 3}},
		{"green", map[status.Status]int{status.Discuss: 1, status.Demonstrate: 1, status.Complete: 1}, 3,
			Stats{Green: 1, OrderScale: 100}},
		{"blue", map[status.Status]int{status.ReadyForFeedback: 29}, 100, Stats{Blue: 0.29, Grey: 0.71,
			OrderScale: 29}},
		{"thirds", map[status.Status]int{status.Fail: 1, status.Redo: 1, status.Complete: 1}, 3,
			Stats{Red: 0.33, Orange: 0.33, Green: 0.33, Grey: 0.01, OrderScale: 33 + 3.3 - 0.33}},
		{"halves round up", map[status.Status]int{status.Complete: 1}, 8, Stats{Green: 0.13, Grey: 0.87,
			OrderScale: 13}},
		{"eighths that would be 1.02", map[status.Status]int{status.Fail: 1, status.Redo: 1, status.ReadyForFeedback: 1,
			status.Complete: 5}, 8,
			Stats{Red: 0.12, Orange: 0.12, Blue: 0.13, Green: 0.63, OrderScale: 76 + 1.2 - 0.12}},
		{"more tasks than definitions", map[status.Status]int{status.Complete: 4}, 2, Stats{Green: 1, OrderScale: 100}},
	} {
		if got := Of(c.counts, c.total); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.about, got, c.want)
		}
	}
}

func TestStatsAsText(t *testing.T) {
	got := Of(map[status.Status]int{status.Complete: 1, status.Redo: 1}, 4).String()
	if want := `{"red_pct":0,"grey_pct":0.5,"orange_pct":0.25,"blue_pct":0,"green_pct":0.25,"order_scale":27.5}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestSharesSumToOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		counts := rapid.MapOfN(rapid.SampledFrom(status.All), rapid.IntRange(0, 40), 0, 12).Draw(t, "counts")
		n := 0
		shares := map[status.Colour]float64{}
		for s, k := range counts {
			n += k
			shares[s.Colour()] += float64(k)
		}
		total := n + rapid.IntRange(0, 20).Draw(t, "untouched")
		checkShares(t, Of(counts, total), shares, total)
	})
}

// Every way to spread a few tasks: here the four colours often round to more
// than the whole.
func TestSharesOfFewTasksSumToOne(t *testing.T) {
	const most = 7
	for i := range most * most * most * most * most {
		red, orange, blue, green, total := i%most, i/most%most, i/most/most%most, i/most/most/most%most,
			i/most/most/most/most
		total += red + orange + blue + green
		s := Of(map[status.Status]int{status.Fail: red, status.Redo: orange, status.ReadyForFeedback: blue,
			status.Complete: green}, total)
		checkShares(t, s, map[status.Colour]float64{status.Red: float64(red), status.Orange: float64(orange),
			status.Blue: float64(blue), status.Green: float64(green)}, total)
	}
}

func checkShares(t rapid.TB, s Stats, shares map[status.Colour]float64, total int) {
	if sum := s.Red + s.Grey + s.Orange + s.Blue + s.Green; math.Abs(sum-1) > 1e-9 {
		t.Fatalf("%+v sums to %v", s, sum)
	}
	for colour, got := range map[status.Colour]float64{
		status.Red: s.Red, status.Orange: s.Orange, status.Blue: s.Blue, status.Green: s.Green,
	} {
		if got < 0 || got > 1 || total > 0 && math.Abs(got-shares[colour]/float64(total)) > 0.01 {
			t.Fatalf("%s is %v of %v/%d", colour, got, shares[colour], total)
		}
	}
	if s.Grey < 0 || s.Grey > 1 {
		t.Fatalf("grey is %v", s.Grey)
	}
	if want := 100*s.Green + 100*s.Blue + 10*s.Orange - s.Red; math.Abs(s.OrderScale-want) > 1e-9 {
		t.Fatalf("%+v should sort by %v", s, want)
	}
}
