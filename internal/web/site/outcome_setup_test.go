package site_test

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

const (
	outcomeSetup = "/units/{id}/settings/outcomes"
	anOutcomeOf  = "/units/{unit_id}/settings/outcomes/{outcome_id}"
	aCellOf      = anOutcomeOf + "/tasks/{task_definition_id}"
)

func init() {
	for _, at := range []string{outcomeSetup, outcomeSetup + "/new", outcomeSetup + "/outcomes.csv",
		outcomeSetup + "/alignments.csv", outcomeSetup + "/import/outcomes", outcomeSetup + "/import/alignments", anOutcomeOf,
		anOutcomeOf + "/delete", aCellOf} {
		pages["GET "+at] = [4]int{303, 403, 403, 403} // a tutor sets up nothing
	}
	for _, at := range []string{outcomeSetup + "/new", outcomeSetup + "/import/outcomes",
		outcomeSetup + "/import/outcomes/plan", outcomeSetup + "/import/alignments", outcomeSetup + "/import/alignments/plan",
		anOutcomeOf, anOutcomeOf + "/move", anOutcomeOf + "/delete", aCellOf} {
		pages["POST "+at] = [4]int{401, 403, 403, 403}
	}
}

// aiming makes Tom the convenor of Ann's unit with two outcomes, A and B, and gives where they stand.
func (w *world) aiming() (*reader, string) {
	w.Helper()
	tom := w.convening()
	w.exec(`DELETE FROM learning_outcomes`)
	w.exec(`INSERT INTO learning_outcomes (unit_id, ilo_number, abbreviation, name, description)
		SELECT max(id), 1, 'A', 'First', 'One' FROM units UNION ALL SELECT max(id), 2, 'B', 'Second', 'Two' FROM units`)
	return tom, w.path(outcomeSetup)
}

func (w *world) outcomeID(abbreviation string) string {
	w.Helper()
	return w.one(`SELECT id FROM learning_outcomes WHERE abbreviation = '` + abbreviation + `'`)
}

// aligned tells how strongly the first task serves an outcome, and why.
func (w *world) aligned(abbreviation string) string {
	w.Helper()
	return w.one(`SELECT coalesce(max(rating || ' ' || description), 'not') FROM learning_outcome_links
		WHERE task_id IS NULL AND learning_outcome_id = ` + w.outcomeID(abbreviation) +
		` AND task_definition_id = (SELECT min(id) FROM task_definitions)`)
}

// A convenor writes outcomes, changes, orders and deletes them; a colleague who was faster is told of.
func TestOutcomesAreSetUp(t *testing.T) {
	each(t, func(w *world) {
		tom, list := w.aiming()
		tom.open(list).sees("First").sees("No Pass task covers outcomes 1, 2, so").follows("New outcome")
		tom.does(act{form: "/new", fill: map[string]string{"outcome[name]": "Test & debug", "outcome[description]": "So."}}).
			sees("Saved.").sees("ILO3").sees("Test &amp; debug")
		tom.does(act{form: "/" + w.outcomeID("ILO3") + "/move", press: "Move up"})
		order := func() string {
			return w.one(`SELECT (SELECT abbreviation FROM learning_outcomes WHERE ilo_number = 2)`)
		}
		if got := order(); got != "ILO3" {
			t.Errorf("the second is %s", got)
		}
		tom.do(list+"/"+w.outcomeID("ILO3")+"/move", url.Values{"to": {"1"}, "seen": {"3"}}).status(409).
			says("Nothing was moved")
		at := list + "/" + w.outcomeID("A")
		sent := tom.open(at).filledIn("outcome[name]")
		w.exec(`UPDATE learning_outcomes SET name = 'Theirs' WHERE abbreviation = 'A'`)
		sent.Set("outcome[description]", "Mine")
		tom.do(at, sent).status(303)
		sent.Set("outcome[name]", "Mine")
		tom.do(at, sent).status(409).says("It is now: Theirs.").says(`value="Mine"`)
		sent = tom.open(at).filledIn("outcome[name]")
		sent.Set("outcome[abbreviation]", "B")
		tom.do(at, sent).status(409).says("already has the abbreviation")
		w.exec(`INSERT INTO learning_outcome_links (learning_outcome_id, task_definition_id, task_id, rating, description)
			SELECT (SELECT id FROM learning_outcomes WHERE abbreviation = 'A'), task_definition_id, id, 3, 'x' FROM tasks
			WHERE id = (SELECT max(id) FROM tasks)`)
		tom.open(at + "/delete").sees("It is removed from 0 tasks.").sees("1 student linked their own work").
			does(act{form: "/delete"}).sees("Outcome deleted.")
		if got := w.one(`SELECT count(*) FROM learning_outcomes`); got != "2" {
			t.Errorf("%s outcomes are left", got)
		}
		tom.do(list+"/4711", nil).status(404)
	})
}

