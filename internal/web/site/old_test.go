package site_test

import "testing"

var _ = morePages(map[string][4]int{
	"GET /profile/letters":    {303, 303, 303, 303},
	"GET /projects/{id}/task": {303, 303, 303, 403},
})

// A task is found by its abbreviation, for whoever may read it; what is none leads to the
// project.
func TestTasksAreFoundByAbbreviation(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		w.exec(`UPDATE task_definitions SET abbreviation = '6.1P'`)
		find := w.path("/projects/{id}/task")
		for _, name := range []string{"ann", "tom"} {
			who := w.as(name)
			who.do(find+"?abbreviation=6.1P", nil).leadsTo(w.path(aTask))
			who.do(find+"?abbreviation=6.1", nil).leadsTo(w.path("/projects/{id}"))
			who.do(find, nil).leadsTo(w.path("/projects/{id}"))
		}
		w.as("eve").do(find+"?abbreviation=6.1P", nil).status(403)
		w.do(find+"?abbreviation=6.1P", nil).leadsTo("/sign-in?next=%2Fprojects%2F" + w.ids()[0] +
			"%2Ftask%3Fabbreviation%3D6.1P")
		w.as("ann").do("/profile/letters", nil).leadsTo("/profile/email#letters")
	})
}
