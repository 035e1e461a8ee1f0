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

// Every line in 8-bit text is named, so that all can be mended at once.
func TestLinesThatAreNotUTF8(t *testing.T) {
	read := func(text string) string {
		_, err := Read(strings.NewReader(text), int64(len(text)), Options{})
		if err == nil {
			return ""
		}
		return err.Error()
	}
	for text, want := range map[string]string{
		"name\nZo\xeb\n": "line 2 is not",
		"name\nZo\xeb and Ren\xe9\nAnn\r\nJos\xe9\n": "lines 2, 4 are not",
		"name\n" + strings.Repeat("\xe9\n", 12):      "lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and others are not",
	} {
		if got := read(text); !strings.HasPrefix(got, want) {
			t.Errorf("%q is refused with %q, want %q", text, got, want)
		}
	}
}
