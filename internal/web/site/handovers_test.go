package site_test

import (
	"fmt"
	"maps"
	"net/url"
	"strings"
	"testing"

	"lectern/internal/ground/clock"
	"lectern/internal/people/policy"
)

const someHandovers = "/units/{id}/promise/handovers"

func init() {
	maps.Copy(pages, map[string][4]int{
		"GET " + someHandovers:                         {303, 403, 200, 403},
		"POST " + someHandovers:                        {401, 403, 403, 403}, // Tom is no convenor
		"POST " + someHandovers + "/{handover_id}/end": {401, 403, 403, 403},
	})
}

// colleague adds Kim to the staff of the unit, who teaches Ann and Bea, and makes Tom its convenor.
func (w *world) colleague() {
	w.Helper()
	w.exec(`UPDATE unit_roles SET role = 3`)
	w.exec(`UPDATE users SET role = 3 WHERE username = 'tom'`)
	w.person("kim", policy.Tutor)
	w.exec(`INSERT INTO unit_roles (unit_id, user_id, role, created_at, updated_at)
		SELECT max(r.unit_id), max(u.id), 2, $1, $1 FROM unit_roles r, users u WHERE u.username = 'kim'`, w.db.Now())
	w.exec(`INSERT INTO tutorials (unit_id, unit_role_id, abbreviation, meeting_day, meeting_time, meeting_location,
			capacity)
		SELECT unit_id, id, 'Kims', 'Monday', '9:00', 'B2', -1 FROM unit_roles WHERE id = ` + w.roleOf("kim"))
	w.exec(`INSERT INTO tutorial_enrolments (project_id, tutorial_id) SELECT p.id, t.id FROM projects p, tutorials t
		WHERE t.abbreviation = 'Kims'`)
}

// roleOf is the role of somebody on the staff.
func (w *world) roleOf(name string) string {
	w.Helper()
	return w.one(`SELECT r.id FROM unit_roles r JOIN users u ON u.id = r.user_id WHERE u.username = '` + name + `'`)
}

// userOf is the number of somebody.
func (w *world) userOf(name string) string {
	w.Helper()
	return w.one(`SELECT id FROM users WHERE username = '` + name + `'`)
}

// Tom hands Kim's queue to himself for three days: both read of it, its rows are his and say whose they are,
// and it ends by his hand. What waits in the unit, and with Kim's students, is as many as before.
func TestAQueueIsHandedOverOnPages(t *testing.T) {
	each(t, func(w *world) {
		ids := w.waiting()
		w.colleague()
		tom, kim, path := w.as("tom"), w.as("kim"), w.path(someHandovers)
		today := clock.Day(w.db.Now().Time)
		tom.do(path, nil).status(200).says("No queue is handed over.").says(`value="` + today.String() + `"`)
		kim.do(path, nil).status(200).says("No queue is handed over.").lacks("<select id=\"role\"")
		form := url.Values{"role": {w.roleOf("kim")}, "staff": {w.roleOf("tom")}, "from": {today.String()},
			"until": {today.AddDays(-5).String()}}
		tom.do(path, form).status(422).says(`value="` + today.AddDays(-5).String() + `"`).says("checked").
			says("The last day is before the first.")
		for name, wrong := range map[string]string{"until": "Choose the first and the last day.", "role": "Choose whose",
			"staff": "No colleague is selected."} {
			bad := maps.Clone(form)
			bad.Set("until", today.String())
			bad.Del(name)
			tom.do(path, bad).status(422).says(wrong)
		}
		tom.do(path, url.Values{"role": form["staff"], "staff": form["staff"], "from": form["from"],
			"until": form["from"]}).status(422).says("Select others than")
		form.Set("until", today.AddDays(2).String())
		kim.do(path, form).status(403)
		tom.do(path, form).leadsTo(path)
		tom.do(path, form).status(409).says("already handed over")
		tom.do(path, nil).status(200).says("End now").lacks("Not started yet")
		kim.do(path, nil).status(200).says("kim &lt;b&gt;Person&lt;/b&gt;").lacks("End now")
		for _, at := range []string{"/home", w.path("/units/{id}/inbox")} {
			kim.do(at, nil).status(200).says("Your queue is with <strong><bdi>tom")
			tom.do(at, nil).status(200).says("You have the queue of <strong><bdi>kim")
		}
		const whose = "For <bdi>kim &lt;b&gt;Person&lt;/b&gt;</bdi>"
		row := fmt.Sprintf(`data-task="%d"`, ids[0])
		for _, at := range []string{w.path("/units/{id}/inbox"), w.path(aDesk)} {
			tom.do(at+"?who=mine", nil).status(200).says(row).says(whose)
			kim.do(at+"?who=mine", nil).status(200).lacks(row).lacks(whose)
			kim.do(at, nil).status(200).says(row).lacks(whose)
		}
		promise := w.path("/units/{id}/promise")
		kim.do(promise, nil).status(200).says(`href="` + path + `"`).lacks("Handed to")
		for _, at := range []string{promise, w.path("/units/{id}")} {
			tom.do(at, nil).status(200).says("Handed to <bdi>tom")
		}
		kims := fmt.Sprintf("%s?kind=to_mark&amp;tutor=%s", w.path("/units/{id}/inbox"), w.userOf("kim"))
		tom.do(promise, nil).status(200).says(fmt.Sprintf(`<a href="%s">%d</a>`, kims, len(ids)))
		if n := strings.Count(tom.do(strings.ReplaceAll(kims, "&amp;", "&"), nil).status(200).text(),
			"data-task="); n != len(ids) {
			t.Errorf("%d rows of Kim's students, not %d", n, len(ids))
		}
		w.sameNumbers(0)
		end := path + "/" + w.one(`SELECT max(id) FROM handovers`) + "/end"
		kim.do(end, url.Values{}).status(403)
		tom.do(end, url.Values{}).leadsTo(path)
		tom.do(end, url.Values{}).status(404)
		kim.do("/home", nil).status(200).lacks("Your queue is with")
		kim.do(w.path(aDesk)+"?who=mine", nil).status(200).says(row)
	})
}
