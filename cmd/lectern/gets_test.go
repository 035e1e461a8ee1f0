package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"lectern/internal/platform/db"
)

// The values of the parameters that paths have, by the names that paramsOf gives them: the column
// p1 for the first, p2 for the second, and so on. A path with others fails the test.
var rowsFor = map[string]string{
	"activity_type": `SELECT id AS p1 FROM activity_types ORDER BY id`,
	"break":         `SELECT teaching_period_id AS p1, id AS p2 FROM breaks ORDER BY id`,
	"campus":        `SELECT id AS p1 FROM campuses ORDER BY id`,
	"unit":          `SELECT id AS p1 FROM units ORDER BY id`,
	"note":          `SELECT id AS p1 FROM staff_notes ORDER BY id`,
	"project": `SELECT p.id AS p1 FROM projects p JOIN users u ON u.id = p.user_id
		ORDER BY u.username <> 'astudent', p.portfolio_hash IS NULL, p.id`,
	"project task_definition": `SELECT t.project_id AS p1, t.task_definition_id AS p2 FROM tasks t
		JOIN projects p ON p.id = t.project_id JOIN users u ON u.id = p.user_id
		ORDER BY t.file_uploaded_at IS NULL, u.username <> 'astudent', t.id`,
	"project task_definition timestamp": `SELECT t.project_id AS p1, t.task_definition_id AS p2, s.at AS p3
		FROM submissions s JOIN tasks t ON t.id = s.task_id JOIN projects p ON p.id = t.project_id
		JOIN users u ON u.id = p.user_id ORDER BY u.username <> 'astudent', s.id`,
	"project task_definition timestamp number": `SELECT t.project_id AS p1, t.task_definition_id AS p2, s.at AS p3,
		f.position AS p4 FROM submissions s JOIN tasks t ON t.id = s.task_id JOIN submission_files f ON f.submission_id = s.id
		JOIN projects p ON p.id = t.project_id JOIN users u ON u.id = p.user_id
		ORDER BY f.kind <> 'code', u.username <> 'astudent', s.id, f.position`,
	"project task_definition comment": `SELECT t.project_id AS p1, t.task_definition_id AS p2, c.id AS p3
		FROM task_comments c JOIN tasks t ON t.id = c.task_id ORDER BY c.attachment_hash IS NULL, c.id`,
	"project task_definition discussion": `SELECT t.project_id AS p1, t.task_definition_id AS p2, f.task_comment_id AS p3
		FROM discussion_files f JOIN task_comments c ON c.id = f.task_comment_id JOIN tasks t ON t.id = c.task_id
		ORDER BY f.task_comment_id`,
	"project task_definition discussion prompt": `SELECT t.project_id AS p1, t.task_definition_id AS p2,
		f.task_comment_id AS p3, f.number AS p4 FROM discussion_files f
		JOIN task_comments c ON c.id = f.task_comment_id JOIN tasks t ON t.id = c.task_id
		ORDER BY f.task_comment_id, f.number`,
	"project file": `SELECT project_id AS p1, id AS p2 FROM deleted_files ORDER BY id`,
	"snippet":      `SELECT id AS p1 FROM snippets ORDER BY id`,
	"task": `SELECT t.id AS p1 FROM tasks t LEFT JOIN task_similarities s ON s.task_id = t.id
		ORDER BY s.id IS NULL, t.id`,
	"task similarity":       `SELECT task_id AS p1, id AS p2 FROM task_similarities ORDER BY id`,
	"task similarity index": `SELECT task_id AS p1, id AS p2, 0 AS p3 FROM task_similarities ORDER BY id`,
	"teaching_period":       `SELECT id AS p1 FROM teaching_periods ORDER BY id`,
	"tutorial":              `SELECT id AS p1 FROM tutorials ORDER BY id`,
	"unit_role":             `SELECT id AS p1 FROM unit_roles ORDER BY id`,
	"unit group_set":        `SELECT unit_id AS p1, id AS p2 FROM group_sets ORDER BY id`,
	"unit group_set group": `SELECT s.unit_id AS p1, s.id AS p2, g.id AS p3 FROM unit_groups g
		JOIN group_sets s ON s.id = g.group_set_id ORDER BY g.id`,
	"unit alignment": `SELECT o.unit_id AS p1, l.id AS p2 FROM learning_outcome_links l
		JOIN learning_outcomes o ON o.id = l.learning_outcome_id ORDER BY l.id`,
	"unit announcement":    `SELECT unit_id AS p1, id AS p2 FROM announcements ORDER BY id`,
	"project announcement": `SELECT project_id AS p1, announcement_id AS p2 FROM announcement_recipients ORDER BY 1, 2`,
	"unit works": `SELECT m.unit_id AS p1, w.id AS p2 FROM moderation_works w JOIN moderation_samples m
		ON m.id = w.sample_id ORDER BY w.id`,
	"unit handover": `SELECT unit_id AS p1, id AS p2 FROM handovers ORDER BY id`,
	"unit outcome":  `SELECT unit_id AS p1, id AS p2 FROM learning_outcomes ORDER BY id`,
	"unit task_definition": `SELECT unit_id AS p1, id AS p2 FROM task_definitions
		ORDER BY sheet_hash IS NULL, resources_hash IS NULL, id NOT IN (SELECT task_definition_id FROM rubrics), id`,
	"unit person": `SELECT id AS p1, 'tut' AS p2 FROM units ORDER BY id`,
	"unit stream": `SELECT unit_id AS p1, abbreviation AS p2 FROM tutorial_streams ORDER BY id`,
	"unit chart": `SELECT u.id AS p1, n.name AS p2 FROM units u, (SELECT 'completion' AS name
		UNION ALL SELECT 'statuses' UNION ALL SELECT 'targets') n ORDER BY u.id, n.name`,
	"user": `SELECT id AS p1 FROM users ORDER BY id`,
}

