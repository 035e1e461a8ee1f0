package api

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/stats"
	"lectern/internal/teaching/taskdef"
)

// aPDF is a PDF of one page in which nothing can act, as the service writes it: it
// is served byte for byte as it came.
//
//go:embed testdata/clean.pdf
var aPDF string

// zipOf packs files given as name, content, name, content.
func zipOf(t testing.TB, pairs ...string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(pairs); i += 2 {
		w, err := z.Create(pairs[i])
		if err == nil {
			_, err = w.Write([]byte(pairs[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	z.Close()
	return b.String()
}

func aFile(name, content string, fields ...string) upload {
	u := upload{fields: map[string]string{}, files: []part{{"file", name, content}}}
	for i := 0; i < len(fields); i += 2 {
		u.fields[fields[i]] = fields[i+1]
	}
	return u
}

var fullDefinition = map[string]any{"name": "Essay", "abbreviation": "2.1D", "description": "Write", "weighting": 3,
	"target_grade": 2,
	"start_date":   "2026-03-02", "target_date": "2026-03-20", "restrict_status_updates": false,
	"plagiarism_warn_pct": 40, "is_graded": true,
	"max_quality_pts": 5, "tutorial_stream_abbr": "prac-1"}

// definitionWith is a whole definition with some members changed; nil takes one out.
func definitionWith(pairs ...any) map[string]any {
	d := maps.Clone(fullDefinition)
	for i := 0; i < len(pairs); i += 2 {
		if d[pairs[i].(string)] = pairs[i+1]; pairs[i+1] == nil {
			delete(d, pairs[i].(string))
		}
	}
	return map[string]any{"task_def": d}
}

const defA = "/api/units/{unitA}/task_definitions"

var emptyZip = "PK\x05\x06" + strings.Repeat("\x00", 18)

var _ = rights(
	rightRow{"POST /api/units/{unit_id}/task_definitions", defA, convenorsA, definitionWith()},
	rightRow{"PUT /api/units/{unit_id}/task_definitions/{id}", defA + "/{defA1}", convenorsA,
		`{"task_def":{"name":"New"}}`},
	rightRow{"DELETE /api/units/{unit_id}/task_definitions/{id}", defA + "/{defA1}", convenorsA, nil},
	rightRow{"POST /api/units/{unit_id}/task_definitions/shift", defA + "/shift", convenorsA,
		`{"weeks":1,"tasks":[{"id":1}]}`},
	rightRow{"POST /api/units/{unit_id}/task_definitions/{id}/duplicate", defA + "/{defA1}/duplicate", convenorsA, nil},
	rightRow{"POST /api/units/{unit_id}/task_definitions/{task_def_id}/task_sheet", defA + "/{defA1}/task_sheet",
		convenorsA, aFile("a.pdf", aPDF)},
	rightRow{"DELETE /api/units/{unit_id}/task_definitions/{task_def_id}/task_sheet", defA + "/{defA1}/task_sheet",
		convenorsA, nil},
	rightRow{"GET /api/units/{unit_id}/task_definitions/{task_def_id}/task_pdf", defA + "/{defA1}/task_pdf", membersA,
		nil},
	rightRow{"POST /api/units/{unit_id}/task_definitions/{task_def_id}/task_resources",
		defA + "/{defA1}/task_resources", convenorsA, aFile("a.zip", emptyZip)},
	rightRow{"GET /api/units/{unit_id}/task_definitions/{task_def_id}/task_resources", defA + "/{defA1}/task_resources",
		membersA, nil},
	rightRow{"DELETE /api/units/{unit_id}/task_definitions/{task_def_id}/task_resources",
		defA + "/{defA1}/task_resources", convenorsA, nil},
	rightRow{"POST /api/units/{unit_id}/task_definitions/{task_def_id}/template", defA + "/{defA1}/template",
		convenorsA,
		aFile("a.zip", emptyZip)},
	rightRow{"GET /api/units/{unit_id}/task_definitions/{task_def_id}/template", defA + "/{defA1}/template", convenorsA,
		nil},
	rightRow{"DELETE /api/units/{unit_id}/task_definitions/{task_def_id}/template", defA + "/{defA1}/template",
		convenorsA, nil},
	rightRow{"POST /api/units/{unit_id}/task_definitions/{task_def_id}/task_assessment_resources",
		defA + "/{defA1}/task_assessment_resources", convenorsA, aFile("a.zip", emptyZip)},
	rightRow{"GET /api/units/{unit_id}/task_definitions/{task_def_id}/task_assessment_resources",
		defA + "/{defA1}/task_assessment_resources", convenorsA, nil},
	rightRow{"DELETE /api/units/{unit_id}/task_definitions/{task_def_id}/task_assessment_resources",
		defA + "/{defA1}/task_assessment_resources", convenorsA, nil},
	rightRow{"POST /api/units/{unit_id}/task_definitions/task_pdfs", defA + "/task_pdfs", convenorsA,
		aFile("a.zip", emptyZip)},
	rightRow{"GET /api/units/{id}/all_resources", "/api/units/{unitA}/all_resources", membersA, nil},
	rightRow{"GET /api/csv/task_definitions", "/api/csv/task_definitions?unit_id={unitA}", staffA, nil},
	rightRow{"POST /api/csv/task_definitions", "/api/csv/task_definitions?unit_id={unitA}", convenorsA,
		aFile("a.csv", "name\nx\n")},
)

// Whoever says what they saw of a task is refused a value that somebody else changed since, with what it
// is; values that only one of them changed go through.
func TestATaskThatSomebodyElseChanged(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		put := func(text string) *answered { return w.do("convenor", "PUT "+defA+"/{defA1}", text) }
		put(`{"task_def":{"name":"Before","weighting":2,"start_date":"2026-09-21","target_date":"2026-10-02",
			"due_date":null}}`).
			status(200)
		seen := `"seen":{"name":"Before","weighting":2,"target_date":"2026-10-02","due_date":null,"upload_requirements":[]}`
		put(`{"task_def":{"name":"Theirs","weighting":9,"due_date":"2026-10-09"}}`).status(200)
		put(`{`+seen+`,"task_def":{"name":"Mine","target_date":"2026-10-03"}}`).status(409).says("task_def[name]", `"Theirs"`)
		put(`{`+seen+`,"task_def":{"due_date":"2026-10-16"}}`).status(409).says("task_def[due_date]", "9 Oct 2026")
		w.do("convenor", "GET "+defA+"/{defA1}", nil).has(`{"name":"Theirs","weighting":9,"target_date":"2026-10-02"}`)
		put(`{` + seen + `,"task_def":{"target_date":"2026-10-03"}}`).status(200).
			has(`{"name":"Theirs","weighting":9,"target_date":"2026-10-03","due_date":"2026-10-09"}`)
		put(`{` + seen + `,"task_def":{"weighting":9}}`).status(200) // it is so already
		put(`{"seen":{"start_date":"soon"},"task_def":{"name":"Mine"}}`).status(400).says("seen[start_date]")
	})
}

func TestDefinitions(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		made := w.do("convenor", "POST "+defA, definitionWith("group_set_id", w.id["set"],
			"upload_requirements", `[{"key":"file0","name":"Essay","type":"document","tii_check":true,"tii_pct":20}]`,
			"plagiarism_checks", []any{map[string]any{"key": "0", "type": "moss csharp",
				"pattern": "*.cs"}})).status(201)
		w.id["new"] = int64(made.object()["id"].(float64))
		end := w.monday().AddDays(-56 + 14*7 - 3).String()
		made.is(`{"id":«new»,"abbreviation":"2.1D","name":"Essay","description":"Write","weighting":3,"target_grade":2,
			"target_date":"2026-03-20","due_date":"` + end + `","start_date":"2026-03-02",
			"upload_requirements":[{"key":"file0","name":"Essay","type":"document","tii_check":true,"tii_pct":20}],
			"tutorial_stream_abbr":"prac-1","group_set_id":«set»,"has_task_sheet":false,"has_task_resources":false,"has_rubric":false,"is_graded":true,
			"max_quality_pts":5,"plagiarism_checks":[{"key":"0","type":"moss csharp","pattern":"*.cs"}],"plagiarism_warn_pct":40,
			"restrict_status_updates":false,"has_task_assessment_resources":false,"has_template":false,"overseer_image_id":null,
			"assessment_enabled":false,
			"assessment_statuses":["fix_and_resubmit","discuss","demonstrate","complete"],"assessment_trusted":false,
			"assessment_limits":{},
			"moss_language":null}`)

		put := func(body string) *answered { return w.do("convenor", "PUT "+defA+"/{new}", `{"task_def":`+body+`}`) }
		got := put(`{"due_date":"2026-04-01","group_set_id":-1,"name":"  Long essay ","upload_requirements":[]}`).status(200).object()
		if got["due_date"] != "2026-04-01" || got["group_set_id"] != nil || got["name"] != "Long essay" ||
			len(got["upload_requirements"].([]any)) != 0 {
			t.Errorf("changed: %v", got)
		}
		if got := put(`{"due_date":null}`).status(200).object(); got["due_date"] != end ||
			got["description"] != "Write" {
			t.Errorf("cleared: %v", got)
		}
		w.do("convenor", "PUT "+defA+"/{new}", nil).status(200)
		w.do("convenor", "PUT "+defA+"/{defB1}", nil).status(404)
		w.do("convenor", "DELETE "+defA+"/{new}", nil).status(204)
		w.do("convenor", "DELETE "+defA+"/{new}", nil).status(404)
	})
}

func TestDefinitionsForStudents(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("convenor", "PUT "+defA+"/{defA1}", `{"task_def":{"upload_requirements":[{"key":"file0","name":"Code","type":"notebook","tii_check":true}]}}`).status(200)
		list, err := taskdef.DefinitionsOf(t.Context(), w.db.Pool(), w.id["unitA"])
		if err != nil || len(list) != 2 {
			t.Fatal(list, err)
		}
		r := taskdef.Records(list, false)[0]
		if r.DefinitionForStaff != nil || r.Requirements.String() != `[{"key":"file0","name":"Code","type":"code"}]` {
			t.Errorf("%+v", r)
		}
	})
}

