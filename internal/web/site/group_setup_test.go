package site_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"lectern/internal/platform/db"
)

const (
	groupSetup = "/units/{id}/settings/groups"
	aSetOf     = "/units/{unit_id}/settings/groups/{group_set_id}"
	aGroupOf   = aSetOf + "/groups/{group_id}"
	aMemberOf  = aSetOf + "/members/{project_id}"
)

func init() {
	for _, at := range []string{groupSetup, groupSetup + "/new"} {
		pages["GET "+at] = [4]int{303, 403, 403, 403} // a tutor sets up nothing
	}
	for _, at := range []string{groupSetup + "/new", groupSetup + "/restore"} {
		pages["POST "+at] = [4]int{401, 403, 403, 403}
	}
	for _, at := range []string{aSetOf, aSetOf + "/edit", aSetOf + "/delete", aSetOf + "/groups/new", aGroupOf,
		aGroupOf + "/delete", aMemberOf, aSetOf + "/groups.csv", aSetOf + "/members.csv", aSetOf + "/import/groups",
		aSetOf + "/import/members"} {
		pages["GET "+at] = [4]int{303, 404, 404, 404} // there is no such set
	}
	for _, at := range []string{aSetOf + "/edit", aSetOf + "/delete", aSetOf + "/groups/new", aGroupOf, aGroupOf + "/lock",
		aGroupOf + "/delete", aMemberOf, aSetOf + "/import/groups", aSetOf + "/import/groups/plan", aSetOf + "/import/members",
		aSetOf + "/import/members/plan"} {
		pages["POST "+at] = [4]int{401, 404, 404, 404}
	}
}

// grouping makes Tom the convenor of Ann's unit, which has three tutorials and a set of groups: Ann and Bea
// are in the tutorial of its groups, and in none of those. It gives where the set stands.
func (w *world) grouping() (*reader, string) {
	w.Helper()
	tom := w.convening()
	w.classes()
	w.exec(`UPDATE unit_groups SET name = 'Red' WHERE name <> 'Full'`)
	w.exec(`INSERT INTO tutorial_enrolments (project_id, tutorial_id)
		SELECT p.id, t.id FROM projects p, tutorials t WHERE t.abbreviation = 'Two'`)
	return tom, w.path(groupSetup) + "/" + w.one(`SELECT max(id) FROM group_sets`)
}

// group is the number of a group, and member that of somebody's project.
func (w *world) group(name string) string {
	w.Helper()
	return w.one(`SELECT id FROM unit_groups WHERE name = '` + name + `'`)
}

func (w *world) member(name string) string {
	w.Helper()
	return w.one(`SELECT p.id FROM projects p JOIN users u ON u.id = p.user_id WHERE u.username = '` + name + `'`)
}

// groupOf tells which group somebody is in.
func (w *world) groupOf(name string) string {
	w.Helper()
	return w.one(`SELECT coalesce(max(g.name), 'none') FROM group_memberships m JOIN unit_groups g
		ON g.id = m.unit_group_id JOIN projects p ON p.id = m.project_id JOIN users u ON u.id = p.user_id
		WHERE m.active AND u.username = '` + name + `'`)
}

// filled are the fields of the form on the page that has a field.
func (r *reader) filledIn(field string) url.Values {
	r.Helper()
	for _, f := range r.forms() {
		if f.values.Has(field) {
			return f.values
		}
	}
	r.Fatalf("%s has no field %s", r.at, field)
	return nil
}

