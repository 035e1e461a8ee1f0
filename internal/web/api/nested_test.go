package api

import (
	"cmp"
	"context"
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/people/access"
)

// A nesting says what stands behind a segment of a path: a record the request may
// be about, and others of its kind that belong elsewhere.
type nesting struct {
	own     string
	foreign []string // none: the value names no record
}

// nestings has every segment that an id may follow where a path has several. The
// records are those of nested.
var nestings = map[string]nesting{
	"units": unitIDs, "unit": unitIDs,
	"users":    {"{mate}", []string{"{student}"}},
	"sessions": {"{session}", []string{"{sessionOther}"}},
	"projects": projectIDs, "project": projectIDs, "members": projectIDs, "enrolments": projectIDs,
	"task_definitions": definitionIDs, "task_def_id": definitionIDs, "refresh_tasks": definitionIDs,
	"group_sets":               {"{set}", []string{"{setB}"}},
	"groups":                   {"{group}", []string{"{groupB}", "{groupOfSet2}"}},
	"comments":                 {"{comment}", commentsElsewhere},
	"discussion":               {"{discussion}", commentsElsewhere},
	"assess_extension":         {"{extension}", commentsElsewhere},
	"reviews":                  {"{review}", []string{"{reviewMate}", "{reviewB}"}},
	"announcements":            {"{announcement}", []string{"{announcementB}"}},
	"handovers":                {"{handover}", []string{"{handoverB}"}},
	"samples":                  {"{sampled}", []string{"{sampledB}"}},
	"works":                    {"{sampled}", []string{"{sampledB}"}},
	"tutorials":                {"ONLYA", []string{"ONLYB"}},
	"tutorial_streams":         {"only-a", []string{"only-b"}},
	"outcomes":                 {"{outcomeA}", []string{"{outcomeB}"}},
	"learning_alignments":      {"{alignA}", []string{"{alignB}"}},
	"teaching_periods":         {"{T1}", []string{"{T2}"}},
	"breaks":                   {"{break}", []string{"{breakT2}"}},
	"timestamps":               {"{at}", []string{"{atOther}"}},
	"prompt_number":            {"0", nil},
	"overseer_assessment":      {"{assessment}", []string{"{assessmentOther}"}},
	"assessment_preview":       {"{preview}", []string{"{previewA2}"}},
	"test_overseer_assessment": {"{trial}", []string{"{trialA2}"}},
	"tasks":                    {"{task}", []string{"{task:other}"}},
	"similarities":             {"{similarity}", []string{"{similarityOther}"}},
	"contents":                 {"0", nil},
	"files":                    {"0", nil},
	"deleted":                  {"{deletion}", []string{"{deletionB}"}},
	"retirements":              {"{retirement}", []string{"{retirementB}"}},
	"tii_group_attachments":    {"{attachment}", []string{"{attachmentB}"}},
}

var (
	unitIDs           = nesting{"{unitA}", []string{"{unitB}"}}
	projectIDs        = nesting{"{project:student}", []string{"{project:studentB}"}}
	definitionIDs     = nesting{"{defA1}", []string{"{defB1}"}}
	commentsElsewhere = []string{"{commentA2}", "{commentMate}", "{commentB}"}
)

