package policy

import "testing"

// A refusal names everybody who may, and nobody twice.
func TestRefusalNamesEverybodyOnce(t *testing.T) {
	const student = Owner | FormerOwner
	for want, who := range map[string]Who{
		"You may not look: only an Admin may.":                                   SystemAdmin,
		"You may not look: only an Admin or the student concerned may.":          SystemAdmin | student,
		"You may not look: only the student concerned, though withdrawn may.":    FormerOwner,
		"You may not look: only a Tutor, an Admin or the student concerned may.": SystemTutor | SystemAdmin | student,
	} {
		if got := (&Right{Action: "look", Who: who}).Refusal(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
