package opt

import "testing"

func TestSame(t *testing.T) {
	one, again, two := 1, 1, 2
	for _, c := range []struct {
		a, b *int
		want bool
	}{{nil, nil, true}, {&one, nil, false}, {nil, &one, false}, {&one, &again, true}, {&one, &two, false}} {
		if got := Same(c.a, c.b); got != c.want {
			t.Errorf("Same(%v, %v) is %t", c.a, c.b, got)
		}
	}
}

func TestOrSetNonZero(t *testing.T) {
	seven := 7
	if Or(nil, 3) != 3 || Or(&seven, 3) != 7 {
		t.Error("Or gives the wrong one")
	}
	to := 1
	if Set(&to, nil); to != 1 {
		t.Errorf("an absent value set %d", to)
	}
	if Set(&to, &seven); to != 7 {
		t.Errorf("set %d, want 7", to)
	}
	if NonZero("") != nil || *NonZero("x") != "x" {
		t.Error("NonZero tells zero from other values wrongly")
	}
}
