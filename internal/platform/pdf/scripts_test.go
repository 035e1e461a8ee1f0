package pdf

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/bidi"
	"pgregory.net/rapid"
)

// What people write in five scripts.
const (
	chinese  = "小龙 李，数据结构作业"
	japanese = "データ構造のレポート（田中さくら）"
	korean   = "김민준의 자료 구조 보고서"
	hebrew   = "מרים לוי אומרת שלום עולם"
	arabic   = "محمد عبد الله يقول السلام عليكم في الجامعة"
)

var scripts = []string{chinese, japanese, korean, hebrew, arabic}

const formulas = `# Mathematics 数学

The energy is $E = mc^2$, a root is $\sqrt{x_1^2 + x_2^2}$ and a share $\frac{a+b}{2n}$; it costs $5 and not $6.

$$
\sum_{i=1}^{n} i = \frac{n(n+1)}{2} \qquad \int_0^\infty e^{-x^2}\,dx = \frac{\sqrt{\pi}}{2}
$$

\[ \lim_{n \to \infty} \left( 1 + \frac{1}{n} \right)^n = e \]

$$\begin{pmatrix} a & b \\ c & d \end{pmatrix}$$

- $\alpha \le \beta \iff \forall x \in \mathbb{R}: f'(x) \ne 0$
- $\hat{y} = \bar{x} + \vec{v} \cdot \nabla \phi$, $\binom{n}{k}$, $\sqrt[3]{8} = 2$, $a_{ij}^{2}$
`

// photo is a picture as a camera makes it.
func photo() []byte {
	img := image.NewRGBA(image.Rect(0, 0, 640, 400))
	for y := range 400 {
		for x := range 640 {
			sky := uint8(255 - y/3)
			img.Set(x, y, color.RGBA{sky / 2, sky - uint8(x/10), sky, 255})
			if (x-320)*(x-320)+(y-200)*(y-200) < 9000 {
				img.Set(x, y, color.RGBA{240, 180, uint8(x / 4), 255})
			}
		}
	}
	var b bytes.Buffer
	_ = jpeg.Encode(&b, img, nil)
	return b.Bytes()
}

// everything is a document with all that students hand in.
func everything() Document {
	cover := testCover()
	cover.Lines = nil
	for i, name := range scripts {
		cover.Lines = append(cover.Lines, KeyValue{fmt.Sprintf("Name %d", i+1), fmt.Sprintf("%s (user%d)", name, i+1)})
	}
	var code strings.Builder
	for _, s := range scripts {
		code.WriteString("print(\"" + s + "\")  # " + s + "\n")
	}
	doc := testDocument(
		Section{Title: "Cover", Cover: cover},
		Section{Title: "程序", File: bytesFile("程序.py", Code, []byte(code.String()))},
		Section{Title: "Mathematics", File: bytesFile("math.md", Markdown,
			[]byte(formulas+"\n\n"+strings.Join(scripts, "\n\n")+"\n\n1. "+hebrew+"\n2. "+arabic+"\n\n> "+arabic+
				"\n"))},
		Section{Title: "Notebook", File: bytesFile("a.ipynb", Code, testNotebook())},
		Section{Title: "Photograph", File: bytesFile("photo.jpg", Image, photo())},
		Section{Title: "Essay", File: bytesFile("essay.pdf", PDF, somePDF(20))},
		Section{Title: "Hebrew", File: bytesFile("he.md", Markdown, []byte(strings.Repeat(hebrew+"\n\n", 12)))},
		Section{Title: "Arabic", File: bytesFile("ar.md", Markdown, []byte(strings.Repeat(arabic+"\n\n", 12)))},
	)
	doc.Header, doc.Footer = "COS10001 · 任务 1", strings.Join(scripts, " · ")
	return doc
}

