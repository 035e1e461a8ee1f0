package pdf

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"codeberg.org/go-fonts/dejavu/dejavusans"
)

func testCover() *Cover {
	return &Cover{
		Institution: "University of Lectern", Unit: "COS10001 Introduction to Programming",
		Kicker: "Task submission", Title: "1.1P Hello World", Subtitle: "A first program, with a picture",
		Lines: []KeyValue{
			{"Submitted by", "Fred Jones (fjones)"}, {"Submitted at", "2 March 2026, 15:05"},
			{"Tutor", "Zoë Ångström"}, {"Group", "Λάμδα · Группа 3"},
		},
		Tables: []Table{
			{
				Title: "Members", Head: []string{"Member", "Username", "Contribution"}, Widths: []float64{3, 2, 2},
				Rows: [][]Cell{
					{{Text: "Fred Jones", Bold: true}, {Text: "fjones"}, {Score: 4, Of: 5}},
					{{Text: "Ana Petrović"}, {Text: "apetrovic"}, {Score: 3, Of: 5}},
				},
			},
			{
				Title: "Learning outcomes", Head: []string{"Outcome", "Rating", "Rationale"},
				Widths: []float64{3, 2, 5},
				Rows: [][]Cell{
					{{Text: "ULO1 Reading and explaining code"}, {Score: 5, Of: 5},
						{Text: "I explained each line of the program in my own words and traced its execution for " +
							"two inputs."}},
				},
			},
		},
	}
}

const letters = `// Ελληνικά, Кириллица, ñandú, café: → ≤ ✓ ∑ ▒
// ┌──┬──┐
// │ab│cd│
// └──┴──┘
s := "中文 😀 ` + "\u202e" + `abc"	// after a tab
` + "t := `one line that is far too long for the page and therefore is continued below, where its rest stands; " +
	"nothing of it is lost`\n"

const report = `# Report

A paragraph with *emphasis*, **strong**, ` + "`code`" + `, ~~gone~~ and a [link](https://example.org/x?a=1&b=2),
an &amp; entity and \*escapes\*.

| Algorithm | Cost | Notes |
|---|---|---|
| Bubble sort | O(n²) | Simple, **slow** |
| Merge sort | O(n log n) | Stable; it needs memory in proportion to its input, which matters for large data |

1. First
   - nested
     - deeper
2. Second

   with a second paragraph

- [x] done
- [ ] open

> A quotation
> > and one within

` + "```python\ndef sort(xs):\n    return sorted(xs)  # quick\n```\n" + `
---

![remote](https://example.org/pic.png)
<div onclick="alert(1)">raw</div>
`

func testPNG(w, h int) []byte {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.Set(x, y, color.RGBA{uint8(255 * x / w), uint8(255 * y / h), 120, 255})
		}
	}
	var b bytes.Buffer
	_ = png.Encode(&b, img)
	return b.Bytes()
}

func testNotebook() []byte {
	out := func(kind string, more map[string]any) map[string]any { more["output_type"] = kind; return more }
	b, _ := json.Marshal(map[string]any{
		"nbformat": 4, "metadata": map[string]any{"kernelspec": map[string]any{"language": "python"}},
		"cells": []any{
			map[string]any{"cell_type": "markdown", "source": []string{"# Analysis\n", "Some *text*.\n"}},
			map[string]any{"cell_type": "code", "execution_count": 1, "source": "def f(x):\n    return x ** " +
				"2\nprint(f(3))",
				"outputs": []any{
					out("stream", map[string]any{"name": "stdout", "text": []string{"nine\n", "10%\r100%\n"}}),
				}},
			map[string]any{"cell_type": "code", "execution_count": 2, "source": "plot()", "outputs": []any{
				out("display_data", map[string]any{"data": map[string]any{"image" +
					"/png": base64.StdEncoding.EncodeToString(testPNG(200, 100)), "text/plain": "<Figure>"}}),
				out("execute_result", map[string]any{"execution_count": 2,
					"data": map[string]any{"text/html": "<script>x</script><b>rich</b>", "text/plain": "plain twin"}}),
			}},
			map[string]any{"cell_type": "code", "execution_count": nil, "source": "1/0", "outputs": []any{
				out("error", map[string]any{"ename": "ZeroDivisionError", "evalue": "division by zero",
					"traceback": []string{"\x1b[0;31mZeroDivisionError\x1b[0m: division by zero"}}),
			}},
		},
	})
	return b
}