func TestDefinitionRules(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, c := range []struct {
			what   string
			status int
			says   string
			pairs  []any
		}{
			{"no name", 400, "task_def[name]", []any{"name", nil}},
			{"blank name", 422, "blank", []any{"name", " "}},
			{"name taken", 409, "1.1P", []any{"name", "Task 1.1P", "abbreviation", "1.1P"}},
			{"abbreviation taken", 409, "abbreviation", []any{"abbreviation", "1.2C"}},
			{"slash in abbreviation", 422, "slashes", []any{"abbreviation", "../x"}},
			{"target before start", 422, "before start_date", []any{"target_date", "2026-03-01"}},
			{"due before target", 422, "before target_date", []any{"due_date", "2026-03-19"}},
			{"no date", 400, "start_date", []any{"start_date", "soon"}},
			{"grade 4", 400, "target_grade", []any{"target_grade", 4}},
			{"negative weighting", 400, "weighting", []any{"weighting", -1}},
			{"huge weighting", 400, "weighting", []any{"weighting", 1 << 40}},
			{"101 points", 400, "max_quality_pts", []any{"max_quality_pts", 101}},
			{"long description", 422, "4095", []any{"description", strings.Repeat("ä", 4096)}},
			{"no stream", 422, "tutorial_stream_abbr", []any{"tutorial_stream_abbr", nil}},
			{"unknown stream", 404, "tutorial stream", []any{"tutorial_stream_abbr", "lab-9"}},
			{"unknown group set", 404, "group set", []any{"group_set_id", 999}},
			{"unknown image", 404, "container image", []any{"overseer_image_id", 999}},
			{"requirements no list", 400, "upload_requirements", []any{"upload_requirements", `{"key":"file0"}`}},
			{"requirements of numbers", 400, "upload_requirements", []any{"upload_requirements", []any{1}}},
			{"requirements of null", 400, "upload_requirements", []any{"upload_requirements", "[null]"}},
			{"requirement with more", 400, "unknown member", []any{"upload_requirements",
				`[{"key":"a","name":"b","type":"code","x":1}]`}},
			{"requirement without name", 400, "name", []any{"upload_requirements", `[{"key":"a","type":"code"}]`}},
			{"requirement of a wrong type", 400, "document, code or image", []any{"upload_requirements",
				`[{"key":"a","name":"b","type":"video"}]`}},
			{"key twice", 400, "twice", []any{"upload_requirements",
				`[{"key":"a","name":"b","type":"code"},{"key":"a","name":"c","type":"code"}]`}},
			{"21 requirements", 400, "21", []any{"upload_requirements", manyRequirements(21)}},
			{"no JSON", 400, "upload_requirements", []any{"upload_requirements", `[{]`}},
			{"check of a wrong type", 400, "moss", []any{"plagiarism_checks",
				`[{"key":"a","type":"jplag","pattern":"*"}]`}},
			{"check with a path", 400, "pattern", []any{"plagiarism_checks",
				`[{"key":"a","type":"moss c","pattern":"../*"}]`}},
		} {
			got := w.do("convenor", "POST "+defA, definitionWith(c.pairs...))
			if got.Code != c.status || !strings.Contains(got.Body.String(), c.says) {
				t.Errorf("%s: %d %s", c.what, got.Code, got.Body)
			}
		}
		if n := w.count("task_definitions"); n != 4 {
			t.Errorf("%d definitions", n)
		}
		w.do("convenor", "POST "+defA, `{}`).status(400).says("task_def[name]", "task_def[start_date]",
			"task_def[is_graded]")
		w.do("convenor", "POST "+defA, definitionWith("upload_requirements", manyRequirements(20))).status(201)
	})
}

