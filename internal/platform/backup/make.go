package backup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

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
}

// Progress tells how far a copy is.
type Progress struct {
	Doing string // records or files
	Done  int64
	Of    int64 // 0 when it is not known
}

// Maker makes backups in a directory. Without a key they are not encrypted.
type Maker struct {
	Dir      string
	Key      age.Recipient
	Progress func(Progress)
}

// Make copies the installation as it is at one moment, while it is in use. Files that the place
// has already are not copied again. It gives the name of the backup and what is in it.
func (m *Maker) Make(ctx context.Context, from Installation) (string, *Manifest, error) {
	id, err := db.InstallationKey(ctx, from.DB, "name in backups")
	if err != nil {
		return "", nil, err
	}
	if err := m.claim(string(id)); err != nil {
		return "", nil, err
	}
	release, err := blob.Hold(ctx, from.DB) // what the snapshot refers to stays until it is copied
	if err != nil {
		return "", nil, err
	}
	defer release()
	made := &Manifest{Format: format, Installation: string(id), Program: from.Program}
	var set string
	var list []stored
	if err := from.DB.View(ctx, func(q db.Q) error {
		made.Made = q.Now()
		set = made.Made.UTC().Format(setLayout)
		return m.records(ctx, q, from.DB, set, made, &list)
	}); err != nil {
		return "", nil, fmt.Errorf("copy the records: %w", err)
	}
	if err := m.files(ctx, from, set, made, list); err != nil {
		return "", nil, fmt.Errorf("copy the files: %w", err)
	}
	text, err := made.seal()
	if err != nil {
		return "", nil, err
	}
	if _, err := save(m.path("sets", set, manifestName), false, m.Key, nil, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	}); err != nil {
		return "", nil, fmt.Errorf("write the manifest: %w", err)
	}
	return set, made, nil
}

func (m *Maker) path(parts ...string) string {
	return filepath.Join(append([]string{m.Dir}, parts...)...)
}

// claim makes the place on its first use, and refuses that of another installation.
func (m *Maker) claim(id string) error {
	have, err := placeAt(m.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return m.found(Place{Format: format, Installation: id, Encrypted: m.Key != nil})
	}
	switch {
	case err != nil:
		return err
	case have.Installation != id:
		return fmt.Errorf("%s holds the backups of another installation; give a directory of its own", m.Dir)
	case have.Encrypted && m.Key == nil:
		return fmt.Errorf("%s holds encrypted backups: give their key, or another directory", m.Dir)
	case !have.Encrypted && m.Key != nil:
		return fmt.Errorf("%s holds backups that are not encrypted: give another directory for encrypted ones", m.Dir)
	}
	return nil
}

// found makes a new place, only in a directory that is empty or not there.
func (m *Maker) found(p Place) error {
	have, err := os.ReadDir(m.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(have) > 0 {
		return fmt.Errorf("%s is not empty and holds no backups; give an empty directory", m.Dir)
	}
	text, err := p.text()
	if err != nil {
		return err
	}
	_, err = save(m.path(placeName), false, nil, nil, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
	return err
}

// placeAt reads whose place a directory is.
func placeAt(dir string) (*Place, error) {
	text, err := os.ReadFile(filepath.Join(dir, placeName)) //nolint:gosec // the operator's choice
	if err != nil {
		return nil, err
	}
	var p Place
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", errDamaged, placeName, err)
	}
	if p.Format != format {
		return nil, fmt.Errorf("%s holds backups of form %d, of a newer Lectern; this program knows form %d", dir,
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
	if made.Records, err = save(m.path("sets", set, recordsName), true, m.Key, nil, func(w io.Writer) error {
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
