package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"lectern/internal/ground/waittest"
	"lectern/internal/platform/container/enginetest"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

// laboratory is a running service whose students' work is assessed.
type laboratory struct {
	*instance
	engine     *enginetest.Engine
	args       []string
	db         *db.DB
	definition int64
	class      []student
}

// newLaboratory starts the service with a task that is assessed by run.sh, which
// runs what students hand in.
func newLaboratory(t *testing.T, engine string, students int, more ...string) *laboratory {
	t.Helper()
	l := &laboratory{engine: enginetest.New(t)}
	data := t.TempDir()
	address := filepath.Join(data, "lectern.db")
	l.args = []string{"--data", data, "--demo", "--container-host", l.engine.Host}
	if engine == "postgres" {
		address = dbtest.Address(t, engine)
		l.args = append(l.args, "--database-url", address)
	}
	l.instance = start(t, append(l.args, more...)...)
	l.definition, l.class = classroom(l.instance, students, `[{"key":"file0","name":"program.sh","type":"code"}]`)
	var err error
	if l.db, err = db.Open(address, db.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.db.Close() })
	l.equip()
	return l
}

// equip gives the task an image and a package.
func (l *laboratory) equip() {
	l.t.Helper()
	admin := l.signIn("aadmin", "password")
	var image struct{ ID int64 }
	l.must(201, "POST", "/api/admin/overseer_images", admin,
		fmt.Sprintf(`{"overseer_image":{"name":"Box","tag":%q}}`, l.engine.Box), &image)
	unit := l.number(`SELECT unit_id FROM task_definitions WHERE id = $1`, l.definition)
	one := fmt.Sprintf("/api/units/%d/task_definitions/%d", unit, l.definition)
	l.must(200, "PUT", one, admin, fmt.Sprintf(`{"task_def":{"assessment_enabled":true,"overseer_image_id":%d}}`,
		image.ID), nil)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, _ := z.Create("run.sh")
	fmt.Fprintf(w, "sh program.sh\n")
	z.Close()
	kind, body := form([]sent{{"file", "tests.zip", b.String()}})
	r, err := http.NewRequest("POST", l.url+one+"/task_assessment_resources", bytes.NewReader(body))
	if err != nil {
		l.t.Fatal(err)
	}
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Username", "aadmin")
	r.Header.Set("Auth_Token", admin)
	answer, err := http.DefaultClient.Do(r)
	if err != nil || answer.StatusCode != 201 {
		l.t.Fatal(answer, err)
	}
	answer.Body.Close()
}

// must sends a request of the Admin.
func (l *laboratory) must(want int, method, path, token, body string, into any) {
	l.t.Helper()
	if got, err := l.call(method, path, "aadmin", token, body, into); got != want || err != nil {
		l.t.Fatalf("%s %s: %d %v", method, path, got, err)
	}
}

func (l *laboratory) number(text string, args ...any) int64 {
	l.t.Helper()
	n, err := db.One[int64](l.t.Context(), l.db.Pool(), text, args...)
	if err != nil {
		l.t.Fatal(err)
	}
	return *n
}

// hands hands a program in.
func (l *laboratory) hands(p student, program string) {
	l.t.Helper()
	if status, text, err := l.handIn(p, l.definition, "", sent{"file0", "p.sh", program}); status != 201 || err != nil {
		l.t.Fatalf("%d %v: %s", status, err, text)
	}
}

// containers lists those of any service on the engine.
func (l *laboratory) containers(t *testing.T) []string {
	t.Helper()
	out, err := l.engine.CommandLine("ps", "-a", "-q", "--filter", "label=lectern.service").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}