func manyRequirements(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`{"key":"file%d","name":"n","type":"code"}`, i))
	}
	return "[" + strings.Join(list, ",") + "]"
}

// task makes a student's task by hand.
func (w *world) task(student, definition string, more row) int64 {
	w.Helper()
	r := row{"project_id": w.id["project:"+student], "task_definition_id": w.id[definition], "unit_id": w.id["unitA"],
		"created_at": clock.At(w.now), "updated_at": clock.At(w.now)}
	maps.Copy(r, more)
	w.set(`DELETE FROM tasks WHERE project_id = $1 AND task_definition_id = $2`, r["project_id"],
		r["task_definition_id"])
	return w.add("task:"+student, "tasks", r)
}

func TestDefinitionInUse(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("convenor", "PUT "+defA+"/{defA1}", map[string]any{"task_def": map[string]any{"group_set_id": w.id["set"]}}).status(200)
		w.add("gs", "group_submissions", row{"unit_group_id": w.id["group"], "task_definition_id": w.id["defA1"],
			"submitted_by_project_id": w.id["project:student"], "created_at": clock.At(w.now)})
		w.task("student", "defA1", row{"submission_date": clock.At(w.now), "status": "complete",
			"group_submission_id": w.id["gs"]})
		w.do("convenor", "PUT "+defA+"/{defA1}", `{"task_def":{"group_set_id":-1}}`).status(409).says("submitted")
		w.do("convenor", "PUT "+defA+"/{defA1}", `{"task_def":{"group_set_id":null,"name":"N"}}`).status(200)
		w.do("convenor", "DELETE "+defA+"/{defA1}", nil).status(409).says("submissions")
		if n := w.count("group_submissions"); n != 1 {
			t.Errorf("%d records of the group's work are left", n)
		}
	})
}

