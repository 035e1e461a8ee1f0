package pdf

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// part is a section with what its file was read into.
type part struct {
	Section
	In   string // the original, in the job's directory; empty without a file
	Size int64
	Made string // what it was read into
	Done readDone
}

// composeJob asks to put the whole document together.
type composeJob struct {
	Document Document // its sections are in Parts
	Parts    []part
	Out      string
	Limits   Limits

	Title   string // of the pages of remarks; empty: there are none
	Noun    string // what one of them is called
	Intro   []Block
	Remarks []placedRemark // in the order of their numbers
}

// composer lays out a document: our own pages on a pageWriter, foreign ones by count.
type composer struct {
	*pageWriter
	job     *composeJob
	chunks  []chunk
	total   int // pages so far, foreign ones included
	own     []ownPage
	outline []bookmark
	targets []int // by section: its first page, from 0
	toc     []tocPage
	tocTag  *element
	jumps   []pageLink
	notes   []Note
	attach  []attachment
	files   int
}

// chunk is a run of pages: our own from one index to another, or a whole file.
type chunk struct {
	from, to int
	path     string
	header   string
	number   int        // of the file's first page in the whole document, from 1
	kept     bool       // its pages stay as they are
	ours     []bool     // which of the file's pages this package made
	tags     []*element // the file's pages
}

type ownPage struct {
	number int // in the whole document, from 1
	header string
	bare   bool
}

type bookmark struct {
	Title string
	Level int
	Page  int // from 0
}

// pageLink is a place on one of our pages that leads to another page.
type pageLink struct {
	own            int // index of our page, from 0
	x1, y1, x2, y2 float64
	page           int // from 0
}

type attachment struct{ name, path, about string }

// compose makes the document. A section that breaks the layout is replaced by
// the reason, and the work begins again.
func compose(j *composeJob) (pages int, notes []Note, err error) {
	for range len(j.Parts) + 1 {
		c := newComposer(j)
		bad, lerr := c.layout()
		if lerr == nil {
			return c.total, c.notes, c.write()
		}
		if j.Parts[bad].In == "" || j.Parts[bad].Done.Why != "" {
			return 0, nil, fmt.Errorf("section %d: %w", bad, lerr)
		}
		j.Parts[bad].Done = readDone{Why: "it could not be laid out"}
	}
	return 0, nil, fmt.Errorf("the document could not be laid out")
}

func newComposer(j *composeJob) *composer {
	fs, missing := newFonts(j.Document.Fonts)
	c := &composer{pageWriter: newPageWriter(fs), job: j, targets: make([]int, len(j.Parts))}
	for _, text := range missing {
		c.notes = append(c.notes, Note{Section: -1, Text: text})
	}
	for i := range j.Parts {
		if j.Parts[i].In != "" {
			c.files++
		}
	}
	return c
}

// layout draws all sections; on failure it names the one that broke.
func (c *composer) layout() (bad int, err error) {
	nth := 0
	for i := range c.job.Parts {
		if c.job.Parts[i].In != "" {
			nth++
		}
		if err := c.guarded(func() { c.section(i, nth) }); err != nil {
			return i, err
		}
	}
	err = c.guarded(func() { c.remarks(); c.fillContents(); c.furniture() })
	return len(c.job.Parts) - 1, err
}

// guarded turns panics into errors: one odd file may not cost the document.
func (c *composer) guarded(f func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("layout: %v", r)
		}
	}()
	f()
	return nil
}

func (c *composer) section(i, nth int) {
	p := &c.job.Parts[i]
	c.targets[i] = c.total
	if p.Title != "" {
		c.outline = append(c.outline, bookmark{Title: p.Title, Level: p.Level, Page: c.total})
	}
	header := p.Header
	if header == "" && p.In != "" {
		header = fmt.Sprintf("File %d of %d · %s", nth, c.files, p.title())
	}
	if header == "" {
		header = p.Title
	}
	switch {
	case p.Cover != nil:
		c.ownPages(header, true, func() { c.cover(p.Cover) })
	case p.Contents:
		c.ownPages("Contents", false, func() { c.reserveContents() })
	}
	if len(p.Body) > 0 {
		c.ownPages(header, false, func() { c.bodyTitle(p); c.blocks(p.Body) })
	}
	if p.In != "" {
		c.file(i, nth, header)
	}
}

func (p *part) title() string {
	if p.Title != "" {
		return p.Title
	}
	return p.File.Name
}

// ownPages draws pages of ours and numbers them.
func (c *composer) ownPages(header string, bare bool, draw func()) {
	from := len(c.pages)
	c.left, c.full = max(1, min(c.job.Limits.SectionPages, c.job.Limits.Pages-c.total)), false
	c.newPage()
	draw()
	to := len(c.pages)
	for k := from; k < to; k++ {
		c.total++
		c.own = append(c.own, ownPage{number: c.total, header: header, bare: bare && k == from})
	}
	c.chunks = append(c.chunks, chunk{from: from, to: to})
}

func (c *composer) bodyTitle(p *part) {
	if p.Title != "" {
		c.large(headingTag(p.Level+1), p.Title, 19, Span{Bold: true})
		c.y += 10
	}
}

