package api

import (
	"errors"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/backup"
)

var _ = rights(
	rightRow{"GET /api/admin/backups", "", "admin", nil},
)

// Administrators are told of the last backup, and of a failure until the next one is made.
func TestBackupsTellHowTheyAreDoing(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		var s backup.State
		look := func() {
			t.Helper()
			s = backup.State{}
			w.do("admin", "GET /api/admin/backups", nil).status(200).into(&s)
		}
		if look(); s.Made != nil || s.Age != nil || s.Error != nil || s.Every != nil || s.Name != "" {
			t.Errorf("before the first: %+v", s)
		}
		ctx, now := t.Context(), w.db.Now()
		made := &backup.Manifest{Made: clock.At(now.Add(-time.Hour)), FileCount: 3, FileBytes: 1000,
			Records: backup.Part{Size: 24}, Tables: []backup.Counted{{Table: "users", Rows: 4}, {Table: "units", Rows: 2}}}
		for _, err := range []error{
			backup.Plan(ctx, w.db, 24*time.Hour),
			backup.Record(ctx, w.db, now.Add(-time.Minute), "20261117T081500Z", made, nil),
			backup.Record(ctx, w.db, now.Time, "", nil, errors.New("the disk is full")),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		look()
		if s.Name != "20261117T081500Z" || s.Age == nil || *s.Age < 3590 || *s.Age > 3700 || s.Records != 6 ||
			s.Bytes != 1024 || s.Files != 3 || s.Error == nil || *s.Error != "the disk is full" || s.FailedAt == nil ||
			s.Every == nil || *s.Every != 86400 {
			t.Errorf("after a failure: %+v", s)
		}
		if err := backup.Record(ctx, w.db, now.Time, "20261117T091500Z", made, nil); err != nil {
			t.Fatal(err)
		}
		if look(); s.Error != nil || s.FailedAt != nil || s.Name != "20261117T091500Z" || s.Every == nil {
			t.Errorf("after a success: %+v", s)
		}
	})
}
