package taskdef_test

import (
	"testing"

	"lectern/internal/ground/fault"
	"lectern/internal/teaching/taskdef"
)

// FuzzParseRequirements: whatever is accepted is read back as the same list.
func FuzzParseRequirements(f *testing.F) {
	for _, s := range []string{"", "null", "[]", `[{"key":"file0","name":"a","type":"code","tii_check":true,"tii_pct":9}]`, `[{"KEY":"a"}]`, `[null]`, `{}`, `[[]]`, `[] []`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := taskdef.ParseRequirements(text)
		if err != nil {
			if !fault.Is(err, fault.Invalid) {
				t.Fatal(err)
			}
			return
		}
		again, err := taskdef.ParseRequirements(list.String())
		if err != nil || again.String() != list.String() {
			t.Fatalf("%q became %q, %v", list, again, err)
		}
	})
}
