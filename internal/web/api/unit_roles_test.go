package api

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"lectern/internal/ground/clock"
)

var _ = rights(
	rightRow{"GET /api/unit_roles", "", "users", nil},
	rightRow{"POST /api/unit_roles", "/api/unit_roles?unit_id={unitA}&user_id={tutorB}", convenorsA,
		`{"role":"Tutor"}`},
	rightRow{"PUT /api/unit_roles/{id}", "/api/unit_roles/{role:tutor}", convenorsA, `{"unit_role":{"role_id":2}}`},
	rightRow{"DELETE /api/unit_roles/{id}", "/api/unit_roles/{role:tutor}", convenorsA, nil},
)

var _ = lists(listRow{route: "GET /api/unit_roles", who: "tutor", fill: employ("tutor")})

func TestOwnRoles(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		start, end := w.days()
		w.do("tutor", "GET /api/unit_roles", nil).status(200).is(fmt.Sprintf(`[{"id":«role:tutor»,"role":"Tutor","role_id":2,
			"user":{"id":«tutor»,"email":"tutor@example.edu","first_name":"Tutor","last_name":"Person","username":"tutor","nickname":"tutor"},
			"unit":{"code":"SIT10A","id":«unitA»,"name":"Unit A","my_role":"Tutor","teaching_period_id":«T1»,"start_date":"%s","end_date":"%s","active":true}}]`, start, end))
		for _, who := range []string{"student", "admin", "outsider"} {
			w.do(who, "GET /api/unit_roles", nil).status(200).is(`[]`)
		}
		w.set(`UPDATE units SET active = FALSE WHERE id = $1`, w.id["unitA"])
		w.do("tutor", "GET /api/unit_roles?active_only=true", nil).status(200).is(`[]`)
		if got := w.do("tutor", "GET /api/unit_roles?active_only=false", nil).status(200).list(); len(got) != 1 {
			t.Errorf("got %v", got)
		}
	})
}

func TestEmploy(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		post := func(user, role string) *answered {
			return w.do("convenor", "POST /api/unit_roles", form{"unit_id": w.path("{unitA}"),
				"user_id": w.path("{" + user + "}"), "role": role})
		}
		made := post("tutorB", "tutor").status(201).has(`{"role":"Tutor","role_id":2,
			"user":{"id":«tutorB»,"email":"tutorb@example.edu","first_name":"Tutorb","last_name":"Person","username":"tutorB","nickname":"tutorb"}}`)
		if unit := made.object()["unit"].(map[string]any); unit["my_role"] != "Convenor" || unit["code"] != "SIT10A" {
			t.Errorf("the unit is %v", unit)
		}
		first := made.object()["id"]
		if again := post("tutorB", "Tutor").status(201).object()["id"]; again != first {
			t.Errorf("employed twice: %v and %v", first, again)
		}
		post("tutorB", "Convenor").status(422).says("Convenor")
		post("convenorB", "Tutor").status(201)
		post("convenorB", "Convenor").status(409).says("change unit role")
		post("admin", "Convenor").status(201)
		for role, status := range map[string]int{"Student": 422, "Admin": 422, "Tutors": 400, "TutorConvenor": 400,
			" ": 400} {
			post("tutor", role).status(status)
		}
		post("outsider", "Tutor").status(422).says("Tutor")
		w.do("convenor", "POST /api/unit_roles", form{"unit_id": w.path("{unitA}"), "user_id": "999999",
			"role": "Tutor"}).status(404)
		w.do("admin", "POST /api/unit_roles", form{"unit_id": "999999", "user_id": "1", "role": "Tutor"}).status(404)
		w.do("admin", "POST /api/unit_roles", `{}`).status(400).says("unit_id", "user_id", "role")
	})
}

