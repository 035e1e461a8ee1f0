package jobs_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"lectern/internal/ground/waittest"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/jobs"
)

// ask is a job of a fair kind.
type ask struct {
	Unit   int64 `json:"unit"`
	Person int64 `json:"person"`
	N      int   `json:"n"`
}

func (ask) Kind() string { return "ask" }

func (a ask) whose() jobs.For { return jobs.For{Unit: a.Unit, Person: a.Person} }

func (a ask) String() string { return fmt.Sprintf("%d.%d.%d", a.Unit, a.Person, a.N) }

func enqueueAsks(t testing.TB, d *db.DB, list ...ask) {
	t.Helper()
	err := d.Tx(t.Context(), func(q db.Q) error { return jobs.EnqueueEach(t.Context(), q, list, ask.whose) })
	if err != nil {
		t.Fatal(err)
	}
}

// desk works asks, one at a time, and notes their order.
type desk struct {
	*jobs.Queue
	mu    sync.Mutex
	order []string
	begun chan ask
	let   chan error // gives each its result; nil lets all pass
}

func newDesk(t *testing.T, d *db.DB, stepwise bool) *desk {
	t.Helper()
	c := brisk
	c.Workers = 1
	k := &desk{Queue: jobs.New(d, quiet, c)}
	if stepwise {
		k.begun, k.let = make(chan ask), make(chan error)
	}
	jobs.Register(k.Queue, func(_ context.Context, _ jobs.Job, a ask) error {
		k.mu.Lock()
		k.order = append(k.order, a.String())
		k.mu.Unlock()
		if k.begun == nil {
			return nil
		}
		k.begun <- a
		return <-k.let
	}, jobs.Limits{Fair: true})
	return k
}

func many(unit, person int64, n int) []ask {
	list := make([]ask, n)
	for i := range list {
		list[i] = ask{unit, person, i}
	}
	return list
}

// TestUnitsAndPeopleTakeTurns enqueues one unit's jobs before another's, and one
// person's before another's: the units alternate, and inside each the people do.
func TestUnitsAndPeopleTakeTurns(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *db.DB) {
		enqueueAsks(t, d, slices.Concat(many(1, 1, 4), many(1, 2, 2), many(2, 1, 3), many(3, 9, 1))...)
		k := newDesk(t, d, false)
		k.Start(t.Context())
		defer stop(t, k.Queue)
		waittest.Until(t, "all are done", func() bool { return count(t, d, jobs.Done) == 10 })
		want := "1.1.0 2.1.0 3.9.0 1.2.0 2.1.1 1.1.1 2.1.2 1.2.1 1.1.2 1.1.3"
		if got := strings.Join(k.order, " "); got != want {
			t.Errorf("the order was\n%s, want\n%s", got, want)
		}
		if n, err := db.One[int64](t.Context(), d.Pool(), `SELECT count(*) FROM job_units`); err != nil || *n != 0 {
			t.Errorf("%v units are left in line: %v", n, err)
		}
	})
}

// TestNewcomersWaitForOneRound lets somebody come while 300 jobs of one person
// wait: theirs is begun within the time of three, again and again, and the other
// goes on, too.
func TestNewcomersWaitForOneRound(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *db.DB) {
		enqueueAsks(t, d, many(1, 1, 300)...)
		k := newDesk(t, d, true)
		k.Start(t.Context())
		<-k.begun
		for round := range 5 {
			enqueueAsks(t, d, ask{1, 2, round}, ask{2, 1, round})
			waittest.Until(t, "they stand in line", func() bool { return unlined(t, d) == 0 })
			var met []string
			for !slices.Contains(met, fmt.Sprintf("1.2.%d", round)) || !slices.Contains(met, fmt.Sprintf("2.1.%d", round)) {
				k.let <- nil
				a := <-k.begun
				met = append(met, a.String())
			}
			if len(met) > 3 {
				t.Errorf("newcomers of round %d waited for %v", round, met)
			}
		}
		if n := len(slices.DeleteFunc(k.order, func(s string) bool { return !strings.HasPrefix(s, "1.1.") })); n < 5 {
			t.Errorf("only %d jobs of the first were begun: newcomers starve them", n)
		}
		go func() {
			for range k.begun {
				k.let <- nil
			}
		}()
		k.let <- nil
		stop(t, k.Queue)
		close(k.begun)
	})
}

func unlined(t *testing.T, d *db.DB) int64 {
	t.Helper()
	n, err := db.One[int64](t.Context(), d.Pool(), `SELECT count(*) FROM jobs WHERE state = 'available' AND turn IS NULL`)
	if err != nil {
		t.Fatal(err)
	}
	return *n
}