func TestDraftSummaryStaysOneDocument(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("convenor", "PUT "+defA+"/{defA1}", `{"task_def":{"upload_requirements":[{"key":"file0","name":"a","type":"document"}]}}`).status(200)
		w.do("convenor", "PUT /api/units/{unitA}", map[string]any{"unit": map[string]any{"draft_task_definition_id": w.id["defA1"]}}).status(200)
		w.do("convenor", "PUT "+defA+"/{defA1}", `{"task_def":{"upload_requirements":[{"key":"file0","name":"a","type":"code"}]}}`).status(422).says("draft")
		w.do("convenor", "PUT "+defA+"/{defA1}", `{"task_def":{"name":"Still fine"}}`).status(200)
	})
}

// The statistics of students follow what the unit asks of them.
func TestDefinitionsChangeStatistics(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.task("student", "defA1", row{"status": "complete"})
		green := func(want string) {
			t.Helper()
			if w.count("projects WHERE id = "+fmt.Sprint(w.id["project:student"])+" AND green_pct = "+want) != 1 {
				got, _ := db.One[float64](t.Context(), w.db.Pool(), `SELECT green_pct FROM projects WHERE id = $1`,
					w.id["project:student"])
				t.Errorf("green is %v, not %s", *got, want)
			}
		}
		made := w.do("convenor", "POST "+defA, definitionWith("target_grade", 0)).status(201)
		green("0.33")
		w.id["new"] = int64(made.object()["id"].(float64))
		w.do("convenor", "PUT "+defA+"/{new}", `{"task_def":{"target_grade":3}}`).status(200)
		green("0.5")
		w.do("convenor", "DELETE "+defA+"/{defA2}", nil).status(204)
		green("1")
		w.do("convenor", "DELETE "+defA+"/{defA1}", nil).status(204)
		green("0")
		if w.count("projects WHERE green_pct + red_pct + orange_pct + blue_pct + grey_pct <> 1") != 0 {
			t.Error("shares do not add up")
		}
	})
}

