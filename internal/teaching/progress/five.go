package progress

import (
	"math"
	"slices"
)

// Five stands for many values. Lower and Upper are the values three and eight
// tenths of the way up.
type Five struct {
	Median float64 `json:"median"`
	Lower  float64 `json:"lower"`
	Upper  float64 `json:"upper"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

// FiveOf sums up values in any order and leaves them as they are; without any
// all five are 0. The median of an even number of values is the mean of the
// two in the middle, to one decimal.
func FiveOf[N int | float64](values []N) Five {
	n := len(values)
	if n == 0 {
		return Five{}
	}
	v := slices.Sorted(slices.Values(values))
	five := Five{
		Median: float64(v[n/2]), Lower: float64(v[3*n/10]), Upper: float64(v[8*n/10]),
		Min: float64(v[0]), Max: float64(v[n-1]),
	}
	if n%2 == 0 {
		five.Median = math.Round(10*(float64(v[n/2-1])+float64(v[n/2]))/2) / 10
	}
	return five
}
