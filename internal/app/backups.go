package app

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"filippo.io/age"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/backup"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/teaching/submit"
	"lectern/internal/usecase/privacy"
)

// errPaused is what is said of a call that a paused installation does not make.
var errPaused = fault.New(fault.Unavailable, "this installation is paused and calls no other service; "+
	"lectern resume ends that")

// notPaused refuses what reaches others while the installation is paused.
func (a *App) notPaused(ctx context.Context) error {
	why, err := db.Paused(ctx, a.db.Pool())
	if err == nil && why != "" {
		err = errPaused
	}
	return err
}

// tellPaused says at the start that nothing goes out, and why; receipts tell of a restore, too.
func (a *App) tellPaused(ctx context.Context) error {
	if err := submit.TellRestart(ctx, a.db); err != nil {
		return fmt.Errorf("note the restore: %w", err)
	}
	why, err := db.Paused(ctx, a.db.Pool())
	if why != "" {
		a.log.Warn("paused: no email is sent and no other service is called until lectern resume", "why", why)
	}
	return err
}

// checkPaused tells of an installation that reaches nobody.
func checkPaused(ctx context.Context, d *db.DB) []finding {
	why, err := db.Paused(ctx, d.Pool())
	switch {
	case err != nil:
		return []finding{{What: "paused", Saw: err.Error(), Bad: true}}
	case why != "":
		return []finding{{What: "paused", Bad: true, Saw: "no email is sent and no other service is called: " + why,
			Advice: "lectern resume ends that, when what it is a copy of runs no more."}}
	}
	return nil
}

// BackupPlan says where backups go and how they are made.
type BackupPlan struct {
	To         string        // a directory, or s3://…
	Key        age.Recipient // nil: not encrypted
	Keep       backup.Rule   // which are kept
	ReceiptKey string        // the file of a key that signs receipts, when it is not kept with the records
}

// BackupKey reads the public key of backups, or nil where they are not to be encrypted. What has
// neither is refused.
func BackupKey(recipient string, unencrypted bool, option string) (age.Recipient, error) {
	switch {
	case recipient != "" && unencrypted:
		return nil, fmt.Errorf("give --%[1]srecipient or --%[1]sunencrypted, not both", option)
	case recipient != "":
		key, err := age.ParseX25519Recipient(strings.TrimSpace(recipient))
		if err != nil {
			return nil, fmt.Errorf("--%srecipient is no public key: it begins with age1, and lectern backup-key "+
				"makes one", option)
		}
		return key, nil
	case !unencrypted:
		return nil, fmt.Errorf("give --%[1]srecipient, the public key of your backups, which lectern backup-key "+
			"makes; or --%[1]sunencrypted", option)
	}
	return nil, nil //nolint:nilnil // none is wanted
}

// Backup copies the installation as it is now, and tells how far it is.
func Backup(ctx context.Context, s *Storage, p BackupPlan, tell func(backup.Progress)) (string, *backup.Manifest,
	error) {
	d, err := OpenDatabase(ctx, s)
	if err != nil {
		return "", nil, err
	}
	defer d.Close()
	if have, err := d.Schema(ctx); err != nil || have.Applied == 0 {
		return "", nil, errors.Join(err, errors.New("the database is empty: lectern serve has not used it yet"))
	}
	store, err := files.Existing(ctx, s.Files())
	if err != nil {
		return "", nil, err
	}
	return p.make(ctx, s, d, store, tell)
}

// make makes a backup and notes how that went.
func (p *BackupPlan) make(ctx context.Context, s *Storage, d *db.DB, store files.Store,
	tell func(backup.Progress)) (name string, made *backup.Manifest, err error) {
	why, err := db.Paused(ctx, d.Pool())
	if err == nil && why != "" {
		err = fmt.Errorf("this installation is paused, because %s: its backups would mix with those of what it is a "+
			"copy of; lectern resume ends that", why)
	}
	if err != nil {
		return "", nil, err
	}
	began := time.Now()
	own, err := ownFiles(s, p.ReceiptKey)
	if err == nil {
		m := backup.Maker{Dir: p.To, Key: p.Key, Keep: p.Keep, Progress: tell}
		name, made, err = m.Make(ctx, backup.Installation{DB: d, Files: store, Program: Built().String(),
			Settings: own})
	}
	if made == nil && (ctx.Err() != nil || errors.Is(err, backup.ErrBusy)) {
		return "", nil, err // it was stopped, or need not be made: it did not fail
	}
	return name, made, errors.Join(err, backup.Record(context.WithoutCancel(ctx), d, began, name, made, err))
}

// The files of an installation's own, as they are called in the data directory.
const (
	settingsFile   = "settings.env"
	receiptKeyFile = "receipt.key"
)

// ownFiles reads the secrets beside the records that an encrypted backup holds: the settings, and
// the key of receipts where it is in a file.
func ownFiles(s *Storage, receiptKey string) (map[string][]byte, error) {
	own := map[string][]byte{}
	for name, path := range map[string]string{settingsFile: filepath.Join(s.Data, settingsFile),
		receiptKeyFile: cmp.Or(receiptKey, filepath.Join(s.Data, receiptKeyFile))} {
		text, err := os.ReadFile(path) //nolint:gosec // the operator's choice
		switch {
		case err == nil:
			own[name] = text
		case !errors.Is(err, fs.ErrNotExist) || receiptKey == path:
			return nil, fmt.Errorf("read what is the installation's own: %w", err)
		}
	}
	return own, nil
}

