package api

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/due"
	"lectern/internal/teaching/work"
	"lectern/internal/usecase/privacy"
)

const grantExt = "POST /api/units/{unitA}/extensions/grants"

var _ = rights(
	rightRow{"POST " + unitExtensions + "/grants", "/api/units/{unitA}/extensions/grants", staffA,
		`{"task_definition_id":4711,"projects":[4711],"weeks":1,"reason":"Ill"}`},
)

// grant is the body of a grant of weeks of defA1 to students.
func (w *world) grant(weeks int, reason string, students ...string) map[string]any {
	projects := []int64{}
	for _, s := range students {
		projects = append(projects, w.id["project:"+s])
	}
	return map[string]any{"task_definition_id": w.id["defA1"], "projects": projects, "weeks": weeks, "reason": reason}
}

// An extension without a request reaches the student as a date, and why only the convenors and
// whoever gave it.
func TestExtensionsAreGivenWithoutARequest(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.byHand()
		body := w.grant(2, "  Special consideration: in hospital ", "student", "other", "student")
		body["dry_run"] = true
		plan := w.do("tutor", grantExt, body).status(200).list()
		if got := outcomes(plan); got != "granted granted" || w.count("task_comments") != 0 || w.count("tasks") != 1 {
			t.Fatalf("planned %s; %d comments, %d tasks", got, w.count("task_comments"), w.count("tasks"))
		}
		delete(body, "dry_run")
		day := w.monday().AddDays(21)
		done := w.do("tutor", grantExt, body).status(200).list()
		has(t, "given", done[0], map[string]any{"username": "student", "weeks": 2.0, "due_date": day.String(),
			"message": "Extension granted to " + day.Format("Mon 2 Jan") + "."})
		if w.count("tasks WHERE extensions = 2") != 2 || w.count("extension_grants") != 2 {
			t.Error("not both have it")
		}
		talk := w.do("student", "GET "+ownTask+"/comments", nil).status(200)
		has(t, "the student reads", talk.list()[0], map[string]any{"type": "extension", "comment": "", "granted": true,
			"is_new": true, "weeks_requested": 2.0, "extension_response": "Extension granted to " + day.Format("Mon 2 Jan")})
		if err := work.CheckNews(w.Context(), w.db); err != nil {
			t.Error(err)
		}
		for who, want := range map[string]any{"tutor": "Special consideration: in hospital",
			"convenor": "Special consideration: in hospital", "both": nil, "admin": "Special consideration: in hospital"} {
			o := w.do(who, listExt+"?decided=true", nil).status(200).list()[0]
			has(t, who+" sees", o, map[string]any{"grant_reason": want, "without_request": true, "comment": ""})
		}
		w.relay()
		for _, text := range []string{w.readText("SELECT body FROM events"), w.readText(`SELECT fields FROM audit_entries`),
			talk.Body.String(), w.told("student", "")} {
			if strings.Contains(text, "hospital") {
				t.Errorf("the reason is in %s", text)
			}
		}
		if n := w.count("events WHERE kind = 'extension' AND user_id = $1 AND unit_id = $2", w.id["student"],
			w.id["unitA"]); n != 1 {
			t.Errorf("the student was told %d times", n)
		}
	})
}

// readText gives all values of a query as one text.
func (w *world) readText(query string) string {
	w.Helper()
	list, err := db.All[string](w.Context(), w.db.Pool(), query)
	if err != nil {
		w.Fatal(err)
	}
	return strings.Join(list, "\n")
}

func TestGrantsOfExtensionsKeepTheRules(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.byHand()
		late := clock.At(w.monday().AddDays(10).Time)
		w.set(`UPDATE tasks SET status = 'time_exceeded', submission_date = $2 WHERE id = $1`, w.id["task"], late)
		// Five weeks are cut to the three that fit, and late work waits for feedback again.
		has(t, "cut", w.do("convenor", grantExt, w.grant(5, "Ill", "student")).status(200).list()[0],
			map[string]any{"outcome": "granted", "weeks": 3.0})
		if w.count("tasks WHERE id = $1 AND status = 'ready_for_feedback' AND extensions = 3", w.id["task"]) != 1 {
			t.Error("the work is still late")
		}
		has(t, "no week is left", w.do("convenor", grantExt, w.grant(1, "Ill", "student")).status(200).list()[0],
			map[string]any{"outcome": "refused", "due_date": w.monday().AddDays(28).String()})
		w.set(`UPDATE projects SET enrolled = FALSE WHERE id = $1`, w.id["project:other"])
		body := w.grant(1, "Ill", "other", "both", "mate")
		body["projects"] = append(body["projects"].([]int64), 4711)
		if got := outcomes(w.do("both", grantExt, body).status(200).list()); got != "refused refused granted refused" {
			t.Errorf("withdrawn, one's own, somebody's, nobody's: %s", got)
		}
		if w.count("tasks WHERE project_id IN ($1, $2)", w.id["project:other"], w.id["project:both"]) != 0 {
			t.Error("a refused task has a row")
		}
		for _, c := range []struct {
			status int
			name   string
			value  any
		}{{400, "reason", "  "}, {400, "reason", strings.Repeat("x", work.MaxComment+1)}, {400, "weeks", 0},
			{400, "weeks", 53}, {422, "projects", []int64{}}, {422, "projects", make([]int64, 501)},
			{422, "task_definition_id", w.id["defB1"]}} {
			bad := w.grant(1, "Ill", "mate")
			bad[c.name] = c.value
			w.do("tutor", grantExt, bad).status(c.status).says(c.name)
		}
		w.do("student", grantExt, w.grant(1, "Ill", "student")).status(403)
	})
}

