package site_test

import (
	"fmt"
	"maps"
	"net/url"
	"strings"
	"testing"

	"lectern/internal/ground/clock"
)

const (
	adminUnits    = "/admin/units"
	adminPeriods  = "/admin/periods"
	adminPeriod   = "/admin/periods/{id}"
	adminBreak    = "/admin/periods/{teaching_period_id}/breaks/{id}"
	adminCampuses = "/admin/campuses"
	adminKinds    = "/admin/activity-types"
	adminImages   = "/admin/images"
)

func init() {
	shut, kept := [4]int{303, 403, 403, 403}, [4]int{401, 403, 403, 403} // who runs the service alone
	pages["GET "+adminUnits] = shut
	for _, at := range []string{adminPeriods, adminCampuses, adminKinds, adminImages} {
		pages["GET "+at] = shut
	}
	for _, at := range []string{adminPeriods + "/new", adminPeriod, adminPeriod + "/delete", adminPeriod + "/breaks/new",
		adminBreak, adminBreak + "/delete", adminPeriod + "/rollover", adminCampuses + "/new", adminCampuses + "/{id}",
		adminCampuses + "/{id}/delete", adminKinds + "/new", adminKinds + "/{id}", adminKinds + "/{id}/delete",
		adminImages + "/new", adminImages + "/{id}", adminImages + "/{id}/delete"} {
		pages["GET "+at], pages["POST "+at] = shut, kept
	}
	pages["POST "+adminPeriod+"/rollover/plan"] = kept
	pages["POST "+adminImages+"/{id}/pull"] = kept
	pages["GET "+adminImages+"/{id}/progress"] = shut
}

// administered is Ann's unit in a teaching period, with Ada who runs the service.
func (w *world) administered() *reader {
	w.Helper()
	w.waiting()
	w.administrator()
	id, start := w.period("Now", -14)
	w.exec(`UPDATE units SET code = 'SIT1', name = 'Logic', description = 'About', teaching_period_id = `+id+`, start_date = $1, end_date = $2`,
		start, start.AddDays(90))
	w.exec(`UPDATE task_definitions SET start_date = $1, target_date = $2, due_date = NULL`, start, start.AddDays(7))
	return w.reader("ada")
}

// Every unit is found by its code, name, period and whether it is closed, and leads to what can be done with
// it: a closed one is opened again.
func TestAClosedUnitIsFoundAndOpenedAgain(t *testing.T) {
	each(t, func(w *world) {
		ada := w.administered()
		w.exec(`UPDATE units SET active = FALSE`)
		ada.open("/home").follows("Units").sees("1 unit").sees("SIT1").sees("Now ")
		ada.does(act{form: adminUnits, fill: map[string]string{"text": "log"}}).sees("SIT1").sees("Closed")
		ada.open(adminUnits + "?show=open").sees("No unit matches.").open(adminUnits + "?show=closed&period=0").
			sees("No unit matches.").open(adminUnits + "?text=ogic").sees("No unit matches.")
		ada.open(adminUnits + "?show=wrong&period=x&page=-7").sees("SIT1")
		ada.open(adminUnits + "?show=closed").does(act{form: "/settings/reopen"}).sees("Close unit")
		ada.open(adminUnits + "?show=closed").sees("No unit matches.")
		w.exec(`DELETE FROM unit_roles`)
		ada.open(adminUnits).sees("None")
		w.as("tom").do("/home", nil).lacks(adminUnits)
	})
}

// A list of many units comes in pages that keep what it is narrowed by.
func TestManyUnitsComeInPages(t *testing.T) {
	each(t, func(w *world) {
		ada := w.administered()
		day := clock.Day(w.db.Now().Time)
		for i := range 120 {
			w.exec(fmt.Sprintf(`INSERT INTO units (code, name, description, start_date, end_date, active, created_at, updated_at)
				VALUES ('BIO%03d', 'Biology', 'About', $1, $1, FALSE, $2, $2)`, i), day, w.db.Now())
		}
		ada.open(adminUnits + "?text=bio").sees("1–100 of 120").sees("BIO000").follows("Next").sees("101–120 of 120").
			sees("BIO119").follows("Previous").sees("BIO099")
		if n := strings.Count(ada.text, `id="unit-`); n != 100 {
			t.Errorf("%d rows", n)
		}
		ada.open(adminUnits + "?page=99").sees("No unit matches.")
	})
}