// nested puts a record behind every segment, in unit A and elsewhere.
func (w *world) nested() {
	w.Helper()
	w.secondPeriod("T2", 140)
	w.id["breakT2"] = w.lastID("breaks")
	w.add("setB", "group_sets", row{"unit_id": w.id["unitB"], "name": "Teams"})
	w.add("groupB", "unit_groups", row{"group_set_id": w.id["setB"], "tutorial_id": w.id["tutorialB"], "name": "Red"})
	w.similarityService("")
	for name, def := range map[string]string{"attachment": "defA1", "attachmentB": "defB1"} {
		w.add(name, "tii_group_attachments", row{"task_definition_id": w.id[def], "group_id": "g",
			"filename": "a.docx", "digest": "d", "status": "pending", "created_at": clock.At(w.now)})
	}
	w.add("set2", "group_sets", row{"unit_id": w.id["unitA"], "name": "Pairs"})
	w.add("groupOfSet2", "unit_groups", row{"group_set_id": w.id["set2"], "tutorial_id": w.id["tutorialA"],
		"name": "Red"})
	w.add("alignB", "learning_outcome_links", row{"task_definition_id": w.id["defB1"],
		"learning_outcome_id": w.id["outcomeB"], "rating": 2, "description": "It fits"})
	for _, u := range []string{"A", "B"} {
		w.add("", "tutorial_streams", row{"unit_id": w.id["unit"+u], "name": "Only here",
			"abbreviation": "only-" + strings.ToLower(u), "activity_type_id": w.id["prac"]})
		w.add("only"+u, "tutorials", row{"unit_id": w.id["unit"+u], "abbreviation": "ONLY" + u, "meeting_day": "Monday",
			"meeting_time": "10:00", "meeting_location": "X", "capacity": 20})
	}
	w.add("", "tutorial_enrolments", row{"project_id": w.id["project:student"], "tutorial_id": w.id["onlyA"]})
	for name, user := range map[string]string{"session": "mate", "sessionOther": "student"} {
		w.add(name, "sessions", row{"user_id": w.id[user], "token_hash": "token of " + name, "created_at": w.db.Now(),
			"expires_at": clock.At(w.now.Add(time.Hour))})
	}
	w.add("", "rubrics", row{"task_definition_id": w.id["defA1"], "version": 1, "current": true, "used": false,
		"criteria": `[{"id":1,"title":"Design","description":"","levels":[{"id":2,"name":"Good","text":""},
			{"id":3,"name":"Bad","text":""}]}]`, "last_key": 3, "user_id": w.id["convenor"], "at": w.db.Now()})
	w.byHand()
	w.conversations()
	w.do("convenor", "POST "+defA+"/{defA1}/task_sheet", aFile("a.pdf", aPDF)).status(200)
	w.do("convenor", "POST "+defA+"/{defA1}/task_resources", aFile("a.zip", zipOf(w, "a", "b"))).status(200)
	w.do("convenor", "POST "+defA+"/{defA1}/task_assessment_resources", aFile("a.zip", zipOf(w, "c", "d"))).status(201)
	w.do("convenor", "POST "+defA+"/{defA1}/template", aFile("a.zip", zipOf(w, "e", "f"))).status(200)
	w.handedIn()
	w.assessedByHand()
	w.deletedByHand()
	w.reviewOf("review", "student", "{defA1}", "It runs")
	w.reviewOf("reviewMate", "mate", "{defA1}", "It runs")
	w.reviewOf("reviewB", "studentB", "{defB1}", "It runs")
	w.id["sampled"], w.id["sampledB"] = 4701, 4702
	w.sampled(4701, row{"first_by": w.id["tutor"]})
	w.sampledIn("unitB", w.number(`SELECT max(id) FROM tasks WHERE project_id = $1`, w.id["project:studentB"]), 4702, row{})
	for name, unit := range map[string]string{"announcement": "unitA", "announcementB": "unitB"} {
		w.add(name, "announcements", row{"unit_id": w.id[unit], "user_id": w.id["convenor"], "audience": "all",
			"title": "Hello", "text": "Hello all", "recipients": 0, "created_at": w.db.Now()})
	}
	for name, unit := range map[string]string{"handover": "unitA", "handoverB": "unitB"} {
		role := w.number(`SELECT min(id) FROM unit_roles WHERE unit_id = $1`, w.id[unit])
		day := clock.Day(w.now)
		w.add(name, "handovers", row{"unit_id": w.id[unit], "unit_role_id": role, "from_date": day, "until_date": day,
			"starts_at": clock.At(w.now), "ends_at": clock.At(w.now.Add(time.Hour)), "created_at": w.db.Now()})
	}
}

