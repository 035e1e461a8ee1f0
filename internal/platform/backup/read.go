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
	"maps"
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

	on  shelf
	key age.Identity
}

// Sets lists the finished backups of a place, oldest first.
func Sets(ctx context.Context, dir string) ([]string, error) {
	on, err := shelfAt(dir)
	if err != nil {
		return nil, err
	}
	if _, err := placeOn(ctx, on); err != nil {
		return nil, none(on, err)
	}
	all, err := setsOn(ctx, on)
	return all.finished, err
}

// sets are the names of the backups of a place, oldest first.
type sets struct{ finished, unfinished []string }

func setsOn(ctx context.Context, on shelf) (out sets, err error) {
	finished := map[string]bool{}
	if err := on.each(ctx, "sets/", func(name string) error {
		parts := strings.Split(name, "/")
		if len(parts) == 3 && setNames.MatchString(parts[1]) {
			finished[parts[1]] = finished[parts[1]] || parts[2] == manifestName
		}
		return nil
	}); err != nil {
		return out, err
	}
	for _, name := range slices.Sorted(maps.Keys(finished)) {
		if finished[name] {
			out.finished = append(out.finished, name)
		} else {
			out.unfinished = append(out.unfinished, name)
		}
	}
	return out, nil
}

// removeSets removes backups, of each the manifest first: what is left is none any more.
func removeSets(ctx context.Context, on shelf, names []string) error {
	for _, name := range names {
		for _, part := range []string{manifestName, recordsName, settingsName, filesName} {
			if err := on.remove(ctx, inSet(name, part)); err != nil {
				return err
			}
		}
	}
	return nil
}

func none(on shelf, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s holds no backups", on)
	}
	return err
}

// Open reads the manifest of a backup, or of the newest one when name is empty.
func Open(ctx context.Context, dir, name string, key age.Identity) (*Backup, error) {
	on, err := shelfAt(dir)
	if err != nil {
		return nil, err
	}
	place, err := placeOn(ctx, on)
	if err != nil {
		return nil, none(on, err)
	}
	if place.Encrypted && key == nil {
		return nil, fmt.Errorf("the backups in %s are encrypted: give their key", on)
	}
	if !place.Encrypted {
		key = nil
	}
	all, err := setsOn(ctx, on)
	if err != nil {
		return nil, err
	}
	if name == "" && len(all.finished) > 0 {
		name = all.finished[len(all.finished)-1]
	}
	if !slices.Contains(all.finished, name) {
		return nil, fmt.Errorf("there is no finished backup %s in %s", name, on)
	}
	b := &Backup{Name: name, on: on, key: key}
	text, err := readText(ctx, on, inSet(name, manifestName), key)
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

// Settings reads the small files of the installation's own; none where the backup is not encrypted.
func (b *Backup) Settings(ctx context.Context) (map[string][]byte, error) {
	if b.Manifest.Settings == nil {
		return nil, nil
	}
	r, err := b.part(ctx, settingsName, b.key)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var all map[string][]byte
	if err := json.NewDecoder(r).Decode(&all); err != nil {
		return nil, fmt.Errorf("%w: its settings: %w", errDamaged, err)
	}
	return all, r.ended(*b.Manifest.Settings)
}

// part reads a compressed part of the backup.
func (b *Backup) part(ctx context.Context, name string, key age.Identity) (*reading, error) {
	r, err := open(ctx, b.on, inSet(b.Name, name), true, key)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: it lacks its %s", errDamaged, name)
	}
	return r, err
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
	r, err := b.part(ctx, recordsName, b.key)
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
	return b.list(ctx, func(f stored) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return b.file(ctx, f, take)
	})
}

// list reads which files the backup holds.
func (b *Backup) list(ctx context.Context, each func(stored) error) error {
	r, err := b.part(ctx, filesName, nil)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := readList(r, each); err != nil {
		return err
	}
	return r.ended(b.Manifest.Files)
}

func readList(r io.Reader, each func(stored) error) error {
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
	return in.Err()
}

func (b *Backup) file(ctx context.Context, f stored, take func(stored, io.Reader) error) error {
	r, err := open(ctx, b.on, fileName(f.Hash), false, b.key)
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
