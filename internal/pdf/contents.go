package pdf

import "strconv"

const (
	tocLeading = 19.0
	tocFirst   = top + 46
)

// tocPage is a page set aside for the table of contents, filled when all pages
// are known.
type tocPage struct {
	own     int // index of our page
	entries []int
	first   bool
}

// reserveContents sets aside pages for the titles of all sections after i.
func (c *composer) reserveContents(i int) {
	room := bottom - tocFirst
	perPage := int(room / tocLeading)
	var entries []int
	for k := i + 1; k < len(c.job.Parts); k++ {
		if c.job.Parts[k].Title != "" {
			entries = append(entries, k)
		}
	}
	for first := true; ; first = false {
		n := min(perPage, len(entries))
		c.toc = append(c.toc, tocPage{own: c.doc.PageCount() - 1, entries: entries[:n], first: first})
		if entries = entries[n:]; len(entries) == 0 || c.full {
			return
		}
		c.newPage()
	}
}

func (c *composer) fillContents() {
	for _, page := range c.toc {
		c.goTo(page.own + 1)
		c.y = top
		if page.first {
			c.y += 20
			c.text(marginX, c.y, 19, Span{Text: "Contents", Bold: true})
		}
		c.y = tocFirst
		for _, i := range page.entries {
			c.tocEntry(page.own, i)
		}
	}
}

func (c *composer) tocEntry(own, i int) {
	p, target := &c.job.Parts[i], c.targets[i]
	x, size := marginX+float64(min(p.Level, 6))*16, 10.0
	sp := Span{Text: p.Title, Bold: p.Level == 0}
	if p.Level > 1 {
		sp.Color = quiet
	}
	number := Span{Text: strconv.Itoa(target + 1), Color: quiet}
	right := marginX + textW
	numberX := right - c.width(size, number)
	end := x + c.text(x, c.y+size, size, c.fit(sp, size, numberX-x-24))
	c.text(numberX, c.y+size, size, number)
	if numberX-end > 16 {
		c.doc.SetDashPattern([]float64{0.6, 3}, 0)
		c.line(end+6, c.y+size-1.5, numberX-6, c.y+size-1.5, faint, 0.6)
		c.doc.SetDashPattern(nil, 0)
	}
	c.links = append(c.links, pageLink{own: own, x1: x, y1: pageH - c.y - tocLeading, x2: right, y2: pageH - c.y, page: target})
	c.y += tocLeading
}