// A period is made with a break, and moved after what moves was shown; then its units are rolled over after
// their plan, those that are ticked.
func TestAPeriodIsMovedAndRolledOverAfterItsPlan(t *testing.T) {
	each(t, func(w *world) {
		ada := w.administered()
		ada.movesAPeriod()
		ada.rollsAPeriodOver()
		if got := w.one(`SELECT count(*) FROM units WHERE code = 'SIT1'`); got != "2" {
			t.Errorf("%s units", got)
		}
		if got := w.one(`SELECT count(*) FROM audit_outbox WHERE entries LIKE '%"break_%'
			OR entries LIKE '%"teaching_period_%' OR entries LIKE '%"rolled_over"%'`); got != "9" {
			t.Errorf("%s entries of the audit log", got)
		}
	})
}

// days is a day as a browser writes it, some days from today.
func (r *reader) days(n int) string { return clock.Day(r.db.Now().Time).AddDays(n).String() }

// movesAPeriod adds a period with a break, changes both, and moves the period that a unit is in.
func (r *reader) movesAPeriod() {
	r.Helper()
	now := r.one(`SELECT min(id) FROM teaching_periods`)
	r.open(adminPeriods).follows("Add period").does(act{form: "/new", fill: map[string]string{"record[period]": "Next",
		"record[year]": "2031", "record[start_date]": r.days(120), "record[end_date]": r.days(210),
		"record[active_until]": r.days(220)}}).sees("Next 2031 is added.").sees("The period has no breaks.")
	r.follows("Add break").does(act{form: "/new", fill: map[string]string{"record[start_date]": r.days(141),
		"record[number_of_weeks]": "1"}}).sees("1 week").follows("–").does(act{form: "/breaks/" +
		r.one(`SELECT max(id) FROM breaks`), fill: map[string]string{"record[number_of_weeks]": "2"}}).sees("2 weeks")
	r.follows("Delete break").does(act{form: "/delete"}).sees("The period has no breaks.")
	r.follows("Add break").does(act{form: "/new", fill: map[string]string{"record[start_date]": r.days(141)}})
	r.open(adminPeriods + "/" + now).does(act{form: adminPeriods + "/" + now, fill: map[string]string{
		"record[start_date]": r.days(-7)}}).sees("1 unit moves").sees("Nothing is saved yet")
	if got := r.one(`SELECT start_date FROM units`); got != r.days(-14) {
		r.Errorf("the plan moved the unit to %s", got)
	}
	r.does(act{form: adminPeriods + "/" + now, press: "Save and move dates"}).sees("is saved.")
	if got := r.one(`SELECT start_date FROM units`) + r.one(`SELECT min(target_date) FROM task_definitions`); got !=
		r.days(-7)+r.days(0) {
		r.Errorf("the unit and its task are at %s", got)
	}
	r.open(adminPeriods + "/" + now + "/delete").sees("1 unit is in it")
	r.open(adminPeriods + "/new").does(act{form: "/new", fill: map[string]string{"record[period]": "Wrong",
		"record[year]": "2032", "record[start_date]": r.days(320), "record[end_date]": r.days(330),
		"record[active_until]": r.days(330)}}).follows("Delete").does(act{form: "/delete"}).sees("Wrong 2032 is deleted.")
}

// rollsAPeriodOver copies the units of a period into the next, after the plan.
func (r *reader) rollsAPeriodOver() {
	r.Helper()
	r.open(adminPeriods).follows("Roll over").sees("Next 2031").does(act{form: "/rollover/plan"}).sees("1 unit to copy").
		sees("SIT1").sees("Nothing is created yet.")
	if got := r.one(`SELECT count(*) FROM units`); got != "1" {
		r.Errorf("the plan made %s units", got)
	}
	r.does(act{form: "/rollover"}).sees("SIT1").sees("Next 2031")
	r.open(adminPeriods).follows("Roll over")
}

