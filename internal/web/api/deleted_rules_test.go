package api

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/usecase/privacy"
)

var _ = lists(
	listRow{route: "GET " + deletedPath, path: deletedOfA, who: "convenor", fill: func(w *world, from, to int) {
		for i := from; i < to; i++ {
			w.addDeletion()
		}
	}},
	listRow{route: "GET " + deletedFilePath, path: "/api/projects/{project:student}/deleted", who: "student",
		fill: func(w *world, from, to int) {
			for i := from; i < to; i++ {
				w.add("", "deleted_files", row{"deletion_id": w.addDeletion(), "project_id": w.id["project:student"],
					"kind": "submission", "task": "1.1P", "name": "a.txt", "hash": w.file("a")})
			}
		}},
)

// addDeletion puts something into the archive that holds nothing.
func (w *world) addDeletion() int64 {
	w.Helper()
	return w.add("deletion", "deletions", row{"unit_id": w.id["unitA"], "kind": "task_definition", "record_id": 4711,
		"name": "Quokkas", "user_id": w.id["convenor"], "students": 0, "at": clock.At(w.now)})
}

// A comment, a recording, a grade, points or more time stand in the way of
// deleting a group and its set as handed-in work does.
func TestEachKindOfWorkGuardsGroupsAndSets(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.set(`UPDATE task_definitions SET group_set_id = $1 WHERE id = $2`, w.id["set"], w.id["defA1"])
		refused := func(what string) {
			t.Helper()
			for _, path := range []string{red, setsOfA + "/{set}", defA + "/{defA1}"} {
				w.do("convenor", "DELETE "+path, nil).status(409).says(what)
			}
		}
		for what, r := range map[string]row{"grades: 1": {"grade": 2}, "extensions: 1": {"extensions": 1},
			"submissions: 1": {"submission_date": clock.At(w.now)}, "grades: 1, ": {"quality_pts": 0}} {
			w.task("mate", "defA1", r)
			refused(strings.TrimSuffix(what, ", "))
		}
		for what, kind := range map[string]string{"comments: 1": "text", "recordings: 1": "audio"} {
			w.task("mate", "defA1", nil)
			w.add("", "task_comments", row{"task_id": w.id["task:mate"], "unit_id": w.id["unitA"], "user_id": w.id["mate"],
				"recipient_id": w.id["tutor"], "type": kind, "comment": "", "created_at": clock.At(w.now)})
			refused(what)
		}
		w.task("mate", "defA1", nil)
		w.do("convenor", "DELETE "+red, nil).status(204)
		if n := w.count("deletions"); n != 0 {
			t.Errorf("%d empty things are kept", n)
		}
	})
}

// By force is for convenors and Admins; others are refused, and nothing is changed.
func TestForceIsForConvenors(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.fillWork()
		before := w.snapshot()
		for _, who := range []string{"tutor", "student", "both", "convenorB"} {
			w.do(who, "DELETE "+red+forced, nil).status(403)
			w.do(who, "DELETE "+setsOfA+"/{set}"+forced, nil).status(403)
			w.do(who, "DELETE "+defA+"/{defA1}"+forced, nil).status(403)
		}
		w.do("convenor", "DELETE "+red+"?force=maybe", nil).status(400)
		if after := w.snapshot(); len(after["tasks"]) != len(before["tasks"]) {
			t.Error("a refusal took work away")
		}
		w.do("admin", "DELETE "+red+forced, nil).status(204)
		w.deletion()
		w.do("admin", "POST "+deletedOfA+"/{deletion}/restore", nil).status(200)
		w.do("admin", "POST /api/units/{unitB}/deleted/{deletion}/restore", nil).status(404)
	})
}

