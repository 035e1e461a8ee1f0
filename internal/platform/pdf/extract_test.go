package pdf

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"codeberg.org/go-pdf/fpdf"
)

func extracted(t *testing.T, data []byte) string {
	t.Helper()
	text, err := TextOf(t.Context(), bytes.NewReader(data), 1<<20, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// plainPDF is written by another program than ours, with a font every viewer has.
func plainPDF(t *testing.T, lines ...string) []byte {
	t.Helper()
	f := fpdf.New("P", "mm", "A4", "")
	f.SetFont("Helvetica", "", 12)
	f.AddPage()
	for _, l := range lines {
		f.CellFormat(0, 8, l, "", 1, "", false, 0, "")
	}
	var b bytes.Buffer
	if err := f.Output(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestTextOfADocument(t *testing.T) {
	got := extracted(t, plainPDF(t, "The first line (with a bracket)", "and a second"))
	if want := "The first line (with a bracket)\nand a second\n"; got != want {
		t.Errorf("%q", got)
	}
}

// Our own pages use fonts whose codes only their maps explain.
func TestTextOfOurOwnPages(t *testing.T) {
	doc := Document{Sections: []Section{{Title: "Words", Body: []Block{
		Para("Quick brown foxes über die Brücke, Γειά σου.")}}}}
	var b bytes.Buffer
	if _, err := Render(t.Context(), doc, &b, Limits{}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(strings.Fields(extracted(t, b.Bytes())), " "); !strings.Contains(got,
		"Quick brown foxes über die Brücke, Γειά σου.") {
		t.Errorf("%q", got)
	}
}

func TestTextIsBounded(t *testing.T) {
	long := make([]string, 200)
	for i := range long {
		long[i] = strings.Repeat("word ", 20)
	}
	text, err := TextOf(t.Context(), bytes.NewReader(plainPDF(t, long...)), 1000, Limits{})
	if err != nil || len(text) < 1000 || len(text) > 2000 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}

func TestNoTextOfWhatIsNoDocument(t *testing.T) {
	_, err := TextOf(t.Context(), strings.NewReader("%PDF-1.4\nnothing"), 1000, Limits{})
	if !errors.Is(err, ErrNoText) {
		t.Errorf("%v", err)
	}
}

// Content streams come from strangers: whatever is in them, the lexer ends.
func FuzzContent(f *testing.F) {
	f.Add([]byte("BT /F1 12 Tf (a\\(b\\)\\101) Tj [(x) -300 <4142>] TJ ET BI /W 1 ID xxEI EI Q"))
	f.Add([]byte("<</a(b>>/"))
	f.Add([]byte("1 begincodespacerange <00> <ff> endcodespacerange <01> <03> [<0041> <0042> <0043>] endbfrange"))
	f.Fuzz(func(t *testing.T, data []byte) {
		x := &extractor{src: &source{}, most: 1 << 16}
		x.state.font = &textFont{letters: map[uint32]string{}, widths: map[uint32]float64{}}
		x.state.font.readMap(data)
		l := &contentLexer{src: data}
		for steps := 0; ; steps++ {
			op, ok := l.next()
			if !ok {
				return
			}
			if op != "Tf" {
				x.operator(op, l.args, nil)
			}
			l.args = l.args[:0]
			if steps > len(data) {
				t.Fatal("it does not end")
			}
		}
	})
}
