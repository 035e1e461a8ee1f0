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

// reserveContents sets aside pages for the titles of all sections, those that
// stand before the contents, too.
func (c *composer) reserveContents() {
	room := bottom - tocFirst
	perPage := int(room / tocLeading)
	var entries []int
	for k := range c.job.Parts {
		if c.job.Parts[k].Title != "" {
			entries = append(entries, k)
		}
	}
	c.tocTag = c.tags.add("TOC", "")
	for first := true; ; first = false {
		n := min(perPage, len(entries))
		c.toc = append(c.toc, tocPage{own: len(c.pages) - 1, entries: entries[:n], first: first})
		if entries = entries[n:]; len(entries) == 0 || c.full {
			return
		}
		c.newPage()
	}
}

func (c *composer) fillContents() {
	if c.tocTag == nil {
		return
	}
	c.tags.open = append(c.tags.open, c.tocTag)
	defer func() { c.tags.open = c.tags.open[:1] }()
	for _, page := range c.toc {
		c.goTo(page.own)
		c.y = top
		if page.first {
			c.y += 20
			c.tagged("H1", "", func() { c.text(marginX, c.y, 19, Span{Text: "Contents", Bold: true}) })
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
	end := x
	c.tagged("TOCI", "", func() {
		end += c.text(x, c.y+size, size, c.fit(sp, size, numberX-x-24))
		c.text(numberX, c.y+size, size, number)
	})
	if numberX-end > 16 {
		c.dots(end+6, numberX-6, c.y+size-1.5, faint)
	}
	c.jumps = append(c.jumps, pageLink{own: own, x1: x, y1: pageH - c.y - tocLeading, x2: right, y2: pageH - c.y,
		page: target})
	c.y += tocLeading
}
