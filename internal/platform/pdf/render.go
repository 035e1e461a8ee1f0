package pdf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

const tempPrefix = "lectern-pdf-"

var errNoChild = errors.New("pdf.MaybeChild must be the first call of main")

// Render writes the document as PDF to w. It fails only where nothing could be
// done better: a file cannot be opened or copied, the disk is full, ctx ends.
// Whatever is wrong with a file itself becomes a page and a Note.
//
// Each file is read in a bounded child process; one child serves the whole
// document unless a file kills it.
func Render(ctx context.Context, doc Document, w io.Writer, limits Limits) (Result, error) {
	if !mayStart.Load() {
		return Result{}, errNoChild
	}
	limits = limits.orDefaults()
	dir, err := os.MkdirTemp("", tempPrefix)
	if err != nil {
		return Result{}, fmt.Errorf("private directory: %w", err)
	}
	defer os.RemoveAll(dir)
	j := &composeJob{Document: doc, Out: filepath.Join(dir, "out.pdf"), Limits: limits}
	j.Document.Sections = nil
	if j.Document.Fonts, err = absolute(doc.Fonts); err != nil {
		return Result{}, err
	}
	if j.Parts, err = spoolAll(doc.Sections, dir); err != nil {
		return Result{}, err
	}
	wk := &worker{dir: dir, limits: limits}
	defer wk.stop()
	if err := readAll(ctx, wk, j.Parts, doc.Progress); err != nil {
		return Result{}, err
	}
	res, err := composeIn(ctx, wk, j)
	if err != nil {
		return Result{}, err
	}
	wk.stop()
	res.MaxRSS, res.CPU = wk.rss, wk.cpu
	return res, copyOut(j.Out, w)
}

// absolute makes paths good for the child too, which works in another directory.
func absolute(paths []string) ([]string, error) {
	out := make([]string, len(paths))
	for i, path := range paths {
		abs, err := filepath.Abs(path)
		if err != nil {
			return nil, fmt.Errorf("font %s: %w", path, err)
		}
		out[i] = abs
	}
	return out, nil
}

// Sweep removes private directories that a process which was killed left
// behind, if nothing in them changed since the given time.
func Sweep(before time.Time) error {
	dirs, err := filepath.Glob(filepath.Join(os.TempDir(), tempPrefix+"*"))
	if err != nil {
		return err
	}
	var errs []error
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err == nil && info.IsDir() && info.ModTime().Before(before) {
			errs = append(errs, os.RemoveAll(dir))
		}
	}
	return errors.Join(errs...)
}

// spoolAll copies the files into the private directory, where children find them.
func spoolAll(sections []Section, dir string) ([]part, error) {
	parts := make([]part, len(sections))
	for i, s := range sections {
		parts[i].Section = s
		if s.File == nil {
			continue
		}
		parts[i].In = filepath.Join(dir, fmt.Sprintf("in%d", i))
		parts[i].Made = filepath.Join(dir, fmt.Sprintf("made%d", i))
		size, err := spool(s.File, parts[i].In)
		if err != nil {
			return nil, fmt.Errorf("file %q: %w", s.File.Name, err)
		}
		parts[i].Size = size
	}
	return parts, nil
}

func spool(f *File, path string) (int64, error) {
	if f.Open == nil {
		return 0, errors.New("no way to open it was given")
	}
	r, err := f.Open()
	if err != nil {
		return 0, err
	}
	defer r.Close()
	out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	defer out.Close()
	n, err := io.Copy(out, r)
	if err != nil {
		return 0, err
	}
	return n, out.Close()
}

// readAll has every file read. A file that kills its child or overstays is
// noted as such; only our own failures and the end of ctx stop the work.
func readAll(ctx context.Context, wk *worker, parts []part, progress func(done, of int)) error {
	files, done := 0, 0
	for i := range parts {
		if parts[i].In != "" {
			files++
		}
	}
	for i := range parts {
		p := &parts[i]
		if p.In == "" {
			continue
		}
		if done > 0 && progress != nil {
			progress(done, files)
		}
		done++
		if p.Size > wk.limits.InputBytes {
			p.Done.Why = fmt.Sprintf("it is too large to be shown (%s)", SizeText(p.Size))
			continue
		}
		j := &readJob{Name: p.File.Name, Kind: p.File.Kind, Language: p.File.Language, Ours: p.File.Ours,
			In: p.In, Out: p.Made, Limits: wk.limits}
		p.Done = readOne(ctx, wk, j)
		if kind := kindOf(j); p.Done.Why != "" && (kind == Markdown || kind == Notebook) {
			j.Kind = Text
			if plain := readOne(ctx, wk, j); plain.Why == "" {
				plain.Note = "Shown as plain text, as " + p.Done.Why + "."
				p.Done = plain
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

func readOne(ctx context.Context, wk *worker, j *readJob) readDone {
	a, err := wk.do(ctx, request{Read: j}, wk.limits.FileTime)
	switch {
	case errors.Is(err, errTooSlow):
		return readDone{Why: fmt.Sprintf("it took longer than %s to read", wk.limits.FileTime.Round(time.Millisecond))}
	case err != nil:
		return readDone{Why: "it needs more memory than one file may take"}
	}
	return a.Read
}

// composeIn puts the document together in the child. Should that fail, each
// file is tried alone and the ones that break it are only attached; as a last
// resort all are: the cover and the originals are better than nothing.
func composeIn(ctx context.Context, wk *worker, j *composeJob) (Result, error) {
	res, err := composeOnce(ctx, wk, j)
	for _, drop := range []func(int) bool{
		func(i int) bool { return !standsAlone(ctx, wk, j, i) },
		func(int) bool { return true },
	} {
		if err == nil || ctx.Err() != nil {
			break
		}
		first := err
		for i := range j.Parts {
			if p := &j.Parts[i]; p.In != "" && p.Done.Why == "" && drop(i) {
				p.Done = readDone{Why: "it could not be laid out"}
			}
		}
		if res, err = composeOnce(ctx, wk, j); err == nil {
			res.Notes = append(res.Notes, Note{Section: -1, Text: first.Error()})
		}
	}
	return res, err
}

func composeOnce(ctx context.Context, wk *worker, j *composeJob) (Result, error) {
	a, err := wk.do(ctx, request{Compose: j}, wk.limits.JobTime)
	switch {
	case ctx.Err() != nil:
		return Result{}, ctx.Err()
	case err != nil:
		return Result{}, fmt.Errorf("compose: %w", err)
	case a.Trouble != "":
		return Result{}, fmt.Errorf("compose: %s", a.Trouble)
	}
	return Result{Pages: a.Pages, Notes: a.Notes}, nil
}

// standsAlone tells whether a document of one part alone can be made.
func standsAlone(ctx context.Context, wk *worker, j *composeJob, i int) bool {
	alone := *j
	alone.Parts = []part{j.Parts[i]}
	_, err := composeOnce(ctx, wk, &alone)
	return err == nil
}

func copyOut(path string, w io.Writer) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}
