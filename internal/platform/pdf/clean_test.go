package pdf

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// armed is a PDF that tries to act in every way a PDF can, and that also holds
// what must be kept: a link, a note, a filled field, fonts with odd names.
func armed() []byte {
	js := "<</Type/Action/S/JavaScript/JS(app.alert\\(1\\))>>"
	return rawPDF(
		"<</Type/Catalog/Pages 2 0 R/OpenAction "+js+"/AA<</WC "+js+">>/AcroForm<</Fields[8 0 R]/XFA(x)>>"+
			"/Names<</JavaScript<</Names[(a) "+js+"]>>/EmbeddedFiles<</Names[(evil) 11 0 R]>>/Dests<</Names[(chapter)"+
			" [13 0 R/XYZ 0 700 null]]>>>>>>",
		"<</Type/Pages/Kids[3 0 R 13 0 R]/Count 2/MediaBox[0 0 300 400]/Resources<</Font<</A 5 0 R/S 5 0 R/JS 5 0 "+
			"R>>>>>>",
		"<</Type/Page/Parent 2 0 R/Rotate 90/Contents 4 0 R/AA<</O "+js+">>/PieceInfo<</X(y)>>/Metadata 11 0 R"+
			"/Annots[6 0 R 7 0 R 8 0 R 9 0 R 10 0 R 14 0 R 15 0 R 16 0 R]>>",
		rawStream("", []byte("BT /A 20 Tf 20 300 Td (Kept text) Tj ET")),
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
		"<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A<</S/URI/URI(https://example.org/kept)>>>>",
		"<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A<</S/Launch/F(cmd.exe)>>>>",
		"<</Type/Annot/Subtype/Widget/FT/Tx/Rect[10 10 90 30]/V(secret)/AP<</N 12 0 R>>/A "+js+"/AA<</K "+js+">>>>",
		"<</Type/Annot/Subtype/FileAttachment/Rect[0 0 9 9]/FS 11 0 R>>",
		"<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A<</S/URI/URI(javascript:alert\\(1\\))>>>>",
		"<</Type/Filespec/F(evil.exe)/EF<</F 4 0 R>>>>",
		rawStream("/Type/XObject/Subtype/Form/BBox[0 0 80 20]/Resources<</Font<</F 5 0 R>>>>",
			[]byte("BT /F 12 Tf 2 4 Td (Filled field) Tj ET")),
		"<</Type/Page/Parent 2 0 R/Contents 4 0 R/MediaBox[0 0 500 600]>>",
		"<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/Dest(chapter)>>",
		"<</Type/Annot/Subtype/Text/Rect[0 0 20 20]/Contents(A remark)/Popup 9 0 R/IRT 10 0 R>>",
		"<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A<</S/GoToR/F(other.pdf)/D[0/Fit]>>>>",
	)
}

func cleaned(t testing.TB, data []byte) ([]byte, int, error) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "clean.pdf")
	done, err := cleanPDF(bytes.NewReader(data), &readJob{Out: out, Limits: Limits{}.orDefaults()})
	if err != nil {
		return nil, 0, err
	}
	got, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return got, done.Pages, nil
}

func TestCleanDisarms(t *testing.T) {
	got, n, err := cleaned(t, armed())
	if err != nil || n != 2 {
		t.Fatalf("%d pages, %v", n, err)
	}
	for _, never := range []string{
		"JavaScript", "Launch", "OpenAction", "/AA", "EmbeddedFile", "Filespec", "AcroForm", "cmd.exe",
		"FileAttachment",
		"GoToR", "PieceInfo", "Widget", "Popup", fmt.Sprintf("%x", "app.alert"), fmt.Sprintf("%x", "javascript"),
		fmt.Sprintf("%x", "evil"), fmt.Sprintf("%x", "secret"),
	} {
		if bytes.Contains(got, []byte(never)) {
			t.Errorf("%s is still there", never)
		}
	}
	for _, kept := range []string{fmt.Sprintf("%x", "https://example.org/kept"), "Kept text", "Filled field",
		fmt.Sprintf("%x", "A remark"), "/Rotate 90", "/Font <</A ", "/XYZ 0 700 null"} {
		if !bytes.Contains(got, []byte(kept)) {
			t.Errorf("%s is gone", kept)
		}
	}
}

