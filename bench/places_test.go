package bench

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/usecase"
	"lectern/internal/web/api"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/httpserver"
)

// Of a work of 60 files of 300 lines, handed in twice.
const (
	pointedFiles    = 60
	pointedLines    = 300
	pointedTask     = 7
	pointedVersions = 2
)

// handedInTwice gives the class's student a work of many files in two versions: into each file of the second a line
// came.
func (c *class) handedInTwice() {
	c.Helper()
	store, err := files.Open(c.Context(), c.TempDir())
	if err != nil {
		c.Fatal(err)
	}
	c.server = api.New(api.Config{Usecases: usecase.New(usecase.Config{DB: c.db, Files: store}),
		Config: endpoint.Config{DB: c.db, Spool: c.TempDir(),
			HTTP: httpserver.New(httpserver.Config{Log: slog.New(slog.DiscardHandler)})}})
	for v := range pointedVersions {
		id, at := 1+v, fmt.Sprintf("2026-01-0%dT00:00:00.000000Z", 1+v)
		c.exec(`INSERT INTO submissions (id, unit_id, task_id, user_id, at, parts, state) VALUES ($1, 1, $2, 500, $3, $4, 'ready')`,
			id, pointedTask, at, pointedFiles)
		c.exec(`INSERT INTO submission_tasks (task_id, at, submission_id, pct, pts) VALUES ($1, $2, $3, 100, 3)`, pointedTask, at, id)
		for f := range pointedFiles {
			var text strings.Builder
			if v > 0 {
				text.WriteString("// what came\n")
			}
			for i := range pointedLines {
				fmt.Fprintf(&text, "\tvalue_%d_%d = read(%d);\n", f, i, i)
			}
			info, err := store.Put(c.Context(), strings.NewReader(text.String()))
			if err != nil {
				c.Fatal(err)
			}
			c.exec(`INSERT INTO blobs (hash, size, touched_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, string(info.Hash),
				info.Size, at)
			c.exec(`INSERT INTO submission_files (submission_id, position, key, title, kind, name, hash, size)
				VALUES ($1, $2, $3, 'Part', 'code', $4, $5, $6)`, id, f, fmt.Sprint("file", f), fmt.Sprintf("%d.c", f),
				string(info.Hash), info.Size)
		}
	}
}

// pointAt has so many comments point at the first version, all over its files.
func (c *class) pointAt(n int) {
	c.Helper()
	c.exec(`DELETE FROM task_comments WHERE task_id = $1`, pointedTask)
	c.exec(`INSERT INTO task_comments (task_id, unit_id, user_id, recipient_id, type, comment, created_at, staff_read_at)
		SELECT $1, 1, 1001, 500, 'text', 'x.c, line 1: hello', '2026-01-01T00:00:01.000000Z', '2026-01-01T00:00:01.000000Z'
		FROM (WITH RECURSIVE k(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM k WHERE n < $2) SELECT n FROM k)`, pointedTask, n)
	c.exec(`INSERT INTO comment_reads (task_comment_id, user_id, read_at) SELECT id, 1001, created_at FROM task_comments
		WHERE task_id = $1`, pointedTask)
	c.exec(`INSERT INTO comment_places (task_comment_id, submission_id, submitted_at, version, lead, position, name, line, end_line)
		SELECT id, 1, '2026-01-01T00:00:00.000000Z', 1, 'x.c, line 1: ', id % $2, 'x.c', 1 + id % $3, 1 + id % $3
		FROM task_comments WHERE task_id = $1`, pointedTask, pointedFiles, pointedLines)
}

// TestManyPlaces lists 300 comments that point into 60 files, and where they stand in the next version: with as many
// statements as one comment takes, and, measured under LECTERN_TEST_LOAD only, in the times that the pages need.
func TestManyPlaces(t *testing.T) {
	if raced {
		t.Skip("the race detector takes time of its own")
	}
	c := newClass(t, "sqlite")
	c.handedInTwice()
	base := fmt.Sprintf("/api/projects/500/task_def_id/%d", pointedTask)
	on := func(day int) string {
		return fmt.Sprintf("%s/submissions/timestamps/2026-01-0%dT00:00:00Z/comments", base, day)
	}
	paths := map[string]string{"the conversation": base + "/comments", "where they stand, on their version": on(1),
		"where they stand, on the next": on(2)}
	few := map[string]int64{}
	for _, n := range []int{1, 300} {
		c.pointAt(n)
		for name, path := range paths {
			c.get(path)
			ctx, counter := db.Counting(c.Context(), nil)
			body := c.serve(c.request(path).WithContext(ctx))
			if got := strings.Count(string(body), `"place":{`); got != n {
				t.Fatalf("%s: %d comments of %d: %.300s", name, got, n, body)
			}
			if n == 300 && strings.Contains(path, "timestamps") && strings.Contains(string(body), `"stands":null`) {
				t.Errorf("%s: some do not stand", name)
			}
			if n == 1 {
				few[name] = counter.N()
			} else if counter.N() != few[name] {
				t.Errorf("%s: %d statements for 300 comments, %d for one", name, counter.N(), few[name])
			}
			bare := c.bareOf(path)
			var served, plain []time.Duration
			for range 15 {
				start := time.Now()
				c.serve(c.request(path))
				served = append(served, time.Since(start))
				start = time.Now()
				bare()
				plain = append(plain, time.Since(start))
			}
			slices.Sort(served)
			slices.Sort(plain)
			t.Logf("%-36s of %3d: %d statements, %6.1f ms, bare %5.1f ms, %4.1f times", name, n, counter.N(),
				served[7].Seconds()*1e3, plain[7].Seconds()*1e3, float64(served[7])/float64(plain[7]))
		}
	}
}
