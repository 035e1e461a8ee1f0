package bench

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/files"
	"lectern/internal/teaching/submit"
	"lectern/internal/usecase"
	"lectern/internal/usecase/demo"
	"lectern/internal/usecase/settingstest"
	"lectern/internal/web/api"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/httpserver"
	"lectern/internal/web/site"
	"lectern/internal/web/site/page"
)

// framed are the calls that give a program what every page of somebody signed in shows:
// the number at the bell, the places to go to, and how they want their pages.
var framed = []string{"/api/news/unread", "/api/projects", "/api/preferences"}

// frame are framed with the units that the staff teach, which stand beside their pages with their sections.
func frame(who string) []string {
	if who == aStudent || who == anAdmin {
		return framed
	}
	return append(slices.Clone(framed), "/api/unit_roles")
}

// behind are the calls of the API that give a program what a page shows beside that.
var behind = map[string][]string{
	"/home": {"/api/home", "/api/news", aProject, aProject + "/tutorials"},
	"/admin": {"/api/admin/health", "/api/admin/audit?limit=5", "/api/admin/jobs?attention=true&limit=5",
		"/api/admin/erasures?limit=5"},
	"/admin/jobs":          {"/api/admin/jobs?attention=true", "/api/admin/health"},
	"/admin/jobs/retry":    {"/api/admin/jobs/retry?kind=document"},
	"/admin/audit":         {"/api/admin/audit", "/api/admin/audit/verification"},
	"/admin/mail":          {"/api/admin/mail", "/api/admin/health"},
	"/admin/events":        {"/api/admin/event_log?newest=true", named},
	"/admin/webhooks":      {"/api/admin/webhooks"},
	"/admin/webhooks/{id}": {"/api/admin/webhooks", "/api/admin/webhooks/{webhook}/deliveries"},

	"/admin/webhooks/{id}/delete": {"/api/admin/webhooks"},

	"/admin/people":             {"/api/admin/people?limit=100", "/api/admin/people/counts"},
	"/admin/people/{id}":        {"/api/admin/people/{user}", "/api/users/{user}/sessions"},
	"/admin/people/{id}/login":  {"/api/admin/people/{user}"},
	"/admin/people/{id}/export": {"/api/admin/people/{user}", "/api/users/{user}/data"},
	"/admin/people/{id}/erase":  {"/api/admin/people/{user}", "/api/users/{user}/data"},
	"/admin/people/invitations": {"/api/users/invitations"},

	"/news":                 {"/api/news"},
	"/calendar":             {"/api/calendar", aProject + "/tutorials"},
	"/calendar/feed":        {"/api/webcal"},
	"/search":               {"/api/search?text=a", "/api/units", "/api/unit_roles"},
	"/search/found":         {"/api/search?text=a", "/api/units", "/api/unit_roles"},
	"/projects/{id}/search": {aProject, "/api/search?text=a"},
	"/profile":              {"/api/users/{user}"},
	"/profile/email":        {"/api/users/{user}"},
	"/profile/appearance":   {"/api/users/{user}"},
	"/profile/data":         {"/api/data_export", "/api/users/{user}"},
	"/profile/security":     {"/api/auth/sessions", "/api/users/{user}", "/api/auth/second_factor"},
	"/second-factor":        {"/api/auth/second_factor"},
	"/sign-in":              {"/api/auth/method"},
	"/receipts/check":       {"/api/receipt_key"},
	"/projects/{id}":        {aProject, aUnit, aProject + "/burndown", aProject + "/announcements?limit=3"},
	"/projects/{id}/plan":   {aProject + "/what_if", aUnit},
	"/projects/{id}/portfolio": {aProject, aUnit, "/api/submission/project/{id}/portfolio/progress",
		aProject + "/outcomes"},
	"/projects/{id}/outcomes":  {aProject, aUnit, aProject + "/outcomes"},
	"/projects/{id}/tutorials": {aProject, aProject + "/tutorials"},
	"/projects/{id}/groups":    {aProject, aProject + "/groups"},
	"/projects/{id}/receipts":  {aProject, aProject + "/receipts"},
	"/projects/{id}/deleted":   {aProject, aProject + "/deleted"},
	taskPage: {aProject, aUnit, aTask + "/comments", aTask + "/due", aTask + "/submission_details",
		aTask + "/submissions/timestamps", aTask + "/reviews"},
	taskPage + "/review":                        {aTask + "/reviews", aTask + "/due"},
	taskPage + "/history":                       {aTask + "/history", aTask + "/submissions"},
	taskPage + "/discussions/{id}":              {aTask + "/comments"},
	taskPage + "/versions/{timestamp}/receipt":  {aVersion + "/receipt", aTask + "/due"},
	taskPage + "/versions/{timestamp}/progress": {aTask + "/submission_details"},
	taskPage + "/versions/{timestamp}/tests":    {aVersion + "/assessment"},
	taskPage + "/versions/{timestamp}/work": {aVersion + "/comments", aVersion + "/files", aTask + "/submissions/timestamps",
		aTask + "/submission_details", aProject},
	taskPage + "/versions/{timestamp}/changes": {aVersion + "/diff", aTask + "/submissions/timestamps", aProject},
	"/units/{id}/extensions": {aUnit + "/extensions",
		aUnit + "/extensions?decided=true&limit=25", aUnit},
	"/units/{id}/extensions/give": {aUnit + "/students?limit=50&sort=name", aUnit},
	"/units/{id}": {aUnit + "/turnaround", aUnit + "/extensions",
		aUnit + "/reviews", aUnit},
	"/units/{id}/reviews": {aUnit + "/reviews", aUnit + "/reviews?answered=true&limit=25", aUnit},
	"/units/{id}/promise": {aUnit + "/turnaround", aUnit},
	"/units/{id}/insight": {aUnit, aUnit + "/turnaround", aUnit + "/students_at_risk", aUnit + "/charts/statuses/table",
		aUnit + "/charts/targets/table"},
	"/units/{id}/insight/progress":   {aUnit, aUnit + "/burndown", aUnit + "/learning_alignments/class_stats"},
	"/units/{id}/insight/rubrics":    {aUnit, aUnit + "/rubric_insight"},
	"/units/{id}/insight/rows":       {aUnit, aUnit + "/charts/statuses/table", aUnit + "/students?limit=50&sort=name"},
	"/units/{id}/insight/risk":       {aUnit, aUnit + "/students_at_risk"},
	"/units/{id}/settings/tasks":     {aUnit, aUnit + "/readiness", aUnit + "/deleted"},
	"/units/{id}/settings/tasks/new": {aUnit, aUnit + "/readiness", aUnit + "/deleted"},
	"/units/{unit_id}/settings/tasks/{task_definition_id}": {aUnit, aUnit + "/readiness", aUnit + "/deleted",
		aUnit + "/task_definitions/{task_definition_id}"},
	"/units/{unit_id}/settings/tasks/{task_definition_id}/preview": {aUnit,
		aUnit + "/task_definitions/{task_definition_id}"},
	"/units/{unit_id}/settings/tasks/{task_definition_id}/rubric": {aUnit,
		aUnit + "/task_definitions/{task_definition_id}"},
	"/units/{unit_id}/settings/tasks/{task_definition_id}/rubric/import": {aUnit},
	"/units/{id}/moderation": {aUnit, aUnit + "/moderation/samples",
		aUnit + "/moderation/works?limit=50"},
	"/units/{id}/moderation/draw": {aUnit, aUnit + "/moderation/samples"},
	aSampledWork: {aUnit, aUnit + "/moderation/works/{work_id}", aTask + "/submission_details",
		aVersion + "/files"},
	"/units/{id}/settings/tasks/import":               {aUnit},
	"/units/{id}/settings/tasks/sheets":               {aUnit},
	"/units/{id}/settings/students":                   {aUnit, aUnit + "/students?limit=100&sort=name", "/api/campuses"},
	"/units/{id}/settings/students/new":               {aUnit, "/api/campuses"},
	"/units/{id}/settings/students/import":            {aUnit},
	"/units/{unit_id}/settings/students/{project_id}": {aUnit, aUnit + "/students?limit=1", "/api/campuses"},
	staffPage:                    onStaff,
	staffPage + "/find":          {aUnit},
	staffPage + "/tutorials/new": onStaff,
	staffPage + "/streams/new":   onStaff,
	staffPage + "/import":        {aUnit},
	"/units/{unit_id}/settings/staff/tutorials/{tutorial_id}": append(
		[]string{"/api/tutorials/{tutorial_id}"}, onStaff...),
	"/units/{unit_id}/settings/staff/streams/{stream_id}": onStaff,
	"/units/{id}/settings/groups":                         onBoard,
	"/units/{id}/settings/groups/new":                     onBoard,
	aBoard:                                                onBoard,
	aBoard + "/edit":                                      onBoard,
	aBoard + "/groups/new":                                onBoard,
	aBoard + "/groups/{group_id}":                         onBoard,
	aBoard + "/members/{project_id}":                      {aUnit, aSetOf, aSetOf + "/groups"},
	aBoard + "/import/groups":                             {aUnit},
	aBoard + "/import/members":                            {aUnit},
	outcomePage:                                           onGrid,
	outcomePage + "/new":                                  onGrid,
	outcomePage + "/import/outcomes":                      onGrid,
	outcomePage + "/import/alignments":                    onGrid,
	anOutcome:                                             append([]string{aUnit + "/outcomes/1"}, onGrid...),
	anOutcome + "/tasks/{task_definition_id}":             onGrid,
	"/units/{unit_id}/settings/tasks/{task_definition_id}/trials": {aUnit,
		aUnit + "/task_definitions/{task_definition_id}"},
	"/units/{id}/grades":        {aUnit, aUnit + "/final_grades?limit=50", aUnit + "/final_grades/publication"},
	"/units/{id}/grades/import": {aUnit},
	"/units/{id}/grades/publish": {aUnit, aUnit + "/final_grades/publication", aUnit + "/final_grades?show=without&limit=20",
		aUnit + "/final_grades?show=changed&limit=20", aUnit + "/final_grades?show=first&limit=20"},
	"/units/{unit_id}/grades/{project_id}": {aUnit, aProject, aUnit + "/final_grades"},
	"/units/{id}/announcements":            {aUnit + "/announcements?limit=25"},
	"/units/{id}/announcements/new":        {aUnit},
	"/units/{unit_id}/announcements/{announcement_id}": {aUnit + "/announcements/{announcement_id}",
		aUnit + "/announcements/{announcement_id}/recipients?limit=100"},
	"/projects/{id}/announcements":                   {aProject, aProject + "/announcements?limit=25"},
	"/projects/{id}/announcements/{announcement_id}": {aProject + "/announcements/{announcement_id}"},
	"/units/{id}/promise/handovers":                  {aUnit + "/handovers", aUnit},
	"/units/{id}/offline":                            {aUnit},
	"/units/{id}/snippets":                           {aUnit, aUnit + "/snippets"},
	"/units/{id}/students/{project_id}/notes":        {aUnit, aProject, aProject + "/notes"},
	"/admin/units":                                   {"/api/admin/units?limit=100", "/api/teaching_periods"},
	"/admin/periods":                                 {"/api/admin/teaching_periods"},
	"/admin/periods/new":                             {"/api/teaching_periods"},
	"/admin/periods/{id}":                            {"/api/teaching_periods/{id}"},
	"/admin/periods/{id}/rollover":                   {"/api/teaching_periods/{id}", "/api/teaching_periods"},
	"/admin/periods/{id}/breaks/new":                 {"/api/teaching_periods/{id}"},
	"/admin/periods/{teaching_period_id}/breaks/{id}": {"/api/teaching_periods/{teaching_period_id}",
		"/api/teaching_periods/{teaching_period_id}/breaks/{id}"},
	"/admin/images/{id}/progress": {"/api/admin/overseer_images"},
	"/admin/campuses":             {"/api/campuses"},
	"/admin/campuses/new":         {"/api/campuses"},
	"/admin/campuses/{id}":        {"/api/campuses/{id}"},
	"/admin/activity-types":       {"/api/activity_types"},
	"/admin/activity-types/new":   {"/api/activity_types"},
	"/admin/activity-types/{id}":  {"/api/activity_types/{id}"},
	"/admin/images":               {"/api/admin/overseer_images"},
	"/admin/images/new":           {"/api/admin/overseer_images"},
	"/admin/images/{id}":          {"/api/admin/overseer_images"},
	"/units/new":                  {"/api/units?include_in_active=true", "/api/teaching_periods"},
	"/units/{id}/rollover":        {aUnit, "/api/teaching_periods"},
	unitSettings:                  {aUnit, aUnit + "/access?limit=50", "/api/teaching_periods"},
	unitSettings + "/deleted":     {aUnit, aUnit + "/deleted"},
	unitSettings + "/retire":      {aUnit, aUnit + "/retirements"},
	desk:                          onDesk,
	desk + "/tasks/{task_id}":     onDesk,
	"/units/{id}/tasks/similarity": {aUnit, aUnit + "/similarities?limit=50", aUnit + "/similarities/counts",
		aUnit + "/similarities/clusters"},
	desk + "/tasks/{task_id}/similarities/{similarity_id}": {aUnit, "/api/tasks/{task_id}/similarities"},
}

