package api

import (
	"fmt"
	"sync"
	"testing"
)

const (
	groupsOfA = "/api/units/{unitA}/group_sets/{set}/groups"
	red       = groupsOfA + "/{group}"
)

var _ = rights(
	rightRow{"GET " + groupPath, groupsOfA, membersA, nil},
	rightRow{"POST " + groupPath, groupsOfA, membersA, `{"group":{"tutorial_id":1}}`},
	rightRow{"PUT " + groupPath + "/{group_id}", red, "student mate " + staffA, `{"group":{"name":"Blue"}}`},
	// A student deletes a group only when alone in it.
	rightRow{"DELETE " + groupPath + "/{group_id}", red, staffA, nil},
	rightRow{"GET " + memberPath, red + "/members", "student mate " + staffA, nil},
	rightRow{"POST " + memberPath + "/{project_id}", red + "/members/{project:student}", "student " + staffA, nil},
	rightRow{"DELETE " + memberPath + "/{project_id}", red + "/members/{project:student}", "student " + staffA, nil},
)

var _ = lists(
	listRow{route: "GET " + groupPath, path: groupsOfA, who: "student", fill: fill("unit_groups",
		func(w *world, i int) row {
			return row{"group_set_id": w.id["set"], "tutorial_id": w.id["tutorialA"], "name": numbered("Team", i)}
		})},
	listRow{route: "GET " + memberPath, path: red + "/members", who: "student", fill: func(w *world, from, to int) {
		names := w.crowd(from, to)
		w.fill("group_memberships", 0, len(names), func(i int) row {
			return row{"group_set_id": w.id["set"], "unit_group_id": w.id["group"],
				"project_id": w.id["project:"+names[i]]}
		})
	}},
)

// group adds a group to the world's set.
func (w *world) group(name, tutorial string) {
	w.Helper()
	w.add(name, "unit_groups", row{"group_set_id": w.id["set"], "tutorial_id": w.id[tutorial], "name": name})
}

// members lists who is in a group, as staff see it.
func (w *world) members(group string) string {
	w.Helper()
	var names []string
	for _, m := range w.do("tutor", "GET "+groupsOfA+"/{"+group+"}/members", nil).status(200).list() {
		names = append(names, m["student"].(map[string]any)["username"].(string))
	}
	return fmt.Sprint(names)
}

