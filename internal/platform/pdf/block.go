package pdf

import "fmt"

// Block is a piece of flowing text: what Markdown and notebooks are read into,
// and what a section's Body is written with.
type Block struct {
	Heading int // 1 to 6 when this is a heading
	Indent  int // list depth
	Quote   int // depth of quotation bars
	Marker  string
	Spans   []Span
	Rule    bool
	Table   *Table
	Listing *Listing
	Figure  *Figure
	Inset   bool // a figure that stands beside the margin of labelled listings
	Notice  bool // set apart in a tinted box
	Math    bool // the spans are the source of a formula that stands alone

	// Markdown is text that people wrote, to be set as such in place of
	// everything else here. It is read where the document is put together.
	Markdown string
}

// Span is a stretch of text in one style. The zero colour is the ink.
type Span struct {
	Text                       string
	Color, Fill                RGB
	Bold, Italic, Mono, Strike bool
	Link                       string
	Math                       bool // the text is the source of a formula
	display                    bool // the formula stands on a line of its own
}

// RGB is a colour as 0xRRGGBB; 0 stands for "as the surroundings".
type RGB uint32

// Listing is preformatted text with a fixed pitch.
type Listing struct {
	Lines  [][]Span
	Number bool   // line numbers in the margin
	Label  string // small text in the margin of the first line
	Tint   RGB    // background
	Bar    RGB    // a coloured bar at the left
}

// Figure is an image file of our own making.
type Figure struct {
	Path          string
	Width, Height int  // in pixels
	Large         bool // as wide as the page allows, not only where the pixels ask for it
	Alt           string
}

// alt is the picture in words, for who cannot see it.
func (f *Figure) alt() string {
	if f.Alt != "" {
		return f.Alt
	}
	return fmt.Sprintf("A picture of %d by %d pixels", f.Width, f.Height)
}

// Head makes a heading block.
func Head(level int, text string) Block { return Block{Heading: level, Spans: plain(text)} }

// Para makes a paragraph block.
func Para(text string) Block { return Block{Spans: plain(text)} }

// Prose makes a block of text that people wrote in Markdown.
func Prose(markdown string) Block { return Block{Markdown: markdown} }

// Grid makes a table block.
func Grid(t Table) Block { return Block{Table: &t} }

func plain(text string) []Span { return []Span{{Text: text}} }
