package site_test

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
	"lectern/internal/teaching/portfolio"
)

const aPortfolio = "/projects/{id}/portfolio"

func init() {
	maps.Copy(pages, map[string][4]int{
		"GET " + aPortfolio:                    {303, 200, 200, 403},
		"GET " + aPortfolio + "/document":      {303, 404, 404, 403}, // there is none
		"POST " + aPortfolio + "/grade":        {401, 303, 303, 403},
		"POST " + aPortfolio + "/summary":      {401, 303, 303, 403},
		"POST " + aPortfolio + "/summary/file": {401, 400, 400, 403}, // there is no file
		"POST " + aPortfolio + "/files":        {401, 400, 400, 403},
		"POST " + aPortfolio + "/files/remove": {401, 404, 404, 403},
		"POST " + aPortfolio + "/files/move":   {401, 404, 404, 403},
		"POST " + aPortfolio + "/tasks":        {401, 303, 303, 403},
		"POST " + aPortfolio + "/compile":      {401, 303, 303, 403},
		"GET " + aPortfolio + "/withdraw":      {303, 200, 200, 403},
		"POST " + aPortfolio + "/withdraw":     {401, 303, 303, 403},
		"GET /projects/{id}/outcomes":          {303, 200, 200, 403},
		"POST /projects/{id}/outcomes":         {401, 404, 404, 403}, // the unit has no outcomes
	})
}

// compilePortfolios does what the queue would.
func (w *world) compilePortfolios() {
	w.Helper()
	ids, err := db.All[int64](w.Context(), w.db.Pool(), `SELECT id FROM projects WHERE compile_portfolio`)
	c := &portfolio.Compiler{DB: w.db, Files: w.files, Institution: "Test University"}
	for _, id := range ids {
		if err == nil {
			err = c.Compile(w.Context(), jobs.Job{Attempt: 1, MaxAttempts: 9}, portfolio.Args{ProjectID: id})
		}
	}
	if err != nil {
		w.Fatal(err)
	}
}

// fields gives what the hidden fields of the form with an action hold, for the one
// whose words come next.
func (a *answer) fields(action, words string) url.Values {
	a.Helper()
	out := url.Values{}
	for _, form := range regexp.MustCompile(`(?s)<form[^>]*action="([^"]+)"[^>]*>(.*?)</form>`).
		FindAllStringSubmatch(a.Body.String(), -1) {
		if form[1] != action || !strings.Contains(form[2], words) {
			continue
		}
		for _, f := range regexp.MustCompile(`name="(\w+)" value="([^"]*)"`).FindAllStringSubmatch(form[2], -1) {
			out.Set(f[1], strings.NewReplacer("&lt;", "<", "&gt;", ">", "&#34;", `"`, "&#39;", "'").Replace(f[2]))
		}
		return out
	}
	a.Fatalf("there is no form for %s with %q in %s", action, words, a.Body)
	return nil
}

// outcome gives Ann's unit a learning outcome, and aligns her task with it.
func (w *world) outcome() {
	w.tx(func(ctx context.Context, q db.Q) error {
		for _, text := range []string{
			`INSERT INTO learning_outcomes (unit_id, ilo_number, abbreviation, name, description)
				SELECT max(id), 1, '<b>O1</b>', '<i>Think</i>', 'Think twice' FROM units`,
			`INSERT INTO learning_outcome_links (task_definition_id, learning_outcome_id, rating, description)
				SELECT max(d.id), max(o.id), 4, 'It <u>fits</u>' FROM task_definitions d, learning_outcomes o`,
		} {
			if _, err := db.Exec(ctx, q, text); err != nil {
				return fmt.Errorf("%s: %w", text, err)
			}
		}
		return nil
	})
}

