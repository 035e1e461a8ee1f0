package sheet

import (
	"strings"
	"testing"
)

// A cell that may have several lines takes line breaks and tabs, and no other
// control characters.
func TestCellsOfSeveralLines(t *testing.T) {
	for text, want := range map[string]string{"one\n\ttwo": "", "a\x1b[31mb": "description must not hold control",
		"a\bb": "description must not hold control"} {
		data := "code,description\nx,\"" + text + "\"\n"
		r, err := Read(strings.NewReader(data), int64(len(data)), Options{Required: []string{"code"},
			Lines: []string{"description"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range r.Rows() {
			if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v", text, err)
			}
		}
	}
}
