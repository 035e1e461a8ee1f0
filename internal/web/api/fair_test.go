package api

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/waittest"
	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
	"lectern/internal/teaching/submit"
)

// TestSupersededDocumentsAreDropped hands in three times: only the newest version
// waits for its document, unless an older one is being made or is still somebody's
// newest.
func TestSupersededDocumentsAreDropped(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code")
		hand := func() {
			w.later(time.Minute)
			w.do("student", "POST "+submission, upload{nil, []part{code}}).status(201)
		}
		hand()
		hand()
		states := func() string {
			return strings.Join(w.rows(`SELECT state || coalesce(' ' || reason, '') AS v FROM submissions ORDER BY id`),
				", ")
		}
		const gone = "failed a newer version was handed in before this document was made"
		if got := states(); got != gone+", queued" || w.count(`jobs WHERE kind = 'document'`) != 1 {
			t.Errorf("after two: %s", got)
		}
		w.set(`UPDATE jobs SET state = 'running', lease_until = run_at WHERE kind = 'document'`)
		w.set(`UPDATE submissions SET state = 'processing' WHERE state = 'queued'`)
		hand()
		if got := states(); got != gone+", processing, queued" || w.count(`jobs WHERE kind = 'document'`) != 2 {
			t.Errorf("after three: %s", got)
		}
		w.made()
		w.do("student", "GET "+submission, nil).status(200)
	})
}

// TestAGroupsOlderWorkIsStillSomebodysNewest shows that the document of a group is
// made as long as one member has handed in nothing newer.
func TestAGroupsOlderWorkIsStillSomebodysNewest(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("mate", "POST "+strings.ReplaceAll(submission, "student", "mate"), `{}`).status(201)
		members := w.number(`SELECT max(id) FROM tasks`)
		w.later(time.Minute)
		w.do("student", "POST "+submission, `{}`).status(201)
		id := w.number(`SELECT max(id) FROM submissions`)
		w.set(`INSERT INTO submission_tasks (task_id, at, submission_id, pct, pts) SELECT $1, at, id, 50, 3
			FROM submissions WHERE id = $2`, members, id)
		w.later(time.Minute)
		w.do("student", "POST "+submission, `{}`).status(201)
		if got := strings.Join(w.rows(`SELECT state AS v FROM submissions ORDER BY id`),
			", "); got != "queued, queued, queued" {
			t.Errorf("the documents are %s", got)
		}
	})
}

// TestOneStudentsUploadsDelayNobody lets 300 documents of one student wait, for
// as many tasks, and shows that another's is made within the time of three.
func TestOneStudentsUploadsDelayNobody(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("student", "POST "+submission, `{}`).status(201)
		first := w.number(`SELECT max(id) FROM submissions`)
		w.waiting(first, 300)
		begun, let := make(chan int64), make(chan bool)
		docs := &submit.Documents{DB: w.db, Files: w.api.files, Institution: "x"}
		qu := jobs.New(w.db, slog.New(slog.DiscardHandler), jobs.Config{Workers: 1, Poll: 5 * time.Millisecond})
		jobs.Register(qu, func(ctx context.Context, job jobs.Job, a submit.DocumentArgs) error {
			begun <- a.SubmissionID
			if !<-let {
				return jobs.Snooze(time.Hour)
			}
			return docs.Make(ctx, job, a)
		}, submit.JobLimits)
		qu.Start(t.Context())
		<-begun
		theirs := "/api/projects/{project:other}/task_def_id/{defA1}/submission"
		id := int64(w.do("other", "POST "+theirs, `{}`).status(201).object()["submission_id"].(float64))
		w.eventually("it stands in line", func() bool {
			return w.count(`jobs WHERE turn IS NULL AND state = 'available'`) == 0
		})
		made := 0
		for now := first; now != id; made++ {
			let <- true
			now = <-begun
		}
		let <- true
		go func() {
			for range begun {
				let <- false
			}
		}()
		w.eventually("the document is there", func() bool {
			return w.do("other", "GET "+theirs, nil).Code == 200
		})
		if made > 2 {
			t.Errorf("another student's document was number %d", made+1)
		}
		if err := qu.Stop(t.Context()); err != nil {
			t.Error(err)
		}
		close(begun)
	})
}

