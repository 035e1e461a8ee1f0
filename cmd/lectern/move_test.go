package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/waittest"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/files"
	"lectern/internal/platform/files/s3test"
	"lectern/internal/teaching/submit"
)

// A move of the demo changes no answer of any GET, to anybody.
func TestAMoveChangesNoAnswer(t *testing.T) {
	dbtest.Long(t)
	moveAndCompare(t, 4, func(string) {})
}

// Nor does a move of a large installation: by LECTERN_TEST_MOVE=whole one of 100,000 tasks and 5 GB
// of files, else of a fiftieth of that.
func TestAMoveOfALargeInstallation(t *testing.T) {
	dbtest.Long(t)
	tasks, count := int64(2000), 400
	if os.Getenv("LECTERN_TEST_MOVE") == "whole" {
		tasks, count = 100_000, 20_000
	}
	moveAndCompare(t, 2, func(data string) { enlarge(t, data, tasks, count) })
}

// moveAndCompare moves the demo, after more was done to its directory, and compares answers.
func moveAndCompare(t *testing.T, each int, more func(data string)) {
	t.Helper()
	data, tokens := demoIn(t)
	more(data)
	copied := filepath.Join(t.TempDir(), "copy") // looking leaves traces, so a twin is looked at
	if err := os.CopyFS(copied, os.DirFS(data)); err != nil {
		t.Fatal(err)
	}
	d := opened(t, copied)
	all, since := looks(t, d, people, each), time.Now()
	d.Close()
	before := lookAt(t, all, tokens, since, "--data", copied)
	place := newPlace(t)
	out, err := run(t, moving(data, place)...)
	if err != nil || !strings.Contains(out, "Moved and read back") {
		t.Fatalf("%v %s", err, out)
	}
	t.Log(out)
	after := lookAt(t, all, tokens, since, append([]string{"--data", t.TempDir()}, place...)...)
	sameAnswers(t, all, before, after)
}

var people = []string{"aadmin", "aconvenor", "atutor", "astudent"}

// demoIn gives a directory with the demo in it, all documents made, and sessions of its people.
func demoIn(t *testing.T) (data string, tokens map[string]string) {
	t.Helper()
	data, tokens = filepath.Join(t.TempDir(), "data"), map[string]string{}
	i := start(t, "--demo", "--data", data)
	for _, who := range people {
		tokens[who] = i.signIn(who, "password")
	}
	d := opened(t, data)
	settle(t, d)
	d.Close()
	i.stop()
	return data, tokens
}

// newPlace gives the settings of an empty database and an empty file store.
func newPlace(t *testing.T) []string {
	t.Helper()
	return []string{"--database-url", dbtest.Bare(t, "postgres"), "--files-url",
		s3test.Location(s3test.Start(t), "/moved/")}
}

