package api

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lectern/internal/ground/clock"
	"lectern/internal/people/ident"
	"lectern/internal/platform/blob"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/teaching/stats"
	"lectern/internal/teaching/trash"
	"lectern/internal/teaching/work"
)

const (
	deletedOfA = "/api/units/{unitA}/deleted"
	forced     = "?force=true"
)

var _ = rights(
	rightRow{"GET " + deletedPath, deletedOfA, convenorsA, nil},
	rightRow{"POST " + deletedPath + "/{id}/restore", deletedOfA + "/4711/restore", convenorsA, nil},
	rightRow{"GET " + deletedFilePath, "/api/projects/{project:student}/deleted", "student " + staffA, nil},
	rightRow{"GET " + deletedFilePath + "/{file_id}", "/api/projects/{project:student}/deleted/4711",
		"student " + staffA, nil},
)

// put writes a record that has no id.
func (w *world) put(table string, r row) {
	w.Helper()
	cols := sortedKeys(r)
	args := make([]any, len(cols))
	for i, c := range cols {
		args[i] = r[c]
	}
	list, args := db.List(nil, args)
	w.set("INSERT INTO "+table+" ("+strings.Join(cols, ", ")+") VALUES "+list, args...)
}

// file stores a text and keeps it.
func (w *world) file(text string) string {
	w.Helper()
	info, err := w.api.files.Put(w.Context(), strings.NewReader(text))
	if err != nil {
		w.Fatal(err)
	}
	keep := func(q db.Q) error { return blob.Keep(w.Context(), q, w.api.files, info) }
	if err := w.db.Tx(w.Context(), keep); err != nil {
		w.Fatal(err)
	}
	return string(info.Hash)
}

// fillWork lets student and mate hand in the first task as a group, and other the
// same task alone, with something in every table that hangs on it.
func (w *world) fillWork() {
	w.Helper()
	at := clock.At(w.now.Add(-time.Hour))
	w.set(`UPDATE task_definitions SET group_set_id = $1, sheet_hash = $2 WHERE id = $3`, w.id["set"],
		w.file("the sheet"), w.id["defA1"])
	w.add("gs", "group_submissions", row{"unit_group_id": w.id["group"], "task_definition_id": w.id["defA1"],
		"submitted_by_project_id": w.id["project:student"], "created_at": at})
	for _, name := range []string{"student", "mate", "other"} {
		r := row{"submission_date": at, "status": "ready_for_feedback", "grade": 2, "quality_pts": 1, "extensions": 1}
		if name != "other" {
			r["group_submission_id"] = w.id["gs"]
		}
		w.task(name, "defA1", r)
	}
	w.sendIn("student", at, "mate")
	w.sendIn("other", at)
	w.speak(at)
	w.compare(at)
	w.assess(at)
	w.sampledIn("unitA", w.id["task:student"], 4801, row{"second_by": w.id["convenor"], "second_at": at,
		"second_status": "redo", "second_levels": "[]", "second_comment": "Too weak", "agreed": false})
	w.add("", "learning_outcome_links", row{"task_definition_id": w.id["defA1"], "learning_outcome_id": w.id["outcomeA"],
		"rating": 3, "description": "It serves"})
	w.add("", "learning_outcome_links", row{"task_definition_id": w.id["defA1"], "learning_outcome_id": w.id["outcomeA"],
		"task_id": w.id["task:student"], "rating": 4, "description": "I learnt"})
	recompute := func(q db.Q) error { return stats.Recompute(w.Context(), q, w.id["unitA"]) }
	if err := w.db.Tx(w.Context(), recompute); err != nil {
		w.Fatal(err)
	}
}

// sendIn makes a submission of somebody, for group members too, with a file, a document, a
// marked copy and a receipt.
func (w *world) sendIn(name string, at clock.Time, members ...string) {
	w.Helper()
	s := w.add("handin:"+name, "submissions", row{"unit_id": w.id["unitA"], "task_id": w.id["task:"+name],
		"user_id": w.id[name], "at": at, "state": "ready", "parts_done": 1, "parts": 1,
		"document_hash": w.file("document of " + name), "document_size": 10, "pages": 1, "document_at": at})
	for _, x := range append(members, name) {
		w.put("submission_tasks", row{"task_id": w.id["task:"+x], "at": at, "submission_id": s, "pct": 50, "pts": 3})
	}
	w.put("submission_files", row{"submission_id": s, "position": 0, "key": "file0", "title": "Essay", "kind": "code",
		"name": name + ".txt", "hash": w.file("words of " + name), "size": 8})
	w.put("marked_copies", row{"submission_id": s, "hash": w.file("marked copy of " + name), "size": 9,
		"user_id": w.id["tutor"], "at": at})
	w.put("marks_taken", row{"task_id": w.id["task:"+name], "digest": "d", "user_id": w.id["tutor"], "at": at})
	w.put("idempotency_keys", row{"user_id": w.id[name], "project_id": w.id["project:"+name],
		"task_definition_id": w.id["defA1"], "key": "k", "request_hash": "h", "answer": "{}", "created_at": at})
	w.put("task_history", row{"task_id": w.id["task:"+name], "at": at, "actor_id": w.id[name],
		"from_status": "not_started", "to_status": "ready_for_feedback", "submitted_at": at})
	if w.count("signing_keys") == 0 {
		w.put("signing_keys", row{"id": "key", "public_key": "p", "current": true, "created_at": at})
	}
	w.put("receipts", row{"unit_id": w.id["unitA"], "sequence": w.count("receipts") + 1, "submission_id": s,
		"body": "{}", "hash": "h", "signature": "s", "key_id": "key"})
}