// collection is a portfolio: the document above within another.
func collection(t testing.TB) Document {
	inner, _ := render(t, everything(), Limits{})
	work := bytesFile("1.1P.pdf", PDF, inner)
	work.Ours = true
	said := Table{Head: []string{"Author", "Comment"}, Widths: []float64{1, 3}}
	for _, s := range scripts {
		said.Rows = append(said.Rows, []Cell{{Text: s}, {Text: "**" + s + "** with $x^2$ and `code`", Markdown: true}})
	}
	doc := testDocument(
		Section{Title: "Summary", File: bytesFile("lsr.pdf", PDF, somePDF(2))},
		Section{Title: "Title page", Cover: &Cover{Title: chinese, Lines: []KeyValue{{"Student", arabic}}}},
		Section{Contents: true},
		Section{Title: "1.1P " + japanese, Header: "1.1P " + korean, Body: []Block{Prose(formulas), Grid(said)},
			File: work},
		Section{Title: "1.2P without files", Body: []Block{Grid(said)}},
	)
	doc.Footer = hebrew
	return doc
}

// unmarked is extracted text without the marks that tools put around text from
// the right.
func unmarked(text string) string {
	return strings.Map(func(r rune) rune {
		if isBidiMark(r) {
			return -1
		}
		return r
	}, text)
}

func isBidiMark(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200e || r == 0x200f
}

func TestFiveScriptsAreReadAsWritten(t *testing.T) {
	for name, doc := range map[string]Document{"document": everything(), "portfolio": collection(t)} {
		t.Run(name, func(t *testing.T) {
			out, res := render(t, doc, Limits{})
			if len(res.Notes) > 0 {
				t.Errorf("notes %+v", res.Notes)
			}
			path := saved(t, out)
			run(t, "qpdf", "--check", path)
			text := unmarked(run(t, "pdftotext", path, "-"))
			if strings.Contains(text, "[U+") {
				t.Error("a letter is shown as its code point")
			}
			for _, want := range append(slices.Clone(scripts), "E = mc^2", `\frac{a+b}{2n}`, "it costs $5 and not $6",
				`\sum_{i=1}^{n} i = \frac{n(n+1)}{2}`, `\begin{pmatrix}`, "nine", "ZeroDivisionError",
				"Foreign page 20, line 39") {
				if !strings.Contains(text, want) {
					t.Errorf("%q is not in the text", want)
				}
			}
			pages := strings.Split(strings.TrimSuffix(text, "\f"), "\f")
			for i, page := range pages {
				if !strings.Contains(page, fmt.Sprintf("Page %d of %d", i+1, len(pages))) ||
					strings.Count(page, " of "+fmt.Sprint(len(pages))) != 1 {
					t.Errorf("page %d has no number, or more than one", i+1)
				}
			}
			for _, font := range strings.Split(run(t, "pdffonts", path), "\n")[2:] {
				if strings.Contains(font, "LECTRN") && !strings.Contains(font, "yes yes yes") {
					t.Errorf("not embedded, subset and readable: %s", font)
				}
			}
		})
	}
}

// No glyph that is drawn is the one for a missing letter.
func TestNoGlyphIsMissing(t *testing.T) {
	fs, _ := newFonts(nil)
	s := newPageWriter(fs)
	s.left = 5
	s.newPage()
	s.blocks(markdownBlocks(formulas + strings.Join(scripts, "\n\n")))
	drawn := 0
	for _, f := range fs.allFaces() {
		for i, u := range f.used {
			if i > 0 && u.glyph == 0 {
				t.Errorf("%s has no glyph for %q", f.name, u.text)
			}
			drawn++
		}
	}
	if drawn < 150 {
		t.Errorf("only %d glyphs were drawn", drawn)
	}
}

// TestGoldenScripts compares pages of five scripts and of formulas with
// committed pictures, finely enough for one wrong letter to be noticed.
func TestGoldenScripts(t *testing.T) {
	out, _ := render(t, everything(), Limits{})
	for path, golden := range pictures(t, out, "scripts", 3, "-r", "70", "-l", "3") {
		if off := worstCell(t, path, golden); off > 25 {
			t.Errorf("%s: a place on the page differs by %.0f of 255", filepath.Base(path), off)
		}
	}
}

