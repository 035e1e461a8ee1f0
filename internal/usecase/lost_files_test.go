package usecase

import (
	"slices"
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/blob"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/files"
)

// A column that refers to files and is forgotten here would lose its work namelessly.
func TestWorkIsNamedForEveryColumnThatRefersToFiles(t *testing.T) {
	var want, got []string
	for _, r := range dbtest.References(t, dbtest.New(t, "sqlite", nil)) {
		if r.To == "blobs" && !r.Goes {
			want = append(want, r.From+"."+r.Column)
		}
	}
	for _, h := range holders {
		got = append(got, h.table+"."+h.column)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) {
		t.Errorf("named are %v, the schema has %v", got, want)
	}
}

func TestWorkOfFilesIsReadOnBothDatabases(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		hash := strings.Repeat("ab", 32)
		err := d.Tx(t.Context(), func(q db.Q) error {
			if err := db.Insert(t.Context(), q, "blobs (hash, size, touched_at)", "",
				[][]any{{hash, int64(7), q.Now()}}); err != nil {
				return err
			}
			if _, err := db.Exec(t.Context(), q, `INSERT INTO units (code, name, description, start_date, end_date,
				created_at, updated_at) VALUES ('COS1', 'U', 'U', '2026-03-02', '2026-06-05', $1, $1)`, q.Now()); err != nil {
				return err
			}
			_, err := db.Exec(t.Context(), q, `INSERT INTO task_definitions (unit_id, name, abbreviation, description,
				weighting, target_grade, start_date, target_date, sheet_hash)
				SELECT id, 'Loops', '2.1P', '', 1, 0, start_date, end_date, $1 FROM units`, hash)
			if err != nil {
				return err
			}
			return ownArchive(t, q, hash)
		})
		if err != nil {
			t.Fatal(err)
		}
		found := int64(3)
		nobodys := blob.Lost{Kept: blob.Kept{Hash: files.Hash(strings.Repeat("cd", 32)), Size: 1}}
		list, err := WorkOfFiles(t.Context(), d.Pool(), []blob.Lost{nobodys,
			{Kept: blob.Kept{Hash: files.Hash(hash), Size: 7}, Found: &found}})
		if err != nil || len(list) != 2 {
			t.Fatalf("%v %v", list, err)
		}
		for i, want := range []string{"of ann: the archive of their own data of 2 March 2026 09:00 UTC",
			"COS1 2.1P: the task sheet"} {
			if got, want := list[i].String(), want+", 3 bytes instead of 7 ("+hash+")"; got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
	})
}

// ownArchive gives somebody an archive of their own data, in that file.
func ownArchive(t *testing.T, q db.Q, hash string) error {
	t.Helper()
	if _, err := db.Exec(t.Context(), q, `INSERT INTO users (username, username_key, email, email_key, first_name,
		last_name, role, created_at, updated_at) VALUES ('ann', 'ann', 'ann@example.org', 'ann@example.org', 'Ann', 'Lee', 1,
		$1, $1)`, q.Now()); err != nil {
		return err
	}
	_, err := db.Exec(t.Context(), q, `INSERT INTO data_exports (user_id, job_id, asked_at, ready_at, hash)
		SELECT id, 1, $1, $2, $3 FROM users`, q.Now(), clock.At(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)), hash)
	return err
}
