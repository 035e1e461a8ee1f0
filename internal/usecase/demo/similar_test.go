package demo

import (
	"fmt"
	"log/slog"
	"testing"

	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/files"
	"lectern/internal/platform/jobs"
	"lectern/internal/teaching/similarity"
	"lectern/internal/teaching/submit"
)

// The service itself finds who copied, and nobody else.
func TestCopiedWorkIsFound(t *testing.T) {
	d := dbtest.New(t, "sqlite", nil)
	ctx := t.Context()
	store, err := files.Open(ctx, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	signer, err := submit.NewKeys(d, nil).Signer(ctx)
	if err != nil {
		t.Fatal(err)
	}
	desk := &submit.Service{Files: store, Service: "Test", Received: similarity.Received}
	if err := d.Tx(ctx, func(q db.Q) error {
		_, err := Fill(ctx, q, "seal", desk, signer)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	s := &similarity.Service{DB: d, Files: store, Log: slog.New(slog.DiscardHandler)}
	ids, err := db.All[int64](ctx, d.Pool(), `SELECT CAST(args ->> 'submission_id' AS BIGINT) FROM jobs
		WHERE kind = 'similarity' ORDER BY id`)
	if err != nil || len(ids) != 8 {
		t.Fatalf("%d submissions to compare, %v", len(ids), err)
	}
	for _, id := range ids {
		if err := s.Compare(ctx, jobs.Job{}, similarity.Args{SubmissionID: id}); err != nil {
			t.Fatal(err)
		}
	}
	first, err := db.One[int64](ctx, d.Pool(), `SELECT class_id FROM similarity_prints LIMIT 1`)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Refresh(ctx, jobs.Job{}, similarity.RefreshArgs{First: *first}); err != nil {
		t.Fatal(err)
	}
	found, err := db.All[string](ctx, d.Pool(), `SELECT u.username FROM task_similarities m
		JOIN projects p ON p.id = m.project_id JOIN users u ON u.id = p.user_id WHERE m.flagged ORDER BY u.username`)
	if err != nil {
		t.Fatal(err)
	}
	if want := "[student_0 student_2 student_6 student_7]"; fmt.Sprint(found) != want {
		t.Fatalf("found %v, want %v", found, want)
	}
}
