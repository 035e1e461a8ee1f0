package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"filippo.io/age"
	"github.com/prometheus/client_golang/prometheus"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/clock"
	"lectern/internal/platform/backup"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/platform/jobs"
)

// Backups says where the service makes backups by itself, and how often.
type Backups struct {
	BackupEvery       time.Duration `default:"0s" help:"How often a backup is made, such as 24h; 0s for never."`
	BackupTo          string        `secret:"" placeholder:"PLACE" help:"Directory of backups, or s3://key:secret@host/bucket/…"`
	BackupRecipient   string        `placeholder:"age1…" help:"Public key that backups are encrypted for."`
	BackupUnencrypted bool          `help:"Make backups that whoever has them can read."`
	BackupKeep        string        `placeholder:"RULE" help:"Which backups are kept, such as 7d,4w,12m; all when empty."`
}

// leastEvery is the shortest time between backups: a shorter one is a mistake.
const leastEvery = time.Minute

func (s *Backups) check() error {
	if s.BackupEvery == 0 {
		return nil
	}
	if s.BackupEvery < leastEvery {
		return fmt.Errorf("--backup-every %s is less than a minute", s.BackupEvery)
	}
	if s.BackupTo == "" {
		return errors.New("--backup-every needs a place: give --backup-to")
	}
	if backup.IsBucket(s.BackupTo) {
		if _, err := files.OpenObjects(s.BackupTo); err != nil {
			return fmt.Errorf("--backup-to: %w", err)
		}
	}
	_, err := s.plan()
	return err
}

// plan is what the settings ask of each backup.
func (s *Backups) plan() (p BackupPlan, err error) {
	p.To = s.BackupTo
	var key age.Recipient
	if key, err = BackupKey(s.BackupRecipient, s.BackupUnencrypted, "backup-"); err != nil {
		return p, err
	}
	p.Key = key
	if p.Keep, err = backup.ParseRule(s.BackupKeep); err != nil {
		return p, fmt.Errorf("--backup-keep: %w", err)
	}
	return p, nil
}

// backupArgs ask for a backup.
type backupArgs struct{}

// Kind implements jobs.Args.
func (backupArgs) Kind() string { return "backup" }

// openBackups makes the queue that makes backups, if this service does: one that takes long delays
// nothing else.
func (a *App) openBackups() {
	if a.BackupEvery == 0 {
		return
	}
	a.backups = jobs.New(a.db, a.log, jobs.Config{Workers: 1})
	jobs.Register(a.backups, a.backUp, jobs.Limits{Timeout: day, Concurrency: 1, Outside: true})
	a.backups.Every("backup", jobs.Each(a.BackupEvery), backupArgs{})
}

// startBackups begins to make backups. Where the last one is too old, the first is made at once.
func (a *App) startBackups(ctx context.Context) error {
	if err := backup.Plan(ctx, a.db, a.BackupEvery); err != nil || a.backups == nil {
		return err
	}
	if err := a.db.Tx(ctx, func(q db.Q) error {
		if recent, err := a.backedUp(ctx, q, a.BackupEvery); err != nil || recent {
			return err
		}
		_, err := jobs.Enqueue(ctx, q, backupArgs{}, jobs.Options{Unique: "backup"})
		return err
	}); err != nil {
		return err
	}
	a.backups.Start(a.live)
	return nil
}

// backedUp tells whether there is a backup that is no older.
func (a *App) backedUp(ctx context.Context, q db.Q, than time.Duration) (bool, error) {
	s, err := backup.StateOf(ctx, q)
	return err == nil && s.Made != nil && s.FailedAt == nil && q.Now().Sub(s.Made.Time) < than, err
}

