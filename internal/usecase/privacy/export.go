package privacy

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/personaldata"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/platform/zipfile"
	"lectern/internal/teaching/insight"
)

// Exporter writes what the service knows about a person.
type Exporter struct {
	DB    *db.DB
	Files files.Store
	// Progress hears, now and then, what is being done; nil: nobody listens.
	Progress func(line string)
}

// Summary is what an export holds; it stands in the archive as index.json.
type Summary struct {
	UserID   int64           `json:"user_id"`
	At       clock.Time      `json:"at"`
	Contents []SummaryOfFile `json:"contents"`
	Files    int             `json:"files"`
	Missing  []string        `json:"missing_files"` // files that the store could not give
	Note     string          `json:"note"`
}

// SummaryOfFile tells what one file of records holds.
type SummaryOfFile struct {
	File    string `json:"file"`
	About   string `json:"about"`
	Records int    `json:"records"`
}

const note = `Other people are called by what they are, such as "a tutor"; "you" is the person this is about. ` +
	`Passwords and secret addresses are left out; the service itself keeps only their hashes.`

// ExportPlan says in sentences what an archive holds, for whoever is about to ask for one.
func ExportPlan() []string {
	return []string{
		"The archive holds all that the service keeps about the person: account, sign-ins, units, work, comments, " +
			"marks and what the staff noted on them, one file of JSON for each table.",
		"Files that the person submitted, attached or added to portfolios are in it as they are.",
		"Other people are called by what they are, such as a tutor. Passwords and secrets are left out.",
	}
}

// riskFile is the one of what no table holds.
const riskFile = "at_risk.json"

// attached is a file that goes into the archive.
type attached struct{ hash, folder, name string }

// gathered is what was read of the person before anything is written.
type gathered struct {
	rows map[string][]db.Record // by table
	risk []insight.OwnRisk
	ids  map[int64]bool // of the people who are met
}

