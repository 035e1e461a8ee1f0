package pdf

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A foreign page keeps its content, and has our header above it and its number
// below it, whichever way it is turned and whatever it does to cover them.
func TestForeignPagesAreFramed(t *testing.T) {
	const font = "/Resources<</Font<</A 5 0 R>>>>"
	helvetica := "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
	words := "BT /A 20 Tf 20 300 Td (Their words) Tj ET"
	for _, c := range []struct{ name, page, contents string }{
		{"upright", "", words}, {"turned right", "/Rotate 90", words}, {"upside down", "/Rotate 180", words},
		{"turned left", "/Rotate 270", words}, {"cropped", "/CropBox[10 10 290 390]", words},
		{"covering", "", "1 0 0 rg -5000 -5000 9999 9999 re f " + words},
		{"leaving", "", words + " Q Q Q Q 1 0 0 rg -5000 -5000 9999 9999 re f"},
		{"unbalanced", "", "q q q 0.01 0 0 0.01 0 0 cm q 100 0 0 100 0 0 cm " + words},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := onePage(font+c.page, rawStream("", []byte(c.contents)), helvetica)
			out, res := render(t, testDocument(Section{Title: "Essay", File: bytesFile("a.pdf", PDF, data)}), Limits{})
			if len(res.Notes) > 0 {
				t.Fatalf("notes %+v", res.Notes)
			}
			said, err := exec.Command(tool(t, "pdftotext"), "-layout", saved(t, out), "-").Output() // it may complain
			if err != nil {
				t.Fatal(err)
			}
			text := string(said)
			for _, want := range []string{"COS10001", "File 1 of 1 · Essay", "Their words", "Fred Jones",
				"Page 1 of 1"} {
				if !strings.Contains(text, want) {
					t.Errorf("%q is not on the page:\n%s", want, text)
				}
			}
			if dark := edges(t, out); dark > 0.12 {
				t.Errorf("%.0f %% of the strips is not white", 100*dark)
			}
		})
	}
}

// edges is how much of the uppermost and lowest twentieth of a page is not white.
func edges(t *testing.T, pdf []byte) float64 {
	t.Helper()
	dir := t.TempDir()
	_ = os.WriteFile(filepath.Join(dir, "x.pdf"), pdf, 0o600)
	cmd := []string{"-r", "40", "-gray", "-png", "-singlefile", filepath.Join(dir, "x.pdf"), filepath.Join(dir, "x")}
	if err := exec.Command(tool(t, "pdftoppm"), cmd...).Run(); err != nil {
		t.Fatal(err)
	}
	img := readGray(t, filepath.Join(dir, "x.png"))
	band, dark := img.Rect.Dy()/20, 0
	for y := range img.Rect.Dy() {
		if y >= band && y < img.Rect.Dy()-band {
			continue
		}
		for x := range img.Rect.Dx() {
			if img.GrayAt(x, y).Y < 128 {
				dark++
			}
		}
	}
	return float64(dark) / float64(2*band*img.Rect.Dx())
}

// A page whose content is cut into several streams is drawn whole.
func TestContentInParts(t *testing.T) {
	parts := []string{"BT /A 20 Tf 20 300 Td (First) Tj", "0 -30 Td (Second) Tj ET"}
	data := rawPDF(
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Contents[4 0 R 6 0 R 7 0 R]/Resources<</Font<</A 5 0 R>>>>>>",
		rawStream("", []byte(parts[0])), "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
		rawStream("/Filter/FlateDecode", zipped([]byte(parts[1]))), rawStream("/Filter/FlateDecode",
			[]byte("no such thing")))
	out, _ := render(t, testDocument(Section{File: bytesFile("a.pdf", PDF, data)}), Limits{})
	if text := textOf(t, out); !strings.Contains(text, "First") || !strings.Contains(text, "Second") {
		t.Errorf("text %s", text)
	}
	run(t, "qpdf", "--check", saved(t, out))
}

// A document of ours within another has the other's headers and numbers in
// place of its own; a foreign one that claims to be ours gains nothing by it.
func TestOurPagesAreNumberedAnew(t *testing.T) {
	inner, _ := render(t, sample(), Limits{})
	for _, ours := range []bool{true, false} {
		file := bytesFile("work.pdf", PDF, inner)
		file.Ours = ours
		doc := testDocument(Section{Title: "Cover", Cover: testCover()},
			Section{Title: "Work", Header: "1.1P Work", File: file})
		doc.Header = "The portfolio"
		out, res := render(t, doc, Limits{})
		pages := strings.Split(strings.TrimSuffix(textOf(t, out), "\f"), "\f")
		if len(pages) != 12 || res.Pages != 12 {
			t.Fatalf("%d pages", len(pages))
		}
		for i, page := range pages {
			own := strings.Contains(page, "of 11")
			if own == ours && i > 0 || !strings.Contains(page, fmt.Sprintf("Page %d of 12", i+1)) {
				t.Errorf("ours is %v: page %d is numbered wrong:\n%s", ours, i+1, page)
			}
			if i > 0 && !strings.Contains(page, "The portfolio") {
				t.Errorf("page %d has no header", i+1)
			}
		}
		boxes := run(t, "pdfinfo", "-f", "2", "-l", "12", saved(t, out))
		if grown := strings.Count(boxes, "612 x 884"); ours &&
			(grown != 2 || strings.Count(boxes, "595.28 x 841.89") != 9) {
			t.Errorf("the pages' sizes are\n%s", boxes)
		}
	}
}

// A picture of one pixel can be seen.
func TestTinyPicture(t *testing.T) {
	s := mathPage()
	before := s.y
	s.figure(&Figure{Path: "x.png", Width: 1, Height: 1, Large: true}, marginX, textW)
	if s.y-before < smallest {
		t.Errorf("a picture of one pixel takes %.0f points", s.y-before)
	}
	before = s.y
	s.figure(&Figure{Path: "y.png", Width: 4000, Height: 20}, marginX, textW)
	if s.y-before > 20 {
		t.Errorf("a wide picture takes %.0f points", s.y-before)
	}
}

// What assistive programs ask for is there: language, title, a tree of
// headings, tables and pictures with words for them.
func TestAccessible(t *testing.T) {
	out, _ := render(t, everything(), Limits{})
	path := saved(t, out)
	tree := run(t, "pdfinfo", "-struct-text", path)
	for _, want := range []string{"Document", "H1 (block)", "H2", "Table", "TH", "TD", "Code", "Formula", "Figure",
		chinese, "def f(x):"} {
		if !strings.Contains(tree, want) {
			t.Errorf("%s is not in the tree", want)
		}
	}
	qdf := run(t, "qpdf", "--qdf", "--object-streams=disable", path, "-")
	for _, want := range []string{"/Lang", "/Marked true", "/DisplayDocTitle true", "/StructTreeRoot", "/ParentTree",
		"/Tabs /S", "/Alt"} {
		if !strings.Contains(qdf, want) {
			t.Errorf("%s is not in the file", want)
		}
	}
	info := run(t, "pdfinfo", path)
	if !strings.Contains(info, "Tagged:          yes") || !strings.Contains(info, "Metadata Stream: yes") {
		t.Errorf("not tagged, or without metadata:\n%s", info)
	}
	if meta := run(t, "pdfinfo", "-meta", path); !strings.Contains(meta, ">1.1P Hello World<") {
		t.Errorf("the metadata do not tell the title:\n%s", meta)
	}
	if bytes.Count([]byte(qdf), []byte(" BDC")) < 50 {
		t.Error("hardly anything is marked")
	}
}
