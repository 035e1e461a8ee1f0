package site_test

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"lectern/internal/ground/clock"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
)

const unitSettings = "/units/{id}/settings"

func init() {
	for _, at := range []string{unitSettings, unitSettings + "/close"} {
		pages["GET "+at] = [4]int{303, 403, 403, 403}
		pages["POST "+at] = [4]int{401, 403, 403, 403}
	}
	pages["POST "+unitSettings+"/reopen"] = [4]int{401, 403, 403, 403}
}

// convenor employs Cora in Ann's unit, as a convenor beside Tom, and signs her in.
func (w *world) convenor() *world {
	w.Helper()
	w.person("cora", policy.Convenor)
	w.tx(func(ctx context.Context, q db.Q) error {
		_, err := db.Exec(ctx, q, `INSERT INTO unit_roles (unit_id, user_id, role, is_main, created_at, updated_at)
			SELECT u.id, p.id, 3, TRUE, $1, $1 FROM units u, users p WHERE p.username = 'cora'`, q.Now())
		return err
	})
	return w.as("cora")
}

// convened is Ann's unit with Cora as its convenor, who reads.
func (w *world) convened() *reader {
	w.Helper()
	w.waiting()
	w.exec(`UPDATE units SET name = 'Logic', description = 'About'`)
	w.convenor()
	return w.reader("cora")
}

// startLater is the first day of the unit, some days later.
func (w *world) startLater(days int) string {
	w.Helper()
	d, err := clock.ParseDate(w.one(`SELECT start_date FROM units`))
	if err != nil {
		w.Fatal(err)
	}
	return d.AddDays(days).String()
}

// setting is the form of the settings as a browser would send it.
func (r *reader) setting() url.Values {
	r.Helper()
	for _, f := range r.forms() {
		if f.values.Get("unit[code]") != "" {
			return f.values
		}
	}
	r.Fatal("there is no form of the settings")
	return nil
}

// looks reads the page that a form was answered with, whatever its status.
func (r *reader) looks(path string, a *answer) *reader {
	r.Helper()
	doc, err := html.Parse(strings.NewReader(a.Body.String()))
	if err != nil {
		r.Fatal(err)
	}
	r.at, r.doc, r.text = path, doc, a.Body.String()
	return r
}

// A convenor changes the settings of a unit; what is wrong stands at its field.
func TestTheSettingsOfAUnit(t *testing.T) {
	each(t, func(w *world) {
		cora, path := w.convened(), w.path(unitSettings)
		w.person("ada", policy.Admin)
		cora.open(path).does(act{form: "/settings", fill: map[string]string{
			"unit[name]": "Logic & proof", "unit[feedback_days]": "5", "unit[allow_review_requests]": "",
			"unit[time_zone]": "Asia/Kolkata"}}).
			sees("Settings saved.").sees(`value="Logic &amp; proof"`).sees(`value="5"`).sees("<option selected>Asia/Kolkata")
		if got := w.one(`SELECT count(*) FROM units WHERE name = 'Logic & proof' AND feedback_days = 5
			AND NOT allow_review_requests AND send_notifications AND time_zone = 'Asia/Kolkata'`); got != "1" {
			t.Errorf("%s units are as they were set", got)
		}
		cora.sees("Main convenor of this unit").sees("Tutor of this unit").sees("Administrator, sees every unit").
			sees("2 enrolled students").sees("See the unit and their own work")
		bad := cora.setting()
		bad.Set("unit[feedback_days]", "soon")
		bad.Set("unit[code]", "OTHER")
		cora.do(path, bad).status(422).says("Must be a whole number.").says(`aria-describedby="feedback_days-error"`).
			says(`value="OTHER"`).says("Nothing is saved yet.")
		bad.Set("unit[feedback_days]", "99")
		bad.Set("unit[name]", " ")
		cora.do(path, bad).status(400).says("feedback_days-error").says("name-error")
		if got := w.one(`SELECT count(*) FROM units WHERE code = 'OTHER'`); got != "0" {
			t.Error("half of a change was saved")
		}
		cora.open(path).follows("Close unit").sees("Close this unit?").does(act{form: "/close"}).sees("Closed")
		if got := w.as("tom").do("/home", nil).text(); strings.Contains(got, w.path("/units/{id}/inbox")) {
			t.Errorf("a closed unit is at home: %s", got)
		}
		cora.does(act{form: "/reopen"})
		if got := w.one(`SELECT count(*) FROM units WHERE active`); got != "1" {
			t.Error("the unit is closed")
		}
	})
}

