package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"lectern/internal/platform/files"
	"lectern/internal/platform/jobs"
	"lectern/internal/teaching/portfolio"
)

var _ = rights(
	rightRow{"GET " + portfolioAny + "/progress", portfolioPath + "/progress", readersA, nil},
	rightRow{"GET " + portfolioAny + "/summary", portfolioPath + "/summary", readersA, nil},
	rightRow{"PUT " + portfolioAny + "/summary", portfolioPath + "/summary", readersA, form{"text": "I learned."}},
	rightRow{"PUT " + portfolioAny, portfolioPath, readersA, form{"idx": "1", "kind": "code", "name": "x.py",
		"place": "1"}},
	rightRow{"PUT " + portfolioAny + "/tasks", portfolioPath + "/tasks", readersA, form{"excluded": "1"}},
)

// progress gives the state of student's portfolio.
func (w *world) progress() map[string]any {
	w.Helper()
	return w.do("student", "GET "+portfolioPath+"/progress", nil).status(200).object()
}

func TestPortfolioProgress(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ask := func() {
			w.do("student", "PUT /api/projects/{project:student}", form{"compile_portfolio": "true"}).status(200)
		}
		has(t, "at first", w.progress(), map[string]any{"state": "none", "asked_at": nil, "produced_at": nil})
		w.asks("code")
		w.do("student", "POST "+submission, upload{files: []part{code}}).status(201)
		ask()
		has(t, "with a document on its way", w.progress(), map[string]any{"state": "waiting",
			"documents_pending": float64(1), "produced_at": nil})
		w.made()
		has(t, "in line", w.progress(), map[string]any{"state": "queued", "documents_pending": float64(0)})
		w.set(`UPDATE jobs SET state = 'running' WHERE kind = 'portfolio' AND unique_key = $1`,
			fmt.Sprintf("portfolio %d", w.id["project:student"]))
		has(t, "begun", w.progress(), map[string]any{"state": "compiling", "ahead": nil, "failure": nil})
		w.compiled()
		ready := w.progress()
		if has(t, "made", ready, map[string]any{"state": "ready"}); ready["produced_at"] == nil {
			t.Error("no moment of it")
		}
		w.set(`UPDATE jobs SET state = 'done' WHERE kind = 'portfolio'`)
		ask()
		w.giveUp()
		failed := w.progress()
		has(t, "failed", failed, map[string]any{"state": "failed", "produced_at": ready["produced_at"]})
		if why := fmt.Sprint(failed["failure"]); !strings.Contains(why, "Try again") {
			t.Errorf("it failed because %s", why)
		}
		ask()
		has(t, "asked for again", w.progress(), map[string]any{"state": "queued", "failure": nil})
	})
}

var errBroken = errors.New("the disk is full")

// brokenStore keeps nothing.
type brokenStore struct{ files.Store }

func (brokenStore) Put(context.Context, io.Reader) (files.Info, error) {
	return files.Info{}, errBroken
}

// giveUp fails the portfolio of student for the last time: there is nowhere to keep
// it.
func (w *world) giveUp() {
	w.Helper()
	p := w.press()
	p.Files = brokenStore{p.Files}
	err := p.Compile(w.Context(), jobs.Job{Attempt: 3, MaxAttempts: 3},
		portfolio.Args{ProjectID: w.id["project:student"]})
	if !errors.Is(err, errBroken) {
		w.Fatal(err)
	}
}

