package api

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/personaldata"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/blob"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/submit"
	"lectern/internal/usecase/privacy"
)

// busy gives student something in every kind of table: work, words, a portfolio,
// a calendar feed, emails, and other people's names in the words.
func (w *world) busy() {
	w.Helper()
	w.nested()
	w.do("tutor", "POST "+ownTask+"/comments", form{"comment": "Ask Mate Person, mate@example.edu, or Tutor; " +
		"Student Person has the tutorial notes"}).status(201)
	w.do("student", "POST "+portfolioPath, evidence("Other", "code", "mine.py", "print('mine')\n")).status(201)
	w.do("student", "PUT /api/projects/{project:student}", `{"compile_portfolio":true}`).status(200)
	w.made()
	w.compiled()
	w.webcal("student", `{"webcal":{"enabled":true}}`)
	w.do("tutor", "PUT /api/projects/{project:student}",
		`{"grade":70,"grade_rationale":"Quokka grounds","old_grade":0}`).status(200)
	w.set(`INSERT INTO mails (name, user_id, preference, reply_to, subject, body_text, body_html, created_at)
		VALUES ('m1', $1, 'task', '', 'Tutor Person wrote to you', '', '', $2)`, w.id["student"], clock.At(w.now))
}

// itsVersion is the document of what the student handed in, in place of the copy that came back
// annotated.
const itsVersion = ownTask + "/submissions/timestamps/{at}/document"

// exported gives the files of a person's export.
func (w *world) exported(who string) (map[string]string, *privacy.Summary) {
	w.Helper()
	var b bytes.Buffer
	e := privacy.Exporter{DB: w.db, Files: w.api.files}
	s, err := e.Export(w.Context(), w.id[who], &b)
	if err != nil {
		w.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		w.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			w.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			w.Fatal(err)
		}
		out[f.Name] = string(content)
	}
	return out, s
}

func TestExportOfAPerson(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.busy()
		got, s := w.exported("student")
		records := map[string]int{}
		for _, c := range s.Contents {
			records[c.File] = c.Records
		}
		for _, name := range strings.Fields(`users sessions projects tutorial_enrolments group_memberships tasks
			task_history task_comments discussion_files submissions submission_tasks submission_files
			receipts marked_copies portfolio_files webcals mails events sign_in_places`) {
			if records[name+".json"] == 0 && name != "sign_in_places" {
				t.Errorf("%s.json is empty: %v", name, records)
			}
		}
		for want, file := range map[string]string{
			`"email": "student@example.edu"`: "users.json", "Quokka grounds": "projects.json",
			`"receive_task_notifications": true`:                                                      "users.json",
			`Ask another student, another student, or a tutor; Student Person has the tutorial notes`: "task_comments.json",
			`"a tutor wrote to you"`:                                                                  "mails.json",
			`"actor_id": "a tutor"`:                                                                   "events.json",
			`"user_id": "you"`:                                                                        "task_comments.json",
			`"I was ill"`:                                                                             "task_comments.json",
		} {
			if !strings.Contains(got[file], want) {
				t.Errorf("%s lacks %s:\n%s", file, want, got[file])
			}
		}
		w.checkNothingForeign(got)
		var contents []string
		for name, text := range got {
			if strings.HasPrefix(name, "files/") {
				contents = append(contents, text)
			}
		}
		for _, want := range []string{code.content, pngFile, wavFile, "print('mine')\n"} {
			if !slices.Contains(contents, want) {
				t.Errorf("the file %.20q is missing among %d", want, len(contents))
			}
		}
		if len(contents) != s.Files || len(s.Missing) > 0 {
			t.Errorf("%d files, said %d, missing %v", len(contents), s.Files, s.Missing)
		}
	})
}

// checkNothingForeign looks for secrets and for other people in an export.
func (w *world) checkNothingForeign(got map[string]string) {
	w.Helper()
	secrets, err := db.All[string](w.Context(), w.db.Pool(), `SELECT token_hash FROM sessions
		UNION SELECT guid FROM webcals UNION SELECT guid_hash FROM webcals`)
	if err != nil {
		w.Fatal(err)
	}
	for name, text := range got {
		for _, foreign := range append(secrets, "mate@", "tutor@", "convenor@", "Mate Person", "Tutor Person") {
			if strings.HasSuffix(name, ".json") && strings.Contains(text, foreign) {
				w.Errorf("%s has %s", name, foreign)
			}
		}
	}
}