// TestFairKindsAndOthersTakeTurns shows that emails do not wait for a backlog of
// documents.
func TestFairKindsAndOthersTakeTurns(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *db.DB) {
		enqueueAsks(t, d, many(1, 1, 50)...)
		for i := range 5 {
			enqueue(t, d, i, jobs.Options{})
		}
		k := newDesk(t, d, false)
		jobs.Register(k.Queue, func(_ context.Context, _ jobs.Job, n note) error {
			k.mu.Lock()
			defer k.mu.Unlock()
			k.order = append(k.order, fmt.Sprintf("note %d", n.N))
			return nil
		}, jobs.Limits{})
		k.Start(t.Context())
		defer stop(t, k.Queue)
		waittest.Until(t, "all are done", func() bool { return count(t, d, jobs.Done) == 55 })
		if at := slices.Index(k.order, "note 4"); at > 10 {
			t.Errorf("the last of five notes was number %d: %v", at, k.order[:at])
		}
	})
}

// TestFailedFairJobsWaitOutOfLine shows that a job which is to be tried later
// holds up nobody, and comes back.
func TestFailedFairJobsWaitOutOfLine(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			c := newFakeClock()
			d := dbtest.New(t, engine, c.now)
			k := newDesk(t, d, true)
			k.Start(t.Context())
			defer stop(t, k.Queue)
			enqueueAsks(t, d, many(1, 1, 2)...)
			<-k.begun
			k.let <- jobs.Snooze(time.Hour)
			if a := <-k.begun; a.N != 1 {
				t.Errorf("%v was begun", a)
			}
			k.let <- nil
			waittest.Until(t, "one is done", func() bool { return count(t, d, jobs.Done) == 1 })
			c.advance(time.Hour)
			if a := <-k.begun; a.N != 0 {
				t.Errorf("%v was begun", a)
			}
			k.let <- nil
			waittest.Until(t, "both are done", func() bool { return count(t, d, jobs.Done) == 2 })
		})
	}
}

// TestDroppedJobsAreNotBegun drops jobs in line and one at work.
func TestDroppedJobsAreNotBegun(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *db.DB) {
		enqueueAsks(t, d, slices.Concat(many(1, 1, 3), many(2, 1, 1))...)
		k := newDesk(t, d, true)
		k.Start(t.Context())
		defer stop(t, k.Queue)
		<-k.begun
		waittest.Until(t, "they stand in line", func() bool { return unlined(t, d) == 0 })
		list, _, err := jobs.List(t.Context(), d.Pool(), "", 10, 0)
		if err != nil || len(list) != 4 {
			t.Fatal(len(list), err)
		}
		err = d.Tx(t.Context(), func(q db.Q) error {
			gone, err := jobs.Drop(t.Context(), q, []int64{list[0].ID, list[1].ID, list[3].ID})
			if slices.Sort(gone); !slices.Equal(gone, []int64{list[1].ID, list[0].ID}) {
				t.Errorf("%v were dropped of %+v", gone, list)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		k.let <- nil
		if a := <-k.begun; a != (ask{1, 1, 1}) {
			t.Errorf("%v was begun", a)
		}
		k.let <- nil
		waittest.Until(t, "no unit is left in line", func() bool {
			n, err := db.One[int64](t.Context(), d.Pool(), `SELECT count(*) FROM job_units`)
			return err == nil && *n == 0
		})
	})
}

// TestPositions compares what is told with the order in which the jobs are then
// begun.
func TestPositions(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *db.DB) {
		k := newDesk(t, d, true)
		k.Start(t.Context())
		defer stop(t, k.Queue)
		enqueueAsks(t, d, slices.Concat(many(1, 1, 5), many(2, 1, 1), many(2, 2, 2), many(3, 9, 1), many(1, 2, 2))...)
		<-k.begun
		waittest.Until(t, "they stand in line", func() bool { return unlined(t, d) == 0 })
		list, _, err := jobs.List(t.Context(), d.Pool(), jobs.Available, 100, 0)
		if err != nil || len(list) != 10 {
			t.Fatal(len(list), err)
		}
		told := make([]string, len(list))
		for _, r := range list {
			ahead, ok, err := jobs.Position(t.Context(), d.Pool(), r.ID)
			if err != nil || !ok || told[ahead] != "" {
				t.Fatalf("%s: %d %v %v, %v", r.Args, ahead, ok, err, told)
			}
			told[ahead] = string(r.Args)
		}
		own, err := jobs.WaitingOf(t.Context(), d.Pool(), 2)
		if err != nil || len(own) != 4 || string(own[0].Args) != told[own[0].Ahead] {
			t.Errorf("the jobs of person 2: %+v, %v", own, err)
		}
		for _, want := range told {
			k.let <- nil
			a := <-k.begun
			if got := fmt.Sprintf(`{"unit":%d,"person":%d,"n":%d}`, a.Unit, a.Person, a.N); got != want {
				t.Errorf("%s was begun, but %s was told to be next", got, want)
			}
		}
		k.let <- nil
		if ahead, ok, err := jobs.Position(t.Context(), d.Pool(), 987654); ok || err != nil {
			t.Errorf("a job that never was has the position %d, %v", ahead, err)
		}
	})
}

