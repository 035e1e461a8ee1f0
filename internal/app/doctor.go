package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"lectern/internal/platform/db"
	"lectern/internal/platform/health"
)

// finding is one thing the doctor looked at.
type finding = health.Finding

// Doctor checks settings, database, files, certificates, disk and clock, tells what it found
// and what to do, and fails when something must be done. Of the files that are on record it
// looks for a sample. It makes nothing: the service may run as another user.
func Doctor(ctx context.Context, s Settings, out io.Writer) error { return examine(ctx, s, out, false) }

// DoctorOfAllFiles is Doctor that looks for every file on record.
func DoctorOfAllFiles(ctx context.Context, s Settings, out io.Writer) error {
	return examine(ctx, s, out, true)
}

func examine(ctx context.Context, s Settings, out io.Writer, everyFile bool) error {
	var all []finding
	all = append(all, checkSettings(&s)...)
	if s.checkStorage() == nil { // an address of another kind would be taken for a path
		all = append(all, checkStorage(ctx, &s, everyFile)...)
	}
	all = append(all, checkCertificates(&s, time.Now())...)
	all = append(all, checkDisk(&s), checkSync(&s))
	all = append(all, checkMailServer(ctx, &s)...)
	all = append(all, checkSAML(ctx, &s)...)
	all = append(all, checkEngine(ctx, &s)...)
	all = append(all, checkOutside(ctx, &s)...)
	all = append(all, checkOIDC(ctx, &s)...)
	all = append(all, checkLDAP(ctx, &s)...)
	return report(all, out)
}

// report tells what was found, and fails when something must be done.
func report(all []finding, out io.Writer) error {
	bad := 0
	for _, f := range all {
		mark := "ok  "
		if f.Bad {
			mark = "FIX "
			bad++
		}
		fmt.Fprintf(out, "%s %-10s %s\n", mark, f.What, f.Saw)
		for _, name := range f.Names {
			fmt.Fprintf(out, "                - %s\n", name)
		}
		if f.Advice != "" {
			fmt.Fprintf(out, "                %s\n", f.Advice)
		}
	}
	if bad > 0 {
		return fmt.Errorf("%d of %d checks need attention", bad, len(all))
	}
	fmt.Fprintln(out, "All is well.")
	return nil
}

func checkSettings(s *Settings) []finding {
	if err := s.Check(); err != nil {
		return []finding{{What: "settings", Saw: err.Error(), Advice: "Correct the flag or its LECTERN_ variable.",
			Bad: true}}
	}
	all := []finding{{What: "settings", Saw: "understood"}}
	if s.PublicURL == "" {
		all = append(all, finding{What: "links", Saw: "will point to " + s.Public(),
			Advice: "Set --public-url to the address people use, or links in emails lead nowhere for them."})
	}
	return all
}

// checkStorage looks at the database and the files, and whether they go together.
func checkStorage(ctx context.Context, s *Settings, everyFile bool) []finding {
	if err := s.dataThere(); err != nil && (s.DatabaseURL == "" || s.FilesURL == "") {
		return []finding{{What: "data", Saw: err.Error(), Bad: true, Advice: "lectern serve makes it when it starts " +
			"there for the first time, if this is the right place."}}
	}
	d, all := openToLook(ctx, s)
	store, f := lookAtFiles(ctx, s)
	if d == nil {
		return append(all, f)
	}
	defer d.Close()
	h, err := d.Health(ctx)
	if err != nil {
		all[0].Saw, all[0].Bad = err.Error(), true
		all[0].Advice = "Restore from a backup, or ask for help before writing to it."
		return append(all, f)
	}
	all[0].Saw += ", version " + h.Version
	all = append(all, schemaFinding(h), clockFinding(h), f)
	if h.Schema.Applied == h.Schema.Newest {
		all = append(all, checkAdministrators(ctx, d, s)...)
		all = append(all, checkPaused(ctx, d)...)
		all = append(all, checkMoved(ctx, d)...)
		all = append(all, checkBackups(ctx, d, s.BackupEvery))
	}
	if store != nil && h.Schema.Applied > 0 && h.Schema.Fits() == nil {
		all = append(all, checkRecords(ctx, d, store, h.Schema, everyFile))
	}
	return all
}