// named gives a program names of people, of whom events have only the numbers: the page shows up to 200 names, and no
// call reads more than 100 people.
const named = "/api/admin/people?limit=100"

// onStaff gives a program the staff, streams and tutorials of a unit.
var onStaff = []string{aUnit, "/api/campuses", "/api/activity_types"}

// onBoard gives a program what the board of a set of groups shows: the members of each of its three.
var onBoard = []string{aUnit, aUnit + "/deleted", aSetOf, aSetOf + "/groups", aSetOf + "/groups/{group_id}/members",
	aSetOf + "/groups/{second}/members", aSetOf + "/groups/{third}/members"}

// onGrid gives a program the tasks and outcomes of a unit, and how the ones serve the others.
var onGrid = []string{aUnit, aUnit + "/learning_alignments?project_id=0&limit=1000"}

// onDesk gives a program what lies on the marking desk.
var onDesk = []string{aUnit + "/tasks/inbox", aUnit + "/snippets", aProject, aTask + "/comments", aTask + "/due",
	aTask + "/submission_details", aTask + "/submissions/timestamps", "/api/tasks/{task_id}/similarities",
	"/api/preferences"}

const (
	aProject = "/api/projects/{id}"
	aUnit    = "/api/units/1"
	aTask    = aProject + "/task_def_id/{task_definition_id}"
	aVersion = aTask + "/submissions/timestamps/{timestamp}"
	taskPage = "/projects/{project_id}/tasks/{task_definition_id}"
	desk     = "/units/{id}/desk"
	aBoard   = "/units/{unit_id}/settings/groups/{group_set_id}"
	aSetOf   = aUnit + "/group_sets/{group_set_id}"

	unitSettings = "/units/{id}/settings"
	staffPage    = unitSettings + "/staff"
	outcomePage  = unitSettings + "/outcomes"
	anOutcome    = "/units/{unit_id}/settings/outcomes/{outcome_id}"
	aSampledWork = "/units/{unit_id}/moderation/works/{work_id}"
)

