package site_test

import (
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"lectern/internal/ground/links"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/rubric"
	"lectern/internal/web/site/page"
)

// hostileEverywhere gives Ann something of everything that pages show, and every name,
// text and file of it a hostile name. It gives what puts the ids into paths.
func (w *world) hostileEverywhere() *strings.Replacer {
	w.Helper()
	w.hostile()
	w.outcome()
	w.classes()
	ann, tom, task := w.as("ann"), w.as("tom"), w.path(aTask)
	for _, who := range []*world{ann, tom} {
		who.do(task+"/comments", url.Values{"comment": {"Hello"}}).status(303)
	}
	ann.do(task+"/extension", url.Values{"weeks": {"1"}, "reason": {"I was ill."}}).status(303)
	at := ann.send(task+"/hand-in", "k", "a.go", "package a\n").status(303).Header().Get("Location")
	w.assessed("done", "It is odd.", `{"output":"x","build_message":"m","run_message":"r"}`)
	two := w.one(`SELECT id FROM tutorials WHERE abbreviation = 'Two'`)
	ann.do(w.path("/projects/{id}/tutorials/")+two+"/join", url.Values{}).status(303)
	set := w.path("/projects/{id}/groups/") + w.one(`SELECT max(id) FROM group_sets`)
	ann.do(set, url.Values{"name": {"Ours"}, "tutorial_id": {two}}).status(303)
	ann.send(w.path(aPortfolio)+"/files", "", "one.go", "package one\n").status(303)
	discussion := w.discuss()
	w.exec(`INSERT INTO webhooks (url, secret, kinds, active, last_seq, last_error, created_at, updated_at)
		VALUES ($1, 'secret', '[]', FALSE, 0, $1, $2, $2)`, hostile, w.db.Now())
	w.exec(`INSERT INTO webhook_deliveries (webhook_id, seq, kind, attempts, delivered, error, created_at, tried_at,
			milliseconds)
		SELECT max(id), 1, $1, 1, FALSE, $1, $2, $2, 7 FROM webhooks`, hostile, w.db.Now())
	w.exec(`INSERT INTO erasures (user_id, asked_by, job_id, with_files, asked_at, due_at)
		SELECT u.id, u.id, 1, FALSE, $1, $1 FROM users u WHERE u.username = 'ann'`, w.db.Now())
	w.job("document", "dead", hostile, 0)
	w.exec(`INSERT INTO deletions (unit_id, kind, record_id, name, user_id, students, at)
		SELECT u.id, 'task_definition', 4711, $1, p.id, 1, $2 FROM units u, users p WHERE p.username = 'tom'`, hostile,
		w.db.Now())
	w.exec(`INSERT INTO deleted_files (deletion_id, project_id, kind, task, name, hash)
		SELECT max(d.id), max(p.id), 'submission', $1, $1, max(b.hash) FROM deletions d, projects p, blobs b`, hostile)
	tom.do(w.path(unitSnippets), url.Values{"text": {"Well done"}, "shared": {"true"}}).status(303)
	tom.do(w.path(notesOn), url.Values{"text": {"Was ill"}}).status(303)
	w.exec(`INSERT INTO task_similarities (type, project_id, task_id, submission_id, part, outside_id, outside_pct,
			flagged, created_at)
		SELECT 'TiiTaskSimilarity', max(t.project_id), max(t.id), max(s.submission_id), 'file0', 'seen', 7, FALSE, $1
		FROM submission_tasks s JOIN tasks t ON t.id = s.task_id`, w.db.Now()) // somebody looked at it
	w.exec(`INSERT INTO moderation_samples (unit_id, seed, narrowed, spread, size, matched, user_id, at)
		SELECT max(n.id), $1, '{}', 'all', 1, 1, max(u.id), $2 FROM units n, users u`, hostile[:40], w.db.Now())
	w.exec(`INSERT INTO moderation_works (sample_id, task_id, place, first_by, first_at, first_status, second_by, second_at,
			second_status, second_levels, second_comment, agreed)
		SELECT max(m.id), max(t.id), 1, min(u.id), $2, 'complete', max(x.id), $2, 'redo', '[]', $1, FALSE
		FROM moderation_samples m, tasks t, users u, users x WHERE x.username = 'tom' AND u.username <> 'tom'`, hostile,
		w.db.Now())
	w.exec(`INSERT INTO assessment_trials (task_definition_id, user_id, status, reason, created_at, updated_at)
		SELECT max(d.id), max(u.id), 'failed', $1, $2, $2 FROM task_definitions d, users u`, hostile, w.db.Now())
	w.exec(`INSERT INTO announcements (unit_id, user_id, audience, title, text, recipients, created_at)
		SELECT max(n.id), max(u.id), 'all', $1, $1, 1, $2 FROM units n, users u`, hostile, w.db.Now())
	w.exec(`INSERT INTO announcement_recipients (announcement_id, project_id) SELECT max(a.id), max(p.id)
		FROM announcements a, projects p`)
	w.exec(`INSERT INTO activity_types (name, abbreviation) VALUES ($1, $1)`, hostile)
	w.exec(`INSERT INTO tutorial_streams (unit_id, activity_type_id, name, abbreviation)
		SELECT max(n.id), max(a.id), $1, $1 FROM units n, activity_types a`, hostile)
	w.exec(`INSERT INTO teaching_periods (period, year, start_date, end_date, active_until)
		VALUES ($1, 2026, $2, $2, $2)`, hostile, w.db.Now())
	w.exec(`INSERT INTO breaks (teaching_period_id, start_date, number_of_weeks)
		SELECT max(id), '2026-03-02', 1 FROM teaching_periods`)
	w.exec(`INSERT INTO overseer_images (name, tag, pulled_image_status, pulled_image_text)
		VALUES ($1, $1, 'pulling', $1)`, hostile)
	w.exec(`INSERT INTO rubrics (task_definition_id, version, current, criteria, last_key, user_id, at)
		SELECT d.id, 1, TRUE, $1, 3, (SELECT max(id) FROM users), $2 FROM task_definitions d`, rubric.Criteria{{ID: 1,
		Title: hostile, Description: hostile, Levels: []rubric.Level{{ID: 2, Name: hostile, Text: hostile}, {ID: 3, Name: hostile + "2"}}}},
		w.db.Now())
	w.relay()
	w.spoil()
	version := strings.TrimSuffix(at[strings.LastIndex(at, "/versions/")+len("/versions/"):], "/receipt")
	return strings.NewReplacer("/discussions/{id}", "/discussions/"+strconv.FormatInt(discussion, 10),
		"{timestamp}", version, "/units/{id}", "/units/"+w.one(`SELECT max(id) FROM units`),
		"{task_id}", w.one(`SELECT max(id) FROM tasks`), "{group_set_id}", w.one(`SELECT max(id) FROM group_sets`),
		"{group_id}", w.one(`SELECT max(id) FROM unit_groups`),
		"{outcome_id}", w.one(`SELECT max(id) FROM learning_outcomes`),
		"{similarity_id}", w.one(`SELECT max(id) FROM task_similarities`),
		"{announcement_id}", w.one(`SELECT max(id) FROM announcements`),
		"{work_id}", w.one(`SELECT max(id) FROM moderation_works`), "{sample_id}", w.one(`SELECT max(id) FROM moderation_samples`),
		"{trial_id}", w.one(`SELECT max(id) FROM assessment_trials`), "{stream_id}",
		w.one(`SELECT max(id) FROM tutorial_streams`), "settings/staff/tutorials/{tutorial_id}",
		"settings/staff/tutorials/"+w.one(`SELECT max(id) FROM tutorials`),
		"/admin/periods/{teaching_period_id}/breaks/{id}",
		"/admin/periods/"+w.one(`SELECT max(teaching_period_id) FROM breaks`)+"/breaks/"+w.one(`SELECT max(id) FROM breaks`),
		"/admin/periods/{id}", "/admin/periods/"+w.one(`SELECT max(id) FROM teaching_periods`),
		"/admin/campuses/{id}", "/admin/campuses/"+w.one(`SELECT max(id) FROM campuses`),
		"/admin/activity-types/{id}", "/admin/activity-types/"+w.one(`SELECT max(id) FROM activity_types`),
		"/admin/images/{id}", "/admin/images/"+w.one(`SELECT max(id) FROM overseer_images`))
}

