package pdf

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// remarked writes a document with remarks, and gives its bytes and the words of each of its pages.
func remarked(t *testing.T, doc []byte, files int, list ...Remark) ([]byte, []string) {
	t.Helper()
	r := Remarked{Document: testDocument(), Of: *bytesFile("document.pdf", PDF, doc), Files: files, Title: "Comments",
		Noun: "Comment", Intro: []Block{Para("What was said of this work.")}, Remarks: list}
	var buf bytes.Buffer
	if _, err := r.Write(context.Background(), &buf, Limits{}); err != nil {
		t.Fatal(err)
	}
	if dir := os.Getenv("LECTERN_TEST_PDF_DIR"); dir != "" {
		_ = os.WriteFile(filepath.Join(dir, t.Name()+".pdf"), buf.Bytes(), 0o600)
	}
	return buf.Bytes(), pagesOf(t, buf.Bytes())
}

// pagesOf gives the words of each page, as pdftotext reads them.
func pagesOf(t *testing.T, doc []byte) []string {
	t.Helper()
	n := pageCount(t, doc)
	cmd := exec.Command("pdftotext", "-layout", "-", "-")
	cmd.Stdin = bytes.NewReader(doc)
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("pdftotext: %v", err)
	}
	return strings.SplitN(string(out), "\f", n+1)[:n]
}

// rowWith gives the row of a page that holds some text, and with it the number in its margin.
func rowWith(page, text string) string {
	for row := range strings.Lines(page) {
		if strings.Contains(row, text) {
			return strings.TrimSpace(row)
		}
	}
	return ""
}

func said(text string) []Block { return []Block{Para(text)} }

func lineOf(file, from, to int) Spot { return Spot{File: file, Line: from, EndLine: to} }

// A remark stands beside its line wherever that is in the document: on a later page, behind long lines, in the second
// of several files.
func TestRemarksStandAtTheirLines(t *testing.T) {
	var long, short strings.Builder
	for i := 1; i <= 300; i++ {
		if i%7 == 0 {
			fmt.Fprintf(&long, "first[%d] = %s\n", i, strings.Repeat("wide ", 60))
		} else {
			fmt.Fprintf(&long, "first[%d]\n", i)
		}
	}
	for i := 1; i <= 80; i++ {
		fmt.Fprintf(&short, "second[%d] 12\n", i)
	}
	doc, _ := render(t, testDocument(Section{Title: "Cover", Cover: &Cover{Title: "Work"}},
		Section{Title: "One", File: bytesFile("one.txt", Text, []byte(long.String()))},
		Section{Title: "Prose", File: bytesFile("prose.md", Markdown, []byte("# Words\n\nThe quick brown fox\n\n1. 12"))},
		Section{Title: "Two", File: bytesFile("two.py", Code, []byte(short.String()))}), Limits{})
	list := []Remark{
		{Where: "two.py, line 71", Spot: lineOf(3, 71, 71), Body: said("late")},
		{Where: "one.txt, line 250", Spot: lineOf(1, 250, 250), Body: said("far")},
		{Where: "one.txt, lines 3 to 14", Spot: lineOf(1, 3, 14), Body: said("range")},
		{Where: "one.txt, line 9000", Spot: lineOf(1, 9000, 9000), Body: said("nowhere in it")},
		{Where: "one.txt, line 3", Spot: lineOf(1, 3, 3), Body: said("twice")},
		{Where: "prose.md, line 3", Spot: lineOf(2, 3, 3), Body: said("no lines there")},
		{Where: "gone.c, on version 1, line 3", Spot: Spot{}, Body: said("not here any more")},
		{Where: "Page 1", Spot: Spot{Page: 1, Point: true, X: 0.5, Y: 0.5}, Body: said("a point")},
	}
	out, pages := remarked(t, doc, 3, list...)
	before := pagesOf(t, doc)
	if len(pages) < len(before)+1 {
		t.Fatalf("%d pages of %d", len(pages), len(before))
	}
	all := strings.Join(pages[:len(before)], "\f")
	for text, want := range map[string]string{"first[3]": "3–4", "first[250]": "5", "second[71]": "7"} {
		if row := rowWith(all, text); !strings.HasPrefix(row, want+" ") {
			t.Errorf("%s stands in %q, not beside %s", text, row, want)
		}
	}
	for i := range 8 {
		notes := strings.Join(pages[len(before):], "\n")
		if rowWith(notes, fmt.Sprintf("%d   ", i+1)) == "" {
			t.Errorf("no remark %d in\n%s", i+1, notes)
		}
	}
	for i, page := range before { // nothing of the document is lost
		for word := range strings.FieldsSeq(page) {
			if !strings.Contains(pages[i], word) {
				t.Fatalf("page %d lost %q:\n%s", i+1, word, pages[i])
			}
		}
	}
	again, _ := remarked(t, doc, 3, list...)
	if !bytes.Equal(out, again) {
		t.Error("the same is written in two ways")
	}
}

