// Package sheet reads and writes the sheets people exchange with the service:
// CSV text and Excel workbooks in, CSV out, and the report that tells row by
// row what an import did.
//
// Everything that can refuse a whole file (its size, its type, its encoding,
// missing headings, a bad quote on the last line) is decided by [Read], before
// the first row is handed out, so that an import never stops half-way. A dry
// run needs nothing from this package: do the import in a transaction, undo
// it, and answer the same [Report].
//
// What [Write] writes, Read gives back cell by cell, whatever the text: see
// [Writer] for the one change made to cells that would start a formula.
package sheet

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/fault"
)

// Options bound a sheet and say which columns it must have. Zero limits mean
// the defaults below.
type Options struct {
	Required []string          // headings without which the file is refused
	Optional []string          // further headings that are known; their cells, too, are one line
	Lines    []string          // known headings whose cells may have several lines
	Names    map[string]string // other headings, by which a known one is meant
	MaxRows  int               // rows with text, the heading not counted
	MaxCols  int               // columns
	MaxCell  int               // bytes in one cell; more makes that row an error
	MaxBytes int64             // bytes in the file as sent
}

// The limits that hold where Options say nothing: room for the largest unit
// several times over, and little enough to hold in memory.
const (
	DefaultMaxRows  = 20_000
	DefaultMaxCols  = 256
	DefaultMaxCell  = bounds.MB
	DefaultMaxBytes = 20 * bounds.MB
)

// maxHeadings bounds the bytes of all headings together, because a report
// repeats them with every row.
const maxHeadings = 16 << 10

func (o Options) withDefaults() Options {
	o.MaxRows = cmp.Or(max(o.MaxRows, 0), DefaultMaxRows)
	o.MaxCols = cmp.Or(max(o.MaxCols, 0), DefaultMaxCols)
	o.MaxCell = cmp.Or(max(o.MaxCell, 0), DefaultMaxCell)
	o.MaxBytes = cmp.Or(max(o.MaxBytes, 0), DefaultMaxBytes)
	return o
}

// Reader is a sheet that has been found fit to read.
type Reader struct {
	opts     Options
	headings []string       // normalised; "" for a column without a heading
	columns  map[string]int // heading to position
	records  records
}

// records are the rows of a sheet below its headings: line number and cells as
// they stand in the file. The cells are the caller's to keep.
type records = iter.Seq2[int, []string]

// Read takes a CSV file or an Excel workbook (its first sheet), told apart by
// content and never by name. A CSV file is UTF-8, or UTF-16 with a byte order
// mark; its separator is whichever of comma, semicolon and tab the heading
// line uses most. The first row with text holds the headings.
//
// Read fails with fault.TooLarge beyond the limits of opts, fault.Unsupported
// for other types of file, and fault.Invalid, naming the line, for a file that
// cannot be understood or lacks a required heading.
func Read(r io.ReaderAt, size int64, opts Options) (*Reader, error) {
	opts = opts.withDefaults()
	if size > opts.MaxBytes {
		return nil, fault.New(fault.TooLarge, "the file has %d bytes; at most %d are accepted, split it into several",
			size, opts.MaxBytes)
	}
	if size <= 0 {
		return nil, fault.New(fault.Invalid, "the file is empty")
	}
	open, err := sniff(r, size)
	if err != nil {
		return nil, err
	}
	head, rest, err := open(opts)
	if err != nil {
		return nil, err
	}
	return newReader(head, rest, opts)
}

func newReader(head []string, rest records, opts Options) (*Reader, error) {
	t := &Reader{opts: opts, columns: make(map[string]int, len(head)), records: rest}
	size := 0
	var twice []string
	for i, cell := range head {
		name := normal(unguard(cell))
		if meant, ok := opts.Names[name]; ok {
			name = meant
		}
		t.headings = append(t.headings, name)
		if size += len(name); size > maxHeadings {
			return nil, fault.New(fault.Invalid, "the headings are longer than %d bytes; is the first row the row of "+
				"headings?", maxHeadings)
		}
		if name == "" {
			continue
		}
		if _, seen := t.columns[name]; seen && !slices.Contains(twice, name) {
			twice = append(twice, name)
		}
		t.columns[name] = i
	}
	if len(twice) > 0 {
		return nil, fault.New(fault.Invalid, "headings appear more than once: %s", clip(strings.Join(twice, ", ")))
	}
	for len(t.headings) > 0 && t.headings[len(t.headings)-1] == "" {
		t.headings = t.headings[:len(t.headings)-1]
	}
	if len(t.headings) == 0 {
		return nil, fault.New(fault.Invalid, "the file has no headings")
	}
	return t, t.require(opts.Required)
}