// What changed meanwhile stands in the way of restoring, and the answer says what.
func TestRestoringIsRefusedWhereItDoesNotFit(t *testing.T) {
	restore := "POST " + deletedOfA + "/{deletion}/restore"
	t.Run("name", func(t *testing.T) {
		each(t, func(t *testing.T, w *world) {
			w.fillWork()
			w.do("convenor", "DELETE "+defA+"/{defA1}"+forced, nil).status(204)
			w.deletion()
			w.do("convenor", "POST "+defA, definitionWith("name", "Task 1.1P", "abbreviation", "X")).status(201)
			before := w.snapshot()
			w.do("convenor", restore, nil).status(409).says("1.1P", "now used by another task")
			if after := w.snapshot(); len(after["tasks"]) != len(before["tasks"]) {
				t.Error("half of it came back")
			}
			w.set(`DELETE FROM task_definitions WHERE abbreviation = 'X'`)
			w.do("convenor", restore, nil).status(200).has(`{"kind":"task_definition"}`)
		})
	})
	t.Run("group", func(t *testing.T) {
		each(t, func(t *testing.T, w *world) {
			w.fillWork()
			w.do("convenor", "DELETE "+red+forced, nil).status(204)
			w.deletion()
			w.group("Blue", "tutorialA")
			w.do("tutor", "POST "+groupsOfA+"/{Blue}/members/{project:mate}", nil).status(201)
			w.do("convenor", restore, nil).status(409).says("mate", "another")
			w.do("tutor", "DELETE "+groupsOfA+"/{Blue}/members/{project:mate}", nil).status(204)
			w.do("student", "POST /api/projects/{project:student}/task_def_id/{defA1}/comments",
				form{"comment": "Again"}).status(201)
			w.do("convenor", restore, nil).status(409).says("started the same tasks")
			w.set(`DELETE FROM tasks WHERE project_id = $1`, w.id["project:student"])
			w.do("convenor", restore, nil).status(200)
			if got := w.members("group"); got != "[student mate]" {
				t.Errorf("members are %s", got)
			}
			w.sound()
		})
	})
	t.Run("order", func(t *testing.T) {
		each(t, func(t *testing.T, w *world) {
			w.fillWork()
			before := w.snapshot()
			w.do("convenor", "DELETE "+defA+"/{defA1}"+forced, nil).status(204)
			w.deletion()
			w.id["definition"] = w.id["deletion"]
			w.now = w.now.Add(time.Second)
			w.do("convenor", "DELETE "+setsOfA+"/{set}", nil).status(204) // holds no work, yet is needed
			w.id["deletion"] = w.id["definition"]
			w.do("convenor", restore, nil).status(409).says("group set Teams", "first")
			w.id["set deletion"] = int64(w.do("convenor", "GET "+deletedOfA, nil).status(200).list()[0]["id"].(float64))
			w.do("convenor", "POST "+deletedOfA+"/{set deletion}/restore", nil).status(200)
			w.do("convenor", restore, nil).status(200)
			for table, rows := range w.snapshot() {
				if strings.Join(rows, "\n") != strings.Join(before[table], "\n") {
					t.Errorf("%s differs:\n%v\n%v", table, rows, before[table])
				}
			}
		})
	})
	t.Run("alone", func(t *testing.T) {
		each(t, func(t *testing.T, w *world) {
			w.fillWork()
			w.do("convenor", "DELETE "+setsOfA+"/{set}"+forced, nil).status(204)
			w.deletion()
			w.now = w.now.Add(time.Minute)
			w.task("both", "defA1", row{"submission_date": clock.At(w.now)})
			w.do("convenor", restore, nil).status(409).says("1.1P", "on their own")
		})
	})
}

// What was under way when it went is taken up again: documents are made, and
// tests that ran say that they were interrupted. What is gone meanwhile is left out.
func TestRestoringTakesUpWhatWasUnderWay(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.fillWork()
		w.set(`UPDATE submissions SET state = 'queued', document_hash = NULL WHERE id = $1`, w.id["handin:other"])
		w.set(`UPDATE assessments SET status = 'running'`)
		w.do("convenor", "DELETE "+defA+"/{defA1}"+forced, nil).status(204)
		w.deletion()
		w.set(`DELETE FROM learning_outcomes WHERE id = $1`, w.id["outcomeA"])
		w.set(`UPDATE task_definitions SET is_draft_summary = TRUE WHERE id = $1`, w.id["defA2"])
		w.set(`UPDATE deleted_rows SET record = replace(record, '"is_draft_summary":false', '"is_draft_summary":true')`)
		w.do("convenor", "POST "+deletedOfA+"/{deletion}/restore", nil).status(200)
		if n := w.count(`submissions s JOIN jobs j ON j.id = s.job_id WHERE s.id = $1 AND j.kind = 'document'`,
			w.id["handin:other"]); n != 1 {
			t.Error("nobody makes the document")
		}
		if n := w.count(`assessments WHERE status = 'failed' AND reason LIKE '%Ask for it again%'`); n != 1 {
			t.Error("the assessment is said to run")
		}
		if n := w.count(`task_definitions WHERE is_draft_summary`); n != 1 {
			t.Errorf("%d tasks are the draft of the summary", n)
		}
	})
}

// What was deleted is part of what a person is given, and goes with their files.
func TestDeletedWorkOfAPerson(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.fillWork()
		w.do("convenor", "DELETE "+defA+"/{defA1}"+forced, nil).status(204)
		w.deletion()
		var b bytes.Buffer
		e := &privacy.Exporter{DB: w.db, Files: w.api.files}
		if _, err := e.Export(t.Context(), w.id["other"], &b); err != nil {
			t.Fatal(err)
		}
		texts := unzip(t, b.Bytes())
		if s := texts["deleted_rows.json"]; !strings.Contains(s, `\"user_id\":\"you\"`) ||
			strings.Contains(s, `\"user_id\":`+w.path("{tutor}")) {
			t.Errorf("the rows say %s", s)
		}
		found := false
		for name, text := range texts {
			found = found || strings.HasPrefix(name, "files/deleted_files/") && text == "words of other"
		}
		if !found {
			t.Error("the file is not in the export")
		}
		if _, err := privacy.Erase(t.Context(), w.db, w.id["other"], true); err != nil {
			t.Fatal(err)
		}
		if n := w.count(`deleted_files WHERE project_id = $1`, w.id["project:other"]); n != 0 {
			t.Errorf("%d files are kept", n)
		}
		w.do("convenor", "POST "+deletedOfA+"/{deletion}/restore", nil).status(200)
		if n := w.count(`submissions WHERE user_id = $1`, w.id["other"]); n != 0 {
			t.Errorf("%d submissions of the erased came back", n)
		}
		if n := w.count(`submissions`); n != 1 {
			t.Errorf("%d submissions came back", n)
		}
		w.sound()
	})
}
