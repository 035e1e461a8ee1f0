package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/waittest"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/files/s3test"
)

// backedUp are the kinds of installations that backups are made of: where the records are, and
// whether files and backups are in a bucket.
var backedUp = []struct {
	name, engine, other string
	bucket              bool
}{
	{"SQLite and files", "sqlite", "postgres", false},
	{"PostgreSQL and files", "postgres", "sqlite", false},
	{"PostgreSQL and S3", "postgres", "sqlite", true},
}

// While people write and backups are killed, one that is finished holds everything that was
// acknowledged before it began, and is restored into the other kind of database.
func TestABackupUnderLoadIsRestored(t *testing.T) {
	dbtest.Long(t)
	for _, c := range backedUp {
		t.Run(c.name, func(t *testing.T) {
			from, to := storage(t, c.engine), filepath.Join(t.TempDir(), "backups")
			if c.bucket {
				host := s3test.Start(t)
				from = append(from, "--files-url", s3test.Location(host, "/files/"))
				to = s3test.Location(host, "/backups/")
			}
			restoredUnderLoad(t, from, to, storage(t, c.other))
		})
	}
}

func restoredUnderLoad(t *testing.T, from []string, dir string, into []string) {
	t.Helper()
	i := start(t, append([]string{"--demo"}, from...)...)
	writing := writeCampuses(i)
	key := filepath.Join(t.TempDir(), "key")
	recipient := newBackupKey(t, key)
	args := append([]string{"backup", "--to", dir, "--recipient", recipient}, from...)
	for n := range 2 {
		killed(t, time.Duration(30+60*n)*time.Millisecond, args...)
	}
	before := writing.so()
	if out, err := run(t, args...); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	writing.stop()
	i.stop()
	proven(t, dir, key)

	restore := append([]string{"restore", "--from", dir, "--key", key}, into...)
	killed(t, 40*time.Millisecond, restore...)
	if out, err := run(t, restore...); err != nil && !strings.Contains(out, "is not empty") { // it was quick enough
		t.Fatalf("%v %s", err, out)
	}
	if out, err := run(t, restore...); err == nil || !strings.Contains(out, "the database is not empty") {
		t.Errorf("a second restore over the first: %v %s", err, out)
	}
	sameAndPaused(t, into, before)
}

// A backup without a key is refused unless that is asked for, above all in a bucket, and nothing
// is written there; no message shows the secret of the bucket.
func TestABackupWithoutAKeyIsRefused(t *testing.T) {
	from := storage(t, "sqlite")
	start(t, from...).stop()
	to := s3test.Location(s3test.Start(t), "/backups/")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"backup", "--to", to}, "give --recipient"},
		{[]string{"backup", "--to", to, "--recipient", "age1", "--unencrypted"}, "not both"},
		{[]string{"restore", "--verify", "--from", to}, "holds no backups"},
		{[]string{"backup", "--to", to, "--unencrypted"}, ""},
		{[]string{"restore", "--verify", "--from", to}, ""},
	} {
		out, err := run(t, append(c.args, from...)...)
		if (err == nil) != (c.want == "") || !strings.Contains(out, c.want) {
			t.Errorf("%q: %v %s", c.args, err, out)
		}
		if strings.Contains(out, "secret") {
			t.Errorf("%q shows the secret: %s", c.args, out)
		}
	}
}

