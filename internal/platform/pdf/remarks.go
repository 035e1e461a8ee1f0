package pdf

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sort"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// Remark is something said of a place in a document that this package made: of lines of one of its
// files, or of a page with a stretch of text or a point.
type Remark struct {
	Where string // the place, in words
	Spot  Spot
	Body  []Block // what is said of it
}

// Spot is the place of a remark, as whoever made the remark knows it.
type Spot struct {
	File          int // of the files in the document, from 1; 0: none
	Line, EndLine int
	Page          int // of the document, from 1; 0: none
	Quote         string
	Point         bool    // X and Y are given
	X, Y          float64 // shares of the page as it is seen, from its left and its top
}

// Remarked is a document with remarks.
type Remarked struct {
	Document         // Meta, Header, Footer and Fonts; it has no sections
	Of       File    // the document, which Render made
	Files    int     // how many files there are in it
	Title    string  // of the pages of remarks behind it
	Noun     string  // what one of them is called
	Intro    []Block // what stands first on them
	Remarks  []Remark
}

// Rooms for remarks beside what the document has already.
const (
	remarkPages = 2000
	remarkTime  = 15 // times as long as one file
)

// Write writes the document once more, with a number at the place of each remark, and behind it
// pages that hold the remarks under their numbers. Its pages stay as they are. It is read and put
// together in a bounded child process; where it cannot be read, the pages of remarks say so and
// stand alone. Where a line cannot be found, its remark stands at the first page of its file.
func (r *Remarked) Write(ctx context.Context, w io.Writer, limits Limits) (Result, error) {
	if !mayStart.Load() {
		return Result{}, errNoChild
	}
	limits = limits.orDefaults()
	limits.Pages, limits.SectionPages = limits.Pages+remarkPages, remarkPages
	limits.FileTime = min(limits.FileTime*remarkTime, limits.JobTime)
	dir, err := os.MkdirTemp("", tempPrefix)
	if err != nil {
		return Result{}, fmt.Errorf("private directory: %w", err)
	}
	defer os.RemoveAll(dir)
	j := &composeJob{Document: r.Document, Out: filepath.Join(dir, "out.pdf"), Limits: limits, Title: r.Title,
		Noun: r.Noun, Intro: r.Intro}
	if j.Document.Fonts, err = absolute(r.Fonts); err != nil {
		return Result{}, err
	}
	if j.Parts, err = spoolAll([]Section{{File: &r.Of}}, dir); err != nil {
		return Result{}, err
	}
	wk := &worker{dir: dir, limits: limits}
	defer wk.stop()
	if err := r.read(ctx, wk, j); err != nil {
		return Result{}, err
	}
	res, err := composeIn(ctx, wk, j)
	if err != nil {
		return Result{}, err
	}
	wk.stop()
	res.MaxRSS, res.CPU = wk.rss, wk.cpu
	return res, copyOut(j.Out, w)
}

