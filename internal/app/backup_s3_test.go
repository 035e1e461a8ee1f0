package app

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lectern/internal/platform/backup"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/files"
	"lectern/internal/platform/files/s3test"
)

// A backup in a bucket, of an installation whose files are in one, is restored and proven from
// there; a second one copies no file again.
func TestABackupInABucket(t *testing.T) {
	dbtest.Long(t)
	host, identity := s3test.Start(t), newKey(t)
	dbtest.Engines(t, func(t *testing.T, engine string) {
		ctx := t.Context()
		from := filled(t, engine)
		from.Files = inBucket(t, from.Files, s3test.Location(host, "/files-"+engine+"/"))
		to := s3test.Location(host, "/backups of "+engine+"/")
		m := backup.Maker{Dir: to, Key: identity.Recipient()}
		name, made, err := m.Make(ctx, from)
		if err != nil {
			t.Fatal(err)
		}
		if again, _, err := m.Make(ctx, from); err != nil || again <= name {
			t.Errorf("the second one is %s: %v", again, err)
		}
		if all, err := backup.Sets(ctx, to); err != nil || len(all) != 2 || all[0] != name {
			t.Errorf("there are %v: %v", all, err)
		}
		b, err := backup.Open(ctx, to, name, identity)
		if err != nil {
			t.Fatal(err)
		}
		proof, err := Prove(ctx, b, silent)
		if err != nil {
			t.Fatalf("not proven: %v", err)
		}
		if text := proof.Words(b.Manifest); proof.Pages < 2 || !strings.Contains(text, "became a document of") ||
			!strings.Contains(text, " ago.") || !strings.Contains(text, "restored in") {
			t.Errorf("%d pages: %s", proof.Pages, text)
		}
		into := place(t, engine)
		if err := b.Restore(ctx, into, silent); err != nil {
			t.Fatal(err)
		}
		if got, want := held(t, into), held(t, from); got != want || made.FileCount == 0 {
			t.Errorf("%s are %s", want, got)
		}
		if _, err := backup.Open(ctx, to, "", newKey(t)); err == nil || !strings.Contains(err.Error(), "another key") {
			t.Errorf("with another key: %v", err)
		}
		if _, err := backup.Open(ctx, s3test.Location(host, "/nothing/"), "", identity); err == nil ||
			!strings.Contains(err.Error(), "holds no backups") || strings.Contains(err.Error(), "secret") {
			t.Errorf("where there is none: %v", err)
		}
	})
}

// inBucket copies the files of a store into a bucket.
func inBucket(t *testing.T, from files.Store, location string) files.Store {
	t.Helper()
	ctx := t.Context()
	to, err := files.Open(ctx, location)
	if err != nil {
		t.Fatal(err)
	}
	if err := from.List(ctx, func(i files.Info) error {
		f, err := from.Open(ctx, i.Hash)
		if err != nil {
			return err
		}
		_, err = to.Put(ctx, f)
		return errors.Join(err, f.Close())
	}); err != nil {
		t.Fatal(err)
	}
	return to
}

// The settings and the key of receipts of an installation are in a backup only when it is
// encrypted, and are not put over those of somebody else.
func TestSettingsAreInEncryptedBackupsOnly(t *testing.T) {
	dbtest.Long(t)
	identity := newKey(t)
	from := filled(t, "sqlite")
	from.Settings = map[string][]byte{settingsFile: []byte("LECTERN_SMTP_URL=smtp://secret\n"),
		receiptKeyFile: []byte("the key of receipts\n")}
	plain, _ := backedUp(t, from, nil)
	if b, err := backup.Open(t.Context(), plain, "", nil); err != nil || b.Manifest.Settings != nil {
		t.Errorf("a backup that is not encrypted has settings: %v", err)
	}
	for _, path := range allFiles(t, plain) {
		if text, _ := os.ReadFile(path); strings.Contains(string(text), "the key of receipts") {
			t.Errorf("%s holds the key of receipts", path)
		}
	}
	dir, _ := backedUp(t, from, identity.Recipient())
	b, err := backup.Open(t.Context(), dir, "", identity)
	if err != nil {
		t.Fatal(err)
	}
	s := Storage{Data: t.TempDir()}
	if err := os.WriteFile(filepath.Join(s.Data, receiptKeyFile), []byte("another's"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Restore(t.Context(), &s, b, silent); err == nil || !strings.Contains(err.Error(), "there already") {
		t.Errorf("over the key of somebody else: %v", err)
	}
	if _, err := os.Stat(filepath.Join(s.Data, settingsFile)); err == nil {
		t.Error("a refused restore wrote settings")
	}
	s.Data = t.TempDir()
	if wrote, err := Restore(t.Context(), &s, b, silent); err != nil || len(wrote) != 2 {
		t.Fatalf("it wrote %v: %v", wrote, err)
	}
	own, err := ownFiles(&s, "")
	if err != nil || string(own[settingsFile]) != string(from.Settings[settingsFile]) || len(own) != 2 {
		t.Errorf("the settings are %q: %v", own, err)
	}
}

// While one backup of an installation is made, another is refused.
func TestBackupsAreMadeOneAtATime(t *testing.T) {
	dbtest.Long(t)
	dbtest.Engines(t, func(t *testing.T, engine string) {
		from := filled(t, engine)
		m := backup.Maker{Dir: t.TempDir(), Progress: func(p backup.Progress) {
			if p.Doing == "files" && p.Done == 0 {
				second := backup.Maker{Dir: t.TempDir()}
				if _, _, err := second.Make(t.Context(), from); err == nil || !strings.Contains(err.Error(), "is being made") {
					t.Errorf("a second one meanwhile: %v", err)
				}
			}
		}}
		if _, _, err := m.Make(t.Context(), from); err != nil {
			t.Fatal(err)
		}
	})
}
