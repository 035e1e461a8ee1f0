package bench

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"lectern/internal/platform/db/dbtest"
	"lectern/internal/usecase"
	"lectern/internal/web/api"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/httpserver"
	"lectern/internal/web/site"
)

func init() {
	behind["/units/{id}/inbox"] = []string{aUnit + "/queue?limit=50", aUnit + "/queue/counts", aUnit}
}

// newQueue is a class in front of which both faces stand. Its tutor has two of the ten
// tutorials and has pinned three tasks, and twenty students have withdrawn. Every student
// has a task for every definition, all of them marked.
func newQueue(t *testing.T, engine string) (*class, *university) {
	c := newClass(t, engine)
	c.exec(`UPDATE users SET name_key = username_key`)
	c.exec(`INSERT INTO unit_roles (id, unit_id, user_id, role, created_at, updated_at)
		SELECT 2, unit_id, 1, role, created_at, updated_at FROM unit_roles`)
	c.exec(`UPDATE tutorials SET unit_role_id = 2 WHERE id NOT IN (3, 4)`)
	c.exec(`UPDATE projects SET enrolled = FALSE WHERE id % 50 = 0`)
	c.exec(`DELETE FROM tasks`)
	c.exec(`INSERT INTO tasks (id, project_id, task_definition_id, unit_id, status, submission_date, created_at,
		updated_at) SELECT p.id + 1000 * d.id, p.id, d.id, p.unit_id, 'complete', p.created_at, p.created_at, p.created_at
		FROM projects p JOIN task_definitions d ON d.unit_id = p.unit_id`)
	c.exec(`INSERT INTO task_pins (task_id, user_id) SELECT id, 1001 FROM tasks WHERE id IN (1012, 2012, 3012)`)
	face := endpoint.Config{DB: c.db, Spool: t.TempDir(), HTTP: httpserver.New(httpserver.Config{
		Log: slog.New(slog.DiscardHandler)})}
	uses := usecase.New(usecase.Config{DB: c.db, PublicURL: "http://lectern.test"})
	api.New(api.Config{Config: face, Usecases: uses})
	site.New(site.Config{Config: face, Usecases: uses})
	return c, &university{TB: t, faces: face.HTTP, tokens: map[string]string{theTutor: c.token},
		ids: strings.NewReplacer()}
}

// wait lets the first n tasks of some students wait, by id, and no others.
func (c *class) wait(students string, n int) {
	c.Helper()
	c.exec(`UPDATE tasks SET status = 'complete' WHERE status <> 'complete'`)
	c.exec(`UPDATE tasks SET status = 'ready_for_feedback' WHERE id IN (SELECT id FROM tasks
		WHERE project_id IN (SELECT p.id FROM projects p JOIN users u ON u.id = p.user_id WHERE p.enrolled AND `+students+`)
		ORDER BY id LIMIT $1)`, n)
	c.exec(`ANALYZE`)
}

// group lets groups of four hand in the first task together: where 3,000 tasks wait, 250
// of what waits are works of groups.
func (c *class) group() {
	c.Helper()
	c.exec(`INSERT INTO group_sets (id, unit_id, name) VALUES (1, 1, 'Teams')`)
	c.exec(`INSERT INTO unit_groups (id, group_set_id, tutorial_id, name)
		SELECT id, 1, 1, 'Team ' || id FROM projects WHERE 4 * id <= 1000`)
	c.exec(`INSERT INTO group_submissions (id, unit_group_id, task_definition_id, submitted_by_project_id, created_at)
		SELECT id, id, 1, 4 * id, created_at FROM projects WHERE 4 * id <= 1000`)
	c.exec(`UPDATE tasks SET group_submission_id = (project_id + 3) / 4 WHERE task_definition_id = 1`)
	c.exec(`ANALYZE`)
}

const (
	theTutor  = "student_1001"
	anybody   = `TRUE`
	ofClass   = `p.id % 10 = 2` // those of tutorial 3
	ofOneName = `u.first_name LIKE 'First77%'`
	inbox     = "/api/units/1/tasks/inbox?limit=30"
	feedback  = "/api/units/1/feedback?limit=30"
	queuePage = "/api/units/1/queue?limit=30"
	counts    = "/api/units/1/queue/counts"
	inboxPage = "/units/1/inbox"
	around    = "/api/units/1/queue/around?task_id="
)

