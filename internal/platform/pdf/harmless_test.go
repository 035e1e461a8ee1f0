package pdf

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tagged is a PDF that people who do not see it can read: a heading, a picture with what it
// shows and a link, in a tree that the marks on the page lead to; with a language, a title
// and the wish to show it. More is added to the catalog.
func tagged(more string) []byte {
	if !strings.Contains(more, "OpenAction") {
		more += "/OpenAction[3 0 R/XYZ null null 0]"
	}
	data := rawPDF(
		"<</Type/Catalog/Pages 2 0 R/StructTreeRoot 6 0 R/MarkInfo<</Marked true>>/Lang(en-AU)"+
			"/ViewerPreferences<</DisplayDocTitle true>>"+more+">>",
		"<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Contents 4 0 R/StructParents 0/Tabs/S/Annots[12 0 R]"+
			"/Resources<</Font<</F 5 0 R>>>>>>",
		rawStream("", []byte("/H1 <</MCID 0>> BDC BT /F 20 Tf 20 300 Td (Week one) Tj ET EMC "+
			"/Figure <</MCID 1>> BDC 20 20 50 50 re f EMC")),
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
		"<</Type/StructTreeRoot/K 7 0 R/ParentTree 11 0 R/ParentTreeNextKey 2/RoleMap<</Topic/H1>>"+
			"/IDTree<</Names[(a) 8 0 R]>>/ClassMap<</wide<</O/Layout/Width 9>>>>>>",
		"<</Type/StructElem/S/Document/P 6 0 R/K[8 0 R 9 0 R 10 0 R]>>",
		"<</Type/StructElem/S/Topic/ID(a)/P 7 0 R/Pg 3 0 R/K 0/C/wide>>",
		"<</Type/StructElem/S/Figure/P 7 0 R/Pg 3 0 R/Alt(A black square)/K<</Type/MCR/MCID 1/Pg 3 0 R>>"+
			"/A<</O/Layout/BBox[20 20 70 70]>>>>",
		"<</Type/StructElem/S/Link/P 7 0 R/Pg 3 0 R/K<</Type/OBJR/Obj 12 0 R/Pg 3 0 R>>>>",
		"<</Nums[0[8 0 R 9 0 R] 1 10 0 R]>>",
		"<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/Contents(The library)/StructParent 1"+
			"/A<</S/URI/URI(https://example.org/library)>>>>",
		"<</Title(Sheet of week one)/Author(A. Convenor)>>",
	)
	return bytes.Replace(data, []byte("/Root 1 0 R"), []byte("/Root 1 0 R/Info 13 0 R"), 1)
}

// later appends a revision to a PDF in which an object is another one, as programs do that
// annotate it.
func later(data []byte, num int, object string) []byte {
	prev := data[bytes.LastIndex(data, []byte("startxref\n"))+10:]
	prev = prev[:bytes.IndexByte(prev, '\n')]
	trailer := data[bytes.LastIndex(data, []byte("trailer\n<<"))+10:]
	trailer = trailer[:bytes.Index(trailer, []byte(">>\nstartxref"))]
	b := bytes.NewBuffer(bytes.Clone(data))
	at := b.Len()
	fmt.Fprintf(b, "%d 0 obj\n%s\nendobj\n", num, object)
	start := b.Len()
	fmt.Fprintf(b, "xref\n%d 1\n%010d 00000 n \ntrailer\n<<%s/Prev %s>>\nstartxref\n%d\n%%%%EOF\n", num, at, trailer, prev,
		start)
	return b.Bytes()
}

const annotatedPage = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Contents 4 0 R/StructParents 0" +
	"/Resources<</Font<</F 5 0 R>>>>/Annots[<</Type/Annot/Subtype/Text/Rect[0 0 20 20]/Contents(Well done)>>]>>"

// packed is a PDF whose objects are packed into streams.
func packed(t testing.TB, data []byte) []byte {
	t.Helper()
	in, out := saved(t, data), filepath.Join(t.TempDir(), "packed.pdf")
	run(t, "qpdf", "--object-streams=generate", in, out)
	got, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestAFileInWhichNothingActsIsServedAsItCame(t *testing.T) {
	ours, _ := render(t, testDocument(Section{File: bytesFile("a.go", Code, []byte(someCode(30)))}), Limits{})
	for name, data := range map[string][]byte{
		"a PDF": somePDF(3), "a tagged one": tagged(""), "packed": packed(t, tagged("")),
		"annotated later": later(tagged(""), 3, annotatedPage), "a document of ours": ours,
		"a form": tagged("/AcroForm<</Fields[]>>"),
	} {
		got, err := cleanAlone(t, data, Limits{})
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s: %d bytes for %d, %v", name, len(got), len(data), err)
		}
	}
}

