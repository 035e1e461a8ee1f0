package pdf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"

	"lectern/internal/ground/highlight"
)

// RunsVersion is that of what highlighters give: it grows when they give something else for the same file, so that
// files are highlighted anew.
const RunsVersion = 1

// runsOfLine is how many bytes of a line are highlighted; pages show less of it.
const runsOfLine = 8_000

// Bounds of what is kept of the names of files.
const (
	namesKept = 4_000
	longName  = 255
)

// languages are those of the names of files that were asked for last.
var languages = struct {
	sync.Mutex
	of map[string]string
}{of: map[string]string{}}

// LanguageOf tells the language of a file by its name; empty when none is known.
func LanguageOf(name string) string {
	name = filepath.Base(name)
	if len(name) > longName {
		return ""
	}
	languages.Lock()
	defer languages.Unlock()
	language, known := languages.of[name]
	if known {
		return language
	}
	if l := lexers.Match(name); l != nil && l != lexers.Get("plaintext") {
		language = l.Config().Name
	}
	if len(languages.of) >= namesKept {
		clear(languages.of)
	}
	languages.of[name] = language
	return language
}

// Highlighter finds what the stretches of text files are, in a child process that serves one file after the other
// until one kills it. Close ends it.
type Highlighter struct {
	dir string
	wk  worker
	n   int
}

// NewHighlighter makes one. Its child starts with the first file.
func NewHighlighter(limits Limits) (*Highlighter, error) {
	if !mayStart.Load() {
		return nil, errNoChild
	}
	dir, err := os.MkdirTemp("", tempPrefix)
	if err != nil {
		return nil, fmt.Errorf("private directory: %w", err)
	}
	return &Highlighter{dir: dir, wk: worker{dir: dir, limits: limits.orDefaults()}}, nil
}

// Close ends the child.
func (h *Highlighter) Close() error {
	h.wk.stop()
	return os.RemoveAll(h.dir)
}

// ErrPlain tells that nothing can be told of a file: whatever reads it is killed, or it is no text.
var ErrPlain = errors.New("the file cannot be highlighted")

// Runs finds what the stretches of a file in a language of LanguageOf are, and gives them as package highlight keeps
// them. ErrPlain of what will never be highlighted; any other error is no fault of the file.
func (h *Highlighter) Runs(ctx context.Context, in io.Reader, language string) ([]byte, error) {
	h.n++
	limit := h.wk.limits.FileTime
	j := &runsJob{Language: language, Time: limit * 3 / 4, In: filepath.Join(h.dir, fmt.Sprintf("in%d", h.n)),
		Out: filepath.Join(h.dir, fmt.Sprintf("out%d", h.n))}
	defer os.Remove(j.In)
	defer os.Remove(j.Out)
	f := &File{Open: func() (io.ReadCloser, error) { return io.NopCloser(in), nil }}
	if _, err := spool(f, j.In); err != nil {
		return nil, err
	}
	a, err := h.wk.do(ctx, request{Runs: j}, limit)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, errTooSlow), errors.Is(err, errDied):
		return nil, fmt.Errorf("%w: %w", ErrPlain, err)
	case err != nil:
		return nil, err
	case a.Trouble != "":
		return nil, fmt.Errorf("%w: %s", ErrPlain, a.Trouble)
	}
	return readBounded(j.Out, int64(highlight.MostBytes))
}

func readBounded(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most+1))
}

// runsJob asks for the runs of a file.
type runsJob struct {
	Language string
	Time     time.Duration // of the processor, after which what remains is plain: before the child is killed
	In, Out  string
}

// find does the job.
func (j *runsJob) find() (err error) {
	defer caught(&err)
	b, err := os.ReadFile(j.In)
	if err != nil {
		return err
	}
	text, _, ok := Plain(b)
	if !ok {
		return errBinary
	}
	lexer := lexers.Get(j.Language)
	if lexer == nil {
		return told("its language is not known any more")
	}
	lines, err := runsOf(lexer, text, deadline(j.Time))
	if err != nil {
		return err
	}
	return os.WriteFile(j.Out, highlight.Encode(lines), 0o600) //nolint:gosec // a file of the parent's own directory
}