// worstCell is the largest mean difference in brightness of any square of
// eight pixels, which is about the size of a letter.
func worstCell(t *testing.T, a, b string) (worst float64) {
	t.Helper()
	one, two := readGray(t, a), readGray(t, b)
	if one.Rect != two.Rect {
		t.Fatalf("%s is %v, want %v", a, one.Rect, two.Rect)
	}
	const side = 8
	for y := 0; y+side <= one.Rect.Dy(); y += side {
		for x := 0; x+side <= one.Rect.Dx(); x += side {
			sum := 0
			for i := range side * side {
				at := one.PixOffset(x+i%side, y+i/side)
				d := int(one.Pix[at]) - int(two.Pix[at])
				sum += max(d, -d)
			}
			worst = max(worst, float64(sum)/(side*side))
		}
	}
	return worst
}

func TestArabicIsShaped(t *testing.T) {
	for in, want := range map[string]string{
		"بيت":          "ﺑﻴﺖ",  // begins, within, ends
		"دار":          "ﺩﺍﺭ",  // letters that join nothing to their left
		"سلام":         "ﺳﻼﻡ",  // two letters drawn as one
		"بَيت":         "ﺑَﻴﺖ", // a vowel sign parts nothing
		"ب\u200cب":     "ﺏﺏ",   // a sign that asks not to join
		"abc":          "abc",
		"ه\u0640":      "ﻫ\u0640",
		"لل":           "ﻟﻞ",
		"\u0621\u0628": "ﺀﺏ",
	} {
		var got strings.Builder
		var back strings.Builder
		for _, l := range shape([]rune(in)) {
			got.WriteRune(l.draw)
			back.WriteString(l.text)
		}
		if got.String() != want || back.String() != in {
			t.Errorf("%q is drawn %q, want %q; its text is %q", in, got.String(), want, back.String())
		}
	}
}

// What runs from the right is what the library says, for any text without
// brackets, of which it pairs some against the rule (N0).
func TestDirections(t *testing.T) {
	letters := []rune("abc אבג عرب 123 ٤٥٦ <> ,.:%+-/ \u0301")
	rapid.Check(t, func(t *rapid.T) {
		rs := rapid.SliceOfN(rapid.SampledFrom(letters), 1, 30).Draw(t, "text")
		base := 0
		var p bidi.Paragraph
		if startsRight(string(rs)) {
			base = 1
		}
		_, _ = p.SetString(string(rs), bidi.DefaultDirection(bidi.LeftToRight))
		order, err := p.Order()
		if err != nil {
			t.Skip(err)
		}
		ls := levels(rs, base)
		at := 0
		for i := range order.NumRuns() {
			run := order.Run(i)
			for range []rune(run.String()) {
				if right := run.Direction() == bidi.RightToLeft; right != (ls[at]%2 == 1) {
					t.Fatalf("%q: character %d has level %d, the library says right is %v", string(rs), at, ls[at],
						right)
				}
				at++
			}
		}
	})
}

func TestVisualOrder(t *testing.T) {
	for _, c := range []struct {
		text string
		base int
		want string
	}{
		{"abc אבג def", 0, "abc גבא def"},
		{"אבג 12 דהו", 1, "והד 12 גבא"},
		{"abc אבג 12 דהו def", 0, "abc והד 12 גבא def"},
		{"אבג abc", 1, "abc גבא"},
		{"(אבג) x", 0, "(גבא) x"},
	} {
		rs := []rune(c.text)
		var got []rune
		for _, st := range visualOrder(rs, c.base) {
			part := slices.Clone(rs[st.from:st.to])
			if st.right() {
				slices.Reverse(part)
			}
			got = append(got, part...)
		}
		if string(got) != c.want {
			t.Errorf("%q is seen as %q, want %q", c.text, string(got), c.want)
		}
	}
}
