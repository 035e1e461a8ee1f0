package api

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
	"lectern/internal/teaching/portfolio"
	"lectern/internal/teaching/submit"
)

const (
	portfolioPath = "/api/submission/project/{project:student}/portfolio"
	portfolioAny  = "/api/submission/project/{id}/portfolio"
)

var _ = rights(
	rightRow{"GET " + portfolioAny, portfolioPath, readersA, nil},
	rightRow{"POST " + portfolioAny, portfolioPath, readersA,
		upload{fields: map[string]string{"name": "Other", "kind": "code"},
			files: []part{{"file0", "a.py", "print(1)\n"}}}},
	rightRow{"DELETE " + portfolioAny, portfolioPath, readersA, nil},
	rightRow{"GET /api/submission/unit/{id}/portfolio", "/api/submission/unit/{unitA}/portfolio", staffA, nil},
	rightRow{"GET /api/submission/unit/{id}/task_definitions/{task_def_id}/download_submissions",
		"/api/submission/unit/{unitA}/task_definitions/{defA1}/download_submissions", staffA, nil},
	rightRow{"GET /api/submission/unit/{id}/task_definitions/{task_def_id}/student_pdfs",
		"/api/submission/unit/{unitA}/task_definitions/{defA1}/student_pdfs", staffA, nil},
)

// evidence is a file for a portfolio.
func evidence(name, kind, file, content string) upload {
	return upload{fields: map[string]string{"name": name, "kind": kind}, files: []part{{"file0", file, content}}}
}

func (w *world) press() *portfolio.Compiler {
	return &portfolio.Compiler{DB: w.db, Files: w.api.files, Institution: "Test University"}
}

// compiled runs the jobs that compile portfolios, as far as they were asked for.
func (w *world) compiled() {
	w.Helper()
	ids, err := db.All[int64](w.Context(), w.db.Pool(), `SELECT id FROM projects WHERE compile_portfolio ORDER BY id`)
	for _, id := range ids {
		if err == nil {
			err = w.press().Compile(w.Context(), jobs.Job{Attempt: 1, MaxAttempts: 9}, portfolio.Args{ProjectID: id})
		}
	}
	if err != nil {
		w.Fatal(err)
	}
}

func TestPortfolioFiles(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		add := func(want int, u upload) *answered { return w.do("student", "POST "+portfolioPath, u).status(want) }
		add(201, evidence("Other", "code", "../../x/../hello.py",
			"print('hi')\n")).is(`{"file_name":"hello.py","file_kind":"code",
			"file_path":"001-code-hello.py","kind":"code","name":"hello.py","idx":1}`)
		add(201, evidence("My picture", "image", "p.PNG",
			smallPNG)).is(`{"file_name":"My picture.PNG","file_kind":"image",
			"file_path":"002-image-My_picture.PNG","kind":"image","name":"My picture.PNG","idx":2}`)
		w.set(`UPDATE projects SET uses_draft_learning_summary = TRUE`)
		report := `{"file_name":"LearningSummaryReport.pdf","file_kind":"document","file_path":"000-document-LearningSummaryReport.pdf",
			"kind":"document","name":"LearningSummaryReport.pdf","idx":0}`
		add(201, evidence("LearningSummaryReport", "document", "mine.pdf", samplePDF())).is(report)
		add(201, evidence("LearningSummaryReport", "document", "mine.pdf", aPDF)).is(report)
		w.do("tutor", "POST "+portfolioPath, evidence("a\u202eb/\x07c", "code", "c.txt", "text")).status(201)
		p := w.do("student", "GET /api/projects/{project:student}", nil).status(200).object()
		if p["uses_draft_learning_summary"] != false {
			t.Error("a report of their own leaves the draft in use")
		}
		want := `[map[idx:0 kind:document name:LearningSummaryReport.pdf] map[idx:1 kind:code name:hello.py] map[idx:2 kind:image name:My picture.PNG] map[idx:3 kind:code name:c.txt]]`
		if got := fmt.Sprint(p["portfolio_files"]); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
		w.do("student", "DELETE "+portfolioPath+"?idx=2&kind=image", nil).status(400)
		w.do("student", "DELETE "+portfolioPath+"?idx=2&kind=code&name=My%20picture.PNG", nil).status(404)
		w.do("student", "DELETE "+portfolioPath, map[string]any{"idx": 2, "kind": "image",
			"name": "My picture.PNG"}).status(204)
		add(201, evidence("Other", "code", "d.txt", "x"))
		if got := w.rows(`SELECT CAST(idx AS TEXT) FROM portfolio_files ORDER BY idx`); !slices.Equal(got,
			[]string{"0", "1", "3", "4"}) {
			t.Errorf("the files are numbered %v", got)
		}
	})
}

func TestPortfolioFilesRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, c := range []struct {
			name string
			want int
			u    upload
		}{
			{"no kind", 400, evidence("x", "", "a", "b")},
			{"another kind", 400, evidence("x", "cover", "a.pdf", aPDF)},
			{"no file", 400, upload{fields: map[string]string{"name": "x", "kind": "code"}}},
			{"no name", 400, upload{fields: map[string]string{"kind": "code"}, files: []part{{"file0", "a", "b"}}}},
			{"empty", 415, evidence("x", "code", "a.py", "")},
			{"no PDF", 415, evidence("x", "document", "a.pdf", "hello")},
			{"half a PDF", 415, evidence("x", "document", "a.pdf", "%PDF-1.7\nhello")},
			{"a page as an image", 415, evidence("x", "image", "a.png", "<html>")},
			{"binary as code", 415, evidence("x", "code", "a.py", "MZ\x00\x01\x02")},
			{"dots for a name", 422, evidence("..", "code", "..", "x")},
			{"a long name", 422, evidence(strings.Repeat("n", 300), "code", "a", "x")},
			{"large", 413, evidence("x", "code", "a.py", strings.Repeat("x", portfolio.MaxFile+1))},
		} {
			if got := w.do("student", "POST "+portfolioPath, c.u); got.Code != c.want {
				t.Errorf("%s: got %d, want %d: %s", c.name, got.Code, c.want, got.Body)
			}
		}
		hash := w.portfolioBlob("x")
		for i := 1; i <= 50; i++ {
			w.set(`INSERT INTO portfolio_files (project_id, idx, kind, name, hash, size, created_at)
				VALUES ($1, $2, 'code', 'x', $3, 1, $4)`,
				w.id["project:student"], i, hash, w.db.Now())
		}
		w.do("student", "POST "+portfolioPath, evidence("x", "code", "a.py", "x")).status(409).says("50")
		w.do("student", "POST "+portfolioPath, evidence("LearningSummaryReport", "document", "a.pdf", aPDF)).status(201)
	})
}