// Points stand where they are seen, whichever way a page is turned, and what is quoted from a page of ours beside it.
func TestRemarksStandOnPages(t *testing.T) {
	var sections []Section
	for _, turn := range []int{0, 90, 180, 270} {
		sections = append(sections, Section{Title: fmt.Sprint("Turned ", turn), File: bytesFile(fmt.Sprintf("%d.pdf", turn), PDF,
			turnedPDF(turn))})
	}
	sections = append(sections, Section{Title: "Prose", File: bytesFile("prose.md", Markdown,
		[]byte("Nothing here.\n\nThe quick brown fox jumps over the lazy dog.\n\nEnd."))})
	doc, _ := render(t, testDocument(append([]Section{{Title: "Cover", Cover: &Cover{Title: "Work"}}}, sections...)...), Limits{})
	var list []Remark
	for page := 2; page <= 5; page++ {
		list = append(list, Remark{Where: fmt.Sprintf("Page %d", page), Spot: Spot{Page: page, Point: true, X: 0.25, Y: 0.125}})
	}
	list = append(list, Remark{Where: "Page 6", Spot: Spot{Page: 6, Quote: "quick  brown\nfox"}, Body: said("found")},
		Remark{Where: "Page 6", Spot: Spot{Page: 6, Quote: "not there"}, Body: said("whole page")},
		Remark{Where: "Page 2", Spot: Spot{Page: 2}, Body: said("whole page")})
	out, pages := remarked(t, doc, 5, list...)
	if row := rowWith(pages[5], "quick brown"); !strings.HasPrefix(row, "7") && !strings.HasPrefix(row, "6") {
		t.Errorf("what is quoted stands in %q", row)
	}
	for page := 3; page <= 5; page++ { // two are on the one before
		if !isAt(t, out, page, fmt.Sprint(page), 0.25, 0.125) {
			t.Errorf("on page %d the number is elsewhere", page)
		}
	}
}

// isAt tells whether a word is on a page at a place, in shares of the page as it is seen.
func isAt(t *testing.T, doc []byte, page int, word string, x, y float64) bool {
	t.Helper()
	cmd := exec.Command("pdftotext", "-bbox", "-f", fmt.Sprint(page), "-l", fmt.Sprint(page), "-", "-")
	cmd.Stdin = bytes.NewReader(doc)
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("pdftotext: %v", err)
	}
	var w, h float64
	for row := range strings.Lines(string(out)) {
		var x1, y1, x2, y2 float64
		row = strings.TrimSpace(row)
		if _, err := fmt.Sscanf(row, `<page width="%f" height="%f">`, &w, &h); err == nil {
			if page%2 == 1 { // those are turned on their side, which the program does not tell
				w, h = h, w
			}
			continue
		}
		if _, err := fmt.Sscanf(row, `<word xMin="%f" yMin="%f" xMax="%f" yMax="%f">`, &x1, &y1, &x2, &y2); err == nil &&
			strings.Contains(row, ">"+word+"<") && math.Hypot((x1+x2)/2/w-x, (y1+y2)/2/h-y) < 0.01 {
			return true
		}
	}
	return false
}

// turnedPDF is a PDF of one page that is turned.
func turnedPDF(by int) []byte {
	content := "BT /F1 24 Tf 100 300 Td (Turned by " + fmt.Sprint(by) + ") Tj ET"
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	var at []int
	for i, o := range []string{
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 600]/Rotate %d/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>", by),
		fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", len(content), content),
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
	} {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, o := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF", len(at)+1, start)
	return b.Bytes()
}

// Long remarks flow over pages, whatever they are written in, and none is left out.
func TestRemarksFlow(t *testing.T) {
	doc, _ := render(t, testDocument(Section{Title: "Cover", Cover: &Cover{Title: "Work"}},
		Section{Title: "One", File: bytesFile("one.txt", Text, []byte("a\nb\n"))}), Limits{})
	var list []Remark
	for i := range 300 {
		text := strings.Repeat(fmt.Sprintf("remark%d words ", i+1), 60)
		if i%3 == 0 {
			text = strings.Repeat("כתוב בעברית وبالعربية ", 40) + fmt.Sprintf("\n\nremark%d", i+1)
		}
		list = append(list, Remark{Where: "one\u202etxt.c, line 2", Spot: lineOf(1, 2, 2), Body: []Block{Prose(text)}})
	}
	began := time.Now()
	_, pages := remarked(t, doc, 1, list...)
	t.Logf("%d pages in %v", len(pages), time.Since(began))
	all := strings.Join(pages[2:], "\n")
	for i := range list {
		if !strings.Contains(all, fmt.Sprintf("remark%d", i+1)) {
			t.Errorf("remark %d is not there", i+1)
		}
	}
	if row := rowWith(pages[1], "1–300"); !strings.Contains(row, "b") {
		t.Errorf("all of one line stand in %q", row)
	}
	if strings.Contains(all, "\u202e") {
		t.Error("a name turns what follows it")
	}
}

// A document that cannot be read costs its own pages, not the remarks.
func TestRemarksOnWhatCannotBeRead(t *testing.T) {
	for name, doc := range map[string][]byte{"empty": nil, "no PDF": []byte("hello")} {
		_, pages := remarked(t, doc, 1, Remark{Where: "main.c, line 1", Spot: lineOf(1, 1, 1), Body: said("kept words")},
			Remark{Where: "Page 1", Spot: Spot{Page: 1}, Body: said("more words")})
		all := strings.Join(pages, "\n")
		for _, want := range []string{"could not be shown", "kept words", "more words"} {
			if !strings.Contains(all, want) {
				t.Errorf("%s: no %q in\n%s", name, want, all)
			}
		}
	}
	r := Remarked{Document: testDocument(), Of: File{Name: "x", Open: func() (io.ReadCloser, error) {
		return nil, io.ErrUnexpectedEOF
	}}, Title: "Comments"}
	if _, err := r.Write(context.Background(), io.Discard, Limits{}); err == nil {
		t.Error("a document that cannot be opened is no error")
	}
}
