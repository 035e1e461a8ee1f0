package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const meanProgram = "class A { int total(int[] xs) { int sum = 0; for (int x : xs) { sum += x; }" +
	" return sum / xs.length; } }"

// submissions lays out a folder: two copies, one of them renamed and in a
// folder of its own, and a work that is something else.
func submissions(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	renamed := strings.NewReplacer("sum", "alles", "xs", "werte", "total", "mittel").Replace(meanProgram)
	for name, text := range map[string]string{
		"anna.java": meanProgram, "berta/src/Main.java": renamed, "berta/logo.png": "\x89PNG\x00", ".git/x": "x",
		"clara.java": "class B { static boolean odd(long n) { return (n & 1) == 1 && n > 0; } String name = " +
			"\"none\"; }",
		"empty.bin": "\x00\x00",
	} {
		path := filepath.Join(dir, "work", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// similarity runs the command in the folder above the submissions.
func similarity(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	c := command(t, append([]string{"similarity", "work"}, args...)...)
	c.Dir = dir
	out, err := c.Output()
	return string(out), err
}

func TestSimilarityAsJSON(t *testing.T) {
	out, err := similarity(t, submissions(t), "--format", "json")
	if err != nil {
		t.Fatal(err)
	}
	var pairs []struct {
		Left, Right string
		Pct         int
		Score       float64
		Flagged     bool
	}
	if err := json.Unmarshal([]byte(out), &pairs); err != nil || len(pairs) != 3 {
		t.Fatalf("%v: %s", err, out)
	}
	p := pairs[0]
	if p.Left != "work/anna.java" || p.Right != "work/berta" || p.Pct != 100 || !p.Flagged {
		t.Errorf("the best pair is %+v", p)
	}
	for _, p := range pairs[1:] {
		if p.Flagged || p.Pct > 30 {
			t.Errorf("unlike works are rated %+v", p)
		}
	}
}

func TestSimilarityFormats(t *testing.T) {
	dir := submissions(t)
	table, err := similarity(t, dir)
	if err != nil || !strings.Contains(table, "3 works, 3 pairs, 1 to look at.") {
		t.Errorf("%v: %s", err, table)
	}
	out, err := similarity(t, dir, "--format", "csv")
	if rows, bad := csv.NewReader(strings.NewReader(out)).ReadAll(); err != nil || bad != nil || len(rows) != 4 {
		t.Errorf("%v %v: %s", err, bad, out)
	}
	page, err := similarity(t, dir, "--format", "html")
	if err != nil || !strings.Contains(page, "<mark") || !strings.Contains(page, "src/Main.java") {
		t.Errorf("%v: %.300s", err, page)
	}
}

func TestSimilarityTakesTheTemplateOut(t *testing.T) {
	dir := submissions(t)
	if err := os.WriteFile(filepath.Join(dir, "given.java"), []byte(meanProgram), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := similarity(t, dir, "--template", "given.java", "--format", "csv")
	if err != nil || strings.Contains(out, "true") || !strings.Contains(out, "work/anna.java,work/berta,0,0.0,false") {
		t.Errorf("%v: %s", err, out)
	}
}

func TestSimilaritySaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	for want, args := range map[string][]string{
		"cannot be read":         {"similarity", filepath.Join(dir, "none")},
		"comparing takes two":    {"similarity", dir},
		"cobol is not known":     {"similarity", submissions(t) + "/work", "--language", "cobol"},
		"must be one of":         {"similarity", dir, "--format", "xml"},
		"template cannot be":     {"similarity", submissions(t) + "/work", "--template", filepath.Join(dir, "none")},
		"Measure the comparison": {"similarity-bench", "--help"},
	} {
		if out, _ := run(t, args...); !strings.Contains(out, want) {
			t.Errorf("%v says %s", args, out)
		}
	}
}
