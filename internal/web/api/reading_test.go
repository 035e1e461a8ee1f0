package api

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lectern/internal/ground/clock"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/web/endpoint"
)

// A reading says which field a right guards, and all endpoints that show it.
type reading struct {
	right *policy.Right
	who   string   // holds the right
	shows string   // the field with its value, as an answer has it; {name} stands for an id
	at    []string // the routes that show it
}

const (
	aUnit    = "/api/units/{id}"
	aProject = "/api/projects/{id}"
)

// readings has a row for each field, or for one of several that are always shown
// together. It is written from what the rights mean, not from the code.
var readings = []reading{
	{policy.ListGroups, "student", `"name":"Red"`, []string{groupPath, groupPath + "/{group_id}", aUnit, aProject,
		aProject + "/groups"}},
	{policy.ListGroups, "student", `"student_count":2`, []string{groupPath, groupPath + "/{group_id}", aUnit, aProject,
		aProject + "/groups"}},
	{policy.ReadMembers, "student", `mate@example.edu`, []string{memberPath, aProject + "/groups"}},

	{policy.ListStudents, "tutor", `"grade_rationale":"Quokka grounds"`, []string{"/api/students", aProject,
		aUnit + "/final_grades", aUnit + "/students"}},
	{policy.ListStudents, "tutor", `"grade_shown":`, []string{aUnit + "/final_grades"}},
	{policy.ListStudents, "tutor", `"without_grade":`, []string{aUnit + "/final_grades/publication"}},
	{policy.ReadProject, "student", `"grade_published_at":`, []string{aProject}},
	{policy.ListStudents, "tutor", `"order_scale"`, []string{"/api/students", aProject, aUnit + "/final_grades",
		aUnit + "/students"}},
	{policy.ListStudents, "tutor", `"username":"other"`, []string{"/api/students", aUnit + "/final_grades",
		aUnit + "/students", aUnit + "/students_at_risk",
		"/api/units/{unit_id}/task_definitions/{task_definition_id}/students"}},
	{policy.ListStudents, "tutor", `"portfolio_auto_generation_date":`, []string{aUnit}},
	{policy.ListStudents, "tutor", `"plagiarism_warn_pct":`,
		[]string{aUnit, "/api/units/{unit_id}/task_definitions/{id}"}},
	{policy.SeeAccess, "convenor", `"suspended":false`, []string{aUnit + "/access"}},
	{policy.SeeDeleted, "convenor", `"name":"Quokkas"`, []string{deletedPath, deletedPath + "/{id}"}},
	{policy.SeeDeleted, "convenor", `"bytes":`, []string{deletedPath + "/{id}", retirementsPath,
		retirementsPath + "/plan"}},
	{policy.SeeDeleted, "convenor", `"undoable":`, []string{retirementsPath}},
	{policy.SeeDeleted, "convenor", `"task_statuses":`, []string{retirementsPath + "/plan"}},
	{policy.SteerOutside, "convenor", `"attachments":`, []string{"/api/units/{unit_id}/tii_held"}},

	{policy.ReadUnit, "student", `"description":"It fits"`,
		[]string{aUnit, "/api/units/{unit_id}/learning_alignments", "/api/units/{unit_id}/learning_alignments/{id}",
			aProject + "/outcomes"}},
	{policy.ReadUnit, "student", `"meeting_location"`, []string{aUnit, "/api/tutorials/{id}",
		aProject + "/tutorials"}},
	{policy.ReadUnit, "student", `"ilo_number"`, []string{aUnit, "/api/units/{unit_id}/outcomes/{id}",
		aProject + "/outcomes"}},
	{policy.ReadUnit, "student", `convenor@example.edu`, []string{aUnit}},
	{policy.ReadUnit, "student", `"allow_students_to_create_groups"`,
		[]string{aUnit, groupSetPath + "/{group_set_id}", aProject + "/groups"}},

	{policy.ReadProject, "student", `"description":"Quokka link"`,
		[]string{aProject, "/api/units/{unit_id}/learning_alignments", aProject + "/outcomes"}},
	{policy.ReadProject, "student", `Quokka link`, []string{aProject, "/api/units/{unit_id}/learning_alignments",
		"/api/units/{unit_id}/learning_alignments/csv", aProject + "/outcomes"}},
	{policy.ReadProject, "student", `"tutorial_enrolments":[{`, []string{aProject}},
	{policy.ReadSubmission, "student", `quokka.pdf`, []string{aProject}},
	{policy.ReadTask, "student", `"quality_pts":4`, []string{aProject}},
	{policy.ReadTask, "student", `Quokka words`, []string{taskRoute + "/comments"}},

	{policy.GiveFeedback, "tutor", `"has_extensions"`, []string{"/api/units/{id}/tasks/inbox", "/api/units/{id}/queue",
		"/api/units/{id}/queue/around", "/api/units/{id}/feedback",
		"/api/units/{unit_id}/task_definitions/{task_def_id}/tasks"}},
	{policy.GiveFeedback, "tutor", `"review_asked"`, []string{"/api/units/{id}/queue", "/api/units/{id}/queue/around"}},
	{policy.SeeReviews, "tutor", `Quokka review`, []string{taskRoute + "/reviews", unitReviewsPath}},
	{policy.SeeGrantReasons, "convenor", `Quokka grant`, []string{aUnit + "/extensions"}},
	{policy.SeeExtensions, "tutor", `Quokka reason`, []string{taskRoute + "/comments", aUnit + "/extensions"}},
	{policy.SeeSimilarities, "tutor", `"type":"Turnitin","pct":61`, []string{similaritiesPath}},
	{policy.SeeSimilarities, "tutor", `"cluster_size":`, []string{casesPath}},
	{policy.SeeClusters, "tutor", `"cluster_size":`, []string{casesPath}},
	{policy.SeeClusters, "tutor", `says nothing of who wrote it`, []string{clustersPath}},
	{policy.SecondMark, "tutor", `"marked_again":`, []string{sampledPath}},
	{policy.Moderate, "convenor", `Quokka second`, []string{sampledPath, sampledPath + "/{id}",
		"/api/units/{unit_id}/moderation/csv"}},
	{policy.Moderate, "convenor", `quokka seed`, []string{samplesPath, "/api/units/{unit_id}/moderation/csv"}},
	{policy.TakeNotes, "tutor", `Quokka note`, []string{notesPath, staffNotePath}},
	{policy.UseSnippets, "tutor", `Quokka again`, []string{snippetsPath, snippetPath}},
	{policy.ReadStatistics, "tutor", `"num":`, []string{"/api/units/{id}/stats/task_status_pct",
		"/api/units/{id}/stats/student_target_grade"}},

	{policy.SeeTutorPace, "convenor", `"tutors":[{`, []string{"/api/units/{id}/rubric_insight", "/api/units/{id}/turnaround"}},
	{policy.SeeAtRisk, "tutor", `"reason":"away"`, []string{"/api/units/{id}/students_at_risk"}},
	{policy.SeeAllAtRisk, "convenor", `"reason":"away"`, []string{"/api/units/{id}/students_at_risk"}},
	{policy.SeeHandovers, "tutor", `"from":"2001-02-03"`, []string{handoversPath, handoversPath + "/{id}"}},
	{policy.SeeAnnouncements, "tutor", `Quokka to all","audience"`, []string{announcementsPath, announcementsPath + "/{id}"}},
	{policy.SeeRecipients, "convenor", `Quokka to some`, []string{announcementsPath}},
	{policy.ReadCopies, "student", `Quokka to all","author"`, []string{copiesPath, copiesPath + "/{announcement_id}"}},
	{policy.SeeReadiness, "convenor", `"checks":[{`, []string{"/api/units/{id}/readiness"}},

	{policy.ListUsers, "convenor", `outsider@example.edu`, []string{"/api/users"}},
	{policy.ReadUser, "student", `"has_run_first_time_setup"`, []string{"/api/users/{id}"}},
	{policy.SeeWebhooks, "admin", `example.edu/quokka`, []string{"/api/admin/webhooks",
		"/api/admin/webhooks/{id}"}},
	{policy.ListImages, "convenor", `"tag":"go:1"`, []string{"/api/admin/overseer_images"}},
	{policy.SeeSetup, "admin", `"closed_units":`, []string{"/api/admin/teaching_periods"}},
	{policy.SeeAllUnits, "admin", `"main_convenor_name":`, []string{"/api/admin/units"}},
	{policy.ReadAudit, "admin", `"action":"quokka"`, []string{"/api/admin/audit"}},
	{policy.SeeJobs, "admin", `"kind":"quokka"`, []string{"/api/admin/jobs"}},
	{policy.SeeBackups, "admin", `"every_seconds":`, []string{"/api/admin/backups", "/api/admin/health"}},
	{policy.SeeMail, "admin", `"sends":`, []string{"/api/admin/mail"}},
	{policy.SeeService, "admin", `"oldest_due_at":`, []string{"/api/admin/health"}},
	{policy.SeeAccounts, "admin", `"last_sign_in_at":`, []string{"/api/admin/people", "/api/admin/people/{id}"}},
	{policy.SeeSettings, "admin", `"LECTERN_DATA"`, []string{"/api/admin/settings"}},
}