func sample() Document {
	status := Table{Head: []string{"Task", "Status", "Assessed"}, Widths: []float64{4, 2, 1}, Rows: [][]Cell{
		{{Text: "1.1P Hello World"}, {Text: "Complete", Label: "#2e7d32"}, {Text: "2"}},
		{{Text: "1.2P Loops"}, {Text: "Working on it", Label: "#ffd54f"}, {Text: "0"}},
		{{Text: "2.1C Custom"}, {Text: "Fix and resubmit", Label: "#b3261e"}, {Text: "1"}},
	}}
	return testDocument(
		Section{Cover: testCover()},
		Section{Contents: true},
		Section{Title: "Task status", Body: []Block{Para("All tasks of the unit."), Grid(status)}},
		Section{Title: "Main program", File: bytesFile("main.go", Code, []byte(letters+someCode(90)))},
		Section{Title: "Report", Level: 1, File: bytesFile("report.md", Markdown, []byte(report))},
		Section{Title: "Analysis", Level: 1, File: bytesFile("a.ipynb", Code, testNotebook())},
		Section{Title: "Picture", Level: 1, File: bytesFile("a.png", Image, testPNG(320, 180))},
		Section{Title: "Essay", Level: 1, File: bytesFile("essay.pdf", PDF, somePDF(2))},
		Section{Title: "Broken", Level: 1, File: bytesFile("broken.pdf", PDF, []byte("%PDF-1.4 and no more"))},
	)
}

func TestSampleText(t *testing.T) {
	out, res := render(t, sample(), Limits{})
	if n := pageCount(t, out); n != res.Pages || n != 11 {
		t.Errorf("%d pages, told %d, want 11", n, res.Pages)
	}
	if len(res.Notes) != 1 || !res.Notes[0].Failed || !res.Notes[0].Attached || res.Notes[0].Section != 8 {
		t.Errorf("notes %+v", res.Notes)
	}
	text := textOf(t, out)
	for _, want := range []string{
		"University of Lectern", "Zoë Ångström", "Λάμδα · Группа 3", "4/5", "Page 1 of 11", "Page 11 of 11",
		"Working on it", "File 2 of 6 · Report", "// Ελληνικά, Кириллица, ñandú, café: → ≤ ✓ ∑ ▒", "│ab│cd│",
		"s := \"中文 😀 [U+202E]abc\"", "Bubble sort", "O(n²)", "☑ done", "an & entity and *escapes*", "[image: remote]",
		"<div onclick=\"alert(1)\">raw</div>", "def sort(xs):", "In [1]", "nine", "100%", "plain twin",
		"ZeroDivisionError: division by zero",
		"Foreign page 2, line 39", "This file could not be shown", "broken.pdf",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the text", want)
		}
	}
	for _, never := range []string{"rich", "<Figure>", "10%\n", "\u202e"} {
		if strings.Contains(text, never) {
			t.Errorf("%q is in the text", never)
		}
	}
}

func TestSampleIsSound(t *testing.T) {
	out, _ := render(t, sample(), Limits{})
	path := saved(t, out)
	run(t, "qpdf", "--check", path)
	run(t, "pdftoppm", "-r", "20", path, filepath.Join(t.TempDir(), "page"))
	info := run(t, "pdfinfo", path)
	for _, want := range []string{"Title:           1.1P Hello World", "Author:          Fred Jones",
		"JavaScript:      no", "Pages:           11"} {
		if !strings.Contains(info, want) {
			t.Errorf("pdfinfo lacks %q:\n%s", want, info)
		}
	}
	if got := run(t, "pdfdetach", "-list", path); !strings.Contains(got, "broken.pdf") {
		t.Errorf("attachments: %s", got)
	}
	boxes := run(t, "pdfinfo", "-box", "-f", "9", "-l", "9", path)
	if !strings.Contains(boxes, "TrimBox:       0.00     0.00   612.00   792.00") {
		t.Errorf("the sheet of a foreign page lost its size or place:\n%s", boxes)
	}
	if qdf := run(t, "qpdf", "--qdf", "--object-streams=disable", path, "-"); !strings.Contains(qdf,
		"https://example.org/page/2") && !strings.Contains(qdf, fmt.Sprintf("%x", "https://example.org/page/2")) {
		t.Error("a foreign link is lost")
	}
}

