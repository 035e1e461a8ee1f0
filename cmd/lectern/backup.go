package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"filippo.io/age"

	"lectern/internal/app"
	"lectern/internal/ground/bounds"
	"lectern/internal/platform/backup"
)

// backupCmd copies an installation while it is in use.
type backupCmd struct {
	app.Storage
	To          string `required:"" secret:"" placeholder:"PLACE" name:"to" env:"LECTERN_BACKUP_TO" help:"Directory of the backups, or s3://key:secret@host/bucket/prefix?region=…."`
	Recipient   string `placeholder:"age1…" env:"LECTERN_BACKUP_RECIPIENT" help:"Public key that backups are encrypted for; lectern backup-key makes one."`
	Unencrypted bool   `env:"LECTERN_BACKUP_UNENCRYPTED" help:"Make a backup that whoever has it can read. The key of receipts and settings.env are left out."`
	Keep        string `placeholder:"RULE" env:"LECTERN_BACKUP_KEEP" help:"Which backups are kept, such as 7d,4w,12m: the newest of each of so many days, weeks and months. All when empty."`
	ReceiptKey  string `placeholder:"FILE" type:"existingfile" help:"File of the key that signs receipts, when serve is told one."`
}

func (c *backupCmd) Run(ctx context.Context) error {
	key, err := app.BackupKey(c.Recipient, c.Unencrypted, "")
	if err != nil {
		return err
	}
	keep, err := backup.ParseRule(c.Keep)
	if err != nil {
		return fmt.Errorf("--keep: %w", err)
	}
	if err := c.There(true); err != nil {
		return err
	}
	behind()
	holdMemory()
	begun := time.Now()
	tell := &telling{out: os.Stderr}
	plan := app.BackupPlan{To: c.To, Key: key, Keep: keep, ReceiptKey: c.ReceiptKey}
	name, made, err := app.Backup(ctx, &c.Storage, plan, tell.progress)
	if err != nil {
		return err
	}
	var rows int64
	for _, t := range made.Tables {
		rows += t.Rows
	}
	fmt.Printf("Backup %s: %d records and %d files (%s) in %s.\n", name, rows, made.FileCount,
		bounds.SizeText(made.FileBytes), time.Since(begun).Round(time.Second/10))
	return nil
}

// backupKeyCmd makes the key that reads encrypted backups.
type backupKeyCmd struct {
	File string `arg:"" help:"New file for the private key. Keep it away from the machine that makes the backups."`
}

func (c *backupKeyCmd) Run() error {
	key, err := age.GenerateX25519Identity()
	if err != nil {
		return err
	}
	f, err := os.OpenFile(c.File, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("make the file of the key: %w", err)
	}
	if _, err := fmt.Fprintf(f, "# Reads the backups made for %s\n%s\n", key.Recipient(), key); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	fmt.Printf("The key is in %s. Without it nobody can read the backups: keep a copy elsewhere.\n", c.File)
	fmt.Printf("Make backups with\n  --recipient %s\n", key.Recipient())
	return nil
}

// restoreCmd brings a backup back, or proves that it could.
type restoreCmd struct {
	app.Storage
	From   string `required:"" secret:"" placeholder:"PLACE" name:"from" env:"LECTERN_BACKUP_TO" help:"Directory of the backups, or s3://key:secret@host/bucket/prefix?region=…."`
	Backup string `placeholder:"NAME" env:"-" help:"Name of the backup; else the newest."`
	Key    string `placeholder:"FILE" type:"existingfile" env:"LECTERN_BACKUP_KEY" help:"File of the private key of encrypted backups."`
	Verify bool   `env:"-" help:"Restore into a place of its own, look at everything, and remove it again."`
}

func (c *restoreCmd) Run(ctx context.Context) error {
	key, err := c.identity()
	if err != nil {
		return err
	}
	b, err := backup.Open(ctx, c.From, c.Backup, key)
	if err != nil {
		return err
	}
	tell := &telling{out: os.Stderr}
	if c.Verify {
		proof, err := app.Prove(ctx, b, tell.progress)
		if err != nil {
			return err
		}
		fmt.Println(proof.Words(b.Manifest))
		return nil
	}
	wrote, err := app.Restore(ctx, &c.Storage, b, tell.progress)
	if err != nil {
		return err
	}
	for _, path := range wrote {
		fmt.Printf("Restored %s, too.\n", path)
	}
	fmt.Printf("The backup %s is restored. It is paused: lectern serve shows everything, but no email is sent and no "+
		"other service is called.\n"+
		"When you are sure that the installation it is a copy of runs no more: lectern resume\n", b.Name)
	return nil
}

// identity reads the private key, where there is one.
func (c *restoreCmd) identity() (age.Identity, error) {
	if c.Key == "" {
		return nil, nil //nolint:nilnil // a backup may need none
	}
	text, err := os.ReadFile(c.Key)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			key, err := age.ParseX25519Identity(line)
			if err != nil {
				return nil, fmt.Errorf("%s holds no key of backups: lectern backup-key makes one", c.Key)
			}
			return key, nil
		}
	}
	return nil, fmt.Errorf("%s holds no key of backups: lectern backup-key makes one", c.Key)
}

// resumeCmd lets a restored installation reach others again.
type resumeCmd struct{ app.Storage }

func (c *resumeCmd) Run(ctx context.Context) error {
	if err := c.There(false); err != nil {
		return err
	}
	why, leaving, err := app.Resume(ctx, &c.Storage)
	if err != nil {
		return err
	}
	if why == "" {
		fmt.Println("The installation is not paused.")
		return nil
	}
	fmt.Println("The installation sends emails and calls other services again. It was paused because " + why + ".")
	if len(leaving) > 0 {
		fmt.Println("Erasures in the backup may have been cancelled after it was made. These wait another 24 hours; " +
			"look at them under Administration, and cancel those that shall not be: " + strings.Join(leaving, ", "))
	}
	return nil
}

// telling shows how far a long command is: as each part of it begins, and then twice a second at most.
type telling struct {
	out   io.Writer
	last  time.Time
	doing string
}

func (t *telling) progress(p backup.Progress) {
	if now := time.Now(); p.Doing != t.doing || now.Sub(t.last) > time.Second/2 {
		t.last, t.doing = now, p.Doing
		fmt.Fprintf(t.out, "%s: %d of %d …\n", p.Doing, p.Done, p.Of)
	}
}
