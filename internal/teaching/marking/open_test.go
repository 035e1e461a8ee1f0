package marking

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/sheet"
)

const someSheet = "Username,Name,Tutorial,Task,Status,New Grade,New Quality,New Comment,Task ID,Version\r\n" +
	"fred,Fred,LA1,1.1P,complete,hd,3,Fine,7,2\r\nGRP_3_4,Red,LA1,1.2P,rff,,,,,\r\n"

func packed(t testing.TB, pairs ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(pairs); i += 2 {
		w, err := z.Create(pairs[i])
		if err == nil {
			_, err = w.Write([]byte(pairs[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	z.Close()
	return b.Bytes()
}

// Whatever is uploaded, it is read or refused with a reason a person is told.
func FuzzOpen(f *testing.F) {
	f.Add([]byte(someSheet))
	f.Add(packed(f, "marks.csv", someSheet, "manifest.json",
		`{"format":1,"tasks":[{"task_id":7,"username":"fred","task":"1.1P"}]}`, "fred/1_1P-7.pdf", "%PDF-"))
	f.Add([]byte("PK\x05\x06" + strings.Repeat("\x00", 18)))
	f.Add([]byte("PK"))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := open(t.Context(), bytes.NewReader(data), int64(len(data)))
		if err != nil {
			if fault.KindOf(err) == fault.Internal {
				t.Fatalf("%v", err)
			}
			return
		}
		var report sheet.Report
		known := b.readManifest(t.Context(), &report)
		for row, err := range b.marks.Rows() {
			if err == nil {
				_, _ = readMark(row, known)
			}
		}
		for _, d := range b.documents {
			_ = taskOf(d)
			_ = fit(d)
		}
	})
}

func TestReadMark(t *testing.T) {
	for _, c := range []struct{ status, grade, quality, want string }{
		{"rff", "", "", "idle"}, {"", "", "", "idle"}, {"need_help", " ", " ", "idle"},
		{"D", "Hd", "2", "discuss 3 2"}, {"demo", "F", "", "demonstrate -1 -"}, {"do not resubmit", "", "",
			"feedback_exceeded - -"},
		{"x", "", "", "error"}, {"fix", "e", "", "error"}, {"fix", "", "1.5", "error"}, {"fix", "", "1e9", "error"},
	} {
		text := "Username,Name,Tutorial,Task,Status,New Grade,New Quality,New Comment\r\nfred,,,1.1P," + c.status +
			"," + c.grade + "," + c.quality + ",\r\n"
		b, err := open(t.Context(), strings.NewReader(text), int64(len(text)))
		if err != nil {
			t.Fatal(err)
		}
		for row := range b.marks.Rows() {
			m, err := readMark(row, index{})
			got := "error"
			switch {
			case err != nil:
			case m.idle():
				got = "idle"
			default:
				got = fmt.Sprint(m.to, " ", number(m.grade), " ", number(m.quality))
			}
			if got != c.want {
				t.Errorf("%v: %s", c, got)
			}
		}
	}
}

func number[N any](n *N) string {
	if n == nil {
		return "-"
	}
	return fmt.Sprint(*n)
}