func TestChangeRole(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		put := func(role string, id int) *answered {
			return w.do("admin", "PUT /api/unit_roles/{"+role+"}",
				fmt.Sprintf(`{"unit_role":{"role_id":%d,"user_id":1}}`, id))
		}
		put("role:tutor", 3).status(422).says("Convenor")
		put("role:convenor", 2).status(409).says("main convenor")
		put("role:convenor", 3).status(200)
		for _, id := range []int{0, 4, -2, 99} {
			put("role:tutor", id).status(400).says("role_id")
		}
		put("role:tutor", 1).status(422).says("role_id", "POST /api/projects") // a Student
		w.do("admin", "PUT /api/unit_roles/{role:tutor}", `{"unit_role":{}}`).status(400).says("unit_role[role_id]")
		w.do("admin", "PUT /api/unit_roles/999999", `{"unit_role":{"role_id":2}}`).status(404)
		w.set(`UPDATE users SET role = 3 WHERE id = $1`, w.id["tutor"])
		put("role:tutor", 3).status(200).has(`{"role":"Convenor","role_id":3}`)
		put("role:tutor", 2).status(200).has(`{"role":"Tutor"}`)

		w.set(`UPDATE unit_roles SET is_main = FALSE WHERE id = $1`, w.id["role:convenor"])
		put("role:convenor", 2).status(409).says("last convenor")
		put("role:tutor", 3).status(200)
		w.do("admin", "GET /api/units/{unitA}", nil).has(`{"main_convenor_id":«role:tutor»}`)
		put("role:convenor", 2).status(200)
	})
}

func TestDismiss(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("convenor", "DELETE /api/unit_roles/{role:convenor}", nil).status(409).says("main convenor")
		if got := w.do("convenor", "DELETE /api/unit_roles/{role:tutor}", nil).status(204).Body.String(); got != "" {
			t.Errorf("a body: %q", got)
		}
		w.do("convenor", "DELETE /api/unit_roles/{role:tutor}", nil).status(404)
		w.do("tutor", "GET /api/units/{unitA}", nil).status(403)
		if n := w.count("tutorials WHERE id = $1 AND unit_role_id IS NULL", w.id["tutorialA"]); n != 1 {
			t.Error("the tutorial is gone or still has its tutor")
		}
		w.set(`UPDATE unit_roles SET is_main = FALSE WHERE id = $1`, w.id["role:convenor"])
		w.do("convenor", "DELETE /api/unit_roles/{role:convenor}", nil).status(409).says("last convenor")
	})
}

// TestLastConvenorStays has all the convenors of a unit leave at once, by every
// way out there is. The admin who asks is none of them: whoever loses a standing while
// they ask is refused for that.
func TestLastConvenorStays(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.set(`UPDATE unit_roles SET is_main = FALSE WHERE unit_id = $1`, w.id["unitA"])
		requests := []string{"DELETE /api/unit_roles/{role:convenor}"}
		for i, person := range []string{"tutorB", "convenorB"} {
			name := fmt.Sprint("leaver", i)
			w.add(name, "unit_roles", row{"unit_id": w.id["unitA"], "user_id": w.id[person], "role": 3,
				"created_at": clock.At(w.now), "updated_at": clock.At(w.now)})
			requests = append(requests, []string{"DELETE", "PUT"}[i]+" /api/unit_roles/{"+name+"}")
		}
		var all sync.WaitGroup
		codes := make([]int, len(requests))
		for i, request := range requests {
			all.Go(func() { codes[i] = w.do("admin", request, `{"unit_role":{"role_id":2}}`).Code })
		}
		all.Wait()
		slices.Sort(codes)
		if n := w.count("unit_roles WHERE unit_id = $1 AND role = 3", w.id["unitA"]); n != 1 || codes[2] != 409 ||
			codes[1] >= 300 {
			t.Errorf("%d convenors are left after %v", n, codes)
		}
	})
}

// TestMainConvenorStays makes someone the main convenor while they leave.
func TestMainConvenorStays(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for range 5 {
			role := w.add("heir", "unit_roles", row{"unit_id": w.id["unitA"], "user_id": w.id["convenorB"], "role": 3,
				"created_at": clock.At(w.now), "updated_at": clock.At(w.now)})
			var all sync.WaitGroup
			var appoint, leave int
			all.Go(func() {
				appoint = w.do("admin", "PUT /api/units/{unitA}", fmt.Sprintf(`{"unit":{"main_convenor_id":%d}}`,
					role)).Code
			})
			all.Go(func() { leave = w.do("admin", "DELETE /api/unit_roles/{heir}", nil).Code })
			all.Wait()
			if n := w.count("unit_roles WHERE unit_id = $1 AND is_main", w.id["unitA"]); n != 1 {
				t.Fatalf("%d main convenors after %d and %d", n, appoint, leave)
			}
			w.set(`UPDATE unit_roles SET is_main = FALSE WHERE unit_id = $1`, w.id["unitA"])
			w.set(`UPDATE unit_roles SET is_main = TRUE WHERE id = $1`, w.id["role:convenor"])
			w.set(`DELETE FROM unit_roles WHERE id = $1`, role)
		}
	})
}
