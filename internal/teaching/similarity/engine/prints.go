package engine

import (
	"cmp"
	"slices"
	"sync"
)

// Limits on what one submission may cost. What is beyond them is left out, and
// Prints.Cut says so.
const (
	MaxTokens    = 1 << 18 // of all files of one submission
	MaxFiles     = 2000
	MaxFileBytes = 8 << 20
	maxName      = 1024
)

// File is one file of a submission, as handed in. The text of a PDF is taken
// out by the caller and given as Words.
type File struct {
	Name     string
	Language Language
	Text     []byte
}

// Prints is what is kept of a submission: its tokens as hashes, with their
// places. It suffices for every comparison; the files are needed again only to
// show a match to a person.
type Prints struct {
	Cut   bool // the submission was larger than what is compared
	files []printedFile
	toks  []token
	notes []note // comment lines, in the order of the files
}

type printedFile struct {
	name       string
	language   Language
	from, upTo int // tokens
}

// Fingerprint reads the files of a submission. Files are taken in the order of
// their names, so that the order of an upload makes no difference.
func Fingerprint(files []File) *Prints {
	p := &Prints{}
	for i, f := range inOrder(files) {
		if i == MaxFiles || len(p.toks) == MaxTokens {
			p.Cut = true
			break
		}
		p.read(f)
	}
	return p
}

func inOrder(files []File) []File {
	return slices.SortedStableFunc(slices.Values(files), func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
}

// buffers are where a file is cut up before it is known how many tokens it has.
var buffers = sync.Pool{New: func() any { return new([]token) }}

// maxBuffer is how many tokens of room are kept for the next file.
const maxBuffer = 1 << 15

func (p *Prints) read(f File) {
	text := f.Text
	if len(text) > MaxFileBytes {
		text, p.Cut = text[:MaxFileBytes], true
	}
	from := len(p.toks)
	room := MaxTokens - from
	buffer := buffers.Get().(*[]token)
	found, notes := scan((*buffer)[:0], text, f.Language, room)
	p.Cut = p.Cut || len(found) == room
	p.toks = append(p.toks, found...)
	if *buffer = found; cap(found) <= maxBuffer {
		buffers.Put(buffer)
	}
	for _, n := range notes[:min(len(notes), maxNotes-len(p.notes))] {
		n.file = uint32(len(p.files))
		p.notes = append(p.notes, n)
	}
	name := f.Name[:min(len(f.Name), maxName)]
	p.files = append(p.files, printedFile{name: name, language: f.Language, from: from, upTo: len(p.toks)})
}

// Tokens tells how much there is to compare.
func (p *Prints) Tokens() int { return len(p.toks) }

// Files names the files, in the order by which a Range counts them.
func (p *Prints) Files() []string {
	out := make([]string, len(p.files))
	for i, f := range p.files {
		out[i] = f.name
	}
	return out
}
