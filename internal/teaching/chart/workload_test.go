package chart_test

import (
	"strings"
	"testing"

	"lectern/internal/teaching/chart"
)

// A stacked bar shows each of its parts, is told in words and stands in the table with its sum.
func TestStacks(t *testing.T) {
	s := chart.Stacks{Words: chart.StackWords{Title: "Work", Axis: "weight", None: "Nothing", About: "By week.",
		Bar: "%s: %s", First: "Week", Sum: "Sum"},
		Parts: []chart.Part{{Name: "Complete", Family: "green"}, {Name: "More", Family: "violet"}},
		Bars: []chart.Stack{{Name: "1", Long: "Week 1 <b>", Parts: []float64{4, 2.5}, Now: true},
			{Name: "2", Long: "Week 2", Parts: []float64{0, 3}}}}
	f := s.Figure()
	for _, want := range []string{`class="bar green"`, `class="bar violet"`, "Week 1 &lt;b&gt;: 6.5, Week 2: 3",
		`class="now-label">1<`, "Week 2, More: 3"} {
		if !strings.Contains(string(f.SVG), want) {
			t.Errorf("there is no %s in %s", want, f.SVG)
		}
	}
	if n := strings.Count(string(f.SVG), `class="bar `); n != 5 { // three parts, and two of the legend
		t.Errorf("there are %d bars", n)
	}
	if got := strings.Join(f.Table.Rows[0], " "); got != "Week 1 <b> 4 2.5 6.5" || len(f.Table.Head) != 4 {
		t.Errorf("the table says %q under %v", got, f.Table.Head)
	}
	s.Bars = nil
	if f = s.Figure(); !strings.Contains(string(f.SVG), "Nothing") {
		t.Errorf("nothing is not told: %s", f.SVG)
	}
}
