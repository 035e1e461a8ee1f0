package app

import (
	"context"
	"strings"
	"testing"

	"lectern/internal/platform/backup"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/files"
)

// onItsWay moves the demo as far as its records are there.
func onItsWay(t *testing.T, tell func(backup.Progress)) *backup.Move {
	t.Helper()
	ctx := t.Context()
	m := &backup.Move{From: filled(t, "sqlite"), To: place(t, "postgres"), Tell: tell}
	if err := m.Fits(ctx); err != nil {
		t.Fatal(err)
	}
	if _, _, err := m.Files(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Records(ctx); err != nil {
		t.Fatal(err)
	}
	return m
}

// What arrived otherwise than it was sent is noticed, and the source stays in use.
func TestAMoveReadsBackWhatItBrought(t *testing.T) {
	m := onItsWay(t, silent)
	if err := m.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	run := func(text string) func(context.Context) error {
		return func(ctx context.Context) error {
			return m.To.DB.Tx(ctx, func(q db.Q) error { _, err := db.Exec(ctx, q, text); return err })
		}
	}
	for _, c := range []struct { // one after the other: what is wrong stays wrong
		what  string
		spoil func(context.Context) error
		want  string
	}{
		{"a file that is lost", func(ctx context.Context) error {
			hash, err := db.One[string](ctx, m.To.DB.Pool(), `SELECT min(hash) FROM blobs`)
			if err != nil {
				return err
			}
			return m.To.Files.Delete(ctx, files.Hash(*hash))
		}, "the new file store lacks the file"},
		{"a row that differs", run(`UPDATE task_comments SET comment = comment || ' ' WHERE id = 7`),
			"the table task_comments has other rows"},
		{"a row that is lost", run(`DELETE FROM comment_reads WHERE task_comment_id = 7`),
			"the table comment_reads has"},
		{"an id that would be given twice", run(`SELECT setval(pg_get_serial_sequence('users', 'id'), 5)`),
			"it goes on with other ids"},
	} {
		if err := c.spoil(t.Context()); err != nil {
			t.Fatal(c.what, err)
		}
		if err := m.Verify(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("of %s it says %v, not %q", c.what, err, c.want)
		}
	}
	if err := m.From.DB.Here(t.Context()); err != nil {
		t.Error(err)
	}
}

// What another command writes to the source meanwhile is not lost: the move is not done, and brings
// it when it is begun again.
func TestAMoveLosesNothingThatIsWrittenMeanwhile(t *testing.T) {
	dbtest.Long(t)
	ctx := t.Context()
	m := onItsWay(t, silent)
	if err := m.From.DB.Tx(ctx, func(q db.Q) error {
		_, err := db.Exec(ctx, q, `UPDATE users SET nickname = 'Written meanwhile' WHERE username = 'atutor'`)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if err := m.Leave(ctx, db.Moved{}); err == nil || !strings.Contains(err.Error(), "while it was moved") {
		t.Errorf("the move ended with %v", err)
	}
	for _, c := range []struct {
		d    *db.DB
		want string
	}{{m.From.DB, ""}, {m.To.DB, "has not arrived"}} {
		if err := c.d.Here(ctx); (err == nil) != (c.want == "") ||
			err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("it says %v, not %q", err, c.want)
		}
	}
	again := &backup.Move{From: m.From, To: m.To, Tell: silent}
	if err := again.Fits(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := again.Records(ctx); err != nil {
		t.Fatal(err)
	}
	if err := again.Verify(ctx); err != nil {
		t.Fatal(err)
	}
	if err := again.Leave(ctx, db.Moved{Database: "postgres://there"}); err != nil {
		t.Fatal(err)
	}
	name, err := db.One[string](ctx, m.To.DB.Pool(), `SELECT nickname FROM users WHERE username = 'atutor'`)
	if err != nil || *name != "Written meanwhile" {
		t.Errorf("%v %v", name, err)
	}
	if err := m.To.DB.Here(ctx); err != nil {
		t.Error(err)
	}
	if err := m.From.DB.Here(ctx); err == nil || !strings.Contains(err.Error(), "postgres://there") {
		t.Errorf("the source says %v", err)
	}
}

// Where another installation is on its way, no second one goes.
func TestTwoInstallationsDoNotMoveToOnePlace(t *testing.T) {
	first := onItsWay(t, silent)
	second := &backup.Move{From: filled(t, "sqlite"), To: first.To, Tell: silent}
	if err := second.Fits(t.Context()); err == nil ||
		!strings.Contains(err.Error(), "another installation is on its way") {
		t.Errorf("it says %v", err)
	}
}
