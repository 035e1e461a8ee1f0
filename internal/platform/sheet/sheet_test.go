package sheet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"lectern/internal/ground/fault"
)

func read(data string, opts Options) (*Reader, error) {
	return Read(strings.NewReader(data), int64(len(data)), opts)
}

// sheet is what a file says: headings, then rows; a row error as its text.
func sheet(t *testing.T, data string, opts Options) [][]string {
	t.Helper()
	r, err := read(data, opts)
	if err != nil {
		t.Fatalf("read %.60q: %v", data, err)
	}
	got := [][]string{r.Headings()}
	for row, err := range r.Rows() {
		if err != nil {
			got = append(got, []string{fmt.Sprint("error at ", row)})
			continue
		}
		got = append(got, row.cells)
	}
	return got
}

func utf16le(s string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune("\ufeff" + s)) {
		b.WriteByte(byte(u))
		b.WriteByte(byte(u >> 8))
	}
	return b.String()
}

func utf16be(s string) string {
	b := []byte(utf16le(s))
	for i := 0; i < len(b); i += 2 {
		b[i], b[i+1] = b[i+1], b[i]
	}
	return string(b)
}

func TestReadText(t *testing.T) {
	plain := [][]string{{"username", "name"}, {"jö", "Jörg"}, {"al", "Al"}}
	tests := []struct {
		name, data string
		want       [][]string
	}{
		{"LF", "username,name\njö,Jörg\nal,Al\n", plain},
		{"CRLF", "username,name\r\njö,Jörg\r\nal,Al\r\n", plain},
		{"CR", "username,name\rjö,Jörg\ral,Al", plain},
		{"byte order mark", "\ufeffusername,name\njö,Jörg\nal,Al", plain},
		{"UTF-16 little end", utf16le("username,name\njö,Jörg\nal,Al"), plain},
		{"UTF-16 big end", utf16be("username,name\njö,Jörg\nal,Al"), plain},
		{"UTF-16 pairs", utf16le("a\n😀\ufffd"), [][]string{{"a"}, {"😀\ufffd"}}},
		{"semicolon", "username;name\njö;Jörg\nal;Al", plain},
		{"tab", "username\tname\njö\tJörg\nal\tAl", plain},
		{"sep line", "sep=;\r\nusername;name\r\njö;Jörg\r\nal;Al", plain},
		{"commas in semicolon cells", "a;b\n1,2;3", [][]string{{"a", "b"}, {"1,2", "3"}}},
		{"quoted heading decides nothing", "\"a;b;c\",d\n1,2", [][]string{{"a;b;c", "d"}, {"1", "2"}}},
		{"headings normalised", " User Name ,E-MAIL\nx,y", [][]string{{"user_name", "e-mail"}, {"x", "y"}}},
		{"quoted newline", "a,b\n\"1\r\n2\n3\",\"say \"\"hi\"\"\"\n",
			[][]string{{"a", "b"}, {"1\r\n2\n3", `say "hi"`}}},
		{"blanks around quotes", "a,b\n \"1,2\" , x", [][]string{{"a", "b"}, {"1,2", " x"}}},
		{"quote in a bare cell", "a\n5\" disk", [][]string{{"a"}, {`5" disk`}}},
		{"blank lines and columns", "\n , \na,b,,\n\n1,2,,\n,,,\n \n3,4,,", [][]string{{"a", "b"}, {"1", "2"},
			{"3", "4"}}},
		{"short row padded", "a,b,c\n1\n", [][]string{{"a", "b", "c"}, {"1", "", ""}}},
		{"long row is an error", "a,b\n1,2,3\n4,5\n", [][]string{{"a", "b"}, {"error at line 2"}, {"4", "5"}}},
		{"line after quoted newlines", "a,b\n\"1\n\r\n\r\",2\n1,2,3", [][]string{{"a", "b"}, {"1\n\r\n\r", "2"},
			{"error at line 6"}}},
		{"guards removed", "a\n'=1\n''=1\n'Aho\n'\n", [][]string{{"a"}, {"=1"}, {"'=1"}, {"'Aho"}, {"'"}}},
		{"headings only", "a,b", [][]string{{"a", "b"}}},
		{"control characters", "a\n\x01x\n", [][]string{{"a"}, {"\x01x"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, sheet(t, tt.data, Options{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	tests := []struct {
		name, data string
		opts       Options
		kind       fault.Kind
		says       string
	}{
		{"empty", "", Options{}, fault.Invalid, "empty"},
		{"blank", "\n , \n", Options{}, fault.Invalid, "no headings"},
		{"missing headings", "a,b\n1,2", Options{Required: []string{"Unit Code", "b", "username"}}, fault.Invalid,
			"unit_code, username"},
		{"double headings", "a,b,A, B\n", Options{}, fault.Invalid, "a, b"},
		{"endless headings", strings.Repeat("x", 20_000) + "\n1", Options{}, fault.Invalid, "headings"},
		{"windows-1252", "name\nok\nJos\xe9\n", Options{}, fault.Invalid, "line 3"},
		{"NUL", "name\r\nok\r\na\x00b\n", Options{}, fault.Invalid, "line 3"},
		{"UTF-16 without mark", "n\x00a\x00", Options{}, fault.Invalid, "NUL"},
		{"UTF-16 cut short", utf16le("name\nx") + "y", Options{}, fault.Invalid, "line 2"},
		{"UTF-16 half a pair", "\xff\xfea\x00\n\x00\x00\xd8b\x00", Options{}, fault.Invalid, "line 2"},
		{"open quote", "a\nok\n\"x\ny\n", Options{}, fault.Invalid, "line 3"},
		{"text after quote", "a\n\"x\"y\n", Options{}, fault.Invalid, "line 2"},
		{"too many bytes", "a\n" + strings.Repeat("x", 100), Options{MaxBytes: 100}, fault.TooLarge, "102"},
		{"too many rows", "a\n1\n2\n3\n", Options{MaxRows: 2}, fault.TooLarge, "2 rows"},
		{"too many columns", "a\n1\n1,2,3\n", Options{MaxCols: 2}, fault.TooLarge, "line 3"},
		{"pdf", "%PDF-1.7\n1 0 obj\n", Options{}, fault.Unsupported, "CSV"},
		{"png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", Options{}, fault.Unsupported, "CSV"},
		{"jpeg", "\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01", Options{}, fault.Unsupported, "CSV"},
		{"gzip", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff", Options{}, fault.Unsupported, "CSV"},
		{"html named .xls", "<html><table><tr><td>a", Options{}, fault.Unsupported, "CSV"},
		{"legacy xls", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and more", Options{}, fault.Unsupported, ".xlsx"},
		{"broken zip", "PK\x03\x04 and more", Options{}, fault.Unsupported, "zip"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := read(tt.data, tt.opts)
			if !fault.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v, want kind %s saying %q", err, tt.kind.Slug(), tt.says)
			}
		})
	}
}

// The size is refused before a byte is read: the reader here is empty.
func TestReadRefusesFiftyMegabytes(t *testing.T) {
	_, err := Read(strings.NewReader(""), 50<<20, Options{})
	if !fault.Is(err, fault.TooLarge) {
		t.Errorf("got %v", err)
	}
}

func TestRow(t *testing.T) {
	r, err := read("Student ID,Notes,\n 007 ,\" a\n\"\nx,y,z\n"+strings.Repeat("w", 20)+",v", Options{MaxCell: 10})
	if err != nil {
		t.Fatal(err)
	}
	var report Report
	for range 2 { // rows may be read again
		report = Report{}
		for row, err := range r.Rows() {
			if err != nil {
				report.Fail(row, "%v", err)
				continue
			}
			if row.Get("student_id") != "007" || row.Get("Student ID") != "007" || row.Text("notes") != " a\n" ||
				row.Get("other") != "" {
				t.Errorf("cells of %v: %q", row, row.Pairs())
			}
			if !row.Has("NOTES") || row.Has("other") || row.Line() != 2 {
				t.Errorf("%v misjudges its columns", row)
			}
			report.Ignore(row, "%d%% done", 100)
		}
	}
	got, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"success":[],"errors":[` +
		`{"row":[["student_id","x"],["notes","y"],["","z"]],"line":4,"message":"the row has 3 cells under 2 headings; a cell with a separator in it must be quoted"},` +
		`{"row":[["student_id","wwwwwwwwwwwwwwwwwwww"],["notes","v"]],"line":5,"message":"student_id has 20 bytes; at most 10 are accepted"}],` +
		`"ignored":[{"row":[["student_id"," 007 "],["notes"," a\n"]],"line":2,"message":"100% done"}]}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestZeroRow(t *testing.T) {
	var row Row
	if row.Get("a") != "" || row.Has("a") || len(row.Pairs()) != 0 {
		t.Error("the zero Row holds something")
	}
	got, _ := json.Marshal(&Report{})
	if string(got) != `{"success":[],"errors":[],"ignored":[]}` {
		t.Errorf("empty report is %s", got)
	}
}

func TestWrite(t *testing.T) {
	var b bytes.Buffer
	w := Write(&b, []string{"Name", "a;b"})
	for _, cells := range [][]string{{"=1+1", `say "x"`}, {"-5", "'Aho"}, {"'=1", " ＝x"}, {"", " \n"},
		{"\tx", "a\r\nb"}, {"bad\xff", "n\x00l"}} {
		if err := w.Row(cells...); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Row("one"); err == nil {
		t.Error("a short row was written")
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	want := "\ufeffName,\"a;b\"\r\n'=1+1,\"say \"\"x\"\"\"\r\n'-5,'Aho\r\n''=1,' " +
		"＝x\r\n\"'\tx\",\"a\r\nb\"\r\nbad\ufffd,n\ufffdl\r\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, fmt.Errorf("disk full") }

func TestWriteTellsFailure(t *testing.T) {
	w := Write(broken{}, []string{"a"})
	if err := w.Flush(); err == nil {
		t.Error("Flush hid the failure")
	}
}