// read has the document read, finds where in it the remarks stand, and puts them in that order.
func (r *Remarked) read(ctx context.Context, wk *worker, j *composeJob) error {
	p := &j.Parts[0]
	if p.Size > wk.limits.InputBytes {
		p.Done.Why = fmt.Sprintf("it is too large to be shown (%s)", SizeText(p.Size))
	} else {
		ask := &readJob{Name: p.File.Name, Kind: PDF, Kept: true, Files: r.Files, In: p.In, Out: p.Made,
			Limits: wk.limits}
		for i := range r.Remarks {
			ask.Spots = append(ask.Spots, r.Remarks[i].Spot)
		}
		p.Done = readOne(ctx, wk, ask)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for i, m := range r.Remarks {
		one := placedRemark{Where: m.Where, Body: m.Body, At: badge{Page: -1}}
		if p.Done.Why == "" && i < len(p.Done.Badges) {
			one.At = p.Done.Badges[i]
		}
		j.Remarks = append(j.Remarks, one)
	}
	p.Done.Badges = nil
	slices.SortStableFunc(j.Remarks, func(a, b placedRemark) int {
		return cmp.Or(cmp.Compare(uint(a.At.Page), uint(b.At.Page)), // those on no page come last
			cmp.Compare(a.At.Y, b.At.Y), cmp.Compare(a.At.X, b.At.X))
	})
	return nil
}

// placedRemark is a remark with where its number stands.
type placedRemark struct {
	Where string
	Body  []Block
	At    badge

	own int     // the page of remarks it stands on, among our own
	y   float64 // how far down
}

// badge is where the number of a remark stands on a page, as shares of the page as it is seen, and
// the bars beside what it is about.
type badge struct {
	Page int // from 0; -1: on none
	X, Y float64
	Bars []bar
}

// bar is drawn at the margin of a page of ours, beside what a remark is about.
type bar struct {
	Page     int
	From, To float64
}

// What remarks look like.
const (
	remarkFill = RGB(0x9a3412)
	badgeSize  = 7.5
	badgeH     = 11.0
	marginal   = 34.0 // of our pages: the middle of what stands in their margin
	pageLevel  = 84.0 // how far down what is said of a page as a whole stands
)

// remarks draws the pages of remarks, behind the document.
func (c *composer) remarks() {
	if c.job.Title == "" {
		return
	}
	if c.job.Parts[0].Done.Why != "" { // its pages are not there
		for i := range c.job.Remarks {
			c.job.Remarks[i].At = badge{Page: -1}
		}
	}
	c.outline = append(c.outline, bookmark{Title: c.job.Title, Page: c.total})
	c.ownPages(c.job.Title, false, func() {
		c.large("H1", c.job.Title, 19, Span{Bold: true})
		c.y += 10
		c.blocks(c.job.Intro)
		for i := range c.job.Remarks {
			if c.remark(&c.job.Remarks[i], i+1); c.full {
				return
			}
		}
	})
	if c.full {
		c.ownPages(c.job.Title, false, func() {
			c.notice([]Span{{Text: "There is more than these pages take. ", Bold: true}, {Text: "All of it stands with the " +
				"work itself."}})
		})
	}
}

// remark draws one under its number, which leads to its place as the place leads here.
func (c *composer) remark(r *placedRemark, number int) {
	const size, indent = 11.5, 30.0
	where := r.Where
	if r.At.Page >= 0 {
		where = fmt.Sprintf("%s · page %d", where, r.At.Page+1)
	}
	lines := c.wrap([]Span{{Text: where, Bold: true}}, size, textW-indent)
	c.gap(10)
	if !c.room(float64(len(lines))*size*1.3 + 3*bodyLeading) {
		return
	}
	r.own, r.y = c.current(), c.y
	c.tagged("H2", "", func() {
		x1, x2 := c.badge(marginX+11, c.y+size*0.75, fmt.Sprint(number))
		if r.At.Page >= 0 {
			c.jumps = append(c.jumps, pageLink{own: r.own, x1: x1, y1: pageH - c.y - 16, x2: x2, y2: pageH - c.y, page: r.At.Page})
		}
		for _, line := range lines {
			c.y += size * 1.3
			c.drawLine(line, marginX+indent, c.y-size*0.3, size, false)
		}
	})
	c.y += 3
	c.blocks(r.Body)
}

// badge draws a number on a coloured ground around a middle, and tells from where to where it goes.
func (s *pageWriter) badge(x, y float64, label string) (x1, x2 float64) {
	sp := Span{Text: label, Bold: true, Color: 0xffffff}
	text := s.width(badgeSize, sp)
	w := max(text+7, 14)
	s.rounded(x-w/2, y-badgeH/2, w, badgeH, 3, remarkFill)
	s.text(x-text/2, y+badgeSize*0.36, badgeSize, sp)
	return x - w/2, x + w/2
}

// keptPages adds the pages of a document of ours as they are, with its bookmarks.
func (c *composer) keptPages(d readDone) {
	ch := chunk{path: c.job.Parts[0].Made, number: c.total + 1, kept: true}
	for k := range d.Pages {
		tag := c.tags.add("P", "")
		tag.kids = []any{marked{foreign: ch.number + k}}
		ch.tags = append(ch.tags, tag)
	}
	c.chunks = append(c.chunks, ch)
	for _, m := range d.Marks {
		c.outline = append(c.outline, bookmark{Title: m.Title, Level: m.Level, Page: c.total + m.Page})
	}
	c.total += d.Pages
}

// onPage gives the remarks whose number stands on a page of the document, as from and to in their
// list, and the bars there.
func (j *composeJob) onPage(page int) (from, to int, bars []bar) {
	from = sort.Search(len(j.Remarks), func(i int) bool { return uint(j.Remarks[i].At.Page) >= uint(page) })
	to = sort.Search(len(j.Remarks), func(i int) bool { return uint(j.Remarks[i].At.Page) > uint(page) })
	for i := range j.Remarks {
		for _, b := range j.Remarks[i].At.Bars {
			if b.Page == page {
				bars = append(bars, b)
			}
		}
	}
	return from, to, bars
}

// dressKept gives a page of a document that stays as it is the numbers of the remarks there.
func (a *assembly) dressKept(ch *chunk, c *copier, i int, page types.Dict) {
	p := &c.src.pages[i]
	box := p.visible()
	body := a.asForm(c, p, page, box)
	v := seenPage(p.rotate, box, scaleOf(p.rotate, box))
	drawn, links := a.numbered(v, i)
	page["Contents"] = types.Array{a.packed(body), a.packed(drawn)}
	page["StructParents"], page["Tabs"] = a.slotFor(ch.tags[i]), types.Name("S")
	delete(page, "Group")
	if len(links) > 0 {
		annots, _ := page["Annots"].(types.Array)
		page["Annots"] = append(annots, links...)
	}
}

// numbered draws the numbers of the remarks on a page of the document, and links them to the remarks.
func (a *assembly) numbered(v seen, page int) (drawn []byte, links types.Array) {
	from, to, bars := a.job.onPage(page)
	drawn = a.drawFurniture(v.matrix(), func() {
		for _, b := range bars {
			a.box(marginX-6, b.From*v.tall, 2.2, (b.To-b.From)*v.tall, remarkFill)
		}
		for i := from; i < to; {
			r := &a.job.Remarks[i]
			end := i + 1
			for end < to && a.job.Remarks[end].At.X == r.At.X && a.job.Remarks[end].At.Y == r.At.Y {
				end++
			}
			label, says := fmt.Sprint(i+1), fmt.Sprintf("%s %d: %s", a.job.Noun, i+1, r.Where)
			if end > i+1 {
				label = fmt.Sprintf("%d–%d", i+1, end)
			}
			x, y := min(max(r.At.X*v.wide, 14), v.wide-14), min(max(r.At.Y*v.tall, 10), v.tall-10)
			x1, x2 := a.badge(x, y, label)
			box := v.onPage(x1, y-badgeH/2, x2, y+badgeH/2)
			links = append(links, a.annotation(box[0], box[1], box[2], box[3], says, "Dest", leadsTo(a.ours[r.own], pageH-r.y+8)))
			i = end
		}
	})
	return drawn, links
}
