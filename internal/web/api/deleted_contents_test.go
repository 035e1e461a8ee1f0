package api

import (
	"fmt"
	"testing"

	"lectern/internal/ground/clock"
)

const aDeletionOfA = deletedOfA + "/{deletion}"

var _ = rights(
	rightRow{"GET " + deletedPath + "/{id}", deletedOfA + "/4711", convenorsA, nil},
	rightRow{"GET " + deletedPath + "/{id}/students", deletedOfA + "/4711/students", convenorsA, nil},
)

var _ = lists(
	listRow{route: "GET " + deletedPath + "/{id}/students", path: aDeletionOfA + "/students", who: "convenor",
		fill: func(w *world, from, to int) {
			if from == 0 {
				w.addDeletion()
			}
			for i, name := range w.crowd(from, to) {
				w.put("deleted_rows", row{"deletion_id": w.id["deletion"], "position": from + i,
					"table_name": "tasks", "project_id": w.id["project:"+name], "record": "{}"})
			}
		}},
)

// A convenor sees how much of whose work something holds that was deleted; the work of a group counts for
// each of its members, and once in all.
func TestWhatWasDeletedIsLookedInto(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.fillWork()
		// Words of a student that look like a column are none.
		w.set(`UPDATE task_comments SET comment = '"type":"status","grade":null' WHERE id = $1`, w.id["said"])
		late := w.crowd(0, 1)[0] // has an extension, and nothing else yet
		w.task(late, "defA1", row{"extensions": 1})
		w.do("convenor", "DELETE "+defA+"/{defA1}", nil).status(409).
			says("submissions: 3; comments: 3; recordings: 1; grades: 3; extensions: 4; students: 4")
		w.do("convenor", "DELETE "+defA+"/{defA1}"+forced, nil).status(204)
		w.deletion()
		got := w.do("convenor", "GET "+aDeletionOfA, nil).status(200).object()
		for name, want := range map[string]float64{"submissions": 2, "comments": 3, "recordings": 1, "grades": 3,
			"extensions": 4, "groups": 0, "files": 8, "bytes": 70, "students": 4} {
			if got[name] != want {
				t.Errorf("%s: %v, not %v", name, got[name], want)
			}
		}
		if got["deleted_by"] == "" || got["deleted_by_id"] != float64(w.id["convenor"]) {
			t.Errorf("deleted by %v", got["deleted_by"])
		}
		want := map[string]string{"student": "1 4 5 43", "mate": "1 0 3 27", "other": "1 0 3 27", late: "0 0 0 0"}
		list := w.do("convenor", "GET "+aDeletionOfA+"/students", nil).status(200).list()
		for _, s := range list {
			name := s["username"].(string)
			if is := fmt.Sprintf("%v %v %v %v", s["submissions"], s["comments"], s["files"], s["bytes"]); is != want[name] {
				t.Errorf("of %s %s, not %s", name, is, want[name])
			}
		}
		if len(list) != 4 {
			t.Errorf("%d students", len(list))
		}
		w.do("convenor", "POST "+aDeletionOfA+"/restore", nil).status(200)
		w.do("convenor", "GET "+aDeletionOfA, nil).status(404)
		w.do("convenor", "GET "+aDeletionOfA+"/students", nil).status(404)
	})
}

// What was kept for 30 days is gone, and what belongs to another unit is not there.
func TestWhatIsNotKeptIsNotLookedInto(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.addDeletion()
		w.do("convenor", "GET "+aDeletionOfA, nil).status(200)
		w.do("convenorB", "GET /api/units/{unitB}/deleted/{deletion}", nil).status(404)
		w.set(`UPDATE deletions SET at = $1`, clock.At(w.now.AddDate(0, 0, -30)))
		w.do("convenor", "GET "+aDeletionOfA, nil).status(404)
		w.do("convenor", "GET "+aDeletionOfA+"/students", nil).status(404)
	})
}
