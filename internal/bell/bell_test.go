package bell

import "testing"

func TestRing(t *testing.T) {
	var b Bell
	b.Ring() // nobody listens
	one, stopOne := b.Listen()
	two, stopTwo := b.Listen()
	defer stopTwo()
	b.Ring()
	b.Ring()
	stopOne()
	if len(one) != 1 || len(two) != 1 {
		t.Fatalf("heard %d and %d rings, want one each", len(one), len(two))
	}
	<-one
	<-two
	b.Ring()
	if len(one) != 0 || len(two) != 1 {
		t.Fatalf("heard %d rings after stopping and %d before", len(one), len(two))
	}
}
