package backup

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"filippo.io/age"

	"lectern/internal/platform/db"
)

// Backup is one that was finished, opened for reading.
type Backup struct {
	Manifest *Manifest
	Name     string

	dir string
	key age.Identity
}

// Sets lists the finished backups of a place, oldest first.
func Sets(dir string) ([]string, error) {
	if _, err := placeAt(dir); err != nil {
		return nil, none(dir, err)
	}
	entries, err := os.ReadDir(filepath.Join(dir, "sets"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		_, err := os.Stat(filepath.Join(dir, "sets", e.Name(), manifestName))
		if err == nil && setNames.MatchString(e.Name()) {
			out = append(out, e.Name())
		}
	}
	slices.Sort(out)
	return out, nil
}

func none(dir string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s holds no backups", dir)
	}
	return err
}

// Open reads the manifest of a backup, or of the newest one when name is empty.
func Open(dir, name string, key age.Identity) (*Backup, error) {
	place, err := placeAt(dir)
	if err != nil {
		return nil, none(dir, err)
	}
	if place.Encrypted && key == nil {
		return nil, fmt.Errorf("the backups in %s are encrypted: give their key", dir)
	}
	if !place.Encrypted {
		key = nil
	}
	sets, err := Sets(dir)
	if err != nil {
		return nil, err
	}
	if name == "" && len(sets) > 0 {
		name = sets[len(sets)-1]
	}
	if !slices.Contains(sets, name) {
		return nil, fmt.Errorf("there is no finished backup %s in %s", name, dir)
	}
	b := &Backup{Name: name, dir: dir, key: key}
	r, err := open(b.path("sets", name, manifestName), false, key)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, 64<<20))
	if err != nil {
		return nil, err
	}
	if b.Manifest, err = unseal(text); err != nil {
		return nil, err
	}
	if b.Manifest.Installation != place.Installation {
		return nil, fmt.Errorf("the backup %s is one of another installation than its place", name)
	}
	return b, nil
}

func (b *Backup) path(parts ...string) string {
	return filepath.Join(append([]string{b.dir}, parts...)...)
}

// Into receives the records of a backup.
type Into interface {
	Rows(ctx context.Context, table string, columns []string, rows [][]any) error
	Numbers(ctx context.Context, last map[string]int64) error
}

// longestLine bounds the text of one row.
const longestLine = 256 << 20

// Records hands over every row, and refuses records that are not those that were written.
func (b *Backup) Records(ctx context.Context, to Into) error {
	r, err := open(b.path("sets", b.Name, recordsName), true, b.key)
	if err != nil {
		return err
	}
	defer r.Close()
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 1<<20), longestLine)
	c := &copying{to: to}
	for in.Scan() {
		if err := c.line(ctx, in.Bytes()); err != nil {
			return err
		}
	}
	if err := in.Err(); err != nil {
		return err
	}
	if !slices.Equal(c.counted, b.Manifest.Tables) {
		return fmt.Errorf("%w: it has not the rows that its manifest counts", errDamaged)
	}
	return r.ended(b.Manifest.Records)
}

// copying is a table on its way.
type copying struct {
	to      Into
	table   line
	rows    [][]any
	n       int64
	counted []Counted
}

// rowsAtOnce is how many rows are handed over together.
const rowsAtOnce = 1000

func (c *copying) line(ctx context.Context, text []byte) error {
	if bytes.HasPrefix(text, []byte("[")) {
		row, err := readRow(text, len(c.table.Columns))
		if err != nil {
			return fmt.Errorf("%w: a row of %s: %w", errDamaged, c.table.Table, err)
		}
		if c.rows = append(c.rows, row); len(c.rows) == rowsAtOnce {
			return c.flush(ctx)
		}
		return nil
	}
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	switch {
	case l.Table != "":
		c.table, c.n = l, 0
	case l.End != "":
		if err := c.flush(ctx); err != nil {
			return err
		}
		if l.End != c.table.Table || l.Rows != c.n {
			return fmt.Errorf("%w: the table %s ends too early", errDamaged, c.table.Table)
		}
		c.counted = append(c.counted, Counted{l.End, l.Rows})
	case l.Numbers != nil:
		return c.to.Numbers(ctx, l.Numbers)
	}
	return nil
}

func (c *copying) flush(ctx context.Context) error {
	err := c.to.Rows(ctx, c.table.Table, c.table.Columns, c.rows)
	c.n += int64(len(c.rows))
	c.rows = c.rows[:0]
	return err
}

// readRow reads the values of a row as they were: whole numbers stay whole.
func readRow(text []byte, columns int) ([]any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var row []any
	if err := d.Decode(&row); err != nil {
		return nil, err
	}
	if len(row) != columns {
		return nil, fmt.Errorf("it has %d values, not %d", len(row), columns)
	}
	for i, v := range row {
		switch v := v.(type) {
		case json.Number:
			if n, err := v.Int64(); err == nil {
				row[i] = n
			} else if row[i], err = v.Float64(); err != nil {
				return nil, err
			}
		case map[string]any:
			var b binary
			text, err := json.Marshal(v)
			if err == nil {
				err = json.Unmarshal(text, &b)
			}
			if err != nil {
				return nil, err
			}
			row[i] = b.Bytes
		}
	}
	return row, nil
}

// hashes are what names a file: nothing else becomes part of a path.
var hashes = regexp.MustCompile(`^[0-9a-f]{64}$`)

// Files hands over every file of the backup, each to be read to its end, and refuses one that is
// not what its name says.
func (b *Backup) Files(ctx context.Context, take func(stored, io.Reader) error) error {
	return b.list(func(f stored) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return b.file(f, take)
	})
}

// list reads which files the backup holds.
func (b *Backup) list(each func(stored) error) error {
	r, err := open(b.path("sets", b.Name, filesName), true, b.key)
	if err != nil {
		return err
	}
	defer r.Close()
	in := bufio.NewScanner(r)
	for in.Scan() {
		hash, size, _ := strings.Cut(in.Text(), " ")
		n, err := strconv.ParseInt(size, 10, 64)
		if err != nil || !hashes.MatchString(hash) {
			return fmt.Errorf("%w: the list of files", errDamaged)
		}
		if err := each(stored{hash, n}); err != nil {
			return err
		}
	}
	if err := in.Err(); err != nil {
		return err
	}
	return r.ended(b.Manifest.Files)
}

func (b *Backup) file(f stored, take func(stored, io.Reader) error) error {
	r, err := open(b.path(filePath(f.Hash)...), false, b.key)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: it lacks the file %s", errDamaged, f.Hash)
	}
	if err != nil {
		return err
	}
	defer r.Close()
	if err := take(f, r); err != nil {
		return err
	}
	return r.ended(Part{f.Size, f.Hash})
}

var _ Into = (*db.Loading)(nil)
