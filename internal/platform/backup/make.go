package backup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"filippo.io/age"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/blob"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
)

// Installation is what is copied.
type Installation struct {
	DB      *db.DB
	Files   files.Store
	Program string // version of the program, for the manifest

	// Settings are small files of its own with secrets in them, by their names. Only an encrypted
	// backup holds them.
	Settings map[string][]byte
}

// Progress tells how far a copy is.
type Progress struct {
	Doing string // records, files, or old files, which are removed
	Done  int64
	Of    int64 // 0 when it is not known
}

// Maker makes backups in a directory, or in a bucket as s3://KEY:SECRET@host/bucket/prefix. Without
// a key they are not encrypted.
type Maker struct {
	Dir      string
	Key      age.Recipient
	Progress func(Progress)
	Keep     Rule // older backups are removed after one is made

	on shelf
}

// ErrBusy is what is said while another process writes to the place.
var ErrBusy = errors.New("another backup of this installation is being made; try again when it is done")

// Make copies the installation as it is at one moment, while it is in use. Files that the place
// has already are not copied again. It gives the name of the backup and what is in it, also when it
// was made and only the removal of older ones failed.
func (m *Maker) Make(ctx context.Context, from Installation) (string, *Manifest, error) {
	lock, err := alone(ctx, from.DB)
	if err != nil {
		return "", nil, err
	}
	defer lock.Release()
	made := &Manifest{Format: format, Program: from.Program}
	if made.Installation, err = m.open(ctx, from.DB); err != nil {
		return "", nil, err
	}
	if err := m.clear(ctx, from.DB); err != nil {
		return "", nil, fmt.Errorf("make the place ready: %w", err)
	}
	if err := m.note(ctx, from.DB); err != nil {
		return "", nil, err
	}
	set, err := m.copy(ctx, from, made)
	if err != nil {
		return "", nil, err
	}
	text, err := made.seal()
	if err == nil {
		err = lock.Still(ctx)
	}
	if err != nil {
		return "", nil, err
	}
	if err := saveText(ctx, m.on, inSet(set, manifestName), m.Key, text); err != nil {
		return "", nil, fmt.Errorf("write the manifest: %w", err)
	}
	if err := m.retain(ctx, lock); err != nil {
		return set, made, fmt.Errorf("the backup %s is made, but older ones were not removed: %w", set, err)
	}
	return set, made, nil
}

// alone sees to it that nobody else writes to the place of an installation.
func alone(ctx context.Context, d *db.DB) (*db.Alone, error) {
	lock, err := d.Alone(ctx, "backup")
	if errors.Is(err, db.ErrTaken) {
		return nil, ErrBusy
	}
	return lock, err
}

// open opens the place, which is the installation's from now on, and gives its name.
func (m *Maker) open(ctx context.Context, d *db.DB) (string, error) {
	id, err := db.InstallationKey(ctx, d, "name in backups")
	if err != nil {
		return "", err
	}
	if m.on, err = shelfAt(m.Dir); err != nil {
		return "", err
	}
	return string(id), m.claim(ctx, string(id))
}

// copy copies everything but the manifest.
func (m *Maker) copy(ctx context.Context, from Installation, made *Manifest) (set string, err error) {
	release, err := blob.Hold(ctx, from.DB) // what the snapshot refers to stays until it is copied
	if err != nil {
		return "", err
	}
	defer release()
	var list []stored
	if err := from.DB.View(ctx, func(q db.Q) error {
		made.Made = q.Now()
		set = made.Made.UTC().Format(setLayout)
		return m.records(ctx, q, from.DB, set, made, &list)
	}); err != nil {
		return "", fmt.Errorf("copy the records: %w", err)
	}
	if err := m.settings(ctx, from.Settings, set, made); err != nil {
		return "", fmt.Errorf("copy the settings: %w", err)
	}
	if err := m.files(ctx, from, set, made, list); err != nil {
		return "", fmt.Errorf("copy the files: %w", err)
	}
	return set, nil
}

// inSet is the name of a part of a backup.
func inSet(set, part string) string { return "sets/" + set + "/" + part }

// clear removes what was never finished, and waits until the next backup has a name of its own.
func (m *Maker) clear(ctx context.Context, d *db.DB) error {
	if err := m.on.tidy(ctx); err != nil {
		return err
	}
	all, err := setsOn(ctx, m.on)
	if err != nil {
		return err
	}
	if err := removeSets(ctx, m.on, all.unfinished); err != nil || len(all.finished) == 0 {
		return err
	}
	newest := all.finished[len(all.finished)-1]
	for range 4 {
		if d.Now().UTC().Format(setLayout) > newest {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second / 3):
		}
	}
	return fmt.Errorf("the newest backup in %s is from the future, %s: look at the clock of this machine", m.on, newest)
}

// settings writes what is the installation's own, where nobody else can read it.
func (m *Maker) settings(ctx context.Context, all map[string][]byte, set string, made *Manifest) error {
	if m.Key == nil || len(all) == 0 {
		return nil
	}
	part, err := save(ctx, m.on, inSet(set, settingsName), form{compressed: true, key: m.Key},
		func(w io.Writer) error { return json.NewEncoder(w).Encode(all) })
	made.Settings = &part
	return err
}

// claim makes the place on its first use, and refuses that of another installation.
func (m *Maker) claim(ctx context.Context, id string) error {
	have, err := placeOn(ctx, m.on)
	if errors.Is(err, fs.ErrNotExist) {
		return m.found(ctx, Place{Format: format, Installation: id, Encrypted: m.Key != nil})
	}
	switch {
	case err != nil:
		return err
	case have.Installation != id:
		return fmt.Errorf("%s holds the backups of another installation; give a place of its own", m.on)
	case have.Encrypted && m.Key == nil:
		return fmt.Errorf("%s holds encrypted backups: give their key, or another place", m.on)
	case !have.Encrypted && m.Key != nil:
		return fmt.Errorf("%s holds backups that are not encrypted: give another place for encrypted ones", m.on)
	}
	return nil
}