// speak puts a conversation with a recording on the task of student.
func (w *world) speak(at clock.Time) {
	w.Helper()
	say := func(name string, more row) int64 {
		r := row{"task_id": w.id["task:student"], "unit_id": w.id["unitA"], "user_id": w.id["student"],
			"recipient_id": w.id["tutor"], "type": "text", "comment": "Quokka words", "created_at": at}
		maps.Copy(r, more)
		return w.add(name, "task_comments", r)
	}
	first := say("said", row{"attachment_hash": w.file("attached"), "attachment_type": "image/png",
		"attachment_size": 8, "type": "image"})
	say("", row{"reply_to_id": first, "user_id": w.id["tutor"], "recipient_id": w.id["student"], "staff_read_at": at})
	say("", row{"type": "extension", "extension_weeks": 1, "extension_granted": true, "extension_assessed_at": at,
		"assessor_id": w.id["tutor"], "staff_read_at": at})
	talk := say("talk", row{"type": "discussion", "number_of_prompts": 1, "staff_read_at": at})
	w.put("discussion_files", row{"task_comment_id": talk, "number": 0, "hash": w.file("recorded"),
		"content_type": "audio/wav", "size": 8})
	w.put("comment_reads", row{"task_comment_id": first, "user_id": w.id["both"], "read_at": at})
	w.put("comment_places", row{"task_comment_id": first, "submission_id": w.id["handin:student"], "submitted_at": at,
		"version": 1, "lead": "a.c, line 2: ", "position": 0, "name": "a.c", "line": 2, "end_line": 3,
		"done_at": at, "done_by": w.id["student"]})
	w.put("task_pins", row{"task_id": w.id["task:student"], "user_id": w.id["tutor"]})
	w.put("news_seen", row{"task_id": w.id["task:student"], "user_id": w.id["both"], "comments": 1})
	w.set(`UPDATE tasks SET new_to_staff = 1, new_to_student = 4 WHERE id = $1`, w.id["task:student"])
}

// compare finds the work of other like that of student.
func (w *world) compare(at clock.Time) {
	w.Helper()
	for _, name := range []string{"student", "other"} {
		w.put("similarity_prints", row{"submission_id": w.id["handin:"+name], "part": "code", "class_id": w.id["defA1"],
			"digest": "d", "packed": []byte{0, 1, 255}, "at": at})
	}
	w.add("pair", "similarity_pairs", row{"class_id": w.id["defA1"], "part": "code", "left_id": w.id["handin:student"],
		"right_id": w.id["handin:other"], "pct": 61, "score": 80, "left_words": "l", "right_words": "r", "passages": "[]",
		"created_at": at})
	for _, name := range []string{"student", "other"} {
		w.add("", "task_similarities", row{"type": "LecternTaskSimilarity", "project_id": w.id["project:"+name],
			"task_id": w.id["task:"+name], "submission_id": w.id["handin:"+name], "part": "code", "pair_id": w.id["pair"],
			"flagged": true, "decided_by": w.id["tutor"], "decided_at": at, "created_at": at})
	}
}

// assess runs tests over the work of student, tries them out and previews them.
func (w *world) assess(at clock.Time) {
	w.Helper()
	dates := row{"created_at": at, "updated_at": at, "status": "done"}
	with := func(r row) row { maps.Copy(r, dates); return r }
	a := w.add("", "assessments", with(row{"submission_id": w.id["handin:student"], "result_status": "complete",
		"report_hash": w.file("report")}))
	w.set(`UPDATE task_comments SET assessment_id = $1 WHERE id = $2`, a, w.id["said"])
	of := row{"task_definition_id": w.id["defA1"], "user_id": w.id["convenor"]}
	trial := with(maps.Clone(of))
	trial["report_hash"] = w.file("trial")
	id := w.add("", "assessment_trials", trial)
	w.put("assessment_trial_files", row{"trial_id": id, "position": 0, "title": "Essay", "hash": w.file("tried"),
		"size": 5})
	id = w.add("", "assessment_previews", with(maps.Clone(of)))
	w.put("assessment_preview_rows", row{"preview_id": id, "submission_id": w.id["handin:student"], "done": true})
}