// The demo has a task that is assessed by the package of the documentation, where
// there is an engine.
func TestDemoIsAssessed(t *testing.T) {
	dbtest.Long(t)
	l := newLaboratory(t, "sqlite", 1)
	definition := l.number(`SELECT id FROM task_definitions WHERE abbreviation = 'AUTO'`)
	admin := l.signIn("aadmin", "password")
	// The demo's own image cannot be pulled here.
	if err := l.db.Tx(t.Context(), func(q db.Q) error {
		_, err := db.Exec(t.Context(), q, `UPDATE task_definitions SET overseer_image_id = (SELECT id FROM overseer_images
			WHERE name = 'Box') WHERE id = $1`, definition)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if status, text, err := l.handIn(l.class[0], definition, "", sent{"file0", "answer.txt",
		"one\ntwo\nthree\n"}); status != 201 || err != nil {
		t.Fatalf("%d %v: %s", status, err, text)
	}
	waittest.Until(t, "the assessment is done", func() bool {
		return l.number(`SELECT count(*) FROM assessments WHERE status = 'done' AND result_status = 'complete'`) == 1
	})
	var comments []struct{ Comment string }
	l.must(200, "GET", fmt.Sprintf("/api/projects/%d/task_def_id/%d/comments", l.class[0].project, definition), admin, "",
		&comments)
	if !slices.ContainsFunc(comments, func(c struct{ Comment string }) bool {
		return c.Comment == "Every line is as it should be."
	}) {
		t.Errorf("%+v", comments)
	}
	l.stop()
}

// A worker that is killed in the middle of a run leaves a job that is run once
// more, no container, and one result.
func TestKilledDuringAnAssessment(t *testing.T) {
	dbtest.Long(t)
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			l := newLaboratory(t, engine, 1)
			l.hands(l.class[0], "echo begun; sleep 3; echo over")
			waittest.Until(t, "a container runs", func() bool { return len(l.containers(t)) == 1 })
			if err := l.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			<-l.done
			again := start(t, l.args...)
			waittest.Until(t, "the assessment is done", func() bool {
				return l.number(`SELECT count(*) FROM assessments WHERE status = 'done'`) == 1
			})
			if n := l.number(`SELECT attempt FROM jobs WHERE kind = 'assessment'`); n != 2 {
				t.Errorf("it was begun %d times", n)
			}
			if n := l.number(`SELECT count(*) FROM task_comments WHERE type = 'assessment'`); n != 1 {
				t.Errorf("%d comments", n)
			}
			if left := l.containers(t); len(left) != 0 {
				t.Errorf("containers are left: %v", left)
			}
			again.stop()
		})
	}
}

// A worker beside a server that runs no jobs does them, and serves nothing.
func TestWorkerBesideAServer(t *testing.T) {
	dbtest.Long(t)
	l := newLaboratory(t, "postgres", 1, "--workers", "0")
	l.hands(l.class[0], "echo done elsewhere")
	files := filepath.Join(l.args[1], "files")
	data := t.TempDir()
	if err := os.Symlink(files, filepath.Join(data, "files")); err != nil {
		t.Fatal(err)
	}
	c := command(t, append([]string{"worker", "--log-level", "error", "--data", data},
		slices.DeleteFunc(slices.Clone(l.args[2:]), func(s string) bool { return s == "--demo" })...)...)
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	over := make(chan error, 1)
	go func() { over <- c.Wait() }()
	t.Cleanup(func() { _ = c.Process.Kill() })
	waittest.Until(t, "the assessment and the document are done", func() bool {
		return l.number(`SELECT count(*) FROM assessments WHERE status = 'done'`) == 1 &&
			l.number(`SELECT count(*) FROM submissions WHERE state <> 'ready' AND task_id IN
				(SELECT id FROM tasks WHERE task_definition_id = $1)`, l.definition) == 0
	})
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-over:
		if err != nil {
			t.Errorf("the worker stopped badly: %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("the worker does not stop")
	}
	l.stop()
}

// With twenty assessments waiting, pages and apps are answered as ever.
func TestAssessmentsDelayNobody(t *testing.T) {
	dbtest.Load(t)
	l := newLaboratory(t, "sqlite", 11)
	admin := l.signIn("aadmin", "password")
	path := fmt.Sprintf("/api/projects/%d", l.class[0].project)
	median := func() time.Duration {
		var times []time.Duration
		for range 200 {
			begin := time.Now()
			l.must(200, "GET", path, admin, "", nil)
			times = append(times, time.Since(begin))
		}
		slices.Sort(times)
		return times[len(times)/2]
	}
	median() // once to warm up
	idle := median()
	for _, p := range slices.Concat(l.class, l.class) {
		l.hands(p, "i=0; while [ $i -lt 2000000 ]; do i=$((i+1)); done")
	}
	// As if somebody had asked for the first ones, too, which newer ones took the place of.
	if err := l.db.Tx(t.Context(), func(q db.Q) error {
		_, err := db.Exec(t.Context(), q, `UPDATE assessments SET asked = TRUE`)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "the documents are made, and an assessment runs", func() bool {
		return l.number(`SELECT count(*) FROM jobs WHERE kind = 'document' AND state <> 'done'`) == 0 &&
			l.number(`SELECT count(*) FROM assessments WHERE status = 'running'`) > 0
	})
	waiting := l.number(`SELECT count(*) FROM assessments WHERE status = 'queued'`)
	busy := median()
	still := l.number(`SELECT count(*) FROM assessments WHERE status = 'queued'`)
	t.Logf("idle %v; with %d to %d assessments waiting %v: %.2f times", idle, waiting, still, busy,
		float64(busy)/float64(idle))
	if still == 0 {
		t.Fatal("the assessments were over before the end of the measurement")
	}
	if float64(busy) > 1.5*float64(idle) {
		t.Errorf("%v is more than 1.5 times %v", busy, idle)
	}
}