// convened are the pages of a unit that only its convenors have.
var convened = []string{unitSettings, "/units/new", "/units/{id}/rollover", "/units/{id}/promise/handovers",
	"/units/{id}/announcements/new", "/units/{unit_id}/announcements/{announcement_id}", "/units/{id}/moderation",
	"/units/{id}/moderation/draw", aSampledWork}

// alone are the pages that no call gives anything for, the one that asks for what all of them do, and
// those that only ask before something is done.
var alone = []string{"/help", "/help/keyboard", "/help/receipts", "/help/due-dates", "/help/account", "/help/privacy",
	"/help/plagiarism", "/help/accessibility", "/offline", "/password", "/forgot", "/confirm-address", "/unsubscribe",
	"/news/bell", "/first-start",
	"/admin/periods/{id}/delete", "/admin/periods/{teaching_period_id}/breaks/{id}/delete", "/admin/campuses/{id}/delete",
	"/admin/activity-types/{id}/delete", "/admin/images/{id}/delete",
	"/admin/people/new", "/admin/people/import", "/admin/exports", "/admin/people/{id}/sign-out",
	"/admin/people/{id}/second-factor", "/admin/people/{id}/disable",
	unitSettings + "/close", "/projects/{id}/portfolio/withdraw",
	"/projects/{project_id}/groups/{group_set_id}/{group_id}/leave",
	"/units/{unit_id}/settings/tasks/{task_definition_id}/delete",
	"/units/{unit_id}/settings/tasks/{task_definition_id}/rubric/remove",
	"/units/{unit_id}/settings/staff/roles/{unit_role_id}/remove",
	"/units/{unit_id}/settings/staff/tutorials/{tutorial_id}/delete",
	"/units/{unit_id}/settings/staff/streams/{stream_id}/delete",
	aBoard + "/delete", aBoard + "/groups/{group_id}/delete", anOutcome + "/delete",
	"/units/{unit_id}/settings/tasks/{task_definition_id}/sheet/remove",
	"/units/{unit_id}/settings/tasks/{task_definition_id}/resources/remove",
	"/units/{unit_id}/settings/tasks/{task_definition_id}/template/remove",
	"/units/{unit_id}/settings/tasks/{task_definition_id}/tests/remove",
	"/units/{unit_id}/settings/tasks/{task_definition_id}/trials/{trial_id}"}

