package usecase

import (
	"os"
	"path/filepath"
	"testing"

	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/files"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/work"
)

// desk is a service with a student of a unit and a tutor of hers, asked by no
// face: what it refuses, every face refuses.
type desk struct {
	*testing.T
	*Service
	student, tutor *access.Caller
	at             work.TaskRef
}

func newDesk(t *testing.T, d *db.DB) *desk {
	t.Helper()
	store, err := files.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	k := &desk{T: t, Service: New(Config{DB: d, Files: store})}
	err = d.Tx(t.Context(), func(q db.Q) error {
		w := newTeaching(t, q)
		p := w.enrolled(w.id["units"])
		k.at = work.TaskRef{ProjectID: p.id, DefinitionID: w.id["task_definitions"]}
		tutor := w.put("users", person.set.with(w.known("Tom")).with(record{"username": "tom",
			"email": "tom@example.edu", "student_id": "78"}))
		w.put("unit_roles", w.at.with(record{"unit_id": w.id["units"], "user_id": tutor, "role": 2}))
		k.student = w.as(p.user, policy.Student, access.Scope{Project: p.id})
		k.tutor = w.as(tutor, policy.Tutor, access.Scope{Project: p.id})
		_, err := db.Exec(t.Context(), q, `UPDATE task_definitions SET group_set_id = NULL, due_date = $1,
			target_date = $1, upload_requirements = '[{"key":"file0","name":"Notes","type":"code"}]'`,
			day("2999-01-01"))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// upload gives a file as a face would hand it over.
func (k *desk) upload(name, text string) Upload {
	k.Helper()
	path := filepath.Join(k.TempDir(), "upload")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		k.Fatal(err)
	}
	return Upload{Name: name, Size: int64(len(text)), Open: func() (*os.File, error) { return os.Open(path) }}
}

func (k *desk) handIn(who *access.Caller, key string, sent map[string]Upload) (*submit.Result, error) {
	return k.HandIn(k.Context(), who, submit.Request{ProjectID: k.at.ProjectID, DefinitionID: k.at.DefinitionID,
		Key: key}, sent)
}

// A submission is a version with its receipt, and the same request twice is one.
func TestHandingInTwiceIsOneSubmission(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		k := newDesk(t, d)
		sent := map[string]Upload{"file0": k.upload("notes.md", "# Notes\n")}
		first, err := k.handIn(k.student, "key-1", sent)
		if err != nil || first.TaskStatus != status.ReadyForFeedback || first.Receipt == nil {
			t.Fatalf("%+v %v", first, err)
		}
		again, err := k.handIn(k.student, "key-1", sent)
		if err != nil || again.SubmissionID != first.SubmissionID {
			t.Errorf("again: %+v %v", again, err)
		}
		other := map[string]Upload{"file0": k.upload("notes.md", "# Other notes\n")}
		if _, err := k.handIn(k.student, "key-1", other); !fault.Is(err, fault.Conflict) {
			t.Errorf("other work under the same key: %v", err)
		}
		if next, err := k.handIn(k.student, "", other); err != nil || next.SubmissionID == first.SubmissionID {
			t.Errorf("another version: %+v %v", next, err)
		}
	})
}

// Nothing is stored of work that is refused.
func TestWorkIsRefusedBeforeItIsStored(t *testing.T) {
	k := newDesk(t, dbtest.New(t, "sqlite", nil))
	notes := k.upload("notes.md", "# Notes\n")
	for name, sent := range map[string]map[string]Upload{"no file": {}, "another file": {"file0": notes, "file1": notes},
		"not its kind": {"file0": k.upload("notes.md", "\x7fELF\x02\x01\x01\x00\x00")}} {
		if _, err := k.handIn(k.student, "", sent); err == nil || fault.Is(err, fault.Internal) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := k.handIn(k.student, "a\nb", map[string]Upload{"file0": notes}); !fault.Is(err, fault.Invalid) {
		t.Errorf("a key of two lines: %v", err)
	}
	err := k.Files.List(t.Context(), func(i files.Info) error {
		t.Errorf("stored: %v", i)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