// opened opens the SQLite database in a directory.
func opened(t *testing.T, data string) *db.DB {
	t.Helper()
	d, err := db.Open(filepath.Join(data, "lectern.db"), db.Options{Readers: 1})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// moving is the command that moves what is in data to a place.
func moving(data string, place []string) []string {
	return []string{"move", "--data", data, "--to-database-url", place[1], "--to-files-url", place[3]}
}

// lookAt starts the service, without jobs that would change something, and asks for everything.
func lookAt(t *testing.T, all []look, tokens map[string]string, since time.Time, args ...string) map[look]string {
	t.Helper()
	i := start(t, append([]string{"--workers", "0", "--public-url", "http://lectern.example.edu"}, args...)...)
	defer i.stop()
	return i.answers(all, tokens, since)
}

// sameAnswers compares, and sees that the walk saw something: every path was answered to somebody.
func sameAnswers(t *testing.T, all []look, before, after map[look]string) {
	t.Helper()
	wrong, good := 0, map[string]bool{}
	for _, l := range all {
		good[l.of] = good[l.of] || strings.HasPrefix(before[l], "200")
		if before[l] != after[l] {
			if wrong++; wrong <= 20 {
				t.Errorf("GET %s as %s was\n%s\nand is\n%s", l.path, l.who, around(before[l], after[l]),
					around(after[l], before[l]))
			}
		}
	}
	for path, seen := range good {
		if !seen && emptyInDemo[path] == "" {
			t.Errorf("GET %s was never answered with 200", path)
		}
	}
	t.Logf("%d answers of %d endpoints compared, %d differ", len(all), len(good), wrong)
}

// around is the part of a text that differs from another.
func around(a, b string) string {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return fmt.Sprintf("…%q", a[max(0, n-80):min(len(a), n+160)])
}

// settle waits until no job is left that is due.
func settle(t *testing.T, d *db.DB) {
	t.Helper()
	waittest.Until(t, "every job to be done", func() bool {
		left, err := db.One[int64](t.Context(), d.Pool(), `SELECT count(*) FROM jobs
			WHERE state = 'running' OR state = 'available' AND run_at <= $1`, d.Now())
		if err != nil {
			t.Fatal(err)
		}
		return *left == 0
	})
}

// enlarge adds students with tasks and comments to the first unit, and files that they handed in.
func enlarge(t *testing.T, data string, tasks int64, count int) {
	t.Helper()
	d := opened(t, data)
	defer d.Close()
	store, err := files.Open(t.Context(), filepath.Join(data, "files"))
	if err != nil {
		t.Fatal(err)
	}
	hashes := fileMany(t, store, count)
	now := d.Now()
	if err := d.Tx(t.Context(), func(q db.Q) error {
		for _, s := range []struct {
			text string
			args []any
		}{
			{`INSERT INTO users (id, username, username_key, email, email_key, first_name, last_name, nickname, role,
				student_id, created_at, updated_at) WITH RECURSIVE numbers(n) AS
				(SELECT 1 UNION ALL SELECT n + 1 FROM numbers
				WHERE n < $2 / (SELECT count(*) FROM task_definitions WHERE unit_id = 1) + 1)
				SELECT 100000 + n, 'many' || n, 'many' || n, 'm' || n || '@example.edu', 'm' || n || '@example.edu',
				'Given' || n, 'Family' || n, 'g', 1, 'm' || n, $1, $1 FROM numbers`, []any{now, tasks}},
			{`INSERT INTO projects (id, unit_id, user_id, target_grade, created_at, updated_at)
				SELECT id, 1, id, id % 4, $1, $1 FROM users WHERE id > 100000`, []any{now}},
			{`INSERT INTO tasks (project_id, task_definition_id, unit_id, status, submission_date, created_at,
				updated_at)
				SELECT p.id, d.id, 1, 'complete', $1, $1, $1 FROM projects p, task_definitions d
				WHERE p.id > 100000 AND d.unit_id = 1`, []any{now}},
			{`INSERT INTO task_comments (task_id, unit_id, user_id, recipient_id, type, comment, created_at,
				staff_read_at) SELECT id, 1, project_id, 1, 'text', 'Zażółć gęślą jaźń ' || id, $1, $1 FROM tasks
				WHERE project_id > 100000`, []any{now}},
		} {
			if _, err := db.Exec(t.Context(), q, s.text, s.args...); err != nil {
				return err
			}
		}
		return handIn(t, q, hashes)
	}); err != nil {
		t.Fatal(err)
	}
}

// fileSize is what one of the many files has.
const fileSize = 256 << 10

// fileMany stores files that do not get smaller by being compressed.
func fileMany(t *testing.T, store files.Store, count int) []files.Hash {
	t.Helper()
	out := make([]files.Hash, count)
	for i := range out {
		var seed [32]byte
		binary.BigEndian.PutUint64(seed[:], uint64(i))
		info, err := store.Put(t.Context(), io.LimitReader(rand.NewChaCha8(seed), fileSize))
		if err != nil {
			t.Fatal(err)
		}
		out[i] = info.Hash
	}
	return out
}

// handIn makes a submission of each file.
func handIn(t *testing.T, q db.Q, hashes []files.Hash) error {
	t.Helper()
	ctx := t.Context()
	ids, err := db.All[int64](ctx, q, `SELECT id FROM tasks WHERE project_id > 100000 ORDER BY id`)
	if err != nil {
		return err
	}
	var blobs, works, parts, of [][]any
	for i, h := range hashes {
		id, task := int64(1_000_000+i), ids[i%len(ids)]
		at := q.Now().Add(time.Duration(-i) * time.Second)
		blobs = append(blobs, []any{string(h), int64(fileSize), q.Now()})
		works = append(works, []any{id, int64(1), task, int64(1), at, "failed", int64(1)})
		parts = append(parts, []any{id, int64(0), "file0", "Code", "code", "a.bin", string(h), int64(fileSize)})
		of = append(of, []any{task, at, id, int64(100), int64(0)})
	}
	if err := db.Insert(ctx, q, "blobs (hash, size, touched_at)", "", blobs); err != nil {
		return err
	}
	if err := db.Insert(ctx, q, "submissions (id, unit_id, task_id, user_id, at, state, parts)", "",
		works); err != nil {
		return err
	}
	if err := db.Insert(ctx, q, "submission_files (submission_id, position, key, title, kind, name, hash, size)", "",
		parts); err != nil {
		return err
	}
	return db.Insert(ctx, q, "submission_tasks (task_id, at, submission_id, pct, pts)", "", of)
}

// A move that is killed at any moment can be begun again, what was written in between comes along,
// and no moment lets both places be served.
func TestAMoveThatWasKilledGoesOn(t *testing.T) {
	dbtest.Long(t)
	data, tokens := demoIn(t)
	place := newPlace(t)
	there := append([]string{"--data", t.TempDir()}, place...)
	for n, part := range []string{"files:", "tables of records:", "files read back:"} {
		killedAt(t, part, moving(data, place)...)
		if out, err := run(t, append([]string{"user", "list"}, there...)...); err == nil ||
			!strings.Contains(out, "has not arrived") {
			t.Errorf("killed at %s, the new place can be used: %v %s", part, err, out)
		}
		i := start(t, "--data", data) // the old one still can
		if status, err := i.addCampus(tokens["aadmin"], fmt.Sprintf("C-%d", n)); err != nil || status != 201 {
			t.Errorf("killed at %s: %d %v", part, status, err)
		}
		i.stop()
	}
	killedAt(t, "files read back:", moving(data, place)...) // nothing is written after this one
	if out, err := run(t, moving(data, place)...); err != nil || !strings.Contains(out, "Moved and read back") {
		t.Fatalf("%v %s", err, out)
	}
	if out, err := run(t, moving(data, place)...); err != nil || !strings.Contains(out, "was moved there before") {
		t.Errorf("once more: %v %s", err, out)
	}
	i := start(t, there...)
	defer i.stop()
	i.hasCampuses([]string{"C-0", "C-1", "C-2"})
	definition, class := classroom(i, 1, `[{"key":"file0","name":"Code","type":"code"}]`)
	status, text, err := i.handIn(class[0], definition, "", sent{"file0", "a.py", "print(1)\n"})
	if err != nil || status != 201 {
		t.Errorf("%d %s %v", status, text, err)
	}
	goesOn(t, place[1])
}

// killedAt runs a command until it says something, and kills it then.
func killedAt(t *testing.T, says string, args ...string) {
	t.Helper()
	c := command(t, args...)
	said, err := c.StderrPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines, seen := bufio.NewScanner(said), false
	for !seen && lines.Scan() {
		seen = strings.Contains(lines.Text(), says)
	}
	_ = c.Process.Kill()
	if err := c.Wait(); !seen || err == nil {
		t.Fatalf("it was not killed at %q: %v", says, err)
	}
}

// goesOn sees that what was moved is not paused, and that its receipts know of no restore.
func goesOn(t *testing.T, address string) {
	t.Helper()
	d, err := db.Open(address, db.Options{Readers: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if why, err := db.Paused(t.Context(), d.Pool()); err != nil || why != "" {
		t.Errorf("it is paused: %s %v", why, err)
	}
	restored, err := db.One[int64](t.Context(), d.Pool(), `SELECT count(*) FROM receipt_chains
		WHERE restored_from IS NOT NULL`)
	if err != nil || *restored != 0 {
		t.Errorf("%d units tell of a restore: %v", *restored, err)
	}
	if _, err := db.One[string](t.Context(), d.Pool(), `SELECT id FROM signing_keys
		WHERE seed IS NOT NULL`); err != nil {
		t.Errorf("the key of receipts stayed behind: %v", err)
	}
	keys, err := submit.PublicKeys(t.Context(), d.Pool())
	if err != nil {
		t.Fatal(err)
	}
	// One of them was handed in there.
	if n, err := submit.VerifyAll(t.Context(), d.Pool(), keys); err != nil || n != 119 {
		t.Errorf("%d receipts: %v", n, err)
	}
}

// What must not be moved, or not there, is refused in words; what was moved is refused, too, until
// it is taken back.
func TestAMoveThatMustNotBeIsRefused(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	i := start(t, "--demo", "--data", data)
	place := newPlace(t)
	refused := func(want string, args ...string) {
		t.Helper()
		c := command(t, args...)
		c.Stdin = strings.NewReader("a long password\n")
		out, err := c.CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%v: %v %s", args, err, out)
		}
		if strings.Contains(string(out), s3test.Key) || strings.Contains(string(out), "secret") {
			t.Errorf("%v shows a secret: %s", args, out)
		}
	}
	refused("stop it first", moving(data, place)...)
	refused("stop it first", "move", "--data", data, "--take-back")
	i.stop()
	refused("must be the address of the new database", "move", "--data", data, "--to-files-url", place[3])
	refused("must be the address of the new file store", "move", "--data", data, "--to-database-url", place[1])
	refused("is moved from SQLite", append(moving(data, place), "--database-url", place[1])...)
	refused("does not exist", moving(filepath.Join(data, "typo"), place)...)

	used := []string{"--database-url", dbtest.Bare(t, "postgres"), "--files-url", place[3]}
	start(t, append([]string{"--data", t.TempDir()}, used...)...).stop()
	administrator(t, append([]string{"--data", t.TempDir()}, used...)...)
	refused("the new database is not empty", moving(data, used)...)
	full := []string{"--database-url", place[1], "--files-url", strings.Replace(place[3], "/moved/", "/full/", 1)}
	putOne(t, full[3])
	refused("the new file store is not empty", moving(data, full)...)

	if out, err := run(t, moving(data, place)...); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	recipient := newBackupKey(t, filepath.Join(t.TempDir(), "key"))
	backup := []string{"backup", "--to", t.TempDir(), "--recipient", recipient}
	for _, args := range append([][]string{backup}, ofTheDatabase...) {
		refused("is used there now: --database-url postgres://", append(args, "--data", data)...)
	}
	refused("FIX  moved", "doctor", "--data", data)
	refused("is used there now", moving(data, full)...)
	if out, err := run(t, "move", "--data", data, "--take-back"); err != nil ||
		!strings.Contains(out, "is used here again") {
		t.Errorf("%v %s", err, out)
	}
	start(t, "--data", data).stop()
	refused("the new database is not empty", moving(data, place)...)
}

// putOne puts a file of somebody else into a store.
func putOne(t *testing.T, location string) {
	t.Helper()
	store, err := files.Open(t.Context(), location)
	if err == nil {
		_, err = store.Put(t.Context(), strings.NewReader("somebody else's"))
	}
	if err != nil {
		t.Fatal(err)
	}
}