// portfolioBlob stores a file.
func (w *world) portfolioBlob(content string) string {
	w.Helper()
	info, err := w.api.files.Put(w.Context(), strings.NewReader(content))
	if err != nil {
		w.Fatal(err)
	}
	w.set(`INSERT INTO blobs (hash, size, touched_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, string(info.Hash),
		info.Size, w.db.Now())
	return string(info.Hash)
}

// pdfText reads a PDF with the usual tools, which must not complain.
func pdfText(t testing.TB, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.pdf")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if dir := os.Getenv("LECTERN_TEST_KEEP"); dir != "" {
		_ = os.WriteFile(filepath.Join(dir, strings.ReplaceAll(t.Name(), "/", "-")+".pdf"), data, 0o600)
	}
	for _, check := range [][]string{{"qpdf", "--check", path}, {"pdftotext", "-layout", path, "-"}} {
		program, err := exec.LookPath(check[0])
		if err != nil {
			if os.Getenv("LECTERN_TEST_REQUIRE") == "1" {
				t.Fatal(err)
			}
			t.Skipf("%s is not installed", check[0])
		}
		out, err := exec.Command(program, check[1:]...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v %s", check[0], err, out)
		}
		if check[0] == "pdftotext" {
			return string(out)
		}
	}
	return ""
}

func TestCompilePortfolio(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code")
		w.do("student", "GET "+portfolioPath, nil).status(404)
		w.do("student", "POST "+submission, upload{files: []part{code}}).status(201)
		w.made()
		w.do("tutor", "PUT "+ownTask, form{"trigger": "complete"}).status(200)
		w.do("tutor", "POST "+ownTask+"/comments", form{"comment": "A **fine** piece of work, Αλφα."}).status(201)
		w.do("student", "POST /api/projects/{project:student}/task_def_id/{defA2}/comments",
			form{"comment": "小龙 asks about `loops`"}).status(201)
		w.add("", "learning_outcome_links", row{"task_definition_id": w.id["defA1"],
			"learning_outcome_id": w.id["outcomeA"], "task_id": w.id["task"], "rating": 4, "description": "I thought"})
		w.do("student", "POST "+portfolioPath, evidence("LearningSummaryReport", "document", "lsr.pdf",
			samplePDF())).status(201)
		w.do("student", "POST "+portfolioPath, evidence("Other", "code", "extra.py", "print('extra')\n")).status(201)
		w.do("student", "PUT /api/projects/{project:student}", form{"submitted_grade": "2",
			"compile_portfolio": "true"}).status(200)
		if n := w.count(`jobs WHERE kind = 'portfolio' AND state = 'available'`); n != 1 {
			t.Fatalf("%d jobs", n)
		}
		w.do("student", "PUT /api/projects/{project:student}", form{"compile_portfolio": "true"}).status(200)
		if n := w.count(`jobs WHERE kind = 'portfolio'`); n != 1 {
			t.Errorf("asking twice makes %d jobs", n)
		}
		w.compiled()
		p := w.do("student", "GET /api/projects/{project:student}", nil).status(200).object()
		if p["portfolio_available"] != true || p["compile_portfolio"] != false {
			t.Errorf("available %v, to be compiled %v", p["portfolio_available"], p["compile_portfolio"])
		}
		got := w.do("tutor", "GET "+portfolioPath+"?as_attachment=true", nil).status(200)
		if h := got.Header().Get("Content-Disposition"); !strings.Contains(h,
			`attachment; filename=SIT10A-student-portfolio.pdf`) {
			t.Error(h)
		}
		w.do("student", "PUT /api/projects/{project:student}", form{"submitted_grade": "1"}).status(409)
		if n := w.count(`events WHERE kind = 'portfolio' AND user_id = $1 AND body LIKE '%ready%'`,
			w.id["student"]); n != 1 {
			t.Errorf("%d events", n)
		}
		text := pdfText(t, got.Body.Bytes())
		oneNumbering(t, text)
		for _, part := range []string{"Page 1 of a report", "Portfolio Submission", "Student Person", "Distinction",
			"Contents", "Overall Task Status",
			"Complete", "Not Started", "Learning Outcomes", "Think well", "I thought", "Additional Files",
			"print('extra')",
			"1.1P Task 1.1P", "Do 1.1P", "A fine piece of work, Αλφα.", "print('hi')"} {
			at := strings.Index(text, part)
			if at < 0 {
				t.Errorf("the portfolio does not say %q after what comes before it", part)
				continue
			}
			if part != "Complete" && part != "Distinction" {
				text = text[at:]
			}
		}
		w.do("student", "DELETE "+portfolioPath, nil).status(204)
		w.do("student", "GET "+portfolioPath, nil).status(404)
		w.do("student", "PUT /api/projects/{project:student}", form{"submitted_grade": "1"}).status(200)
	})
}

// oneNumbering checks that every page of a portfolio has its number and no
// other, and that what the contents say of the learning summary and of a task
// without files is true.
func oneNumbering(t *testing.T, text string) {
	t.Helper()
	pages := strings.Split(strings.TrimSuffix(text, "\f"), "\f")
	for i, page := range pages {
		numbers := regexp.MustCompile(`Page \d+ of \d+`).FindAllString(page, -1)
		if want := fmt.Sprintf("Page %d of %d", i+1, len(pages)); len(numbers) != 1 || numbers[0] != want {
			t.Errorf("page %d is numbered %q", i+1, numbers)
		}
	}
	for _, c := range []struct{ title, shows string }{
		{"Learning Summary Report", "Page 1 of a report"}, {"1.2C Task 1.2C", "小龙 asks about loops"},
	} {
		m := regexp.MustCompile(`(?m)^\s*` + c.title + `\s+(\d+)$`).FindStringSubmatch(text)
		if m == nil {
			t.Errorf("the contents do not list %s", c.title)
			continue
		}
		if n, _ := strconv.Atoi(m[1]); n < 1 || n > len(pages) || !strings.Contains(pages[n-1], c.shows) {
			t.Errorf("%s is not on page %s", c.title, m[1])
		}
	}
}

// What changes while a portfolio is compiled is in it all the same; one that is
// no longer wanted is not made.
func TestWhatChangesDuringACompilationIsInIt(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ask := func(f form) { w.do("student", "PUT /api/projects/{project:student}", f).status(200) }
		compile := func(j jobs.Job) error {
			return w.press().Compile(t.Context(), j, portfolio.Args{ProjectID: w.id["project:student"]})
		}
		ask(form{"compile_portfolio": "true"})
		ask(form{"compile_portfolio": "false"})
		w.compiled()
		w.do("student", "GET "+portfolioPath, nil).status(404)

		w.asks("code")
		w.do("student", "POST "+submission, upload{files: []part{code}}).status(201)
		ask(form{"compile_portfolio": "true"})
		if err := compile(jobs.Job{Attempt: 1, MaxAttempts: 1}); err == nil {
			t.Error("compiled before the document of a submission was made")
		}
		w.made()
		w.set(`UPDATE projects SET portfolio_asked_at = NULL`)
		w.compiled()
		w.do("student", "GET "+portfolioPath, nil).status(200)

		// A file the store has lost: after the last try the student hears of it.
		w.set(`INSERT INTO blobs (hash, size, touched_at) VALUES ('gone', 1, $1)`, w.db.Now())
		w.set(`INSERT INTO portfolio_files (project_id, idx, kind, name, hash, size, created_at)
			VALUES ($1, 1, 'code', 'x', 'gone', 1, $2)`,
			w.id["project:student"], w.db.Now())
		ask(form{"compile_portfolio": "true"})
		if err := compile(jobs.Job{Attempt: 1, MaxAttempts: 2}); err == nil ||
			w.count(`projects WHERE compile_portfolio`) != 1 {
			t.Errorf("the first try: %v", err)
		}
		if err := compile(jobs.Job{Attempt: 2, MaxAttempts: 2}); err == nil ||
			w.count(`projects WHERE compile_portfolio`) != 0 {
			t.Errorf("the last try: %v", err)
		}
		if n := w.count(`events WHERE kind = 'portfolio' AND body LIKE '%failed%'`); n != 1 {
			t.Errorf("%d events of failure", n)
		}
	})
}

func TestDraftLearningSummary(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("document")
		w.define("is_draft_summary = TRUE")
		made := func() {
			docs := &submit.Documents{DB: w.db, Files: w.api.files, Made: portfolio.Made}
			for _, id := range w.rows(`SELECT CAST(id AS TEXT) FROM submissions WHERE state = 'queued'`) {
				var n int64
				fmt.Sscan(id, &n)
				if err := docs.Make(t.Context(), jobs.Job{Attempt: 1, MaxAttempts: 9},
					submit.DocumentArgs{SubmissionID: n}); err != nil {
					t.Fatal(err)
				}
			}
		}
		files := func() string {
			p := w.do("student", "GET /api/projects/{project:student}", nil).status(200).object()
			return fmt.Sprint(p["uses_draft_learning_summary"], p["portfolio_files"],
				w.count(`portfolio_files f JOIN submissions s ON s.document_hash = f.hash
				WHERE NOT EXISTS (SELECT 1 FROM submissions n WHERE n.id > s.id)`))
		}
		const one = `[map[idx:0 kind:document name:LearningSummaryReport.pdf]]`
		for range 2 {
			w.do("student", "POST "+submission, upload{files: []part{{"file0", "draft.pdf", samplePDF()}}}).status(201)
			made()
			if got := files(); got != "true "+one+" 1" {
				t.Errorf("with a draft: %s", got)
			}
		}
		w.do("student", "POST "+portfolioPath, evidence("LearningSummaryReport", "document", "lsr.pdf",
			aPDF)).status(201)
		w.do("student", "POST "+submission, upload{files: []part{{"file0", "draft.pdf", samplePDF()}}}).status(201)
		made()
		if got := files(); got != "false "+one+" 0" {
			t.Errorf("with a report of their own: %s", got)
		}
		w.do("student", "DELETE "+portfolioPath+"?idx=0&kind=document&name=LearningSummaryReport.pdf", nil).status(204)
		if got := files(); got != "false [] 0" {
			t.Errorf("with nothing: %s", got)
		}
	})
}

func TestGeneratePortfolios(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		today := clock.Day(w.now)
		due := func() []string {
			if _, err := portfolio.Generate(t.Context(), w.db); err != nil {
				t.Fatal(err)
			}
			return w.rows(`SELECT u.username FROM projects p JOIN users u ON u.id = p.user_id
				WHERE p.compile_portfolio AND p.portfolio_auto_generated ORDER BY 1`)
		}
		for _, who := range []string{"student", "mate", "withdrawn"} {
			w.set(`INSERT INTO portfolio_files (project_id, idx, kind, name, hash, size, created_at)
				VALUES ($1, 0, 'document', 'x', $2, 1, $3)`,
				w.id["project:"+who], w.portfolioBlob(aPDF), w.db.Now())
		}
		w.set(`UPDATE projects SET portfolio_produced_at = $2 WHERE id = $1`, w.id["project:mate"], w.db.Now())
		w.set(`UPDATE units SET portfolio_auto_generation_date = $1`, today.AddDays(1))
		if got := due(); len(got) > 0 {
			t.Errorf("a day early: %v", got)
		}
		w.set(`UPDATE units SET portfolio_auto_generation_date = $1`, today)
		for range 2 {
			if got := due(); !slices.Equal(got, []string{"student"}) {
				t.Errorf("on the day: %v", got)
			}
		}
		if n := w.count(`jobs WHERE kind = 'portfolio'`); n != 1 {
			t.Errorf("%d jobs", n)
		}
		if n := w.number(`SELECT coalesce(submitted_grade, -1) FROM projects WHERE id = $1`,
			w.id["project:student"]); n != 1 {
			t.Errorf("claims %d", n)
		}
	})
}

func TestUnitZips(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		names := func(path string) string {
			got := w.do("tutor", "GET /api/submission/unit/"+path, nil).status(200)
			return strings.Join(slices.Sorted(maps.Keys(unzip(t, got.Body.Bytes()))), " ")
		}
		if got := names("{unitA}/portfolio"); got != "" {
			t.Errorf("portfolios of nobody: %s", got)
		}
		w.asks("code", "document")
		hand := func(who string) {
			w.do(who, "POST /api/projects/{project:"+who+"}/task_def_id/{defA1}/submission",
				upload{files: []part{code, {"file1", "R.PDF", samplePDF()}}}).status(201)
		}
		hand("student")
		hand("other")
		hand("other")
		w.made()
		for _, who := range []string{"student", "withdrawn"} {
			w.set(`UPDATE projects SET portfolio_hash = $2 WHERE id = $1`, w.id["project:"+who], w.portfolioBlob(aPDF))
		}
		if got, want := names("{unitA}/portfolio"), "Credit/student-portfolio_(Tutor_Person_(LA1)).pdf"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		const defs = "{unitA}/task_definitions/{defA1}/"
		if got, want := names(defs+"download_submissions"), "1_1P-submissions/other/000-code.py "+
			"1_1P-submissions/other/001-document.pdf "+
			"1_1P-submissions/student/000-code.py 1_1P-submissions/student/001-document.pdf"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if got, want := names(defs+"student_pdfs"), "1_1P-pdfs/other.pdf 1_1P-pdfs/student.pdf"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		w.do("tutor", "GET /api/submission/unit/{unitA}/task_definitions/{defB1}/student_pdfs", nil).status(404)

		w.set(`UPDATE task_definitions SET group_set_id = $2, upload_requirements = (SELECT upload_requirements
			FROM task_definitions WHERE id = $3) WHERE id = $1`,
			w.id["defA2"], w.id["set"], w.id["defA1"])
		w.do("mate", "POST /api/projects/{project:mate}/task_def_id/{defA2}/submission",
			upload{files: []part{code, {"file1", "r.pdf", samplePDF()}}}).status(201)
		w.made()
		if got, want := names("{unitA}/task_definitions/{defA2}/student_pdfs"), "1_2C-pdfs/Red.pdf"; got != want {
			t.Errorf("a group's: got %s, want %s", got, want)
		}
	})
}