// A convenor makes a set and groups in it, changes their rules, locks, deletes and brings back.
func TestGroupSetsAreSetUp(t *testing.T) {
	each(t, func(w *world) {
		tom := w.convening()
		list := w.path(groupSetup)
		tom.open(list).sees("No groups yet").follows("New set")
		tom.does(act{form: "/new", fill: map[string]string{"group_set[name]": "Teams", "group_set[capacity]": "3"}}).
			sees("Saved.").sees("Up to 3 students").sees("this unit has none yet")
		w.classes()
		set := list + "/" + w.one(`SELECT min(id) FROM group_sets`)
		tom.open(set).sees("Not in a group").follows("New group").does(act{form: "/groups/new",
			fill: map[string]string{"group[name]": "Bits & Pieces"}}).sees("Bits &amp; Pieces").sees("0 of 3")
		sent := tom.open(set + "/groups/new").filledIn("group[name]")
		sent.Set("group[name]", "Bits & Pieces")
		tom.do(set+"/groups/new", sent).status(409).says("has the name").says(`value="Bits &amp; Pieces"`)
		sent.Set("group[capacity_adjustment]", "many")
		tom.do(set+"/groups/new", sent).status(422).says("Must be a whole number").says(`value="many"`)
		sent = tom.open(set + "/edit").filledIn("group_set[name]")
		for _, wrong := range []string{"1", "0", "-4"} {
			sent.Set("group_set[capacity]", wrong)
			if a := tom.do(set+"/edit", sent); a.Code < 400 || !strings.Contains(a.Body.String(), "ust be 2 or more") {
				t.Errorf("a capacity of %s is answered by %d", wrong, a.Code)
			}
		}
		tom.open(set).does(act{form: "/lock"}).sees("Unlock group").does(act{form: "/lock"}).sees("Lock group")
		tom.open(set + "/delete").sees("3 groups are deleted.").does(act{form: "/delete"}).sees("Deleted:").
			does(act{form: "/restore", press: "Undo"}).sees("Restored.").sees("Bits &amp; Pieces")
		group := set + "/groups/" + w.group("Bits & Pieces")
		tom.open(group + "/delete").sees("0 students are left").does(act{form: "/delete"}).
			does(act{form: "/restore", words: "restored until"}).sees("Restored.").sees("Bits &amp; Pieces")
		tom.do(list+"/restore", url.Values{"deletion": {"4711"}}).status(404)
	})
}

// Two change a set or a group at once: what one of them did not touch stays as the other left it, and a
// field that both changed is told with both values before anything is saved.
func TestTwoChangeAGroupAtOnce(t *testing.T) {
	each(t, func(w *world) {
		tom, set := w.grouping()
		sent := tom.open(set + "/edit").filledIn("group_set[name]")
		w.exec(`UPDATE group_sets SET name = 'Theirs', capacity = 5`)
		sent.Set("group_set[locked]", "true")
		tom.do(set+"/edit", sent).status(303)
		if got := w.one(`SELECT name || capacity FROM group_sets WHERE locked`); got != "Theirs5" {
			t.Errorf("the set is %s", got)
		}
		sent = tom.open(set + "/edit").filledIn("group_set[name]")
		w.exec(`UPDATE group_sets SET capacity = 6`)
		sent.Set("group_set[capacity]", "4")
		tom.do(set+"/edit", sent).status(409).says("It is now: 6.").says(`value="4"`)
		group := set + "/groups/" + w.group("Red")
		sent = tom.open(group).filledIn("group[name]")
		w.exec(`UPDATE unit_groups SET capacity_adjustment = 9, name = 'Rouge' WHERE name = 'Red'`)
		sent.Set("group[name]", "Mine")
		tom.do(group, sent).status(409).says("It is now: Rouge.").says(`value="Mine"`).says(`value="9"`)
		tom.do(group, url.Values{"group[name]": {"Mine"}}).status(400)
		if got := w.one(`SELECT count(*) FROM unit_groups WHERE name = 'Mine'`); got != "0" {
			t.Error("what a colleague wrote was overwritten")
		}
	})
}

// Students are put into groups, moved and taken out, with the way back; a full group, another tutorial, a
// lock and a colleague who was faster are told in words.
func TestStudentsMoveBetweenGroups(t *testing.T) {
	each(t, func(w *world) {
		tom, set := w.grouping()
		ann := set + "/members/" + w.member("ann")
		tom.open(set).sees("Not in a group").follows("Move ann")
		tom.does(act{form: ann, fill: map[string]string{"group_id": w.group("Red")}}).sees("moved to")
		if got := w.groupOf("ann"); got != "Red" {
			t.Errorf("Ann is in %s", got)
		}
		tom.does(act{form: ann, press: "Undo"}).sees("is no longer in a group")
		move := func(from, to string, more ...string) *answer {
			v := url.Values{"group_id": {to}, "seen": {from}}
			for _, name := range more {
				v.Set(name, "true")
			}
			return tom.do(ann, v)
		}
		red, full := w.group("Red"), w.group("Full")
		move("0", full).status(409).says("is full").says("Add anyway")
		move("0", full, "exceed").status(303)
		move("0", red).status(409).says("in the meantime").says("Full")
		move(full, red).status(303)
		w.exec(`UPDATE unit_groups SET locked = TRUE WHERE name = 'Red'`)
		move(red, "0").status(409).says("is locked")
		w.exec(`UPDATE unit_groups SET locked = FALSE`)
		w.exec(`UPDATE unit_groups SET tutorial_id = (SELECT id FROM tutorials WHERE abbreviation = 'Far')
			WHERE name = 'Full'`)
		move(red, full, "exceed").status(422).says("stays in tutorial Far")
		tom.open(ann).sees("are not listed")
		move(red, "0").status(303)
		move(red, "0").status(404).says("not in the group")
		if got := w.groupOf("ann"); got != "none" {
			t.Errorf("Ann is in %s", got)
		}
		tom.do(set+"/members/4711", nil).status(404)
	})
}