// deletedByHand adds what was deleted in each unit, with a file of the same number.
func (w *world) deletedByHand() {
	w.Helper()
	for suffix, student := range map[string]string{"": "student", "B": "studentB"} {
		unit := w.id["unit"+cmp.Or(suffix, "A")]
		id := w.add("deletion"+suffix, "deletions", row{"unit_id": unit, "kind": "task_definition", "record_id": 4711,
			"name": "Quokkas", "user_id": w.id["convenor"], "students": 0, "at": clock.At(w.now)})
		w.add("retirement"+suffix, "retirements", row{"unit_id": unit, "plan": "keep", "state": "done",
			"user_id": w.id["convenor"], "students": 0, "submissions": 0, "comments": 0, "files": 0, "bytes": 0, "portfolios": 0,
			"at": clock.At(w.now)})
		w.add("", "deleted_files", row{"id": id, "deletion_id": id, "project_id": w.id["project:"+student],
			"kind": "submission", "task": "1.1P", "name": "a.txt", "hash": w.file("a")})
	}
}

// assessedByHand adds what automated assessment keeps, as if it had run.
func (w *world) assessedByHand() {
	w.Helper()
	w.api.usecases.Assess = true
	now := row{"created_at": clock.At(w.now), "updated_at": clock.At(w.now), "status": "done"}
	for name, submission := range map[string]int64{"assessment": w.lastID("submissions") - 1,
		"assessmentOther": w.lastID("submissions")} {
		now["submission_id"] = submission
		w.add(name, "assessments", now)
	}
	delete(now, "submission_id")
	now["user_id"] = w.id["convenor"]
	for name, definition := range map[string]string{"": "defA1", "A2": "defA2"} {
		now["task_definition_id"] = w.id[definition]
		w.add("trial"+name, "assessment_trials", now)
		w.add("preview"+name, "assessment_previews", now)
	}
}

// handedIn has two students hand in the same task, one of them with a copy that
// came back annotated.
func (w *world) handedIn() {
	w.Helper()
	w.asks("code")
	w.handIn("student", "defA1")
	w.set(`INSERT INTO marked_copies (submission_id, hash, size, user_id, at) VALUES ($1, $2, 4, $3, $4)`,
		w.lastID("submissions"), w.portfolioBlob("%PDF"), w.id["tutor"], clock.At(w.now))
	w.later(3 * time.Second) // a moment names a submission, to the second
	w.handIn("other", "defA1")
	for name, who := range map[string]string{"at": "student", "atOther": "other"} {
		w.id[name] = w.at(who).Unix()
	}
	w.reported()
}

// reported gives both submissions a report of an outside service.
func (w *world) reported() {
	w.Helper()
	last := w.lastID("submissions")
	w.outsideReport(last-1, "student", 61, "%PDF")
	w.id["similarity"] = w.lastID("task_similarities")
	w.outsideReport(last, "other", 61, "%PDF")
	w.id["similarityOther"] = w.lastID("task_similarities")
	w.taskOf("other")
	w.api.usecases.Report = func(context.Context, *access.Caller, string) (string, error) { return "https://x.example", nil }
}

// at gives the moment of a student's submission.
func (w *world) at(who string) clock.Time {
	w.Helper()
	var list []clock.Time
	w.do(who, "GET /api/projects/{project:"+who+"}/task_def_id/{defA1}/submissions/timestamps", nil).
		status(200).into(&list)
	return list[0]
}