// file adds the pages of a file, or the page that says why there are none.
func (c *composer) file(i, nth int, header string) {
	p := &c.job.Parts[i]
	d := p.Done
	if d.Why == "" && d.PDF && c.total+d.Pages > c.job.Limits.Pages {
		d.Why = fmt.Sprintf("its %d pages would take the document past %d", d.Pages, c.job.Limits.Pages)
	}
	if d.Why == "" && d.PDF && c.job.Title != "" {
		c.keptPages(d)
		return
	}
	if d.Why == "" && d.PDF {
		c.foreignPages(p, d, header)
		c.note(i, d.Note, false, false)
		return
	}
	label := p.Header
	if label == "" {
		label = fmt.Sprintf("File %d of %d", nth, c.files)
	}
	var blocks []Block
	if d.Why == "" {
		var err error
		if blocks, err = loadBlocks(p.Made); err != nil {
			d.Why = "it could not be laid out"
		}
	}
	if d.Why != "" {
		c.ownPages(header, false, func() { c.fileTitle(p, label, SizeText(p.Size)); c.refusal(i, d.Why) })
		return
	}
	c.ownPages(header, false, func() {
		c.fileTitle(p, label, d.About)
		for _, text := range []string{d.Note, d.Cut} {
			if text != "" {
				c.blocks([]Block{{Spans: []Span{{Text: text, Italic: true, Color: quiet}}}})
			}
		}
		c.blocks(blocks)
	})
	c.note(i, d.Note, false, false)
	c.note(i, d.Cut, true, false)
	if c.full {
		c.cutShort(i, header)
	}
}

// foreignPages adds the pages of a handed-in PDF, with its bookmarks.
func (c *composer) foreignPages(p *part, d readDone, header string) {
	ch := chunk{path: p.Made, header: header, number: c.total + 1, ours: d.Ours}
	for k := range d.Pages {
		tag := c.tags.add("P", "")
		tag.kids = []any{marked{foreign: ch.number + k}}
		ch.tags = append(ch.tags, tag)
	}
	c.chunks = append(c.chunks, ch)
	if p.Title != "" {
		for _, m := range d.Marks {
			c.outline = append(c.outline, bookmark{Title: m.Title, Level: p.Level + 1 + m.Level,
				Page: c.total + m.Page})
		}
	}
	c.total += d.Pages
}

// cutShort says that a file was too long to be shown whole.
func (c *composer) cutShort(i int, header string) {
	p := &c.job.Parts[i]
	why := fmt.Sprintf("Only the first %d pages of %s are shown.", c.job.Limits.SectionPages, p.File.Name)
	c.ownPages(header, false, func() {
		c.notice([]Span{{Text: why, Bold: true},
			{Text: "\nThe whole file is attached to this PDF: open your viewer's list of attachments."}})
	})
	c.note(i, why, p.Done.Cut == "", false)
}

func (c *composer) refusal(i int, why string) {
	p := &c.job.Parts[i]
	c.notice([]Span{
		{Text: "This file could not be shown: ", Bold: true}, {Text: strings.TrimSuffix(why, ".") + "."},
		{Text: "\nThe original is attached to this PDF, unchanged: open your viewer's list of attachments and look " +
			"for "},
		{Text: p.File.Name, Bold: true}, {Text: "."},
	})
	c.note(i, why, true, true)
}

func (c *composer) note(i int, text string, attached, failed bool) {
	if text == "" {
		return
	}
	p := &c.job.Parts[i]
	c.notes = append(c.notes, Note{Section: i, Name: p.File.Name, Text: text, Attached: attached, Failed: failed})
	if attached {
		c.attach = append(c.attach, attachment{name: p.File.Name, path: p.In, about: text})
	}
}

func (c *composer) fileTitle(p *part, label, about string) {
	c.tagged("P", "", func() { c.text(marginX, c.y+4, 8.5, Span{Text: label, Bold: true, Color: accent}) })
	c.y += 8
	c.large(headingTag(p.Level+1), p.title(), 16, Span{Bold: true})
	if name := p.File.Name; name != p.title() && name != "" {
		about = name + " · " + about
	}
	c.y += 3
	c.tagged("P", "", func() { c.text(marginX, c.y+8, 8.5, c.fit(Span{Text: about, Color: quiet}, 8.5, textW)) })
	c.y += 17
	c.line(marginX, c.y, marginX+textW, c.y, hairline, 0.7)
	c.y += 12
}

// furniture draws headers and footers, now that the number of pages is known.
func (c *composer) furniture() {
	for k, p := range c.own {
		c.furnish(k, func() {
			if !p.bare {
				c.headLine(p.header, marginX, marginX+textW)
			}
			c.footLine(p.number, marginX, marginX+textW, pageH-34)
		})
	}
}

// headLine draws the header between two edges.
func (c *composer) headLine(header string, x1, x2 float64) {
	w := x2 - x1
	c.textRight(x2, 40, 8, c.fit(Span{Text: header, Color: quiet}, 8, w*0.55))
	c.text(x1, 40, 8, c.fit(Span{Text: c.job.Document.Header, Color: quiet}, 8, w*0.42))
	c.line(x1, 47, x2, 47, hairline, 0.5)
}

// footLine draws the footer with the number of the page.
func (c *composer) footLine(number int, x1, x2, y float64) {
	c.text(x1, y, 8, c.fit(Span{Text: c.job.Document.Footer, Color: quiet}, 8, (x2-x1)*0.7))
	c.textRight(x2, y, 8, Span{Text: fmt.Sprintf("Page %d of %d", number, c.total), Color: quiet})
}

// write puts our pages and the foreign ones into one file.
func (c *composer) write() error {
	if c.total == 0 {
		return errors.New("the document has no pages")
	}
	f, err := os.Create(c.job.Out)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := c.assemble(f); err != nil {
		return err
	}
	return f.Close()
}