// Restore brings a backup back into a place that is empty, without the people who were erased since it
// was made. What is restored is paused. It names the files of its own that it wrote into the data directory.
func Restore(ctx context.Context, s *Storage, b *backup.Backup, tell func(backup.Progress)) ([]string, error) {
	d, err := connect(ctx, s, db.Options{})
	if err != nil {
		return nil, err
	}
	defer d.Close()
	store, err := files.Open(ctx, s.Files())
	if err != nil {
		return nil, err
	}
	into := backup.Installation{DB: d, Files: store}
	if err := b.Fits(ctx, into); err != nil {
		return nil, err
	}
	wrote, err := restoreOwn(ctx, s, b)
	if err != nil {
		return nil, err
	}
	if err := b.Restore(ctx, into, tell); err != nil {
		return nil, err
	}
	_, err = privacy.EraseAgain(ctx, d)
	return wrote, err
}

// restoreOwn writes the files of the installation's own. One that is there with another content is
// somebody else's, and is not touched.
func restoreOwn(ctx context.Context, s *Storage, b *backup.Backup) (wrote []string, err error) {
	all, err := b.Settings(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{settingsFile, receiptKeyFile} {
		path := filepath.Join(s.Data, name)
		have, err := os.ReadFile(path) //nolint:gosec // the operator's choice
		if err == nil && all[name] != nil && !bytes.Equal(have, all[name]) {
			return nil, fmt.Errorf("%s is there already: a backup is restored into an empty place only", path)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	for _, name := range []string{settingsFile, receiptKeyFile} {
		if all[name] == nil {
			continue
		}
		path := filepath.Join(s.Data, name)
		if err := errors.Join(os.MkdirAll(s.Data, 0o700), os.WriteFile(path, all[name], 0o600)); err != nil {
			return nil, err
		}
		wrote = append(wrote, path)
	}
	return wrote, nil
}

// Resume ends the pause of an installation, and tells why it was paused and whose erasure waits another day:
// those in a backup may have been cancelled since it was made.
func Resume(ctx context.Context, s *Storage) (why string, leaving []string, err error) {
	d, err := OpenDatabase(ctx, s)
	if err != nil {
		return "", nil, err
	}
	defer d.Close()
	err = d.Tx(ctx, func(q db.Q) (err error) {
		if why, err = db.Paused(ctx, q); err != nil || why == "" {
			return err
		}
		if leaving, err = privacy.PostponeErasures(ctx, q); err != nil {
			return err
		}
		_, err = db.Resume(ctx, q)
		return err
	})
	return why, leaving, err
}

// Proof is what a backup was found to hold.
type Proof struct {
	Took     time.Duration
	Rows     int64
	Receipts int64
	Audit    *audit.Verdict
	Pages    int // of the document that was made; 0: there was nothing to make one of
}

// Prove restores a backup into a place of its own, which it removes again, and looks at what is
// there: every row and every file, the audit log with its signatures, and every receipt. It makes a
// document of the newest work, as the service would.
func Prove(ctx context.Context, b *backup.Backup, tell func(backup.Progress)) (*Proof, error) {
	begun := time.Now()
	dir, err := os.MkdirTemp("", "lectern-restore-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	d, err := db.Open(filepath.Join(dir, "lectern.db"), db.Options{})
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if err := b.Rebuild(ctx, d, tell); err != nil {
		return nil, err
	}
	p := &Proof{}
	for _, t := range b.Manifest.Tables {
		p.Rows += t.Rows
	}
	keys, err := submit.PublicKeys(ctx, d.Pool())
	if err != nil {
		return nil, err
	}
	if p.Receipts, err = submit.VerifyAll(ctx, d.Pool(), keys); err != nil {
		return nil, err
	}
	if p.Audit, err = audit.Verify(ctx, d, keys.Check, nil, func(int64) {}); err != nil {
		return nil, fmt.Errorf("read the audit log: %w", err)
	}
	if !p.Audit.Sound() {
		return nil, fmt.Errorf("the audit log of the backup was tampered with: %s", p.Audit.Problems[0])
	}
	if p.Pages, err = tryDocument(ctx, b, d, filepath.Join(dir, "files")); err != nil {
		return nil, err
	}
	p.Took = time.Since(begun)
	return p, nil
}

// tryDocument makes the document of the newest submission from its files in the backup.
func tryDocument(ctx context.Context, b *backup.Backup, d *db.DB, dir string) (pages int, err error) {
	id, hashes, err := submit.NewestFiles(ctx, d.Pool())
	if err != nil || id == 0 {
		return 0, err
	}
	store, err := files.Open(ctx, dir)
	if err != nil {
		return 0, err
	}
	if err := b.Fetch(ctx, hashes, store); err != nil {
		return 0, err
	}
	docs := &submit.Documents{DB: d, Files: store, Institution: "Lectern"}
	return docs.Try(ctx, id)
}

// Words tells what was proven.
func (p *Proof) Words(m *backup.Manifest) string {
	const moment = "2 January 2006, 15:04 UTC"
	text := fmt.Sprintf("The backup of %s is sound: %d records, %d files (%s), %d receipts and %d entries of the "+
		"audit log, restored in %s.", m.Made.UTC().Format(moment), p.Rows, m.FileCount, bounds.SizeText(m.FileBytes),
		p.Receipts, p.Audit.Last, p.Took.Round(time.Second/10))
	if m.Newest != nil {
		text += fmt.Sprintf("\nThe newest record is of %s, %s ago.", m.Newest.Format(moment),
			time.Since(*m.Newest).Round(time.Minute))
	}
	if p.Pages > 0 {
		text += fmt.Sprintf("\nThe newest work became a document of %d pages.", p.Pages)
	}
	return text
}
