package jobs

import (
	"context"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

// Schedule gives the last moment at or before now at which a periodic job is due.
type Schedule func(now time.Time) time.Time

// DailyAt is due every day at that time of day in UTC.
func DailyAt(hour, minute int) Schedule {
	return func(now time.Time) time.Time {
		now = now.UTC()
		due := time.Date(now.Year(), now.Month(), now.Day(), hour, minute, 0, 0, time.UTC)
		if due.After(now) {
			due = due.AddDate(0, 0, -1)
		}
		return due
	}
}

// WeeklyAt is due on that day of every week at that time of day in UTC.
func WeeklyAt(day time.Weekday, hour, minute int) Schedule {
	daily := DailyAt(hour, minute)
	return func(now time.Time) time.Time {
		due := daily(now)
		return due.AddDate(0, 0, -(int(due.Weekday()-day)+7)%7)
	}
}

// Each is due at every multiple of d, the same moments in every instance.
func Each(d time.Duration) Schedule {
	return func(now time.Time) time.Time { return now.UTC().Truncate(d) }
}

type periodic struct {
	name string
	at   Schedule
	args Args
	last time.Time // the last moment known to be dealt with, by whichever instance
}

// Every enqueues a at the moments of the schedule, each once however many
// instances run. When none ran at the last moment, that is made good at the next
// start; earlier ones, and those before the very first start, are not. The name
// is remembered in the database.
func (qu *Queue) Every(name string, at Schedule, a Args) {
	qu.periodic = append(qu.periodic, &periodic{name: name, at: at, args: a})
}

func (qu *Queue) enqueueDue(ctx context.Context) {
	for _, p := range qu.periodic {
		due := p.at(qu.now().Time)
		if !due.After(p.last) {
			continue
		}
		if err := qu.enqueueOnce(ctx, p, clock.At(due)); err != nil {
			qu.log.ErrorContext(ctx, "cannot enqueue a periodic job; will try again", "name", p.name, "err", err)
			continue
		}
		p.last = due
	}
}

// enqueueOnce enqueues p for the moment due if this instance is the one that
// moves the remembered moment on.
func (qu *Queue) enqueueOnce(ctx context.Context, p *periodic, due clock.Time) error {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	return qu.db.Tx(ctx, func(q db.Q) error {
		if p.last.IsZero() {
			_, err := db.Exec(ctx, q, `INSERT INTO job_schedules (name, due_at) VALUES ($1, $2)
				ON CONFLICT DO NOTHING`, p.name, due)
			if err != nil {
				return err
			}
		}
		n, err := db.Exec(ctx, q, `UPDATE job_schedules SET due_at = $2 WHERE name = $1 AND due_at < $2`, p.name, due)
		if err != nil || n == 0 {
			return err
		}
		_, err = Enqueue(ctx, q, p.args, Options{})
		return err
	})
}