func TestWhatActsIsTakenOutWhereverItHides(t *testing.T) {
	const js = "<</S/JavaScript/JS(app.alert\\(1\\))>>"
	hidden := bytes.Replace(tagged(""), []byte("xref\n0"), []byte("99 0 obj\n"+js+"\nendobj\nxref\n0"), 1)
	plain := string(tagged(""))
	for name, data := range map[string][]byte{
		"at its opening":         tagged("/OpenAction " + js),
		"by an escaped name":     tagged("/OpenAction<</S/J#61va#53cript/J#53(app.alert\\(1\\))>>"),
		"in a packed object":     packed(t, tagged("/OpenAction "+js)),
		"in an old revision":     later(tagged("/OpenAction "+js), 1, "<</Type/Catalog/Pages 2 0 R>>"),
		"in a later revision":    later(tagged(""), 1, "<</Type/Catalog/Pages 2 0 R/OpenAction "+js+">>"),
		"in no table":            hidden,
		"in a stream":            []byte(strings.Replace(plain, "(Week one)", "99 0 obj"+js+"endobj", 1)),
		"behind its end":         []byte(plain + "99 0 obj\n" + js + "\nendobj\n%%EOF\n"),
		"before its beginning":   []byte("MZ\n" + plain),
		"as a link":              []byte(strings.Replace(plain, "(https://example.org/library)", "(javascript:app.alert\\(1\\))", 1)),
		"as an embedded file":    tagged("/Names<</EmbeddedFiles<</Names[(a)<</F(a)/EF<</F 4 0 R>>>>]>>>>"),
		"as one without a type":  tagged("/AF[<</F(a.exe)/EF<</F 4 0 R>>>>]"),
		"as data of other files": []byte(strings.Replace(plain, "/Length", "/F(file.txt)/Length", 1)),
		"as a form of XML":       tagged("/AcroForm<</XFA(x)/Fields[]>>"),
		"on a page":              []byte(strings.Replace(plain, "/Tabs/S", "/AA<</O 13 0 R>>", 1)),
	} {
		got, err := cleanAlone(t, data, Limits{})
		if err != nil {
			t.Logf("%s: refused: %v", name, err)
			continue
		}
		if bytes.Equal(got, data) {
			t.Errorf("%s: it is served as it came", name)
		}
		for _, never := range []string{"JavaScript/JS", "/AA", "/EF", "XFA", "app.alert", "MZ", "99 0 obj\n", "file.txt",
			fmt.Sprintf("%x", "app.alert"), "OpenAction"} {
			if bytes.Contains(got, []byte(never)) && name != "in a stream" {
				t.Errorf("%s: %s is still there", name, never)
			}
		}
	}
}

func TestTheSieveKeepsWhatMakesAFileAccessible(t *testing.T) {
	for name, data := range map[string][]byte{
		"plain":  tagged("/AA<</WC<</S/JavaScript/JS(app.alert\\(1\\))>>>>"),
		"packed": packed(t, tagged("/AA<</WC<</S/JavaScript/JS(app.alert\\(1\\))>>>>")),
	} {
		got, err := cleanAlone(t, data, Limits{})
		if err != nil || bytes.Equal(got, data) {
			t.Fatalf("%s: not taken, or as it came: %v", name, err)
		}
		path := saved(t, got)
		run(t, "qpdf", "--check", path)
		info := run(t, "pdfinfo", path)
		for _, want := range []string{"Sheet of week one", "Tagged:          yes"} {
			if !strings.Contains(info, want) {
				t.Errorf("%s: %q is not in\n%s", name, want, info)
			}
		}
		tree := run(t, "pdfinfo", "-struct-text", path)
		for _, want := range []string{"Document", "H1", "Week one", "Figure", "Link", "Object"} {
			if !strings.Contains(tree, want) {
				t.Errorf("%s: %q is not in\n%s", name, want, tree)
			}
		}
		for _, want := range []string{"/Lang <" + fmt.Sprintf("%x", "en-AU"), "/ViewerPreferences <</DisplayDocTitle true>>",
			"/StructParents 0", "/Tabs /S", "/StructParent 1", fmt.Sprintf("%x", "The library"), "/RoleMap <</Topic /H1>>",
			"/ClassMap", "/IDTree", "/Alt <" + fmt.Sprintf("%x", "A black square"), "/BBox [20 20 70 70]"} {
			if !bytes.Contains(got, []byte(want)) {
				t.Errorf("%s: %s is gone", name, want)
			}
		}
		if again, err := cleanAlone(t, got, Limits{}); err != nil || !bytes.Equal(again, got) {
			t.Errorf("%s: cleaned again it differs (%v)", name, err)
		}
	}
}

// A tree that grows where it is read, or runs in circles, costs no more than its file.
func TestHostileTreesOfElementsAreBounded(t *testing.T) {
	many := strings.Repeat("0 ", 20_000)
	var kids strings.Builder
	objects := []string{"<</Type/Catalog/Pages 2 0 R/StructTreeRoot 5 0 R/AA<<>>>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Contents 4 0 R>>", rawStream("", []byte("q Q")),
		"", "[" + many + "]"}
	for i := range 2000 {
		fmt.Fprintf(&kids, "%d 0 R ", len(objects)+1)
		own := ""
		if i < 20 {
			own = many
		}
		objects = append(objects, fmt.Sprintf("<</S/P/P 5 0 R/A 6 0 R/K[%s %d 0 R]>>", own, 7+(i*7)%2000))
	}
	objects[4] = "<</Type/StructTreeRoot/K[" + kids.String() + "]/ParentTree 5 0 R/Kids[5 0 R]/Nums[0 6 0 R]>>"
	data := rawPDF(objects...)
	got, err := cleanAlone(t, data, Limits{})
	if err != nil || len(got) > 20*len(data) {
		t.Errorf("%d bytes of %d: %v", len(got), len(data), err)
	}
}