// unguarded are the rights on GET endpoints that guard no field of their own.
var unguarded = map[*policy.Right]string{
	policy.Anybody:        "everybody has it",
	policy.SeeStaff:       "the staff are shown with the unit",
	policy.SignedIn:       "is about the caller's own",
	policy.OwnFactor:      "is about the caller's own",
	policy.SteerOutside:   "what is done at the similarity service is shown there alone",
	policy.ExportUnit:     "makes sheets of what ListStudents and ReadUnit show",
	policy.ExportUsers:    "makes a sheet of what ListUsers shows",
	policy.ExportOutcomes: "makes a sheet of what ReadUnit shows",
	policy.ExportGroups:   "makes sheets of what ListGroups and ReadMembers show",
	policy.SeeMaterial:    "gives out the files that EditDefinitions lets one set, and what came of trying them",
	policy.FindTeachers:   "shows the names of some of those whom ListUsers shows",
	policy.SeeInvitations: "tells how many there are, and nothing of a person",
}

// rightsOf gives the rights an endpoint asks for.
func rightsOf(i *endpoint.Info) []*policy.Right { return i.Right.Rights() }

func TestEveryRightToReadHasItsFields(t *testing.T) {
	has := map[*policy.Right]bool{}
	for _, r := range readings {
		has[r.right] = true
	}
	for _, i := range newWorld(t, "sqlite").api.Routes() {
		for _, r := range rightsOf(i) {
			if i.Method == "GET" && !has[r] && unguarded[r] == "" {
				t.Errorf("GET %s asks for the right to %s: say which fields it guards", i.Path, r.Action)
			}
		}
	}
}