func TestCleanKeepsPages(t *testing.T) {
	got, _, err := cleaned(t, armed())
	if err != nil {
		t.Fatal(err)
	}
	src, err := openSource(bytes.NewReader(got), 10, 1e6)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"[0 0 300 400]", "[0 0 500 600]"} {
		if box := string(appendObject(nil, src.pages[i].media)); box != want {
			t.Errorf("page %d is %s, want %s", i, box, want)
		}
		fonts := src.dict(src.dict(src.pages[i].res)["Font"])
		if len(fonts) != 3 {
			t.Errorf("page %d has fonts %v", i, fonts)
		}
	}
	path := saved(t, got)
	run(t, "qpdf", "--check", path)
	if text := run(t, "pdftotext", path, "-"); !strings.Contains(text, "Kept text") ||
		!strings.Contains(text, "Filled field") {
		t.Errorf("text: %s", text)
	}
}

// Cleaning what is clean changes nothing.
func TestCleanTwice(t *testing.T) {
	for _, data := range [][]byte{armed(), somePDF(3)} {
		once, _, err := cleaned(t, data)
		if err != nil {
			t.Fatal(err)
		}
		twice, _, err := cleaned(t, once)
		if err != nil || !bytes.Equal(once, twice) {
			t.Errorf("a second cleaning changed the file (%v)", err)
		}
	}
}

// Damaged files are refused or mended, never crashed on, and what comes out of
// the sieve can be read again.
func TestMutatedPDFs(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	seeds := [][]byte{armed(), somePDF(2)}
	for range 300 {
		once, n, err := cleaned(t, mutated(rnd, seeds[rnd.IntN(len(seeds))]))
		if err != nil {
			continue
		}
		if _, again, err := cleaned(t, once); err != nil || again != n {
			t.Fatalf("%d pages came out, then %d and %v", n, again, err)
		}
	}
}

// mutated changes, cuts and renumbers a few bytes.
func mutated(rnd *rand.Rand, seed []byte) []byte {
	d := bytes.Clone(seed)
	for range 1 + rnd.IntN(8) {
		i := rnd.IntN(len(d))
		switch rnd.IntN(3) {
		case 0:
			d[i] = byte(rnd.IntN(256))
		case 1:
			d[i] = byte('0' + rnd.IntN(10))
		default:
			d = slices.Delete(d, i, i+rnd.IntN(min(50, len(d)-i)))
		}
	}
	return d
}

func TestTooManyPages(t *testing.T) {
	doc := testDocument(Section{File: bytesFile("a.pdf", PDF, somePDF(30))},
		Section{File: bytesFile("b.pdf", PDF, somePDF(30))})
	out, res := render(t, doc, Limits{Pages: 40})
	if n := pageCount(t, out); n != 31 || len(res.Notes) != 1 || res.Notes[0].Section != 1 {
		t.Errorf("%d pages, notes %+v", n, res.Notes)
	}
}

func TestAppendObject(t *testing.T) {
	for _, c := range []struct {
		v    types.Object
		want string
	}{
		{types.Dict{"B": types.Integer(2), "A b": types.Name("x/y")}, "<</A#20b /x#2fy/B 2>>"},
		{types.Array{types.Float(1.5), nil, types.Boolean(true)}, "[1.5 null true]"},
		{types.StringLiteral(`a\)b\101`), "<6129624" + "1>"},
		{types.HexLiteral("4 1b"), "<41b0>"},
	} {
		if got := string(appendObject(nil, c.v)); got != c.want {
			t.Errorf("%#v: %s, want %s", c.v, got, c.want)
		}
	}
}
