package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/highlight"
	"lectern/internal/platform/blob"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/platform/jobs"
	"lectern/internal/platform/pdf"
)

// HighlightArgs ask for the text files of a submission to be highlighted.
type HighlightArgs struct {
	SubmissionID int64 `json:"submission_id"`
}

// Kind implements jobs.Args.
func (HighlightArgs) Kind() string { return "highlight" }

// HighlightLimits are those of the jobs: one at a time, as documents are waited for more, and units take turns.
var HighlightLimits = jobs.Limits{Timeout: 10 * time.Minute, Concurrency: 1, Fair: true, Untrusted: true}

// mostKilled is how many children the files of one submission may cost; then the others stay plain, too.
const mostKilled = 5

// content is what is highlighted once: a text in a language.
type content struct{ hash, language string }

func (f *File) content() content {
	if !f.IsText {
		return content{}
	}
	return content{string(f.Hash), pdf.LanguageOf(f.Name)}
}

// highlighted is what is known of it.
type highlighted struct {
	Hash     string      `db:"hash"`
	Language string      `db:"language"`
	Version  int         `db:"version"`
	Done     bool        `db:"done"`
	Runs     *files.Hash `db:"runs_hash"`
	Job      *jobs.State `db:"state"` // nil: it is on record no more
}

func (h *highlighted) waits() bool {
	return !h.Done && h.Job != nil && (*h.Job == jobs.Available || *h.Job == jobs.Running)
}

// missing tells whether nobody has asked for it, or for that of an older highlighter. One whose job is dead is not: it
// waits for whoever looks after the service.
func (h *highlighted) missing() bool {
	return h == nil || h.Version < pdf.RunsVersion || !h.Done && (h.Job == nil || *h.Job == jobs.Done)
}

// Highlights are what is known of the highlighting of files.
type Highlights map[content]*highlighted

// HighlightsOf reads what is known of files, in one statement.
func HighlightsOf(ctx context.Context, q db.Q, list []*File) (Highlights, error) {
	var hashes []string
	for _, f := range list {
		if f.content().language != "" {
			hashes = append(hashes, string(f.Hash))
		}
	}
	if len(hashes) == 0 {
		return nil, nil
	}
	in, args := db.In(nil, hashes)
	rows, err := db.All[highlighted](ctx, q, `SELECT h.hash, h.language, h.version, h.done, h.runs_hash, j.state
		FROM source_highlights h LEFT JOIN jobs j ON j.id = h.job_id WHERE h.hash IN `+in, args...)
	out := Highlights{}
	for i, r := range rows {
		out[content{r.Hash, r.Language}] = &rows[i]
	}
	return out, err
}

// Missing tells whether a file can be highlighted and nobody has asked for it: EnqueueHighlights does.
func (h Highlights) Missing(f *File) bool {
	c := f.content()
	return c.language != "" && h[c].missing()
}

// Pending tells whether a file is going to be highlighted, once that was asked for.
func (h Highlights) Pending(f *File) bool {
	one := h[f.content()]
	return h.Missing(f) || one != nil && one.waits()
}

