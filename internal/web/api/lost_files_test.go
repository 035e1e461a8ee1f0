package api

import (
	"strings"
	"testing"

	"lectern/internal/platform/files"
)

// An archive is sent while it is packed: once some of it is sent, it can only break off.
func TestADownloadWhoseFileIsLostIsRefusedInWords(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code", "code")
		long := part{"file0", "first.py", "print(1)\n" + strings.Repeat("# much to send before the other\n", 20_000)}
		w.do("student", "POST "+submission, upload{nil, []part{long, {"file1", "second.py", "print(2)\n"}}}).status(201)
		w.made()
		archives := map[string]string{ // who asks for it
			ownTask + "/submission_files": "student", ownTask + "/submissions/latest": "tutor",
			"/api/submission/unit/{unitA}/task_definitions/{defA1}/download_submissions": "tutor",
		}
		for path, who := range archives {
			unzip(t, w.do(who, "GET "+path, nil).status(200).Body.Bytes())
		}
		lost := w.rows(`SELECT hash AS v FROM submission_files WHERE position = 1`)
		if err := w.api.files.Delete(t.Context(), files.Hash(lost[0])); err != nil {
			t.Fatal(err)
		}
		for path, who := range archives {
			got := w.do(who, "GET "+path, nil).status(404).says("missing from the file store")
			if got.Header().Get("Content-Disposition") != "" {
				t.Errorf("%s: an error is offered as a download: %v", path, got.Header())
			}
		}
		for _, hash := range w.rows(`SELECT document_hash AS v FROM submissions WHERE document_hash IS NOT NULL`) {
			if err := w.api.files.Delete(t.Context(), files.Hash(hash)); err != nil {
				t.Fatal(err)
			}
		}
		w.do("tutor", "GET /api/submission/unit/{unitA}/task_definitions/{defA1}/student_pdfs", nil).status(404).
			says("missing from the file store")
		w.do("tutor", "GET /api/submission/assess?unit_id={unitA}", nil).status(404).says("missing from the file store")
	})
}