// TestTheStreamTellsPlacesInLine lets a student listen while their document waits
// behind those of another: the stream tells how many come first, and when it is no
// longer in line.
func TestTheStreamTellsPlacesInLine(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := w.instance(t, 50*time.Millisecond)
		begun, let := make(chan bool), make(chan bool)
		qu := jobs.New(w.db, slog.New(slog.DiscardHandler), jobs.Config{Workers: 1, Poll: 5 * time.Millisecond})
		jobs.Register(qu, func(_ context.Context, _ jobs.Job, _ submit.DocumentArgs) error {
			begun <- true
			<-let
			return nil
		}, submit.JobLimits)
		qu.Start(t.Context())
		w.do("student", "POST "+submission, `{}`).status(201)
		<-begun
		w.do("mate", "POST "+strings.ReplaceAll(submission, "student", "mate"), `{}`).status(201)
		w.eventually("mate's stands in line", func() bool { return w.count(`job_units`) == 1 })
		member := w.connect(t, at, "mate", "", "")
		member.expect("ready")
		first := member.expect("queue")
		if !strings.Contains(first.data, `"kind":"document"`) || !strings.Contains(first.data, `"ahead":0`) {
			t.Errorf("mate hears %+v", first)
		}
		other := w.connect(t, at, "other", "", "")
		other.expect("ready")
		id := int64(w.do("other", "POST "+strings.ReplaceAll(submission, "student", "other"),
			`{}`).status(201).object()["submission_id"].(float64))
		got := other.queue()
		if want := fmt.Sprintf(`"args":{"submission_id":%d},"ahead":1`, id); !strings.Contains(got, want) {
			t.Errorf("other hears %s, want %s", got, want)
		}
		let <- true
		<-begun
		if got := other.queue(); !strings.Contains(got, `"ahead":0`) {
			t.Errorf("then other hears %s", got)
		}
		let <- true
		<-begun
		if got := other.queue(); got != `{"jobs":[]}` {
			t.Errorf("in the end other hears %s", got)
		}
		let <- true
		if err := qu.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// queue gives what the next event about places in line says.
func (c *client) queue() string {
	c.t.Helper()
	for {
		h, ok := c.next()
		if !ok {
			c.t.Fatal("the stream ended")
		}
		if h.name == "queue" {
			return h.data
		}
	}
}

// TestUploadsAreLimitedByTheHour hands in as often as a person may, with and without
// files: one more is refused before a byte of it is stored, and others go on.
func TestUploadsAreLimitedByTheHour(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.api.usecases.MostUploads = 3
		w.asks("code")
		hand := func(who string) *answered {
			return w.do(who, "POST /api/projects/{project:"+who+"}/task_def_id/{defA1}/submission",
				upload{nil, []part{code}})
		}
		for range 3 {
			hand("student").status(201)
			w.later(10 * time.Minute)
		}
		refused := hand("student").status(429).says("3 times within an hour", "Wait 30 minutes before")
		if got := refused.Header().Get("Retry-After"); got != "1800" {
			t.Errorf("Retry-After %q", got)
		}
		r := w.request("student", "POST "+submission,
			upload{nil, []part{{"file0", "x.py", strings.Repeat("x", 1<<20)}}})
		body := r.Body
		w.send(r, "a large one").status(429)
		if rest, err := io.Copy(io.Discard, body); err != nil || rest < 900<<10 {
			t.Errorf("only %d bytes of a megabyte were left unread: %v", rest, err)
		}
		w.asks()
		w.do("student", "POST "+submission, `{}`).status(429)
		w.asks("code")
		hand("other").status(201)
		w.later(30*time.Minute + time.Second)
		hand("student").status(201)
		hand("student").status(429)
		w.api.usecases.MostUploads = 0
		hand("student").status(201)
	})
}

// waiting copies a submission with its job n times, as if made for other tasks.
func (w *world) waiting(id int64, n int) {
	w.Helper()
	var list []submit.DocumentArgs
	for i := range n {
		copied := id + 1000 + int64(i)
		w.set(`INSERT INTO submissions (id, unit_id, task_id, user_id, at, parts) SELECT $1, unit_id, task_id, user_id,
			at, parts FROM submissions WHERE id = $2`, copied, id)
		list = append(list, submit.DocumentArgs{SubmissionID: copied})
	}
	err := w.db.Tx(w.Context(), func(q db.Q) error {
		return jobs.EnqueueEach(w.Context(), q, list, func(submit.DocumentArgs) jobs.For {
			return jobs.For{Unit: w.id["unitA"], Person: w.id["student"]}
		})
	})
	if err != nil {
		w.Fatal(err)
	}
}

// eventually waits for a condition.
func (w *world) eventually(what string, ok func() bool) {
	w.Helper()
	waittest.Until(w, what, ok)
}
