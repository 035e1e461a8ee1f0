package jobs_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/jobs"
)

// BenchmarkQueue measures the rates of enqueueing and working against those of
// bare transactions with one insert, in one run: read the ratios.
func BenchmarkQueue(b *testing.B) {
	for _, engine := range []string{"sqlite", "postgres"} {
		b.Run(engine, func(b *testing.B) {
			d := dbtest.New(b, engine, nil)
			ctx := b.Context()
			exec := func(text string, args ...any) {
				err := d.Tx(ctx, func(q db.Q) error { _, err := db.Exec(ctx, q, text, args...); return err })
				if err != nil {
					b.Fatal(err)
				}
			}
			exec(`CREATE TABLE IF NOT EXISTS inserts (id BIGINT NOT NULL, n BIGINT NOT NULL)`)
			bare := rate(b, func(i int) { exec(`INSERT INTO inserts (id, n) VALUES ($1, $2)`, i, i) })
			enqueued := rate(b, func(i int) {
				err := d.Tx(ctx, func(q db.Q) error {
					_, err := jobs.Enqueue(ctx, q, note{i}, jobs.Options{})
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
			})
			worked := workAll(b, d)
			b.ReportMetric(bare, "bare/s")
			b.ReportMetric(enqueued, "enqueued/s")
			b.ReportMetric(worked, "worked/s")
			b.ReportMetric(enqueued/bare, "enqueued/bare")
			b.ReportMetric(worked/bare, "worked/bare")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// rate calls f b.N times and gives the calls a second.
func rate(b *testing.B, f func(i int)) float64 {
	begin := time.Now()
	for i := range b.N {
		f(i)
	}
	return float64(b.N) / time.Since(begin).Seconds()
}

// workAll works b.N jobs that end in a transaction of their own, and gives the
// jobs a second.
func workAll(b *testing.B, d *db.DB) float64 {
	qu := jobs.New(d, quiet, jobs.Config{Workers: 8})
	var done atomic.Int64
	over := make(chan bool)
	jobs.Register(qu, func(ctx context.Context, job jobs.Job, _ note) error {
		err := d.Tx(ctx, func(q db.Q) error { return job.Done(ctx, q) })
		if err == nil && done.Add(1) == int64(b.N) {
			close(over)
		}
		return err
	}, jobs.Limits{})
	begin := time.Now()
	qu.Start(b.Context())
	<-over
	worked := float64(b.N) / time.Since(begin).Seconds()
	if err := qu.Stop(b.Context()); err != nil {
		b.Fatal(err)
	}
	return worked
}
