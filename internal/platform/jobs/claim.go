package jobs

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

// passing is what PostgreSQL needs to pass over rows that another transaction
// holds. SQLite has one writer at a time and does not know the words.
func passing(q db.Q) string {
	if q.Postgres() {
		return "FOR UPDATE SKIP LOCKED"
	}
	return ""
}

type claimed struct {
	ID          int64      `db:"id"`
	Kind        string     `db:"kind"`
	Args        string     `db:"args"`
	Attempt     int        `db:"attempt"`
	MaxAttempts int        `db:"max_attempts"`
	RunAt       clock.Time `db:"run_at"`
	Suspicion   int        `db:"suspicion"`
}

// claim gives free workers jobs, starts them and tells how many. It looks with a
// reader first, so that an idle queue never takes SQLite's writer. Fair kinds and
// the others, which go by their moments among themselves, take turns: one with a
// long backlog delays none.
func (qu *Queue) claim(ctx context.Context) (int, error) {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	if err := qu.lineUp(ctx); err != nil {
		return 0, err
	}
	free, slots := qu.free()
	if free == 0 {
		return 0, nil
	}
	kinds, err := qu.due(ctx, slots)
	if err != nil || len(kinds) == 0 {
		return 0, err
	}
	var until clock.Time
	var jobs []claimed
	whose, plain := qu.nextKind(kinds)
	err = qu.db.Brief(ctx, func(q db.Q) error {
		until = clock.At(q.Now().Add(qu.conf.Lease))
		if plain != nil {
			jobs, err = take(ctx, q, qu.name, until, plain, slots, free)
		} else {
			jobs, err = takeFair(ctx, q, qu.name, until, whose)
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	for _, c := range jobs {
		qu.start(ctx, c, until.Time)
	}
	return len(jobs), nil
}

// nextKind gives the fair kind whose turn it is, or all the others together. The
// kinds are sorted, and what comes after the last one served is next.
func (qu *Queue) nextKind(kinds []string) (fair string, plain []string) {
	names := []string{}
	for _, name := range kinds {
		if qu.kinds[name].Fair {
			names = append(names, name)
		} else {
			plain = append(plain, name)
		}
	}
	if plain != nil {
		names = append([]string{""}, names...)
	}
	at, served := slices.BinarySearch(names, qu.last)
	if served {
		at++
	}
	qu.last = names[at%len(names)]
	if qu.last == "" {
		return "", plain
	}
	return qu.last, nil
}

// free tells how many jobs can be started, and how many of each kind.
func (qu *Queue) free() (int, map[string]int) {
	qu.mu.Lock()
	defer qu.mu.Unlock()
	all := qu.conf.Workers - len(qu.running)
	slots := map[string]int{}
	for name, k := range qu.kinds {
		slots[name] = k.Concurrency
	}
	for r := range qu.running {
		slots[r.Kind]--
	}
	for name, n := range slots {
		slots[name] = min(n, all)
	}
	return max(all, 0), slots
}

// due gives the kinds with free slots that have a job to run. In an installation that is paused
// those that reach others have none.
func (qu *Queue) due(ctx context.Context, slots map[string]int) ([]string, error) {
	args := []any{qu.now()}
	var rows []string
	for name, n := range slots {
		if n > 0 {
			args = append(args, name, qu.kinds[name].Outside)
			rows = append(rows, fmt.Sprintf("(CAST($%d AS TEXT), CAST($%d AS BOOLEAN))", len(args)-1, len(args)))
		}
	}
	if len(rows) == 0 {
		return nil, nil
	}
	kinds, err := db.All[string](ctx, qu.db.Pool(), `WITH kinds (kind, outside) AS (VALUES `+strings.Join(rows, ", ")+`)
		SELECT kind FROM kinds WHERE (EXISTS (SELECT 1 FROM jobs
			WHERE state = 'available' AND turn IS NULL AND jobs.kind = kinds.kind AND run_at <= $1)
			OR EXISTS (SELECT 1 FROM job_units WHERE job_units.kind = kinds.kind))
			AND NOT (outside AND EXISTS (SELECT 1 FROM installation WHERE name = 'paused'))`, args...)
	slices.Sort(kinds)
	return kinds, err
}

// take claims the oldest jobs of the kinds: at most n, and of each kind as many
// as it has slots. One branch per kind walks the index from its first due job, so a
// backlog of one kind costs the others nothing.
func take(ctx context.Context, q db.Q, worker string, until clock.Time, kinds []string, slots map[string]int,
	n int) ([]claimed, error) {
	args := []any{worker, until, q.Now(), n}
	branches := make([]string, len(kinds))
	for i, name := range kinds {
		args = append(args, name, slots[name])
		branches[i] = fmt.Sprintf(`SELECT * FROM (SELECT id, run_at FROM jobs
			WHERE state = 'available' AND turn IS NULL AND kind = $%d AND run_at <= $3
			ORDER BY run_at, id LIMIT $%d %s) AS b%d`, len(args)-1, len(args), passing(q), i)
	}
	// Materialised, because PostgreSQL may otherwise run the choice once a row
	// and claim more than it should.
	return db.All[claimed](ctx, q, `WITH choice AS MATERIALIZED (
			SELECT id FROM (`+strings.Join(branches, " UNION ALL ")+`) AS due ORDER BY run_at, id LIMIT $4)
		UPDATE jobs SET state = 'running', attempt = attempt + 1, worker = $1, lease_until = $2,
			started_at = coalesce(started_at, $3)
		WHERE id IN (SELECT id FROM choice)
		RETURNING id, kind, args, attempt, max_attempts, run_at, suspicion`, args...)
}

// start runs a claimed job in a goroutine of its own.
func (qu *Queue) start(ctx context.Context, c claimed, until time.Time) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	r := &run{Job: Job{ID: c.ID, Kind: c.Kind, Attempt: c.Attempt, MaxAttempts: c.MaxAttempts},
		queue: qu, args: []byte(c.Args), cancel: cancel, until: until, due: c.RunAt, suspicion: c.Suspicion}
	r.Job.run = r
	qu.mu.Lock()
	defer qu.mu.Unlock()
	qu.running[r] = true
	if qu.stopping {
		cancel(errStopping)
	}
	qu.jobs.Go(func() {
		defer cancel(nil)
		defer qu.forget(r)
		r.work(ctx)
	})
}

// forget frees the worker of r.
func (qu *Queue) forget(r *run) {
	qu.mu.Lock()
	delete(qu.running, r)
	qu.mu.Unlock()
	qu.Wake()
}

// held gives the jobs this instance runs.
func (qu *Queue) held() []*run {
	qu.mu.Lock()
	defer qu.mu.Unlock()
	list := make([]*run, 0, len(qu.running))
	for r := range qu.running {
		list = append(list, r)
	}
	return list
}
