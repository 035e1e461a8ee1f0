package sheet

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"
)

// texts draws cells of any text, the awkward ones often.
func texts() *rapid.Generator[string] {
	awkward := rapid.StringOf(rapid.SampledFrom([]rune("=+-@'\"\t\r\n,; aé＝שלום😀\u200f\ufeff_x0041_\x01<&")))
	return rapid.OneOf(awkward, rapid.String(), rapid.Just(""),
		rapid.SampledFrom([]string{"sep=;", "''", "'=1", "\ufeff", "_x000D_", "_x005F_x000D_"}))
}

// tables draws headings with rows, none of them blank.
func tables(cell *rapid.Generator[string]) *rapid.Generator[[][]string] {
	return rapid.Custom(func(t *rapid.T) [][]string {
		width := rapid.IntRange(1, 5).Draw(t, "width")
		head := make([]string, width)
		for i := range head {
			head[i] = normal(rapid.SampledFrom([]string{"=h", "a;b;c;d", "x\"y", "été", "-", "'", "\tq,r"}).Draw(t,
				"heading") + strconv.Itoa(i))
		}
		rows := rapid.SliceOfN(rapid.SliceOfN(cell, width, width), 0, 6).Draw(t, "rows")
		return append([][]string{head}, slices.DeleteFunc(rows, blank)...)
	})
}

func export(t interface{ Fatal(...any) }, table [][]string) string {
	var b bytes.Buffer
	w := Write(&b, table[0])
	for _, row := range table[1:] {
		if err := w.Row(row...); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func load(t interface{ Fatal(...any) }, data string) [][]string {
	r, err := read(data, Options{})
	if err != nil {
		t.Fatal(err)
	}
	table := [][]string{r.Headings()}
	for row, err := range r.Rows() {
		if err != nil {
			t.Fatal(err)
		}
		table = append(table, row.cells)
	}
	return table
}

func TestTextRoundTrip(t *testing.T) {
	storable := rapid.Map(texts(), func(s string) string { return strings.ReplaceAll(s, "\x00", "") })
	rapid.Check(t, func(t *rapid.T) {
		table := tables(storable).Draw(t, "table")
		first := export(t, table)
		back := load(t, first)
		if diff := cmp.Diff(table, back); diff != "" {
			t.Fatal(diff)
		}
		if second := export(t, back); second != first {
			t.Fatalf("first %q, second %q", first, second)
		}
	})
}

// No cell as other programs see it may start a formula.
func TestExportStartsNoFormula(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := strings.TrimPrefix(export(t, tables(texts()).Draw(t, "table")), bom)
		r := csv.NewReader(strings.NewReader(data))
		for {
			cells, err := r.Read()
			if err == io.EOF {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, cell := range cells {
				if cell != "" && strings.ContainsAny(cell[:1], "=+-@\t\r\n") {
					t.Fatalf("cell %q", cell)
				}
			}
		}
	})
}

// escaped writes text the way spreadsheet programs put it into a workbook:
// what XML cannot hold as _xHHHH_, and so a literal _x0041_ escaped too.
func escaped(s string) string {
	var b strings.Builder
	for i, c := range s {
		switch {
		case c < ' ' && c != '\t' && c != '\n' || c == 0xfffe || c == 0xffff:
			fmt.Fprintf(&b, "_x%04X_", c)
		case c == '_' && len(s) >= i+7 && escape.MatchString(s[i:i+7]):
			b.WriteString("_x005F_")
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

func TestEscapeRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := strings.ReplaceAll(texts().Draw(t, "text"), "\x00", "")
		if got, err := unescape(escaped(want)); err != nil || got != want {
			t.Fatalf("%q became %q, %v", want, got, err)
		}
	})
}

// An export opened in a spreadsheet program and saved as a workbook reads the
// same. The library writing it here mixes up texts that hold a literal _x, so
// those are tested above.
func TestWorkbookRoundTrip(t *testing.T) {
	cell := rapid.Map(texts(), strings.NewReplacer("\x00", "", "_x", "_y").Replace)
	rapid.Check(t, func(t *rapid.T) {
		table := tables(cell).Draw(t, "table")
		f := excelize.NewFile()
		defer f.Close()
		for i, row := range table {
			for j, cell := range row {
				name, _ := excelize.CoordinatesToCellName(j+1, i+1)
				if err := f.SetCellStr("Sheet1", name, escaped(guard(cell))); err != nil {
					t.Fatal(err)
				}
			}
		}
		var b bytes.Buffer
		if err := f.Write(&b); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(table, load(t, b.String())); diff != "" {
			t.Fatal(diff)
		}
	})
}

// FuzzRead holds the reader to its promises on any input: it returns, its
// errors are the caller's, and what it understood survives export and import.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{"a,b\n1,2\n", "\ufeffa;b\r\n\"x\ny\";'=1", utf16le("a\tb\n😀\tc"), "sep=,\r\na",
		"PK\x03\x04", "\xff\xfe", "a\r\"", "\"\"\n"} {
		f.Add([]byte(seed))
	}
	f.Add(book(f, nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Read(bytes.NewReader(data), int64(len(data)), Options{})
		if err != nil {
			requireFault(t, err)
			return
		}
		table := [][]string{r.Headings()}
		for row, err := range r.Rows() {
			if err != nil {
				requireFault(t, err)
				continue
			}
			table = append(table, row.cells)
		}
		if diff := cmp.Diff(table[1:], load(t, export(t, table))[1:]); diff != "" {
			t.Fatal(diff)
		}
	})
}

func students(n int) string {
	var b strings.Builder
	b.WriteString("unit_code,campus,username,student_id,preferred_name,first_name,last_name,email,tutorial\n")
	for i := range n {
		id := strconv.Itoa(100000 + i)
		b.WriteString("COS10001,B,student_" + id + "," + id + ",Jö,Jörg,\"O'Neill, Jr\",student_" + id +
			"@example.edu,LA1-0" + id[5:] + "\n")
	}
	return b.String()
}

func BenchmarkRead5000(b *testing.B) {
	data := students(5000)
	b.Run("table", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r, err := read(data, Options{Required: []string{"username"}})
			if err != nil {
				b.Fatal(err)
			}
			n := 0
			for row, err := range r.Rows() {
				if err != nil || row.Get("username") == "" {
					b.Fatal(err)
				}
				n++
			}
			if n != 5000 {
				b.Fatal(n)
			}
		}
	})
	b.Run("encoding_csv", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r := csv.NewReader(strings.NewReader(data))
			for {
				if _, err := r.Read(); err == io.EOF {
					break
				} else if err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}
