package source

import (
	"context"
	"unicode/utf8"

	"lectern/internal/ground/highlight"
	"lectern/internal/ground/linediff"
	"lectern/internal/platform/files"
)

// View is a file as pages show it, line by line.
type View struct {
	File    *File
	Lines   [][]Span // the number of each is its place from 1
	Cut     bool     // there is more of the file than these lines
	Note    string   // how it was read where that is a guess; else empty
	Pending bool     // it is not highlighted yet, but going to be: draw it again in a few seconds
}

// Span is a stretch of a line. Its class is the name of a style: k of a keyword, s of a string, d of a number, c of a
// comment, t of a type; none of the rest. Its text is the file's own: whatever draws it takes care of characters that
// hide or turn the text around them, and of lines that nobody could read.
type Span struct{ Class, Text string }

// Runs are those of a file, by line.
type Runs [][]highlight.Run

// Lines gives the lines of the text that the runs are of. Those without runs are plain.
func (r Runs) Lines(text []string) [][]Span {
	n := len(text)
	for _, runs := range r {
		n += len(runs)
	}
	all, lines := make([]Span, 0, n), make([][]Span, len(text))
	for i, l := range text {
		first := len(all)
		if i < len(r) {
			all, l = spans(all, r[i], l)
		}
		if l != "" {
			all = append(all, Span{"", l})
		}
		lines[i] = all[first:len(all):len(all)]
	}
	return lines
}

// spans adds what runs say of a line, and gives what is left of it.
func spans(all []Span, runs []highlight.Run, line string) ([]Span, string) {
	for _, run := range runs {
		if run.Length > len(line) || run.Length < len(line) && !utf8.RuneStart(line[run.Length]) {
			break // it is of another text
		}
		all = append(all, Span{run.Class.Name(), line[:run.Length]})
		line = line[run.Length:]
	}
	return all, line
}

// Show reads a file as pages show it. It refuses what Read refuses.
func Show(ctx context.Context, store files.Store, h Highlights, f *File) (*View, error) {
	t, err := Read(ctx, store, f)
	if err != nil {
		return nil, err
	}
	runs, err := h.Load(ctx, store, f)
	if err != nil {
		return nil, err
	}
	return &View{File: f, Lines: runs.Lines(linediff.Lines([]byte(t.Text))), Cut: t.Cut, Note: t.Note,
		Pending: h.Pending(f)}, nil
}