// From nothing to a portfolio that can be read, and back, by forms alone.
func TestPortfolioFromEmptyToPDF(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		w.outcome()
		ann, path := w.as("ann"), w.path(aPortfolio)
		ann.do(path, nil).status(200).says("Grade you claim").says(`aria-current="step"`)
		ann.do(path+"/grade", url.Values{"submitted_grade": {"9"}}).status(400).says(`role="alert"`).says("Grade you claim")
		ann.do(path+"/grade", url.Values{"submitted_grade": {"2"}}).leadsTo(path + "?step=summary")
		ann.do(path, nil).says("Your report")

		long := "I learned <much>. " + strings.Repeat("More. ", 9000)
		ann.do(path+"/summary", url.Values{"text": {long}}).status(422).says("I learned &lt;much&gt;. More.")
		ann.do(path+"/summary", url.Values{"text": {"# All I know\n\nI <b>learned</b>."}}).leadsTo(path + "?step=files")
		ann.do(path+"?step=summary", nil).says("I &lt;b&gt;learned&lt;/b&gt;.").says("is in your portfolio")
		ann.send(path+"/summary/file", "", "report.pdf", "no PDF at all").status(415).says("I &lt;b&gt;learned")

		ann.send(path+"/files", "", "one.go", "package one\n").leadsTo(path + "?step=files")
		ann.send(path+"/files", "", "<i>two</i>.txt", "two\n").leadsTo(path + "?step=files")
		ann.send(path+"/files", "", "three.bin", "\x00\x01\x02\x03").status(415).says("one.go")
		ann.send(path+"/files", "", "three.md", "# Three\n").status(303)
		listed := ann.do(path+"?step=files", nil).status(200)
		ann.do(path+"/files/move", listed.fields(path+"/files/move", "three.md")).leadsTo(path + "?step=files")
		ann.do(path+"/files/remove", listed.fields(path+"/files/remove", "one.go")).status(303)
		ann.do(path+"/files/remove", listed.fields(path+"/files/remove", "one.go")).status(404).says("no such file")
		if got := w.names(); got != "LearningSummaryReport.md three.md i_.txt" {
			t.Errorf("the files are %s", got)
		}
		w.chooseTasks(ann, path)
		ann.do(path+"?step=outcomes", nil).status(200).says("Nothing written yet.")
		ann.do("/projects/"+w.ids()[0]+"/outcomes", url.Values{"from": {"portfolio"}, "learning_outcome_id": {w.one(
			`SELECT max(id) FROM learning_outcomes`)}, "task_definition_id": {w.ids()[1]}, "rating": {"5"},
			"description": {"I showed it"}}).leadsTo(path + "?step=outcomes")
		ann.do(path+"?step=outcomes", nil).says("I showed it").says("5 of 5")
		w.readIt(ann, path)
	})
}

// chooseTasks leaves out the task of Ann and lets it in again.
func (w *world) chooseTasks(ann *world, path string) {
	w.Helper()
	ann.do(path+"?step=tasks", nil).says("not started any task")
	ann.do(w.path(aTask)+"/status", url.Values{"status": {"working_on_it"}}).status(303)
	task := w.ids()[1]
	box := `value="` + task + `" checked`
	ann.do(path+"?step=tasks", nil).says(box)
	ann.do(path+"/tasks", url.Values{"shown": {task}}).leadsTo(path + "?step=outcomes")
	if strings.Contains(ann.do(path+"?step=tasks", nil).Body.String(), box) {
		w.Error("the task is still in the portfolio")
	}
	ann.do(path+"/tasks", url.Values{"shown": {task}, "included": {task}}).status(303)
	ann.do(path+"?step=tasks", nil).says(box)
}