// TestBacklogCountsAndMeasures lets jobs of two units wait known times.
func TestBacklogCountsAndMeasures(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			c := newFakeClock()
			d := dbtest.New(t, engine, c.now)
			k := newDesk(t, d, true)
			enqueueAsks(t, d, slices.Concat(many(1, 1, 11), many(2, 1, 1))...)
			k.Start(t.Context())
			defer stop(t, k.Queue)
			<-k.begun
			for range 10 { // those of unit 1 wait 0 s, 2 s, 3 s … 10 s; between the first two comes the other unit's
				c.advance(time.Second)
				k.let <- nil
				<-k.begun
			}
			for unit, want := range map[int64]string{1: "ask 1 1 10 5 10", 2: "ask 0 0 1 1 1", 0: "ask 1 1 11 5 10", 3: ""} {
				list, err := jobs.Backlog(t.Context(), d.Pool(), unit)
				got := ""
				for _, f := range list {
					got += fmt.Sprint(f.Kind, " ", f.Waiting, f.Running, f.Begun, *f.WaitP50, *f.WaitP95)
				}
				if err != nil || got != want {
					t.Errorf("unit %d: %s, %v; want %s", unit, got, err, want)
				}
			}
			k.let <- nil
			<-k.begun
			k.let <- nil
		})
	}
}

// TestPicksFollowIndexes asks the engines how they would give turns and pick a
// job: never by walking a table.
func TestPicksFollowIndexes(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *db.DB) {
		enqueueAsks(t, d, many(1, 1, 3)...)
		for _, text := range pickTexts(t, d) {
			if plan := dbtest.Plan(t, d, text); walked.MatchString(plan) {
				t.Errorf("%s\n%s walks a table", text, plan)
			}
		}
	})
}

var (
	walked  = regexp.MustCompile(`Seq Scan on job|SCAN (jobs|job_units|j|u)\b`)
	moments = regexp.MustCompile(`(run_at <= |lease_until = |started_at, )\$\d+`)
	names   = regexp.MustCompile(`(kind = |worker = )\$\d+`)
	numbers = regexp.MustCompile(`\$\d+`)
)

// pickTexts gives the statements that give turns and pick a job, with values in
// the place of arguments.
func pickTexts(t *testing.T, d *db.DB) (texts []string) {
	t.Helper()
	c := brisk
	c.Workers = 1
	qu := jobs.New(d, quiet, c)
	goOn := make(chan bool)
	jobs.Register(qu, func(context.Context, jobs.Job, ask) error { <-goOn; return nil }, jobs.Limits{Fair: true})
	ctx, _ := db.Counting(t.Context(), func(text string) {
		if strings.Contains(text, "job") {
			text = names.ReplaceAllString(moments.ReplaceAllString(text, "${1}'2026-01-01'"), "${1}'ask'")
			texts = append(texts, numbers.ReplaceAllString(text, "1"))
		}
	})
	if n, err := jobs.Claim(qu, ctx); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	picked := slices.Clone(texts)
	close(goOn)
	waittest.Until(t, "it is done", func() bool { return count(t, d, jobs.Done) == 1 })
	if len(picked) < 5 {
		t.Fatalf("only %q", picked)
	}
	return picked
}

// BenchmarkPick measures how long it takes to claim a job of a fair kind with a
// hundred, and with a hundred thousand, of two hundred units waiting.
func BenchmarkPick(b *testing.B) {
	for _, engine := range []string{"sqlite", "postgres"} {
		for _, waiting := range []int{100, 100_000} {
			b.Run(fmt.Sprintf("%s/%d", engine, waiting), func(b *testing.B) {
				d := dbtest.New(b, engine, nil)
				list := make([]ask, waiting)
				for i := range list {
					list[i] = ask{int64(i % 200), int64(i % 7001), i}
				}
				for part := range slices.Chunk(list, 1000) {
					enqueueAsks(b, d, part...)
				}
				qu := jobs.New(d, quiet, jobs.Config{Workers: 1})
				over := make(chan bool)
				jobs.Register(qu, func(ctx context.Context, job jobs.Job, _ ask) error {
					err := d.Brief(ctx, func(q db.Q) error { return job.Done(ctx, q) })
					over <- true
					return err
				}, jobs.Limits{Fair: true})
				pick := func() {
					n, err := 0, error(nil)
					for n == 0 && err == nil { // the worker may not have been freed yet
						n, err = jobs.Claim(qu, b.Context())
					}
					if err != nil {
						b.Fatal(err)
					}
					<-over
				}
				pick()
				for b.Loop() {
					b.StopTimer()
					enqueueAsks(b, d, ask{1, 2, 3}) // as many wait as before
					b.StartTimer()
					pick()
				}
			})
		}
	}
}
