package sheet

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

const bom = "\ufeff"

// Writer writes a sheet as CSV: UTF-8 behind a byte order mark (without it
// Excel shows accents as two wrong letters), commas, CRLF after every row.
//
// A cell a spreadsheet could take for a formula is written behind an
// apostrophe; [Read] takes exactly that apostrophe away again, so the text
// survives any number of exports and imports. NUL and broken UTF-8, which no
// reader accepts, become U+FFFD.
type Writer struct {
	out   *bufio.Writer
	width int
}

// Write begins a sheet with its headings. Failures of w are told by Flush.
func Write(w io.Writer, headings []string) *Writer {
	t := &Writer{out: bufio.NewWriterSize(w, 32<<10), width: len(headings)}
	t.out.WriteString(bom)
	t.line(headings)
	return t
}

// Row writes one row, with as many cells as there are headings. A row of
// blanks is left out, because reading skips such rows.
func (t *Writer) Row(cells ...string) error {
	if len(cells) != t.width {
		return fmt.Errorf("write sheet: %d cells under %d headings", len(cells), t.width)
	}
	if blank(cells) {
		return nil
	}
	return t.line(cells)
}

// Flush hands everything to the underlying writer; without it the end of the
// sheet is lost.
func (t *Writer) Flush() error { return t.out.Flush() }

func (t *Writer) line(cells []string) error {
	for i, cell := range cells {
		if i > 0 {
			t.out.WriteByte(',')
		}
		t.cell(cell)
	}
	_, err := t.out.WriteString("\r\n")
	return err
}

func (t *Writer) cell(s string) {
	s = guard(strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "\ufffd"))
	if !mustQuote(s) {
		t.out.WriteString(s)
		return
	}
	t.out.WriteByte('"')
	t.out.WriteString(strings.ReplaceAll(s, `"`, `""`))
	t.out.WriteByte('"')
}

// mustQuote also names the other separators, so that a heading holding one
// does not decide which separator the sheet is read with.
func mustQuote(s string) bool {
	return strings.ContainsAny(s, "\",;\t\r\n") || s != strings.TrimSpace(s)
}

func blank(cells []string) bool {
	for _, cell := range cells {
		if strings.TrimSpace(cell) != "" {
			return false
		}
	}
	return true
}
