package site_test

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"strings"
	"testing"

	"lectern/internal/platform/db"
)

const (
	aTutorial = "/projects/{project_id}/tutorials/{tutorial_id}"
	aGroupSet = "/projects/{project_id}/groups/{group_set_id}"
)

func init() {
	maps.Copy(pages, map[string][4]int{
		"GET /projects/{id}/tutorials":             {303, 200, 200, 403},
		"POST " + aTutorial + "/join":              {401, 404, 404, 404}, // there is no such tutorial
		"POST " + aTutorial + "/leave":             {401, 404, 404, 404},
		"GET /projects/{id}/groups":                {303, 200, 200, 403},
		"POST " + aGroupSet:                        {401, 404, 404, 404}, // there is no such set
		"POST " + aGroupSet + "/{group_id}/join":   {401, 404, 404, 404},
		"GET " + aGroupSet + "/{group_id}/leave":   {303, 404, 404, 404},
		"POST " + aGroupSet + "/{group_id}/leave":  {401, 404, 404, 404},
		"POST " + aGroupSet + "/{group_id}/rename": {401, 404, 404, 404},
	})
}

// classes gives Ann's unit two classes and one for another campus, and a set of
// groups with two of them, of which one is full.
func (w *world) classes() {
	w.tx(func(ctx context.Context, q db.Q) error {
		for _, text := range []string{
			`UPDATE units SET allow_student_change_tutorial = TRUE`,
			`INSERT INTO campuses (name, abbreviation, mode, active) VALUES ('<b>Here</b>', 'H', 'manual', TRUE),
				('There', 'T', 'manual', TRUE)`,
			`UPDATE projects SET campus_id = (SELECT min(id) FROM campuses)`,
			`INSERT INTO tutorials (unit_id, abbreviation, meeting_day, meeting_time, meeting_location, capacity)
				SELECT id, a, 'Monday', '<i>9:00</i>', 'B2', c FROM units,
				(SELECT '<b>One</b>' AS a, 1 AS c UNION ALL SELECT 'Two', -1 UNION ALL SELECT 'Far', -1) AS x
				WHERE units.id = (SELECT max(id) FROM units) ORDER BY a`,
			`UPDATE tutorials SET campus_id = (SELECT max(id) FROM campuses) WHERE abbreviation = 'Far'`,
			`INSERT INTO group_sets (unit_id, name, capacity, keep_groups_in_same_class)
				SELECT max(id), '<u>Teams</u>', 2, TRUE FROM units`,
			`INSERT INTO unit_groups (group_set_id, tutorial_id, name, capacity_adjustment)
				SELECT s.id, t.id, n, c FROM group_sets s, tutorials t,
				(SELECT '<b>Red</b>' AS n, 0 AS c UNION ALL SELECT 'Full', -2) AS x WHERE t.abbreviation = 'Two'`,
		} {
			if _, err := db.Exec(ctx, q, text); err != nil {
				return fmt.Errorf("%s: %w", text, err)
			}
		}
		return nil
	})
}

func TestTutorialsOnAPage(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		w.classes()
		ann, path := w.as("ann"), w.path("/projects/{id}/tutorials")
		id := func(name string) string { return w.one(`SELECT id FROM tutorials WHERE abbreviation = '` + name + `'`) }
		first := ann.do(path, nil).status(200).says("You are not in a tutorial yet.").says("is for campus There").
			says("&lt;i&gt;9:00").says("No limit of places").says("1 place left of 1")
		if strings.Contains(first.Body.String(), path+"/"+id("Far")+"/join") {
			t.Error("there is a button for another campus")
		}
		ann.sound(path, first)
		w.do(path+"/"+id("Two")+"/join", url.Values{}).status(401)
		for _, way := range []string{"/join", "/leave"} {
			w.as("eve").do(path+"/"+id("Two")+way, url.Values{}).status(403)
		}
		ann.do(path+"/"+id("<b>One</b>")+"/join", url.Values{}).leadsTo(path)
		ann.do(path, nil).says("Move here").says(path + "/" + id("<b>One</b>") + "/leave")
		ann.do(path+"/"+id("Two")+"/join", url.Values{}).leadsTo(path)
		ann.do(path+"/"+id("Far")+"/join", url.Values{}).status(422).says(`role="alert"`).says("Your tutorials")
		if n := w.one(`SELECT count(*) FROM tutorial_enrolments`); n != "1" {
			t.Errorf("Ann is in %s classes", n)
		}
		ann.do(path+"/"+id("Two")+"/leave", url.Values{}).leadsTo(path)
		ann.do(path, nil).says("You are not in a tutorial yet.")
		w.tx(func(ctx context.Context, q db.Q) error {
			_, err := db.Exec(ctx, q, `UPDATE units SET allow_student_change_tutorial = FALSE`)
			return err
		})
		fixed := ann.do(path, nil).says("Students cannot change tutorials")
		if strings.Contains(fixed.Body.String(), "/join") {
			t.Error("there is a button all the same")
		}
		ann.do(path+"/"+id("Two")+"/join", url.Values{}).status(403)
		w.as("tom").do(path+"/"+id("Two")+"/join", url.Values{}).leadsTo(path)
	})
}

