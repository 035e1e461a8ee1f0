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
)

const (
	aStudent  = "/units/{unit_id}/students/{project_id}"
	aUnitTask = "/units/{unit_id}/tasks/{task_definition_id}"
)

func init() {
	maps.Copy(pages, map[string][4]int{
		"GET /units/{id}/students":              {303, 403, 200, 403},
		"GET " + aStudent:                       {303, 403, 200, 403},
		"POST " + aStudent + "/view":            {401, 403, 303, 403},
		"POST /views/{id}/leave":                {401, 303, 303, 303}, // there is no such view: home
		"GET /units/{id}/tasks":                 {303, 403, 200, 403},
		"GET " + aUnitTask:                      {303, 403, 200, 403},
		"GET " + aUnitTask + "/submissions.zip": {303, 403, 200, 403},
		"GET " + aUnitTask + "/documents.zip":   {303, 403, 200, 403},
	})
}

// The staff of a unit find its students, look at one and at one task of all.
func TestPagesAroundTheDesk(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		students, tasks, one, student, task := w.path("/units/{id}/students"), w.path("/units/{id}/tasks"),
			w.path(aUnitTask), w.path(aStudent), w.path(aTask)
		w.tx(func(ctx context.Context, q db.Q) error {
			for _, text := range []string{
				`UPDATE users SET first_name = 'Anne', last_name = 'Smith', student_id = 'S77' WHERE username = 'ann'`,
				`UPDATE users SET first_name = 'Eve', last_name = 'Jones' WHERE username = 'eve'`,
				`INSERT INTO projects (unit_id, user_id, enrolled, created_at, updated_at)
					SELECT p.unit_id, u.id, FALSE, p.created_at, p.created_at FROM projects p, users u
					WHERE u.username = 'eve'`,
				`UPDATE task_definitions SET name = 'Essay', abbreviation = 'E1'`,
				`UPDATE units SET code = 'ABC'`,
			} {
				if _, err := db.Exec(ctx, q, text); err != nil {
					return err
				}
			}
			return nil
		})
		ann, tom := w.as("ann"), w.as("tom")
		tom.do(students, nil).status(200).says("<bdi>Students</bdi>").says("Anne Smith").says("S77").says("Never").
			lacks("Eve Jones")
		tom.do(students+"?text=s77", nil).status(200).says("Anne Smith").says(`value="s77"`)
		tom.do(students+"?text=nobody", nil).status(200).says("No students match these filters.")
		tom.do(students+"?show=withdrawn", nil).status(200).says("Eve Jones").lacks("Anne Smith")
		tom.do(students+"?sort=-last_active&page=9", nil).status(200)
		tom.do(students+"?sort=x&show=y&tutorial=z&campus=-1&page=-3", nil).status(200).says("Anne Smith")

		tom.do(one+"?handed=no", nil).status(200).says("Anne Smith").says("1–1 of 1")
		tom.do(one+"?handed=yes", nil).status(200).lacks("Anne Smith")
		tom.do(one+"?handed=maybe", nil).status(200).says("Anne Smith")
		tom.do(tasks, nil).status(200).says("E1 Essay").says("Not started: 1")
		tom.do(one, nil).status(200).says("E1 Essay").says("Anne Smith").says("Not started: 1").says("Not yet").
			lacks("Eve Jones")
		tom.do(one, nil).lacks(`name="tasks"`).says("Set status for several submissions") // nothing is there to mark yet
		ann.do(task+"/status", url.Values{"status": {"need_help"}}).status(303)
		tom.do(one, nil).status(200).says("Need help: 1").says("/desk?who=all").says(`name="tasks"`)
		tom.do(w.path("/units/{id}/inbox"), nil).status(200).says(`<a href="` + student + `"><bdi>Anne Smith</bdi>`).
			says(`<a href="` + w.path("/units/{id}/desk?at={task_id}") + `"><bdi>E1`)
		tom.do(one+"?status=complete", nil).status(200).says("No students match these filters.").says("Need help: 1")
		tom.do(one+"?status=need_help&sort=submitted&text=ann", nil).status(200).says("Anne Smith")
		tom.do(students, nil).status(200).says(`data-as="near">now</time>`).says("1 needs help").
			says(`<td class="n"><span>1</span></td>`)

		tom.do(students+"?show=second-look", nil).status(200).says("No students match these filters.")
		tom.do(student+"/notes", url.Values{"text": {"Talk to her"}, "flagged": {"true"}, "back": {student}}).status(303)
		tom.do(students, nil).status(200).says(`<span class="txt">Second look</span>`)
		tom.do(students+"?show=second-look", nil).status(200).says("Anne Smith").lacks("Eve Jones")

		tom.do(student, nil).status(200).says("<bdi>Anne Smith</bdi>").says("S77").says("mailto:ann@example.edu").
			says("E1 Essay").says("/desk?who=all&amp;at=").says("<strong>now</strong>").says("View as student")
		tom.do(strings.Replace(student, "/students/", "/students/4711", 1), nil).status(404)
		if zip := tom.do(one+"/documents.zip", nil).status(200); zip.Header().Get("Content-Type") != "application/zip" {
			t.Errorf("%v", zip.Header())
		}
	})
}

