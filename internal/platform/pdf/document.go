// Package pdf makes one PDF out of a cover, tables and files of many kinds, in
// this process's own program: no TeX, no browser, nothing to install.
//
// Files are taken to be hostile. Whatever parses one runs in a child process
// of our own binary with a clock, a memory limit and no environment (see
// child.go); a file that breaks, hangs or explodes there costs its own pages
// only. It is replaced by a page that says why, and the original is attached.
// The program's main must call MaybeChild first.
//
// The package knows nothing of who submits what: it is given texts and files.
package pdf

import (
	"io"
	"time"
)

// Document is what Render turns into one PDF. The same document gives the same
// bytes: times come from Meta, never from the clock.
type Document struct {
	Meta     Meta
	Header   string   // left of every page header, such as the unit and the task
	Footer   string   // left of every page footer, such as the author
	Fonts    []string // TrueType files tried for letters our own fonts lack
	Sections []Section
	Progress func(done, of int) `json:"-"` // hears of each file that was read; may be nil
}

// Meta is shown by viewers as the document's properties.
type Meta struct {
	Title, Author, Subject, Creator string
	Created                         time.Time
}

// Section is a part of the document that starts on a new page. It holds one of
// Cover, Contents, Body or File; Body may stand before a File of the same section.
type Section struct {
	Title    string // bookmark, entry in the contents and heading; no bookmark when empty
	Level    int    // 0 for a part, 1 for what stands below it, and so on
	Header   string // right of the page header and above a file's title; "File i of n" when empty
	Cover    *Cover `json:",omitempty"`
	Contents bool   `json:",omitempty"` // a table of contents over all titled sections
	Body     []Block
	File     *File `json:",omitempty"`
}

// Kind says how a file is read. By name and content unless given.
type Kind string

// The kinds of files that can be shown.
const (
	ByName   Kind = ""
	Code     Kind = "code"
	Text     Kind = "text"
	Markdown Kind = "markdown"
	Notebook Kind = "notebook"
	Image    Kind = "image"
	PDF      Kind = "pdf"
)

// File is a file to show. Open is called once, in the calling process, only to
// copy the bytes: they are parsed in the child.
type File struct {
	Name     string
	Kind     Kind
	Language string                        // a hint for highlighting; the name decides when empty
	Ours     bool                          // a PDF this package made: it gets new headers and page numbers for its own
	Open     func() (io.ReadCloser, error) `json:"-"`
}

// Cover is a title page.
type Cover struct {
	Institution string
	Unit        string
	Kicker      string // small line above the title: what kind of document this is
	Title       string
	Subtitle    string
	Lines       []KeyValue
	Tables      []Table
}

// KeyValue is one labelled line of a cover.
type KeyValue struct{ Key, Value string }

// Table is a grid with a head. Widths are shares of the page's width; equal when absent.
type Table struct {
	Title  string
	Head   []string
	Widths []float64
	Rows   [][]Cell
}

// Cell is one field of a table: text, a coloured label, or a rating.
type Cell struct {
	Text  string
	Spans []Span `json:",omitempty"` // text in styles, instead of Text
	Label string `json:",omitempty"` // colour of a label around the text, as "#2e7d32"; the text stays readable without it
	Of    int    `json:",omitempty"` // when positive: a rating, Score filled dots of Of
	Score int    `json:",omitempty"`
	Bold  bool   `json:",omitempty"`

	Markdown bool `json:",omitempty"` // Text was written by people in Markdown, and is set as such
}

// Limits bound one Render. The zero value means the defaults.
type Limits struct {
	Pages        int           // of the whole document (3000)
	SectionPages int           // made of one text, code, Markdown or notebook file (250)
	Pixels       int           // of one image (40 million)
	HighlightKB  int           // larger code is shown plain (200)
	FileTime     time.Duration // of a processor, for reading one file (2 s); at most five times that by the clock
	JobTime      time.Duration // the same for putting the whole together (60 s)
	Memory       int64         // a child's memory, in bytes (512 MB)
	InputBytes   int64         // of one file (64 MB)
}

func (l Limits) orDefaults() Limits {
	def(&l.Pages, 3000)
	def(&l.SectionPages, 250)
	def(&l.Pixels, 40_000_000)
	def(&l.HighlightKB, 200)
	def(&l.FileTime, 2*time.Second)
	def(&l.JobTime, 60*time.Second)
	def(&l.Memory, 512<<20)
	def(&l.InputBytes, 64<<20)
	return l
}

func def[T int | int64 | time.Duration](v *T, d T) {
	if *v <= 0 {
		*v = d
	}
}

// Result tells what became of a document.
type Result struct {
	Pages  int
	Notes  []Note
	MaxRSS int64         // largest memory of a child that answered, in bytes
	CPU    time.Duration // processor time of all children
}

// Note tells about one file something a person should know: why it is not
// shown, or that a part was left out.
type Note struct {
	Section  int    // index in Document.Sections
	Name     string // of the file
	Text     string
	Attached bool // the original is attached to the PDF
	Failed   bool // nothing of the file could be shown
}