func TestSameInputSameBytes(t *testing.T) {
	one, _ := render(t, sample(), Limits{})
	two, _ := render(t, sample(), Limits{})
	if !bytes.Equal(one, two) {
		t.Error("two renderings of one document differ")
	}
}

// TestGoldenPages compares pages with committed images. LECTERN_TEST_UPDATE=1
// writes them anew; look at them before committing.
func TestGoldenPages(t *testing.T) {
	out, _ := render(t, sample(), Limits{})
	for path, golden := range pictures(t, out, "page", 11, "-r", "45") {
		if off := difference(t, path, golden); off > 0.004 {
			t.Errorf("%s: %.2f %% of the page differs", filepath.Base(path), off*100)
		}
	}
}

// pictures draws want pages of a document as grey images, and gives the path of
// each with the path of the committed image it must look like. Where images are
// to be written anew, it writes them and gives none.
func pictures(t *testing.T, document []byte, name string, want int, options ...string) map[string]string {
	t.Helper()
	tool(t, "pdftoppm")
	dir := t.TempDir()
	oneFont(t)
	options = append(options, "-gray", "-png", saved(t, document), filepath.Join(dir, name))
	run(t, "pdftoppm", options...)
	pages, _ := filepath.Glob(filepath.Join(dir, name+"-*.png"))
	if len(pages) != want {
		t.Fatalf("%d images, want %d", len(pages), want)
	}
	out := map[string]string{}
	for _, path := range pages {
		golden := filepath.Join("testdata", filepath.Base(path))
		if os.Getenv("LECTERN_TEST_UPDATE") != "1" {
			out[path] = golden
			continue
		}
		data, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(golden, data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// oneFont has programs find DejaVu Sans alone, so that what a document draws in a font it does not
// hold looks the same on every machine.
func oneFont(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	config := fmt.Sprintf("<fontconfig><dir>%s</dir><cachedir>%s</cachedir></fontconfig>", dir, filepath.Join(dir, "cache"))
	for name, data := range map[string][]byte{"DejaVuSans.ttf": dejavusans.TTF, "fonts.conf": []byte(config)} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("FONTCONFIG_FILE", filepath.Join(dir, "fonts.conf"))
}

// difference is the share of pixels that are clearly of another brightness.
func difference(t *testing.T, a, b string) float64 {
	t.Helper()
	one, two := readGray(t, a), readGray(t, b)
	if one.Rect != two.Rect {
		t.Fatalf("%s is %v, want %v", a, one.Rect, two.Rect)
	}
	off := 0
	for i := range one.Pix {
		if d := int(one.Pix[i]) - int(two.Pix[i]); d > 60 || d < -60 {
			off++
		}
	}
	return float64(off) / float64(len(one.Pix))
}

func readGray(t *testing.T, path string) *image.Gray {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	out := image.NewGray(img.Bounds())
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			out.Set(x, y, img.At(x, y))
		}
	}
	return out
}

// A document's bookmarks nest, and those of a PDF hang below its section.
func TestBookmarksNest(t *testing.T) {
	inner, _ := render(t, sample(), Limits{})
	out, _ := render(t, testDocument(
		Section{Cover: testCover()},
		Section{Title: "Task \u202e1", Body: []Block{Para("What was asked.")}},
		Section{Title: "Work", Level: 1, File: bytesFile("work.pdf", PDF, inner)},
	), Limits{})
	src, err := openSource(bytes.NewReader(out), 100, 1e6)
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(src.outlines())
	want := "[{Task [U+202E]1 0 1} {Work 1 2} {Task status 2 4} {Main program 2 5} {Report 3 7} {Analysis 3 8} " +
		"{Picture 3 9} {Essay 3 10} {Broken 3 12}]"
	if got != want {
		t.Errorf("bookmarks\n%s, want\n%s", got, want)
	}
}

// A font of the settings draws what our own fonts lack; an unusable one is told.
func TestExtraFonts(t *testing.T) {
	dir := t.TempDir()
	good, bad := filepath.Join(dir, "good.ttf"), filepath.Join(dir, "bad.ttf")
	_ = os.WriteFile(good, dejavusans.TTF, 0o600)
	_ = os.WriteFile(bad, []byte("OTTO not for us"), 0o600)
	fs, notes := newFonts([]string{bad, good})
	if len(notes) != 1 || !strings.Contains(notes[0], "TrueType") {
		t.Errorf("notes %q", notes)
	}
	if last := fs.fallback[len(fs.fallback)-1]; last.name != "Extra1" || !has(last, 'ß') {
		t.Errorf("the last fallback font is %s", last.name)
	}
	doc := testDocument(Section{File: bytesFile("a.txt", Text, []byte("hello"))})
	doc.Fonts = []string{bad, good}
	if _, res := render(t, doc, Limits{}); len(res.Notes) != 1 || res.Notes[0].Section != -1 {
		t.Errorf("notes %+v", res.Notes)
	}
}

func TestPhotoIsSetUpright(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 40, 20))
	for y := range 20 {
		for x := range 40 {
			img.Set(x, y, color.Gray{uint8(6 * x)})
		}
	}
	var b bytes.Buffer
	_ = jpeg.Encode(&b, img, nil)
	exif := "Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00" +
		"\x00\x00\x00"
	data := append([]byte("\xff\xd8\xff\xe1"), byte((len(exif)+2)>>8), byte(len(exif)+2))
	data = append(append(data, exif...), b.Bytes()[2:]...)
	fig, err := readImage(data, filepath.Join(t.TempDir(), "x"), 1e6)
	if err != nil || fig.Width != 20 || fig.Height != 40 {
		t.Errorf("%+v, %v: want 20 by 40", fig, err)
	}
}

