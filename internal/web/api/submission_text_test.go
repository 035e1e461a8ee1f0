package api

import (
	"strings"
	"testing"
	"time"
)

// The words of a document are read by whoever reads the document, of the latest
// submission and of each earlier one.
func TestTheWordsOfADocument(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code")
		text := func(who, path string) string {
			t.Helper()
			return w.do(who, "GET "+ownTask+path, nil).status(200).object()["text"].(string)
		}
		w.do("student", "GET "+submission+"/text", nil).status(404).says("nothing has been submitted")
		w.do("student", "POST "+submission, upload{nil, []part{{"file0", "a.py", "# quokkas\n"}}}).status(201)
		w.do("student", "GET "+submission+"/text", nil).status(404).says("not ready yet")
		w.made()
		for _, who := range []string{"student", "tutor"} {
			if got := text(who, "/submission/text"); !strings.Contains(got, "quokkas") {
				t.Errorf("%s reads %q", who, got)
			}
		}
		w.later(time.Minute)
		w.do("student", "POST "+submission, upload{nil, []part{{"file0", "a.py", "# wombats\n"}}}).status(201)
		if got := text("tutor", "/submission/text"); !strings.Contains(got, "quokkas") {
			t.Errorf("while the next document is made: %q", got)
		}
		w.made()
		var at []string
		w.do("tutor", "GET "+ownTask+"/submissions/timestamps", nil).status(200).into(&at)
		for path, want := range map[string]string{"/submission/text": "wombats",
			"/submissions/timestamps/" + at[0] + "/text": "wombats",
			"/submissions/timestamps/" + at[1] + "/text": "quokkas"} {
			if got := text("tutor", path); !strings.Contains(got, want) {
				t.Errorf("%s has %q", path, got)
			}
		}
		w.do("tutor", "GET "+ownTask+"/submissions/timestamps/1/text", nil).status(404)
	})
}

// A document without words says so, and the one itself can still be read.
func TestADocumentWithoutWords(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code")
		w.do("student", "POST "+submission, upload{nil, []part{code}}).status(201)
		w.set(`UPDATE submissions SET state = 'ready', document_hash = $1`, w.file("%PDF-1.7 broken"))
		w.do("tutor", "GET "+submission+"/text", nil).status(422).says("no readable text")
	})
}
