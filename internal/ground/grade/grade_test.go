package grade

import "testing"

func TestScale(t *testing.T) {
	for _, c := range []struct {
		grade        Grade
		name, letter string
		weight       float64
		target       bool
	}{
		{-1, "Fail", "F", 0, false},
		{0, "Pass", "P", 1, true},
		{1, "Credit", "C", 2, true},
		{2, "Distinction", "D", 4, true},
		{3, "High Distinction", "HD", 8, true},
	} {
		if g := c.grade; !g.Valid() || g.Name() != c.name || g.Letter() != c.letter || g.Weight() != c.weight ||
			g.Target() != c.target {
			t.Errorf("%d is %q (%q), weighs %v, target %v", g, g.Name(), g.Letter(), g.Weight(), g.Target())
		}
	}
	for _, g := range []Grade{-2, 4, 1 << 40} {
		if g.Valid() || g.Target() || g.Name() != "None" || g.Letter() != "" || g.Weight() != 0 {
			t.Errorf("%d counts as a grade", g)
		}
	}
	for i, g := range Targets {
		if !g.Target() || g != Pass+Grade(i) || len(Targets) != int(Highest-Pass)+1 {
			t.Errorf("the targets are %v", Targets)
		}
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]Grade{"f": -1, "P": 0, "c": 1, "D": 2, "hd": 3, "HD": 3, "fail": -1, "Pass": 0,
		"credit": 1, "DISTINCTION": 2, "high distinction": 3} {
		if g, ok := Parse(text); !ok || g != want {
			t.Errorf("%q is %d, %v", text, g, ok)
		}
	}
	for _, text := range []string{"", "none", "0", "-1", "e", "h d"} {
		if g, ok := Parse(text); ok {
			t.Errorf("%q is %d", text, g)
		}
	}
}