// Two give at once: the weeks add up, and never past the deadline.
func TestTwoGrantsAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		var all sync.WaitGroup
		for _, who := range []string{"tutor", "convenor"} {
			all.Go(func() { w.do(who, grantExt, w.grant(2, "Ill", "student", "mate", "other")).status(200) })
		}
		all.Wait()
		if n := w.count("tasks WHERE extensions = 3"); n != 3 {
			t.Errorf("%d tasks have the three weeks that fit", n)
		}
		if err := work.CheckNews(w.Context(), w.db); err != nil {
			t.Error(err)
		}
	})
}

// Whatever is given, no task has more weeks than the rules of extensions allow, and each comment has
// the weeks that its task gained.
func TestNoGrantPassesTheDeadline(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		today := clock.Day(w.now)
		rapid.Check(t, func(r *rapid.T) {
			w.set(`DELETE FROM tasks`)
			target := today.AddDays(rapid.IntRange(-20, 20).Draw(r, "target"))
			deadline := target.AddDays(rapid.IntRange(0, 40).Draw(r, "days"))
			w.define("start_date = $1, target_date = $1, due_date = $2", target, deadline)
			for range rapid.IntRange(1, 3).Draw(r, "grants") {
				w.do(rapid.SampledFrom([]string{"tutor", "convenor"}).Draw(r, "by"), grantExt,
					w.grant(rapid.IntRange(1, 52).Draw(r, "weeks"), "Ill", "student", "mate")).status(200)
			}
			for _, name := range []string{"student", "mate"} {
				n := w.number(`SELECT coalesce(max(extensions), 0) FROM tasks WHERE project_id = $1`, w.id["project:"+name])
				d := due.Dates{Target: target, Deadline: deadline, Extensions: int(n)}
				if err := d.Check(); err != nil || d.Due().After(deadline) {
					r.Fatalf("%d weeks from %s to %s: %v", n, target, deadline, err)
				}
				if said := w.number(`SELECT coalesce(sum(c.extension_weeks), 0) FROM task_comments c JOIN tasks t
					ON t.id = c.task_id WHERE t.project_id = $1`, w.id["project:"+name]); said != n {
					r.Fatalf("%d weeks are said, %d given", said, n)
				}
			}
		})
	})
}

// A grant costs the same number of statements for one student and for all.
func TestGrantsTakeAConstantNumberOfStatements(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		count := func(students ...string) int {
			ctx, n := db.Counting(context.Background(), nil)
			g := work.ExtensionGrant{UnitID: w.id["unitA"], DefinitionID: w.id["defA1"], Weeks: 1, Reason: "Ill"}
			for _, s := range students {
				g.Projects = append(g.Projects, w.id["project:"+s])
			}
			if err := w.db.Tx(ctx, func(q db.Q) error {
				_, err := work.GrantExtensions(ctx, q, w.id["tutor"], g)
				return err
			}); err != nil {
				t.Fatal(err)
			}
			return int(n.N())
		}
		count("student")
		if one, three := count("mate"), count("other", "both", "student"); one != three {
			t.Errorf("%d statements for one, %d for three", one, three)
		}
	})
}

// Why an extension was given is theirs to get whom it is about, and goes with them; who gave it gets
// it, too.
func TestReasonsOfGrantsInExportAndErasure(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("tutor", grantExt, w.grant(1, "Quokka hospital", "student")).status(200)
		w.do("tutor", grantExt, w.grant(1, "Quokka wedding", "mate")).status(200)
		for who, want := range map[string]string{"student": "Quokka hospital", "tutor": "Quokka wedding"} {
			got, _ := w.exported(who)
			if !strings.Contains(got["extension_grants.json"], want) ||
				who == "student" && strings.Contains(fmt.Sprint(got), "Quokka wedding") {
				t.Errorf("%s: %s", who, got["extension_grants.json"])
			}
		}
		if _, err := privacy.Erase(w.Context(), w.db, w.id["student"], false); err != nil {
			t.Fatal(err)
		}
		if got := w.readText("SELECT reason FROM extension_grants"); got != "Quokka wedding" {
			t.Errorf("left: %s", got)
		}
		w.later(time.Minute)
	})
}