// Every page is timed, or there is nothing to compare it with.
func TestEveryPageIsTimed(t *testing.T) {
	for _, i := range site.New(site.Config{}).Sorted() {
		if isPage(i) && behind[i.Path] == nil && !slices.Contains(alone, i.Path) {
			t.Errorf("%s is not in the table of what is behind pages", i.Path)
		}
	}
}

func isPage(i *endpoint.Info) bool {
	return i.Method == http.MethodGet && i.Out == reflect.TypeFor[*page.Page]()
}

// wantedPage is how much longer than the calls behind it a page may take, in times, and
// mostPage from where on the test fails: a busy machine adds to it.
const (
	wantedPage = 2
	mostPage   = 3
)

// university is the demo behind both faces.
type university struct {
	testing.TB
	db     *db.DB
	faces  *httpserver.Server
	site   *site.Server
	tokens map[string]string // of a student and of a tutor, by their names
	ids    *strings.Replacer // of the student and of their work
}

// The pages of a unit are its tutor's or its convenor's, those of the service an administrator's, all
// others a student's.
const (
	aStudent  = "student_5"
	aTutor    = "atutor"
	aConvenor = "aconvenor"
)

func newUniversity(t testing.TB) *university {
	t.Helper()
	return newUniversityOn(t, "sqlite")
}