func TestGroups(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.tutorial("LA2", "streamA", "", 5)
		add := func(who, body string) *answered { return w.do(who, "POST "+groupsOfA, named(w, body)) }
		made := add("tutor", `{"group":{"tutorial_id":«LA2»,"capacity_adjustment":2}}`).status(201)
		w.id["one"] = int64(made.object()["id"].(float64))
		made.is(`{"id":«one»,"name":"Group 1","tutorial_id":«LA2»,"group_set_id":«set»,"student_count":0,"capacity_adjustment":2,"locked":false}`)
		if got, want := made.Header().Get("Location"), w.path(groupsOfA+"/{one}"); got != want {
			t.Errorf("made at %s, want %s", got, want)
		}
		add("convenor", `{"group":{"name":"Group 3","tutorial_id":«LA2»}}`).status(201)
		add("admin", `{"group":{"name":" ","tutorial_id":«LA2»}}`).status(201).has(`{"name":"Group 2"}`)
		add("both", `{"group":{"tutorial_id":«LA2»}}`).status(201).has(`{"name":"Group 4","student_count":0}`) // teaches here
		add("tutor", `{"group":{"name":"Red","tutorial_id":«LA2»}}`).status(409).says("Red")
		add("tutor", `{"group":{"name":"X","tutorial_id":«tutorialB»}}`).status(404)
		add("tutor", `{"group":{"name":"X"}}`).status(400).says("tutorial_id")

		// A student joins the group they make, and makes one only.
		made = add("other", `{"group":{"name":"Mine","tutorial_id":«tutorialA»}}`).status(201).has(`{"student_count":1}`)
		w.id["mine"] = int64(made.object()["id"].(float64))
		add("other", `{"group":{"name":"Second","tutorial_id":«tutorialA»}}`).status(409).says("Mine")
		add("student", `{"group":{"name":"X","tutorial_id":«tutorialA»,"capacity_adjustment":1}}`).status(403)
		if got := w.members("mine"); got != "[other]" {
			t.Errorf("in it are %s", got)
		}
		w.do("other", "GET /api/projects/{project:other}", nil).status(200).has(`{"groups":[{"id":«mine»,"name":"Mine",
			"tutorial_id":«tutorialA»,"group_set_id":«set»,"student_count":1,"capacity_adjustment":0,"locked":false}]}`)
		unit := w.do("student", "GET /api/units/{unitA}",
			nil).status(200).has(`{"group_sets":[{"id":«set»,"name":"Teams","capacity":3,"locked":false,
			"allow_students_to_create_groups":true,"allow_students_to_manage_groups":true,"keep_groups_in_same_class":false}]}`).object()
		if n := len(unit["groups"].([]any)); n != 6 {
			t.Errorf("the unit shows %d groups", n)
		}
		w.do("student", "GET "+red+"/members", nil).status(200).is(`[
			{"id":«project:student»,"target_grade":1,"student":{"id":«student»,"email":"student@example.edu","first_name":"Student","last_name":"Person","username":"student","nickname":"student"}},
			{"id":«project:mate»,"target_grade":1,"student":{"id":«mate»,"email":"mate@example.edu","first_name":"Mate","last_name":"Person","username":"mate","nickname":"mate"}}]`)

		// Staff alone lock, move and size a group; sending what it is already is no change.
		w.do("student", "PUT "+red, `{"group":{"name":"Blue","locked":false,"capacity_adjustment":0}}`).status(200).has(`{"name":"Blue"}`)
		for _, body := range []string{`{"group":{"locked":true}}`, `{"group":{"capacity_adjustment":1}}`,
			`{"group":{"tutorial_id":«LA2»}}`} {
			w.do("student", "PUT "+red, named(w, body)).status(403)
		}
		w.do("tutor", "PUT "+red, named(w, `{"group":{"locked":true,"capacity_adjustment":-1,"tutorial_id":«LA2»}}`)).status(200).
			is(`{"id":«group»,"name":"Blue","tutorial_id":«LA2»,"group_set_id":«set»,"student_count":2,"capacity_adjustment":-1,"locked":true}`)
		w.do("student", "PUT "+red, `{"group":{"name":"Green"}}`).status(403) // locked
		w.do("tutor", "PUT "+red, `{"group":{"name":"Mine"}}`).status(409)
		w.do("tutor", "PUT "+red, `{"group":{"name":" "}}`).status(422)
		w.do("tutor", "PUT "+red, named(w, `{"group":{"tutorial_id":«tutorialB»}}`)).status(404)
		w.do("tutor", "PUT "+red, `{}`).status(200)

		// The wrong parent.
		w.add("setB", "group_sets", row{"unit_id": w.id["unitB"], "name": "Teams"})
		w.do("admin", "PUT /api/units/{unitB}/group_sets/{set}/groups/{group}", `{}`).status(404)
		w.do("admin", "PUT /api/units/{unitB}/group_sets/{setB}/groups/{group}", `{}`).status(404)
		w.do("admin", "POST "+red+"/members/{project:studentB}", nil).status(404)

		w.do("student", "DELETE "+red, nil).status(403)
		w.do("other", "DELETE "+groupsOfA+"/{mine}", nil).status(204)
		w.do("other", "GET "+groupsOfA+"/{mine}/members", nil).status(404)
		w.add("", "group_submissions", row{"unit_group_id": w.id["group"], "task_definition_id": w.id["defA1"],
			"submitted_by_project_id": w.id["project:student"], "created_at": w.db.Now()})
		w.do("convenor", "DELETE "+red, nil).status(409).says("Blue")
		w.do("tutor", "DELETE "+groupsOfA+"/{one}", nil).status(204)
	})
}

