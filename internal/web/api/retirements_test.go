package api

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
	"lectern/internal/teaching/trash"
	"lectern/internal/usecase"
)

const retirementsOfA = "/api/units/{unitA}/retirements"

var _ = rights(
	rightRow{"GET " + retirementsPath, retirementsOfA, convenorsA, nil},
	rightRow{"GET " + retirementsPath + "/plan", retirementsOfA + "/plan", convenorsA, nil},
	rightRow{"POST " + retirementsPath, retirementsOfA, convenorsA, `{"plan":"keep","confirm":"x"}`},
	rightRow{"POST " + retirementsPath + "/{id}/undo", retirementsOfA + "/4711/undo", convenorsA, nil},
)

var _ = lists(listRow{route: "GET " + retirementsPath, path: retirementsOfA, who: "convenor",
	fill: fill("retirements", func(w *world, _ int) row {
		return row{"unit_id": w.id["unitA"], "plan": "keep", "state": "done", "user_id": w.id["convenor"], "students": 0,
			"submissions": 0, "comments": 0, "files": 0, "bytes": 0, "portfolios": 0, "at": w.db.Now(), "ended_at": w.db.Now()}
	})})

// over lets unit A have ended three years ago.
func (w *world) over() {
	w.Helper()
	w.set(`UPDATE units SET teaching_period_id = NULL, start_date = $1, end_date = $2 WHERE id = $3`,
		clock.Day(w.now.AddDate(-3, -4, 0)), clock.Day(w.now.AddDate(-3, 0, 0)), w.id["unitA"])
}

// portfolioMade gives student a portfolio, made of a file.
func (w *world) portfolioMade() {
	w.Helper()
	w.set(`UPDATE projects SET portfolio_hash = $1, portfolio_produced_at = $2 WHERE id = $3`, w.file("the portfolio"),
		w.db.Now(), w.id["project:student"])
	w.put("portfolio_files", row{"project_id": w.id["project:student"], "idx": 0, "kind": "document", "name": "summary.pdf",
		"hash": w.file("the summary"), "size": 11, "created_at": w.db.Now()})
}

// carriesOut does what the jobs of retirements would.
func (w *world) carriesOut() {
	w.Helper()
	if err := w.api.usecases.CarryOutRetirement(w.Context(), jobs.Job{}, usecase.RetirementArgs{UnitID: w.id["unitA"],
		ID: w.number(`SELECT max(id) FROM retirements`)}); err != nil {
		w.Fatal(err)
	}
}

// The work of a unit of three years ago goes, a task at a time, and grades, statuses and history stay; the students
// are told once and keep their files. Within 30 days all of it comes back as it was.
func TestAUnitOfThreeYearsAgoIsRetired(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.fillWork()
		w.over()
		w.portfolioMade()
		before := w.snapshot()
		plan := w.do("convenor", "GET "+retirementsOfA+"/plan", nil).status(200).object()
		if plan["submissions"] != 2.0 || plan["students"] != 3.0 || plan["files"] != 2.0 || plan["bytes"] != 16.0 ||
			plan["portfolios"] != 1.0 {
			t.Errorf("the plan counts %v", plan)
		}
		body := map[string]any{"plan": "delete_work", "confirm": "SIT10A", "submissions": plan["submissions"],
			"comments": plan["comments"], "portfolios": plan["portfolios"]}
		w.do("convenor", "POST "+retirementsOfA, body).status(201).has(`{"state":"running"}`)
		w.do("convenor", "POST "+retirementsOfA, body).status(409).says("being carried out")
		w.carriesOut()
		w.sound()
		gone := w.snapshot()
		for _, table := range []string{"submissions", "submission_files", "submission_tasks", "task_comments",
			"discussion_files", "marked_copies", "portfolio_files", "similarity_prints", "task_similarities", "assessments"} {
			if len(gone[table]) != 0 {
				t.Errorf("%d rows of %s are left", len(gone[table]), table)
			}
		}
		for _, table := range []string{"task_history", "task_definitions", "reviews"} {
			if diff := cmp.Diff(before[table], gone[table]); diff != "" {
				t.Errorf("%s changed\n%s", table, diff)
			}
		}
		if n := w.count(`tasks WHERE grade = 2 AND quality_pts = 1 AND status = 'ready_for_feedback'`); n != 3 {
			t.Errorf("%d of 3 tasks keep their grade", n)
		}
		if n := w.count(`events WHERE kind = 'deletion'`); n != 3 {
			t.Errorf("%d students heard of it", n)
		}
		if files := w.do("mate", "GET /api/projects/{project:mate}/deleted", nil).status(200).list(); len(files) != 3 ||
			files[0]["task"] != "1.1P" {
			t.Errorf("the files of a member are %v", files)
		}
		list := w.do("convenor", "GET "+deletedOfA, nil).status(200).list()
		if len(list) != 2 || list[0]["kind"] != "task_work" || list[1]["kind"] != "portfolios" {
			t.Errorf("what was deleted is %v", list)
		}
		w.id["retirement"] = w.number(`SELECT max(id) FROM retirements`)
		w.do("convenor", "POST "+retirementsOfA+"/{retirement}/undo", nil).status(200).has(`{"state":"undoing"}`)
		w.carriesOut()
		after := w.snapshot()
		delete(after, "retirements")
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("brought back, these differ\n%s", diff)
		}
		w.sound()
		w.do("convenor", "POST "+retirementsOfA+"/{retirement}/undo", nil).status(409)
		w.isRecorded("retired_delete_work", 1)
		w.isRecorded("retirement_undone", 1)
	})
}

