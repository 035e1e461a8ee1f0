package site_test

import (
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"lectern/internal/ground/links"
	"lectern/internal/people/policy"
	"lectern/internal/web/site/page"
)

// A reading says what a right guards on pages, and all pages that show it.
type reading struct {
	right *policy.Right
	who   string // holds the right
	shows string
	at    []string
}

const (
	theProject  = "/projects/{id}"
	itsGroups   = theProject + "/groups"
	itsOutcomes = theProject + "/outcomes"
)

// readings is written from what the rights mean, not from the code of the pages.
var readings = []reading{
	{policy.SeeExtensions, "tom", "Quokka reason", []string{aTask, aDesk, onDesk, someExtensions, "/home"}},
	{policy.SeeReviews, "tom", "Quokka review", []string{aTask, aReview, aDesk, onDesk, someReviews}},
	{policy.TakeNotes, "tom", "Quokka note", []string{aDesk, onDesk, aStudent, notesOn}},
	{policy.UseSnippets, "tom", "Quokka again", []string{aDesk, onDesk, unitSnippets}},
	{policy.ReadTask, "ann", "Quokka words", []string{aTask, "/news", "/home"}},
	{policy.ReadTask, "ann", "Quokka place", []string{aTask, aVersion + "/work"}},
	{policy.ReadSubmission, "tom", "quokka.go", []string{aTask, aDesk, onDesk, aVersion + "/changes", aVersion + "/work"}},
	{policy.ListGroups, "ann", "Quokka group", []string{itsGroups, aGroupSet + "/{group_id}/leave"}},
	{policy.ReadUnit, "ann", "Quokka outcome", []string{itsOutcomes}},
	{policy.ListStudents, "tom", "Quokka grounds", []string{unitGrades, oneGrade}},
	{policy.SeeSimilarities, "tom", "64 %", []string{aDesk, onDesk, links.UnitSimilarity}},
}

// quokka gives what people wrote texts by which the readings know it.
func (w *world) quokka() {
	w.Helper()
	w.exec(`UPDATE task_comments SET comment = 'Quokka words'`)
	w.exec(`INSERT INTO task_comments (task_id, unit_id, user_id, recipient_id, type, comment, created_at)
		SELECT t.id, t.unit_id, u.id, p.user_id, 'text', 'Page 1: Quokka place', min(c.created_at)
		FROM tasks t JOIN projects p ON p.id = t.project_id JOIN task_comments c ON c.task_id = t.id, users u
		WHERE u.username = 'tom' GROUP BY t.id, t.unit_id, u.id, p.user_id`)
	w.exec(`INSERT INTO comment_places (task_comment_id, submission_id, submitted_at, version, lead, page)
		SELECT c.id, s.submission_id, s.at, 1, 'Page 1: ', 1
		FROM task_comments c JOIN submission_tasks s ON s.task_id = c.task_id WHERE c.comment LIKE '%Quokka place'`)
	w.exec(`UPDATE task_comments SET comment = 'Quokka reason', extension_granted = NULL, extension_response = NULL,
		extension_assessed_at = NULL, assessor_id = NULL WHERE type = 'extension'`)
	w.exec(`INSERT INTO task_history (task_id, at, actor_id, from_status, to_status, assessed)
		SELECT t.id, $1, u.id, t.status, 'redo', TRUE FROM tasks t, users u WHERE u.username = 'tom'`, w.db.Now())
	w.exec(`INSERT INTO reviews (task_id, unit_id, history_id, user_id, reason, asked_at)
		SELECT t.id, t.unit_id, max(h.id), max(p.user_id), 'Quokka review', $1 FROM tasks t
		JOIN projects p ON p.id = t.project_id JOIN task_history h ON h.task_id = t.id GROUP BY t.id, t.unit_id`, w.db.Now())
	w.exec(`UPDATE tasks SET review_asked_at = $1`, w.db.Now())
	w.exec(`UPDATE projects SET grade = 71, grade_rationale = 'Quokka grounds'`)
	w.exec(`UPDATE staff_notes SET text = 'Quokka note'`)
	w.exec(`UPDATE snippets SET text = 'Quokka again'`)
	w.exec(`UPDATE submission_files SET name = 'quokka.go'`)
	w.exec(`UPDATE unit_groups SET name = 'Quokka group ' || CAST(id AS TEXT)`)
	w.exec(`UPDATE learning_outcomes SET description = 'Quokka outcome'`)
	w.exec(`INSERT INTO task_similarities (type, project_id, task_id, submission_id, part, outside_id, outside_pct,
			flagged, created_at)
		SELECT 'TiiTaskSimilarity', t.project_id, t.id, s.submission_id, 'file0', 'x' || t.id, 64, TRUE, $1
		FROM submission_tasks s JOIN tasks t ON t.id = s.task_id`, w.db.Now())
}

// A right that is taken away takes what it guards off every page. The table of rights is one
// for the process, so nothing else may run meanwhile: this test is not parallel, and gives the
// right back.
func TestNoPageShowsWhatARightGuards(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	ids := w.hostileEverywhere()
	w.quokka()
	people := map[string]*world{"ann": w.as("ann"), "tom": w.as("tom")}
	for _, r := range readings {
		t.Run(r.right.Action+" "+r.shows, func(t *testing.T) {
			want := slices.Sorted(slices.Values(r.at))
			if got := w.shownAt(people[r.who], ids, r.shows); !slices.Equal(got, want) {
				t.Errorf("%s is shown at\n%v\nnot at\n%v", r.shows, got, want)
			}
			holders := r.right.Who
			defer func() { r.right.Who = holders }()
			r.right.Who = 0
			if got := w.shownAt(people[r.who], ids, r.shows); len(got) > 0 {
				t.Errorf("without the right to %s, %s still sees %s at %v", r.right.Action, r.who, r.shows, got)
			}
		})
	}
}

// shownAt walks the pages and tells which of them show a text.
func (w *world) shownAt(who *world, ids *strings.Replacer, text string) (paths []string) {
	w.Helper()
	for _, i := range w.site.Routes() {
		if i.Method != http.MethodGet || i.Out != reflect.TypeFor[*page.Page]() {
			continue
		}
		a := who.do(w.path(ids.Replace(i.Path)), nil)
		if a.Code >= http.StatusInternalServerError {
			w.Fatalf("%s: %d %s", i.Path, a.Code, a.Body)
		}
		if a.reads(text) {
			paths = append(paths, i.Path)
		}
	}
	slices.Sort(paths)
	return paths
}

// Nobody gets a page, or has a form taken, whose right nobody holds.
func TestAPageWithoutItsRightIsRefused(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	ids := w.hostileEverywhere()
	ann, tom := w.as("ann"), w.as("tom")
	for _, i := range w.site.Routes() {
		rights := i.Right.Rights()
		if slices.Contains(rights, policy.Anybody) || i.Path == "/sign-out" {
			continue
		}
		for _, who := range []*world{ann, tom} {
			if code := who.without(rights, w.path(ids.Replace(i.Path)), i.Method); code < 300 {
				t.Errorf("%s %s answers %d where nobody holds its right", i.Method, i.Path, code)
			}
		}
	}
}

// without asks for a page while nobody holds the rights.
func (w *world) without(rights []*policy.Right, path, method string) int {
	w.Helper()
	for _, r := range rights {
		holders := r.Who
		defer func() { r.Who = holders }()
		r.Who = 0
	}
	if method == http.MethodPost {
		return w.do(path, filled()).Code
	}
	return w.do(path, nil).Code
}
