package site_test

import (
	"context"
	"strings"
	"testing"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

// The list of students shows who is overdue, behind the plan or needs help, how far each is and when they
// were last active in this unit; it is narrowed and sorted by that, with links that keep the rest.
func TestStudentsWhoNeedSomebody(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		w.tx(func(ctx context.Context, q db.Q) error {
			today := clock.Day(q.Now().Time)
			if _, err := db.Exec(ctx, q, `UPDATE task_definitions SET target_date = $1, due_date = $2, target_grade = 0`,
				today.AddDays(-9), today.AddDays(30)); err != nil {
				return err
			}
			_, err := db.Exec(ctx, q, `UPDATE projects SET last_active_at = $1`, q.Now())
			return err
		})
		tom, path := w.as("tom"), w.path("/units/{id}/students")
		list := tom.do(path, nil).status(200).says("1 student").says("1 task overdue").says("Behind plan").
			says("0 of 1 complete").says(`data-as="near">now</time>`)
		for _, want := range []string{`aria-sort="ascending"><a href="` + path + `?sort=-name">Student`,
			`<a href="` + path + `?sort=-overdue">Signs`, `<a href="` + path + `?sort=last_active">Last active`,
			`href="` + path + `?show=overdue&amp;sort=name"`, `href="` + path + `?show=need-help&amp;sort=name"`} {
			if !strings.Contains(list.dense(), want) {
				t.Errorf("the list lacks %s", want)
			}
		}
		for show, found := range map[string]bool{"overdue": true, "behind-plan": true, "need-help": false} {
			page := tom.do(path+"?show="+show+"&sort=-overdue", nil).status(200)
			if got := strings.Contains(page.text(), "1 task overdue"); got != found {
				t.Errorf("%s finds Ann: %v", show, got)
			}
			page.says(`aria-current="true"`).says(`href="` + path + `?sort=-overdue"`) // without it
		}
		w.exec(`INSERT INTO tasks (project_id, task_definition_id, unit_id, status, created_at, updated_at)
			SELECT p.id, d.id, p.unit_id, 'need_help', $1, $1 FROM projects p JOIN task_definitions d ON d.unit_id = p.unit_id`,
			w.db.Now())
		tom.do(path+"?show=need-help", nil).status(200).says("1 needs help").lacks("task overdue")
	})
}
