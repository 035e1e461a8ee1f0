package similarity

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"unicode/utf8"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/platform/pdf"
	"lectern/internal/platform/zipfile"
	"lectern/internal/teaching/similarity/engine"
)

// given is what was handed out for a task: what stands in it proves nothing.
type given struct {
	Resources *files.Hash `db:"resources_hash"`
	Template  *files.Hash `db:"template_hash"`
	Sheet     *files.Hash `db:"sheet_hash"`
	Language  *string     `db:"moss_language"`
}

// bringTemplate reads what was handed out for the task, in any of its terms, where
// that has changed; the index is then made anew.
func (s *Service) bringTemplate(ctx context.Context, q db.Q, c *class) error {
	list, err := db.All[given](ctx, q, `SELECT resources_hash, template_hash, sheet_hash, moss_language
		FROM task_definitions WHERE id = $1 OR first_id = $1 ORDER BY id`, c.key.first)
	if err != nil {
		return err
	}
	hashes, language := []files.Hash{}, ""
	for _, g := range list {
		for _, h := range []*files.Hash{g.Resources, g.Template, g.Sheet} {
			if h != nil {
				hashes = append(hashes, *h)
			}
		}
		if g.Language != nil {
			language = *g.Language
		}
	}
	key := fmt.Sprint(hashes, language)
	if c.index != nil && c.given == key {
		return nil
	}
	text, err := s.givenFiles(ctx, hashes, c.key.part, language)
	if err != nil {
		return err
	}
	c.template = nil
	if len(text) > 0 {
		c.template = engine.NewTemplate(engine.Fingerprint(text))
	}
	c.index, c.given, c.oldest = engine.NewIndex(c.template), key, 0
	return nil
}

// Bounds on what is read of what was handed out.
const (
	mostGiven      = 32 << 20 // bytes
	mostGivenFiles = 500
	mostGivenPDFs  = 10 // each takes a process
)

// givenFiles reads files handed out: an archive, or a PDF. Of an archive those are
// taken that can be told to be text, for documents also its PDFs.
func (s *Service) givenFiles(ctx context.Context, hashes []files.Hash, part, language string) ([]engine.File, error) {
	g := &giving{s: s, part: part, language: language, room: mostGiven}
	seen := map[files.Hash]bool{}
	for _, h := range hashes {
		if seen[h] {
			continue
		}
		seen[h] = true
		if err := g.take(ctx, h); err != nil {
			return nil, err
		}
	}
	return g.out, nil
}

// giving collects what was handed out, within the bounds.
type giving struct {
	s        *Service
	part     string
	language string
	out      []engine.File
	room     int64
	pdfs     int
}

func (g *giving) take(ctx context.Context, hash files.Hash) error {
	f, err := g.s.Files.Open(ctx, hash)
	if err != nil {
		return fmt.Errorf("open what was handed out: %w", err)
	}
	defer f.Close()
	info, err := g.s.Files.Stat(ctx, hash)
	if err != nil {
		return err
	}
	z, err := zipfile.Open(f, info.Size, zipfile.Limits{Entries: 10_000, Entry: 1 << 30, Total: 2 << 30})
	if err != nil {
		return g.document(ctx, string(hash), f) // no archive: the sheet
	}
	for _, e := range z.File {
		if len(g.out) >= mostGivenFiles || g.room <= 0 {
			return nil
		}
		if err := g.entry(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

func (g *giving) entry(ctx context.Context, e *zip.File) error {
	if strings.HasSuffix(e.Name, "/") || strings.HasPrefix(path.Base(e.Name), ".") ||
		strings.HasPrefix(e.Name, "__MACOSX/") {
		return nil
	}
	in, err := zipfile.Reader(ctx, e)
	if err != nil {
		return nil //nolint:nilerr // what cannot be read was not handed out
	}
	defer in.Close()
	if strings.EqualFold(path.Ext(e.Name), ".pdf") {
		return g.document(ctx, e.Name, in)
	}
	text, err := io.ReadAll(io.LimitReader(in, min(g.room, engine.MaxFileBytes)))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil || !utf8.Valid(text) {
		return nil //nolint:nilerr // damaged, or no text
	}
	l := engine.LanguageOf(e.Name)
	if named, ok := engine.ParseLanguage(strings.TrimPrefix(g.language, "moss ")); ok && l == engine.Generic {
		l = named
	}
	if g.part != codePart {
		l = engine.Words
	}
	g.add(engine.File{Name: e.Name, Language: l, Text: text})
	return nil
}

// document takes the text of a PDF, where documents are compared.
func (g *giving) document(ctx context.Context, name string, in io.Reader) error {
	if g.part == codePart || g.pdfs == mostGivenPDFs {
		return nil
	}
	g.pdfs++
	text, err := pdf.TextOf(ctx, in, min(g.room, engine.MaxFileBytes), g.s.Limits)
	if errors.Is(err, pdf.ErrNoText) || fault.Is(err, fault.Unsupported) { // or damaged in its archive
		return nil
	}
	if err == nil {
		g.add(engine.File{Name: name, Language: engine.Words, Text: text})
	}
	return err
}

func (g *giving) add(f engine.File) {
	g.room -= int64(len(f.Text))
	g.out = append(g.out, f)
}