// Recompute takes as many statements for many students as for few.
func TestStatementsOfDefinitionChanges(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		statements := func() (n int64) {
			ctx, c := db.Counting(t.Context(), nil)
			if err := w.db.Tx(ctx, func(q db.Q) error { return stats.Recompute(ctx, q, w.id["unitA"]) }); err != nil {
				t.Fatal(err)
			}
			return c.N()
		}
		few := statements()
		if err := w.db.Tx(t.Context(), func(q db.Q) error {
			for i := range 200 {
				name := fmt.Sprint("extra", i)
				if err := w.person(t.Context(), q, name, 1); err != nil {
					return err
				}
				w.insert(t.Context(), q, "", "projects", row{"unit_id": w.id["unitA"], "user_id": w.id[name],
					"created_at": q.Now(), "updated_at": q.Now()})
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if many := statements(); many != few {
			t.Errorf("%d statements for few, %d for many", few, many)
		}
	})
}

func TestDefinitionFiles(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		pack := zipOf(t, "src/a.c", "int main(){}")
		w.do("student", "GET "+defA+"/{defA1}/task_pdf", nil).status(404).says("no task sheet")
		w.do("convenor", "POST "+defA+"/{defA1}/task_sheet", aFile("x.bin", aPDF)).status(200).is(`true`)
		got := w.do("student", "GET "+defA+"/{defA1}/task_pdf", nil).status(200)
		if got.Body.String() != aPDF || got.Header().Get("Content-Type") != "application/pdf" ||
			!strings.HasPrefix(got.Header().Get("Content-Disposition"), "inline") {
			t.Errorf("%v %s", got.Header(), got.Body)
		}
		got = w.do("student", "GET "+defA+"/{defA1}/task_pdf.json?as_attachment=true", nil, "Range",
			"bytes=0-3").status(206)
		if d := got.Header().Get("Content-Disposition"); d != `attachment; filename=SIT10A-1.1P.pdf` ||
			got.Body.String() != "%PDF" {
			t.Errorf("%s %q", d, got.Body)
		}
		w.do("convenor", "POST "+defA+"/{defA1}/task_resources", aFile("x.zip", pack)).status(200)
		got = w.do("other", "GET "+defA+"/{defA1}/task_resources", nil).status(200)
		if got.Body.String() != pack || got.Header().Get("Content-Disposition") != `attachment; filename=1.1P-resources.zip` {
			t.Errorf("%v", got.Header())
		}
		w.do("convenor", "POST "+defA+"/{defA1}/task_assessment_resources", aFile("x.zip", pack)).status(201)
		w.do("convenor", "GET "+defA+"/{defA1}/task_assessment_resources", nil).status(200)
		if n := w.count("blobs"); n != 2 {
			t.Errorf("%d rows for two contents", n)
		}
		w.checkEntries("/api/units/{unitA}/all_resources", "1.1P.pdf", "1.1P.zip")
		for _, kind := range []string{"task_sheet", "task_resources", "task_assessment_resources"} {
			w.do("convenor", "DELETE "+defA+"/{defA1}/"+kind, nil).status(204)
			w.do("convenor", "DELETE "+defA+"/{defA1}/"+kind, nil).status(204)
		}
		w.do("student", "GET "+defA+"/{defA1}/task_resources", nil).status(404)
		w.do("convenor", "GET "+defA+"/{defA1}/task_assessment_resources", nil).status(404)
		w.do("convenor", "GET "+defA+"/{defB1}/task_pdf", nil).status(404)
		w.checkEntries("/api/units/{unitB}/all_resources")
	})
}

// checkEntries downloads an archive as admin and compares its names.
func (w *world) checkEntries(path string, want ...string) {
	w.Helper()
	body := w.do("admin", "GET "+path, nil).status(200).Body.Bytes()
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		w.Fatal(err)
	}
	var got []string
	for _, f := range z.File {
		got = append(got, f.Name)
	}
	if !slices.Equal(got, want) {
		w.Errorf("%s holds %v, not %v", path, got, want)
	}
}

func TestDefinitionFilesRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, c := range []struct {
			what, path, content string
			status              int
		}{
			{"an empty sheet", "task_sheet", "", 415},
			{"HTML called PDF", "task_sheet", "<html>%%EOF", 415},
			{"a PDF cut short", "task_sheet", "%PDF-1.7 lost", 415},
			{"a sheet of 30 MB and more", "task_sheet", aPDF + strings.Repeat("x", 30<<20), 413},
			{"a PDF for a zip", "task_resources", aPDF, 415},
			{"half a zip", "task_resources", zipOf(t, "a", "b")[:30], 415},
			{"a name that leads out", "task_resources", zipOf(t, "../../etc/passwd", "x"), 415},
			{"a name that leads out on Windows", "task_assessment_resources", zipOf(t, `a\..\..\b`, "x"), 415},
			{"an absolute name", "task_resources", zipOf(t, "/etc/passwd", "x"), 415},
			{"a drive", "task_resources", zipOf(t, "C:x", "x"), 415},
			{"a text as bundle", "../task_definitions/task_pdfs", "x", 415},
		} {
			path := defA + "/{defA1}/" + c.path
			if strings.HasPrefix(c.path, "..") {
				path = defA + "/task_pdfs"
			}
			if got := w.do("convenor", "POST "+path, aFile("x.pdf", c.content)); got.Code != c.status {
				t.Errorf("%s: %d %s", c.what, got.Code, got.Body)
			}
		}
		w.do("convenor", "POST "+defA+"/{defA1}/task_sheet", nil).status(400).says("file")
		w.do("convenor", "POST "+defA+"/{defA1}/task_sheet", form{"file": "text"}).status(400)
		if n := w.count("blobs"); n != 0 {
			t.Errorf("%d files were kept", n)
		}
	})
}

func TestTaskPDFs(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("convenor", "POST "+defA, definitionWith("abbreviation", "1.1")).status(201)
		inner := zipOf(t, "a", "b")
		plan := aFile("all.zip", zipOf(t, "1.1P.pdf", aPDF, "9.9.pdf", aPDF), "dry_run", "true")
		w.do("convenor", "POST "+defA+"/task_pdfs", plan).status(201).is(`{
			"success":[{"row":"1.1P.pdf","message":"Becomes the task sheet of 1.1P."}],
			"errors":[{"row":"9.9.pdf","message":"No task of this unit has an abbreviation the name begins with."}],
			"ignored":[]}`)
		w.do("student", "GET "+defA+"/{defA1}/task_pdf", nil).status(404)
		w.do("convenor", "POST "+defA+"/task_pdfs", aFile("all.zip", zipOf(t,
			"sheets/1.1P Hello.pdf", aPDF, "1.1P-resources.zip", inner, "1.2C.PDF", "no pdf", "1.10.pdf", aPDF,
			"1.1.pdf", aPDF+" ",
			"notes.txt", "x", "__MACOSX/1.2C.pdf", "x", "1.1P again.pdf", aPDF, "sheets/", ""))).status(201).is(`{
			"success":[{"row":"sheets/1.1P Hello.pdf","message":"Became the task sheet of 1.1P."},
				{"row":"1.1P-resources.zip","message":"Became the resources of 1.1P."},
				{"row":"1.1.pdf","message":"Became the task sheet of 1.1."}],
			"errors":[{"row":"1.2C.PDF","message":"The file is not a PDF, or it is incomplete."},
				{"row":"1.10.pdf","message":"No task of this unit has an abbreviation the name begins with."},
				{"row":"1.1P again.pdf","message":"Another file of this archive already took that place."}],
			"ignored":[{"row":"notes.txt","message":"Only .pdf and .zip files are taken."},
				{"row":"__MACOSX/1.2C.pdf","message":"Only .pdf and .zip files are taken."}]}`)
		again := w.do("convenor", "POST "+defA+"/task_pdfs", plan).status(201).Body.String()
		if !strings.Contains(again, "Becomes the task sheet of 1.1P. Replaces the one it has.") {
			t.Error(again)
		}
		if got := w.do("student", "GET "+defA+"/{defA1}/task_pdf", nil).status(200).Body.String(); got != aPDF {
			t.Errorf("%q", got)
		}
		w.do("student", "GET "+defA+"/{defA2}/task_pdf", nil).status(404)
		w.do("student", "GET "+defA+"/{defA1}/task_resources", nil).status(200)
	})
}

