package app

import (
	"context"
	"path/filepath"
	"syscall"
	"time"

	"lectern/internal/platform/health"
	"lectern/internal/usecase"
)

// How often what costs more is looked at while somebody reads, and how long that may take.
const (
	seldom     = 10 * time.Minute
	veryRare   = time.Hour
	thorough   = 2 * time.Minute
	onceAWhile = time.Minute
)

// checks are those of the doctor, on what this process has open.
func (a *App) checks() *health.Monitor {
	look := func(name string, f func(context.Context, *Settings) []finding) health.Check {
		return health.Check{Name: name, Look: func(ctx context.Context) []finding { return f(ctx, a.settings()) }}
	}
	rare := func(every, within time.Duration, c health.Check) health.Check {
		c.Every, c.Within = every, within
		return c
	}
	return health.New(time.Now,
		look("settings", func(_ context.Context, s *Settings) []finding { return checkSettings(s) }),
		rare(veryRare, thorough, look("database", a.checkDatabase)), // reads all of a SQLite file
		look("admins", func(ctx context.Context, s *Settings) []finding { return checkAdministrators(ctx, a.db, s) }),
		look("paused", func(ctx context.Context, _ *Settings) []finding { return checkPaused(ctx, a.db) }),
		look("mail", checkMailServer),
		rare(onceAWhile, 0, look("files", func(ctx context.Context, s *Settings) []finding {
			_, f := lookAtFiles(ctx, s)
			return []finding{f}
		})),
		rare(veryRare, thorough, look("records", a.checkRecords)),
		look("backups", func(ctx context.Context, s *Settings) []finding {
			return []finding{checkBackups(ctx, a.db, s.BackupEvery)}
		}),
		look("certificate", func(_ context.Context, s *Settings) []finding { return checkCertificates(s, time.Now()) }),
		look("disk", func(_ context.Context, s *Settings) []finding { return []finding{checkDisk(s)} }),
		look("writing", func(_ context.Context, s *Settings) []finding { return []finding{checkSync(s)} }),
		rare(onceAWhile, 0, look("saml", checkSAML)),
		rare(onceAWhile, 0, look("oidc", checkOIDC)),
		rare(onceAWhile, 0, look("ldap", checkLDAP)),
		rare(seldom, thorough, look("engine", checkEngine)), // runs a container
		rare(onceAWhile, 0, look("similarity", checkOutside)),
	)
}

// settings are those the service has at this moment.
func (a *App) settings() *Settings {
	s := a.Settings
	if now, _, err := a.keeper.now(nil); err == nil { // what takes effect without a restart
		s.SMTPURL, s.MailDir, s.MailFrom = now.SMTPURL, now.MailDir, now.MailFrom
	}
	return &s
}

// checkDatabase looks at the database that this process works on.
func (a *App) checkDatabase(ctx context.Context, s *Settings) []finding {
	f := finding{What: "database", Saw: "SQLite in " + filepath.Clean(s.Data)}
	if s.DatabaseURL != "" {
		f.Saw = "PostgreSQL"
	}
	h, err := a.db.Health(ctx)
	if err != nil {
		f.Saw, f.Bad = err.Error(), true
		f.Advice = "Restore from a backup, or ask for help before writing to it."
		return []finding{f}
	}
	f.Saw += ", version " + h.Version
	return []finding{f, schemaFinding(h), clockFinding(h)}
}

// checkRecords looks for a sample of the files on record.
func (a *App) checkRecords(ctx context.Context, _ *Settings) []finding {
	schema, err := a.db.Schema(ctx)
	if err != nil {
		return []finding{{What: "records", Saw: err.Error(), Bad: true}}
	}
	return []finding{checkRecords(ctx, a.db, a.files, schema, false)}
}

// disk tells how full the disk of the data directory is.
func (a *App) disk() (*usecase.Disk, error) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(existing(a.Data), &st); err != nil {
		return nil, err
	}
	block := int64(st.Bsize) //nolint:unconvert // its type differs between systems
	// Of what is used, those who are no superuser can write the rest.
	used := int64(st.Blocks-st.Bfree) * block
	free := int64(st.Bavail) * block
	return &usecase.Disk{Free: free, Total: used + free}, nil
}