// When dates move, what moves with them is shown before anything is saved, and again for other dates.
func TestSettingsShowWhatMovesFirst(t *testing.T) {
	each(t, func(w *world) {
		cora, path := w.convened(), w.path(unitSettings)
		first := func() string { return w.one(`SELECT min(start_date) FROM task_definitions`) }
		before := first()
		cora.open(path).does(act{form: "/settings", fill: map[string]string{"unit[start_date]": w.startLater(7),
			"unit[name]": "Later"}}).sees("Review what moves").sees("2 tasks").
			sees(`<s><time datetime="` + before[:10] + `"`).sees("Nothing is saved yet.").sees(`value="Later"`)
		if now := first(); now != before || w.one(`SELECT count(*) FROM units WHERE name = 'Later'`) != "0" {
			t.Errorf("a plan moved a task from %s to %s, or renamed the unit", before, now)
		}
		cora.does(act{form: "/settings", press: "Save and move dates",
			fill: map[string]string{"unit[start_date]": w.startLater(14)}}).sees("Review what moves")
		if now := first(); now != before {
			t.Errorf("dates were saved that nobody saw the plan of: %s", now)
		}
		cora.does(act{form: "/settings", press: "Save and move dates"}).sees("Settings saved.")
		if got := w.startLater(0); first()[:10] != got || got == before[:10] {
			t.Errorf("the unit begins on %s and its first task on %s", got, first())
		}
		if got := w.one(`SELECT count(*) FROM units WHERE name = 'Later'`); got != "1" {
			t.Error("the name was lost on the way")
		}
		cora.does(act{form: "/settings", fill: map[string]string{"unit[end_date]": w.startLater(20)}}).
			sees("2 tasks have their target date outside the new dates")
		late := cora.setting()
		late.Set("unit[end_date]", w.startLater(-1))
		cora.do(path, late).status(422).says("end_date-error").lacks("Review what moves")
	})
}

// Two change a unit at once: what one of them did not touch stays as the other left it, and a field
// that both changed is told with both values before anything is saved.
func TestTwoChangeSettingsAtOnce(t *testing.T) {
	each(t, func(w *world) {
		cora, path := w.convened(), w.path(unitSettings)
		mine := cora.open(path).setting()
		w.exec(`UPDATE units SET name = 'Theirs', feedback_days = 9`)
		mine.Set("unit[code]", "MINE1")
		cora.do(path, mine).status(303)
		if got := w.one(`SELECT code || name || feedback_days FROM units`); got != "MINE1Theirs9" {
			t.Errorf("the unit is %s", got)
		}
		mine = cora.open(path).setting()
		w.exec(`UPDATE units SET name = 'Theirs again', feedback_days = 10, end_date = '2999-02-01'`)
		mine.Set("unit[name]", "Mine")
		mine.Set("unit[code]", "MINE2")
		mine.Set("unit[end_date]", "2999-03-01")
		again := cora.do(path, mine).status(409).says("A colleague changed this to “Theirs again”").says("1 Feb 2999").
			says(`value="Mine"`).says(`value="MINE2"`).says(`value="10"`).lacks("code-error")
		if got := w.one(`SELECT code || name FROM units`); got != "MINE1Theirs again" {
			t.Errorf("what a colleague wrote was overwritten, or half of a change saved: %s", got)
		}
		mine = cora.looks(path, again).setting()
		if mine.Get("unit[feedback_days]") != "10" || mine.Get("seen[name]") != "Theirs again" {
			t.Errorf("what a colleague changed is not in the form: %v", mine)
		}
		for _, f := range []string{"teaching_period_id", "start_date", "end_date"} { // what moves was seen
			mine.Set("planned["+f+"]", mine.Get("unit["+f+"]"))
		}
		cora.do(path, mine).status(303)
		if got := w.one(`SELECT code || name || feedback_days FROM units
			WHERE end_date = '2999-03-01'`); got != "MINE2Mine10" {
			t.Errorf("saved once more, the unit is %s", got)
		}
	})
}
