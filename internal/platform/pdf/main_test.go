package pdf

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"github.com/pdfcpu/pdfcpu/pkg/api"
)

func TestMain(m *testing.M) {
	MaybeChild()
	os.Exit(m.Run())
}

// bytesFile is a file of the document held in memory.
func bytesFile(name string, kind Kind, data []byte) *File {
	return &File{Name: name, Kind: kind, Open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(data)), nil
	}}
}

var testTime = time.Date(2026, 3, 2, 4, 5, 6, 0, time.UTC)

func testDocument(sections ...Section) Document {
	return Document{
		Meta: Meta{Title: "1.1P Hello World", Author: "Fred Jones", Subject: "COS10001", Creator: "Lectern",
			Created: testTime},
		Header: "COS10001 · 1.1P Hello World", Footer: "Fred Jones (fjones)",
		Sections: sections,
	}
}

func render(t testing.TB, doc Document, l Limits) ([]byte, Result) {
	t.Helper()
	var buf bytes.Buffer
	res, err := Render(context.Background(), doc, &buf, l)
	if err != nil {
		t.Fatalf("render: %v", err)
	}
	return buf.Bytes(), res
}

// pageCount asks pdfcpu, which also validates the file.
func pageCount(t testing.TB, pdf []byte) int {
	t.Helper()
	n, err := api.PageCount(bytes.NewReader(pdf), configuration())
	if err != nil {
		t.Fatalf("page count: %v", err)
	}
	return n
}

// tool finds an outside program that checks our work. Tests skip without it,
// unless LECTERN_TEST_REQUIRE=1 says that it must be there.
func tool(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err == nil {
		return path
	}
	if os.Getenv("LECTERN_TEST_REQUIRE") == "1" {
		t.Fatalf("%s is required (LECTERN_TEST_REQUIRE=1) and not installed", name)
	}
	t.Skipf("%s is not installed", name)
	return ""
}

// run gives a program's output and fails the test on any complaint.
func run(t testing.TB, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(tool(t, name), args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil || errs.Len() > 0 {
		t.Fatalf("%s: %v %s", name, err, errs.String())
	}
	return string(out)
}

func saved(t testing.TB, pdf []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out.pdf")
	if err := os.WriteFile(path, pdf, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func textOf(t testing.TB, pdf []byte) string {
	t.Helper()
	return run(t, "pdftotext", "-layout", saved(t, pdf), "-")
}

// someCode is n lines of a program with all kinds of tokens.
func someCode(n int) string {
	var b strings.Builder
	b.WriteString("package sample\n\nimport \"fmt\"\n\n")
	for i := 0; strings.Count(b.String(), "\n") < n-6; i++ {
		fmt.Fprintf(&b, "// step%d adds what it is given and tells about it.\nfunc step%d(a, b int) string {\n\tif a"+
			" > %d && b != 0x%x {\n\t\treturn fmt.Sprintf(\"%%d items of %%q\", a+b, \"name\")\n\t}\n\treturn"+
			" \"\"\n}\n", i, i, i, i)
	}
	return b.String()
}

// somePDF is a foreign document of n pages with text and a link on each.
func somePDF(n int) []byte {
	doc := fpdf.New("P", "pt", "Letter", "")
	doc.SetCreationDate(testTime)
	for i := range n {
		doc.AddPage()
		doc.SetFont("Helvetica", "", 12)
		for line := range 40 {
			doc.Text(50, 60+float64(line)*16, fmt.Sprintf("Foreign page %d, line %d: the quick brown fox jumps over "+
				"it.",
				i+1, line))
		}
		doc.LinkString(50, 50, 200, 20, fmt.Sprintf("https://example.org/page/%d", i+1))
	}
	var buf bytes.Buffer
	_ = doc.Output(&buf)
	return buf.Bytes()
}

// rawPDF writes objects as they are given, numbered from 1, with a right
// cross-reference table; object 1 is the catalog.
func rawPDF(objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	offsets := make([]int, len(objects))
	for i, o := range objects {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, at := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)
	return b.Bytes()
}

func rawStream(dict string, data []byte) string {
	return fmt.Sprintf("<<%s/Length %d>>\nstream\n%s\nendstream", dict, len(data), data)
}
