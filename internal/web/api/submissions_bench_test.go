package api

import (
	"context"
	"testing"
	"time"

	"lectern/internal/platform/db"
)

// BenchmarkHandIn measures one upload of a small file, from the request to the
// answer, and prints how many statements it takes.
func BenchmarkHandIn(b *testing.B) {
	for _, engine := range []string{"sqlite", "postgres"} {
		b.Run(engine, func(b *testing.B) {
			w := newWorld(b, engine)
			w.asks("code")
			n := 0
			for b.Loop() {
				w.later(time.Second)
				r := w.request("student", "POST "+submission, upload{nil, []part{code}})
				ctx, _ := db.Counting(context.WithoutCancel(r.Context()), func(string) { n++ })
				w.send(r.WithContext(ctx), "hand in").status(201)
			}
			b.ReportMetric(float64(n)/float64(b.N), "statements/op")
		})
	}
}