// queuePages are pages of the inbox: of the unit where few wait, and of the one where many
// do, and who waits in the former, so that the filter lets a page of them through.
var queuePages = []struct{ few, many, students string }{
	{inbox, inbox, anybody},
	{inbox, inbox + "&offset=1500", anybody},
	{inbox + "&mine=true", inbox + "&mine=true", ofClass},
	{feedback, feedback, anybody},
	{feedback, feedback + "&offset=1500", anybody},
	{queuePage, queuePage, anybody},
	{queuePage, queuePage + "&offset=1500", anybody},
	{queuePage + "&sort=task", queuePage + "&sort=task", anybody},
	{queuePage + "&sort=task", queuePage + "&sort=task&offset=1500", anybody},
	{queuePage + "&sort=student", queuePage + "&sort=student", anybody},
	{queuePage + "&sort=student", queuePage + "&sort=student&offset=1500", anybody},
	{queuePage + "&mine=true", queuePage + "&mine=true", ofClass},
	{queuePage + "&tutorial_id=3", queuePage + "&tutorial_id=3", ofClass},
	{queuePage + "&tutorial_id=3&sort=student", queuePage + "&tutorial_id=3&sort=student", ofClass},
	{queuePage + "&task_definition_id=1", queuePage + "&task_definition_id=1", anybody},
	{queuePage + "&status=ready_for_feedback", queuePage + "&status=ready_for_feedback", anybody},
	{queuePage + "&text=first77", queuePage + "&text=first77", ofOneName},
	{counts, counts, anybody},
	{counts + "?mine=true", counts + "?mine=true", ofClass},
	{around + "1015", around + "2500", anybody},
	{around + "1015&sort=student", around + "2500&sort=student", anybody},
	{inboxPage, inboxPage, anybody},
	{inboxPage, inboxPage + "?from=1500", anybody},
}

// groupPages are asked when groups have handed in, too.
var groupPages = []string{inbox, queuePage, queuePage + "&sort=student", counts, inboxPage}

// What a page of the queue should take at most where a hundred times as many wait, in
// times, and from where on the test fails: a busy machine adds to it. What a filter by
// classes takes follows from what waits in them, which is told only. The works of groups
// are gone through.
const (
	wantedQueue = 1.5
	mostQueue   = 2
	mostGroups  = 6
)

// TestTheQueueCostsByItsPage asks a unit of a thousand students where three thousand
// tasks wait, and one where thirty do, by turns for a page of rows. With -update it writes
// the table in docs/performance.md.
func TestTheQueueCostsByItsPage(t *testing.T) {
	if !*update {
		dbtest.Load(t)
	}
	var table strings.Builder
	table.WriteString("| Page | Engine | of 30, ms | of 3,000, ms | times |\n|---|---|---|---|---|\n")
	for _, engine := range []string{"sqlite", "postgres"} {
		small, few := newQueue(t, engine)
		large, many := newQueue(t, engine)
		large.wait(anybody, 3000)
		waits := ""
		for _, x := range queuePages {
			if waits != x.students {
				small.wait(x.students, 30)
				waits = x.students
			}
			a, b, times := apart(few, many, x.few, x.many)
			fmt.Fprintf(&table, "| `%s` | %s | %.2f | %.2f | %.2f |\n", x.many, engine, a, b, times)
			if times > mostQueue && x.students != ofClass {
				t.Errorf("%s %s takes %.2f times as long where 3,000 wait", engine, x.many, times)
			}
		}
		small.wait(anybody, 30)
		small.group()
		large.group()
		for _, path := range groupPages {
			a, b, times := apart(few, many, path, path)
			fmt.Fprintf(&table, "| `%s`, 250 of groups | %s | %.2f | %.2f | %.2f |\n", path, engine, a, b, times)
			if times > mostGroups {
				t.Errorf("%s %s takes %.2f times as long where 250 groups wait", engine, path, times)
			}
		}
	}
	t.Log("\n" + table.String())
	if *update {
		document(t, "queue", table.String())
	}
}

// apart measures how far a page of a unit where few wait and one where many do are apart,
// in ms and times. What looks too far is measured again: a machine is rarely busy thrice.
func apart(few, many *university, a, b string) (ofFew, ofMany, times float64) {
	for try := 0; try == 0 || try < 3 && times > wantedQueue; try++ {
		f, m := turns(func() { few.ask(theTutor, a) }, func() { many.ask(theTutor, b) })
		if n := float64(m) / float64(f); try == 0 || n < times {
			ofFew, ofMany, times = ms(f), ms(m), n
		}
	}
	return ofFew, ofMany, times
}