// backUp makes a backup, unless another instance just made one. It ends when the service stops: an
// unfinished one is no backup, and is made anew.
func (a *App) backUp(ctx context.Context, _ jobs.Job, _ backupArgs) error {
	if recent, err := a.backedUp(ctx, a.db.Pool(), a.BackupEvery/2); err != nil || recent {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(a.live, cancel)()
	p, err := a.plan()
	if err != nil {
		return err
	}
	p.ReceiptKey = a.ReceiptKey
	name, made, err := p.make(ctx, &a.Storage, a.db, a.files, func(backup.Progress) {})
	if err != nil {
		return err
	}
	a.log.InfoContext(ctx, "backup made", "name", name, "files", made.FileCount)
	return nil
}

// noteErasures writes beside the backups who was erased, where their place is known.
func (a *App) noteErasures(ctx context.Context, _ jobs.Job, _ backup.NoteArgs) error {
	p, err := a.plan()
	if a.BackupTo == "" || err != nil {
		return nil //nolint:nilerr // whoever makes the backups does it then
	}
	m := backup.Maker{Dir: p.To, Key: p.Key}
	return m.Note(ctx, a.db)
}

// overdue is after how many times --backup-every a backup is missed.
const overdue = 2

// checkBackups tells of backups that are old or fail.
func checkBackups(ctx context.Context, d *db.DB, every time.Duration) finding {
	f := finding{What: "backups"}
	s, err := backup.StateOf(ctx, d.Pool())
	if err != nil {
		return finding{What: "backups", Saw: err.Error(), Bad: true}
	}
	const how = "lectern backup makes one, or lectern serve by itself with --backup-every."
	switch {
	case s.Made == nil:
		f.Saw, f.Advice, f.Bad = "none was made yet", how, every > 0
	default:
		age := time.Duration(*s.Age) * time.Second
		f.Saw = fmt.Sprintf("the last is %s, %s old, of %s", s.Name, age.Round(time.Minute), bounds.SizeText(s.Bytes))
		if every > 0 && age > overdue*every {
			f.Bad, f.Advice = true, "It should be at most "+every.String()+" old: see that lectern serve or lectern "+
				"worker runs with --backup-every, and look at its log."
		}
	}
	if s.FailedAt != nil {
		f.Bad = true
		f.Saw += fmt.Sprintf("; the try of %s failed: %s", s.FailedAt.UTC().Format("2 January, 15:04 UTC"), *s.Error)
		f.Advice = "Mend that, then make one with lectern backup; the next one by itself comes in time, too."
	}
	return f
}

// backupMetrics tells how the backups are doing, from the database: the same in every instance.
type backupMetrics struct {
	db                           *db.DB
	made, failed, seconds, bytes *prometheus.Desc
}

func newBackupMetrics(d *db.DB) *backupMetrics {
	desc := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc("lectern_backup_"+name, help, nil, nil)
	}
	return &backupMetrics{d, desc("made_timestamp_seconds", "When the last backup was made; 0: never."),
		desc("failed_timestamp_seconds", "When the last try failed; 0: none did since the last backup."),
		desc("seconds", "How long the last backup took."), desc("bytes", "Size of the last backup.")}
}

// Describe implements prometheus.Collector.
func (m *backupMetrics) Describe(c chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{m.made, m.failed, m.seconds, m.bytes} {
		c <- d
	}
}

// Collect implements prometheus.Collector. Of a database that does not answer it tells nothing.
func (m *backupMetrics) Collect(c chan<- prometheus.Metric) {
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Second)
	defer stop()
	s, err := backup.StateOf(ctx, m.db.Pool())
	if err != nil {
		return
	}
	tell := func(d *prometheus.Desc, v float64) { c <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v) }
	tell(m.made, stamp(s.Made))
	tell(m.failed, stamp(s.FailedAt))
	tell(m.seconds, s.Seconds)
	tell(m.bytes, float64(s.Bytes))
}

// stamp is a moment as metrics have it; 0 where there is none.
func stamp(at *clock.Time) float64 {
	if at == nil {
		return 0
	}
	return float64(at.Unix())
}