// spoil gives everything hostile names; those that must differ end in a number.
func (w *world) spoil() {
	w.Helper()
	for table, columns := range map[string][]string{"users": {"first_name", "last_name", "nickname"},
		"tutorials": {"meeting_location", "meeting_day", "meeting_time"}, "learning_outcomes": {"description"},
		"portfolio_files": {"name"}, "submission_files": {"name"}, "task_comments": {"comment"},
		"submissions": {"reason"}, "assessments": {"reason", "trouble"}, "sessions": {"agent"},
		"snippets": {"text"}, "staff_notes": {"text"}} {
		for _, c := range columns {
			w.exec(fmt.Sprintf(`UPDATE %s SET %s = $1`, table, c), hostile)
		}
	}
	for table, column := range map[string]string{"units": "code", "tutorials": "abbreviation", "unit_groups": "name",
		"group_sets": "name", "campuses": "name", "learning_outcomes": "abbreviation"} {
		w.exec(fmt.Sprintf(`UPDATE %s SET %s = $1 || CAST(id AS TEXT)`, table, column), hostile)
	}
}

// Every page is reached in a university where everything has a hostile name, and is
// sound there.
func TestHostileNamesOnEveryPage(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	ids := w.hostileEverywhere()
	ann, tom, cora, ada := w.as("ann"), w.as("tom"), w.convenor(), w.administrator()
	for _, i := range w.site.Routes() {
		if i.Method != http.MethodGet || i.Out != reflect.TypeFor[*page.Page]() {
			continue
		}
		who, path := ann, w.path(ids.Replace(i.Path))
		switch {
		case path == links.FirstStart:
			continue // nobody reaches it where there is an administrator: see TestTheFirstStart
		case strings.HasPrefix(path, "/admin"), strings.HasPrefix(path, links.FirstStart):
			who = ada
		case pages["GET "+i.Path][2] == http.StatusForbidden || strings.Contains(i.Path, "/settings/"):
			who = cora
		case strings.HasPrefix(path, "/units/"):
			who = tom
		}
		a := who.do(path, nil)
		if a.Code != http.StatusOK {
			t.Errorf("%s is not reached: %d %s", path, a.Code, a.text())
			continue
		}
		if text := a.Body.String(); strings.Contains(text, "<script>alert") || strings.Contains(text, `" onload=`) {
			t.Errorf("%s takes a name for markup", path)
		}
		if a.page() {
			who.sound(path, a)
		}
	}
}