// A unit that is taught keeps its work, and so does one whose code was not typed, or whose plan is another by now.
func TestRetirementsAreGuarded(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.fillWork()
		retire := func(more map[string]any) *answered {
			t.Helper()
			body := map[string]any{"plan": "delete_work", "confirm": "SIT10A", "submissions": 2,
				"comments": w.count("task_comments")}
			for k, v := range more {
				body[k] = v
			}
			return w.do("convenor", "POST "+retirementsOfA, body)
		}
		retire(nil).status(409).says("runs until")
		w.over()
		retire(map[string]any{"confirm": "SIT10B"}).status(422).says("code of the unit")
		retire(map[string]any{"plan": "odd"}).status(400, 422)
		retire(map[string]any{"submissions": 1}).status(409).says("Look at the plan again")
		retire(map[string]any{"plan": "keep"}).status(201).has(`{"state":"done"}`)
		if n := w.count("submissions"); n != 2 {
			t.Errorf("%d submissions are left", n)
		}
		w.id["retirement"] = w.number(`SELECT max(id) FROM retirements`)
		w.do("convenor", "POST "+retirementsOfA+"/{retirement}/undo", nil).status(409)
		retire(nil).status(201)
		w.carriesOut()
		retire(map[string]any{"submissions": 0, "comments": 0}).status(409).says("no work")
		w.id["retirement"] = w.number(`SELECT max(id) FROM retirements`)
		w.now = w.now.AddDate(0, 0, 31)
		w.signInAgain("convenor")
		w.do("convenor", "POST "+retirementsOfA+"/{retirement}/undo", nil).status(409).says("within 30 days")
	})
}

// Anonymised, the work of a unit is there under numbers, the same for a person throughout: who it was is neither told
// with it nor found in it, while statuses, grades and history stay with the students. Within 30 days it is undone to
// the last row; after them nobody knows who it was.
func TestAUnitIsAnonymised(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.fillWork()
		w.over()
		w.portfolioMade()
		w.set(`UPDATE comment_places SET lead = 'student.txt, line 2: ', name = 'student.txt'`)
		w.set(`UPDATE task_comments SET comment = $1 WHERE id = $2`,
			"student.txt, line 2: Well done, Student Person (s100)! Students do.", w.id["said"])
		w.set(`UPDATE users SET student_id = 's100' WHERE id = $1`, w.id["student"])
		w.add("", "task_comments", row{"task_id": w.id["task:student"], "unit_id": w.id["unitA"], "user_id": w.id["tutor"],
			"recipient_id": w.id["student"], "type": "status", "status": "complete", "comment": "", "created_at": w.db.Now(),
			"staff_read_at": w.db.Now()})
		before := w.snapshot()
		numbers := w.numbers()
		w.retires("anonymise")
		w.sound()
		w.isAnonymous(before)
		w.hasOtherNumbers(numbers)
		w.none("convenor", "GET "+deletedOfA)
		w.do("convenor", "POST "+deletedOfA+"/"+w.text(`SELECT CAST(max(id) AS TEXT) FROM deletions`)+"/restore", nil).
			status(409).says("as a whole")
		w.do("convenor", "POST "+retirementsOfA, map[string]any{"plan": "delete_work", "confirm": "SIT10A",
			"submissions": 2}).status(409).says("Undo it first")
		w.do("convenor", "POST "+retirementsOfA+"/{retirement}/undo", nil).status(200).has(`{"state":"undoing"}`)
		w.carriesOut()
		w.sound()
		after := w.snapshot()
		delete(after, "retirements")
		if n := len(after["users"]) - len(before["users"]); n != int(w.count(`projects WHERE unit_id = $1`, w.id["unitA"])) {
			t.Errorf("%d pseudonyms were made", n)
		}
		delete(after, "users")
		delete(before, "users")
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("brought back, these differ\n%s", diff)
		}
		w.isRecorded("retired_anonymise", 1)
	})
}