func TestGroupsOnAPage(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		w.classes()
		ann, path := w.as("ann"), w.path("/projects/{id}/groups")
		set := path + "/" + w.one(`SELECT max(id) FROM group_sets`)
		group := func(name string) string {
			return set + "/" + w.one(`SELECT id FROM unit_groups WHERE name = '`+name+`'`)
		}
		two := w.one(`SELECT id FROM tutorials WHERE abbreviation = 'Two'`)
		ann.do(path, nil).status(200).says("You are not in a group").says("Join a tutorial first").
			says("you are not in it")
		ann.do(group("<b>Red</b>")+"/join", url.Values{}).status(422).says(`role="alert"`)
		ann.do(w.path("/projects/{id}/tutorials/")+two+"/join", url.Values{}).status(303)
		free := ann.do(path, nil).says("0 of 2 members").says("is full").says("Create and join")
		ann.sound(path, free)
		ann.do(group("<b>Red</b>")+"/join", url.Values{}).leadsTo(path)
		for _, to := range []string{set, group("Full") + "/join", group("<b>Red</b>") + "/leave",
			group("Full") + "/rename"} {
			w.as("eve").do(to, url.Values{"name": {"x"}, "tutorial_id": {two}}).status(403)
			w.do(to, url.Values{"name": {"x"}, "tutorial_id": {two}}).status(401)
		}
		ann.do(path, nil).says("ann@example.edu").says("Leave group").says("Leave your group before")
		ann.do(group("<b>Red</b>")+"/rename", url.Values{"name": {"Full"}}).status(409).says(`value="Full"`)
		ann.do(group("<b>Red</b>")+"/rename", url.Values{"name": {"Blue <3"}}).leadsTo(path)
		ann.do(path, nil).says("Blue &lt;3")
		ann.sound(path, ann.do(path, nil))
		ann.do(group("Full")+"/rename", url.Values{"name": {"Mine"}}).status(403)
		ann.do(group("Full")+"/leave", nil).status(404) // she is not in it
		ann.do(group("Blue <3")+"/leave", nil).status(200).says("Leave your group?").says("Blue &lt;3").
			says("You lose your place.").says(`href="` + path + `"`)
		if n := w.one(`SELECT count(*) FROM group_memberships WHERE active`); n != "1" {
			t.Errorf("the question alone left %s members", n)
		}
		ann.do(group("Blue <3")+"/leave", url.Values{}).leadsTo(path)
		ann.do(set, url.Values{"name": {"Full"}, "tutorial_id": {two}}).status(409).says(`value="Full"`)
		ann.do(set, url.Values{"name": {""}, "tutorial_id": {two}}).leadsTo(path)
		ann.do(path, nil).says("Group 1")
		w.tx(func(ctx context.Context, q db.Q) error {
			_, err := db.Exec(ctx, q, `UPDATE group_sets SET locked = TRUE`)
			return err
		})
		locked := ann.do(path, nil).says("are locked")
		for _, way := range []string{"/leave", "/join", "/rename"} {
			if strings.Contains(locked.Body.String(), way+`"`) {
				t.Errorf("a locked set offers %s", way)
			}
		}
		ann.do(group("Group 1")+"/leave", url.Values{}).status(409).says("locked")
	})
}
