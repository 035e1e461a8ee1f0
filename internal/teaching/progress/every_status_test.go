package progress

import (
	"testing"

	"lectern/internal/teaching/status"
)

// TestEveryStatusHasItsShare fails when a status has a colour that no share counts: its tasks
// would pass for not started.
func TestEveryStatusHasItsShare(t *testing.T) {
	for _, s := range status.All {
		got := Of(map[status.Status]int{s: 1}, 1)
		share := map[status.Colour]float64{status.Red: got.Red, status.Orange: got.Orange, status.Grey: got.Grey,
			status.Blue: got.Blue, status.Green: got.Green}
		if share[s.Colour()] != 1 {
			t.Errorf("a task that is %q, which is %q, counts as %+v", s, s.Colour(), got)
		}
	}
}