// A board is narrowed to a tutorial, a name, and to groups with free places or locked ones.
func TestABoardIsNarrowed(t *testing.T) {
	each(t, func(w *world) {
		tom, set := w.grouping()
		w.exec(`UPDATE unit_groups SET locked = TRUE WHERE name = 'Full'`)
		shows := func(query, names string) {
			t.Helper()
			tom.open(set + query)
			var found []string
			for _, name := range []string{"Red", "Full"} {
				if strings.Contains(tom.text, `id="group-`+w.group(name)+`"`) {
					found = append(found, name)
				}
			}
			if got := strings.Join(found, " "); got != names {
				t.Errorf("%s shows %q, not %q", query, got, names)
			}
		}
		shows("", "Red Full")
		shows("?show=free", "Red")
		shows("?show=locked", "Full")
		shows("?text=RED", "Red")
		shows("?tutorial="+w.one(`SELECT id FROM tutorials WHERE abbreviation = 'Far'`), "")
		shows("?tutorial=x&show=y&page=-4", "Red Full")
		tom.do(set+"/members/"+w.member("ann"), url.Values{"group_id": {w.group("Red")}, "seen": {"0"}}).status(303)
		shows("?text=ann", "Red")
		w.exec(`INSERT INTO unit_groups (group_set_id, tutorial_id, name) SELECT group_set_id, tutorial_id, 'G' || n
			FROM unit_groups, (` + manyNumbers(30) + `) AS x WHERE name = 'Red'`)
		tom.open(set).sees("1–24 of 32").follows("Next").sees("25–32 of 32")
	})
}

// manyNumbers is a query of the numbers from 1 to n.
func manyNumbers(n int) string {
	rows := make([]string, n)
	for i := range rows {
		rows[i] = fmt.Sprintf("SELECT %d AS n", i+1)
	}
	return strings.Join(rows, " UNION ALL ")
}

// Groups and members come by sheets that are looked at first; with a mistake in any row nothing is
// imported, and every row says what is wrong. What goes out comes back as it is.
func TestGroupsByASheet(t *testing.T) {
	each(t, func(w *world) {
		tom, set := w.grouping()
		if out := tom.do(set+"/groups.csv", nil).status(200).Body.String(); !strings.Contains(out, "Red,0,Two") {
			t.Errorf("out went %s", out)
		}
		tom.do(set+"/members.csv", nil).status(200)
		sends := func(rows string) act { return act{form: "/plan", files: map[string]string{"file": rows}} }
		tom.open(set + "/import/groups").does(sends("group_name;capacity_adjustment;tutorial\nBlue;1;Two\nBlue;0;Two\nGreen;x;Two\n")).
			sees("2 rows have mistakes").sees("Blue is already in").sees("must be a whole number")
		tom.does(sends("group_name,capacity_adjustment,tutorial\nBlue,1,Two\nRed,0,Two\n")).sees("1 row will be imported").
			sees("is like this already").does(act{form: "/import/groups"}).sees("1 group imported.")
		tom.open(set + "/import/members").does(sends("group_name,username\nBlue,nobody\nNone,ann\nRed,bea\nBlue,bea\n")).
			sees("3 rows have mistakes").sees("there is no user nobody").sees("there is no group None").sees("bea is already in")
		if got := w.groupOf("bea"); got != "none" {
			t.Errorf("a plan put Bea into %s", got)
		}
		tom.does(sends("group_name,username\nBlue,ann\nRed,bea\n")).sees("2 rows will be imported").
			does(act{form: "/import/members"}).sees("2 students moved.")
		if got := w.groupOf("ann") + w.groupOf("bea"); got != "BlueRed" {
			t.Errorf("they are in %s", got)
		}
		for text, why := range map[string]string{"name,user\nx,y\n": "Missing headings", "group_name,username\nBl\xfcm,ann\n": "UTF-8",
			"": "empty"} {
			a := tom.parts(set+"/import/members/plan", "text/html", nil, file{field: "file", name: "a.csv", text: text})
			if a.Code < 400 || !strings.Contains(a.Body.String(), why) {
				t.Errorf("%q is answered by %d", text, a.Code)
			}
		}
	})
}

