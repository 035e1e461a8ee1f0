package turnitin

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/waittest"
	"lectern/internal/platform/blob"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/files"
	"lectern/internal/platform/jobs"
	"lectern/internal/platform/tca"
	"lectern/internal/platform/tca/fake"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/taskdef"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("database/sql.(*DB).connectionOpener"))
}

const key, secret = "the-key", "the-secret"

// place is an installation that uses a stand-in of the service. Student 1 owns
// project 1 in unit 1 and task 1 of definition 1, which asks for two documents that
// are checked and for code that is not; 2 is a student beside, 3 teaches the unit.
type place struct {
	*testing.T
	*Service
	far    *fake.Service
	server *httptest.Server
	store  files.Store
	stop   func()
}

// requirements of the task: the second document may be alike up to 60 percent.
var requirements = func() taskdef.Requirements {
	list, err := taskdef.ParseRequirements(`[{"key":"file0","name":"Report","type":"document","tii_check":true},
		{"key":"file1","name":"Code","type":"code","tii_check":true},
		{"key":"file2","name":"Diary","type":"document","tii_check":true,"tii_pct":60},
		{"key":"file3","name":"Notes","type":"document"}]`)
	if err != nil {
		panic(err)
	}
	return list
}()

// newPlace makes an installation without workers; start starts them.
func newPlace(t *testing.T, d *db.DB, o fake.Options) *place {
	t.Helper()
	o.Key = key
	p := &place{T: t, far: fake.New(o)}
	p.server = httptest.NewUnstartedServer(p.far)
	p.server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	p.server.Start()
	t.Cleanup(func() { p.server.Close(); p.far.Close() })
	store, err := files.Open(t.Context(), filepath.Join(t.TempDir(), "files"))
	if err != nil {
		t.Fatal(err)
	}
	p.store = store
	client, err := tca.New(tca.Config{URL: p.server.URL, Key: key, Name: "Lectern", Version: "test",
		AskWithin: 300 * time.Millisecond, MoveWithin: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	p.Service = New(d, store, slog.New(slog.DiscardHandler), Config{Client: client, Key: key, SigningKey: secret,
		PublicURL: "http://127.0.0.1:1", Pace: -1, Wait: func(int) time.Duration { return 5 * time.Millisecond }})
	p.seed()
	return p
}

func (p *place) set(text string, args ...any) {
	p.Helper()
	if err := p.DB.Tx(p.Context(), func(q db.Q) error {
		_, err := db.Exec(p.Context(), q, text, args...)
		return err
	}); err != nil {
		p.Fatalf("%s: %v", text, err)
	}
}

func (p *place) tx(f func(q db.Q) error) {
	p.Helper()
	if err := p.DB.Tx(p.Context(), f); err != nil {
		p.Fatal(err)
	}
}

// get reads one value.
func get[T any](p *place, text string, args ...any) T {
	p.Helper()
	v, err := db.One[T](p.Context(), p.DB.Pool(), text, args...)
	if err != nil {
		p.Fatalf("%s: %v", text, err)
	}
	return *v
}

func (p *place) seed() {
	now, day := p.DB.Now(), clock.Day(p.DB.Now().Time)
	for i, name := range []string{"student", "mate", "tutor"} {
		p.set(`INSERT INTO users (id, username, username_key, email, email_key, first_name, last_name, role, created_at,
			updated_at) VALUES ($1, $2, $2, $3, $3, 'Ann', 'Person', $4, $5, $5)`, i+1, name, name+"@example.edu",
			1+i/2, now)
	}
	p.set(`INSERT INTO units (id, code, name, description, start_date, end_date, created_at, updated_at)
		VALUES (1, 'SIT101', 'Thinking', '', $1, $2, $3, $3)`, day.AddDays(-7), day.AddDays(70), now)
	p.set(`INSERT INTO unit_roles (id, unit_id, user_id, role, is_main, created_at, updated_at)
		VALUES (1, 1, 3, 2, FALSE, $1, $1)`, now)
	p.set(`INSERT INTO task_definitions (id, unit_id, name, abbreviation, description, weighting, target_grade, start_date,
		target_date, upload_requirements) VALUES (1, 1, 'Essay', '1.1P', '', 1, 0, $1, $2, $3)`, day, day.AddDays(7),
		requirements)
	p.set(`INSERT INTO projects (id, unit_id, user_id, enrolled, target_grade, created_at, updated_at)
		VALUES (1, 1, 1, TRUE, 0, $1, $1), (2, 1, 2, TRUE, 0, $1, $1)`, now)
	p.set(`INSERT INTO tasks (id, project_id, task_definition_id, unit_id, created_at, updated_at)
		VALUES (1, 1, 1, 1, $1, $1), (2, 2, 1, 1, $1, $1)`, now)
}

// terms lets the service be known, as if it had been asked.
func (p *place) terms() {
	p.tx(func(q db.Q) error { return ensure(p.Context(), q) })
	p.set(`UPDATE tii_service SET eula_version = $1, eula_html = $2, eula_at = $3, features_at = $3, hook = $4,
		repositories = 'INTERNET'`, fake.Version, fake.Agreement, p.DB.Now(), p.hook())
}

// handIn hands in for task 1, and gives the submission.
func (p *place) handIn(sender int64, accepted *bool) (id int64) {
	p.Helper()
	var list []submit.File
	var infos []files.Info
	for i, r := range requirements {
		text := fmt.Sprintf("%%PDF-1.4 %s of %d at %d", r.Key, sender, p.DB.Now().UnixNano())
		info, err := p.store.Put(p.Context(), strings.NewReader(text))
		if err != nil {
			p.Fatal(err)
		}
		infos = append(infos, info)
		list = append(list, submit.File{Position: i, Key: r.Key, Title: r.Name, Kind: r.Type, Name: r.Name + ".pdf",
			Hash: info.Hash, Size: info.Size})
	}
	p.tx(func(q db.Q) error {
		if err := blob.Keep(p.Context(), q, p.store, infos...); err != nil {
			return err
		}
		v, err := db.One[int64](p.Context(), q, `INSERT INTO submissions (unit_id, task_id, user_id, at, parts)
			VALUES (1, 1, $1, $2, $3) RETURNING id`, sender, q.Now(), len(list))
		if err != nil {
			return err
		}
		id = *v
		if _, err := db.Exec(p.Context(), q, `INSERT INTO submission_tasks (task_id, at, submission_id, pct, pts)
			VALUES (1, $1, $2, 100, 3)`, q.Now(), id); err != nil {
			return err
		}
		for _, f := range list {
			if _, err := db.Exec(p.Context(), q, `INSERT INTO submission_files (submission_id, position, key, title,
				kind, name, hash, size) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, id, f.Position, f.Key, f.Title,
				f.Kind, f.Name, string(f.Hash), f.Size); err != nil {
				return err
			}
		}
		return p.HandedIn(p.Context(), q, HandIn{SubmissionID: id, SenderID: sender, Accepted: accepted,
			Requirements: requirements, Files: list})
	})
	return id
}

func yes() *bool { v := true; return &v }

// start works the queue, and takes what the stand-in sends.
func (p *place) start() {
	p.Helper()
	qu := jobs.New(p.DB, p.Log, jobs.Config{Workers: Workers, Poll: 5 * time.Millisecond})
	jobs.Register(qu, p.run, jobs.Limits{})
	jobs.Register(qu, p.reconcile, jobs.Limits{})
	qu.Start(p.Context())
	p.stop = sync.OnceFunc(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := qu.Stop(ctx); err != nil {
			p.Error(err)
		}
	})
	p.Cleanup(func() { p.stop() })
}

// listen takes what the service sends, as the endpoint does.
func (p *place) listen() {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if !p.Signed(r.Header.Get("X-Similarity-Signature"), body) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if err := p.DB.Brief(r.Context(), func(q db.Q) error {
			return p.Notice(r.Context(), q, r.Header.Get("X-Similarity-EventType"), body)
		}); err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusCreated)
	}))
	p.Cleanup(s.Close)
	p.PublicURL = s.URL
}

// until waits for a condition.
func (p *place) until(what string, ok func() bool) {
	p.Helper()
	if waittest.Within(waittest.Patience, ok) {
		return
	}
	for _, a := range slices.DeleteFunc(p.actions(), func(a Action) bool { return a.Complete }) {
		p.Logf("%s: retry %v, complete %v, %+v", a.Description, a.Retry, a.Complete, a.Log)
	}
	list := p.far.Calls()
	p.Fatalf("never happened: %s; last calls %v", what, list[max(0, len(list)-10):])
}

func (p *place) actions() []Action {
	p.Helper()
	list, _, err := List(p.Context(), p.DB.Pool(), Filter{Complete: true}, db.Part(1000, 0))
	if err != nil {
		p.Fatal(err)
	}
	return list
}

// settled tells whether no action waits.
func (p *place) settled() bool {
	return !slices.ContainsFunc(p.actions(), func(a Action) bool { return a.Retry })
}

func (p *place) statuses() []Status {
	p.Helper()
	list, err := db.All[Status](p.Context(), p.DB.Pool(), `SELECT status FROM tii_submissions ORDER BY id`)
	if err != nil {
		p.Fatal(err)
	}
	return list
}

// sound fails the test where the service was sent what nobody may send, or anything
// twice that has an effect.
func (p *place) sound() {
	p.Helper()
	if list := p.far.Complaints(); len(list) > 0 {
		p.Errorf("not as published: %v", list)
	}
	sent := map[string]int{}
	for _, s := range p.far.Submissions() {
		if s.Uploads > 0 && !s.Deleted {
			sent[string(s.File)] += s.Uploads
		}
	}
	for file, n := range sent {
		if n > 1 {
			p.Errorf("%s was sent %d times", file, n)
		}
	}
}

func TestDocumentsGoThereAndReportsComeBack(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPlace(t, d, fake.Options{Percent: 50, After: -1})
		p.listen()
		p.Wait = func(int) time.Duration { return time.Hour } // what follows follows from notifications
		p.start()
		p.tx(func(q db.Q) error { return p.Look(t.Context(), q) })
		p.until("the service is known", func() bool { return len(p.actions()) == 3 && p.settled() })
		id := p.handIn(1, yes())
		p.until("a report and its PDF", func() bool {
			p.far.Finish()
			return slices.Equal(p.statuses(), []Status{PDFDownloaded, LowSimilarity})
		})
		p.until("all is done", p.settled)
		p.sound()
		if !p.far.Accepted("student") || p.far.Groups() != 1 || len(p.far.Submissions()) != 2 {
			t.Errorf("%v, %d groups, %+v", p.far.Accepted("student"), p.far.Groups(), p.far.Submissions())
		}
		for _, s := range p.far.Submissions() {
			if s.Index || s.Owner != "student" || strings.Contains(s.Title, "Code") {
				t.Errorf("%+v", s)
			}
		}
		for _, n := range p.far.Notified() {
			if n.Status != http.StatusCreated {
				t.Errorf("%+v", n)
			}
		}
		list, err := Documents(t.Context(), d.Pool(), 1)
		if err != nil || len(list) != 2 || *list[0].Pct != 50 || list[0].SentAt == nil ||
			list[0].SubmissionID != id || !strings.Contains(list[1].Message, "no more than the task lets pass") {
			t.Errorf("%+v, %v", list, err)
		}
		p.revise()
	})
}

// revise lets a report be made anew after all is done.
func (p *place) revise() {
	p.Helper()
	calls := len(p.far.Calls())
	remote := get[string](p, `SELECT remote_id FROM tii_submissions ORDER BY id DESC LIMIT 1`)
	p.far.Revise(remote, 50) // the same
	p.until("one look at what did not change", func() bool { return len(p.far.Calls()) == calls+1 && p.settled() })
	p.far.Revise(remote, 90)
	p.until("the report is fetched that now is to be looked at", func() bool {
		p.far.Finish()
		return slices.Equal(p.statuses(), []Status{PDFDownloaded, PDFDownloaded}) && p.settled()
	})
	if got := get[int](p, `SELECT max(pct) FROM tii_submissions`); got != 90 {
		p.Errorf("found %d", got)
	}
}

// TestWorkIsSentOnlyWithConsent hands in with and without a word on the agreement.
func TestWorkIsSentOnlyWithConsent(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPlace(t, d, fake.Options{Percent: 1})
		no := new(bool)
		p.handIn(1, yes()) // there is no agreement to accept yet
		p.terms()
		p.handIn(1, nil)
		p.handIn(1, no)
		if n := get[int](p, `SELECT count(*) FROM tii_actions`); n != 0 {
			t.Fatalf("%d actions", n)
		}
		list, err := Documents(t.Context(), d.Pool(), 1)
		if err != nil || len(list) != 6 || list[0].Status != Declined || list[0].SentAt != nil ||
			!strings.Contains(list[0].Message, "not sent") {
			t.Fatalf("%+v, %v", list, err)
		}
		p.handIn(3, yes()) // for a student who did not agree
		if n := get[int](p, `SELECT count(*) FROM tii_submissions WHERE status <> 'declined'`); n != 0 {
			t.Fatalf("%d documents of a student who did not agree are sent", n)
		}
		p.handIn(1, yes())
		p.handIn(1, no) // declined this once
		p.handIn(1, nil)
		p.handIn(3, nil)
		p.start()
		p.until("all is done", p.settled)
		p.sound()
		want := slices.Repeat([]Status{Declined}, 8)
		want = append(want, Superseded, Superseded, Declined, Declined, Superseded, Superseded, LowSimilarity,
			LowSimilarity)
		if got := p.statuses(); !slices.Equal(got, want) {
			t.Errorf("got %v", got)
		}
	})
}

// TestNobodyNeedAgreeWhereTheServiceSaysSo still lets people decline.
func TestNobodyNeedAgreeWhereTheServiceSaysSo(t *testing.T) {
	p := newPlace(t, dbtest.New(t, "sqlite", nil), fake.Options{NoEULA: true})
	p.terms()
	p.set(`UPDATE tii_service SET require_eula = FALSE`)
	p.handIn(1, new(bool))
	p.handIn(1, nil)
	if got := p.statuses(); !slices.Equal(got, []Status{Declined, Declined, Created, Created}) {
		t.Errorf("got %v", got)
	}
}

func TestWhatIsDeletedHereIsDeletedThere(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPlace(t, d, fake.Options{Percent: 99})
		p.terms()
		p.handIn(1, yes())
		p.start()
		p.until("all is done", p.settled)
		p.set(`DELETE FROM tasks WHERE id = 1`)
		p.tx(func(q db.Q) error { return p.Look(t.Context(), q) })
		p.until("both documents are deleted there", func() bool {
			return !slices.ContainsFunc(p.far.Submissions(), func(s fake.Submission) bool { return !s.Deleted })
		})
		p.until("all is done", p.settled)
		if n := get[int](p, `SELECT count(*) FROM tii_submissions`); n != 0 {
			t.Errorf("%d left", n)
		}
		p.sound()
	})
}

func TestAnErasedPersonIsForgottenThere(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPlace(t, d, fake.Options{Percent: 99})
		p.terms()
		p.handIn(1, yes())
		p.start()
		p.until("all is done", p.settled)
		for _, table := range Personal {
			p.set(table.Erase, 1)
		}
		p.tx(func(q db.Q) error { return p.Look(t.Context(), q) })
		p.until("both documents are deleted there", func() bool {
			return !slices.ContainsFunc(p.far.Submissions(), func(s fake.Submission) bool { return !s.Deleted })
		})
		if got := p.statuses(); !slices.Equal(got, []Status{Deleted, Deleted}) {
			t.Errorf("got %v", got)
		}
		if _, err := p.ViewerURL(t.Context(), 3, "x"); !fault.Is(err, fault.Conflict) {
			t.Errorf("got %v", err)
		}
	})
}

// What an action is just sending is deleted there only once its run has ended and its
// place there is known.
func TestWhatIsBeingSentIsForgottenAfterwards(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPlace(t, d, fake.Options{Percent: 99})
		p.terms()
		p.handIn(1, yes())
		p.set(`UPDATE jobs SET state = 'running' WHERE kind = 'tii_action'`)
		p.set(`UPDATE tii_submissions SET forget = TRUE`)
		for _, want := range [][]Status{{Created, Created}, {Deleted, Deleted}} {
			if err := p.deleteLost(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := p.statuses(); !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
			p.set(`UPDATE jobs SET state = 'available' WHERE kind = 'tii_action'`)
		}
	})
}