// passing are tables that tell what happened, or hold what is to be done.
var passing = []string{"events", "audit_outbox", "audit_entries", "audit_checkpoints", "mails", "jobs", "job_units",
	"deletions", "deleted_rows", "deleted_files", "goose_db_version", "sessions", "sqlite_sequence", "event_cursors",
	"installation", "unit_changes", "schema_programs"}

// snapshot gives every row of every table that holds records, by table.
func (w *world) snapshot() map[string][]string {
	w.Helper()
	text := `SELECT name FROM sqlite_master WHERE type = 'table'`
	if w.db.Postgres() {
		text = `SELECT CAST(tablename AS TEXT) AS name FROM pg_tables WHERE schemaname = current_schema()`
	}
	names, err := db.All[string](w.Context(), w.db.Pool(), text)
	if err != nil {
		w.Fatal(err)
	}
	out := map[string][]string{}
	for _, name := range names {
		if slices.Contains(passing, name) {
			continue
		}
		for r, err := range db.Records(w.Context(), w.db.Pool(), `SELECT * FROM `+name) {
			if err != nil {
				w.Fatal(err)
			}
			values := map[string]any{}
			for i, c := range r.Columns {
				if name != "units" || c != "updated_at" {
					values[c] = r.Values[i]
				}
				if b, ok := r.Values[i].([]byte); ok {
					values[c] = base64.StdEncoding.EncodeToString(b)
				}
			}
			text, err := json.Marshal(values)
			if err != nil {
				w.Fatal(err)
			}
			out[name] = append(out[name], string(text))
		}
		slices.Sort(out[name])
	}
	return out
}

// sound fails where a counter that writers keep does not agree with the rows.
func (w *world) sound() {
	w.Helper()
	if err := stats.Check(w.Context(), w.db); err != nil {
		w.Error(err)
	}
	if err := work.CheckNews(w.Context(), w.db); err != nil {
		w.Error(err)
	}
}

// deletion gives the one thing that was deleted.
func (w *world) deletion() map[string]any {
	w.Helper()
	list := w.do("convenor", "GET "+deletedOfA, nil).status(200).list()
	if len(list) != 1 {
		w.Fatalf("%d things were deleted", len(list))
	}
	w.id["deletion"] = int64(list[0]["id"].(float64))
	return list[0]
}

// Whatever is deleted by force comes back as it was, to the last row of every
// table, and while it is gone nothing of it is left behind or counted.
func TestDeletedByForceAndRestoredAsItWas(t *testing.T) {
	things := map[string]string{"task_definition": defA + "/{defA1}", "group_set": setsOfA + "/{set}", "group": red}
	for kind, path := range things {
		t.Run(kind, func(t *testing.T) {
			each(t, func(t *testing.T, w *world) {
				w.fillWork()
				before := w.snapshot()
				w.do("convenor", "DELETE "+path, nil).status(409).says("submissions", "comments", "grades", "force=true")
				if diff := cmp.Diff(before, w.snapshot()); diff != "" {
					t.Fatalf("a refusal changed\n%s", diff)
				}
				w.do("convenor", "DELETE "+path+forced, nil).status(204)
				w.do("convenor", "GET "+path, nil).status(404)
				w.do("student", "GET /api/projects/{project:student}/task_def_id/{defA1}/submission", nil).status(404)
				w.do("convenor", "DELETE "+path+forced, nil).status(404)
				w.sound()
				gone := w.snapshot()
				w.everyRowIsKept(before, gone, kind == "task_definition")
				if got := w.deletion(); got["kind"] != kind || got["deleted_by_id"] != float64(w.id["convenor"]) {
					t.Errorf("the list says %v", got)
				}
				w.do("convenor", "POST "+deletedOfA+"/{deletion}/restore", nil).status(200)
				if diff := cmp.Diff(before, w.snapshot()); diff != "" {
					t.Errorf("restored, these differ\n%s", diff)
				}
				w.sound()
				for _, table := range []string{"deletions", "deleted_rows", "deleted_files"} {
					if n := w.count(table); n != 0 {
						t.Errorf("%d rows of %s are left", n, table)
					}
				}
				w.do("convenor", "POST "+deletedOfA+"/{deletion}/restore", nil).status(404)
			})
		})
	}
}