// notThere are paths that ask for what no installation in the tests has, or for what is another
// on every one.
var notThere = map[string]string{
	"/api/admin/health":                             "it tells of the machine, the database and the moment",
	"/api/admin/jobs/retry":                         "no job has failed",
	"/api/admin/settings":                           "it names the database, the file store and their settings",
	"/api/admin/webhooks/{id}":                      "no webhook",
	"/api/admin/webhooks/{id}/deliveries":           "no webhook",
	"/api/auth/oidc/callback":                       "a step of a sign-in elsewhere",
	"/api/auth/oidc/start":                          "a step of a sign-in elsewhere",
	"/api/auth/saml/metadata":                       "no sign-in by SAML",
	"/api/data_export/{token}":                      "its token stands in an email alone",
	"/api/admin/exports/{token}":                    "its token is told to who asked for it alone",
	"/api/events":                                   "a stream that does not end",
	"/api/similarity_pages/{token}":                 "its token is made by the call that leads there",
	"/api/unsubscribe/{token}":                      "its token stands in an email alone",
	"/api/views/{id}":                               "nobody views as a student",
	"/api/webcal/{guid}":                            "no calendar is subscribed to",
	"/api/projects/{id}/deleted/{file_id}":          "nothing was deleted",
	"/api/units/{unit_id}/deleted/{id}":             "nothing was deleted",
	"/api/units/{unit_id}/deleted/{id}/students":    "nothing was deleted",
	ofDefinition + "/assessment_preview/{id}":       "no container engine",
	ofDefinition + "/test_overseer_assessment/{id}": "no container engine",
}

// singular are the parts of a path that tell what an {id} behind them is.
var singular = strings.NewReplacer("activity_types", "activity_type", "breaks", "break", "campuses", "campus",
	"units", "unit", "projects", "project", "notes", "note", "snippets", "snippet", "tasks", "task", "similarities",
	"similarity", "teaching_periods", "teaching_period", "tutorials", "tutorial", "unit_roles", "unit_role",
	"group_sets", "group_set", "learning_alignments", "alignment", "outcomes", "outcome", "task_definitions",
	"task_definition", "users", "user", "people", "user", "comments", "comment",
	"handovers", "handover", "announcements", "announcement")

