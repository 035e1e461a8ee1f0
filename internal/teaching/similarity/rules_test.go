package similarity

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"lectern/internal/ground/clock"
	"lectern/internal/people/access"
	"lectern/internal/teaching/similarity/engine"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/taskdef"
)

// Code is compared as one part by the task's own threshold, each document by its own.
func TestThresholdsOfParts(t *testing.T) {
	list := taskdef.Requirements{{Key: "file0"}, {Key: "file1", TiiPct: new(int64(60))}, {Key: "file2"}}
	for part, want := range map[string]int{codePart: 25, documentPart("file1"): 60,
		documentPart("file2"): defaultDocumentPct, documentPart("gone"): defaultDocumentPct} {
		if got := thresholdPct(part, list, 25); got != want {
			t.Errorf("%s: %d, want %d", part, got, want)
		}
	}
	for kind, want := range map[taskdef.UploadKind]string{taskdef.Code: codePart, taskdef.Document: "document/file3",
		taskdef.Image: ""} {
		part := partOf(submit.File{Kind: kind, Key: "file3"})
		if part != want {
			t.Errorf("%s: %q, want %q", kind, part, want)
		}
		if kind == taskdef.Document && fileOf(part) != "file3" {
			t.Errorf("people know it as %q", fileOf(part))
		}
	}
}

// Files of one submission are told apart by name, whatever the sender called them.
func TestFilesAreToldApart(t *testing.T) {
	names := []string{"", "main.py", "a/main.py", "file0/main.py", "file1/"}
	rapid.Check(t, func(r *rapid.T) {
		var list []submit.File
		for i := range rapid.IntRange(1, 5).Draw(r, "files") {
			list = append(list, submit.File{Key: fmt.Sprint("file", i), Name: rapid.SampledFrom(names).Draw(r, "name"),
				Title: rapid.SampledFrom([]string{"", "Main", "file1"}).Draw(r, "title")})
		}
		got := distinct(list)
		slices.Sort(got)
		if len(slices.Compact(slices.Clone(got))) != len(list) {
			r.Fatalf("%+v are called %q", list, got)
		}
	})
}

// The name of a file tells its language; where it does not, the task does.
func TestLanguagesOfFiles(t *testing.T) {
	for _, c := range []struct {
		file submit.File
		task string
		want engine.Language
	}{
		{submit.File{Kind: taskdef.Code, Name: "a.py"}, "moss java", engine.Python},
		{submit.File{Kind: taskdef.Code, Name: "a"}, "moss java", engine.Java},
		{submit.File{Kind: taskdef.Code, Name: "a"}, "", engine.Generic},
		{submit.File{Kind: taskdef.Document, Name: "a.py"}, "moss java", engine.Words},
	} {
		if got := languageOf(c.file, c.task); got != c.want {
			t.Errorf("%+v, %q: %v, want %v", c.file, c.task, got, c.want)
		}
	}
}

// gathered is three students: 1 and 2 in the caller's unit 1, 3 in unit 2. Submission n is
// of student n, handed in on day n; submission 4 is an earlier version of student 1's.
func gathered(who int64, named ...int64) *gathering {
	day := func(n int) clock.Time { return clock.At(time.Date(2026, 3, n, 9, 0, 0, 0, time.UTC)) }
	student := func(n int64) []Student { return []Student{{TaskID: 10 * n, UserID: 100 * n}} }
	start := clock.Day(day(1).Time)
	g := &gathering{who: &access.Caller{}, named: map[int64]bool{},
		students: map[int64][]Student{1: student(1), 2: student(2), 3: student(3), 4: student(1)},
		places: map[int64]place{1: {1, day(5), 1, "A", nil, nil, &start}, 2: {2, day(6), 1, "A", nil, nil, &start},
			3: {3, day(3), 2, "B", nil, nil, &start}, 4: {4, day(2), 1, "A", nil, nil, &start}}}
	g.who.ID, g.who.UnitID = who, 1
	for _, u := range named {
		g.named[u] = true
	}
	return g
}

// people gives the tasks of a cluster's members in their order, 0 for one without a name.
func people(c Cluster) (out []int64) {
	for _, m := range c.Members {
		if m.Student == nil {
			out = append(out, 0)
			continue
		}
		out = append(out, m.Student.TaskID)
	}
	return out
}

// Who is tied through others is in one cluster, who handed in first comes first, and the
// name of a student of another unit is told only to those with rights there.
func TestClustersOfTies(t *testing.T) {
	ties := []tie{{codePart, 1, 2}, {codePart, 2, 3}}
	for _, c := range []struct {
		ties []tie
		g    *gathering
		want [][]int64
	}{
		{ties, gathered(999, 2), [][]int64{{30, 10, 20}}},
		{ties, gathered(999), [][]int64{{0, 10, 20}}},
		{append(slices.Clone(ties), tie{codePart, 4, 2}), gathered(999, 2), [][]int64{{10, 30, 20}}},
		{ties, gathered(100), nil}, // the caller's own work
		{[]tie{{codePart, 1, 2}, {"document/file0", 2, 3}}, gathered(999, 2), [][]int64{{10, 20}, {30, 20}}},
		{nil, gathered(999), nil},
	} {
		var got [][]int64
		for _, cluster := range c.g.tied(c.ties) {
			got = append(got, people(cluster))
		}
		if !slices.EqualFunc(got, c.want, slices.Equal) {
			t.Errorf("%v for %d: %v, want %v", c.ties, c.g.who.ID, got, c.want)
		}
	}
}

// A pair is flagged by what the task of each side says, and by share and score together.
func TestEachSideGoesByItsOwnThreshold(t *testing.T) {
	w := &write{asked: map[int64]asked{1: {WarnPct: 30}, 2: {WarnPct: 60}}, least: 40}
	for _, c := range []struct {
		pct, score  int
		left, right bool
	}{{50, 50, true, false}, {70, 50, true, true}, {70, 10, false, false}, {10, 90, false, false}} {
		p := pair{classKey: classKey{1, codePart}, left: 1, right: 2, pct: c.pct, score: c.score}
		if l, r := w.flagged(p, 1), w.flagged(p, 2); l != c.left || r != c.right {
			t.Errorf("%+v: %v and %v", c, l, r)
		}
	}
}