func TestLearningSummaryTypedIn(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		summary := func() string {
			return fmt.Sprint(w.do("tutor", "GET "+portfolioPath+"/summary", nil).status(200).object()["text"])
		}
		if got := summary(); got != "" {
			t.Errorf("there is %q already", got)
		}
		text := "# What I learned\n\nLoops, <b>mostly</b> 小龙."
		write := func(text string, want int) *answered {
			return w.do("student", "PUT "+portfolioPath+"/summary", form{"text": text}).status(want)
		}
		has(t, "the file", write(text, 200).object(), map[string]any{"idx": float64(0), "kind": "code",
			"name": "LearningSummaryReport.md"})
		write(" \n ", 422).says("learning summary")
		write(strings.Repeat("x", 50_001), 422).says("50000")
		if got := summary(); got != text {
			t.Errorf("it says %q", got)
		}
		w.do("student", "PUT /api/projects/{project:student}", form{"compile_portfolio": "true"}).status(200)
		w.compiled()
		made := pdfText(t, w.do("student", "GET "+portfolioPath, nil).status(200).Body.Bytes())
		if !strings.Contains(made, "What I learned") || strings.Contains(made, "# What") {
			t.Errorf("the portfolio says %s", made)
		}
		w.do("student", "POST "+portfolioPath, evidence("LearningSummaryReport", "document", "lsr.pdf",
			samplePDF())).status(201)
		if got := summary(); got != "" {
			t.Errorf("a PDF took its place, and it still says %q", got)
		}
		if n := w.count(`portfolio_files`); n != 1 {
			t.Errorf("%d files", n)
		}
	})
}

func TestOrderOfPortfolioFiles(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		order := func() string {
			return strings.Join(w.rows(`SELECT idx || ' ' || name FROM portfolio_files ORDER BY idx`), ", ")
		}
		w.do("student", "PUT "+portfolioPath+"/summary", form{"text": "I learned."}).status(200)
		for _, name := range []string{"a", "b", "c", "d"} {
			w.do("student", "POST "+portfolioPath, evidence("Other", "code", name+".py", name)).status(201)
		}
		w.do("student", "DELETE "+portfolioPath+"?idx=2&kind=code&name=b.py", nil).status(204)
		move := func(idx, name, place string, want int) *answered {
			return w.do("student", "PUT "+portfolioPath, form{"idx": idx, "kind": "code", "name": name,
				"place": place}).status(want)
		}
		list := move("4", "d.py", "1", 200).object()["portfolio_files"].([]any)
		has(t, "the file moved", list[1].(map[string]any), map[string]any{"name": "d.py", "idx": float64(1)})
		if got := order(); got != "0 LearningSummaryReport.md, 1 d.py, 2 a.py, 3 c.py" {
			t.Error(got)
		}
		move("1", "d.py", "2", 200)
		move("1", "a.py", "99", 200)
		move("3", "a.py", "3", 200)
		if got := order(); got != "0 LearningSummaryReport.md, 1 d.py, 2 c.py, 3 a.py" {
			t.Error(got)
		}
		move("2", "a.py", "1", 404)
		move("0", "LearningSummaryReport.md", "1", 422)
		if n := w.count(`portfolio_files WHERE idx > 3`); n != 0 {
			t.Errorf("%d files are out of place", n)
		}
	})
}

func TestTasksInAPortfolio(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.task("student", "defA1", nil)
		w.task("student", "defA2", nil)
		w.task("mate", "defA1", nil)
		out := func() int64 { return w.count(`tasks WHERE NOT include_in_portfolio`) }
		choose := func(f map[string]any, want int) *answered {
			return w.do("student", "PUT "+portfolioPath+"/tasks", f).status(want)
		}
		a, b := w.id["defA1"], w.id["defA2"]
		has(t, "two left out", choose(map[string]any{"excluded": []int64{a, b, 4711}}, 200).object(),
			map[string]any{"changed": float64(2)})
		if out() != 2 {
			t.Errorf("%d tasks are left out", out())
		}
		has(t, "one comes back", choose(map[string]any{"included": []int64{a}, "excluded": []int64{b}}, 200).object(),
			map[string]any{"changed": float64(1)})
		choose(map[string]any{"included": []int64{a}, "excluded": []int64{a}}, 422)
		choose(map[string]any{}, 400)
		if out() != 1 {
			t.Errorf("%d tasks are left out", out())
		}
	})
}
