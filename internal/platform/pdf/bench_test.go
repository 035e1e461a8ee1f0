package pdf

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkSubmission is 500 lines of highlighted code and a 20-page PDF made
// into one document: under 300 ms of one core, and little memory over its input.
func BenchmarkSubmission(b *testing.B) {
	code, upload := []byte(someCode(500)), somePDF(20)
	doc := testDocument(
		Section{Cover: testCover()},
		Section{Title: "Code", File: bytesFile("main.go", Code, code)},
		Section{Title: "Essay", File: bytesFile("essay.pdf", PDF, upload)},
	)
	benchDocument(b, doc, int64(len(code)+len(upload)), 300*time.Millisecond)
	b.Logf("on the same listing and PDF pdflatex takes %s, typst %s", latexTime(b, code, upload),
		typstTime(b, code, upload))
}

// BenchmarkPortfolio is a portfolio of 200 pages: under 3 s.
func BenchmarkPortfolio(b *testing.B) { benchPortfolio(b, 16, 3*time.Second) }

// BenchmarkLargePortfolio is one of 60 tasks and over 700 pages: under 5 s.
func BenchmarkLargePortfolio(b *testing.B) { benchPortfolio(b, 60, 5*time.Second) }

// benchPortfolio makes a portfolio of tasks, each with its page of alignments
// and comments and its document of ours.
func benchPortfolio(b *testing.B, tasks int, limit time.Duration) {
	task, _ := render(b, testDocument(
		Section{Cover: testCover()},
		Section{Title: "Code", File: bytesFile("main.go", Code, []byte(someCode(300)))},
		Section{Title: "Essay", File: bytesFile("essay.pdf", PDF, somePDF(5))},
	), Limits{})
	sections := []Section{{Cover: testCover()}, {Contents: true}}
	comments := Table{Title: "Comments", Head: []string{"Date", "Author", "Comment"}, Widths: []float64{1, 1, 4}}
	for range 20 {
		comments.Rows = append(comments.Rows, []Cell{{Text: "2 Mar 2026"}, {Text: "Zoë Ångström, 小龙 李"},
			{Text: "Good work; **please** explain the loop in your own words and hand it in again.", Markdown: true}})
	}
	for i := range tasks {
		name := fmt.Sprintf("%d.%dP Task", i/6+1, i%6+1)
		work := bytesFile(name+".pdf", PDF, task)
		work.Ours = true
		sections = append(sections,
			Section{Title: name, Body: []Block{Para("What was asked."), Grid(comments)}},
			Section{Title: "Submission", Level: 1, File: work})
	}
	benchDocument(b, testDocument(sections...), int64(tasks*len(task)), limit)
}

func benchDocument(b *testing.B, doc Document, input int64, limit time.Duration) {
	b.Helper()
	var last Result
	var rss int64
	var cpu time.Duration
	b.ResetTimer()
	for b.Loop() {
		var out bytes.Buffer
		res, err := Render(context.Background(), doc, &out, Limits{})
		if err != nil {
			b.Fatal(err)
		}
		if len(res.Notes) > 0 {
			b.Fatalf("notes %+v", res.Notes)
		}
		last, rss, cpu = res, max(rss, res.MaxRSS), cpu+res.CPU
	}
	cpu /= time.Duration(b.N)
	b.ReportMetric(float64(cpu.Milliseconds()), "cpu-ms/op")
	b.ReportMetric(float64(rss)/1e6, "MB-rss")
	b.ReportMetric(float64(input)/1e6, "MB-input")
	b.ReportMetric(float64(last.Pages), "pages")
	if cpu > limit {
		b.Errorf("%v of one core, at most %v wanted", cpu, limit)
	}
	if over := rss - input; over > 100<<20 {
		b.Errorf("a child took %d MB over its input, at most 100 wanted", over>>20)
	}
}

// BenchmarkChildStart is the price of a process for each document.
func BenchmarkChildStart(b *testing.B) {
	for b.Loop() {
		w := &worker{dir: b.TempDir(), limits: Limits{}.orDefaults()}
		if _, err := w.do(context.Background(), request{}, time.Minute); err != nil {
			b.Fatal(err)
		}
		w.stop()
	}
}

// BenchmarkPhoto is a photograph of 12 million pixels, scaled to the page.
func BenchmarkPhoto(b *testing.B) {
	data := testPNGFlat(4000, 3000)
	out := filepath.Join(b.TempDir(), "x")
	for b.Loop() {
		if _, err := readImage(data, out, 50_000_000); err != nil {
			b.Fatal(err)
		}
	}
}

// latexTime tells how long the usual tool takes, where there is one.
func latexTime(b *testing.B, code, essay []byte) string {
	return toolTime(b, code, essay, "doc.tex", `\documentclass{article}`+
		`\usepackage{listings}\usepackage{pdfpages}\begin{document}`+
		`\lstinputlisting[language=C,numbers=left,breaklines]{code.txt}\includepdf[pages=-]{essay.pdf}\end{document}`,
		"pdflatex", "-interaction=batchmode", "doc.tex")
}

// typstTime is the same for a newer one.
func typstTime(b *testing.B, code, essay []byte) string {
	return toolTime(b, code, essay, "doc.typ", `#raw(read("code.txt"), lang: "go", block: true)`+"\n"+
		`#for n in range(20) { image("essay.pdf", page: n + 1) }`, "typst", "compile", "doc.typ")
}

func toolTime(b *testing.B, code, essay []byte, name, source, tool string, args ...string) string {
	path, err := exec.LookPath(tool)
	if err != nil {
		return "no time, as it is not installed"
	}
	dir := b.TempDir()
	for file, data := range map[string][]byte{"code.txt": code, "essay.pdf": essay, name: []byte(source)} {
		if err := os.WriteFile(filepath.Join(dir, file), data, 0o600); err != nil {
			return err.Error()
		}
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = dir
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return "no time, as it failed: " + err.Error()
	}
	return time.Since(start).Round(time.Millisecond).String()
}