// An erasure that waits in a backup may have been cancelled since: it is not done while what was restored is
// paused, though it is long due, and resume names whom it is about and gives another day.
func TestResumeNamesErasuresThatWait(t *testing.T) {
	from, into, to := storage(t, "sqlite"), storage(t, "sqlite"), filepath.Join(t.TempDir(), "backups")
	start(t, append([]string{"--demo"}, from...)...).stop()
	d := openedAt(t, from)
	if err := d.Tx(t.Context(), func(q db.Q) error {
		old := clock.At(q.Now().Add(-48 * time.Hour))
		if _, err := db.Exec(t.Context(), q, `INSERT INTO jobs (kind, args, max_attempts, run_at, created_at)
			SELECT 'erasure', '{"user_id":' || id || '}', 10, $1, $1 FROM users WHERE username = 'student_1'`, old); err != nil {
			return err
		}
		_, err := db.Exec(t.Context(), q, `INSERT INTO erasures (user_id, asked_by, job_id, with_files, asked_at, due_at)
			SELECT u.id, a.id, (SELECT max(id) FROM jobs), FALSE, $1, $1 FROM users u, users a
			WHERE u.username = 'student_1' AND a.username = 'aadmin'`, old)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{append([]string{"backup", "--unencrypted", "--to", to}, from...),
		append([]string{"restore", "--from", to}, into...)} {
		if out, err := run(t, args...); err != nil {
			t.Fatalf("%v %s", err, out)
		}
	}
	i := start(t, into...)
	looked := openedAt(t, into)
	waittest.Until(t, "the job has looked and waits", func() bool {
		n, err := db.One[int64](t.Context(), looked.Pool(), `SELECT count(*) FROM jobs WHERE kind = 'erasure'
			AND state = 'available' AND run_at > $1`, looked.Now())
		return err == nil && *n == 1
	})
	i.stop()
	out, err := run(t, append([]string{"resume"}, into...)...)
	if err != nil || !strings.Contains(out, "wait another 24 hours") ||
		!strings.Contains(out, "shall not be: student_1\n") {
		t.Errorf("resume: %v %s", err, out)
	}
	due, err := db.One[clock.Time](t.Context(), looked.Pool(), `SELECT due_at FROM erasures`)
	if err != nil || due.Before(looked.Now().Add(23*time.Hour)) {
		t.Errorf("it is due at %v, %v", due, err)
	}
}

func newBackupKey(t *testing.T, path string) (recipient string) {
	t.Helper()
	out, err := run(t, "backup-key", path)
	recipient = regexp.MustCompile(`age1[0-9a-z]+`).FindString(out)
	if err != nil || recipient == "" {
		t.Fatalf("%v %s", err, out)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key is %v, %v", info, err)
	}
	if out, err := run(t, "backup-key", path); err == nil {
		t.Errorf("a key was written over: %s", out)
	}
	return recipient
}

// killed runs a command and kills it after a while.
func killed(t *testing.T, after time.Duration, args ...string) {
	t.Helper()
	c := command(t, args...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(after, func() { _ = c.Process.Kill() })
	_ = c.Wait()
}

// proven has the newest backup proven, and refused where there is no key.
func proven(t *testing.T, dir, key string) {
	t.Helper()
	out, err := run(t, "restore", "--from", dir, "--key", key, "--verify")
	if err != nil || !strings.Contains(out, "is sound") || !strings.Contains(out, "receipts") {
		t.Fatalf("%v %s", err, out)
	}
	t.Log(out)
	if out, err := run(t, "restore", "--from", dir, "--verify"); err == nil || !strings.Contains(out, "give their key") {
		t.Errorf("without the key: %v %s", err, out)
	}
}

// sameAndPaused starts what was restored and looks for what had been acknowledged.
func sameAndPaused(t *testing.T, place, names []string) {
	t.Helper()
	i := start(t, place...)
	i.hasCampuses(names)
	i.signIn("aadmin", "password")
	i.stop()
	doctor := append([]string{"doctor"}, place...)
	if out, err := run(t, doctor...); err == nil || !strings.Contains(out, "FIX  paused") {
		t.Errorf("the doctor says nothing of the pause: %v %s", err, out)
	}
	for _, want := range []string{"sends emails and calls other services again", "is not paused"} {
		if out, err := run(t, append([]string{"resume"}, place...)...); err != nil || !strings.Contains(out, want) {
			t.Errorf("resume: %v %s", err, out)
		}
	}
	if out, _ := run(t, doctor...); strings.Contains(out, "paused") {
		t.Errorf("the doctor still says: %s", out)
	}
}

// campuses are made one after the other while something else happens.
type campuses struct {
	mu    sync.Mutex
	names []string
	quit  chan struct{}
	done  chan struct{}
}

func writeCampuses(i *instance) *campuses {
	c := &campuses{quit: make(chan struct{}), done: make(chan struct{})}
	token := i.signIn("aadmin", "password")
	go func() {
		defer close(c.done)
		for n := 0; ; n++ {
			select {
			case <-c.quit:
				return
			default:
			}
			name := fmt.Sprintf("C-%d", n)
			status, err := i.addCampus(token, name)
			if err != nil {
				return
			}
			if status == 201 {
				c.mu.Lock()
				c.names = append(c.names, name)
				c.mu.Unlock()
			}
		}
	}()
	return c
}

// so gives what was acknowledged so far.
func (c *campuses) so() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.names...)
}

func (c *campuses) stop() {
	close(c.quit)
	<-c.done
}
