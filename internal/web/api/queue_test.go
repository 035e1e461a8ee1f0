package api

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"
)

var _ = rights(
	rightRow{"GET /api/units/{id}/queue", "/api/units/{unitA}/queue", staffA, nil},
	rightRow{"GET /api/units/{id}/queue/counts", "/api/units/{unitA}/queue/counts", staffA, nil},
	rightRow{"GET /api/units/{id}/queue/around", "/api/units/{unitA}/queue/around", staffA, nil},
	rightRow{"GET /api/units/{id}/sitting", "/api/units/{unitA}/sitting", staffA, nil},
)

var _ = lists(
	listRow{route: "GET /api/units/{id}/queue", path: "/api/units/{unitA}/queue", who: "tutor",
		fill: manyTasks("need_help")},
	listRow{route: "GET /api/units/{id}/queue/counts", path: "/api/units/{unitA}/queue/counts", who: "tutor",
		fill: func(w *world, from, to int) {
			w.fill("task_definitions", from, to, func(i int) row {
				return row{"unit_id": w.id["unitA"], "name": numbered("w", i), "abbreviation": numbered("w", i),
					"description": "", "weighting": 1, "target_grade": 0, "start_date": "2026-03-02",
					"target_date": "2026-03-09"}
			})
			w.set(`INSERT INTO tasks (project_id, task_definition_id, unit_id, status, created_at, updated_at)
				SELECT CAST($1 AS BIGINT), d.id, d.unit_id, 'need_help', $2, $2 FROM task_definitions d
				WHERE d.abbreviation LIKE 'w%' AND NOT EXISTS (SELECT 1 FROM tasks t WHERE t.task_definition_id = d.id)`,
				w.id["project:student"], w.db.Now())
		}},
)

// queueOf tells whose tasks a queue lists, in its order.
func (w *world) queueOf(as, query string) string {
	w.Helper()
	var out []string
	for _, o := range w.do(as, "GET /api/units/{unitA}/queue"+query, nil).status(200).list() {
		out = append(out, o["username"].(string)+":"+o["abbreviation"].(string))
	}
	return strings.Join(out, " ")
}

func TestTheQueueNamesWhoWaits(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		hand := func(who, definition, trigger string) {
			w.do(who, "PUT /api/projects/{project:"+who+"}/task_def_id/{"+definition+"}", form{"trigger": trigger}).status(200)
			w.later(time.Minute)
		}
		w.set(`UPDATE users SET first_name = '50%_off', last_name = 'Ünal', student_id = 's77' WHERE id = $1`, w.id["mate"])
		hand("mate", "defA2", "rff")
		hand("other", "defA1", "need_help")
		hand("mate", "defA1", "rff")
		names := func(definition string) string {
			return w.rows(`SELECT abbreviation AS v FROM task_definitions WHERE id = $1`, w.id[definition])[0]
		}
		one, two := names("defA1"), names("defA2")
		all := "mate:" + two + " other:" + one + " mate:" + one
		for query, want := range map[string]string{
			"": all, "?sort=waiting": all, "?mine=true": all, "?mine=false": all,
			"?sort=task":                               "other:" + one + " mate:" + one + " mate:" + two,
			"?limit=1&offset=1":                        "other:" + one,
			"?status=need_help":                        "other:" + one,
			"?status=complete":                         "",
			"?task_definition_id={defA2}":              "mate:" + two,
			"?text=" + url.QueryEscape("%"):            "mate:" + two + " mate:" + one,
			"?text=" + url.QueryEscape("0_"):           "",
			"?text=UNAL":                               "mate:" + two + " mate:" + one,
			"?text=s77":                                "mate:" + two + " mate:" + one,
			"?text=off+%C3%BCnal":                      "mate:" + two + " mate:" + one,
			"?text=other":                              "other:" + one,
			"?text=" + url.QueryEscape(two):            "mate:" + two,
			"?text=" + url.QueryEscape(`\' OR 1=1 --`): "",
		} {
			if got := w.queueOf("tutor", query); got != want {
				t.Errorf("%s: %q, want %q", query, got, want)
			}
		}
		if got := w.queueOf("convenor", "?mine=true"); got != "" {
			t.Errorf("a convenor without classes has %s", got)
		}
		page := w.do("tutor", "GET /api/units/{unitA}/queue?limit=2", nil).status(200)
		if got := page.Header().Get("X-Total-Count"); got != "3" {
			t.Errorf("%s wait", got)
		}
		if o := page.list()[0]; o["first_name"] != "50%_off" || o["version"] == nil || o["waiting_since"] == nil ||
			o["tutorial"] == nil || o["name"] == "" {
			t.Errorf("a row: %v", o)
		}
		counts := ""
		for _, o := range w.do("tutor", "GET /api/units/{unitA}/queue/counts?status=ready_for_feedback",
			nil).status(200).list() {
			counts += fmt.Sprintf("%v %v,", o["abbreviation"], o["count"])
		}
		if want := one + " 1," + two + " 1,"; counts != want {
			t.Errorf("counted %q, want %q", counts, want)
		}
		w.do("tutor", "GET /api/units/{unitA}/queue?sort=grade", nil).status(400)
		w.do("tutor", "GET /api/units/{unitA}/queue?status=asleep", nil).status(400)
		w.do("tutorB", "GET /api/units/{unitB}/queue", nil).status(200).is(`[]`)
	})
}