// newUniversityOn is a university on a database of an engine.
func newUniversityOn(t testing.TB, engine string) *university {
	t.Helper()
	d, ctx := dbtest.New(t, engine, nil), t.Context()
	store, err := files.Open(ctx, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	keys := submit.NewKeys(d, nil)
	signer, err := keys.Signer(ctx)
	if err != nil {
		t.Fatal(err)
	}
	u := &university{TB: t, db: d, tokens: map[string]string{}}
	face := endpoint.Config{DB: d, Spool: t.TempDir(), HTTP: httpserver.New(httpserver.Config{
		Log: slog.New(slog.DiscardHandler)})}
	u.faces = face.HTTP
	uses := usecase.New(usecase.Config{DB: d, Files: store, Keys: keys, PublicURL: "http://lectern.test",
		Keeper: &settingstest.Keeper{Path: filepath.Join(t.TempDir(), "settings.env")}})
	api.New(api.Config{Config: face, Usecases: uses})
	u.site = site.New(site.Config{Config: face, Usecases: uses})
	if err := d.Tx(ctx, func(q db.Q) error {
		if _, err := demo.Fill(ctx, q, "seal", &submit.Service{Files: store, Service: "Test"}, signer); err != nil {
			return err
		}
		var student int64
		for _, name := range []string{aTutor, aConvenor, anAdmin, aStudent} {
			person, err := ident.ByUsername(ctx, q, name)
			if err != nil {
				return err
			}
			if u.tokens[name], err = ident.Start(ctx, q, person, false); err != nil {
				return err
			}
			student = person.ID
		}
		u.ids, err = idsOf(ctx, q, student)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return u
}

// idsOf puts the ids of somebody's work into paths: of a task of which there are a
// submission, whose tests are done, and a discussion.
func idsOf(ctx context.Context, q db.Q, studentID int64) (*strings.Replacer, error) {
	type row struct {
		Task         int64      `db:"task_id"`
		Project      int64      `db:"project_id"`
		Definition   int64      `db:"task_definition_id"`
		Discussion   int64      `db:"discussion_id"`
		SubmissionID int64      `db:"submission_id"`
		At           clock.Time `db:"at"`
	}
	r, err := db.One[row](ctx, q, `SELECT t.id AS task_id, t.project_id, t.task_definition_id, c.id AS discussion_id,
			s.id AS submission_id, s.at
		FROM projects p JOIN tasks t ON t.project_id = p.id JOIN task_definitions d ON d.id = t.task_definition_id
			JOIN task_comments c ON c.task_id = t.id AND c.type = 'discussion' JOIN submissions s ON s.task_id = t.id
		WHERE p.user_id = $1 AND p.unit_id = 1 AND d.abbreviation = '6.1P'`, studentID)
	if err != nil {
		return nil, err
	}
	_, err = db.Exec(ctx, q, `INSERT INTO assessments (submission_id, status, created_at, updated_at)
		VALUES ($1, 'done', $2, $2)`, r.SubmissionID, q.Now())
	if err != nil {
		return nil, err
	}
	alike, err := db.One[int64](ctx, q, `INSERT INTO task_similarities (type, project_id, task_id, submission_id, part,
			outside_id, outside_pct, flagged, created_at)
		VALUES ('TiiTaskSimilarity', $1, $2, $3, 'file0', 'x', 64, TRUE, $4) RETURNING id`, r.Project, r.Task,
		r.SubmissionID, q.Now())
	if err != nil {
		return nil, err
	}
	if _, err = db.Exec(ctx, q, `INSERT INTO overseer_images (name, tag) VALUES ('Go', 'golang:1')`); err != nil {
		return nil, err
	}
	hook, err := db.One[int64](ctx, q, `INSERT INTO webhooks (url, secret, kinds, active, last_seq, created_at, updated_at)
		VALUES ('https://hooks.example.edu/1', 's', '[]', TRUE, 0, $1, $1) RETURNING id`, q.Now())
	if err != nil {
		return nil, err
	}
	set, groups, err := grouped(ctx, q)
	if err != nil {
		return nil, err
	}
	project, text := strconv.FormatInt(r.Project, 10), func(id int64) string { return strconv.FormatInt(id, 10) }
	return strings.NewReplacer("/discussions/{id}", "/discussions/"+text(r.Discussion), "/units/{id}", "/units/1",
		"/units/{unit_id}", "/units/1",
		"{task_id}", text(r.Task), "{id}", project, "{project_id}",
		project, "{task_definition_id}", text(r.Definition), "{user}", text(studentID), "{timestamp}", r.At.String(),
		"{similarity_id}", text(*alike), "{tutorial_id}", "1", "{stream_id}", "1", "{group_set_id}", text(set),
		"{group_id}", text(groups[0]), "{second}", text(groups[1]), "{third}", text(groups[2]),
		"{work_id}", "1", "{announcement_id}", "1", "{outcome_id}", "1",
		"/admin/people/{id}", "/admin/people/"+text(studentID),
		"/admin/webhooks/{id}", "/admin/webhooks/"+text(*hook), "{webhook}", text(*hook),
		"/admin/periods/{id}", "/admin/periods/1", "/admin/campuses/{id}", "/admin/campuses/1",
		"/admin/activity-types/{id}", "/admin/activity-types/1", "/admin/images/{id}", "/admin/images/1",
		"/api/teaching_periods/{id}", "/api/teaching_periods/1", "/api/campuses/{id}", "/api/campuses/1",
		"/api/activity_types/{id}", "/api/activity_types/1", "{teaching_period_id}/breaks/{id}", "1/breaks/1",
		"{teaching_period_id}", "1"), nil
}

// grouped gives the first unit a set of three groups that all its students are in.
func grouped(ctx context.Context, q db.Q) (set int64, groups []int64, err error) {
	id, err := db.One[int64](ctx, q, `INSERT INTO group_sets (unit_id, name, capacity) VALUES (1, 'Teams', 12) RETURNING id`)
	if err != nil {
		return 0, nil, err
	}
	if groups, err = db.All[int64](ctx, q, `INSERT INTO unit_groups (group_set_id, tutorial_id, name)
		SELECT $1, id, 'Team ' || abbreviation FROM tutorials WHERE unit_id = 1 ORDER BY id LIMIT 3 RETURNING id`,
		*id); err != nil {
		return 0, nil, err
	}
	_, err = db.Exec(ctx, q, `INSERT INTO group_memberships (group_set_id, unit_group_id, project_id)
		SELECT $1, CAST($2 AS BIGINT) + id % 3, id FROM projects WHERE unit_id = 1`, *id, groups[0])
	return *id, groups, err
}

// ask sends a request of somebody to either face.
func (u *university) ask(name, path string) {
	path = u.ids.Replace(path)
	r := httptest.NewRequest(http.MethodGet, "http://lectern.test"+path, nil)
	if strings.HasPrefix(path, "/api/") {
		r.Header.Set("Username", name)
		r.Header.Set("Auth-Token", u.tokens[name])
		r.Header.Set("Cache-Control", "no-cache") // a page is drawn anew, too
	} else {
		r.Header.Set("Accept", "text/html")
		r.AddCookie(&http.Cookie{Name: "lectern", Value: u.tokens[name]})
	}
	w := httptest.NewRecorder()
	u.faces.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		u.Fatalf("%s: %d %s", path, w.Code, w.Body)
	}
}

// ofAnAllowance is how often a page is asked for that a person may not read as often as they like.
const ofAnAllowance = 20

// compare times a page and the calls behind it by turns.
func (u *university) compare(path string) (page, calls time.Duration, times float64) {
	return u.compareUpTo(101, path)
}

// compareUpTo does so at most as often.
func (u *university) compareUpTo(most int, path string) (page, calls time.Duration, times float64) {
	who := readerOf(path)
	page, calls = turnsOf(most, func() { u.ask(who, path) }, func() {
		for _, c := range slices.Concat(frame(who), behind[path]) {
			u.ask(who, c)
		}
	})
	return page, calls, float64(page) / float64(calls)
}

// readerOf tells who reads a page.
func readerOf(path string) string {
	switch {
	case strings.HasPrefix(path, "/admin") || strings.HasPrefix(path, "/first-start"):
		return anAdmin
	case slices.Contains(convened, path) || strings.Contains(path, "/settings/"):
		return aConvenor
	case strings.HasPrefix(path, "/units/"):
		return aTutor
	}
	return aStudent
}

// Pages take at most a few times as long as the calls of the API that would give a
// program the same.
func TestPagesAreQuick(t *testing.T) {
	dbtest.Load(t)
	u := newUniversity(t)
	var table strings.Builder
	for _, i := range u.site.Sorted() {
		if !isPage(i) || behind[i.Path] == nil {
			continue
		}
		most := 101
		if i.Allowance != nil {
			most = ofAnAllowance
		}
		page, calls, times := u.compareUpTo(most, i.Path)
		for try := 0; try < 2 && times > wantedPage; try++ {
			if p, c, n := u.compareUpTo(most, i.Path); n < times {
				page, calls, times = p, c, n
			}
		}
		fmt.Fprintf(&table, "| `%s` | %.2f | %d | %.2f | %.1f |\n", i.Path, ms(page), len(frame(readerOf(i.Path)))+len(behind[i.Path]),
			ms(calls), times)
		if times > mostPage {
			t.Errorf("%s takes %v, the calls behind it %v", i.Path, page, calls)
		}
	}
	t.Log("\n" + table.String())
	if *update {
		document(t, "pages", "| Page | ms | Calls | ms | Times |\n|---|---|---|---|---|\n"+table.String())
	}
}
