package bench

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"lectern/internal/connect/webhook"
	"lectern/internal/ground/clock"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/files"
	"lectern/internal/usecase"
	"lectern/internal/usecase/settingstest"
	"lectern/internal/web/api"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/httpserver"
	"lectern/internal/web/site"
)

// anAdmin runs the service.
const anAdmin = "aadmin"

// scale is how large a university the pages of the administration are measured in.
type scale struct{ people, units, entries, jobs int }

// fullScale is what is promised; LECTERN_TEST_FULL=1 measures in it, everything else in a fiftieth.
var fullScale = scale{100_000, 1_000, 1_000_000, 100_000}

func chosenScale() scale {
	if dbtest.Full() {
		return fullScale
	}
	s := fullScale
	return scale{s.people / 50, s.units / 50, s.entries / 50, s.jobs / 50}
}

// end asks for the last hundred of all people.
func (s scale) end() string { return fmt.Sprintf("?limit=100&offset=%d", s.people-100) }

// The most that a page of the administration, or a search for people, may take of 95 in 100 times.
const (
	mostOfAPage  = 100 * time.Millisecond
	mostOfSearch = 50 * time.Millisecond
)

// narrowed are lists of the administration that are asked for something, with the calls behind them.
var narrowed = map[string][]string{
	"/admin/units?text=biology&show=closed": {"/api/admin/units?text=biology&active=false&limit=100",
		"/api/teaching_periods"},
	"/admin/units?page=9": {"/api/admin/units?limit=100&offset=800", "/api/teaching_periods"},

	"/admin/people?text=ada+wat":      {"/api/admin/people?text=ada+wat&limit=100", counted},
	"/admin/people?state=active":      {"/api/admin/people?state=active&limit=100", counted},
	"/admin/people?state=invited":     {"/api/admin/people?state=invited&limit=100", counted},
	"/admin/people?role=Convenor":     {"/api/admin/people?system_role=Convenor&limit=100", counted},
	"/admin/people?factor=none":       {"/api/admin/people?without_second_factor=true&limit=100", counted},
	"/admin/people?sort=-sign_in":     {"/api/admin/people?sort=-sign_in&limit=100", counted},
	"/admin/jobs/retry?kind=document": {"/api/admin/jobs/retry?kind=document"},

	"/admin/jobs?show=all":         {"/api/admin/jobs", "/api/admin/health"},
	"/admin/jobs?show=all&page=20": {"/api/admin/jobs?offset=1900", "/api/admin/health"},
	"/admin/audit?kind=sign_in":    {"/api/admin/audit?kind=sign_in", "/api/admin/audit/verification"},
	"/admin/audit?actor=p77": {"/api/search?text=p77", "/api/admin/audit?actor_id=78",
		"/api/admin/audit/verification"},
	"/admin/events?kind=submission": {"/api/admin/event_log?newest=true&kind=submission", named},
	"/admin/jobs?show=done&kind=document&unit=SIT7": {"/api/admin/jobs?state=done&kind=document&unit_id=7",
		"/api/admin/health"},
	"/admin/jobs?unit=SIT7": {"/api/admin/jobs?attention=true&unit_id=7", "/api/admin/health"},
	"/admin/webhooks/1":     {"/api/admin/webhooks/1", "/api/admin/webhooks/1/deliveries"},
	"/admin/webhooks/1?failed=true&page=3": {"/api/admin/webhooks/1",
		"/api/admin/webhooks/1/deliveries?failed=true&offset=200"},
}

// counted tells how many people there are of each kind.
const counted = "/api/admin/people/counts"

// short are lists of a few rows, and the forms of settings: half of such a page is the frame around it, a quarter of a
// millisecond of markup for which three calls without a row are the program's part. What 100 rows cost tells nothing
// of them, so they are held to what all pages are.
var short = []string{"/admin/campuses", "/admin/activity-types", "/admin/images", "/admin/periods", "/admin/settings",
	"/admin/settings/institution", "/admin/settings/sign-in", "/admin/settings/email"}