// openToLook opens the database, if there is one that answers.
func openToLook(ctx context.Context, s *Settings) (*db.DB, []finding) {
	f := finding{What: "database", Saw: "SQLite in " + filepath.Clean(s.Data)}
	if s.DatabaseURL != "" {
		f.Saw = "PostgreSQL"
	} else if _, err := os.Stat(s.Database()); errors.Is(err, os.ErrNotExist) {
		f.Saw, f.Advice = "SQLite, not made yet", "lectern serve will make it in "+s.Data+"."
		return nil, []finding{f}
	}
	d, err := connect(ctx, &s.Storage, db.Options{Look: true})
	if err != nil {
		f.Saw, f.Bad = err.Error(), true
		f.Advice = "Check that the server runs, that the address is right, and that this machine may connect."
		return nil, []finding{f}
	}
	return d, []finding{f}
}

func schemaFinding(h *db.Health) finding {
	s := h.Schema
	f := finding{What: "schema", Saw: fmt.Sprintf("version %d of %d", s.Applied, s.Newest)}
	switch err := s.Fits(); {
	case err != nil:
		f.Bad, f.Advice = true, "The database was used by a newer Lectern, and no command of this one runs on it: "+
			"install that release again, or restore the backup that was made before the upgrade."
	case s.Applied < s.Newest:
		f.Advice = "lectern serve will bring it up to date; make a backup first."
	case s.Applied > s.Newest:
		f.Advice = "The database was used by a newer Lectern, and says that this one may still run on it."
	}
	return f
}

// clockFinding compares this machine's clock with the database's.
func clockFinding(h *db.Health) finding {
	f := finding{What: "clock", Saw: fmt.Sprintf("%s apart from the database's", h.Skew.Abs().Round(time.Millisecond))}
	if h.Skew.Abs() > 5*time.Second {
		f.Bad, f.Advice = true, "Let both machines follow a time server: due dates and sessions go by this clock."
	}
	if y := time.Now().Year(); y < 2026 || y > 2100 {
		f.Bad, f.Saw, f.Advice = true, fmt.Sprintf("the year is %d", y), "Set this machine's clock."
	}
	return f
}

const littleSpace = 1 << 30

func checkDisk(s *Settings) finding {
	f := finding{What: "disk"}
	dir := existing(s.Data)
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return finding{What: "disk", Saw: err.Error(), Bad: true, Advice: "Check --data."}
	}
	free := st.Bavail * uint64(st.Bsize) //nolint:unconvert // its type differs between systems
	f.Saw = fmt.Sprintf("%.1f GB free for %s", float64(free)/(1<<30), filepath.Clean(s.Data))
	if free < littleSpace {
		f.Bad, f.Advice = true, "Make room: uploads are refused when the disk is full."
	}
	return f
}

// existing gives the nearest directory that is already there.
func existing(dir string) string {
	for {
		if _, err := os.Stat(dir); err == nil || dir == "." || dir == "/" {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

// checkSync writes a little to the disk the way the store does, into a file without a name.
func checkSync(s *Settings) finding {
	dir := existing(s.Data)
	start := time.Now()
	if err := writeNameless(dir); err != nil {
		return finding{What: "writing", Saw: err.Error(), Bad: true, Advice: "Give the user that runs Lectern the " +
			"right to write there."}
	}
	took := time.Since(start)
	f := finding{What: "writing", Saw: fmt.Sprintf("a synced write takes %s", took.Round(10*time.Microsecond))}
	if took > 200*time.Millisecond {
		f.Advice = "This disk is slow to confirm writes; every submission waits for it. A local disk is faster than " +
			"a network one."
	}
	return f
}

// writeNameless writes into a file of a directory that nobody sees, or, where there are no such
// files, that is removed at once.
func writeNameless(dir string) error {
	t, err := os.OpenFile(dir, os.O_RDWR|unix.O_TMPFILE, 0o600) //nolint:gosec // the operator's choice
	if errors.Is(err, syscall.EOPNOTSUPP) || errors.Is(err, syscall.EISDIR) {
		if t, err = os.CreateTemp(dir, ".doctor-*"); err == nil {
			defer os.Remove(t.Name())
		}
	}
	if err != nil {
		return err
	}
	_, err = t.WriteString("well")
	return errors.Join(err, t.Sync(), t.Close())
}
