package site_test

import "testing"

// The help tells the keys of the marking desk to those who may have one, and what the
// states mean to everybody.
func TestHelpTellsStudentsNoKeysOfTheDesk(t *testing.T) {
	each(t, func(w *world) {
		w.as("ann").do("/help", nil).status(200).says("Fix and resubmit").says("Tab, Enter").says(`<a href="/forgot">`).
			lacks("<kbd>j</kbd>").lacks("In marking, single keys")
		w.as("tom").do("/help", nil).status(200).says("Fix and resubmit").says("<kbd>j</kbd>").says("In marking, single keys")
		w.do("/help", nil).status(200).says("<kbd>j</kbd>")
	})
}
