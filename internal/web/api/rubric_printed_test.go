package api

import (
	"strings"
	"testing"
)

// Documents that are made after the verdict print the rubric with the levels that were picked; the submission's own
// document, and its receipt, stay as they were.
func TestDocumentsPrintARubric(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code", "document")
		v := w.newVersion("student", "x = 1")
		w.made()
		own := w.do("student", "GET "+ownVersion+v+"/document", nil).status(200).Body.String()
		receipt := w.do("student", "GET "+ownVersion+v+"/receipt", nil).status(200).Body.String()
		compiled := func() string {
			w.do("student", "PUT /api/projects/{project:student}", form{"compile_portfolio": "true"}).status(200)
			w.compiled()
			return pdfText(t, w.do("student", "GET "+portfolioPath, nil).status(200).Body.Bytes())
		}
		for what, text := range map[string]string{"portfolio": compiled(), "copy": w.commented("student", v)} {
			if strings.Contains(text, "Rubric") {
				t.Errorf("without a rubric the %s says %s", what, text)
			}
		}
		w.set(`UPDATE task_definitions SET max_quality_pts = 5`)
		id, levels := w.rubric(fivePoints)
		for what, text := range map[string]string{"portfolio": compiled(), "copy": w.commented("student", v)} {
			if !strings.Contains(text, "Rubric") || !strings.Contains(text, "About Design") || strings.Contains(text, "add up") {
				t.Errorf("before it is marked the %s says %s", what, text)
			}
		}
		w.do("tutor", "POST "+ownTask+"/verdict", w.picking("", id, levels[0][0], levels[1][1])).status(200)
		w.do("convenor", "PUT "+rubricOfA1, strings.ReplaceAll(fivePoints, "Design", "Another")).status(200)
		for what, text := range map[string]string{"portfolio": compiled(), "copy": w.commented("student", v)} {
			for _, words := range []string{"Design", "The levels add up to", "Given with version 1 of the rubric."} {
				if !strings.Contains(text, words) || strings.Contains(text, "Another") {
					t.Errorf("once it is marked the %s does not say %q: %s", what, words, text)
				}
			}
		}
		if w.do("student", "GET "+ownVersion+v+"/document", nil).status(200).Body.String() != own ||
			w.do("student", "GET "+ownVersion+v+"/receipt", nil).status(200).Body.String() != receipt {
			t.Error("the document or its receipt changed with the verdict")
		}
	})
}