// everyRowIsKept compares the rows that went with those in the archive; with a
// definition some of every table must have gone.
func (w *world) everyRowIsKept(before, gone map[string][]string, all bool) {
	w.Helper()
	lost := 0
	for table, rows := range before {
		if n := len(rows) - len(gone[table]); n != 0 {
			kept := w.count(`deleted_rows WHERE table_name = $1`, table)
			if kept != int64(n) {
				w.Errorf("of %s %d rows went and %d are kept", table, n, kept)
			}
			lost++
		}
	}
	if all && lost < 23 {
		w.Errorf("rows went from %d tables only", lost)
	}
}

// The students hear of it by an event and by an email, and keep their own files.
func TestStudentsAreToldAndKeepTheirFiles(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.fillWork()
		w.set(`UPDATE users SET receive_task_notifications = FALSE WHERE id = $1`, w.id["mate"])
		w.do("convenor", "DELETE "+defA+"/{defA1}"+forced, nil).status(204)
		if n := w.count(`events WHERE kind = 'deletion' AND user_id IN ($1, $2, $3) AND body LIKE '%1.1P%'`,
			w.id["student"], w.id["mate"], w.id["other"]); n != 3 {
			t.Errorf("%d students heard of it", n)
		}
		if n := w.count(`mails WHERE subject LIKE '%1.1P%' AND body_text LIKE $1`,
			fmt.Sprintf("%%/projects/%d/deleted%%", w.id["project:mate"])); n != 1 {
			t.Errorf("%d emails", n)
		}
		for who, want := range map[string]string{
			"student": "attachment recording document marked_copy submission:student.txt",
			"mate":    "document marked_copy submission:student.txt", "other": "document marked_copy submission:other.txt"} {
			var got []string
			for _, f := range w.do(who, "GET /api/projects/{project:"+who+"}/deleted", nil).status(200).list() {
				word := f["kind"].(string)
				if word == "submission" {
					word += ":" + f["name"].(string)
				}
				got = append(got, word)
				w.id["file"], w.id["file:"+who] = int64(f["id"].(float64)), int64(f["id"].(float64))
				a := w.do(who, "GET /api/projects/{project:"+who+"}/deleted/{file}", nil).status(200)
				if word == "submission:student.txt" && a.Body.String() != "words of student" {
					t.Errorf("%s gets %q", who, a.Body)
				}
				if !strings.HasPrefix(a.Header().Get("Content-Disposition"), "attachment") {
					t.Errorf("%s may be shown: %v", word, a.Header())
				}
			}
			slices.Sort(got)
			wanted := strings.Fields(want)
			slices.Sort(wanted)
			if !slices.Equal(got, wanted) {
				t.Errorf("%s has %v, want %v", who, got, wanted)
			}
		}
		w.do("other", "GET /api/projects/{project:other}/deleted/4711", nil).status(404)
		w.do("student", "GET /api/projects/{project:student}/deleted/{file:other}", nil).status(404)
	})
}

// After thirty days it is gone, and its files leave the store; until then the
// sweep leaves them alone.
func TestDeletedWorkExpiresAfterThirtyDays(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.fillWork()
		hash := files.Hash(w.file("words of other"))
		w.do("convenor", "DELETE "+defA+"/{defA1}"+forced, nil).status(204)
		w.deletion()
		tidy := func(later time.Duration) {
			t.Helper()
			w.now = w.now.Add(later)
			if err := w.db.Tx(t.Context(), func(q db.Q) error {
				_, err := trash.Prune(t.Context(), q)
				return err
			}); err != nil {
				t.Fatal(err)
			}
			w.set(`UPDATE blobs SET touched_at = $1`, clock.At(w.now.Add(-48*time.Hour)))
			if _, err := blob.Sweep(t.Context(), w.db, w.api.files); err != nil {
				t.Fatal(err)
			}
		}
		tidy(30*24*time.Hour - time.Minute)
		if _, err := w.api.files.Stat(t.Context(), hash); err != nil {
			t.Errorf("after a month but a minute: %v", err)
		}
		w.newSession("convenor")
		w.deletion()
		w.now = w.now.Add(time.Minute)
		if list := w.do("convenor", "GET "+deletedOfA, nil).status(200).list(); len(list) != 0 {
			t.Errorf("before the nightly job, %v are left", list)
		}
		w.do("convenor", "POST "+deletedOfA+"/{deletion}/restore", nil).status(404)
		tidy(time.Minute)
		if _, err := w.api.files.Stat(t.Context(), hash); err == nil {
			t.Error("the file is still in the store")
		}
		if n := w.count("deleted_rows"); n != 0 {
			t.Errorf("%d rows are left", n)
		}
	})
}

// newSession signs somebody in again.
func (w *world) newSession(name string) {
	w.Helper()
	if err := w.db.Tx(w.Context(), func(q db.Q) (err error) {
		w.tokens[name], err = ident.Start(w.Context(), q, &ident.User{ID: w.id[name], Role: people[name]}, true)
		return err
	}); err != nil {
		w.Fatal(err)
	}
}
