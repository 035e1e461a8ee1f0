package api

import (
	"fmt"
	"strings"
	"testing"
)

// membersOfBoth puts a tutor of the unit into the group of two students, makes the
// first task the group's, and lets the group hand it in.
func (w *world) membersOfBoth() {
	w.Helper()
	w.byHand()
	w.define("group_set_id = $1, is_graded = TRUE, max_quality_pts = 5", w.id["set"])
	w.do("student", "PUT "+ownTask, form{"trigger": "rff"}).status(200)
	w.add("", "group_memberships", row{"group_set_id": w.id["set"], "unit_group_id": w.id["group"],
		"project_id": w.id["project:both"]})
}

// marked is all that was said of tasks so far.
func (w *world) marked() string {
	w.Helper()
	return fmt.Sprint(w.rows(`SELECT id || ' ' || status || ' ' || coalesce(grade, -9) || ' ' || quality_pts || ' ' ||
		extensions AS v FROM tasks ORDER BY id`))
}

// A tutor who is in a group marks nothing of its work, whatever way it is tried:
// before the group has handed in with them and after.
func TestNobodyMarksTheirOwnGroup(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.membersOfBoth()
		refused := func() {
			t.Helper()
			before := w.marked()
			for _, c := range []form{{"trigger": "complete", "grade": "3", "quality_pts": "5"}, {"trigger": "discuss",
				"grade": "1", "quality_pts": "1"}, {"trigger": "fix"}, {"trigger": "working_on_it"}, {"grade": "2"},
				{"quality_pts": "2"}} {
				for _, name := range []string{"student", "mate"} {
					w.do("both", "PUT /api/projects/{project:"+name+"}/task_def_id/{defA1}", c).status(403).
						says("a group you are in", "another member of staff")
				}
			}
			if now := w.marked(); now != before {
				t.Errorf("%s became %s", before, now)
			}
		}
		refused()
		w.do("both", "PUT "+ownTask, form{"include_in_portfolio": "false"}).status(200)
		w.do("both", "PUT /api/projects/{project:both}/task_def_id/{defA1}", form{"trigger": "rff"}).status(200)
		refused()
		w.set(`DELETE FROM group_memberships WHERE project_id = $1`, w.id["project:both"]) // handed in with it
		w.do("both", "PUT "+ownTask, form{"grade": "2"}).status(403).says("a group you are in")
		w.do("both", "PUT /api/projects/{project:other}/task_def_id/{defA1}", form{"grade": "2"}).status(200)
		w.do("tutor", "PUT "+ownTask, form{"trigger": "complete", "grade": "3", "quality_pts": "5"}).status(200)
	})
}

func TestNobodyExtendsTheirOwnGroup(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.membersOfBoth()
		w.ask("e", "student", ownTask, "1")
		decide := "PUT " + ownTask + "/assess_extension/{e}"
		for _, granted := range []string{"true", "false"} {
			w.do("both", decide, form{"granted": granted}).status(403).says("a group you are in")
		}
		w.do("both", "POST "+ownTask+"/request_extension",
			form{"comment": "They were ill", "weeks_requested": "1"}).status(403).says("a group you are in")
		if n := w.count("tasks WHERE extensions > 0"); n != 0 {
			t.Error("it was granted")
		}
		w.do("tutor", decide, form{"granted": "true"}).status(200)
	})
}

// The batch leaves the work out, a sheet that names it is refused, and the week's
// end passes over it.
func TestNobodyTakesMarksForTheirOwnGroup(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code")
		w.define("group_set_id = $1", w.id["set"])
		w.handIn("mate", "defA1")
		w.made()
		sheet := func(who string) string { return w.batch(who, "&user_id={tutor}")["marks.csv"] }
		if !strings.Contains(sheet("both"), "GRP_") {
			t.Fatal("the work does not wait")
		}
		text := filled(t, w.batch("both", "&user_id={tutor}")["marks.csv"], map[string]string{"status": "discuss"})
		w.add("", "group_memberships", row{"group_set_id": w.id["set"], "unit_group_id": w.id["group"],
			"project_id": w.id["project:both"]})
		if strings.Contains(sheet("both"), "GRP_") || !strings.Contains(sheet("tutor"), "GRP_") {
			t.Error("the batch of someone in the group holds its work, or that of another does not")
		}
		post := func(who string) *answered {
			return w.do(who, "POST "+assessing+"&user_id={tutor}", aFile("m.csv", text))
		}
		if got := counts(post("both")); got != "0 done, 1 refused, 0 ignored" {
			t.Error(got)
		}
		if why := fmt.Sprint(post("both").object()["errors"]); !strings.Contains(why, "a group you are in") {
			t.Error(why)
		}
		if got := counts(post("tutor")); got != "1 done, 0 refused, 0 ignored" {
			t.Error(got)
		}
		w.do("both", "PUT /api/projects/{project:mate}", form{"trigger": "trigger_week_end"}).status(200)
		if n := w.count("tasks WHERE status = 'complete'"); n != 0 {
			t.Error("the week's end completed the work of one's own group")
		}
		w.do("tutor", "PUT /api/projects/{project:mate}", form{"trigger": "trigger_week_end"}).status(200)
		if n := w.count("tasks WHERE status = 'complete'"); n == 0 {
			t.Error("the week's end completed nothing")
		}
	})
}
