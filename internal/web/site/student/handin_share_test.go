package student

import (
	"testing"

	"lectern/internal/teaching/enrol"
)

// What is filled in for the members of a group adds up to 100, however many they are.
func TestSharesOfAGroupAddUp(t *testing.T) {
	for members := 1; members <= 100; members++ {
		f := &handInForm{Team: make([]enrol.Member, members), Share: 100 / members}
		sum := 0
		for i := range members {
			sum += f.ShareOf(i)
		}
		if sum != 100 {
			t.Errorf("%d members have %d in all", members, sum)
		}
	}
}
