package pdf

import (
	"bytes"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Formulas in Markdown stand between dollars, or between \( and \), \[ and \].

// mathNode is a formula, in a line or between lines.
type mathNode struct {
	ast.BaseInline
	source  string
	display bool
}

var kindMath = ast.NewNodeKind("Math")

func (*mathNode) Kind() ast.NodeKind            { return kindMath }
func (*mathNode) Dump(source []byte, level int) {}

// mathBlock is a formula that takes whole lines.
type mathBlock struct {
	ast.BaseBlock
	closer string
	closed bool
}

var kindMathBlock = ast.NewNodeKind("MathBlock")

func (*mathBlock) Kind() ast.NodeKind            { return kindMathBlock }
func (*mathBlock) Dump(source []byte, level int) {}
func (*mathBlock) IsRaw() bool                   { return true }

// closerOf tells how the formula that a text begins with ends, "" for none.
func closerOf(line []byte) (opener, closer string) {
	for _, pair := range [][2]string{{"$$", "$$"}, {"$", "$"}, {`\[`, `\]`}, {`\(`, `\)`}} {
		if bytes.HasPrefix(line, []byte(pair[0])) {
			return pair[0], pair[1]
		}
	}
	return "", ""
}

type mathInline struct{}

func (mathInline) Trigger() []byte { return []byte{'$', '\\'} }

// Parse reads a formula within a paragraph. A single dollar is one of money
// where a blank follows it, where a letter stands before it, or where nothing
// closes it.
func (mathInline) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	opener, closer := closerOf(line)
	if opener == "" {
		return nil
	}
	before := block.PrecendingCharacter()
	if opener == "$" && (len(line) < 2 || util.IsSpace(line[1]) || unicode.IsLetter(before) ||
		unicode.IsDigit(before)) {
		return nil
	}
	row, segment := block.Position()
	block.Advance(len(opener))
	var b strings.Builder
	for b.Len() <= mathLongest {
		line, _ := block.PeekLine()
		if line == nil {
			break
		}
		end := closeAt(line, closer)
		if end < -1 {
			break
		}
		if end >= 0 {
			b.Write(line[:end])
			source := strings.TrimSpace(b.String())
			if source == "" {
				break
			}
			block.Advance(end + len(closer))
			return &mathNode{source: source, display: closer == "$$" || closer == `\]`}
		}
		b.Write(line)
		block.AdvanceLine()
	}
	block.SetPosition(row, segment)
	return nil
}

// closeAt finds where a formula ends on a line: -1 where it does not, less where
// the dollar that is met cannot be its end.
func closeAt(line []byte, closer string) int {
	for i := 0; i < len(line); i++ {
		if bytes.HasPrefix(line[i:], []byte(closer)) {
			if closer != "$" {
				return i
			}
			afterBlank := i > 0 && util.IsSpace(line[i-1])
			if afterBlank || i+1 < len(line) && util.IsNumeric(line[i+1]) {
				return -2
			}
			return i
		}
		if line[i] == '\\' {
			i++
		}
	}
	return -1
}

type mathLines struct{}

func (mathLines) Trigger() []byte { return []byte{'$', '\\'} }

// Open begins a formula at a line that starts with its opener and does not
// close it.
func (mathLines) Open(_ ast.Node, reader text.Reader, _ parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	skip := len(line) - len(bytes.TrimLeft(line, " "))
	opener, closer := closerOf(line[skip:])
	if opener != "$$" && opener != `\[` || closeAt(line[skip+len(opener):], closer) >= 0 {
		return nil, parser.NoChildren
	}
	n := &mathBlock{closer: closer}
	n.Lines().Append(text.NewSegment(segment.Start+skip+len(opener), segment.Stop))
	return n, parser.NoChildren
}

// Continue takes lines up to the one that closes the formula, or a blank one.
func (mathLines) Continue(node ast.Node, reader text.Reader, _ parser.Context) parser.State {
	n := node.(*mathBlock)
	line, segment := reader.PeekLine()
	if n.closed || util.IsBlank(line) {
		return parser.Close
	}
	if end := closeAt(line, n.closer); end >= 0 {
		segment.Stop = segment.Start + end
		n.closed = true
	}
	n.Lines().Append(segment)
	return parser.Continue | parser.NoChildren
}

func (mathLines) Close(ast.Node, text.Reader, parser.Context) {}
func (mathLines) CanInterruptParagraph() bool                 { return true }
func (mathLines) CanAcceptIndentedLine() bool                 { return false }
