package blob

import (
	"testing"
	"time"
)

// While somebody copies files no sweep removes one; a hold whose owner died ends by itself.
func TestASweepWaitsForWhoHoldsTheFiles(t *testing.T) {
	for name, end := range map[string]func(s *shelf, release func()){
		"released": func(_ *shelf, release func()) { release() },
		"died":     func(s *shelf, _ func()) { s.pass(held + time.Minute) },
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *shelf) {
				s.put("forgotten")
				s.sweep(0)
				s.pass(25 * time.Hour)
				release, err := Hold(t.Context(), s.db)
				if err != nil {
					t.Fatal(err)
				}
				s.sweep(0)
				end(s, release)
				s.sweep(1)
			})
		})
	}
}