// retires carries a plan out for unit A.
func (w *world) retires(plan string) {
	w.Helper()
	w.decides(plan)
	w.carriesOut()
}

// decides asks for a plan without carrying it out.
func (w *world) decides(plan string) {
	w.Helper()
	p := w.do("convenor", "GET "+retirementsOfA+"/plan", nil).status(200).object()
	w.do("convenor", "POST "+retirementsOfA, map[string]any{"plan": plan, "confirm": "SIT10A",
		"submissions": p["submissions"], "comments": p["comments"], "portfolios": p["portfolios"]}).status(201)
	w.id["retirement"] = w.number(`SELECT max(id) FROM retirements`)
}

// isAnonymous looks at the work of unit A as whoever may see all of it.
func (w *world) isAnonymous(before map[string][]string) {
	w.Helper()
	now := w.snapshot()
	for table, n := range map[string]int{"submissions": 2, "submission_tasks": 3, "submission_files": 2, "task_comments": 4,
		"similarity_pairs": 1, "task_similarities": 2, "similarity_prints": 2, "assessments": 1, "marked_copies": 0,
		"discussion_files": 0, "portfolio_files": 0, "comment_places": 1, "comment_reads": 0} {
		if len(now[table]) != n {
			w.Errorf("%d rows of %s, want %d", len(now[table]), table, n)
		}
		for _, text := range now[table] {
			for _, name := range []string{"Student Person", "s100", "student.txt", "other.txt", "mate.txt"} {
				if strings.Contains(text, name) {
					w.Errorf("%s has %s in %s", table, name, text)
				}
			}
		}
	}
	for _, table := range []string{"task_history", "reviews", "learning_outcome_links", "marks_taken", "moderation_works"} {
		if diff := cmp.Diff(before[table], now[table]); diff != "" {
			w.Errorf("%s changed\n%s", table, diff)
		}
	}
	if n := w.count(`tasks WHERE grade = 2 AND quality_pts = 1 AND status = 'ready_for_feedback'`); n != 3 {
		w.Errorf("%d of 3 tasks keep their grade", n)
	}
	of := func(name string) []string {
		list, err := db.All[string](w.Context(), w.db.Pool(), `SELECT u.first_name || ' ' || u.last_name FROM submission_tasks l
			JOIN tasks t ON t.id = l.task_id JOIN projects p ON p.id = t.project_id JOIN users u ON u.id = p.user_id
			JOIN submission_files f ON f.submission_id = l.submission_id WHERE f.hash = $1 ORDER BY 1`,
			w.file("words of "+name))
		if err != nil {
			w.Fatal(err)
		}
		return list
	}
	if two, one := of("student"), of("other"); len(two) != 2 || len(one) != 1 || slices.Contains(two, one[0]) {
		w.Errorf("a group's work is that of %v, another's that of %v", two, one)
	}
	said := w.text(`SELECT c.comment FROM task_comments c JOIN comment_places p ON p.task_comment_id = c.id AND p.done_by = c.user_id
		JOIN submissions s ON s.id = p.submission_id AND s.at = p.submitted_at
		WHERE p.lead = 'file0.txt, line 2: ' AND p.name = 'file0.txt'`)
	if ok, _ := regexp.MatchString(`^file0.txt, line 2: Well done, Student \d+ \(Student \d+\)! Students do\.$`, said); !ok {
		w.Errorf("the comment is %q", said)
	}
	if n := w.count(`submissions WHERE state = 'queued' AND document_hash IS NULL AND job_id IS NOT NULL`); n != 2 {
		w.Errorf("%d of 2 documents are made anew", n)
	}
	if n := w.count(`receipts WHERE submission_id IS NOT NULL`); n != 0 {
		w.Errorf("%d receipts lead to anonymous work", n)
	}
	w.none("student", "GET /api/projects/{project:student}/task_def_id/{defA1}/comments")
	if files := w.do("student", "GET /api/projects/{project:student}/deleted", nil).status(200).list(); len(files) != 7 {
		w.Errorf("student can fetch %d files: %v", len(files), files)
	}
}