// Of a receipt that names nobody else, the signature still fits; a group's loses
// the names of the others.
func TestExportedReceipts(t *testing.T) {
	w := newWorld(t, "sqlite")
	w.asks("code")
	w.define("group_set_id = $1", w.id["set"])
	w.handIn("mate", "defA1")
	w.define("group_set_id = NULL")
	keys := w.keys()
	for who, want := range map[string]string{"student": `"submitted_by":"another student"`,
		"mate": `"submitted_by":"mate"`} {
		got, _ := w.exported(who)
		var list []struct{ Body, Hash, Signature, Key_id string } //nolint:revive // as in the file
		if err := json.Unmarshal([]byte(got["receipts.json"]), &list); err != nil || len(list) != 1 {
			t.Fatalf("%s: %v %s", who, err, got["receipts.json"])
		}
		if !strings.Contains(list[0].Body, want) {
			t.Errorf("%s: %s", who, list[0].Body)
		}
		receipt, _ := json.Marshal(submit.Receipt{Body: json.RawMessage(list[0].Body), Hash: list[0].Hash,
			KeyID: list[0].Key_id, Signature: list[0].Signature})
		if _, err := submit.Verify(receipt, keys); (err == nil) != (who == "mate") {
			t.Errorf("%s: %v", who, err)
		}
	}
}

// keys gives the keys that sign receipts.
func (w *world) keys() *submit.KeySet {
	w.Helper()
	set, err := submit.PublicKeys(w.Context(), w.db.Pool())
	if err != nil {
		w.Fatal(err)
	}
	return set
}

func TestEraseAPerson(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.busy()
		w.handedIn() // once more: every version is made anew
		w.made()
		e, err := privacy.Erase(w.Context(), w.db, w.id["student"], false)
		if err != nil || e.Documents != 2 || e.Portfolios != 1 {
			t.Fatalf("%v %+v", err, e)
		}
		w.do("student", "GET /api/projects", nil).status(401)
		name := fmt.Sprintf("erased-%d", w.id["student"])
		has(t, "the account", w.do("admin", "GET /api/users/{student}", nil).status(200).object(), map[string]any{
			"username": name, "email": name + "@erased.invalid", "first_name": "Erased", "student_id": nil,
			"disabled":  true,
			"last_name": fmt.Sprintf("Person %d", w.id["student"]), "receive_task_notifications": false})
		for _, table := range []string{"sessions", "webcals", "mails", "password_links"} {
			if n := w.count(table+" WHERE user_id = $1", w.id["student"]); n != 0 {
				t.Errorf("%d %s are left", n, table)
			}
		}
		if n := w.count(`submissions s JOIN jobs j ON j.id = s.job_id WHERE s.state = 'queued'
			AND j.state = 'available'`); n != 2 {
			t.Errorf("%d documents wait", n)
		}
		w.made()
		w.compiled()
		for _, path := range []string{itsVersion, portfolioPath} {
			text := pdfText(t, w.do("tutor", "GET "+path, nil).status(200).Body.Bytes())
			// What was said in comments stays as it was said.
			if strings.Contains(text, "Student Person (") || !strings.Contains(text, "Erased Person") {
				t.Errorf("%s names the person: %s", path, text)
			}
		}
		has(t, "the grade", w.do("tutor", "GET /api/projects/{project:student}", nil).status(200).object(),
			map[string]any{"grade": 70.0, "grade_rationale": "Quokka grounds"})
		w.checkAuditVerifies("erased")
		if n := w.count("receipts WHERE submission_id IS NOT NULL"); n < 2 {
			t.Errorf("%d receipts are left", n)
		}
		if _, err := privacy.Erase(w.Context(), w.db, w.id["admin"], false); !fault.Is(err, fault.Conflict) {
			t.Errorf("the last Admin: %v", err)
		}
	})
}

// checkAuditVerifies chains what waits, and looks for an action about student.
func (w *world) checkAuditVerifies(action string) {
	w.Helper()
	if _, err := audit.Relay(w.Context(), w.db); err != nil {
		w.Fatal(err)
	}
	v, err := audit.Verify(w.Context(), w.db, nil, nil, nil)
	if err != nil || !v.Sound() {
		w.Errorf("the audit log: %v %+v", err, v)
	}
	if n := w.count(`audit_entries WHERE kind = 'account' AND action = $2 AND user_id = $1`, w.id["student"],
		action); n != 1 {
		w.Errorf("%d entries say %s", n, action)
	}
}

