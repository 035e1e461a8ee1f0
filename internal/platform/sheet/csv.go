package sheet

import (
	"errors"
	"io"
	"strings"

	"lectern/internal/ground/fault"
)

// scanner cuts CSV text into records. The one of the standard library turns
// CRLF inside cells into LF and knows no CR line ends, so a sheet would not
// come back as it was written. Cells are slices of the text: only those with
// doubled quotes are copied.
type scanner struct {
	text    string
	sep     byte
	maxCols int
	pos     int
	line    int // of pos, from 1
}

// openText checks the whole text once, so that reading its rows cannot fail.
func openText(text string, opts Options) ([]string, records, error) {
	s := scanner{text: text, line: 1, maxCols: opts.MaxCols}
	s.chooseSeparator()
	head, _, err := s.nextText(nil)
	if errors.Is(err, io.EOF) {
		return nil, nil, fault.New(fault.Invalid, "the file has no headings")
	}
	if err != nil {
		return nil, nil, err
	}
	if err := s.check(opts.MaxRows); err != nil {
		return nil, nil, err
	}
	return head, s.rest(len(head)), nil
}

func (s scanner) check(maxRows int) error {
	var cells []string
	for n := 0; ; n++ {
		var err error
		if cells, _, err = s.nextText(cells[:0]); errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if n == maxRows {
			return tooManyRows(maxRows)
		}
	}
}

func tooManyRows(limit int) error {
	return fault.New(fault.TooLarge, "the sheet has more than %d rows; split it into several", limit)
}

func tooManyColumns(line, limit int) error {
	return fault.New(fault.TooLarge, "line %d has more than %d columns", line, limit)
}

// rest gives the records not yet read, each time from the same place.
func (s scanner) rest(width int) records {
	return func(yield func(int, []string) bool) {
		for s := s; ; {
			cells, line, err := s.nextText(make([]string, 0, width))
			if err != nil || !yield(line, cells) {
				return
			}
		}
	}
}

// chooseSeparator takes Excel's own "sep=;" line, or else counts the heading
// line. A tie goes to the comma.
func (s *scanner) chooseSeparator() {
	if t, ok := strings.CutPrefix(s.text, "sep="); ok && len(t) > 1 && strings.IndexByte(",;\t", t[0]) >= 0 &&
		(t[1] == '\r' || t[1] == '\n') {
		s.sep, s.pos = t[0], len("sep=")+1
		s.endLine()
		return
	}
	var count [256]int
	quoted := false
	for _, c := range []byte(strings.TrimLeft(s.text, "\r\n \t,;")) {
		if c == '"' {
			quoted = !quoted
		}
		if quoted {
			continue
		}
		if c == '\r' || c == '\n' {
			break
		}
		count[c]++
	}
	s.sep = ','
	for _, c := range []byte(";\t") {
		if count[c] > count[s.sep] {
			s.sep = c
		}
	}
}

// nextText gives the next record that holds text, appended to cells, and the
// line it begins on.
func (s *scanner) nextText(cells []string) ([]string, int, error) {
	for {
		line := s.line
		record, err := s.next(cells)
		if err != nil || !blank(record) {
			return record, line, err
		}
	}
}

func (s *scanner) next(cells []string) ([]string, error) {
	if s.pos == len(s.text) {
		return cells, io.EOF
	}
	for {
		cell, err := s.cell()
		if err != nil {
			return cells, err
		}
		if len(cells) < s.maxCols {
			cells = append(cells, cell)
		} else if strings.TrimSpace(cell) != "" {
			return cells, tooManyColumns(s.line, s.maxCols)
		}
		if s.pos == len(s.text) {
			return cells, nil
		}
		if s.text[s.pos] != s.sep {
			s.endLine()
			return cells, nil
		}
		s.pos++
	}
}

// endLine steps over one line end: LF, CRLF or CR.
func (s *scanner) endLine() {
	if strings.HasPrefix(s.text[s.pos:], "\r\n") {
		s.pos++
	}
	s.pos++
	s.line++
}

// cell reads up to the next separator or line end. Blanks before a quote are
// forgiven; a quote later in a bare cell is just a letter.
func (s *scanner) cell() (string, error) {
	rest, sep, n := s.text[s.pos:], s.sep, 0
	for n < len(rest) && rest[n] == ' ' {
		n++
	}
	if n < len(rest) && rest[n] == '"' {
		return s.quoted(s.pos + n + 1)
	}
	for n < len(rest) && rest[n] != sep && rest[n] != '\n' && rest[n] != '\r' {
		n++
	}
	s.pos += n
	return rest[:n], nil
}

// quoted reads a cell whose text begins at start, behind its quote.
func (s *scanner) quoted(start int) (string, error) {
	end, doubled := start, false
	for {
		n := strings.IndexByte(s.text[end:], '"')
		if n < 0 {
			return "", fault.New(fault.Invalid, "line %d: a quote is opened and never closed", s.line)
		}
		end += n
		if !strings.HasPrefix(s.text[end+1:], `"`) {
			break
		}
		doubled = true
		end += 2
	}
	cell := s.text[start:end]
	s.line += lineEnds(cell)
	for s.pos = end + 1; s.pos < len(s.text) && s.text[s.pos] == ' '; {
		s.pos++
	}
	if s.pos < len(s.text) {
		if c := s.text[s.pos]; c != s.sep && c != '\n' && c != '\r' {
			return "", fault.New(fault.Invalid, "line %d: text follows a closing quote; a quote inside a quoted cell "+
				"is written twice", s.line)
		}
	}
	if doubled {
		cell = strings.ReplaceAll(cell, `""`, `"`)
	}
	return cell, nil
}

func lineEnds(s string) int {
	n := strings.Count(s, "\n")
	if cr := strings.Count(s, "\r"); cr > 0 {
		n += cr - strings.Count(s, "\r\n")
	}
	return n
}
