package site_test

import (
	"net/url"
	"strings"
	"testing"

	"lectern/internal/ground/clock"
	"lectern/internal/people/policy"
)

const (
	newUnit    = "/units/new"
	rollingOut = "/units/{id}/rollover"
)

func init() {
	for _, at := range []string{newUnit, rollingOut} {
		pages["GET "+at] = [4]int{303, 403, 403, 403}
		pages["POST "+at] = [4]int{401, 403, 403, 403}
	}
}

// period adds a teaching period that begins in some days and lasts 13 weeks.
func (w *world) period(name string, days int) (id string, start clock.Date) {
	w.Helper()
	start = clock.Day(w.db.Now().Time).AddDays(days)
	w.exec(`INSERT INTO teaching_periods (period, year, start_date, end_date, active_until) VALUES ($1, $2, $3, $4, $4)`,
		name, start.Year(), clock.At(start.Time), clock.At(start.AddDays(90).Time))
	return w.one(`SELECT max(id) FROM teaching_periods`), start
}

// Whoever may create units begins a blank one, from home, and is led to its checklist; what is wrong
// stands at its field, and others are not offered it.
func TestANewBlankUnit(t *testing.T) {
	each(t, func(w *world) {
		cora := w.convened()
		w.person("max", policy.Convenor)
		cora.open(newUnit + "?blank=true").sees("There is no teaching period")
		w.period("Past", -100)
		next, start := w.period("Next", 30)
		for _, who := range []string{"ann", "tom"} {
			w.as(who).do("/home", nil).lacks(newUnit)
		}
		cora.open("/home").follows("New unit").sees("Start from an earlier unit").follows("Blank unit").
			sees(`<option value="` + next + `" selected>Next`).sees(`value="cora"`)
		blank := url.Values{"unit[code]": {" "}, "unit[name]": {"Logic"}, "unit[teaching_period_id]": {next},
			"unit[main_convenor]": {"nobody"}}
		cora.do(newUnit, blank).status(422).says("main_convenor-error").says(`value="Logic"`)
		blank.Set("unit[main_convenor]", "tom")
		cora.do(newUnit, blank).status(422).says("code-error")
		blank.Set("unit[code]", "SIT100")
		cora.do(newUnit, blank).status(422).says("main_convenor-error")
		blank.Set("unit[teaching_period_id]", "soon")
		cora.do(newUnit, blank).status(422).says("teaching_period_id-error")
		if got := w.one(`SELECT count(*) FROM units`); got != "1" {
			t.Errorf("%s units were made on the way", got)
		}
		cora.does(act{form: newUnit, fill: map[string]string{"unit[code]": "SIT100", "unit[name]": "Logic"}}).
			sees("Checklist").sees("Logic")
		if got := w.one(`SELECT code || name FROM units WHERE start_date = '` + start.String() + `' AND active`); got !=
			"SIT100Logic" {
			t.Errorf("the unit is %s", got)
		}
		blank.Set("unit[teaching_period_id]", next)
		blank.Set("unit[main_convenor]", "cora")
		cora.do(newUnit, blank).status(409).says("SIT100")
		blank.Set("unit[code]", "SIT200")
		blank.Set("unit[main_convenor]", "max")
		cora.do(newUnit, blank).leadsTo("/home") // it is not hers
		w.as("max").do("/home", nil).says("SIT200")
	})
}

// A unit is rolled over after its plan: what is carried, where dates fall, what is left behind. Until
// then nothing is there, and other dates are planned anew.
func TestAUnitIsRolledOverAfterItsPlan(t *testing.T) {
	each(t, func(w *world) {
		cora := w.convened()
		w.exec(`UPDATE units SET code = 'SIT1', start_date = '2026-03-02', end_date = '2026-06-05'`)
		w.exec(`UPDATE task_definitions SET start_date = '2026-03-03', target_date = '2026-03-11'`)
		next, start := w.period("Next", 30)
		cora.open(newUnit + "?text=nothing").sees("No unit matches").open(newUnit + "?text=sit1").follows("Roll over").
			sees(`<option value="` + next + `" selected>`).does(act{form: "/rollover"}).
			sees("2 tasks").sees("2 students").sees("1 other member of staff").sees("Nothing is created yet.").
			sees(`<s><time datetime="2026-03-11"`)
		if got := w.one(`SELECT count(*) FROM units`); got != "1" {
			t.Errorf("the plan left %s units", got)
		}
		cora.does(act{form: "/rollover", press: "Create unit", fill: map[string]string{
			"to[start_date]": start.AddDays(7).String()}}).sees("Nothing is created yet.")
		if got := w.one(`SELECT count(*) FROM units`); got != "1" {
			t.Error("a unit was made by a plan that nobody saw")
		}
		bad := url.Values{"to[teaching_period_id]": {next}, "to[start_date]": {start.AddDays(-9).String()}}
		cora.do(w.path(rollingOut), bad).status(422).says("start_date-error").lacks("Create unit")
		bad.Set("to[start_date]", "soon")
		cora.do(w.path(rollingOut), bad).status(422).says("start_date-error")
		cora.does(act{form: "/rollover", press: "Create unit"}).sees("Checklist")
		if got := w.one(`SELECT count(*) FROM units WHERE code = 'SIT1' AND start_date = '` + start.AddDays(7).String() +
			`'`); got != "1" {
			t.Errorf("%s units were made", got)
		}
		if got := w.one(`SELECT count(*) FROM task_definitions`); got != "4" {
			t.Errorf("there are %s tasks", got)
		}
		old := strings.Replace(rollingOut, "{id}", w.one(`SELECT min(id) FROM units`), 1)
		again := url.Values{"to[teaching_period_id]": {next}}
		cora.do(old, again).status(409).says("already has a unit")
	})
}