func TestEraseAPersonWithFiles(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.busy()
		w.attachment("student", ownTask, "My picture", "b.png", pngFile+"mine").status(201)
		w.define("group_set_id = $1", w.id["set"])
		w.later(time.Minute)
		w.do("mate", "POST /api/projects/{project:mate}/task_def_id/{defA1}/submission",
			upload{files: []part{{"file0", "ours.py", "print('ours')\n"}}}).status(201)
		w.made()
		w.set(`UPDATE submissions SET state = 'queued' WHERE user_id = $1`, w.id["student"]) // as if still to be made
		e, err := privacy.Erase(w.Context(), w.db, w.id["student"], true)
		if err != nil || e.Documents != 1 || e.Portfolios != 0 {
			t.Fatalf("%v %+v", err, e)
		}
		w.later(100 * time.Hour)
		if _, err := blob.Sweep(w.Context(), w.db, w.api.files); err != nil {
			t.Fatal(err)
		}
		kept := w.rows(`SELECT name FROM submission_files ORDER BY name`)
		if got := strings.Join(kept, " "); got != "hello.py ours.py" { // other's, and the group's
			t.Errorf("kept %s", got)
		}
		// Of recordings and attachments, the tutor's are left.
		said := "'My picture (" + personaldata.Removed + ")'"
		for from, want := range map[string]int64{
			"jobs j JOIN submissions s ON s.job_id = j.id WHERE s.user_id = " + fmt.Sprint(w.id["student"]): 0,
			"portfolio_files": 0, "marked_copies": 0, "discussion_files WHERE number < 0": 0, "discussion_files": 1,
			"submissions WHERE state = 'failed' AND document_hash IS NULL AND reason = '" + personaldata.Removed + "'": 1,
			"task_comments WHERE attachment_hash IS NULL AND comment = " + said:                                        1,
			"task_comments WHERE attachment_hash IS NOT NULL":                                                          1,
		} {
			if got := w.count(from); got != want {
				t.Errorf("%d %s, want %d", got, from, want)
			}
		}
		w.do("tutor", "GET "+portfolioPath, nil).status(404)
		w.checkAuditVerifies("erased")
	})
}

// TestEraseATutor erases who is named on other people's documents, portfolios and
// emails: the documents and portfolios are made anew, and the emails that wait
// say the new name.
func TestEraseATutor(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.busy()
		for _, path := range []string{itsVersion, portfolioPath} {
			text := pdfText(t, w.do("tutor", "GET "+path, nil).status(200).Body.Bytes())
			if path == itsVersion && !strings.Contains(text, "Tutor Person") {
				t.Fatalf("the cover does not name the tutor: %s", text)
			}
		}
		w.set(`UPDATE users SET last_name = 'O''Person', email = 'tutor+x@example.edu' WHERE id = $1`, w.id["tutor"])
		w.do("tutor", "PUT "+submission, nil).status(200)
		w.made()
		w.set(`INSERT INTO mails (name, user_id, preference, reply_to, subject, body_text, body_html, created_at)
			VALUES ('m2', $1, 'task', 'tutor+x@example.edu', 'Tutor O''Person wrote', 'Tutor O''Person says hello to
			tutor+x@example.edu', '<b>Tutor O&#39;Person</b> tutor&#43;x@example.edu', $2)`, w.id["student"],
			clock.At(w.now))
		naming := w.count(`submissions WHERE tutor_id = $1`, w.id["tutor"])
		e, err := privacy.Erase(w.Context(), w.db, w.id["tutor"], false)
		if err != nil || naming == 0 || int64(e.Documents) != naming || e.Portfolios != 1 || e.Emails != 1 {
			t.Fatalf("%v %+v", err, e)
		}
		email := strings.Join(w.rows(`SELECT reply_to || '|' || subject || '|' || body_text || '|' || body_html AS v
			FROM mails WHERE name = 'm2'`), "")
		name := fmt.Sprintf("Erased Person %d", w.id["tutor"])
		if strings.Contains(email, "O'Person") || strings.Contains(email, "O&#39;Person") ||
			strings.Contains(email, "x@example") || strings.Count(email, name) != 3 {
			t.Errorf("the email says %s", email)
		}
		w.made()
		w.compiled()
		for _, path := range []string{itsVersion, portfolioPath} {
			text := pdfText(t, w.do("convenor", "GET "+path, nil).status(200).Body.Bytes())
			if strings.Contains(text, "O'Person") || path == itsVersion && !strings.Contains(text, name) {
				t.Errorf("%s names the tutor: %s", path, text)
			}
		}
	})
}

// TestEraseATutorOfOldDocuments does so for documents from before it was noted whom
// their covers name, and for one of a tutor who teaches the student no more.
func TestEraseATutorOfOldDocuments(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.handedIn()
		w.made()
		w.set(`UPDATE submissions SET tutor_id = NULL`)
		all := w.count("submissions")
		e, err := privacy.Erase(w.Context(), w.db, w.id["tutor"], false)
		if err != nil || all == 0 || int64(e.Documents) != all {
			t.Fatalf("%v %+v", err, e)
		}
		w.made()
		w.set(`DELETE FROM tutorial_enrolments`)
		w.set(`UPDATE submissions SET tutor_id = $1`, w.id["both"])
		if e, err = privacy.Erase(w.Context(), w.db, w.id["both"], false); err != nil ||
			int64(e.Documents) != all {
			t.Fatalf("%v %+v", err, e)
		}
	})
}