// errSome ends a search at the first that is found.
var errSome = errors.New("there is one")

// found makes a new place, only where there is nothing.
func (m *Maker) found(ctx context.Context, p Place) error {
	err := m.on.each(ctx, "", func(string) error { return errSome })
	if errors.Is(err, errSome) {
		return fmt.Errorf("%s is not empty and holds no backups; give an empty one", m.on)
	}
	if err != nil {
		return err
	}
	text, err := p.text()
	if err != nil {
		return err
	}
	return saveText(ctx, m.on, placeName, nil, text)
}

// placeOn reads whose place it is.
func placeOn(ctx context.Context, on shelf) (*Place, error) {
	text, err := readText(ctx, on, placeName, nil)
	if err != nil {
		return nil, err
	}
	var p Place
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", errDamaged, placeName, err)
	}
	if p.Format != format {
		return nil, fmt.Errorf("%s holds backups of form %d, of a newer Lectern; this program knows form %d", on,
			p.Format, format)
	}
	if same, err := p.text(); err != nil || !bytes.Equal(same, text) {
		return nil, fmt.Errorf("%w: %s was changed", errDamaged, placeName)
	}
	return &p, nil
}

func (p *Place) text() ([]byte, error) {
	text, err := json.Marshal(p)
	return append(text, '\n'), err
}

// records writes every row of every table, and lists the files that they refer to.
func (m *Maker) records(ctx context.Context, q db.Q, d *db.DB, set string, made *Manifest, list *[]stored) error {
	s, err := d.Schema(ctx)
	if err != nil {
		return err
	}
	made.Schema = s.Applied
	how := form{compressed: true, key: m.Key}
	if made.Records, err = save(ctx, m.on, inSet(set, recordsName), how, func(w io.Writer) error {
		tables, err := db.Tables(ctx, q)
		if err != nil {
			return err
		}
		for i, t := range tables {
			m.tell(Progress{Doing: "records", Done: int64(i), Of: int64(len(tables))})
			n, err := writeTable(ctx, q, w, &t, m.Key == nil)
			if err != nil {
				return err
			}
			made.Tables = append(made.Tables, Counted{t.Name, n})
		}
		last, err := db.Numbers(ctx, q)
		if err != nil {
			return err
		}
		return json.NewEncoder(w).Encode(line{Numbers: last})
	}); err != nil {
		return err
	}
	if *list, err = db.All[stored](ctx, q, `SELECT hash, size FROM blobs ORDER BY hash`); err != nil {
		return err
	}
	return heads(ctx, q, made)
}

// heads notes the ends of the chains, so that a restored installation can tell what it lost.
func heads(ctx context.Context, q db.Q, made *Manifest) error {
	last, err := db.One[struct {
		Head
		At clock.Time `db:"at"`
	}](ctx, q, `SELECT seq AS number, hash, at FROM audit_entries ORDER BY seq DESC LIMIT 1`)
	switch {
	case err == nil:
		at := last.At.UTC()
		made.Audit, made.Newest = &last.Head, &at
	case !fault.Is(err, fault.Missing):
		return err
	}
	work, err := db.All[clock.Time](ctx, q, `SELECT at FROM submission_tasks ORDER BY at DESC LIMIT 1`)
	if err != nil {
		return err
	}
	for _, at := range work {
		if at := at.UTC(); made.Newest == nil || at.After(*made.Newest) {
			made.Newest = &at
		}
	}
	made.Receipts, err = db.All[Chain](ctx, q, `SELECT unit_id AS unit, sequence AS number, hash FROM receipt_chains
		ORDER BY unit_id`)
	return err
}

func (m *Maker) tell(p Progress) {
	if m.Progress != nil {
		m.Progress(p)
	}
}

// line is one line of the records that is no row: the beginning of a table, its end with the
// number of its rows, or, last of all, the ids that were given last.
type line struct {
	Table   string           `json:"table,omitempty"`
	Columns []string         `json:"columns,omitempty"`
	End     string           `json:"end,omitempty"`
	Rows    int64            `json:"rows,omitempty"`
	Numbers map[string]int64 `json:"numbers,omitempty"`
}

// secret is what a backup that is not encrypted leaves out: with the key of receipts, whoever reads
// the backup could sign some. A restored installation makes a new one.
var secret = map[string]string{"signing_keys": "seed"}

// writeTable writes the rows of a table, one a line.
func writeTable(ctx context.Context, q db.Q, w io.Writer, t *db.Table, plain bool) (n int64, err error) {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	if err := e.Encode(line{Table: t.Name, Columns: t.Columns}); err != nil {
		return 0, err
	}
	for row, err := range t.Rows(ctx, q) {
		if err != nil {
			return n, err
		}
		for i, v := range row {
			if b, ok := v.([]byte); ok {
				row[i] = binary{b}
			}
			if secret[t.Name] == t.Columns[i] && plain {
				row[i] = nil
			}
		}
		if err := e.Encode(row); err != nil {
			return n, fmt.Errorf("write a row of %s: %w", t.Name, err)
		}
		n++
	}
	return n, e.Encode(line{End: t.Name, Rows: n})
}

// binary is a value of bytes, told from text by being an object.
type binary struct {
	Bytes []byte `json:"bytes"`
}
