package app

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/backup"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/files"
	"lectern/internal/usecase/privacy"
)

// usernameOf is what a person is called in a database.
func usernameOf(t *testing.T, d *db.DB, id int64) string {
	t.Helper()
	name, err := db.One[string](t.Context(), d.Pool(), `SELECT username FROM users WHERE id = $1`, id)
	if err != nil {
		t.Fatal(err)
	}
	return *name
}

// studentOf is a student with work in a filled installation.
func studentOf(t *testing.T, d *db.DB) int64 {
	t.Helper()
	id, err := db.One[int64](t.Context(), d.Pool(), `SELECT id FROM users WHERE username = 'student_1'`)
	if err != nil {
		t.Fatal(err)
	}
	return *id
}

// Who was erased after a backup was made is erased in what is restored from it before anybody is
// served, also where the restore was cut off before it came to that; who only has got the number of
// an erased person is not.
func TestErasuresAfterABackupAreDoneAgain(t *testing.T) {
	dbtest.Long(t)
	dbtest.Engines(t, func(t *testing.T, engine string) {
		ctx, from := t.Context(), filled(t, engine)
		dir, name := backedUp(t, from, nil)
		id := studentOf(t, from.DB)
		if _, err := privacy.Erase(ctx, from.DB, id, true); err != nil {
			t.Fatal(err)
		}
		m := backup.Maker{Dir: dir}
		if err := m.Note(ctx, from.DB); err != nil {
			t.Fatal(err)
		}
		s := Storage{Data: t.TempDir()}
		if engine == "postgres" {
			s.DatabaseURL = dbtest.Address(t, engine)
		}
		restoredOnly(t, &s, dir, name)
		a, err := New(ctx, Settings{Addr: "127.0.0.1:0", Storage: s, LogLevel: 12}, &bytes.Buffer{})
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		if got := usernameOf(t, a.db, id); !strings.HasPrefix(got, "erased-") {
			t.Errorf("it is served with %s", got)
		}
		if n, err := privacy.EraseAgain(ctx, a.db); n != 0 || err != nil {
			t.Errorf("once more: %d, %v", n, err)
		}
	})
}

// restoredOnly brings a backup back and stops there, as if the power went.
func restoredOnly(t *testing.T, s *Storage, dir, name string) {
	t.Helper()
	ctx := t.Context()
	b, err := backup.Open(ctx, dir, name, nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := connect(ctx, s, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	store, err := files.Open(ctx, s.Files())
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Restore(ctx, backup.Installation{DB: d, Files: store}, silent); err != nil {
		t.Fatal(err)
	}
	if all, err := backup.ToErase(ctx, d.Pool()); err != nil || len(all) != 1 {
		t.Errorf("to erase first are %v: %v", all, err)
	}
}

// The next backup notes an erasure, too, and every byte of the note counts.
func TestNotesOfErasuresAreWhole(t *testing.T) {
	ctx, from := t.Context(), filled(t, "sqlite")
	dir, _ := backedUp(t, from, nil)
	if _, err := privacy.Erase(ctx, from.DB, studentOf(t, from.DB), false); err != nil {
		t.Fatal(err)
	}
	m := backup.Maker{Dir: dir}
	if _, _, err := m.Make(ctx, from); err != nil {
		t.Fatal(err)
	}
	notes := allFiles(t, filepath.Join(dir, "erased"))
	if len(notes) != 1 {
		t.Fatalf("there are %v", notes)
	}
	text, err := os.ReadFile(notes[0])
	if err != nil {
		t.Fatal(err)
	}
	for i := range text {
		bad := bytes.Clone(text)
		bad[i] ^= 1
		if err := os.WriteFile(notes[0], bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if whole(t, dir, nil) == nil {
			t.Errorf("byte %d was changed and nothing noticed it", i)
		}
	}
	if err := os.WriteFile(notes[0], text, 0o600); err != nil || whole(t, dir, nil) != nil {
		t.Error("it is not as it was")
	}
}

// Who came after an erasure, with the number of the erased person, is not erased: after a restore
// numbers are given again.
func TestANumberThatWasGivenAgainIsNotErased(t *testing.T) {
	ctx, from := t.Context(), filled(t, "sqlite")
	dir, _ := backedUp(t, from, nil)
	id := studentOf(t, from.DB)
	if err := from.DB.Tx(ctx, func(q db.Q) error {
		if err := backup.Erased(ctx, q, backup.Erasure{Kind: backup.ErasedPerson, ID: id}); err != nil {
			return err
		}
		_, err := db.Exec(ctx, q, `UPDATE users SET created_at = $2 WHERE id = $1`, id, clock.At(q.Now().Add(time.Hour)))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	m := backup.Maker{Dir: dir}
	if _, _, err := m.Make(ctx, from); err != nil {
		t.Fatal(err)
	}
	b, err := backup.Open(ctx, dir, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	into := place(t, "sqlite")
	if err := b.Restore(ctx, into, silent); err != nil {
		t.Fatal(err)
	}
	if n, err := privacy.EraseAgain(ctx, into.DB); n != 0 || err != nil || usernameOf(t, into.DB, id) != "student_1" {
		t.Errorf("%d were erased: %v", n, err)
	}
}