// conversations says something on a student's tasks, on a group member's and in
// the other unit.
func (w *world) conversations() {
	w.Helper()
	kept := func(name string, a *answered) { w.id[name] = int64(a.status(201).object()["id"].(float64)) }
	kept("comment", w.attachment("tutor", ownTask, "Look", "a.png", pngFile))
	kept("discussion", w.do("tutor", "POST "+ownTask+"/discussion_comments",
		upload{nil, []part{{"attachments[]", "q.wav", wavFile}}}))
	w.do("student", "POST "+ownTask+"/comments/{discussion}/discussion_comment/reply",
		upload{nil, []part{{"attachment", "r.wav", wavFile}}}).status(201)
	w.ask("extension", "student", ownTask, "1")
	w.comment("commentA2", "student", "/api/projects/{project:student}/task_def_id/{defA2}", "Another task")
	w.comment("commentMate", "mate", "/api/projects/{project:mate}/task_def_id/{defA1}", "Another student")
	w.comment("commentB", "studentB", "/api/projects/{project:studentB}/task_def_id/{defB1}", "Another unit")
}

// segments gives the path of a route with its own records, and one path for each
// of them that is replaced by a foreign one. Fewer than two: nothing is nested.
func segments(t *testing.T, route string) (own string, foreign []string) {
	t.Helper()
	parts := strings.Split(route, "/")
	var at []int
	for i, p := range parts {
		if strings.HasPrefix(p, "{") && parts[i-1] != "charts" { // the name of a chart is no id
			at = append(at, i)
		}
	}
	if len(at) < 2 {
		return "", nil
	}
	found := map[int]nesting{}
	for _, i := range at {
		name := parts[i-1]
		if name == "comments" && i+1 < len(parts) {
			name = "discussion"
		}
		n, known := nestings[name]
		if !known {
			t.Errorf("%s: nestings does not say what follows %s", route, name)
		}
		found[i], parts[i] = n, n.own
	}
	own = strings.Join(parts, "/")
	for i, n := range found {
		for _, f := range n.foreign {
			parts[i] = f
			foreign = append(foreign, strings.Join(parts, "/"))
		}
		parts[i] = n.own
	}
	return own, foreign
}

// TestNothingIsReachedThroughAnotherParent replaces, one at a time, the ids of
// every path that has several by one of another unit, project, task or period:
// nobody finds anything there, not even an Admin.
func TestNothingIsReachedThroughAnotherParent(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.nested()
		w.made()
		for _, r := range onePerRoute() {
			method, route, _ := strings.Cut(r.route, " ")
			_, foreign := segments(t, route)
			for _, path := range foreign {
				if got := w.do(r.anybody(), method+" "+path, r.body); got.Code != 404 {
					t.Errorf("%s %s: got %d, want 404: %.200s", method, path, got.Code, got.Body)
				}
			}
		}
	})
}

// onePerRoute gives the first row of each route.
func onePerRoute() (rows []rightRow) {
	seen := map[string]bool{}
	for _, r := range rightRows {
		if !seen[r.route] {
			rows = append(rows, r)
		}
		seen[r.route] = true
	}
	return rows
}

// anybody gives a caller who may make the row's request, an Admin if possible.
func (r rightRow) anybody() string {
	if r.allows("admin") {
		return "admin"
	}
	return strings.Fields(r.who)[0]
}

// TestNestedRecordsAreReached sends the same requests with ids that belong
// together, so that the 404 above is not for another reason.
func TestNestedRecordsAreReached(t *testing.T) {
	shared := newWorld(t, "sqlite")
	shared.nested()
	shared.made()
	for _, r := range onePerRoute() {
		method, route, _ := strings.Cut(r.route, " ")
		own, _ := segments(t, route)
		if own == "" {
			continue
		}
		t.Run(strings.NewReplacer("/", "_", " ", "_").Replace(r.route), func(t *testing.T) {
			w := shared.orFresh(t, r.route, func(t *testing.T) *world {
				w := newWorld(t, "sqlite")
				w.nested()
				if strings.Contains(route, "submission") {
					w.made()
				}
				return w
			})
			got := w.do(r.anybody(), method+" "+own, r.body)
			if got.Code == 404 || got.Code == 403 || got.Code >= 500 {
				t.Errorf("%s: got %d: %.200s", method+" "+own, got.Code, got.Body)
			}
		})
	}
}