func (t *Reader) require(names []string) error {
	var missing []string
	for _, name := range names {
		if !t.Has(name) {
			missing = append(missing, normal(name))
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fault.New(fault.Invalid, "missing headings: %s (found: %s)", strings.Join(missing, ", "),
		clip(strings.Join(t.headings, ", ")))
}

// clip keeps a message readable when it repeats what a file says.
func clip(s string) string {
	if r := []rune(s); len(r) > 200 {
		return string(r[:200]) + "…"
	}
	return s
}

// normal is the form in which headings are compared: no byte order mark, no
// blanks around, lower case, words joined by underscores.
func normal(heading string) string {
	heading = strings.ReplaceAll(heading, bom, "")
	return strings.ToLower(strings.Join(strings.Fields(heading), "_"))
}

// Headings are the normalised headings in the order of the file; a column
// without one is "".
func (t *Reader) Headings() []string { return slices.Clone(t.headings) }

// Has tells whether the sheet has a column of that heading, in any spelling
// that normalises to it.
func (t *Reader) Has(heading string) bool {
	_, ok := t.column(heading)
	return ok
}

func (t *Reader) column(heading string) (int, bool) {
	if i, ok := t.columns[heading]; ok {
		return i, true
	}
	i, ok := t.columns[normal(heading)]
	return i, ok
}

// Rows gives the rows that have any text, in order, as often as it is called.
// An error is about its row alone (too many cells, a cell too long) and tells
// the person why: put it into the report and go on. Rows may be kept.
func (t *Reader) Rows() iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		for line, cells := range t.records {
			row := t.row(line, cells)
			if !yield(row, t.checkRow(row)) {
				return
			}
		}
	}
}

func (t *Reader) row(line int, cells []string) Row {
	for i := range cells {
		cells[i] = unguard(cells[i])
	}
	for len(cells) < len(t.headings) {
		cells = append(cells, "")
	}
	for len(cells) > len(t.headings) && strings.TrimSpace(cells[len(cells)-1]) == "" {
		cells = cells[:len(cells)-1]
	}
	return Row{sheet: t, line: line, cells: cells}
}

// checkRow says what of a row cannot be taken, in words for the person who sent it.
func (t *Reader) checkRow(row Row) error {
	if len(row.cells) > len(t.headings) {
		return fault.New(fault.Invalid, "the row has %d cells under %d headings; a cell with a separator in it must "+
			"be quoted", len(row.cells), len(t.headings))
	}
	for i, cell := range row.cells {
		if len(cell) > t.opts.MaxCell {
			return fault.New(fault.Invalid, "%s has %d bytes; at most %d are accepted", t.headings[i], len(cell),
				t.opts.MaxCell)
		}
		if t.oneLine(t.headings[i]) && !bounds.FitsOneLine(strings.TrimSpace(cell)) {
			return fault.New(fault.Invalid, "%s must be one line without control characters", t.headings[i])
		}
		if slices.Contains(t.opts.Lines, t.headings[i]) && !bounds.FitsLines(cell) {
			return fault.New(fault.Invalid, "%s must not hold control characters other than line breaks and tabs",
				t.headings[i])
		}
	}
	return nil
}

// oneLine tells whether the cells under a heading must be. What nobody asked for
// is not looked at.
func (t *Reader) oneLine(heading string) bool {
	return !slices.Contains(t.opts.Lines, heading) &&
		(slices.Contains(t.opts.Required, heading) || slices.Contains(t.opts.Optional, heading))
}

// Row is one row of a sheet. The zero Row stands for none.
type Row struct {
	sheet *Reader
	line  int
	cells []string
}

// Line is where the row begins: the line of a text file, the row number of an
// Excel sheet, both counted from 1.
func (r Row) Line() int { return r.line }

// Has tells whether the sheet has such a column, so that an import can tell a
// blank cell from an absent column.
func (r Row) Has(heading string) bool { return r.sheet != nil && r.sheet.Has(heading) }

// Get is the cell under heading without blanks around it, "" when there is no
// such column.
func (r Row) Get(heading string) string { return strings.TrimSpace(r.Text(heading)) }

// Text is the cell under heading exactly as written, for texts in which
// blanks and line ends count.
func (r Row) Text(heading string) string {
	if r.sheet == nil {
		return ""
	}
	if i, ok := r.sheet.column(heading); ok {
		return r.cells[i]
	}
	return ""
}

// Pairs are the headings with their cells, in the order of the file. Columns
// without a heading appear only where they hold text.
func (r Row) Pairs() [][2]string {
	pairs := make([][2]string, 0, len(r.cells))
	for i, cell := range r.cells {
		name := ""
		if i < len(r.sheet.headings) {
			name = r.sheet.headings[i]
		}
		if name != "" || cell != "" {
			pairs = append(pairs, [2]string{name, cell})
		}
	}
	return pairs
}

// String names the row in messages and logs.
func (r Row) String() string { return fmt.Sprintf("line %d", r.line) }
