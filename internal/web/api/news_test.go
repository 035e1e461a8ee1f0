package api

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"lectern/internal/teaching/work"
)

// Whatever people do in a conversation, the numbers of what is new to each of
// them are those that counting the comments gives.
func TestNewsIsCountedAsItChanges(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		random := rand.New(rand.NewPCG(7, 11)) //nolint:gosec // repeatable
		w.byHand()
		places := map[string]string{"student": ownTask, "mate": memberTask}
		for i := range 160 {
			w.later(time.Second)
			if i == 80 { // from now on student and mate share what is said
				w.define(`group_set_id = $1`, w.id["set"])
			}
			owner := []string{"student", "mate"}[random.IntN(2)]
			who := []string{owner, "tutor", "convenor", "both", owner, "tutor"}[random.IntN(6)]
			place := places[owner]
			switch random.IntN(10) {
			case 0, 1, 2, 3:
				w.comment("", who, place, fmt.Sprintf("Number %d", i))
			case 4, 5, 6:
				w.do(who, "GET "+place+"/comments", nil).status(200)
			case 7, 8:
				w.someComment(random, who, "POST", place)
			case 9:
				w.someComment(random, "convenor", "DELETE", place)
			}
			if i%20 == 5 {
				a := w.do(owner, "POST "+place+"/request_extension", form{"weeks_requested": "1", "comment": "ill"})
				if a.Code == 201 {
					w.id["wish"] = int64(a.object()["id"].(float64))
					w.do("convenor", "PUT "+place+"/assess_extension/{wish}", form{"granted": "false"}).status(200)
				}
			}
			w.newsAgree(i)
		}
		if err := work.CheckNews(t.Context(), w.db); err != nil {
			t.Error(err)
		}
		w.set(`UPDATE tasks SET new_to_student = new_to_student + 1 WHERE project_id = $1`, w.id["project:mate"])
		w.set(`INSERT INTO news_seen (task_id, user_id, comments) SELECT id, $1, 3 FROM tasks WHERE project_id = $2`,
			w.id["admin"], w.id["project:student"])
		for _, want := range []bool{true, false} {
			if err := work.CheckNews(t.Context(), w.db); (err != nil) != want {
				t.Errorf("the check found %v", err)
			}
		}
	})
}

// someComment marks one of a conversation's comments unread, or deletes it.
func (w *world) someComment(random *rand.Rand, who, method, place string) {
	w.Helper()
	list := w.do(who, "GET "+place+"/comments", nil).status(200).list()
	if len(list) == 0 {
		return
	}
	w.id["one"] = int64(list[random.IntN(len(list))]["id"].(float64))
	w.do(who, method+" "+place+"/comments/{one}", nil)
}

// newsAgree compares what projects show each reader with a plain count.
func (w *world) newsAgree(round int) {
	w.Helper()
	for _, owner := range []string{"student", "mate"} {
		for _, who := range []string{owner, "tutor", "convenor", "both"} {
			shown := 0.0
			p := w.do(who, "GET /api/projects/{project:"+owner+"}", nil).status(200).object()
			for _, t := range p["tasks"].([]any) {
				shown += t.(map[string]any)["num_new_comments"].(float64)
			}
			want := w.number(`SELECT count(*) FROM task_comments c JOIN tasks t ON t.id = c.task_id
				WHERE t.project_id = $1 AND c.type <> 'status' AND (c.staff_read_at IS NULL OR CAST($3 AS BOOLEAN))
				AND NOT EXISTS (SELECT 1 FROM comment_reads r WHERE r.task_comment_id = c.id AND r.user_id = $2)`,
				w.id["project:"+owner], w.id[who], who == owner)
			if int64(shown) != want {
				w.Fatalf("after %d steps %s is shown %v new comments of %s, want %d", round+1, who, shown, owner, want)
			}
		}
	}
}