func TestDefinitionSheets(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		got := w.do("tutor", "GET /api/csv/task_definitions?unit_id={unitA}", nil).status(200)
		if d := got.Header().Get("Content-Disposition"); d != `attachment; filename=SIT10A-Tasks.csv` {
			t.Error(d)
		}
		sheet := strings.Replace(got.Body.String(), "Task 1.1P,1.1P", "Renamed,1.1P", 1)
		for _, dry := range []string{"true", "false"} {
			report := w.do("convenor", "POST /api/csv/task_definitions", aFile("t.csv", sheet, "unit_id",
				fmt.Sprint(w.id["unitA"]), "dry_run", dry)).status(201).object()
			if len(report["success"].([]any)) != 1 || len(report["ignored"].([]any)) != 1 {
				t.Errorf("%v", report)
			}
			if n := w.count("task_definitions WHERE name = 'Renamed'"); (n == 1) != (dry == "false") {
				t.Errorf("dry run %s: %d renamed", dry, n)
			}
		}
		w.do("convenor", "POST /api/csv/task_definitions?unit_id={unitA}",
			aFile("t.csv", "name\nx\n")).status(400).says("abbreviation")
		w.do("convenor", "POST /api/csv/task_definitions?unit_id={unitA}", aFile("t.csv", aPDF)).status(415)
		w.do("convenor", "POST /api/csv/task_definitions", aFile("t.csv", sheet)).status(400).says("unit_id")
		w.do("convenor", "GET /api/csv/task_definitions", nil).status(400)
	})
}

// Many tasks move by teaching weeks: a plan tells and changes nothing, and where the target of one is no
// longer what was seen, none moves. A copy has all that a task has but its names.
func TestDefinitionsMoveAndAreDuplicated(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		shift := func(text string) *answered { return w.do("convenor", "POST "+defA+"/shift", named(w, text)) }
		was := w.do("convenor", "GET "+defA+"/{defA1}", nil).status(200).object()["target_date"].(string)
		plan := shift(`{"weeks":1,"dry_run":true,"tasks":[{"id":«defA1»},{"id":«defA2»}]}`).status(200).Body.String()
		for _, part := range []string{`"problems":[`, `"from":{"start_date":`, was} {
			if !strings.Contains(plan, part) {
				t.Errorf("the plan lacks %s: %s", part, plan)
			}
		}
		w.do("convenor", "GET "+defA+"/{defA1}", nil).has(`{"target_date":"` + was + `"}`)
		shift(`{"weeks":1,"tasks":[{"id":«defA1»,"target_date":"2001-01-01"},{"id":«defA2»}]}`).status(409).
			says("in the meantime")
		shift(`{"weeks":1,"tasks":[{"id":«defA1»,"target_date":"` + was + `"},{"id":«defA2»}]}`).status(200)
		if now := w.do("convenor", "GET "+defA+"/{defA1}", nil).object()["target_date"]; now == was {
			t.Errorf("the task still has its target on %s", now)
		}
		shift(`{"weeks":-1,"tasks":[{"id":«defA1»}]}`).status(200)
		w.do("convenor", "GET "+defA+"/{defA1}", nil).has(`{"target_date":"` + was + `"}`)
		shift(`{"weeks":0,"tasks":[{"id":«defA1»}]}`).status(422).says("weeks")
		shift(`{"weeks":1,"tasks":[]}`).status(422)
		shift(`{"weeks":1,"tasks":[{"id":«defB1»}]}`).status(404)
		w.do("convenor", "POST "+defA+"/{defA1}/task_sheet", aFile("a.pdf", aPDF)).status(200)
		for _, end := range []string{" copy", " copy 2"} {
			made := w.do("convenor", "POST "+defA+"/{defA1}/duplicate", nil).status(201).object()
			if !strings.HasSuffix(made["name"].(string), end) || !strings.HasSuffix(made["abbreviation"].(string), end) ||
				made["has_task_sheet"] != true || made["target_date"] != was {
				t.Errorf("the copy is %v", made)
			}
		}
	})
}
