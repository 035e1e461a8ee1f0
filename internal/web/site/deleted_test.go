package site_test

import (
	"regexp"
	"testing"

	"lectern/internal/ground/links"
)

func init() {
	pages["GET "+links.Deleted] = [4]int{303, 200, 200, 403}
	pages["GET "+links.Deleted+"/{file_id}"] = [4]int{303, 404, 404, 403} // nothing was deleted
}

// T1: the pages that emails and answers lead to are those of the one table. Those
// of the staff, and the news, are not there yet.
func TestPagesStandAtTheirLinks(t *testing.T) {
	values := regexp.MustCompile(`\{[^}]*\}`) // are called otherwise here and there
	each(t, func(w *world) {
		served := map[string]bool{}
		for _, i := range w.site.Routes() {
			served[values.ReplaceAllString(i.Path, "{}")] = true
		}
		for _, p := range links.All {
			if !served[values.ReplaceAllString(p, "{}")] {
				t.Errorf("nothing is served at %s", p)
			}
		}
	})
}