func TestJoiningGroups(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.tutorial("LA2", "streamA", "", 5)
		w.group("Blue", "LA2")
		in := func(group, want string) {
			t.Helper()
			if got := w.members(group); got != want {
				t.Errorf("in %s are %s, want %s", group, got, want)
			}
		}
		join := func(who, group, whom string) *answered {
			return w.do(who, "POST "+groupsOfA+"/{"+group+"}/members/{project:"+whom+"}", nil)
		}
		leave := func(who, group, whom string) *answered {
			return w.do(who, "DELETE "+groupsOfA+"/{"+group+"}/members/{project:"+whom+"}", nil)
		}
		join("other", "group", "other").status(201).is(`{"id":«project:other»,"target_grade":1,"student":{"id":«other»,
			"email":"other@example.edu","first_name":"Other","last_name":"Person","username":"other","nickname":"other"}}`)
		join("other", "group", "other").status(409).says("already")
		join("other", "Blue", "student").status(403) // not their own
		leave("mate", "group", "student").status(403)
		in("group", "[student mate other]")
		join("both", "group", "both").status(409).says("full")
		join("tutor", "group", "both").status(409).says("Red", "full", "3")
		join("convenor", "group", "both").status(201)
		in("group", "[student mate other both]")
		join("student", "Blue", "student").status(201) // leaves Red
		in("group", "[mate other both]")
		in("Blue", "[student]")
		leave("student", "group", "student").status(404)
		leave("student", "Blue", "student").status(204)
		leave("student", "Blue", "student").status(404)
		join("student", "Blue", "student").status(201) // back again: one row per set
		if n := w.count(`group_memberships WHERE project_id = $1`, w.id["project:student"]); n != 1 {
			t.Errorf("%d memberships in one set", n)
		}
		join("withdrawn", "Blue", "withdrawn").status(403)
		join("tutor", "Blue", "withdrawn").status(409).says("withdrawn")

		// The withdrawn do not count.
		w.set(`UPDATE projects SET enrolled = FALSE WHERE id = $1`, w.id["project:both"])
		w.set(`UPDATE unit_groups SET capacity_adjustment = -1 WHERE id = $1`, w.id["Blue"])
		in("group", "[mate other]")
		join("student", "group", "student").status(201)
		leave("tutor", "group", "both").status(204) // staff clear up behind the withdrawn

		// Locks hold everybody, and staff open them.
		w.set(`UPDATE unit_groups SET locked = TRUE WHERE id = $1`, w.id["group"])
		join("student", "Blue", "student").status(409).says("Red", "locked")
		leave("student", "group", "student").status(409).says("locked")
		leave("tutor", "group", "student").status(409)
		join("tutor", "group", "both").status(409)
		w.do("tutor", "PUT "+red, `{"group":{"locked":false}}`).status(200)
		w.set(`UPDATE group_sets SET locked = TRUE`)
		join("convenor", "Blue", "student").status(409).says("Teams", "locked")
		w.do("student", "POST "+groupsOfA, `{"group":{"tutorial_id":1}}`).status(403)
		w.set(`UPDATE group_sets SET locked = FALSE, allow_students_to_manage_groups = FALSE`)
		join("student", "Blue", "student").status(403)
		leave("student", "group", "student").status(403)
		join("tutor", "Blue", "student").status(201)

		// Groups that stay in a class take who is in it.
		w.set(`UPDATE group_sets SET keep_groups_in_same_class = TRUE, allow_students_to_manage_groups = TRUE`)
		join("mate", "Blue", "mate").status(422).says("LA2")
		w.do("mate", "POST /api/units/{unitA}/tutorials/LA2/enrolments/{project:mate}", nil).status(201)
		in("group", "[other]") // left with the class
		join("mate", "Blue", "mate").status(201)
	})
}