// numbers are those of what is shown by its number, by table.
func (w *world) numbers() map[string][]int64 {
	w.Helper()
	out := map[string][]int64{}
	for _, table := range []string{"task_comments", "task_similarities", "assessments"} {
		ids, err := db.All[int64](w.Context(), w.db.Pool(), `SELECT id FROM `+table+` ORDER BY id`)
		if err != nil {
			w.Fatal(err)
		}
		out[table] = ids
	}
	return out
}

// hasOtherNumbers looks whether what is anonymous can be found by a number that the audit log has beside a name, or in
// the order in which it was made; what refers to another still does.
func (w *world) hasOtherNumbers(before map[string][]int64) {
	w.Helper()
	for table, ids := range w.numbers() {
		for _, id := range ids {
			if slices.Contains(before[table], id) {
				w.Errorf("%d of %s has the number it had", id, table)
			}
		}
	}
	for what, n := range map[string]int64{
		`task_comments c JOIN task_comments a ON a.id = c.reply_to_id AND a.task_id = c.task_id`: 1,
		`task_comments c JOIN assessments a ON a.id = c.assessment_id
			JOIN submissions s ON s.id = a.submission_id AND s.task_id = c.task_id`: 1,
		`task_similarities x JOIN submissions s ON s.id = x.submission_id AND s.task_id = x.task_id`: 2,
		`task_comments c JOIN task_comments a ON a.task_id > c.task_id AND a.id < c.id`:              0,
	} {
		if got := w.count(what); got != n {
			w.Errorf("%d of %s, want %d", got, what, n)
		}
	}
	noon := clock.At(clock.Day(w.now).Add(12 * time.Hour)) // a day, in nearly every time zone
	if n := w.count(`task_similarities WHERE created_at <> $1 OR decided_at <> $1`, noon); n != 0 {
		w.Errorf("%d similarities tell the moment", n)
	}
	if n := w.count(`similarity_pairs WHERE created_at <> $1`, noon); n != 0 {
		w.Errorf("%d pairs tell the moment", n)
	}
}

// After 30 days nothing tells any more who has which number.
func TestWhoHasWhichNumberIsForgotten(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.fillWork()
		w.over()
		w.retires("anonymise")
		w.now = w.now.Add(trash.Lasts)
		w.prunes()
		if n := w.count("deleted_rows") + w.count("deleted_files"); n != 0 {
			t.Errorf("%d rows of the archive are left", n)
		}
		if n := w.count("submissions"); n != 2 {
			t.Errorf("%d of 2 anonymous submissions are left", n)
		}
		if _, err := w.api.usecases.UndoRetirement(w.Context(), &access.Caller{ID: w.id["convenor"]}, w.id["unitA"],
			w.id["retirement"]); !fault.Is(err, fault.Conflict) {
			t.Errorf("undone after 30 days: %v", err)
		}
		w.signInAgain("convenor")
		w.retires("delete_work")
		if n := w.count("submissions") + w.count("task_comments"); n != 0 {
			t.Errorf("%d are left once anonymous work is deleted", n)
		}
	})
}

// none looks whether a list is empty.
func (w *world) none(who, request string) {
	w.Helper()
	if list := w.do(who, request, nil).status(200).list(); len(list) != 0 {
		w.Errorf("%s %s: %v", who, request, list)
	}
}

// isRecorded counts what the audit log says of the unit.
func (w *world) isRecorded(action string, want int64) {
	w.Helper()
	if n := w.count(`audit_outbox WHERE entries LIKE $1`, `%"kind":"unit","action":"`+action+`"%`); n != want {
		w.Errorf("%d entries %s, want %d", n, action, want)
	}
}
