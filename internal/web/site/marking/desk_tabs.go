package marking

import (
	"slices"

	"lectern/internal/teaching/assess"
)

// Open tells whether a part beside the work is the one in view. A form that was refused is.
func (v *deskPage) Open(tab string) bool {
	is := v.Tab
	switch {
	case v.Typed.Form == "note":
		is = "notes"
	case v.Typed.Form != "" || !slices.Contains([]string{"rubric", "notes", "tests", "history"}, is),
		is == "rubric" && v.Now.Rubric == nil,
		is == "tests" && v.Now.Tests == nil, is == "notes" && !v.Now.MayNote:
		is = "feedback"
	}
	return is == tab
}

// Beside is the address of the same task with another part beside its work.
func (v *deskPage) Beside(tab string) string {
	at := v.Address(v.Now.ID)
	if tab == "feedback" {
		return at
	}
	return at + "&tab=" + tab
}

// TestsColour is that of what the tests say.
func (v *deskPage) TestsColour() string {
	switch v.Now.Tests.Latest.Status {
	case assess.Failed:
		return "red"
	case assess.Done:
		return "green"
	default:
		return ""
	}
}