// A document may consist of foreign pages alone.
func TestOnlyForeignPages(t *testing.T) {
	out, res := render(t, testDocument(Section{Title: "Essay", File: bytesFile("a.pdf", PDF, somePDF(3))}), Limits{})
	if n := pageCount(t, out); n != 3 || res.Pages != 3 || len(res.Notes) != 0 {
		t.Errorf("%d pages, %+v", n, res)
	}
}

func TestSweep(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	old, err := os.MkdirTemp("", tempPrefix)
	if err != nil {
		t.Fatal(err)
	}
	if err := Sweep(time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(old); err != nil {
		t.Error("a directory in use was swept")
	}
	if err := Sweep(time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(old); err == nil {
		t.Error("a directory left behind was not swept")
	}
}

// Nothing is left behind, whether the document is made or not.
func TestLeavesNothing(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	render(t, testDocument(Section{File: bytesFile("a.pdf", PDF, somePDF(1))}), Limits{})
	if left, _ := os.ReadDir(os.TempDir()); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}

func TestPixelBytes(t *testing.T) {
	var b bytes.Buffer
	_ = jpeg.Encode(&b, image.NewYCbCr(image.Rect(0, 0, 16, 16), image.YCbCrSubsampleRatio420), nil)
	if got := jpegBytes(b.Bytes()); got != 1.5 {
		t.Errorf("%v bytes a pixel, want 1.5", got)
	}
	progressive := bytes.Replace(b.Bytes(), []byte{0xff, 0xc0}, []byte{0xff, 0xc2}, 1)
	if got := jpegBytes(progressive); got != 7.5 {
		t.Errorf("%v bytes a pixel, want 7.5", got)
	}
}

func TestRefusesWithoutChildMode(t *testing.T) {
	mayStart.Store(false)
	defer mayStart.Store(true)
	if _, err := Render(context.Background(), testDocument(), io.Discard, Limits{}); !errors.Is(err, errNoChild) {
		t.Errorf("got %v", err)
	}
}

func TestEmptyDocument(t *testing.T) {
	if _, err := Render(context.Background(), testDocument(), io.Discard, Limits{}); err == nil ||
		!strings.Contains(err.Error(), "no pages") {
		t.Errorf("got %v", err)
	}
}

// Documents made at the same time do not meet.
func TestConcurrently(t *testing.T) {
	want, _ := render(t, sample(), Limits{})
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			var buf bytes.Buffer
			if _, err := Render(context.Background(), sample(), &buf, Limits{}); err != nil || !bytes.Equal(buf.Bytes(),
				want) {
				t.Errorf("differs, or %v", err)
			}
		})
	}
	wg.Wait()
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Render(ctx, sample(), io.Discard, Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestUnreadableFileIsAnError(t *testing.T) {
	want := errors.New("store is gone")
	doc := testDocument(Section{File: &File{Name: "a", Open: func() (io.ReadCloser, error) { return nil, want }}})
	if _, err := Render(context.Background(), doc, io.Discard, Limits{}); !errors.Is(err, want) {
		t.Errorf("got %v", err)
	}
}
