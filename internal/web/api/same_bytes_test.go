package api

import (
	_ "embed"
	"fmt"
	"strings"
	"testing"
	"time"
)

// taggedPDF is an accessible PDF of another program, with a remark that was added later.
// Nothing in it acts.
//
//go:embed testdata/tagged.pdf
var taggedPDF string

func TestATaskSheetInWhichNothingActsKeepsItsBytesThroughARollover(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		sheet := func(unit, def any) string {
			return w.do("admin", fmt.Sprintf("GET /api/units/%v/task_definitions/%v/task_pdf", unit, def), nil).
				status(200).Body.String()
		}
		w.do("convenor", "POST "+defA+"/{defA1}/task_sheet", aFile("sheet.pdf", taggedPDF)).status(200)
		if got := sheet(w.id["unitA"], w.id["defA1"]); got != taggedPDF {
			t.Errorf("%d bytes are served of a sheet of %d", len(got), len(taggedPDF))
		}
		w.secondPeriod("T2", 140)
		next := w.do("admin", "POST /api/units/{unitA}/rollover", form{"teaching_period_id": w.path("{T2}")}).
			status(201).object()
		defs := next["task_definitions"].([]any)
		if got := sheet(next["id"], defs[0].(map[string]any)["id"]); got != taggedPDF {
			t.Errorf("after the rollover %d bytes are served of a sheet of %d", len(got), len(taggedPDF))
		}
		acting := strings.Replace(taggedPDF, "/MarkInfo<</Marked true>>/Lang(en-AU)", "/AA<</WC<</S/Launch>>>>"+
			"/Lang(en-AU)  ", 1)
		w.do("convenor", "POST "+defA+"/{defA1}/task_sheet", aFile("sheet.pdf", acting)).status(200)
		got := sheet(w.id["unitA"], w.id["defA1"])
		if strings.Contains(got, "Launch") || !strings.Contains(got, "StructTreeRoot") {
			t.Error("what acts is served, or what makes it accessible is gone")
		}
	})
}

func TestAnAnnotatedDocumentReplacesTheDocumentWithTheSameBytes(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code")
		w.handIn("student", "defA1")
		w.made()
		document := func() string { return w.do("student", "GET "+ownTask+"/submission", nil).status(200).Body.String() }
		made := document()
		got := w.batch("tutor", "")
		name := ""
		for n := range got {
			if strings.HasSuffix(n, ".pdf") {
				name = n
			}
		}
		w.do("tutor", "POST "+assessing, aFile("back.zip", zipOf(t, "marks.csv", got["marks.csv"], name, taggedPDF,
			"manifest.json", got["manifest.json"]))).status(201)
		back := w.do("student", "GET "+ownTask+"/submission/marked", nil).status(200).Body.String()
		if back != taggedPDF || !strings.Contains(back, "Well done") {
			t.Errorf("%d bytes are served of a document of %d", len(back), len(taggedPDF))
		}
		if now := document(); now != taggedPDF {
			t.Errorf("the document has %d bytes, not the %d of the annotated one", len(now), len(taggedPDF))
		}
		times := w.do("student", "GET "+ownTask+"/submissions/timestamps", nil).status(200)
		var all []string
		times.into(&all)
		if first := w.do("student", "GET "+ownTask+"/submissions/timestamps/"+all[0]+"/document", nil).status(200).
			Body.String(); first != made {
			t.Error("what the student handed in is no longer to be had")
		}
		w.now = w.now.Add(time.Minute)
		w.handIn("student", "defA1")
		w.made()
		if next := document(); next == taggedPDF || next == made {
			t.Error("new work is served as the annotated work before")
		}
	})
}
