package bench

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/teaching/rubric"
)

// A unit with rubrics on this many tasks, each with so many criteria.
const (
	rubricTasks    = 12
	rubricCriteria = 10
)

// Insight of a unit of 1,000 students that were marked with rubrics takes at most twice what it takes without, and so
// does the page by rubric beside the overview; a verdict with levels takes at most half as long again as one with
// points, which is to say no longer than whoever marks can tell: levels are written in its transaction.
func TestRubricsCostLittle(t *testing.T) {
	dbtest.Load(t)
	for _, engine := range []string{"sqlite", "postgres"} { // one after the other: both at once would slow each other
		u := newUniversityOn(t, engine)
		u.enrolMany(1000)
		definitions := u.twelveTasks()
		pages := []string{"", "?by=tutorial", "?tutorial=1", "/progress", "/rows?status=complete", "/rows?of=marks"}
		without := map[string]time.Duration{}
		for _, path := range pages {
			without[path] = u.page(path)
		}
		plain := u.marking(definitions[0], nil)
		u.markByRubrics(definitions)
		atMost := func(path string, base time.Duration) {
			took := u.page(path)
			t.Logf("%s, insight%s: %v with rubrics, %v without: %.2f times", engine, path, took, base,
				float64(took)/float64(base))
			if took > 2*base {
				t.Errorf("%s: insight%s takes %v, without rubrics %v", engine, path, took, base)
			}
		}
		for _, path := range pages {
			atMost(path, without[path])
		}
		for _, query := range []string{"", "?tutorial=1", fmt.Sprint("?task=", definitions[3])} {
			atMost("/rubrics"+query, without[""])
		}
		r, err := rubric.Of(t.Context(), u.db.Pool(), definitions[0])
		if err != nil {
			t.Fatal(err)
		}
		took := u.marking(definitions[0], r)
		t.Logf("%s: a verdict takes %v with a rubric of %d criteria, %v without", engine, took, rubricCriteria, plain)
		if 2*took > 3*plain {
			t.Errorf("%s: marking takes %v with a rubric, %v without", engine, took, plain)
		}
	}
}

// page is how long a page of insight usually takes.
func (u *university) page(path string) time.Duration {
	return u.usual(25, func(int) { u.ask(aConvenor, "/units/{id}/insight"+path) })
}

// usual is the median of the processor time that something takes, or of the time that passes where it is less.
func (u *university) usual(times int, do func(i int)) time.Duration {
	backends := u.backends()
	var took []time.Duration
	for i := range times + 3 {
		start := time.Now()
		before, known := u.worked(backends)
		do(i)
		one := time.Since(start)
		if after, _ := u.worked(backends); known {
			one = min(one, after-before)
		}
		if i >= 3 { // the first read what later ones keep
			took = append(took, one)
		}
	}
	return percentile(took, 50)
}

// twelveTasks gives everybody work on as many tasks, which the staff have marked, and leaves the first to be marked.
func (u *university) twelveTasks() (definitions []int64) {
	u.Helper()
	u.setMany(rubricTasks, 6)
	if err := u.db.Tx(u.Context(), func(q db.Q) (err error) {
		for _, text := range []string{`DELETE FROM rubric_marks`, `DELETE FROM rubrics`, `UPDATE projects SET target_grade = 3
			WHERE unit_id = 1`, `UPDATE task_definitions SET max_quality_pts = 40 WHERE unit_id = 1`} {
			if _, err = db.Exec(u.Context(), q, text); err != nil {
				return err
			}
		}
		if definitions, err = db.All[int64](u.Context(), q, `SELECT id FROM task_definitions WHERE unit_id = 1
			AND NOT is_graded ORDER BY id LIMIT $1`, rubricTasks); err != nil {
			return err
		}
		today := clock.Day(q.Now().Time)
		for i, id := range definitions {
			if err := u.workOn(q, id, today.AddDays(-7*(i+1))); err != nil {
				return err
			}
		}
		_, err = db.Exec(u.Context(), q, `ANALYZE`)
		return err
	}); err != nil || len(definitions) != rubricTasks {
		u.Fatal(definitions, err)
	}
	return definitions
}