// Lists of the administration are quick in a large university: each page against the calls of the API that
// give a program the same, and by itself; and people are found at once.
func TestAdministrationAtScale(t *testing.T) {
	dbtest.Load(t)
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			s := chosenScale()
			u := largeUniversity(t, engine, s)
			lists := map[string][]string{}
			for _, i := range u.site.Sorted() {
				if isPage(i) && strings.HasPrefix(i.Path, "/admin") && !strings.Contains(i.Path, "{") &&
					!strings.HasSuffix(i.Path, "/new") && behind[i.Path] != nil && narrowed[i.Path+"?kind=document"] == nil {
					lists[i.Path] = behind[i.Path]
				}
			}
			for path, calls := range narrowed {
				lists[path] = calls
			}
			last := fmt.Sprintf("/admin/people?page=%d", s.people/100)
			lists[last] = []string{people + s.end(), counted}
			var table strings.Builder
			for _, path := range sortedPaths(lists) {
				fmt.Fprintln(&table, u.measure(path, lists[path]))
			}
			t.Log("\n| Page | median ms | p95 ms | calls ms | Times |\n|---|---|---|---|---|\n" + table.String())
			slowest, p95 := u.search(s)
			for try := 0; try < 2 && p95 > mostOfSearch; try++ {
				slowest, p95 = u.search(s)
			}
			if t.Logf("people are found within %v (p95 of %s)", p95, slowest); p95 > mostOfSearch {
				t.Errorf("%s takes %v", slowest, p95)
			}
		})
	}
}

func sortedPaths(m map[string][]string) (out []string) {
	for path := range m {
		out = append(out, path)
	}
	slices.Sort(out)
	return out
}

// measure times a page and the calls behind it by turns, and gives a row of the table. A machine that is busy
// for a moment is so once; a slow page stays slow.
func (u *university) measure(path string, calls []string) (row string) {
	for try := range 3 {
		var pages, apis []time.Duration
		for range 41 {
			pages = append(pages, lasted(func() { u.ask(anAdmin, path) }))
			apis = append(apis, lasted(func() {
				for _, c := range slices.Concat(framed, calls) {
					u.ask(anAdmin, c)
				}
			}))
		}
		slices.Sort(pages)
		slices.Sort(apis)
		median, p95, behind := pages[20], pages[38], apis[20]
		times := float64(median) / float64(behind)
		row = fmt.Sprintf("| `%s` | %.2f | %.2f | %.2f | %.1f |", path, ms(median), ms(p95), ms(behind), times)
		most := float64(wantedPage)
		if slices.Contains(short, path) {
			most = mostPage
		}
		if times <= most && p95 <= mostOfAPage {
			return row
		}
		if try == 2 {
			u.Errorf("too slow: %s", row)
		}
	}
	return row
}