// Reading changes nothing: after every page, part and file was asked for, all tables
// hold what they held, but for when a session was used and that work was exported.
func TestReadingChangesNothing(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	ids := w.hostileEverywhere()
	readers := []*world{w.as("ann"), w.as("tom")}
	before := w.tables()
	for _, i := range w.site.Routes() {
		if i.Method != http.MethodGet {
			continue
		}
		for _, who := range readers {
			who.do(w.path(ids.Replace(i.Path)), nil)
		}
	}
	w.unchanged(before)
}

// tables gives what each table holds, as text.
func (w *world) tables() map[string]string {
	w.Helper()
	out := map[string]string{}
	names, err := db.All[string](w.Context(), w.db.Pool(), `SELECT name FROM sqlite_master WHERE type = 'table'
		AND name NOT IN ('sessions', 'audit_outbox', 'sqlite_sequence')`)
	if err != nil {
		w.Fatal(err)
	}
	for _, name := range names {
		columns, err := db.All[string](w.Context(), w.db.Pool(), `SELECT name FROM pragma_table_info($1)`, name)
		if err != nil {
			w.Fatal(err)
		}
		out[name] = w.one(`SELECT coalesce(group_concat(r, char(10)), '') FROM (SELECT concat_ws('|', ` +
			strings.Join(columns, ", ") + `) AS r FROM ` + name + ` ORDER BY 1)`)
	}
	return out
}