// What is wrong stands at its field, and what somebody else changed meanwhile with both values.
func TestWhatIsWrongWithAPeriodIsTold(t *testing.T) {
	each(t, func(w *world) {
		ada := w.administered()
		id := w.one(`SELECT min(id) FROM teaching_periods`)
		at := adminPeriods + "/" + id
		form := ada.open(at).filledIn("record[period]")
		with := func(pairs ...string) url.Values {
			f := maps.Clone(form)
			for i := 0; i < len(pairs); i += 2 {
				f[pairs[i]] = []string{pairs[i+1]}
			}
			return f
		}
		ada.do(at, with("record[year]", "soon")).status(422).says("year-error").says(`value="soon"`)
		ada.do(at, with("record[end_date]", ada.days(-90))).status(422).says("end_date-error")
		ada.do(at, with("seen", "!")).status(400)
		w.exec(`UPDATE teaching_periods SET period = 'Trimester 1' WHERE id = ` + id)
		ada.do(at, with("record[period]", "T1")).status(409).says("Trimester 1").says(`value="T1"`)
		ada.do(at, with("record[year]", "2040")).leadsTo(at + "?about=Trimester+1+2040&done=saved") // another field
		if got := w.one(`SELECT period || year FROM teaching_periods WHERE id = ` + id); got != "Trimester 12040" {
			t.Errorf("the period is %s", got)
		}
		ada.open(at + "/rollover").sees("There is no later period")
		w.period("Next", 120)
		ada.do(at+"/rollover/plan", url.Values{}).status(422).says("new_teaching_period_id-error")
		ada.do(at+"/rollover", url.Values{"to[new_teaching_period_id]": {id}}).status(422).says("Tick at least one")
		ada.do(at+"/delete", url.Values{}).status(409).says("1 unit")
		ada.do(at+"/breaks/new", url.Values{"record[start_date]": {"soon"}, "record[number_of_weeks]": {"1"}}).status(422).
			says("start_date-error")
		ada.do(at+"/breaks/new", url.Values{"record[start_date]": {ada.days(900)}, "record[number_of_weeks]": {"1"}}).
			status(422)
		ada.do(adminPeriods+"/new", url.Values{}).status(422).says("year-error").says("start_date-error")
		ada.do(adminPeriods+"/999", nil).status(404)
		ada.do(at+"/breaks/999", nil).status(404)
	})
}

// Campuses, activity types and images are added, changed and deleted; one that is in use says what uses it.
func TestCampusesKindsAndImages(t *testing.T) {
	each(t, func(w *world) {
		ada := w.administered()
		ada.setsUpPlaces()
		w.exec(`INSERT INTO campuses (name, mode, abbreviation, active) VALUES ('City', 'manual', 'C', TRUE)`)
		w.exec(`UPDATE projects SET campus_id = (SELECT id FROM campuses WHERE name = 'City')`)
		city := adminCampuses + "/" + w.one(`SELECT id FROM campuses WHERE name = 'City'`)
		ada.open(city + "/delete").sees("students are there").follows("Open the campus").sees("City")
		ada.do(city+"/delete", url.Values{}).status(409).says("use this campus")
		form := ada.open(city).filledIn("record[name]")
		w.exec(`UPDATE campuses SET name = 'Harbour' WHERE name = 'City'`)
		form.Set("record[name]", "Town")
		ada.do(city, form).status(409).says("Harbour").says(`value="Town"`)
		ada.do(adminCampuses+"/new", url.Values{"record[name]": {" "}, "record[abbreviation]": {"X"}}).status(422).
			says("name-error")
		ada.do(adminCampuses+"/new", url.Values{"record[name]": {"Harbour"}, "record[abbreviation]": {"H"}}).status(409).
			says("Another campus")
	})
}