var paramNames = map[string]string{"unit_id": "unit", "project_id": "project", "task_definition_id": "task_definition",
	"task_def_id": "task_definition", "announcement_id": "announcement", "timestamp": "timestamp", "number": "number",
	"file_id": "file", "task_comment_id": "discussion",
	"prompt_number": "prompt", "task_id": "task", "idx": "index", "group_set_id": "group_set", "group_id": "group",
	"teaching_period_id": "teaching_period", "tutorial_stream_abbr": "stream", "name": "chart",
	"text": "person"}

var parameter = regexp.MustCompile(`\{[^}]+\}`)

// paramsOf names what the parameters of a path are.
func paramsOf(path string) string {
	var out []string
	parts := strings.Split(path, "/")
	for i, p := range parts {
		if !parameter.MatchString(p) {
			continue
		}
		if p = strings.Trim(p, "{}"); p == "id" {
			out = append(out, singular.Replace(parts[i-1]))
		} else {
			out = append(out, paramNames[p])
		}
	}
	if s := strings.Join(out, " "); s != "teaching_period break" {
		return s
	}
	return "break"
}

// A look is one request: who asks for what.
type look struct{ who, path, of string }

// looks lists requests for every GET of the OpenAPI document by everybody, with what the database
// has for their parameters, a few of each.
func looks(t *testing.T, d *db.DB, people []string, each int) (all []look) {
	t.Helper()
	text, err := command(t, "openapi").Output()
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths map[string]map[string]struct {
			Parameters []struct {
				Name, In string
				Required bool
			}
		}
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	for _, path := range slices.Sorted(maps.Keys(document.Paths)) {
		get, has := document.Paths[path]["get"]
		if !has || notThere[path] != "" {
			continue
		}
		full := path
		for _, p := range get.Parameters {
			if p.In == "query" && p.Required {
				full += "?" + p.Name + "={" + p.Name + "}"
			}
		}
		for _, at := range placesOf(t, d, full, each) {
			for _, who := range people {
				all = append(all, look{who, at, path})
			}
		}
	}
	return all
}

// placesOf fills the parameters of a path.
func placesOf(t *testing.T, d *db.DB, path string, each int) (out []string) {
	t.Helper()
	plain, query, _ := strings.Cut(path, "?")
	key := paramsOf(plain)
	if query != "" {
		key = strings.TrimSpace(key + " " + paramNames[strings.Trim(query[strings.Index(query, "="):], "={}")])
	}
	if key == "unit project" {
		key = "project" // of which the unit is found below
	}
	if !strings.Contains(path, "{") {
		return []string{path}
	}
	text := rowsFor[key]
	if text == "" {
		t.Fatalf("nothing is known for the parameters %q of GET %s: add them to rowsFor, or the path to notThere", key, path)
	}
	if strings.Contains(path, "{unit_id}") && strings.Contains(query, "project_id") {
		text = `SELECT unit_id AS p1, id AS p2 FROM projects ORDER BY id`
	}
	for r, err := range db.Records(t.Context(), d.Pool(), text) {
		if err != nil {
			t.Fatal(path, err)
		}
		if len(out) == each {
			break
		}
		n := 0
		out = append(out, parameter.ReplaceAllStringFunc(path, func(string) string {
			n++
			return fmt.Sprint(r.Values[n-1])
		}))
	}
	return out
}

