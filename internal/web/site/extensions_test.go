package site_test

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"testing"

	"lectern/internal/platform/db"
	"lectern/internal/teaching/work"
)

const (
	someExtensions = "/units/{id}/extensions"
	noneChosen     = 422
)

func init() {
	maps.Copy(pages, map[string][4]int{
		"GET " + someExtensions:            {303, 403, 200, 403},
		"POST " + someExtensions + "/plan": {401, 403, noneChosen, 403},
		"POST " + someExtensions:           {401, 403, noneChosen, 403},
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
		list := tom.do(path, nil).status(200).says("Open (1)").says("&lt;script&gt;ill").
			says(`name="chosen" value="` + chosen + `"`)
		if regexp.MustCompile(`<script>ill`).MatchString(list.Body.String()) {
			t.Error("the reason is no text")
		}
		tom.do(path+"?who=mine", nil).status(200).says("No open requests")
		tom.do(path+"?tutorial=&task="+w.ids()[1], nil).status(200).says("Open (1)")
		tom.do(path+"?task=4711&who=%22%3E", nil).status(200).says("No open requests")
		form := url.Values{"chosen": {chosen}, "granted": {"true"}, "who": {"all"}}
		tom.do(path+"/plan", form).status(200).says("Nothing is changed yet. 1 of 1").says("Grant 1 extension").
			says(`name="chosen" value="` + chosen + `"`).says(`name="who" value="all"`)
		tom.do(path, nil).says("Open (1)")
		tom.do(path, form).status(200).says("1 of 1 request decided").says("Extension granted to")
		tom.do(path, nil).says("Decided (1)").says("No open requests")
		tom.do(path, form).status(200).says("0 of 1 request decided").says("Already decided")
		tom.do(path+"/plan", url.Values{"granted": {"true"}}).status(422).says("No request is selected.")
		w.as("ann").do(path, form).status(403)
	})
}