// A convenor narrows what waits to one tutor and to what is over the target; a tutor only to their own
// tutorials, not to those of a colleague.
func TestTheQueueOfOneTutor(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("mate", "PUT /api/projects/{project:mate}/task_def_id/{defA1}", form{"trigger": "rff"}).status(200)
		const all = "/api/units/{unitA}/queue"
		for _, path := range []string{all, all + "/counts", all + "/around", "/api/units/{unitA}/sitting"} {
			w.do("tutor", "GET "+path+"?tutor_id={tutor}", nil).status(200)
			w.do("convenor", "GET "+path+"?tutor_id={tutor}", nil).status(200)
			w.do("tutor", "GET "+path+"?tutor_id={convenor}", nil).status(403)
		}
		one := w.queueOf("tutor", "")
		for query, want := range map[string]string{"?tutor_id={tutor}": one, "?tutor_id={convenor}": "",
			"?tutor_id={tutorB}": "", "?over_target=true": ""} {
			if got := w.queueOf("convenor", query); got != want {
				t.Errorf("%s: %q, want %q", query, got, want)
			}
		}
		w.set(`UPDATE units SET feedback_days = 1`)
		w.later(25 * time.Hour)
		if got := w.queueOf("tutor", "?over_target=true"); got != one || one == "" {
			t.Errorf("over the target: %q, want %q", got, one)
		}
	})
}

func TestTheQueuePutsPinsFirstAndForgetsWhoLeft(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("mate", "PUT /api/projects/{project:mate}/task_def_id/{defA1}", form{"trigger": "rff"}).status(200)
		w.later(time.Minute)
		w.do("student", "PUT "+ownTask, form{"trigger": "need_help"}).status(200)
		first := func(as string) string { who, _, _ := strings.Cut(w.queueOf(as, ""), ":"); return who }
		w.do("tutor", "POST /api/tasks/{task}/pin", nil).status(201)
		if first("tutor") != "student" || first("convenor") != "mate" {
			t.Errorf("first for who pinned is %s, for another %s", first("tutor"), first("convenor"))
		}
		w.set(`UPDATE projects SET enrolled = FALSE WHERE id = $1`, w.id["project:student"])
		if got := w.queueOf("tutor", ""); strings.Contains(got, "student:") {
			t.Errorf("who left waits: %s", got)
		}
	})
}

// names are whose tasks a list has.
func names(list any) (out []string) {
	for _, o := range list.([]any) {
		out = append(out, o.(map[string]any)["username"].(string))
	}
	return out
}

func TestWhatStandsAroundATaskInTheQueue(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, who := range []string{"mate", "student", "other"} {
			w.do(who, "PUT /api/projects/{project:"+who+"}/task_def_id/{defA1}", form{"trigger": "need_help"}).status(200)
			w.later(time.Minute)
		}
		around := func(query string) string {
			o := w.do("tutor", "GET /api/units/{unitA}/queue/around"+query, nil).status(200).object()
			return fmt.Sprint(o["position"], " of ", o["total"], " ", names(o["before"]), " ", names(o["after"]))
		}
		for query, want := range map[string]string{
			"":                                "0 of 3 [] [mate student]",
			"?task_id={task}":                 "2 of 3 [mate] [other]",
			"?task_id={task}&near=1":          "2 of 3 [mate] [other]",
			"?near=50&task_id={task}":         "2 of 3 [mate] [other]",
			"?status=complete":                "0 of 0 [] []",
			"?task_id={task}&text=mate":       "0 of 1 [mate] []",
			"?task_definition_id={defA2}":     "0 of 0 [] []",
			"?sort=student&near=3":            "0 of 3 [] [mate student other]",
			"?task_id={task}&mine=true":       "2 of 3 [mate] [other]",
			"?tutorial_id={tutorialA}&near=1": "0 of 3 [] [mate]",
		} {
			if got := around(query); got != want {
				t.Errorf("%s: %s, want %s", query, got, want)
			}
		}
		w.do("tutor", "GET /api/units/{unitA}/queue/around?task_id=999999", nil).status(404)
		for _, query := range []string{"?near=51", "?near=-1", "?sort=grade", "?status=asleep"} {
			w.do("tutor", "GET /api/units/{unitA}/queue/around"+query, nil).status(400)
		}
	})
}

// Everybody is told of their own verdicts only, and only those since they paused.
func TestAMarkingSessionIsOnesOwn(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		is := func(who, query, want string) {
			t.Helper()
			w.do(who, "GET /api/units/{unitA}/sitting"+query, nil).status(200).is(want)
		}
		for _, who := range []string{"mate", "student", "other"} {
			w.do(who, "PUT /api/projects/{project:"+who+"}/task_def_id/{defA1}", form{"trigger": "need_help"}).status(200)
		}
		w.later(61 * time.Minute) // after what the world began with
		is("tutor", "", `{"done":0,"waiting":3,"to_mark":0,"to_answer":3,"median_seconds":null}`)
		is("tutor", "?text=mate", `{"done":0,"waiting":1,"to_mark":0,"to_answer":1,"median_seconds":null}`)
		for i, who := range []string{"mate", "student", "other"} {
			w.later(time.Duration(i+1) * 10 * time.Second)
			version := w.rows(`SELECT version AS v FROM tasks WHERE project_id = $1 AND task_definition_id = $2`,
				w.id["project:"+who], w.id["defA1"])[0]
			w.do("tutor", "POST /api/projects/{project:"+who+"}/task_def_id/{defA1}/verdict",
				form{"trigger": "complete", "version": version}).status(200)
		}
		is("tutor", "", `{"done":3,"waiting":0,"to_mark":0,"to_answer":0,"median_seconds":30}`)
		is("convenor", "", `{"done":0,"waiting":0,"to_mark":0,"to_answer":0,"median_seconds":null}`)
		w.later(61 * time.Minute)
		is("tutor", "", `{"done":0,"waiting":0,"to_mark":0,"to_answer":0,"median_seconds":null}`)
		w.do("tutor", "GET /api/units/{unitA}/sitting?status=asleep", nil).status(400)
	})
}