// How strongly a task serves an outcome is said by the form of a cell, or in place; a colleague who was
// faster is told of with both values.
func TestTasksAreAligned(t *testing.T) {
	each(t, func(w *world) {
		tom, list := w.aiming()
		cell := fmt.Sprintf("%s/%s/tasks/%s", list, w.outcomeID("A"), w.one(`SELECT min(id) FROM task_definitions`))
		sent := tom.open(list).open(cell).sees("Not at all").filledIn("alignment[description]")
		sent.Set("alignment[rating]", "4")
		sent.Set("alignment[description]", "Every\r\nshape")
		tom.do(cell, sent).status(303)
		if got := w.aligned("A"); got != "4 Every\nshape" {
			t.Errorf("it is aligned as %q", got)
		}
		rate := func(was, to string) *answer { // as the script of the page does: what is said of it stays
			seen := base64.RawURLEncoding.EncodeToString([]byte(`{"Rating":"` + was + `","Description":""}`))
			return tom.do(cell, url.Values{"alignment[rating]": {to}, "alignment[description]": {""}, "seen": {seen}})
		}
		rate("4", "2").status(303)
		rate("4", "5").status(409).says("It is now: Uses it a little.")
		rate("2", "6").status(422).says("Must be from 0 to 5")
		if got := w.aligned("A"); got != "2 Every\nshape" {
			t.Errorf("it is aligned as %q", got)
		}
		sent.Set("alignment[rating]", "3")
		tom.do(cell, sent).status(409).says("It is now: Uses it a little.").says(`id="rating-3" value="3" checked`)
		tom.do(cell, url.Values{"alignment[rating]": {"3"}}).status(400)
		tom.open(list).sees("1 task").sees("Uses it a little").sees("No Pass task covers outcome 2, so")
		rate("2", "0").status(303)
		if got := w.aligned("A"); got != "not" {
			t.Errorf("it is still aligned as %q", got)
		}
		tom.do(strings.Replace(cell, "/outcomes/", "/outcomes/4711", 1), nil).status(404)
	})
}

// Outcomes and alignments come by sheets that are looked at first, and nothing is half done.
func TestOutcomesByASheet(t *testing.T) {
	each(t, func(w *world) {
		tom, list := w.aiming()
		code := w.one(`SELECT code FROM units`)
		tom.do(list+"/outcomes.csv", nil).status(200).says("First")
		sends := func(rows ...string) act {
			return act{form: "/plan", files: map[string]string{"file": strings.Join(rows, "\n") + "\n"}}
		}
		quoted := `"` + strings.ReplaceAll(code, `"`, `""`) + `"`
		head := "unit_code,ilo_number,abbreviation,name,description"
		tom.open(list + "/import/outcomes").does(sends(head, quoted+",x,C,Third,Three", quoted+",,A,,One")).
			sees("2 rows have mistakes").sees("must be a whole number")
		tom.does(sends(head, quoted+",,C,Third,Three")).does(act{form: "/import/outcomes"}).sees("1 outcome imported.")
		head = "unit_code,learning_outcome,task_abbr,rating,description"
		tom.open(list + "/import/alignments").does(sends(head, quoted+",Z,1,3,x", quoted+",A,1,9,x", quoted+",A,1,2,x",
			quoted+",A,1,3,x")).sees("3 rows have mistakes").sees("no outcome")
		if got := w.aligned("A"); got != "not" {
			t.Errorf("a plan aligned it as %s", got)
		}
		tom.does(sends(head, quoted+",A,1,3,x")).does(act{form: "/import/alignments"}).sees("1 alignment imported.")
		tom.do(list+"/alignments.csv", nil).status(200).says(",A,1,3,x")
	})
}

