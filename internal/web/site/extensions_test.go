package site_test

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"testing"

	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/work"
)

const (
	someExtensions = "/units/{id}/extensions"
	someGiving     = someExtensions + "/give"
	noneChosen     = 422
)

func init() {
	maps.Copy(pages, map[string][4]int{
		"GET " + someExtensions:            {303, 403, 200, 403},
		"POST " + someExtensions + "/plan": {401, 403, noneChosen, 403},
		"POST " + someExtensions:           {401, 403, noneChosen, 403},

		"GET " + someGiving:            {303, 403, 200, 403},
		"POST " + someGiving + "/plan": {401, 403, noneChosen, 403},
		"POST " + someGiving:           {401, 403, noneChosen, 403},
	})
}

// asks lets Ann ask for a week, and makes the staff decide on it.
func (w *world) asks(reason string) (id int64) {
	w.Helper()
	at := w.ids()
	w.tx(func(ctx context.Context, q db.Q) error {
		if _, err := db.Exec(ctx, q, `UPDATE units SET auto_apply_extension_before_deadline = FALSE`); err != nil {
			return err
		}
		ann, err := db.One[int64](ctx, q, `SELECT id FROM users WHERE username = 'ann'`)
		if err != nil {
			return err
		}
		e, err := work.RequestExtension(ctx, q, work.Reader{UserID: *ann},
			work.TaskRef{ProjectID: number(w, at[0]), DefinitionID: number(w, at[1])}, work.ExtensionRequest{Reason: reason, Weeks: 1})
		if err == nil {
			id = e.ID
		}
		return err
	})
	return id
}

func number(w *world, text string) (n int64) {
	w.Helper()
	if _, err := fmt.Sscan(text, &n); err != nil {
		w.Fatal(err)
	}
	return n
}

// Tom sees who asks for time, looks at what would become of it, and then grants it.
func TestExtensionsOnAPage(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		tom, path := w.as("tom"), w.path(someExtensions)
		tom.do(path, nil).status(200).says("No open requests")
		chosen := fmt.Sprint(w.asks(`<script>ill</script>`))
		list := tom.do(path, nil).status(200).says("1 open request").says("&lt;script&gt;ill").
			says(`name="chosen" value="` + chosen + `"`)
		if regexp.MustCompile(`<script>ill`).MatchString(list.Body.String()) {
			t.Error("the reason is no text")
		}
		tom.do(path+"?who=mine", nil).status(200).says("No open requests")
		tom.do(path+"?tutorial=&task="+w.ids()[1], nil).status(200).says("1 open request")
		tom.do(path+"?task=4711&who=%22%3E", nil).status(200).says("No open requests")
		form := url.Values{"chosen": {chosen}, "granted": {"true"}, "who": {"all"}}
		tom.do(path+"/plan", form).status(200).says("Nothing is changed yet. 1 of 1").says("Grant 1 extension").
			says(`name="chosen" value="` + chosen + `"`).says(`name="who" value="all"`)
		tom.do(path, nil).says("1 open request")
		tom.do(path, form).status(200).says("1 of 1 request decided").says("Extension granted to")
		tom.do(path, nil).says("0 open requests").says("No open requests")
		tom.do(path+"?tab=decided", nil).says("Extension granted to").says("Show reason").says("&lt;script&gt;ill")
		tom.do(path, form).status(200).says("0 of 1 request decided").says("Already decided")
		tom.do(path+"/plan", url.Values{"granted": {"true"}}).status(422).says("No request is selected.")
		w.as("ann").do(path, form).status(403)
	})
}

// A request is answered in its row, whatever else is ticked, and the list says what came of it.
func TestAnExtensionIsAnsweredInItsRow(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		tom, path := w.as("tom"), w.path(someExtensions)
		id := fmt.Sprint(w.asks("Ill."))
		tom.do(path, nil).says(`name="grant" value="` + id + `" formaction="` + path + `"`)
		tom.do(path+"?all=true", nil).says(`id="choose-` + id + `" checked`)
		tom.do(path, url.Values{"decline": {id}, "chosen": {"4711"}}).status(200).says("Extension rejected.").
			says("No open requests")
		tom.do(path, url.Values{"grant": {id}}).status(200).says("It is already decided: Extension rejected.")
	})
}

// Tom gives Ann an extension that she did not request: she reads of the date, he and the convenors why.
func TestGivingAnExtensionOnPages(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		w.exec(`UPDATE unit_roles SET role = 2`)
		tom, ann, path, list := w.as("tom"), w.as("ann"), w.path(someGiving), w.path(someExtensions)
		at := w.ids()
		tom.do(list, nil).says(`href="` + path + `"`)
		tom.do(path+"?text=nobody", nil).status(200).says("No students found.")
		tom.do(path, nil).status(200).says("Step 1 of 3").says(`name="chosen" value="` + at[0] + `"`).
			lacks("1 student selected")
		tom.do(path+"?all=true", nil).status(200).says(`value="` + at[0] + `" checked`)
		tom.do(path+"?step=details", nil).status(422).says("No student is selected.")
		tom.do(path+"?step=details&chosen="+at[0], nil).status(200).says("Step 2 of 3").says("1 student selected").
			says("Only convenors and whoever gave the extension see this reason.")
		form := url.Values{"chosen": {at[0]}, "task": {at[1]}, "weeks": {"1"}, "reason": {"Quokka <b>hospital</b>"}}
		tom.do(path+"/plan", url.Values{"chosen": {at[0]}, "task": {at[1]}, "weeks": {"99"}, "reason": {"Kept"}}).
			status(400).says(">Kept</textarea>").says(`value="99"`)
		tom.do(path+"/plan", form).status(200).says("1 of 1 student will get an extension").
			says("Quokka &lt;b&gt;hospital").says("Give 1 extension")
		change := maps.Clone(form)
		change["change"] = []string{"true"}
		tom.do(path+"/plan", change).status(200).says("Step 2 of 3").says(">Quokka &lt;b&gt;hospital&lt;/b&gt;</textarea>")
		if w.one(`SELECT count(*) FROM extension_grants`) != "0" {
			t.Error("a plan gave it")
		}
		ann.do(path, form).status(403)
		tom.do(path, form).leadsTo(list + "?tab=decided&given=1")
		tom.do(path, form).leadsTo(list + "?tab=decided&given=1") // a second click
		if got := w.one(`SELECT count(*) FROM extension_grants`); got != "1" {
			t.Errorf("%s were given", got)
		}
		tom.do(list+"?tab=decided&given=1", nil).status(200).says("1 extension given.").says("Without a request").
			says("Quokka &lt;b&gt;hospital")
		ann.do(w.path(aTask), nil).status(200).says("You were given an extension of 1 week.").
			says("Gave an extension of 1 week.").lacks("hospital").lacks("Requested an extension")
		w.person("kim", policy.Tutor)
		w.exec(`INSERT INTO unit_roles (unit_id, user_id, role, created_at, updated_at)
			SELECT max(r.unit_id), max(u.id), 2, $1, $1
			FROM unit_roles r, users u WHERE u.username = 'kim'`, w.db.Now())
		w.as("kim").do(list+"?tab=decided", nil).status(200).says("Only convenors see this reason.").lacks("hospital")
		w.exec(`UPDATE unit_roles SET role = 3`)
		w.as("kim").do(list+"?tab=decided", nil).status(200).says("Quokka &lt;b&gt;hospital")
		w.exec(`UPDATE unit_roles SET role = 2`)
		w.exec(`UPDATE tasks SET extensions = 500`)
		tom.do(path+"/plan", form).status(200).says("0 of 1 student").lacks("Give 1 extension")
	})
}
