package sheet

import (
	"errors"
	"testing"
)

// A row with one mistake tells it as it is, one with several tells all of them.
func TestFlawsTellEveryMistakeOfARow(t *testing.T) {
	var f Flaws
	f.Add(nil)
	if err := f.Err(); err != nil {
		t.Errorf("nothing is wrong, but %v", err)
	}
	f.Say("rating is %q; write 1 to 5", "x")
	if got := f.Err().Error(); got != `rating is "x"; write 1 to 5` {
		t.Errorf("one mistake is told as %q", got)
	}
	f.Add(errors.New("There is no task 9."))
	if got := f.Err().Error(); got != `rating is "x"; write 1 to 5. There is no task 9.` {
		t.Errorf("two mistakes are told as %q", got)
	}
}
