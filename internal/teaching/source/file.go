// Package source reads what students handed in file by file: which files a version has, the text of one as it is
// shown line by line, and what changed between two versions.
package source

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/platform/pdf"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/taskdef"
)

// Bounds of how much of a file is read as text.
const (
	mostText  = 2 * bounds.MB
	mostLines = 100_000
)

// File is one of a version, as the list of them shows it.
type File struct {
	Number int                `json:"number" doc:"its place among the files of the version, from 0"`
	Key    string             `json:"key" doc:"of the upload requirement it was sent for"`
	Title  string             `json:"title" doc:"of the upload requirement"`
	Name   string             `json:"name" doc:"as the sender calls it; of one that came in a zip its path there"`
	Kind   taskdef.UploadKind `json:"type"`
	Size   int64              `json:"size" doc:"in bytes"`
	Zipped bool               `json:"in_zip" doc:"whether it came in a zip, where its name is its path"`
	IsText bool               `json:"is_text" doc:"whether it is read line by line"`
	Hash   files.Hash         `json:"-"`
}

// Files lists the files of a version in the order of the requirements, for whoever holds policy.ReadSubmission on its
// project.
func Files(ctx context.Context, q db.Q, submissionID int64) ([]File, error) {
	list, err := submit.FilesOf(ctx, q, submissionID)
	return numbered(list), err
}

// FilesOfAll is Files for several versions, by their numbers, in one statement.
func FilesOfAll(ctx context.Context, q db.Q, submissions []int64) (map[int64][]File, error) {
	if len(submissions) == 0 {
		return nil, nil
	}
	lists, err := submit.FilesOfAll(ctx, q, submissions)
	all := make(map[int64][]File, len(lists))
	for id, list := range lists {
		all[id] = numbered(list)
	}
	return all, err
}

func numbered(list []submit.File) []File {
	all := make([]File, len(list))
	for i, f := range list {
		all[i] = File{Number: i, Key: f.Key, Title: f.Title, Name: f.Name, Kind: f.Kind, Size: f.Size, Hash: f.Hash,
			Zipped: f.Zipped, IsText: f.Kind == taskdef.Code}
	}
	return all
}

// Find gives a file of a version by its number, or fault.Missing.
func Find(list []File, number int64) (*File, error) {
	if number < 0 || number >= int64(len(list)) {
		return nil, fault.New(fault.Missing, "this version has no file %d", number)
	}
	return &list[number], nil
}

// Text is what a file says, line by line.
type Text struct {
	Text string `json:"text" doc:"its lines, each ended by a line feed but perhaps the last"`
	Cut  bool   `json:"cut" doc:"whether there is more of it than is given, which is at most 2 MB and 100000 lines"`
	Note string `json:"note" doc:"how it was read where that is a guess; else empty"`
}

// Read gives the text of a file, at most 2 MB and 100,000 lines of it. It refuses a file that is none, also one that
// only claims to be.
func Read(ctx context.Context, store files.Store, f *File) (*Text, error) {
	t, ok, err := read(ctx, store, f)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, &fault.Error{Kind: fault.Refused, Code: "no_text", Text: "This file is not text. Download it instead."}
	}
	return t, nil
}

// read is Read, which tells what is no text.
func read(ctx context.Context, store files.Store, f *File) (t *Text, ok bool, err error) {
	if !f.IsText {
		return nil, false, nil
	}
	b, cut, err := beginning(ctx, store, f)
	if err != nil {
		return nil, false, err
	}
	t = &Text{Cut: cut}
	t.Text, t.Note, ok = pdf.Plain(b)
	if first := firstLines(t.Text); len(first) < len(t.Text) {
		t.Text, t.Cut = first, true
	}
	return t, ok, nil
}

// firstLines gives as many lines of a text as are read: more of them would take many times the memory of the text.
func firstLines(text string) string {
	at := 0
	for range mostLines {
		n := strings.IndexByte(text[at:], '\n')
		if n < 0 {
			return text
		}
		at += n + 1
	}
	return text[:at]
}

// beginning gives as much of a file as is read of it, and whether that is not all.
func beginning(ctx context.Context, store files.Store, f *File) (b []byte, cut bool, err error) {
	in, err := store.Open(ctx, f.Hash)
	if err != nil {
		return nil, false, err
	}
	defer in.Close()
	if b, err = io.ReadAll(io.LimitReader(in, mostText+1)); err != nil {
		return nil, false, fmt.Errorf("read %s: %w", f.Hash, err)
	}
	if len(b) <= mostText {
		return b, false, nil
	}
	return whole(b[:mostText]), true, nil
}

// whole takes the beginning of a character from the end of a text that was cut.
func whole(b []byte) []byte {
	if bytes.HasPrefix(b, []byte("\xff\xfe")) || bytes.HasPrefix(b, []byte("\xfe\xff")) {
		return b[:len(b)/2*2]
	}
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if c := b[len(b)-n]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(b[len(b)-n:]) {
				return b[:len(b)-n]
			}
			break
		}
	}
	return b
}
