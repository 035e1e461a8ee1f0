package ident

import (
	"slices"
	"testing"
)

func TestNamesStandWhereAReaderLooks(t *testing.T) {
	want := [][2]string{{"Ann", "Lee"}, {"anna", "Ba"}, {"Anna", "Za"}, {"apple", "X"}, {"Élodie", "A"}, {"Éva", "B"},
		{"Eve", "A"}, {"Łukasz", "A"}, {"Mia", "A"}, {"Øyvind", "A"}, {"Straße", "A"}, {"Strato", "A"}, {"Zoë", "A"},
		{"李", "小龙"}}
	got := slices.Clone(want)
	slices.SortFunc(got, func(a, b [2]string) int {
		x, y := NameKey(a[0], a[1]), NameKey(b[0], b[1])
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	if !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}
