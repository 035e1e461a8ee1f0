package pdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"lectern/internal/ground/fault"
)

func cleanAlone(t testing.TB, data []byte, l Limits) ([]byte, error) {
	t.Helper()
	var out []byte
	err := Clean(t.Context(), bytes.NewReader(data), l, func(r io.Reader) (err error) {
		out, err = io.ReadAll(r)
		return err
	})
	return out, err
}

// annotated is a PDF as a marker's program leaves it: a remark with an answer, ink,
// a highlight, a bookmark; and with scripts that hang on the remark.
func annotated() []byte {
	js := "<</S/JavaScript/JS(app.alert\\(1\\))>>"
	return rawPDF(
		"<</Type/Catalog/Pages 2 0 R/Outlines 9 0 R/OpenAction "+js+"/AcroForm<</XFA(x)/Fields[]>>>>",
		"<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Contents 4 0 R/Annots[5 0 R 6 0 R 7 0 R 8 0 R]>>",
		rawStream("", []byte("q Q")),
		"<</Type/Annot/Subtype/Text/Rect[0 0 20 20]/Contents(Why is that)/T(Marker)/AA<</E "+js+">>/Popup 11 0 R>>",
		"<</Type/Annot/Subtype/Text/Rect[0 0 20 20]/Contents(Because)/IRT 5 0 R/RT/R/A "+js+">>",
		"<</Type/Annot/Subtype/Ink/Rect[0 0 50 50]/InkList[[1 2 3 4]]/Contents(Drawn)>>",
		"<</Type/Annot/Subtype/Highlight/Rect[0 0 50 50]/QuadPoints[0 0 9 0 0 9 9 9]/Contents(Marked)>>",
		"<</Type/Outlines/First 10 0 R/Last 10 0 R/Count 1>>",
		"<</Title(Part one)/Parent 9 0 R/Dest[3 0 R/Fit]/A "+js+">>",
		"<</Type/Annot/Subtype/Popup/Rect[0 0 9 9]/Parent 5 0 R>>",
	)
}

func TestCleanKeepsWhatMarkersWrote(t *testing.T) {
	got, err := cleanAlone(t, annotated(), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, never := range []string{"JavaScript", "/AA", "OpenAction", "XFA", "AcroForm",
		fmt.Sprintf("%x", "app.alert")} {
		if bytes.Contains(got, []byte(never)) {
			t.Errorf("%s is still there", never)
		}
	}
	for _, kept := range []string{fmt.Sprintf("%x", "Why is that"), fmt.Sprintf("%x", "Because"), "/InkList",
		"/QuadPoints", fmt.Sprintf("%x", "Drawn"), fmt.Sprintf("%x", "Marked"), fmt.Sprintf("%x", "Marker"),
		"/Outlines", string(appendObject(nil, textString("Part one")))} {
		if !bytes.Contains(got, []byte(kept)) {
			t.Errorf("%s is gone", kept)
		}
	}
	src, err := openSource(bytes.NewReader(got), 10, 1e6)
	if err != nil {
		t.Fatal(err)
	}
	notes := src.array(src.pages[0].dict["Annots"])
	if len(notes) != 4 {
		t.Fatalf("%d annotations", len(notes))
	}
	if answer := src.dict(notes[1]); answer["IRT"] == nil ||
		src.text(src.dict(answer["IRT"])["Contents"]) != "Why is that" {
		t.Errorf("the answer %v does not belong to its question", answer)
	}
	run(t, "qpdf", "--check", saved(t, got))
	again, err := cleanAlone(t, got, Limits{})
	if err != nil || !bytes.Equal(again, got) {
		t.Errorf("cleaned again it differs (%v)", err)
	}
}

func TestCleanDisarmsWhatIsServedAlone(t *testing.T) {
	got, err := cleanAlone(t, armed(), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, never := range []string{"JavaScript", "Launch", "OpenAction", "/AA", "EmbeddedFile", "Filespec", "AcroForm",
		"XFA", "cmd.exe", "FileAttachment", "GoToR", fmt.Sprintf("%x", "app.alert"), fmt.Sprintf("%x", "evil")} {
		if bytes.Contains(got, []byte(never)) {
			t.Errorf("%s is still there", never)
		}
	}
	if !bytes.Contains(got, fmt.Appendf(nil, "%x", "A remark")) {
		t.Error("the remark is gone")
	}
}

// What cannot be read within bounds is refused in words, and the child is bounded.
func TestCleanRefuses(t *testing.T) {
	whole := somePDF(2)
	for _, c := range []struct {
		name string
		data []byte
		l    Limits
		kind fault.Kind
		says string
	}{
		{"a bomb", onePage("", rawStream("/Filter/FlateDecode", flateBomb(300<<20))), Limits{}, fault.Unsupported,
			"far more data"},
		{"half a file", whole[:len(whole)/4], Limits{}, fault.Unsupported, "cannot be used"},
		{"no PDF", []byte("<html>%PDF-1.4 %%EOF"), Limits{}, fault.Unsupported, "cannot be used"},
		{"nothing", nil, Limits{}, fault.Unsupported, "empty"},
		{"a password", encryptedPDF(t, "secret"), Limits{}, fault.Unsupported, "password"},
		{"too many pages", somePDF(5), Limits{Pages: 4}, fault.Unsupported, "more than 4 pages"},
		{"too many bytes", whole, Limits{InputBytes: 100}, fault.TooLarge, "larger than"},
	} {
		got, err := cleanAlone(t, c.data, c.l)
		if !fault.Is(err, c.kind) || !strings.Contains(fmt.Sprint(err), c.says) || got != nil {
			t.Errorf("%s: %d bytes, %v", c.name, len(got), err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Clean(ctx, bytes.NewReader(whole), Limits{}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("after the caller left: %v", err)
	}
}