// The numbers on top of a task across students are of all of them, whatever the list shows, and each leads
// to as many rows.
func TestOneTaskHasItsNumbersOnTop(t *testing.T) {
	each(t, func(w *world) {
		w.waiting()
		w.exec(`UPDATE tasks SET status = 'complete' WHERE id = (SELECT min(id) FROM tasks)`)
		w.exec(`UPDATE task_definitions SET start_date = '2020-01-01', target_date = '2020-01-01', due_date = '2998-01-01'`)
		tom, one := w.as("tom"), w.path(aUnitTask)
		number := regexp.MustCompile(`<dt>([^<]+)</dt><dd class="big( late)?">(?:<a href="([^"]+)">)?(\d+)<`)
		found := number.FindAllStringSubmatch(tom.do(one+"?text=nobody", nil).status(200).dense(), -1)
		all := map[string]string{}
		for _, m := range found {
			if all[m[1]] = m[4]; m[3] != "" {
				rows := strings.Count(tom.do(one+m[3], nil).status(200).Body.String(), `<th scope="row">`)
				if fmt.Sprint(rows) != m[4] {
					t.Errorf("%s is %s, and leads to %d rows", m[1], m[4], rows)
				}
			}
		}
		submitted := w.one(`SELECT count(*) FROM tasks WHERE submission_date IS NOT NULL
			AND task_definition_id = ` + w.ids()[1])
		if len(all) != 5 || all["Submitted"] != submitted || all["Overdue"] == "" {
			t.Errorf("the numbers are %v, and %s students submitted", all, submitted)
		}
	})
}

// Who studies a unit beside teaching it is led to their own pages for their own work,
// not to those of the staff, which would turn them away; and is not offered to mark it.
func TestOwnRowsAmongStudents(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		w.tx(func(ctx context.Context, q db.Q) error {
			for _, text := range []string{
				`INSERT INTO projects (unit_id, user_id, created_at, updated_at)
					SELECT p.unit_id, u.id, p.created_at, p.created_at FROM projects p, users u WHERE u.username = 'tom'`,
				`UPDATE task_definitions SET upload_requirements = '[]'`,
			} {
				if _, err := db.Exec(ctx, q, text); err != nil {
					return err
				}
			}
			return nil
		})
		tom, task := w.as("tom"), w.path(aTask) // the newest project is Tom's own
		tom.do(task+"/status", url.Values{"status": {"ready_for_feedback"}}).status(303)
		for _, list := range []string{w.path("/units/{id}/students"), w.path(aUnitTask)} {
			tom.do(list, nil).status(200).says(`<a href="` + w.path("/projects/{project_id}") + `"><bdi>tom`).
				lacks(`"` + w.path(aStudent) + `"`).lacks(`name="tasks"`).lacks("/desk?who=all")
		}
		tom.do(w.path(aStudent), nil).status(403)
		tom.do(w.path(aUnitTask), nil).says(`href="` + task + `"`)
	})
}
