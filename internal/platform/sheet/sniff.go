package sheet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"lectern/internal/ground/fault"
)

// opener parses a file already told to be of its kind into headings and rows.
type opener func(Options) (head []string, rest records, err error)

const accepted = "send a CSV file or an Excel workbook (.xlsx)"

// sniff tells by content what the file is.
func sniff(r io.ReaderAt, size int64) (opener, error) {
	magic := make([]byte, min(size, 8))
	if _, err := r.ReadAt(magic, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read sheet: %w", err)
	}
	switch {
	case bytes.HasPrefix(magic, []byte("PK\x03\x04")), bytes.HasPrefix(magic, []byte("PK\x05\x06")):
		return func(o Options) ([]string, records, error) { return openWorkbook(r, size, o) }, nil
	case bytes.HasPrefix(magic, []byte("\xd0\xcf\x11\xe0")):
		return nil, fault.New(fault.Unsupported, "old (.xls) and password-protected Excel files cannot be read; save "+
			"it as .xlsx without a password, or as CSV UTF-8")
	}
	text, err := readText(r, size)
	if err != nil {
		return nil, err
	}
	return func(o Options) ([]string, records, error) { return openText(text, o) }, nil
}

// readText gives the file as UTF-8 without a byte order mark, or refuses it.
func readText(r io.ReaderAt, size int64) (string, error) {
	var b strings.Builder
	b.Grow(int(size))
	if _, err := io.Copy(&b, io.NewSectionReader(r, 0, size)); err != nil {
		return "", fmt.Errorf("read sheet: %w", err)
	}
	text := b.String()
	if strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") {
		var err error
		if text, err = decodeUTF16(text); err != nil {
			return "", err
		}
	}
	text = strings.TrimPrefix(text, bom)
	if foreign(text) {
		return "", fault.New(fault.Unsupported, "this is not a sheet; %s", accepted)
	}
	return text, checkEncoding(text)
}

// foreign tells whether text is another format written in plain text, or no
// text at all. Valid UTF-8 may hold control characters, since a cell may.
func foreign(text string) bool {
	head := strings.ToLower(strings.TrimSpace(text[:min(len(text), 512)]))
	for _, p := range []string{"%pdf-", "%!ps", `{\rtf`, "<!doctype", "<html", "<?xml", "<svg", "<table"} {
		if strings.HasPrefix(head, p) {
			return true
		}
	}
	if utf8.ValidString(text) {
		return false
	}
	control := func(c rune) bool { return c > 0 && c < ' ' && !strings.ContainsRune("\t\n\v\f\r", c) }
	return strings.IndexFunc(text, control) >= 0
}

// checkEncoding refuses what PostgreSQL would refuse later, naming the line.
func checkEncoding(text string) error {
	const advice = `in Excel use Save As, "CSV UTF-8"`
	if i := strings.IndexByte(text, 0); i >= 0 {
		return fault.New(fault.Invalid, "line %d holds a NUL character; %s", 1+lineEnds(text[:i]), advice)
	}
	if utf8.ValidString(text) {
		return nil
	}
	lines, more := brokenLines(text)
	switch {
	case len(lines) == 1:
		return fault.New(fault.Invalid, "line %s is not UTF-8 text; %s", lines[0], advice)
	case more:
		return fault.New(fault.Invalid, "lines %s and others are not UTF-8 text; %s", strings.Join(lines, ", "), advice)
	}
	return fault.New(fault.Invalid, "lines %s are not UTF-8 text; %s", strings.Join(lines, ", "), advice)
}

// brokenLines are the lines of a text that are not UTF-8, the first ten of them, and whether there are more.
func brokenLines(text string) (out []string, more bool) {
	line, seen := 1, 0
	for i, c := range text {
		if c != utf8.RuneError || strings.HasPrefix(text[i:], "\ufffd") {
			continue
		}
		line, seen = line+lineEnds(text[seen:i]), i
		name := strconv.Itoa(line)
		switch {
		case len(out) > 0 && out[len(out)-1] == name:
		case len(out) == 10:
			return out, true
		default:
			out = append(out, name)
		}
	}
	return out, false
}

// decodeUTF16 decodes text that begins with a UTF-16 byte order mark.
func decodeUTF16(text string) (string, error) {
	lo, hi := 0, 1
	if text[0] == 0xfe {
		lo, hi = 1, 0
	}
	unit := func(i int) rune {
		if i+1 >= len(text) {
			return -1
		}
		return rune(text[i+lo]) | rune(text[i+hi])<<8
	}
	var b strings.Builder
	b.Grow(len(text) / 2)
	for i := 2; i < len(text); i += 2 {
		c := unit(i)
		if utf16.IsSurrogate(c) {
			i += 2
			if c = utf16.DecodeRune(c, unit(i)); c == utf8.RuneError {
				c = -1
			}
		}
		if c < 0 {
			return "", fault.New(fault.Invalid, "line %d is not UTF-16 text; save the sheet as CSV UTF-8",
				1+lineEnds(b.String()))
		}
		b.WriteRune(c)
	}
	return b.String(), nil
}