// Sheets with mistakes: every row says what is wrong and what to do, and nothing is done.
func TestSheetsOfOutcomesWithMistakes(t *testing.T) {
	each(t, func(w *world) {
		tom, list := w.aiming()
		w.exec(`UPDATE units SET code = 'SIT1'`)
		sends := func(rows ...string) act {
			return act{form: "/plan", files: map[string]string{"file": strings.Join(rows, "\n") + "\n"}}
		}
		refused := func(what, why string, rows ...string) {
			tom.parts(list+"/import/"+what+"/plan", "text/html", nil, file{field: "file", name: "x.csv",
				text: strings.Join(rows, "\n")}).status(400).says(why)
		}
		refused("outcomes", "Missing headings", "unit_code,short,name,description", "SIT1,C,Third,x")
		refused("outcomes", "ine 2 is not UTF-8 text", "unit_code,abbreviation,name,description", "SIT1,C,Caf\xe9,x")
		refused("alignments", "Missing headings", "unit_code,outcome,task,rating", "SIT1,A,1,3")
		tom.open(list + "/import/outcomes").does(sends("unit_code;abbreviation;name;description", "SIT1;C;Third;x",
			"SIT1;A;Changed;One")).
			sees("2 rows").sees("New").sees("Changed")
		tom.does(sends("unit_code,ilo_number,abbreviation,name,description", "SIT1,,C,Third,x", "SIT1,x,C,,x")).
			sees("1 row has a mistake").sees("name may not be blank").sees("must be a whole number").
			sees("C stands in line 2 already. Remove one of the two rows.")
		head := "unit_code,learning_outcome,task_abbr,rating,description"
		refused("alignments", "ine 2 is not UTF-8 text", head, "SIT1,A,1,3,Caf\xe9")
		tom.open(list + "/import/alignments").does(sends(strings.ReplaceAll(head, ",", ";"), "SIT1;A;1;3;x")).sees("1 row")
		tom.does(sends(head, "SIT1,Z,9.9,7,x", "SIT1,A,1,3,x", "SIT1,A,1,4,y")).sees("2 rows have mistakes").
			sees("Check the spelling, or add the outcome first.").sees("Write the abbreviation of a task").
			sees("rating is 7; it must be 1 to 5.").sees("Line 3 already set this task and outcome. Remove one")
		if got := w.one(`SELECT count(*) FROM learning_outcomes`) + w.aligned("A"); got != "2not" {
			t.Errorf("a sheet with mistakes did something: %s", got)
		}
	})
}

// The grid takes as many statements for sixty tasks as for two.
func TestTheGridTakesFewStatements(t *testing.T) {
	each(t, func(w *world) {
		tom, list := w.aiming()
		few := tom.statementsOf(list)
		w.exec(`INSERT INTO learning_outcomes (unit_id, ilo_number, abbreviation, name, description)
			SELECT u.id, n + 2, 'N' || n, 'x', 'y' FROM (SELECT max(id) AS id FROM units) u, (` + manyNumbers(6) + `) AS x`)
		if many := tom.statementsOf(list); many != few || few > 12 {
			t.Errorf("%d statements with little, %d with much", few, many)
		}
	})
}

// setsUpOutcomes does all that a convenor does with outcomes.
func (r *reader) setsUpOutcomes() {
	r.Helper()
	list := r.path(outcomeSetup)
	for _, name := range []string{"First", "Second"} {
		r.open(list).follows("New outcome").does(act{form: list + "/new", fill: map[string]string{"outcome[name]": name,
			"outcome[description]": "It."}}).sees(name)
	}
	at := list + "/" + r.one(`SELECT max(id) FROM learning_outcomes`)
	cell := at + "/tasks/" + r.one(`SELECT min(id) FROM task_definitions`)
	for _, page := range []string{list, at, cell, list + "/new"} {
		r.open(page).does(act{form: at + "/move"})
	}
	r.open(at).does(act{form: at, fill: map[string]string{"outcome[name]": "Third"}}).sees("Third")
	r.open(cell).does(act{form: cell, fill: map[string]string{"alignment[rating]": "3", "alignment[description]": "So."}}).
		sees(`data-r="3"`)
	code := strings.ReplaceAll(r.one(`SELECT code FROM units ORDER BY id LIMIT 1`), `"`, `""`)
	task := strings.ReplaceAll(r.one(`SELECT abbreviation FROM task_definitions ORDER BY id LIMIT 1`), `"`, `""`)
	for _, one := range [][2]string{
		{"outcomes", fmt.Sprintf("unit_code,abbreviation,name,description\n\"%s\",New,New,New\n", code)},
		{"alignments", fmt.Sprintf("unit_code,learning_outcome,task_abbr,rating,description\n\"%s\",New,\"%s\",2,x\n",
			code, task)}} {
		form := list + "/import/" + one[0]
		r.open(form).does(act{form: "/plan", files: map[string]string{"file": one[1]}}).does(act{form: form}).
			sees("Back to outcomes")
	}
	r.open(at + "/delete").does(act{form: "/delete"})
}
