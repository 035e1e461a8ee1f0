package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/waittest"
	"lectern/internal/platform/backup"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/files"
	"lectern/internal/platform/files/s3test"
)

// A service with --backup-every makes its first backup as it starts, and tells of it in the
// metrics and by the doctor, which is not content with one that is too old or failed.
func TestServeMakesBackupsByItself(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, engine string) {
		to := filepath.Join(t.TempDir(), "backups")
		s := Settings{Addr: "127.0.0.1:0", Storage: Storage{Data: t.TempDir()}, LogLevel: 12, Workers: 1,
			StopAfter: time.Minute, Backups: Backups{BackupEvery: time.Hour, BackupTo: to, BackupUnencrypted: true,
				BackupKeep: "2d"}}
		if engine == "postgres" {
			s.DatabaseURL = dbtest.Address(t, engine)
		}
		a, err := New(t.Context(), s, &bytes.Buffer{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- a.Serve(ctx) }()
		waittest.Until(t, "the first backup", func() bool {
			all, err := backup.Sets(t.Context(), to)
			return err == nil && len(all) == 1 && strings.Contains(said(t, a), "lectern_backup_bytes ")
		})
		waittest.Until(t, "its state", func() bool { return !strings.Contains(said(t, a), "lectern_backup_bytes 0") })
		if text := said(t, a); !strings.Contains(text, "lectern_backup_failed_timestamp_seconds 0") ||
			strings.Contains(text, "lectern_backup_made_timestamp_seconds 0") {
			t.Error(text)
		}
		if f := checkBackups(ctx, a.db, time.Hour); f.Bad || !strings.Contains(f.Saw, "old, of") {
			t.Errorf("%+v", f)
		}
		if err := a.db.Tx(ctx, func(q db.Q) error {
			return backup.Erased(ctx, q, backup.Erasure{Kind: backup.ErasedPerson, ID: 1})
		}); err != nil {
			t.Fatal(err)
		}
		waittest.Until(t, "the note of an erasure", func() bool {
			notes, err := os.ReadDir(filepath.Join(to, "erased"))
			return err == nil && len(notes) == 1
		})
		aged(t, a.db, 3*time.Hour)
		if f := checkBackups(ctx, a.db, time.Hour); !f.Bad || !strings.Contains(f.Advice, "--backup-every") {
			t.Errorf("an old one: %+v", f)
		}
		if err := backup.Record(ctx, a.db, time.Now(), "", nil, errors.New("no room")); err != nil {
			t.Fatal(err)
		}
		if f := checkBackups(ctx, a.db, 0); !f.Bad || !strings.Contains(f.Saw, "no room") || f.Advice == "" {
			t.Errorf("a failed one: %+v", f)
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// said is what the metrics say.
func said(t *testing.T, a *App) string {
	t.Helper()
	w := httptest.NewRecorder()
	a.metrics.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	return w.Body.String()
}

// aged lets the last backup have been made so long ago.
func aged(t *testing.T, d *db.DB, by time.Duration) {
	t.Helper()
	s, err := backup.StateOf(t.Context(), d.Pool())
	if err != nil {
		t.Fatal(err)
	}
	made := &backup.Manifest{Made: *s.Made}
	made.Made.Time = made.Made.Add(-by)
	if err := backup.Record(t.Context(), d, time.Now(), s.Name, made, nil); err != nil {
		t.Fatal(err)
	}
}

// What cannot be right of backups is said before the service starts.
func TestSettingsOfBackupsAreChecked(t *testing.T) {
	for want, s := range map[string]Backups{
		"":                      {BackupTo: "anywhere"}, // for lectern backup
		"less than a minute":    {BackupEvery: time.Second, BackupTo: "x", BackupUnencrypted: true},
		"give --backup-to":      {BackupEvery: time.Hour, BackupUnencrypted: true},
		"--backup-unencrypted":  {BackupEvery: time.Hour, BackupTo: "s3://k:s@host/bucket"},
		"location of a bucket":  {BackupEvery: time.Hour, BackupTo: "s3://host", BackupUnencrypted: true},
		"say which backups are": {BackupEvery: time.Hour, BackupTo: "x", BackupUnencrypted: true, BackupKeep: "all"},
	} {
		if err := s.check(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

// Retention removes old backups and the files that only they had, on a disk and in a bucket, and
// what is cut off in the middle of it leaves those that are kept whole.
func TestOldBackupsAreRemoved(t *testing.T) {
	dbtest.Long(t)
	for name, to := range map[string]func(t *testing.T) string{
		"directory": func(t *testing.T) string { return t.TempDir() },
		"bucket":    func(t *testing.T) string { return s3test.Location(s3test.Start(t), "/backups/") },
	} {
		t.Run(name, func(t *testing.T) {
			from := filled(t, "sqlite")
			lose := addFiles(t, from, 5)
			m := backup.Maker{Dir: to(t)}
			var counts []int64
			for n := range 3 {
				m.Keep = backup.Rule{}
				if n == 2 {
					m.Keep = backup.Rule{Days: 1}
					lose()
				}
				_, made, err := m.Make(t.Context(), from)
				if err != nil {
					t.Fatal(err)
				}
				counts = append(counts, made.FileCount)
			}
			all, err := backup.Sets(t.Context(), m.Dir)
			if err != nil || len(all) != 1 {
				t.Fatalf("kept are %v: %v", all, err)
			}
			if err := whole(t, m.Dir, nil); err != nil {
				t.Error(err)
			}
			if n := int64(countFiles(t, m.Dir)); n != counts[2] || n != counts[0]-5 {
				t.Errorf("the place has %d files, the backups had %v", n, counts)
			}
		})
	}
}

// addFiles adds files that no work refers to yet, and gives the way to let go of them.
func addFiles(t *testing.T, from backup.Installation, n int) (lose func()) {
	t.Helper()
	ctx := t.Context()
	var hashes []string
	if err := from.DB.Tx(ctx, func(q db.Q) error {
		var rows [][]any
		for i := range n {
			info, err := from.Files.Put(ctx, strings.NewReader(fmt.Sprint("file ", i)))
			if err != nil {
				return err
			}
			hashes = append(hashes, string(info.Hash))
			rows = append(rows, []any{string(info.Hash), info.Size, q.Now()})
		}
		return db.Insert(ctx, q, "blobs (hash, size, touched_at)", "", rows)
	}); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := from.DB.Tx(ctx, func(q db.Q) error {
			list, args := db.In(nil, hashes)
			_, err := db.Exec(ctx, q, `DELETE FROM blobs WHERE hash IN `+list, args...)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// countFiles tells how many files a place has for all its backups.
func countFiles(t *testing.T, location string) (n int) {
	t.Helper()
	if !backup.IsBucket(location) {
		return len(allFiles(t, filepath.Join(location, "files")))
	}
	o, err := files.OpenObjects(location)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Each(t.Context(), "files/", func(string) error { n++; return nil }); err != nil {
		t.Fatal(err)
	}
	return n
}

// A retention that is cut off after any number of removals leaves the newest backup whole.
func TestRetentionMayBeCutOff(t *testing.T) {
	from := filled(t, "sqlite")
	lose := addFiles(t, from, 5)
	m := backup.Maker{Dir: t.TempDir()}
	if _, _, err := m.Make(t.Context(), from); err != nil {
		t.Fatal(err)
	}
	lose()
	ctx, cancel := context.WithCancel(t.Context())
	m.Keep = backup.Rule{Days: 1}
	m.Progress = func(p backup.Progress) {
		if p.Doing == "old files" && p.Done == 2 {
			cancel()
		}
	}
	before := countFiles(t, m.Dir)
	name, _, err := m.Make(ctx, from)
	if err == nil || name == "" || !strings.Contains(err.Error(), "older ones were not removed") {
		t.Fatalf("%s: %v", name, err)
	}
	if n := countFiles(t, m.Dir); n >= before || n <= before-5 {
		t.Errorf("%d files are %d: it was not cut off in the middle", before, n)
	}
	if err := whole(t, m.Dir, nil); err != nil {
		t.Errorf("cut off: %v", err)
	}
	if _, _, err := m.Make(t.Context(), from); err != nil {
		t.Fatal(err)
	}
	if n := countFiles(t, m.Dir); n != before-5 {
		t.Errorf("the next leaves %d files of %d", n, before)
	}
	if err := whole(t, m.Dir, nil); err != nil {
		t.Errorf("after the next: %v", err)
	}
}