// Export writes a zip with a file of JSON for each table and the person's files,
// all as of one moment. It is told in the audit log.
func (e *Exporter) Export(ctx context.Context, userID int64, w io.Writer) (*Summary, error) {
	var g *gathered
	var o *others
	err := e.DB.View(ctx, func(q db.Q) (err error) {
		if g, err = e.gather(ctx, q, userID); err != nil {
			return err
		}
		if g.risk, err = insight.RisksOf(ctx, q, userID); err != nil {
			return err
		}
		o, err = readOthers(ctx, q, userID, g.ids)
		return err
	})
	if err != nil {
		return nil, err
	}
	s := &Summary{UserID: userID, At: e.DB.Now(), Missing: []string{}, Note: note}
	pack := zipfile.NewPack(w)
	var list []attached
	for i := range tables {
		t := &tables[i]
		found, err := s.write(pack, t, g.rows[t.Name], o)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	s.Contents = append(s.Contents, SummaryOfFile{riskFile, "why the staff of the person's units see them as at risk: " +
		"worked out for this export, and kept nowhere", len(g.risk)})
	if err := writeJSON(pack, riskFile, s.At.Time, g.risk); err != nil {
		return nil, err
	}
	if err := e.attach(ctx, pack, s, list); err != nil {
		return nil, err
	}
	if err := writeJSON(pack, "index.json", s.At.Time, s); err != nil {
		return nil, err
	}
	if err := pack.Close(); err != nil {
		return nil, err
	}
	return s, e.DB.Tx(ctx, func(q db.Q) error {
		return audit.Add(ctx, q, audit.Entry{Kind: audit.Export, Action: "person", UserID: userID})
	})
}

// gather reads the rows of every table, one statement each.
func (e *Exporter) gather(ctx context.Context, q db.Q, userID int64) (*gathered, error) {
	g := &gathered{rows: map[string][]db.Record{}, ids: map[int64]bool{}}
	for i := range tables {
		t := &tables[i]
		for r, err := range db.Records(ctx, q, `SELECT DISTINCT t.* FROM `+t.Name+` t `+t.Where+` ORDER BY 1`, userID) {
			if err != nil {
				return nil, fmt.Errorf("read %s: %w", t.Name, err)
			}
			g.rows[t.Name] = append(g.rows[t.Name], r)
			for c, column := range r.Columns {
				if id, ok := r.Values[c].(int64); ok && named(t.People, column) {
					g.ids[id] = true
				}
			}
		}
		e.tell("%s: %d records", t.Name, len(g.rows[t.Name]))
	}
	return g, nil
}

func (e *Exporter) tell(format string, args ...any) {
	if e.Progress != nil {
		e.Progress(fmt.Sprintf(format, args...))
	}
}

// write adds the records of a table, and gives the files they refer to.
func (s *Summary) write(pack *zipfile.Pack, t *personaldata.Table, rows []db.Record, o *others) ([]attached, error) {
	list := make([]map[string]any, 0, len(rows))
	var found []attached
	for n, r := range rows {
		record, has := shown(t, r, o, n)
		list = append(list, record)
		found = append(found, has...)
	}
	name := t.Name + ".json"
	s.Contents = append(s.Contents, SummaryOfFile{name, t.About, len(list)})
	return found, writeJSON(pack, name, s.At.Time, list)
}

// shown gives a record as the person sees it, the n-th of its table, and its files.
func shown(t *personaldata.Table, r db.Record, o *others, n int) (map[string]any, []attached) {
	values := map[string]any{}
	for i, column := range r.Columns {
		values[column] = r.Values[i]
	}
	out := map[string]any{}
	var found []attached
	for column, v := range values {
		if named(t.Secret, column) {
			continue
		}
		if who, only := t.OwnOnly[column]; only && values[who] != o.self {
			continue
		}
		out[column] = plainly(t, column, v, o)
		if f, ok := fileOf(t, column); ok && v != nil {
			a := attached{fmt.Sprint(v), "files/" + t.Name, fileName(t, f, values, n)}
			found = append(found, a)
			out[column+"_file"] = a.folder + "/" + a.name
		}
	}
	return out, found
}

// plainly gives a value for the reader: moments as the service writes them, people
// as what they are, texts without the names of others.
func plainly(t *personaldata.Table, column string, v any, o *others) any {
	switch v := v.(type) {
	case int64:
		if named(t.People, column) {
			return o.called(v)
		}
	case time.Time:
		return clock.At(v)
	case []byte:
		return plainly(t, column, string(v), o)
	case string:
		switch {
		case named(t.Plain, column):
		case named(t.Signed, column):
			return o.inJSON(v)
		case t.PeopleInside[column] != nil:
			return o.without(o.inside(v, t.PeopleInside[column]))
		default:
			return o.without(v)
		}
	}
	return v
}

func writeJSON(pack *zipfile.Pack, name string, at time.Time, v any) error {
	w, err := pack.Add("", name, at, false)
	if err != nil {
		return err
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// often is how many files are copied between two words about it.
const often = 20

// attach copies the files. One that the store has lost is named in the summary, and
// the rest still goes out.
func (e *Exporter) attach(ctx context.Context, pack *zipfile.Pack, s *Summary, list []attached) error {
	for i, a := range list {
		if i%often == 0 {
			e.tell("files: %d of %d", i, len(list))
		}
		err := e.copy(ctx, pack, s.At.Time, a)
		if fault.Is(err, fault.Missing) {
			s.Missing = append(s.Missing, a.folder+"/"+a.name)
			continue
		}
		if err != nil {
			return fmt.Errorf("copy the file %s: %w", a.name, err)
		}
		s.Files++
	}
	return nil
}

func (e *Exporter) copy(ctx context.Context, pack *zipfile.Pack, at time.Time, a attached) error {
	r, err := e.Files.Open(ctx, files.Hash(a.hash))
	if err != nil {
		return err
	}
	defer r.Close()
	w, err := pack.Add(a.folder, a.name, at, false)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	return err
}

// fileName gives a file a name in the archive that no other of its table has: the
// number of its record, and what the sender called it.
func fileName(t *personaldata.Table, f personaldata.File, values map[string]any, n int) string {
	name := strings.TrimSuffix(t.Name, "s") + f.Ext
	if f.Name != "" {
		name = fmt.Sprint(values[f.Name])
	}
	if kind, ok := values[f.Type].(string); ok && f.Type != "" {
		name += "." + strings.TrimPrefix(path.Base(kind), "x-")
	}
	return fmt.Sprintf("%05d-%s", n+1, zipfile.FileName(name))
}
