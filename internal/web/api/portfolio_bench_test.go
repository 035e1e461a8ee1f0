package api

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lectern/internal/platform/jobs"
	"lectern/internal/teaching/portfolio"
)

// BenchmarkCompilePortfolio is a portfolio of 60 tasks, each with a document of
// code and a report and twenty comments: under 5 s of one core.
func BenchmarkCompilePortfolio(b *testing.B) {
	w := newWorld(b, "sqlite")
	w.asks("code", "document")
	source := part{"file0", "main.go", strings.Repeat("// a comment\nfunc main() { fmt.Println(\"Zoë\", 1+2) }\n", 150)}
	w.do("student", "POST "+submission, upload{files: []part{source, {"file1", "report.pdf", samplePDF()}}}).status(201)
	w.made()
	w.manyWorks(60)
	w.do("student", "POST "+portfolioPath, evidence("LearningSummaryReport", "document", "lsr.pdf",
		samplePDF())).status(201)
	var spent time.Duration
	for b.Loop() {
		w.do("student", "PUT /api/projects/{project:student}", form{"compile_portfolio": "true"}).status(200)
		began := time.Now()
		if err := w.press().Compile(b.Context(), jobs.Job{Attempt: 1, MaxAttempts: 1},
			portfolio.Args{ProjectID: w.id["project:student"]}); err != nil {
			b.Fatal(err)
		}
		spent += time.Since(began)
	}
	got := w.do("student", "GET "+portfolioPath, nil).status(200)
	if dir := os.Getenv("LECTERN_TEST_KEEP"); dir != "" {
		_ = os.WriteFile(filepath.Join(dir, "portfolio60.pdf"), got.Body.Bytes(), 0o600)
	}
	b.ReportMetric(float64(got.Body.Len())/1e6, "MB-out")
	if each := spent / time.Duration(b.N); each > 5*time.Second {
		b.Errorf("%v, at most 5 s wanted", each)
	}
}

// manyWorks gives the student n tasks in all with the document of the first.
func (w *world) manyWorks(n int) {
	w.Helper()
	now := w.db.Now()
	states := []string{"complete", "discuss", "fix_and_resubmit", "ready_for_feedback", "fail", "working_on_it"}
	for i := 2; i < n; i++ {
		abbr := fmt.Sprintf("%d.%dP", i/6+2, i%6+1)
		d := w.add("", "task_definitions", row{"unit_id": w.id["unitA"], "name": "Explore topic " + abbr,
			"abbreviation": abbr, "description": "Write a program about it, and explain in a page what you have " +
				"learned.",
			"weighting": 2, "target_grade": i % 4, "start_date": w.monday().AddDays(i),
			"target_date": w.monday().AddDays(i + 7)})
		t := w.add("", "tasks", row{"project_id": w.id["project:student"], "task_definition_id": d,
			"unit_id": w.id["unitA"], "status": states[i%len(states)],
			"times_assessed": i % 3, "submission_date": now, "created_at": now, "updated_at": now})
		w.set(`INSERT INTO submission_tasks (task_id, at, submission_id, pct, pts) SELECT $1, at, submission_id, pct,
			pts FROM submission_tasks WHERE task_id = $2`, t, w.id["task"])
		w.add("", "learning_outcome_links", row{"task_definition_id": d, "learning_outcome_id": w.id["outcomeA"],
			"task_id": t, "rating": i%5 + 1, "description": "Shows that I can think."})
		w.fill("task_comments", 0, 20, func(k int) row {
			return row{"task_id": t, "unit_id": w.id["unitA"], "user_id": w.id[[]string{"student", "tutor"}[k%2]],
				"recipient_id": w.id["tutor"], "type": "text",
				"comment":    "Good work; please explain the loop in your own words and hand it in again.",
				"created_at": now}
		})
	}
}