// setsUpPlaces adds, changes and deletes one of each, and pulls an image.
func (r *reader) setsUpPlaces() {
	r.Helper()
	for _, kind := range []struct{ at, add, second, value string }{
		{adminCampuses, "Add campus", "abbreviation", "L"}, {adminKinds, "Add activity type", "abbreviation", "L"},
		{adminImages, "Add image", "tag", "docker.io/library/golang:1.26"}} {
		r.open(kind.at).follows(kind.add).does(act{form: "/new", fill: map[string]string{"record[name]": "Lake",
			"record[" + kind.second + "]": kind.value}}).sees("Lake is added.").sees(kind.value)
		r.follows("Lake").does(act{form: r.at, fill: map[string]string{"record[name]": "River"}}).sees("River is saved.")
		if kind.at == adminImages {
			r.does(act{form: "/pull"}).sees("Pulling")
			r.exec(`UPDATE overseer_images SET pulled_image_text = 'one layer two'`)
			r.open(r.at).sees("layer two")
			r.do(kind.at+"/"+r.one(`SELECT id FROM overseer_images`)+"/progress", nil).status(200).says("layer two")
			r.exec(`UPDATE overseer_images SET pulled_image_status = 'failed'`)
			r.open(kind.at).sees("Pull failed")
		}
		r.follows("Delete").does(act{form: "/delete"}).sees("River is deleted.")
	}
}

// Where there is no container engine the page says so, and nothing is pulled.
func TestImagesWithoutAnEngine(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	w.uses.Assess = false
	ada := w.administered()
	w.exec(`INSERT INTO overseer_images (name, tag) VALUES ('Go', 'golang:1')`)
	ada.open(adminImages).sees("No container engine is set up").sees("Not pulled yet")
	ada.do(adminImages+"/1/pull", url.Values{}).status(503).says("container engine")
}

// Whoever is no administrator any more changes nothing, even where the page was open.
func TestAnAdministratorWhoIsNoneAnyMoreChangesNothing(t *testing.T) {
	each(t, func(w *world) {
		ada := w.administered()
		id := w.one(`SELECT min(id) FROM teaching_periods`)
		form := ada.open(adminPeriods + "/" + id).filledIn("record[period]")
		form.Set("record[period]", "Mine")
		w.exec(`UPDATE users SET role = 3 WHERE username = 'ada'`)
		ada.do(adminPeriods+"/"+id, form).status(403)
		ada.do(adminUnits, nil).status(403)
		if got := w.one(`SELECT period FROM teaching_periods WHERE id = ` + id); got != "Now" {
			t.Errorf("the period is %s", got)
		}
	})
}

// setsUpTheService does all that whoever runs it sets up, in a world of its own, and notes what was seen and
// done.
func (r *reader) setsUpTheService(w *world) {
	r.Helper()
	ada := w.administered()
	ada.open(adminUnits).does(act{form: adminUnits, fill: map[string]string{"text": "sit1"}}).sees("SIT1")
	w.exec(`UPDATE units SET active = FALSE`)
	ada.open(adminUnits).does(act{form: "/settings/reopen"})
	ada.movesAPeriod()
	ada.rollsAPeriodOver()
	ada.setsUpPlaces()
	ada.looksEverywhere("ada")
	maps.Copy(r.seen, ada.seen)
	maps.Copy(r.done, ada.done)
}

// A period, whose days are kept as moments, tells them on every page.
func TestTheDaysOfPeriodsAreTold(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	w.administered()
	id := w.one(`SELECT max(id) FROM teaching_periods`)
	ada, day := w.as("ada"), clock.Day(w.db.Now().Time).AddDays(-14)
	ada.do(adminPeriods, nil).status(200).says(`<time datetime="` + day.String() + `" data-as="day">`)
	for _, path := range []string{adminPeriods, adminPeriods + "/" + id, adminPeriods + "/" + id + "/rollover",
		adminUnits} {
		ada.sound(path, ada.do(path, nil).status(200))
	}
}
