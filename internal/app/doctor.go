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

	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
)

// A finding is one thing the doctor looked at: what it saw, and what to do when
// that is not well.
type finding struct {
	what, saw, advice string
	bad               bool
}

// Doctor checks settings, database, files, certificates, disk and clock, tells what it found
// and what to do, and fails when something must be done.
func Doctor(ctx context.Context, s Settings, out io.Writer) error {
	var all []finding
	all = append(all, checkSettings(&s)...)
	if s.checkStorage() == nil { // an address of another kind would be taken for a path
		all = append(all, checkDatabase(ctx, &s)...)
		all = append(all, checkFiles(ctx, &s))
	}
	all = append(all, checkCertificates(&s, time.Now())...)
	all = append(all, checkDisk(&s), checkSync(&s))
	all = append(all, checkSAML(ctx, &s)...)
	all = append(all, checkEngine(ctx, &s)...)
	all = append(all, checkOutside(ctx, &s)...)
	all = append(all, checkOIDC(ctx, &s)...)
	all = append(all, checkLDAP(ctx, &s)...)
	bad := 0
	for _, f := range all {
		mark := "ok  "
		if f.bad {
			mark = "FIX "
			bad++
		}
		fmt.Fprintf(out, "%s %-10s %s\n", mark, f.what, f.saw)
		if f.advice != "" {
			fmt.Fprintf(out, "                %s\n", f.advice)
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
		return []finding{{what: "settings", saw: err.Error(), advice: "Correct the flag or its LECTERN_ variable.",
			bad: true}}
	}
	all := []finding{{what: "settings", saw: "understood"}}
	if s.PublicURL == "" {
		all = append(all, finding{what: "links", saw: "will point to " + s.Public(),
			advice: "Set --public-url to the address people use, or links in mails lead nowhere for them."})
	}
	return all
}

func checkDatabase(ctx context.Context, s *Settings) []finding {
	f := finding{what: "database", saw: "SQLite in " + filepath.Clean(s.Data)}
	if s.DatabaseURL != "" {
		f.saw = "PostgreSQL"
	} else if _, err := os.Stat(s.Database()); errors.Is(err, os.ErrNotExist) {
		f.saw, f.advice = "SQLite, not made yet", "lectern serve will make it in "+s.Data+"."
		return []finding{f}
	}
	d, err := OpenDatabase(ctx, &s.Storage)
	if err != nil {
		f.saw, f.bad = err.Error(), true
		f.advice = "Check that the server runs, that the address is right, and that this machine may connect."
		return []finding{f}
	}
	defer d.Close()
	h, err := d.Health(ctx)
	if err != nil {
		f.saw, f.bad, f.advice = err.Error(), true, "Restore from a backup, or ask for help before writing to it."
		return []finding{f}
	}
	f.saw += ", version " + h.Version
	return []finding{f, schemaFinding(h), clockFinding(h)}
}

func schemaFinding(h *db.Health) finding {
	f := finding{what: "schema", saw: fmt.Sprintf("version %d of %d", h.Schema, h.Newest)}
	switch {
	case h.Schema < h.Newest:
		f.advice = "lectern serve will bring it up to date; make a backup first."
	case h.Schema > h.Newest:
		f.bad, f.advice = true, "The database was used by a newer Lectern. Install that version again."
	}
	return f
}

// clockFinding compares this machine's clock with the database's.
func clockFinding(h *db.Health) finding {
	f := finding{what: "clock", saw: fmt.Sprintf("%s apart from the database's", h.Skew.Abs().Round(time.Millisecond))}
	if h.Skew.Abs() > 5*time.Second {
		f.bad, f.advice = true, "Let both machines follow a time server: due dates and sessions go by this clock."
	}
	if y := time.Now().Year(); y < 2026 || y > 2100 {
		f.bad, f.saw, f.advice = true, fmt.Sprintf("the year is %d", y), "Set this machine's clock."
	}
	return f
}

func checkFiles(ctx context.Context, s *Settings) finding {
	f := finding{what: "files", saw: "a directory under " + filepath.Clean(s.Data)}
	if s.FilesURL != "" {
		f.saw = "an S3 bucket"
	}
	store, err := files.Open(ctx, s.Files())
	if err == nil {
		err = store.Check(ctx)
	}
	if err != nil {
		f.saw, f.bad = err.Error(), true
		f.advice = "Check the address and the keys of the bucket, or who owns the directory."
	}
	return f
}

const littleSpace = 1 << 30

func checkDisk(s *Settings) finding {
	f := finding{what: "disk"}
	dir := existing(s.Data)
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return finding{what: "disk", saw: err.Error(), bad: true, advice: "Check --data."}
	}
	free := st.Bavail * uint64(st.Bsize) //nolint:unconvert // its type differs between systems
	f.saw = fmt.Sprintf("%.1f GB free for %s", float64(free)/(1<<30), filepath.Clean(s.Data))
	if free < littleSpace {
		f.bad, f.advice = true, "Make room: uploads are refused when the disk is full."
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

// checkSync writes a little to the disk the way the store does.
func checkSync(s *Settings) finding {
	f := finding{what: "writing"}
	start := time.Now()
	t, err := os.CreateTemp(existing(s.Data), ".doctor-*")
	if err == nil {
		_, err = t.WriteString("well")
		err = errors.Join(err, t.Sync(), t.Close(), os.Remove(t.Name()))
	}
	if err != nil {
		return finding{what: "writing", saw: err.Error(), bad: true, advice: "Give the user that runs Lectern the " +
			"right to write there."}
	}
	took := time.Since(start)
	f.saw = fmt.Sprintf("a synced write takes %s", took.Round(10*time.Microsecond))
	if took > 200*time.Millisecond {
		f.advice = "This disk is slow to confirm writes; every submission waits for it. A local disk is faster than " +
			"a network one."
	}
	return f
}