func lasted(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

// sought are searches for people: by words that many, few, one and nobody have, by themselves and narrowed.
var sought = []string{"/api/search?text=wat", "/api/search?text=p77", "/api/search?text=jun+watanabe",
	people + "?text=wat", people + "?text=ada", people + "?text=p77", people + "?text=s10", people + "?text=jun+watanabe",
	people + "?text=100777", people + "?text=nobody", people + "?text=ada+wat&state=active",
	people + "?text=ada&system_role=Convenor", people + "?state=active", people + "?system_role=Convenor",
	people + "?without_second_factor=true", people + "?text=wat&sort=-sign_in"}

const people = "/api/admin/people"

// search finds people, and tells which search takes the longest of 95 in 100 times, and how long.
func (u *university) search(s scale) (slowest string, p95 time.Duration) {
	for _, path := range append(slices.Clone(sought), people+s.end(), people+s.end()+"&sort=-sign_in") {
		var all []time.Duration
		for range 21 {
			all = append(all, lasted(func() { u.ask(anAdmin, path) }))
		}
		if slices.Sort(all); all[19] > p95 {
			slowest, p95 = path, all[19]
		}
	}
	return slowest, p95
}

// largeUniversity serves both faces over a database of that size.
func largeUniversity(t *testing.T, engine string, s scale) *university {
	t.Helper()
	d, ctx := dbtest.New(t, engine, nil), t.Context()
	store, err := files.Open(ctx, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	u := &university{TB: t, db: d, tokens: map[string]string{}}
	face := endpoint.Config{DB: d, Spool: t.TempDir(), HTTP: httpserver.New(httpserver.Config{
		Log: slog.New(slog.DiscardHandler)})}
	u.faces = face.HTTP
	uses := usecase.New(usecase.Config{DB: d, Files: store, PublicURL: "http://lectern.test",
		Keeper: &settingstest.Keeper{Path: filepath.Join(t.TempDir(), "settings.env")}})
	api.New(api.Config{Config: face, Usecases: uses})
	u.site = site.New(site.Config{Config: face, Usecases: uses})
	start := time.Now()
	if err := d.Tx(ctx, func(q db.Q) error {
		admin, err := ident.Add(ctx, q, ident.NewUser{Username: anAdmin, Email: "aadmin@example.edu", FirstName: "A",
			LastName: "Admin", Role: policy.Admin})
		if err != nil {
			return err
		}
		if u.tokens[anAdmin], err = ident.Start(ctx, q, admin, false); err != nil {
			return err
		}
		u.ids = strings.NewReplacer("{user}", strconv.FormatInt(admin.ID, 10))
		return s.fill(ctx, q)
	}); err != nil {
		t.Fatal(err)
	}
	if err := ident.FillWords(ctx, d); err != nil {
		t.Fatal(err)
	}
	u.settle()
	t.Logf("filled with %+v in %v", s, time.Since(start).Round(time.Second))
	return u
}

// fill makes the university by a few statements, each of which makes all rows of a table.
func (s scale) fill(ctx context.Context, q db.Q) error {
	const numbers = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1) `
	// moments have a moment beside each, of which PostgreSQL knows the type where there may be none
	const moments = `WITH RECURSIVE n(i, at) AS (SELECT 1, p.start_date FROM teaching_periods p WHERE p.period = 'T1'
		UNION ALL SELECT i + 1, at FROM n WHERE i < $1) `
	const rows = 10 // of what is set up: campuses, kinds of classes, images, periods
	now := q.Now()
	for _, one := range []struct {
		text string
		args []any
	}{
		{numbers + `INSERT INTO teaching_periods (period, year, start_date, end_date, active_until)
			SELECT 'T' || CAST(i AS TEXT), 2026, $2, $2, $2 FROM n`, []any{rows, now}},
		{numbers + `INSERT INTO campuses (name, mode, abbreviation, active)
			SELECT 'Campus ' || CAST(i AS TEXT), 'manual', 'C' || CAST(i AS TEXT), TRUE FROM n`, []any{rows}},
		{numbers + `INSERT INTO activity_types (name, abbreviation)
			SELECT 'Kind ' || CAST(i AS TEXT), 'K' || CAST(i AS TEXT) FROM n`, []any{rows}},
		{numbers + `INSERT INTO overseer_images (name, tag, pulled_image_status)
			SELECT 'Image ' || CAST(i AS TEXT), 'image:' || CAST(i AS TEXT), 'success' FROM n`, []any{rows}},
		{numbers + `INSERT INTO units (code, name, description, teaching_period_id, start_date, end_date, active, created_at,
				updated_at)
			SELECT 'SIT' || CAST(i AS TEXT), CASE i % 4 WHEN 0 THEN 'Biology' WHEN 1 THEN 'Logic' WHEN 2 THEN 'Law'
				ELSE 'History' END, 'About', p.id, $3, $3, i % 3 > 0, $2, $2
			FROM n JOIN teaching_periods p ON p.period = 'T' || CAST(i % 10 + 1 AS TEXT)`,
			[]any{s.units, now, clock.Day(now.Time)}},
		{moments + `INSERT INTO users (username, username_key, email, email_key, student_id, first_name, last_name, role,
				opened_at, signed_in_at, created_at, updated_at)
			SELECT 'p' || CAST(i AS TEXT), 'p' || CAST(i AS TEXT), 's' || CAST(i AS TEXT) || '@example.edu',
				's' || CAST(i AS TEXT) || '@example.edu', CAST(100000 + i AS TEXT),
				CASE i % 7 WHEN 0 THEN 'Ada' WHEN 1 THEN 'Jun' WHEN 2 THEN 'Mia' WHEN 3 THEN 'Marek' WHEN 4 THEN 'Rosa'
					WHEN 5 THEN 'Peter' ELSE 'Clara' END,
				CASE i % 11 WHEN 0 THEN 'Watanabe' WHEN 1 THEN 'Nguyen' WHEN 2 THEN 'Osei' WHEN 3 THEN 'Lang' WHEN 4 THEN 'Oduya'
					WHEN 5 THEN 'Bianchi' ELSE 'Family' || CAST(i % 997 AS TEXT) END, CASE WHEN i % 40 = 0 THEN 3 ELSE 1 END,
				CASE WHEN i % 10 > 0 THEN n.at END, CASE WHEN i % 10 > 0 THEN n.at END, $2, $2
			FROM n`, []any{s.people, now}},
		{`INSERT INTO unit_roles (unit_id, user_id, role, is_main, created_at, updated_at)
			SELECT u.id, p.id, 3, TRUE, $1, $1 FROM units u JOIN users p ON p.username = 'p' || CAST(40 * u.id AS TEXT)`,
			[]any{now}},
		{`INSERT INTO projects (unit_id, user_id, enrolled, created_at, updated_at)
			SELECT u.id, p.id, TRUE, $1, $1 FROM users p JOIN units u ON u.code = 'SIT' || CAST(p.id % ` +
			fmt.Sprint(s.units) + ` + 1 AS TEXT) WHERE p.role = 1`, []any{now}},
		{numbers + `INSERT INTO audit_entries (seq, at, kind, action, actor_id, user_id, unit_id, project_id, task_id,
				record_id, fields, hash, address, request_id)
			SELECT i, $2, CASE i % 5 WHEN 0 THEN 'sign_in' WHEN 1 THEN 'unit' WHEN 2 THEN 'role' ELSE 'setting' END, 'changed',
				i % 1000 + 1, i % 5000 + 1, i % 500, 0, 0, i, 'name', 'x' || CAST(i AS TEXT), NULL, 'r' || CAST(i AS TEXT)
			FROM n`, []any{s.entries, now}},
		{moments + `INSERT INTO jobs (kind, args, state, attempt, max_attempts, run_at, created_at, finished_at, error)
			SELECT CASE i % 3 WHEN 0 THEN 'mail' WHEN 1 THEN 'document' ELSE 'webhook' END, '{}',
				CASE WHEN i % 100 = 0 THEN 'dead' WHEN i % 50 = 1 THEN 'available' ELSE 'done' END, 1, 5, $2, $2,
				CASE WHEN i % 50 = 1 THEN NULL ELSE n.at END,
				CASE WHEN i % 100 = 0 THEN 'It failed.' END
			FROM n`, []any{s.jobs, now}},
		{numbers + `INSERT INTO events (seq, kind, at, actor_id, user_id, unit_id, project_id, task_id, body)
			SELECT i, CASE i % 3 WHEN 0 THEN 'submission' ELSE 'status' END, $2, i % 1000 + 1, i % 5000 + 1, i % 20 + 1,
				i % 20 + 1, i, '{}' FROM n`, []any{s.jobs, now}},
		{numbers + `INSERT INTO webhooks (url, secret, kinds, active, last_seq, failures, last_error, created_at, updated_at)
			SELECT 'https://hooks.example.edu/' || CAST(i AS TEXT), 's', '[]', TRUE, 0, i % 3, 'It answered 500.', $2, $2
			FROM n`, []any{webhook.Most, now}},
		{numbers + `INSERT INTO webhook_deliveries (webhook_id, seq, kind, attempts, delivered, status, error, created_at,
				tried_at, milliseconds)
			SELECT w.id, i, 'status', 1, i % 2 = 0, 200, CASE i % 2 WHEN 1 THEN 'the receiver answered 500' END, $2, $2, 70
			FROM n, webhooks w`, []any{rows * 100, now}},
		{`UPDATE jobs SET unit_key = id % 20 + 1 WHERE kind = 'document'`, nil},
	} {
		if _, err := db.Exec(ctx, q, one.text, one.args...); err != nil {
			return fmt.Errorf("%w: %s", err, one.text[:min(len(one.text), 160)])
		}
	}
	return s.write(ctx, q)
}

// write makes the emails of the jobs that send them, a third of all: jobs are kept for 7 days.
func (s scale) write(ctx context.Context, q db.Q) error {
	const days = 7
	for day := range days {
		at := clock.At(q.Now().AddDate(0, 0, -day))
		if _, err := db.Exec(ctx, q, `INSERT INTO mails (name, user_id, preference, reply_to, subject, body_text, body_html,
				created_at, sent_at)
			SELECT 'm' || CAST(j.id AS TEXT), j.id % 1000 + 1, CASE j.id % 2 WHEN 0 THEN 'task' ELSE '' END, '', '', '', '',
				$1, $1 FROM jobs j WHERE j.kind = 'mail' AND j.id % $2 = $3`, at, days, day); err != nil {
			return err
		}
	}
	_, err := db.Exec(ctx, q, `UPDATE jobs SET args = '{"mail_id":' || CAST((SELECT m.id FROM mails m
		WHERE m.name = 'm' || CAST(jobs.id AS TEXT)) AS TEXT) || '}' WHERE kind = 'mail'`)
	return err
}
