package api

import "testing"

const setsOfA = "/api/units/{unitA}/group_sets"

var _ = rights(
	rightRow{"POST " + groupSetPath, setsOfA, convenorsA, `{"group_set":{"name":"N"}}`},
	rightRow{"PUT " + groupSetPath + "/{group_set_id}", setsOfA + "/{set}", convenorsA, `{"group_set":{"name":"N"}}`},
	rightRow{"DELETE " + groupSetPath + "/{group_set_id}", setsOfA + "/{set}", convenorsA, nil},
)

func TestGroupSets(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		add := func(body string) *answered { return w.do("convenor", "POST "+setsOfA, body) }
		put := func(body string) *answered { return w.do("convenor", "PUT "+setsOfA+"/{new}", body) }
		made := add(`{"group_set":{"name":" Labs "}}`).status(201)
		w.id["new"] = int64(made.object()["id"].(float64))
		made.is(`{"id":«new»,"name":"Labs","allow_students_to_create_groups":true,"allow_students_to_manage_groups":true,
			"keep_groups_in_same_class":false,"capacity":null,"locked":false}`)
		if got, want := made.Header().Get("Location"), w.path(setsOfA+"/{new}"); got != want {
			t.Errorf("made at %s, want %s", got, want)
		}
		add(`{"group_set":{"name":"Labs"}}`).status(409).says("Labs")
		add(`{"group_set":{"name":" "}}`).status(422)
		add(`{"group_set":{}}`).status(400).says("name")
		for _, n := range []string{"1", "0", "-2"} {
			add(`{"group_set":{"name":"X","capacity":` + n + `}}`).status(400).says("capacity")
		}
		add(`{"group_set":{"name":"X","capacity":"many"}}`).status(400)
		w.do("convenorB", "POST /api/units/{unitB}/group_sets", `{"group_set":{"name":"Labs"}}`).status(201)

		put(`{"group_set":{"capacity":2,"locked":true,"keep_groups_in_same_class":"yes","allow_students_to_create_groups":false,"allow_students_to_manage_groups":false}}`).
			status(200).is(`{"id":«new»,"name":"Labs","allow_students_to_create_groups":false,"allow_students_to_manage_groups":false,
			"keep_groups_in_same_class":true,"capacity":2,"locked":true}`)
		put(`{}`).status(200).has(`{"capacity":2}`)
		put(`{"group_set":{"capacity":null}}`).status(200).has(`{"capacity":null,"name":"Labs"}`)
		put(`{"group_set":{"name":"Teams"}}`).status(409)
		w.do("admin", "PUT /api/units/{unitB}/group_sets/{set}", `{}`).status(404)
		w.do("admin", "DELETE /api/units/{unitB}/group_sets/{set}", nil).status(404)

		// Groups stay in their class only once they are in it.
		w.tutorial("LA2", "streamA", "", 5)
		w.set(`UPDATE tutorial_enrolments SET tutorial_id = $1 WHERE project_id = $2`, w.id["LA2"],
			w.id["project:mate"])
		keep := func() *answered {
			return w.do("convenor", "PUT "+setsOfA+"/{set}", `{"group_set":{"keep_groups_in_same_class":true}}`)
		}
		keep().status(409).says("mate", "Red", "LA1")
		w.set(`UPDATE projects SET enrolled = FALSE WHERE id = $1`, w.id["project:mate"])
		keep().status(200)

		w.do("convenor", "DELETE "+setsOfA+"/{new}", nil).status(204)
		w.do("convenor", "DELETE "+setsOfA+"/{new}", nil).status(404)
		w.set(`UPDATE task_definitions SET group_set_id = $1 WHERE id = $2`, w.id["set"], w.id["defA1"])
		w.do("convenor", "DELETE "+setsOfA+"/{set}", nil).status(409).says("1.1P")
		w.set(`UPDATE task_definitions SET group_set_id = NULL`)
		w.add("", "group_submissions", row{"unit_group_id": w.id["group"], "task_definition_id": w.id["defA1"],
			"submitted_by_project_id": w.id["project:student"], "created_at": w.db.Now()})
		w.do("convenor", "DELETE "+setsOfA+"/{set}", nil).status(409).says("Red")
		w.set(`DELETE FROM group_submissions`)
		w.do("convenor", "DELETE "+setsOfA+"/{set}", nil).status(204)
		if n := w.count(`group_memberships`); n != 0 {
			t.Errorf("%d memberships of no set", n)
		}
	})
}