// answers asks for all of it, and gives what was answered, by who asked for what.
func (i *instance) answers(all []look, tokens map[string]string, since time.Time) map[look]string {
	i.t.Helper()
	out := map[look]string{}
	for _, l := range all {
		r, err := http.NewRequest(http.MethodGet, i.url+l.path, http.NoBody)
		if err != nil {
			i.t.Fatal(err)
		}
		r.Header.Set("Username", l.who)
		r.Header.Set("Auth_Token", tokens[l.who])
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			i.t.Fatalf("GET %s: %v", l.path, err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil {
			i.t.Fatalf("GET %s: %v", l.path, err)
		}
		if strings.HasSuffix(l.path, "/commented") && res.StatusCode == http.StatusOK {
			body = words(i.t, body)
		}
		out[l] = fmt.Sprintf("%d %s %s", res.StatusCode, res.Header.Get("Content-Type"), told(body, i.url, since))
	}
	return out
}

var instants = regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)`)

// lastUsed is when a session was used, which is noted now and then.
var lastUsed = regexp.MustCompile(`"last_used_at":"[^"]+"`)

// signedLink is made for who asks, for some minutes.
var signedLink = regexp.MustCompile(`/similarity_pages/[\w.-]+`)

// minutes are how sheets and commented copies tell when they were made.
var minutes = regexp.MustCompile(`\d+ \w+ 20\d\d, \d\d:\d\d [A-Z]{3,4}`)

// words are those of a commented copy, which is made while it is asked for and says when that was.
func words(t *testing.T, document []byte) []byte {
	t.Helper()
	cmd := exec.Command("pdftotext", "-raw", "-", "-")
	cmd.Stdin = bytes.NewReader(document)
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("pdftotext: %v", err)
	}
	return text
}

// turnaround tells since when it counts, from the moment that is asked.
var turnaround = regexp.MustCompile(`"since":"[^"]+"`)

// told is an answer without what must differ: the address, moments after the beginning, the
// moments inside archives, and what is reckoned from now.
func told(body []byte, url string, since time.Time) string {
	if z, err := zip.NewReader(bytes.NewReader(body), int64(len(body))); err == nil {
		return unzipped(z, url, since)
	}
	if !json.Valid(body) && bytes.ContainsRune(body, 0) {
		return fmt.Sprintf("%d bytes, %x", len(body), sha256.Sum256(body))
	}
	text := strings.ReplaceAll(string(body), url, "http://here")
	text = turnaround.ReplaceAllString(text, `"since":"four weeks ago"`)
	text = minutes.ReplaceAllString(text, "at some minute")
	text = lastUsed.ReplaceAllString(text, `"last_used_at":"now and then"`)
	text = signedLink.ReplaceAllString(text, "/similarity_pages/signed")
	return instants.ReplaceAllStringFunc(text, func(s string) string {
		if at, err := time.Parse(time.RFC3339Nano, s); err == nil && at.After(since) {
			return "later"
		}
		return s
	})
}

func unzipped(z *zip.Reader, url string, since time.Time) string {
	var out []string
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return err.Error()
		}
		body, err := io.ReadAll(r)
		r.Close()
		out = append(out, fmt.Sprint(f.Name, " ", told(body, url, since), err))
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

const (
	ofTask       = "/api/projects/{project_id}/task_def_id/{task_definition_id}"
	ofVersion    = "/api/projects/{id}/task_def_id/{task_definition_id}"
	ofDefinition = "/api/units/{unit_id}/task_definitions/{task_def_id}"
)

// emptyInDemo are paths that are walked and of which the demo has nothing to show.
var emptyInDemo = map[string]string{
	ofTask + "/comments/{id}": "no attachments",
	ofTask + "/comments/{task_comment_id}/discussion_comment/response": "few answers",
	ofVersion + "/submission/marked":                                   "no offline marking",
	ofVersion + "/submissions/timestamps/{timestamp}/assessment":       "no engine",
	"/api/submission/project/{id}/portfolio":                           "none is compiled",
	ofDefinition + "/task_assessment_resources":                        "no tests",
	ofDefinition + "/task_pdf":                                         "no task sheets",
	ofDefinition + "/task_resources":                                   "no resources",
	ofDefinition + "/template":                                         "no templates",
}