func TestMovingAGroupMovesItsMembers(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.tutorial("LA2", "streamA", "", 1) // too small, but staff may exceed it
		w.tutorial("FAR", "streamA", "geelong", 5)
		w.set(`UPDATE group_sets SET keep_groups_in_same_class = TRUE`)
		w.add("", "group_memberships", row{"group_set_id": w.id["set"], "unit_group_id": w.id["group"],
			"project_id": w.id["project:withdrawn"]})
		tutorials := func(want string) {
			t.Helper()
			if got := w.tutorialsOf("project:student") + w.tutorialsOf("project:mate") + w.tutorialsOf("project:withdrawn"); got != want {
				t.Errorf("places: %s, want %s", got, want)
			}
		}
		move := func(to string) *answered {
			return w.do("tutor", "PUT "+red, named(w, `{"group":{"name":"Moved","tutorial_id":«`+to+`»}}`))
		}
		move("LA2").status(200).has(`{"name":"Moved","tutorial_id":«LA2»}`)
		tutorials("[LA2][LA2][LA1]")
		move("FAR").status(409).says("student", "Geelong")
		tutorials("[LA2][LA2][LA1]")

		// Another group that holds one of them keeps all.
		w.add("fixed", "group_sets", row{"unit_id": w.id["unitA"], "name": "Fixed", "keep_groups_in_same_class": true,
			"allow_students_to_manage_groups": false})
		w.add("pair", "unit_groups", row{"group_set_id": w.id["fixed"], "tutorial_id": w.id["LA2"], "name": "Pair"})
		w.add("", "group_memberships", row{"group_set_id": w.id["fixed"], "unit_group_id": w.id["pair"],
			"project_id": w.id["project:mate"]})
		move("tutorialA").status(409).says("mate", "Pair")
		tutorials("[LA2][LA2][LA1]")
		if got := w.members("group"); got != "[student mate]" {
			t.Errorf("members: %s", got)
		}
		w.set(`UPDATE group_sets SET allow_students_to_manage_groups = TRUE`)
		move("tutorialA").status(200)
		tutorials("[LA1][LA1][LA1]")
		if n := w.count(`group_memberships WHERE unit_group_id = $1 AND active`, w.id["pair"]); n != 0 {
			t.Error("a group that stays in another class kept the member")
		}
		if got := w.members("group"); got != "[student mate]" {
			t.Errorf("members: %s", got)
		}
	})
}

func TestACrowdCannotOverfillAGroup(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.set(`UPDATE group_sets SET capacity = 12`)
		w.group("Rush", "tutorialA")
		var wg sync.WaitGroup
		var mu sync.Mutex
		codes := map[int]int{}
		for i, who := range w.crowd(0, 50) {
			if i%3 == 0 { // some come from another group
				w.add("", "group_memberships", row{"group_set_id": w.id["set"], "unit_group_id": w.id["group"],
					"project_id": w.id["project:"+who]})
			}
			wg.Go(func() {
				got := w.do(who, "POST "+groupsOfA+"/{Rush}/members/{project:"+who+"}", nil)
				mu.Lock()
				codes[got.Code]++
				mu.Unlock()
			})
		}
		wg.Wait()
		if codes[201] != 12 || codes[409] != 38 {
			t.Errorf("answers: %v", codes)
		}
		if n := w.count(`group_memberships WHERE unit_group_id = $1 AND active`, w.id["Rush"]); n != 12 {
			t.Errorf("%d of 12 places are taken", n)
		}
	})
}

// Many make groups at once without a name: each gets one of its own, and each
// student is in the group they made.
func TestACrowdMakesGroups(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		var wg sync.WaitGroup
		for _, who := range w.crowd(0, 30) {
			wg.Go(func() {
				if got := w.do(who, "POST "+groupsOfA, named(w,
					`{"group":{"tutorial_id":«tutorialA»}}`)); got.Code != 201 {
					t.Errorf("%d %s", got.Code, got.Body)
				}
			})
		}
		wg.Wait()
		names := map[string]bool{}
		for _, g := range w.do("tutor", "GET "+groupsOfA, nil).status(200).list() {
			if g["name"] != "Red" && g["student_count"] != 1.0 {
				t.Errorf("%v has %v members", g["name"], g["student_count"])
			}
			names[g["name"].(string)] = true
		}
		for n := 1; n <= 30; n++ {
			if !names[fmt.Sprintf("Group %d", n)] {
				t.Errorf("Group %d is missing", n)
			}
		}
	})
}
