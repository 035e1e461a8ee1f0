package api

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lectern/internal/platform/db"
)

// commented gets the commented copy of a version, and gives its words.
func (w *world) commented(as, version string) string {
	w.Helper()
	a := w.do(as, "GET "+ownVersion+version+"/commented", nil).status(200)
	if kind := a.Header().Get("Content-Type"); kind != "application/pdf" {
		w.Errorf("it is sent as %s", kind)
	}
	return pdfText(w, a.Body.Bytes())
}

// rowOf gives the row of a text that holds some words, without what it is set in by.
func rowOf(text, words string) string {
	for row := range strings.Lines(text) {
		if strings.Contains(row, words) {
			return strings.Join(strings.Fields(row), " ")
		}
	}
	return ""
}

// The commented copy has a number at each place and what was said there behind its pages; the document, its hash and
// the receipt stay as they are, and so does what is unread.
func TestTheCommentedCopyOfAVersion(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code", "document")
		var file strings.Builder
		for i := range 200 {
			fmt.Fprintf(&file, "value_%d = 1\n", i+1)
		}
		v := w.newVersion("student", file.String())
		w.do("tutor", "GET "+ownVersion+v+"/commented", nil).status(404).says("not ready yet")
		w.made()
		before := w.do("student", "GET "+ownVersion+v+"/document", nil).status(200)
		receipt := w.do("student", "GET "+ownVersion+v+"/receipt", nil).status(200).Body.String()
		if text := w.commented("student", v); !strings.Contains(text, "No comments point at this submission") {
			t.Errorf("without comments it says %s", text)
		}
		w.points("c", "tutor", v, 150, "**Why** so many?\n\nثلاث مرات")
		w.points("d", "tutor", v, 3, "Name it")
		w.do("student", "POST "+ownTask+"/comments", form{"comment": "Because of you", "reply_to_id": w.path("{c}")}).status(201)
		w.do("student", "PUT "+ownTask+"/comments/{d}/done", form{"done": "true"}).status(200)
		w.do("student", "POST "+ownTask+"/comments", form{"comment": "Points nowhere"}).status(201)
		w.do("tutor", "POST "+ownTask+"/comments", fmt.Sprintf(`{"comment":"Here","place":{"submission_timestamp":%q,
			"page":1,"x":0.5,"y":0.5}}`, v)).status(201)
		state := func() string {
			return fmt.Sprint(w.rows(`SELECT status || version || ' ' || new_to_staff || new_to_student AS v FROM tasks ORDER BY id`),
				w.count("comment_reads"), w.count("submissions"), w.count("events"), w.count("blobs"))
		}
		stood := state()
		text := w.commented("tutor", v)
		for words, number := range map[string]string{"value_3 =": "2", "value_150 =": "3"} {
			if row := rowOf(text, words); !strings.HasPrefix(row, number+" ") {
				t.Errorf("%s stands in %q, not beside %s", words, row, number)
			}
		}
		for _, words := range []string{"1 Page 1 · page 1", "2 main.c, line 3", "3 main.c, line 150", "Why so many?",
			"Because of you", "Reply by", "done on", "· open", "of which 2 are open", "Name it"} {
			if rowOf(strings.Join(strings.Fields(text), " "), words) == "" {
				t.Errorf("no %q in %s", words, text)
			}
		}
		if strings.Contains(text, "Points nowhere") || strings.Contains(text, "**") {
			t.Error("it says more than what points at the work, or not as it is shown")
		}
		if now := state(); now != stood {
			t.Errorf("it was %s and is %s", stood, now)
		}
		after := w.do("student", "GET "+ownVersion+v+"/document", nil).status(200)
		if after.Body.String() != before.Body.String() || after.Header().Get("ETag") != before.Header().Get("ETag") ||
			w.do("student", "GET "+ownVersion+v+"/receipt", nil).status(200).Body.String() != receipt {
			t.Error("the document or its receipt changed")
		}
		if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "lectern-copy-*")); left != nil {
			t.Errorf("%v are left behind", left)
		}

		// Of the next version it says where they stand there, and of those whose line went where that was.
		next := w.newVersion("student", "# a new line\n"+strings.ReplaceAll(file.String(), "value_3 = 1\n", ""))
		w.made()
		text = strings.Join(strings.Fields(w.commented("student", next)), " ")
		for _, words := range []string{"main.c, line 150 · page", "written on version 1", "main.c, on version 1, line 3",
			"On version 1, page 1"} {
			if !strings.Contains(text, words) {
				t.Errorf("no %q in %s", words, text)
			}
		}
		w.do("student", "GET "+ownVersion+"2001-01-01T00:00:00Z/commented", nil).status(404)
		w.do("mate", "GET "+ownVersion+v+"/commented", nil).status(403)
		w.do("mate", "GET "+strings.Replace(ownVersion, "{project:student}", "{project:mate}", 1)+v+"/commented", nil).status(404)
	})
}

// A document of before, of which nothing but its pages tells where lines are, and one that is damaged, cost no words.
func TestTheCommentedCopyOfOddDocuments(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		v := w.pointable("student")
		w.made()
		w.points("c", "tutor", v, 2, "Kept words")
		w.set(`UPDATE submissions SET document_hash = $1`, w.file("%PDF-1.4 and nothing more"))
		if text := w.commented("tutor", v); !strings.Contains(text, "could not be shown") || !strings.Contains(text, "Kept words") {
			t.Errorf("of a damaged document: %s", text)
		}
		w.set(`UPDATE submissions SET document_hash = $1`, w.file(samplePDF())) // no bookmarks, and no pages of ours
		text := w.commented("tutor", v)
		if rowOf(text, "main.c, line 2") != "1 main.c, line 2" || !strings.Contains(text, "Kept words") {
			t.Errorf("of a foreign document: %s", text)
		}
		w.set(`UPDATE submissions SET document_hash = NULL, state = 'failed', reason = 'no luck'`)
		w.do("tutor", "GET "+ownVersion+v+"/commented", nil).status(404).says("no luck")
	})
}

// However much was said, the copy takes the same number of statements.
func TestTheCommentedCopyTakesAFewStatements(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		v := w.pointable("student")
		w.made()
		count := func() int64 {
			r := w.request("tutor", "GET "+ownVersion+v+"/commented", nil)
			ctx, counter := db.Counting(r.Context(), nil)
			w.send(r.WithContext(ctx), "the copy").status(200)
			return counter.N()
		}
		w.reviewed(v, "One", 1)
		few := count()
		w.later(time.Minute)
		w.reviewed(v, "Many", 3)
		if many := count(); many != few {
			t.Errorf("%d statements, and %d for more comments", few, many)
		}
	})
}
