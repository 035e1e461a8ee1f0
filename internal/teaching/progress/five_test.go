package progress

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestFiveOf(t *testing.T) {
	for _, c := range []struct {
		values []int
		want   Five
	}{
		{nil, Five{}},
		{[]int{4}, Five{4, 4, 4, 4, 4}},
		{[]int{4, 1}, Five{2.5, 1, 4, 1, 4}},
		{[]int{3, 1, 2}, Five{2, 1, 3, 1, 3}},
		{[]int{10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, Five{5.5, 4, 9, 1, 10}},
	} {
		if got := FiveOf(c.values); got != c.want {
			t.Errorf("%v: %+v, want %+v", c.values, got, c.want)
		}
	}
	if got := FiveOf([]float64{0.2, 0.3}).Median; got != 0.3 {
		t.Errorf("the median of 0.2 and 0.3 is %v", got)
	}
}

func TestFiveAsJSON(t *testing.T) {
	got, err := json.Marshal(FiveOf([]int{1, 2}))
	if want := `{"median":1.5,"lower":1,"upper":2,"min":1,"max":2}`; err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
}

// The slow way: the value at place k is the one that k values stand before.
func TestFiveTheSlowWay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.IntRange(-50, 50), 1, 60).Draw(t, "values")
		given := slices.Clone(values)
		place := func(k int) float64 {
			for _, v := range values {
				less, same := 0, 0
				for _, w := range values {
					if w < v {
						less++
					} else if w == v {
						same++
					}
				}
				if less <= k && k < less+same {
					return float64(v)
				}
			}
			t.Fatal("no value at that place")
			return 0
		}
		n := len(values)
		want := Five{
			Median: (place((n-1)/2) + place(n/2)) / 2,
			Lower:  place(int(math.Floor(float64(n) * 3 / 10))), Upper: place(int(math.Floor(float64(n) * 8 / 10))),
			Min: place(0), Max: place(n - 1),
		}
		if got := FiveOf(values); got != want {
			t.Fatalf("%+v, want %+v", got, want)
		}
		if !slices.Equal(values, given) {
			t.Fatal("the values were moved")
		}
	})
}