// runsOf gives the runs of a text line by line, as far as time and bounds allow. A highlighter that gives other text
// than it got is not believed.
func runsOf(l chroma.Lexer, text string, late func() bool) ([][]highlight.Run, error) {
	if !strings.HasSuffix(text, "\n") {
		text += "\n" // where many languages end what they are in
	}
	it, err := l.Tokenise(&chroma.TokeniseOptions{State: "root"}, text)
	if err != nil {
		return nil, err
	}
	b := runBuilder{lines: [][]highlight.Run{nil}}
	for n, tok := 0, it(); tok != chroma.EOF; n, tok = n+1, it() {
		if !strings.HasPrefix(text, tok.Value) {
			break
		}
		text = text[len(tok.Value):]
		b.add(classOf(tok.Type), tok.Value)
		if b.runs > highlight.MostRuns || n%lookEvery == 0 && late() {
			break
		}
	}
	return b.lines, nil
}

// lookEvery is after how many tokens the time is looked at.
const lookEvery = 256

// deadline tells when this process has worked for so long, or where that cannot be told, when so much time is over.
func deadline(most time.Duration) (late func() bool) {
	began, used := time.Now(), processorTime(os.Getpid())
	return func() bool {
		if used < 0 {
			return time.Since(began) > most
		}
		return processorTime(os.Getpid())-used > most
	}
}

// runBuilder gathers runs into lines.
type runBuilder struct {
	lines [][]highlight.Run
	bytes int // of the last line
	plain int // of the last line, since its last run
	runs  int
}

func (b *runBuilder) add(c highlight.Class, text string) {
	for {
		part, rest, more := strings.Cut(text, "\n")
		b.put(c, len(part))
		if !more {
			return
		}
		b.lines, b.bytes, b.plain = append(b.lines, nil), 0, 0
		text = rest
	}
}

func (b *runBuilder) put(c highlight.Class, length int) {
	if length = min(length, runsOfLine-b.bytes); length == 0 {
		return
	}
	b.bytes += length
	line := &b.lines[len(b.lines)-1]
	if c == highlight.Plain {
		b.plain += length
		return
	}
	if n := len(*line); n > 0 && b.plain == 0 && (*line)[n-1].Class == c {
		(*line)[n-1].Length += length
		return
	}
	if b.plain > 0 {
		*line = append(*line, highlight.Run{Length: b.plain, Class: highlight.Plain})
		b.plain, b.runs = 0, b.runs+1
	}
	*line = append(*line, highlight.Run{Length: length, Class: c})
	b.runs++
}

// classOf is how pages colour a kind of token: in few colours.
func classOf(t chroma.TokenType) highlight.Class {
	switch {
	case t == chroma.CommentPreproc, t == chroma.CommentPreprocFile, t == chroma.OperatorWord, t == chroma.NameTag:
		return highlight.Keyword
	case t.InCategory(chroma.Comment):
		return highlight.Comment
	case t == chroma.NameClass, t == chroma.NameException, t == chroma.NameNamespace, t == chroma.NameDecorator,
		t == chroma.NameAttribute, t.InSubCategory(chroma.NameBuiltin):
		return highlight.Type
	case t.InCategory(chroma.Keyword):
		return highlight.Keyword
	case t.InSubCategory(chroma.LiteralString):
		return highlight.String
	case t.InSubCategory(chroma.LiteralNumber):
		return highlight.Number
	case t == chroma.GenericHeading, t == chroma.GenericSubheading, t == chroma.GenericStrong:
		return highlight.Keyword
	case t == chroma.GenericDeleted, t == chroma.GenericInserted:
		return highlight.String
	}
	return highlight.Plain
}
