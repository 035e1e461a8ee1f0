package api

import "testing"

// Two change a set or a group at once: a value that both change is refused with what it is now, and
// what only one of them touched goes through.
func TestTwoChangeGroupsAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.tutorial("LA2", "streamA", "", 5)
		set := func(body string) *answered {
			return w.do("convenor", "PUT /api/units/{unitA}/group_sets/{set}", named(w, body))
		}
		set(`{"group_set":{"name":"Before","capacity":3,"locked":false}}`).status(200)
		set(`{"group_set":{"name":"Theirs","capacity":4}}`).status(200)
		seen := `"seen":{"name":"Before","capacity":3,"locked":false}`
		set(`{`+seen+`,"group_set":{"name":"Mine"}}`).status(409).says("group_set[name]", `"Theirs"`)
		set(`{`+seen+`,"group_set":{"capacity":null}}`).status(409).says("group_set[capacity]", "4")
		set(`{` + seen + `,"group_set":{"capacity":4,"locked":true}}`).status(200).
			has(`{"name":"Theirs","capacity":4,"locked":true}`)
		set(`{"group_set":{"locked":false}}`).status(200)

		group := func(body string) *answered { return w.do("convenor", "PUT "+red, named(w, body)) }
		group(`{"group":{"name":"Was","capacity_adjustment":1}}`).status(200)
		group(`{"group":{"name":"Theirs","capacity_adjustment":2}}`).status(200)
		seen = `"seen":{"name":"Was","capacity_adjustment":1,"tutorial_id":«LA2»}`
		group(`{`+seen+`,"group":{"name":"Mine"}}`).status(409).says("group[name]", `"Theirs"`)
		group(`{`+seen+`,"group":{"capacity_adjustment":5}}`).status(409).says("group[capacity_adjustment]", "2")
		group(`{` + seen + `,"group":{"locked":true}}`).status(200).has(`{"name":"Theirs","locked":true}`)
	})
}

// A student is not taken out of a group that whoever moves them did not see them in, and a full group
// takes nobody from those who ask for it to be kept within its places.
func TestMovingAStudentWhoWasMovedMeanwhile(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.group("blue", "tutorialA")
		w.do("convenor", "PUT /api/units/{unitA}/group_sets/{set}", `{"group_set":{"keep_groups_in_same_class":false}}`).status(200)
		join := func(body string) *answered {
			return w.do("convenor", "POST "+groupsOfA+"/{blue}/members/{project:student}", named(w, body))
		}
		join(`{"seen_group_id":0}`).status(409).says("Red", "Nothing was changed")
		join(`{"seen_group_id":«blue»}`).status(409).says("Red")
		join(`{"seen_group_id":«group»}`).status(201)
		if got := w.members("blue"); got != "[student]" {
			t.Errorf("in it are %s", got)
		}
		w.do("convenor", "DELETE "+groupsOfA+"/{blue}/members/{project:student}", nil).status(204)
		join(named(w, `{"seen_group_id":«blue»}`)).status(409).says("taken out")
		w.do("convenor", "PUT /api/units/{unitA}/group_sets/{set}", `{"group_set":{"capacity":2}}`).status(200)
		w.do("convenor", "PUT "+groupsOfA+"/{blue}", `{"group":{"capacity_adjustment":-2}}`).status(200)
		join(`{"exceed":false}`).status(409).says("full")
		join(`{}`).status(201)
	})
}
