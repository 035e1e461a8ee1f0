package usecase

import (
	"log/slog"
	"testing"

	"lectern/internal/connect/notify"
	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/mail"
	"lectern/internal/teaching/trash"
)

// mailed gives a desk whose installation sends mails.
func mailed(t *testing.T, d *db.DB) *desk {
	t.Helper()
	k := newDesk(t, d)
	sender, err := mail.NewDirectory(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m, err := notify.NewMailer(t.Context(), d, slog.New(slog.DiscardHandler), notify.Config{Sender: sender,
		Product: "Lectern", PublicURL: "https://learn.example.edu", From: "lectern@example.edu"})
	if err != nil {
		t.Fatal(err)
	}
	c := k.Config
	c.Mailer = m
	k.Service = New(c)
	return k
}

// admin is an administrator before the desk's unit.
func (k *desk) admin() *access.Caller {
	k.Helper()
	unit, err := db.One[int64](k.Context(), k.DB.Pool(), `SELECT unit_id FROM projects WHERE id = $1`, k.at.ProjectID)
	if err != nil {
		k.Fatal(err)
	}
	who, err := access.Resolve(k.Context(), k.DB.Pool(), access.Caller{ID: k.tutor.ID, Role: policy.Admin},
		access.Scope{Unit: *unit})
	if err != nil {
		k.Fatal(err)
	}
	return who
}

func (k *desk) count(what string) int64 {
	k.Helper()
	n, err := db.One[int64](k.Context(), k.DB.Pool(), `SELECT count(*) FROM `+what)
	if err != nil {
		k.Fatal(err)
	}
	return *n
}

// deleteAndRestore lets the student's work be deleted with its task, and restored.
func (k *desk) deleteAndRestore() {
	k.Helper()
	if _, err := k.handIn(k.student, "", map[string]Upload{"file0": k.upload("notes.md", "# Notes\n")}); err != nil {
		k.Fatal(err)
	}
	who := k.admin()
	if err := k.DeleteDefinition(k.Context(), who, k.at.DefinitionID, true); err != nil {
		k.Fatal(err)
	}
	list, err := trash.Of(k.Context(), k.DB.Pool(), who.UnitID)
	if err != nil || len(list) != 1 {
		k.Fatal(list, err)
	}
	if _, err := k.RestoreDeleted(k.Context(), who, who.UnitID, list[0].ID); err != nil {
		k.Fatal(err)
	}
}

// Whichever face deletes or restores, the students hear of it by a mail and an event.
func TestStudentsAreToldOfDeletedAndRestoredWork(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		k := mailed(t, d)
		k.deleteAndRestore()
		if mails, heard := k.count("mails"), k.count("events WHERE kind = 'deletion'"); mails != 2 || heard != 2 {
			t.Errorf("%d mails and %d events", mails, heard)
		}
	})
}

// An installation without mail drops what it would send, and refuses only what stands on
// an answer to it.
func TestAnInstallationWithoutMailDropsIt(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		k := newDesk(t, d)
		if k.Mailer == nil || k.Mailer.Sends() {
			t.Fatalf("the mailer is %v", k.Mailer)
		}
		k.deleteAndRestore()
		if mails, heard := k.count("mails"), k.count("events WHERE kind = 'deletion'"); mails != 0 || heard != 2 {
			t.Errorf("%d mails and %d events", mails, heard)
		}
		if err := k.Forgot(t.Context(), k.student, "tom"); !fault.Is(err, fault.Unavailable) {
			t.Errorf("a forgotten password: %v", err)
		}
	})
}
