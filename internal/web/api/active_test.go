package api

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// activePDF acts in every way a PDF can, and holds a remark.
const activePDF = "%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 2 0 R/OpenAction 6 0 R/AA<</WC 6 0 R>>" +
	"/AcroForm<</XFA(x)/Fields[]>>/Names<</JavaScript<</Names[(a) 6 0 R]>>/EmbeddedFiles<</Names[(evil) 7 0 R]>>>>>>" +
	"\nendobj\n2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n" +
	"3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/AA<</O 6 0 R>>/Annots[4 0 R 5 0 R 8 0 R]>>\nendobj\n" +
	"4 0 obj\n<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A<</S/Launch/F(cmd.exe)>>>>\nendobj\n" +
	"5 0 obj\n<</Type/Annot/Subtype/Text/Rect[0 0 20 20]/Contents(A remark)/T(Marker)/A 6 0 R>>\nendobj\n" +
	"6 0 obj\n<</Type/Action/S/JavaScript/JS(app.alert\\(1\\))>>\nendobj\n" +
	"7 0 obj\n<</Type/Filespec/F(evil.exe)/EF<</F 9 0 R>>>>\nendobj\n" +
	"8 0 obj\n<</Type/Annot/Subtype/FileAttachment/Rect[0 0 9 9]/FS 7 0 R>>\nendobj\n" +
	"9 0 obj\n<</Type/EmbeddedFile/Length 4>>\nstream\nevil\nendstream\nendobj\n" +
	"trailer<</Root 1 0 R/Size 10>>\n%%EOF\n"

// disarmed fails unless an answer is activePDF without what acts, its remark kept.
func (a *answered) disarmed(what string) {
	a.w.Helper()
	body := a.status(200).Body.Bytes()
	for _, never := range []string{"JavaScript", "Launch", "OpenAction", "/AA", "EmbeddedFile", "Filespec",
		"FileAttachment", "AcroForm", "XFA", "app.alert", "cmd.exe", "evil", fmt.Sprintf("%x", "app.alert"),
		fmt.Sprintf("%x", "cmd.exe"), fmt.Sprintf("%x", "evil")} {
		if bytes.Contains(body, []byte(never)) {
			a.w.Errorf("%s: %s is still there", what, never)
		}
	}
	if !bytes.HasPrefix(body, []byte("%PDF-")) || !bytes.Contains(body, fmt.Appendf(nil, "%x", "A remark")) {
		a.w.Errorf("%s: the remark is gone: %.200q", what, body)
	}
}

// TestServedPDFsCannotAct sends a PDF that acts wherever one is kept and served as
// it is: as an attachment, a task sheet, alone and in an archive, and as the marked
// copy of a document.
func TestServedPDFsCannotAct(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		o := w.attachment("student", ownTask, "", "a.pdf", activePDF).status(201).object()
		w.id["c"] = int64(o["id"].(float64))
		w.do("tutor", "GET "+ownTask+"/comments/{c}", nil).disarmed("an attachment")

		w.do("convenor", "POST "+defA+"/{defA1}/task_sheet", aFile("a.pdf", activePDF)).status(200)
		w.do("student", "GET "+defA+"/{defA1}/task_pdf", nil).disarmed("a sheet")
		w.do("convenor", "DELETE "+defA+"/{defA1}/task_sheet", nil)
		w.do("convenor", "POST "+defA+"/task_pdfs", aFile("s.zip", zipOf(t, "1.1P.pdf", activePDF))).status(201)
		w.do("student", "GET "+defA+"/{defA1}/task_pdf", nil).disarmed("a sheet of an archive")

		w.asks("code")
		w.handIn("student", "defA1")
		w.made()
		got := w.batch("tutor", "")
		name := ""
		for n := range got {
			if strings.HasSuffix(n, ".pdf") {
				name = n
			}
		}
		back := aFile("back.zip", zipOf(t, "marks.csv", got["marks.csv"], "manifest.json", got["manifest.json"], name,
			activePDF))
		if got := counts(w.do("tutor", "POST "+assessing, back)); !strings.HasPrefix(got, "1 done, 0 refused") {
			t.Fatal(got)
		}
		w.do("student", "GET "+submission+"/marked", nil).disarmed("a marked copy")
		if got := counts(w.do("tutor", "POST "+assessing, back)); !strings.HasPrefix(got, "0 done, 0 refused") {
			t.Errorf("the same copy again: %s", got)
		}
	})
}

// TestUnreadablePDFsAreRefused sends PDFs that no reader should open.
func TestUnreadablePDFsAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "sqlite")
	for _, c := range []struct{ what, content, says string }{
		{"a bomb", bombPDF(), "far more data"},
		{"half a file", samplePDF()[:len(samplePDF())/4] + "\n%%EOF", "cannot be used"},
		{"no pages", "%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n", "cannot be used"},
	} {
		w.attachment("student", ownTask, "", "a.pdf", c.content).status(415).says(c.says)
		w.do("convenor", "POST "+defA+"/{defA1}/task_sheet", aFile("a.pdf", c.content)).status(415).says(c.says)
	}
	if n := w.count("task_comments") + w.count("blobs"); n != 0 {
		t.Errorf("%d comments and files were kept", n)
	}
}
