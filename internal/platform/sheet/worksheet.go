package sheet

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"

	"lectern/internal/ground/fault"
)

// handler takes the XML of one part as it streams by.
type handler interface {
	start(xml.StartElement) error
	text(xml.CharData)
	end(element string) error
}

// stream feeds a part to h. It refuses XML nested too deep, which would fill
// the decoder's memory.
func (w *workbook) stream(name string, h handler) error {
	part, err := w.open(name, maxPart)
	if err != nil {
		return err
	}
	defer part.Close()
	d := xml.NewDecoder(part)
	for depth := 0; ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return damaged(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if depth++; depth > maxDepth {
				return damaged(nil)
			}
			err = h.start(t)
		case xml.CharData:
			h.text(t)
		case xml.EndElement:
			depth--
			err = h.end(t.Name.Local)
		}
		if err != nil {
			return err
		}
	}
}

// texter collects the text of the elements <t> and <v>, leaving out the
// readings (<rPh>) that go with East Asian text.
type texter struct {
	b          strings.Builder
	on, inRead bool
}

func (t *texter) start(e xml.StartElement) error {
	switch e.Name.Local {
	case "t", "v":
		t.on = !t.inRead
	case "rPh":
		t.inRead = true
	}
	return nil
}

func (t *texter) text(c xml.CharData) {
	if t.on {
		t.b.Write(c)
	}
}

func (t *texter) end(element string) error {
	switch element {
	case "t", "v":
		t.on = false
	case "rPh":
		t.inRead = false
	}
	return nil
}

func (t *texter) take() string {
	s := t.b.String()
	t.b.Reset()
	return s
}

// textScan reads the table of texts that cells refer to by number.
type textScan struct {
	texter
	texts []string
}

func (s *textScan) end(element string) error {
	if element != "si" {
		return s.texter.end(element)
	}
	if len(s.texts) == maxSharedTexts {
		return tooBig()
	}
	text, err := unescape(s.take())
	s.texts = append(s.texts, text)
	return err
}

func (w *workbook) readTexts(name string) error {
	var s textScan
	err := w.stream(name, &s)
	w.texts = s.texts
	return err
}

// escape is how workbooks write the UTF-16 units that XML cannot hold.
var escape = regexp.MustCompile(`(?:_x[0-9A-Fa-f]{4}_)+`)

func unescape(s string) (string, error) {
	if !strings.Contains(s, "_x") {
		return s, nil
	}
	s = escape.ReplaceAllStringFunc(s, func(run string) string {
		var units []uint16
		for ; run != ""; run = run[len("_x0000_"):] {
			n, _ := strconv.ParseUint(run[2:6], 16, 16)
			units = append(units, uint16(n))
		}
		return string(utf16.Decode(units))
	})
	if strings.Contains(s, "\x00") {
		return "", fault.New(fault.Invalid, "the text %q holds a NUL character", clip(s))
	}
	return s, nil
}

// record is a row of a worksheet that holds text.
type record struct {
	line  int
	cells []string
}

// sheetScan reads a worksheet: the rows done, and the row and cell at hand.
type sheetScan struct {
	*workbook
	texter
	done     []record
	row, col int // from 1
	cells    []string
	kind     string // of the cell's value
	style    int
	total    int // bytes of text so far
}

// rows reads the rows of a worksheet that hold text, trailing blanks cut off.
func (w *workbook) rows(name string) ([]record, error) {
	s := &sheetScan{workbook: w}
	err := w.stream(name, s)
	return s.done, err
}

func (s *sheetScan) start(e xml.StartElement) error {
	switch e.Name.Local {
	case "row":
		return s.startRow(e)
	case "c":
		return s.startCell(e)
	}
	return s.texter.start(e)
}

func (s *sheetScan) end(element string) error {
	switch element {
	case "row":
		return s.endRow()
	case "c":
		return s.endCell()
	}
	return s.texter.end(element)
}

func (s *sheetScan) startRow(e xml.StartElement) error {
	next := s.row + 1
	if r := attr(e, "r"); r != "" {
		n, err := strconv.Atoi(r)
		if err != nil || n < next {
			return damaged(err)
		}
		next = n
	}
	s.row, s.col = next, 0
	return nil
}

func (s *sheetScan) endRow() error {
	if !blank(s.cells) {
		if len(s.done) > s.opts.MaxRows { // one of them is the headings
			return tooManyRows(s.opts.MaxRows)
		}
		s.done = append(s.done, record{s.row, append([]string(nil), s.cells...)})
	}
	s.cells = s.cells[:0]
	return nil
}

func (s *sheetScan) startCell(e xml.StartElement) error {
	next := s.col + 1
	if r := attr(e, "r"); r != "" {
		n := columnOf(r)
		if n < next {
			return damaged(nil)
		}
		next = n
	}
	s.col, s.kind = next, attr(e, "t")
	s.style, _ = strconv.Atoi(attr(e, "s"))
	s.b.Reset()
	return nil
}

func (s *sheetScan) endCell() error {
	text, err := s.display(s.take())
	if err != nil || text == "" {
		return err
	}
	if s.col > s.opts.MaxCols {
		return tooManyColumns(s.row, s.opts.MaxCols)
	}
	if s.total += len(text); s.total > maxTextTotal {
		return tooBig()
	}
	for len(s.cells) < s.col {
		s.cells = append(s.cells, "")
	}
	s.cells[s.col-1] = text
	return nil
}

// display is the text a person sees for the value at hand.
func (s *sheetScan) display(value string) (string, error) {
	switch s.kind {
	case "s":
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 || n >= len(s.texts) {
			return "", damaged(err)
		}
		return s.texts[n], nil
	case "inlineStr", "str":
		return unescape(value)
	case "b":
		return map[string]string{"1": "TRUE", "0": "FALSE"}[value], nil
	case "", "n":
		return s.number(value), nil
	}
	return value, nil // an error such as #N/A, or a date in ISO 8601
}

func (s *sheetScan) number(value string) string {
	var f format
	if s.style >= 0 && s.style < len(s.formats) {
		f = s.formats[s.style]
	}
	return f.show(value, s.since04)
}

func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name && a.Name.Space == "" {
			return a.Value
		}
	}
	return ""
}

// columnOf gives the column of a cell reference: 28 for AB7, 0 for nonsense.
func columnOf(ref string) int {
	n := 0
	for _, c := range []byte(ref) {
		if c < 'A' || c > 'Z' {
			break
		}
		if n = n*26 + int(c-'A') + 1; n > 16384 {
			return 0
		}
	}
	return n
}
