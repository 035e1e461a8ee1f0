package similarity

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"lectern/internal/ground/bounds"
	"lectern/internal/platform/files"
	"lectern/internal/teaching/similarity/engine"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/taskdef"
)

// What of a submission is compared at once: all of its code, since what stands in
// which file is the student's choice; and each document by itself, since a report
// and a diary have thresholds of their own.
const codePart = "code"

func documentPart(key string) string { return "document/" + key }

// fileOf is how people know a part: code, or the key of the document.
func fileOf(part string) string { return strings.TrimPrefix(part, "document/") }

// partOf gives the part a file belongs to; empty where files of its kind are not
// compared.
func partOf(f submit.File) string {
	switch f.Kind {
	case taskdef.Code:
		return codePart
	case taskdef.Document:
		return documentPart(f.Key)
	}
	return ""
}

// checked gives the keys of the requirements whose files are compared.
func checked(list taskdef.Requirements) map[string]bool {
	out := map[string]bool{}
	for _, r := range list {
		if r.Checked() {
			out[r.Key] = true
		}
	}
	return out
}

// defaultDocumentPct is the threshold of a document that sets none.
const defaultDocumentPct = 35

// thresholdPct is the share from which a part of a task is to be looked at.
func thresholdPct(part string, list taskdef.Requirements, warnPct int64) int {
	if part == codePart {
		return int(warnPct)
	}
	for _, r := range list {
		if documentPart(r.Key) == part && r.TiiPct != nil {
			return int(*r.TiiPct)
		}
	}
	return defaultDocumentPct
}

// mostRead bounds what is read of a submission at once; the rest is not compared.
const mostRead = 64 * bounds.MB

// sources reads files of a submission as the comparison takes them. Their names are
// those the sender gave, made different from each other where they are not.
func (s *Service) sources(ctx context.Context, list []submit.File, language string) ([]engine.File, error) {
	var out []engine.File
	room := int64(mostRead)
	for i, name := range distinct(list) {
		text, err := s.text(ctx, list[i], min(room, engine.MaxFileBytes))
		if err != nil {
			return nil, fmt.Errorf("read %s of the submission: %w", list[i].Key, err)
		}
		room -= int64(len(text))
		out = append(out, engine.File{Name: name, Language: languageOf(list[i], language), Text: text})
	}
	return out, nil
}

// distinct gives each file its name: the one it was sent with where no other has it, else
// with the title of what was asked for, or its key, before it.
func distinct(list []submit.File) []string {
	sent, taken := map[string]int{}, map[string]bool{}
	for _, f := range list {
		sent[f.Name]++
		taken[f.Name] = true
	}
	out := make([]string, len(list))
	for i, f := range list {
		out[i] = f.Name
		if sent[f.Name] == 1 && f.Name != "" {
			continue
		}
		out[i] = cmp.Or(f.Title, f.Key) + "/" + f.Name
		for name := out[i]; taken[out[i]]; name = out[i] {
			out[i] = f.Key + "/" + name
		}
		taken[out[i]] = true
	}
	return out
}

// languageOf is what the file's name tells, else what the task says.
func languageOf(f submit.File, task string) engine.Language {
	if f.Kind == taskdef.Document {
		return engine.Words
	}
	l := engine.LanguageOf(f.Name)
	if named, ok := engine.ParseLanguage(strings.TrimPrefix(task, "moss ")); ok && l == engine.Generic {
		return named
	}
	return l
}

// text reads a file, at most so many bytes of it.
func (s *Service) text(ctx context.Context, f submit.File, most int64) ([]byte, error) {
	if f.Kind == taskdef.Document {
		return s.documentText(ctx, f.Hash, most)
	}
	return s.read(ctx, f.Hash, most)
}

func (s *Service) read(ctx context.Context, hash files.Hash, most int64) ([]byte, error) {
	in, err := s.Files.Open(ctx, hash)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return io.ReadAll(io.LimitReader(in, most))
}