// A right that is taken away takes its fields out of every answer. The table of
// rights is one for the process, so nothing else may run meanwhile: this test is
// not parallel, and gives the right back.
func TestNoAnswerShowsWhatARightGuards(t *testing.T) {
	w := newWorld(t, "sqlite")
	w.fillFields()
	for _, r := range readings {
		t.Run(r.right.Action+" "+r.shows, func(t *testing.T) {
			want := slices.Sorted(slices.Values(r.at))
			if got := w.shownAt(r); !slices.Equal(got, want) {
				t.Errorf("%s is shown at\n%v\nnot at\n%v", r.shows, got, want)
			}
			holders := r.right.Who
			defer func() { r.right.Who = holders }()
			r.right.Who = 0
			if got := w.shownAt(r); len(got) > 0 {
				t.Errorf("without the right to %s, %q still sees %s at %v", r.right.Action, r.who, r.shows, got)
			}
		})
	}
}

// shownAt walks the GET endpoints and tells which of them show the field.
func (w *world) shownAt(r reading) (routes []string) {
	mark := r.shows
	if head, rest, ok := strings.Cut(mark, "{"); ok && strings.HasSuffix(rest, "}") {
		mark = head + strconv.FormatInt(w.id[strings.TrimSuffix(rest, "}")], 10)
	}
	for _, row := range rightRows {
		route, isGet := strings.CutPrefix(row.route, "GET ")
		if !isGet || slices.Contains(routes, route) {
			continue
		}
		a := w.do(r.who, row.request(), nil)
		if a.Code >= 500 && (a.Code != 503 || notSetUp[row.route] == "") {
			w.Fatalf("%s: %d %s", a.what, a.Code, a.Body)
		}
		if strings.Contains(a.Body.String(), mark) {
			routes = append(routes, route)
		}
	}
	slices.Sort(routes)
	return routes
}

