package pdf

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// highlightTime bounds the colouring of one file; what remains is shown plain.
const highlightTime = 1200 * time.Millisecond

// findLexer picks a language by hint or file name; nil when none is known.
func findLexer(name, language string) chroma.Lexer {
	if language != "" {
		if l := lexers.Get(language); l != nil {
			return l
		}
	}
	return lexers.Match(filepath.Base(name))
}

// coloured turns code into coloured lines. Text over maxKB, of an unknown
// language, or that takes too long stays plain from there on.
func coloured(l chroma.Lexer, text string, maxKB int) [][]Span {
	text = strings.TrimSuffix(text, "\n")
	if l == nil || len(text) > maxKB<<10 {
		return plainLines(text)
	}
	it, err := chroma.Coalesce(l).Tokenise(&chroma.TokeniseOptions{State: "root", EnsureLF: true}, text)
	if err != nil {
		return plainLines(text)
	}
	b := lineBuilder{}
	until, done := time.Now().Add(highlightTime), 0
	for tok := it(); tok != chroma.EOF; tok = it() {
		b.add(tokenStyle(tok.Type), tok.Value)
		done += len(tok.Value)
		if time.Now().After(until) {
			break
		}
	}
	if done < len(text) {
		b.add(Span{}, text[done:])
	}
	return b.finish()
}

func plainLines(text string) [][]Span {
	b := lineBuilder{}
	b.add(Span{}, text)
	return b.finish()
}

// lineBuilder gathers spans into lines, with tabs set.
type lineBuilder struct {
	lines [][]Span
	line  []Span
	col   int
}

func (b *lineBuilder) add(style Span, text string) {
	for {
		part, rest, more := strings.Cut(text, "\n")
		if part != "" {
			style.Text, b.col = expandTabs(part, b.col)
			b.line = appendSpans(b.line, []Span{style})
		}
		if !more {
			return
		}
		b.lines = append(b.lines, b.line)
		b.line, b.col = nil, 0
		text = rest
	}
}

// finish gives the lines, without the empty one behind a last line end.
func (b *lineBuilder) finish() [][]Span {
	if len(b.line) > 0 || len(b.lines) == 0 {
		b.lines = append(b.lines, b.line)
	}
	return b.lines
}

// tokenStyle colours a kind of token: few colours, all dark enough for print.
func tokenStyle(t chroma.TokenType) Span {
	switch {
	case t.InCategory(chroma.Comment):
		return Span{Color: 0x66707c, Italic: true}
	case t == chroma.KeywordType:
		return Span{Color: 0x7a3e00}
	case t.InCategory(chroma.Keyword), t == chroma.OperatorWord:
		return Span{Color: 0xa3214d}
	case t.InSubCategory(chroma.LiteralString):
		return Span{Color: 0x0b5c3b}
	case t.InSubCategory(chroma.LiteralNumber):
		return Span{Color: 0x0550ae}
	case t == chroma.NameFunction, t == chroma.NameFunctionMagic, t == chroma.NameDecorator, t == chroma.NameTag:
		return Span{Color: 0x6639a6}
	case t == chroma.NameClass, t == chroma.NameNamespace, t == chroma.NameException:
		return Span{Color: 0x7a3e00}
	case t.InSubCategory(chroma.NameBuiltin), t == chroma.NameConstant, t == chroma.NameAttribute:
		return Span{Color: 0x0550ae}
	case t == chroma.GenericDeleted:
		return Span{Color: 0xa3214d}
	case t == chroma.GenericInserted:
		return Span{Color: 0x0b5c3b}
	case t == chroma.GenericHeading, t == chroma.GenericSubheading:
		return Span{Color: 0x1d4f7c}
	}
	return Span{}
}