// readIt has the portfolio compiled, reads it, and withdraws it.
func (w *world) readIt(ann *world, path string) {
	w.Helper()
	ann.do(path+"?step=compile", nil).says("Check all parts").says("claims Distinction").
		says("1 task for Distinction is not complete")
	ann.do(path+"?step=grade", nil).says("1 of 1 task not complete").says("1 task for Distinction is not complete").
		says("Working on it</span>")
	ann.do(path+"/withdraw", nil).status(200).says("Withdraw the portfolio?").says("Your files, texts and choices are kept")
	ann.do(path+"/compile", url.Values{}).leadsTo(path + "?step=compile")
	ann.do(path, nil).says("Waiting to be created").says("Refresh")
	w.compilePortfolios()
	ann.do(path, nil).says("Your portfolio is ready.").says(path + "/document").
		says(`<document-view src="` + path + `/document"`)
	doc := ann.do(path+"/document", nil).status(200)
	if !strings.HasPrefix(doc.Body.String(), "%PDF-") ||
		!strings.Contains(doc.Header().Get("Cache-Control"), "no-store") {
		w.Errorf("%v %.20s", doc.Header(), doc.Body)
	}
	ann.do(path+"/grade", url.Values{"submitted_grade": {"1"}}).status(409).says("Withdraw it to change the grade")
	ann.do(path+"/withdraw", url.Values{}).leadsTo(path + "?step=compile")
	ann.do(path+"/document", nil).status(404)
	ann.do(path+"/compile", url.Values{}).status(303)
	ann.do(path+"/withdraw", url.Values{}).status(303)
	ann.do(path+"?step=compile", nil).says("Check all parts")
	for _, step := range []string{"grade", "summary", "files", "tasks", "outcomes", "compile", "%22%3E"} {
		ann.sound(path, ann.do(path+"?step="+step, nil).status(200))
		w.as("tom").do(path+"?step="+step, nil).status(200)
	}
}

// names are those of the files of portfolios in their order.
func (w *world) names() string {
	return w.one(`SELECT string_agg(name, ' ') FROM (SELECT name FROM portfolio_files ORDER BY idx) AS f`)
}

func (w *world) one(text string) string {
	w.Helper()
	got, err := db.One[string](w.Context(), w.db.Pool(), `SELECT CAST((`+text+`) AS TEXT)`)
	if err != nil {
		w.Fatal(err)
	}
	return *got
}

// A student says how tasks serve outcomes, changes it and takes it back.
func TestOutcomesOnAPage(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		w.outcome()
		ann, path := w.as("ann"), w.path("/projects/{id}/outcomes")
		first := ann.do(path, nil).status(200).says("Unit rating").says("of 4.0 points").says("It &lt;u&gt;fits").
			says(`class="chart">`).says("Tasks and outcomes").says(`class="dots s`)
		if n := strings.Count(first.Body.String(), "<form"); n > 3 {
			t.Errorf("there are %d forms", n)
		}
		ann.sound(path, first)
		open := ann.do(path+"?outcome="+w.one(`SELECT max(id) FROM learning_outcomes`)+"&task="+w.ids()[1], nil).status(200)
		say := url.Values{"learning_outcome_id": {w.one(`SELECT max(id) FROM learning_outcomes`)},
			"task_definition_id": {w.ids()[1]}}
		ann.sound(path, open)
		say.Set("description", strings.Repeat("y", 5000))
		say.Set("rating", "2")
		ann.do(path, say).status(422).says("yyyyy").says(`<option value="2" selected>`).says(`id="say"`)
		say.Set("description", "I <b>did</b> it")
		ann.do(path, say).leadsTo(path)
		ann.do(path, nil).says("Your rating").says("2 of 5, yours").says("<bdi>I &lt;b&gt;did").
			says(`class="dots own s2"`).says(`#say"`)
		say.Set("rating", "3")
		ann.do(path, say).leadsTo(path)
		n := w.one(`SELECT count(*) FROM learning_outcome_links WHERE rating = 3 AND task_id IS NOT NULL`)
		if n != "1" {
			t.Errorf("%s alignments", n)
		}
		say.Set("rating", "0")
		for range 2 {
			ann.do(path, say).leadsTo(path)
		}
		if strings.Contains(ann.do(path, nil).Body.String(), "Your rating") {
			t.Error("it is still there")
		}
		say.Set("rating", "7")
		ann.do(path, say).status(400)
		say.Set("learning_outcome_id", "4711")
		say.Set("rating", "1")
		ann.do(path, say).status(404)
	})
}