// fillFields gives the fields the values by which the readings know them.
func (w *world) fillFields() {
	w.set(`UPDATE deletions SET id = 4711 WHERE id = $1`, w.addDeletion())
	w.add("", "retirements", row{"unit_id": w.id["unitA"], "plan": "keep", "state": "done", "user_id": w.id["convenor"],
		"students": 0, "submissions": 0, "comments": 0, "files": 0, "bytes": 0, "portfolios": 0, "at": w.db.Now()})
	w.add("image", "overseer_images", row{"name": "go", "tag": "go:1"})
	w.add("", "jobs", row{"kind": "quokka", "args": "{}", "state": "dead", "max_attempts": 1, "run_at": w.db.Now(),
		"created_at": w.db.Now()})
	err := w.db.Tx(w.Context(), func(q db.Q) error {
		for text, args := range map[string][]any{
			`UPDATE projects SET grade_rationale = 'Quokka grounds' WHERE id = $1`:          {w.id["project:student"]},
			`UPDATE tasks SET quality_pts = 4, status = 'ready_for_feedback' WHERE id = $1`: {w.id["task"]},
			`INSERT INTO blobs (hash, size, touched_at) VALUES ('x', 1, $1)`:                {q.Now()},
		} {
			if _, err := db.Exec(w.Context(), q, text, args...); err != nil {
				return err
			}
		}
		_, err := db.Exec(w.Context(), q, `INSERT INTO portfolio_files (project_id, idx, kind, name, hash, size,
			created_at)
			VALUES ($1, 1, 'document', 'quokka.pdf', 'x', 1, $2)`, w.id["project:student"], q.Now())
		return errors.Join(err, audit.Add(w.Context(), q, audit.Entry{Kind: audit.Unit, Action: "quokka"}))
	})
	if err != nil {
		w.Fatal(err)
	}
	relay(w)
	w.outsideReport(w.someSubmission(), "quokka", 61, "")
	w.alike(0, 1)
	w.api.usecases.Report = func(context.Context, *access.Caller, string) (string, error) {
		return "https://outside.example/", nil
	}
	w.do("student", "POST "+ownTask+"/comments", form{"comment": "Quokka words"}).status(201)
	w.byHand()
	w.do("student", "POST "+ownTask+"/request_extension", form{"comment": "Quokka reason",
		"weeks_requested": "1"}).status(201)
	w.set(`INSERT INTO extension_grants (task_comment_id, weeks, reason)
		SELECT id, 1, 'Quokka grant' FROM task_comments WHERE comment = 'Quokka reason'`)
	w.sampled(4711, row{})
	w.sampled(4712, row{"second_by": w.id["both"], "second_at": w.db.Now(), "second_status": "redo", "agreed": false,
		"second_levels": "[]", "second_comment": "Quokka second"})
	long, _ := clock.ParseDate("2001-02-03")
	w.put("handovers", row{"id": 4711, "unit_id": w.id["unitA"], "unit_role_id": w.roleOf("tutor"), "from_date": long,
		"until_date": long, "starts_at": w.db.Now(), "ends_at": clock.At(w.now.AddDate(1, 0, 0)), "created_at": w.db.Now()})
	w.put("announcements", row{"id": 4711, "unit_id": w.id["unitA"], "user_id": w.id["convenor"], "audience": "all",
		"title": "Quokka to all", "text": "Quokka to all", "recipients": 1, "created_at": w.db.Now()})
	w.put("announcements", row{"id": 4712, "unit_id": w.id["unitA"], "user_id": w.id["admin"], "audience": "selection",
		"title": "Quokka to some", "text": "Quokka to some", "recipients": 1, "created_at": w.db.Now()})
	w.set(`INSERT INTO announcement_recipients (announcement_id, project_id) VALUES (4712, $1)`, w.id["project:other"])
	w.markedLately()
	w.reviewOf("review", "student", "{defA1}", "Quokka review")
	w.do("student", "POST "+alignA, map[string]any{"project_id": w.id["project:student"], "rating": 3,
		"learning_outcome_id": w.id["outcomeA"], "task_definition_id": w.id["defA1"],
		"description": "Quokka link"}).status(201)
	w.do("admin", "POST /api/admin/webhooks", `{"url":"https://example.edu/quokka"}`).status(201)
	w.set(`UPDATE projects SET created_at = $1, last_active_at = NULL WHERE id = $2`, clock.At(w.now.AddDate(0, -1, 0)),
		w.id["project:other"]) // who is at risk, then
	w.givenByTwo()
}