// setsUpGroups does all that a convenor does with groups.
func (r *reader) setsUpGroups() {
	r.Helper()
	list := r.path(groupSetup)
	r.exec(`INSERT INTO tutorials (unit_id, abbreviation, meeting_day, meeting_time, meeting_location)
		SELECT max(id), 'Gr1', 'Monday', '9:00', 'B2' FROM units`)
	r.open(list).follows("New set").does(act{form: list + "/new", fill: map[string]string{"group_set[name]": "Pairs"}})
	set := list + "/" + r.one(`SELECT max(id) FROM group_sets`)
	r.open(set).follows("New group").does(act{form: "/groups/new", fill: map[string]string{"group[name]": "One"}}).
		does(act{form: set, fill: map[string]string{"text": "One"}}).sees("One")
	one := set + "/groups/" + r.one(`SELECT max(id) FROM unit_groups`)
	r.open(one).does(act{form: one, fill: map[string]string{"group[name]": "Uno"}}).sees("Uno").
		does(act{form: "/lock"}).does(act{form: "/lock"})
	r.open(set + "/edit").does(act{form: "/edit", fill: map[string]string{"group_set[capacity]": "2"}}).sees("Up to 2")
	for _, page := range []string{one, set + "/edit", set + "/groups/new"} {
		r.open(page).does(act{form: set, fill: map[string]string{"text": "Uno"}})
		r.open(page).does(act{form: "/lock"}).does(act{form: "/lock"})
	}
	member := set + "/members/" + r.one(`SELECT min(id) FROM projects WHERE enrolled`)
	r.open(member).does(act{form: member, press: "Move"}).does(act{form: member, press: "Undo"})
	r.open(member).does(act{form: member, press: "Move"})
	r.open(member).does(act{form: member, words: "Take out of group"}).sees("is no longer in a group")
	for kind, rows := range map[string]string{"groups": "group_name,capacity_adjustment,tutorial\nTwo,0,Gr1\n",
		"members": "group_name,username\nUno,bea\n"} {
		at := set + "/import/" + kind
		r.open(at).does(act{form: "/plan", files: map[string]string{"file": rows}}).does(act{form: at}).sees("Back to groups")
	}
	for _, at := range []string{one, set} {
		for _, again := range []string{"Undo", "restored until"} {
			r.open(at + "/delete").does(act{form: "/delete"}).does(act{form: "/restore", words: again}).sees("Restored.")
		}
	}
}

// A board takes as many statements for a hundred groups as for two.
func TestABoardTakesFewStatements(t *testing.T) {
	each(t, func(w *world) {
		tom, set := w.grouping()
		few := tom.statementsOf(set)
		w.exec(`INSERT INTO unit_groups (group_set_id, tutorial_id, name) SELECT group_set_id, tutorial_id, 'G' || n
			FROM unit_groups, (` + manyNumbers(100) + `) AS x WHERE name = 'Red'`)
		if many := tom.statementsOf(set); many != few || few > 16 {
			t.Errorf("%d statements with little, %d with much", few, many)
		}
	})
}

// statementsOf counts what a page takes.
func (r *reader) statementsOf(path string) int64 {
	r.Helper()
	req := httptest.NewRequest(http.MethodGet, path, http.NoBody)
	req.AddCookie(&http.Cookie{Name: "lectern", Value: r.cookie})
	req.Header.Set("Accept", "text/html")
	ctx, n := db.Counting(req.Context(), nil)
	a := httptest.NewRecorder()
	r.site.HTTP.ServeHTTP(a, req.WithContext(ctx))
	if a.Code != http.StatusOK {
		r.Fatalf("%s: %d", path, a.Code)
	}
	return n.N()
}