// markByRubrics gives tasks rubrics of ten criteria with four levels, and all students levels of them, by four of the
// staff.
func (u *university) markByRubrics(definitions []int64) {
	u.Helper()
	if err := u.db.Tx(u.Context(), func(q db.Q) error {
		for _, id := range definitions {
			r, err := rubric.Save(u.Context(), q, id, rubric.Change{Criteria: tenCriteria(), UserID: 1})
			if err != nil {
				return err
			}
			tasks, err := db.All[struct {
				ID int64      `db:"id"`
				At clock.Time `db:"updated_at"`
			}](u.Context(), q, `SELECT id, updated_at FROM tasks WHERE task_definition_id = $1`, id)
			if err != nil {
				return err
			}
			var rows [][]any
			for i, task := range tasks {
				levels := rubric.Levels{}
				for k, c := range r.Criteria {
					levels = append(levels, c.Levels[(i*7+k*3+i/5)%len(c.Levels)].ID)
				}
				rows = append(rows, []any{task.ID, r.ID, levels, nil, true, int64(1 + i%4), task.At})
			}
			if err := db.Insert(u.Context(), q, `rubric_marks (task_id, rubric_id, levels, points, present, user_id, at)`, "",
				rows); err != nil {
				return err
			}
		}
		_, err := db.Exec(u.Context(), q, `ANALYZE`)
		return err
	}); err != nil {
		u.Fatal(err)
	}
}

// tenCriteria have four levels of 0, 1, 2 and 4 points each.
func tenCriteria() (list rubric.Criteria) {
	for i := range rubricCriteria {
		c := rubric.Criterion{Title: fmt.Sprint("Criterion ", i+1)}
		for n, points := range []int64{0, 1, 2, 4} {
			c.Levels = append(c.Levels, rubric.Level{Name: fmt.Sprint("Level ", n+1), Text: "What it is like", Points: new(points)})
		}
		list = append(list, c)
	}
	return list
}

// marking is how long a verdict on a task usually takes: with points, or with levels of a rubric, one student after the
// other.
func (u *university) marking(definition int64, r *rubric.Rubric) time.Duration {
	u.Helper()
	type place struct {
		Project int64 `db:"project_id"`
		Version int64 `db:"version"`
	}
	const works = 60
	list, err := db.All[place](u.Context(), u.db.Pool(), `SELECT project_id, version FROM tasks
		WHERE task_definition_id = $1 AND project_id > (SELECT max(id) - 500 FROM projects) ORDER BY id LIMIT $2`, definition,
		works+3)
	if err != nil {
		u.Fatal(err)
	}
	return u.usual(works, func(i int) {
		body := fmt.Sprintf(`{"trigger":"discuss","comment":"Tell me more","version":%d,"quality_pts":20}`, list[i].Version)
		if r != nil {
			var levels []string
			for k, c := range r.Criteria {
				levels = append(levels, fmt.Sprint(c.Levels[(i+k)%len(c.Levels)].ID))
			}
			body = fmt.Sprintf(`{"trigger":"discuss","comment":"Tell me more","version":%d,"rubric":{"id":%d,"levels":[%s]}}`,
				list[i].Version, r.ID, strings.Join(levels, ","))
		}
		u.send(aConvenor, fmt.Sprintf("/api/projects/%d/task_def_id/%d/verdict", list[i].Project, definition), body)
	})
}

// send posts to the API.
func (u *university) send(name, path, body string) {
	u.Helper()
	r := httptest.NewRequest(http.MethodPost, "http://lectern.test"+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Username", name)
	r.Header.Set("Auth-Token", u.tokens[name])
	w := httptest.NewRecorder()
	u.faces.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		u.Fatalf("%s: %d %s", path, w.Code, w.Body)
	}
}