// Load reads the runs of a file; nil of one that is plain, and of one whose runs are lost or damaged.
func (h Highlights) Load(ctx context.Context, store files.Store, f *File) (Runs, error) {
	one := h[f.content()]
	if one == nil || !one.Done || one.Runs == nil || one.Version != pdf.RunsVersion {
		return nil, nil
	}
	in, err := store.Open(ctx, *one.Runs)
	if fault.Is(err, fault.Missing) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer in.Close()
	b, err := io.ReadAll(io.LimitReader(in, int64(highlight.MostBytes)+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", *one.Runs, err)
	}
	runs, err := highlight.Decode(b)
	if err != nil {
		return nil, nil //nolint:nilerr // it is shown plain
	}
	return runs, nil
}

// EnqueueHighlights asks for those text files of a submission to be highlighted that are not. It is for whatever stored
// them, and for whoever may read them.
func EnqueueHighlights(ctx context.Context, q db.Q, submissionID int64) error {
	_, todo, err := toHighlight(ctx, q, submissionID, Highlights.Missing)
	if err != nil || len(todo) == 0 {
		return err
	}
	unit, err := db.One[int64](ctx, q, `SELECT unit_id FROM submissions WHERE id = $1`, submissionID)
	if err != nil {
		return err
	}
	job, err := jobs.Enqueue(ctx, q, HighlightArgs{submissionID},
		jobs.Options{Unique: fmt.Sprintf("highlight:%d", submissionID), For: jobs.For{Unit: *unit}})
	if err != nil {
		return err
	}
	var rows [][]any
	for _, f := range todo {
		rows = append(rows, []any{string(f.Hash), f.content().language, pdf.RunsVersion, job})
	}
	return db.Insert(ctx, q, `source_highlights (hash, language, version, job_id)`, `ON CONFLICT (hash, language)
		DO UPDATE SET version = excluded.version, job_id = excluded.job_id, done = FALSE, runs_hash = NULL`, rows)
}

// toHighlight gives the files of a submission that something holds of, each content once.
func toHighlight(ctx context.Context, q db.Q, submissionID int64, which func(Highlights, *File) bool) (h Highlights,
	todo []*File, err error) {
	list, err := Files(ctx, q, submissionID)
	if err != nil {
		return nil, nil, err
	}
	all := make([]*File, len(list))
	for i := range list {
		all[i] = &list[i]
	}
	if h, err = HighlightsOf(ctx, q, all); err != nil {
		return nil, nil, err
	}
	seen := map[content]bool{}
	for _, f := range all {
		if c := f.content(); !seen[c] && which(h, f) {
			seen[c] = true
			todo = append(todo, f)
		}
	}
	return h, todo, nil
}

// Highlighting highlights files.
type Highlighting struct {
	DB     *db.DB
	Files  files.Store
	Limits pdf.Limits
}

// Do is the worker of HighlightArgs. A file that kills what reads it stays plain for good; what fails here is our own
// trouble and is tried again.
func (h *Highlighting) Do(ctx context.Context, job jobs.Job, a HighlightArgs) error {
	var todo []*File
	err := h.DB.View(ctx, func(q db.Q) (err error) {
		_, todo, err = toHighlight(ctx, q, a.SubmissionID, Highlights.Pending)
		return err
	})
	if err != nil || len(todo) == 0 {
		return err
	}
	made, err := h.highlight(ctx, todo)
	if err != nil {
		return fmt.Errorf("highlight the files of submission %d: %w", a.SubmissionID, err)
	}
	return h.DB.Tx(ctx, func(q db.Q) error { return h.finish(ctx, q, job, todo, made) })
}

// highlight gives the stored runs of files; without a hash those of a file that stays plain.
func (h *Highlighting) highlight(ctx context.Context, todo []*File) ([]files.Info, error) {
	child, err := pdf.NewHighlighter(h.Limits)
	if err != nil {
		return nil, err
	}
	defer child.Close()
	made, killed := make([]files.Info, len(todo)), 0
	for i, f := range todo {
		if killed == mostKilled {
			break
		}
		b, err := h.one(ctx, child, f)
		switch {
		case errors.Is(err, pdf.ErrPlain):
			killed++
			continue
		case fault.Is(err, fault.Missing): // the store has lost it
			continue
		case err != nil:
			return nil, err
		}
		if made[i], err = h.Files.Put(ctx, bytes.NewReader(b)); err != nil {
			return nil, err
		}
	}
	return made, nil
}

func (h *Highlighting) one(ctx context.Context, child *pdf.Highlighter, f *File) ([]byte, error) {
	b, _, err := beginning(ctx, h.Files, f)
	if err != nil {
		return nil, err
	}
	return child.Runs(ctx, bytes.NewReader(b), f.content().language)
}

// finish makes known what was found: all of it, or with the job none of it.
func (h *Highlighting) finish(ctx context.Context, q db.Q, job jobs.Job, todo []*File, made []files.Info) error {
	var kept []files.Info
	rows := make([][]any, len(todo))
	for i, f := range todo {
		c := f.content()
		rows[i] = []any{c.hash, c.language, string(made[i].Hash)}
		if made[i].Hash != "" {
			kept = append(kept, made[i])
		}
	}
	if err := blob.Keep(ctx, q, h.Files, kept...); err != nil {
		return err
	}
	from, args, err := db.Rows(q, []any{pdf.RunsVersion}, []string{"hash TEXT", "language TEXT", "runs TEXT"}, rows)
	if err != nil {
		return err
	}
	if _, err := db.Exec(ctx, q, `UPDATE source_highlights SET done = TRUE, runs_hash = nullif(v.runs, '') FROM `+from+` v
		WHERE source_highlights.hash = v.hash AND source_highlights.language = v.language AND version = $1`,
		args...); err != nil {
		return err
	}
	return job.Done(ctx, q)
}
