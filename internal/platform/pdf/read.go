package pdf

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// request is one piece of work for a child.
type request struct {
	Read    *readJob    `json:",omitempty"`
	Compose *composeJob `json:",omitempty"`
	Text    *textJob    `json:",omitempty"`
	Runs    *runsJob    `json:",omitempty"`
}

// reply is what a child answers.
type reply struct {
	Read    readDone
	Pages   int
	Notes   []Note
	Trouble string // the work failed as a whole
	Peak    int64  // most memory the child ever had, in bytes
}

// readJob asks to read one foreign file into something of our own making.
type readJob struct {
	Name     string
	Kind     Kind
	Language string
	Ours     bool // see File
	Alone    bool // it is served as it is, and keeps its bookmarks
	Kept     bool // a document this package made, whose pages stay as they are
	Files    int  // how many files such a document has
	Spots    []Spot
	In, Out  string
	Limits   Limits
}

// readDone tells what a file was read into: a clean PDF of so many pages, or
// blocks. Why is set when it could not be.
type readDone struct {
	PDF    bool
	Pages  int
	Ours   []bool // of a document this package made: which pages have room for a header
	Marks  []bookmark
	Badges []badge // where the spots are
	About  string  // a line about the file, below its title
	Note   string
	Cut    string // what was left out of it; the original is attached then
	Why    string
}

// read does the job; every failure is told in words.
func read(j *readJob) readDone {
	done, err := readFile(j)
	if err != nil {
		return readDone{Why: plainReason(err)}
	}
	return done
}

// told is a failure in words for the person whose file it is. What any other error says
// is for those who keep the service, and no page shows it.
type told string

func (t told) Error() string { return string(t) }

func tell(format string, args ...any) error { return told(fmt.Sprintf(format, args...)) }

// plainReason says why a file cannot be read, without a word of the program that reads it.
func plainReason(err error) string {
	if t, ok := errors.AsType[told](err); ok {
		return shortReason(t)
	}
	return errDamaged.Error()
}

// shortReason bounds what a parser says: it may quote the file.
func shortReason(err error) string {
	text := []rune(visible(err.Error()))
	if len(text) > 300 {
		text = append(text[:300], '…')
	}
	return string(text)
}

func readFile(j *readJob) (readDone, error) {
	info, err := os.Stat(j.In)
	if err != nil {
		return readDone{}, err
	}
	if info.Size() == 0 {
		return readDone{}, told("it is empty")
	}
	kind := kindOf(j)
	if kind == PDF {
		return readPDF(j)
	}
	data, err := os.ReadFile(j.In)
	if err != nil {
		return readDone{}, err
	}
	var blocks []Block
	var done readDone
	switch kind {
	case Image:
		blocks, done, err = readImageFile(j, data)
	case Notebook:
		blocks, done, err = readNotebook(j, data)
	case Markdown:
		blocks, done, err = readMarkdown(j, data)
	default:
		blocks, done, err = readCode(j, data)
	}
	if err != nil {
		return readDone{}, err
	}
	return done, saveBlocks(j.Out, blocks)
}

var kindsByName = map[string]Kind{
	".pdf": PDF, ".ipynb": Notebook, ".md": Markdown, ".markdown": Markdown,
	".png": Image, ".jpg": Image, ".jpeg": Image, ".gif": Image, ".bmp": Image, ".tif": Image, ".tiff": Image,
	".webp": Image,
	".txt":  Text, ".text": Text, ".log": Text,
}

// kindOf decides how to read a file. Notebooks are handed in as code, too.
func kindOf(j *readJob) Kind {
	byName := kindsByName[strings.ToLower(filepath.Ext(j.Name))]
	if j.Kind == ByName || j.Kind == Code && byName == Notebook {
		return byName
	}
	return j.Kind
}

func readPDF(j *readJob) (readDone, error) {
	f, err := os.Open(j.In)
	if err != nil {
		return readDone{}, err
	}
	defer f.Close()
	done, err := cleanPDF(f, j)
	done.PDF = true
	return done, err
}

func readImageFile(j *readJob, data []byte) ([]Block, readDone, error) {
	fig, err := readImage(data, j.Out, j.Limits.Pixels)
	if err != nil {
		return nil, readDone{}, err
	}
	fig.Large, fig.Alt = true, "The picture "+visible(j.Name)
	return []Block{{Figure: fig}}, readDone{About: "Image · " + SizeText(int64(len(data)))}, nil
}

func readCode(j *readJob, data []byte) ([]Block, readDone, error) {
	if what := disguised(data); what != "" {
		return nil, readDone{}, tell("it is not a text file but %s", what)
	}
	text, note, err := decodeText(data)
	if err != nil {
		return nil, readDone{}, err
	}
	language, lexer := "Text", findLexer(j.Name, j.Language)
	if j.Kind == Text {
		lexer = nil
	}
	if lexer != nil {
		language = lexer.Config().Name
	}
	lines := coloured(lexer, text, j.Limits.HighlightKB)
	about := fmt.Sprintf("%s · %s · %s", language, count(len(lines), "line"), SizeText(int64(len(data))))
	return []Block{{Listing: &Listing{Lines: lines, Number: true}}}, readDone{About: about, Note: note}, nil
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// disguised names what a file with a text's name really is.
func disguised(data []byte) string {
	for _, m := range []struct{ magic, what string }{
		{"%PDF-", "a PDF"}, {"PK\x03\x04", "a zip archive or office document"}, {"\x89PNG", "a PNG image"},
		{"\xff\xd8\xff", "a JPEG image"}, {"GIF8", "a GIF image"}, {"\x7fELF", "a program"},
		{"\x1f\x8b", "a gzip archive"},
		{"\xca\xfe\xba\xbe", "a compiled class"}, {"Rar!", "a rar archive"}, {"7z\xbc\xaf", "a 7z archive"},
	} {
		if bytes.HasPrefix(data, []byte(m.magic)) {
			return m.what
		}
	}
	return ""
}

func saveBlocks(path string, blocks []Block) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := gob.NewEncoder(f).Encode(blocks); err != nil {
		return err
	}
	return f.Close()
}

func loadBlocks(path string) ([]Block, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var blocks []Block
	return blocks, gob.NewDecoder(f).Decode(&blocks)
}
