package pdf

import "fmt"

const (
	cellSize    = 9.0
	cellLeading = 12.4
	cellPad     = 5.0
)

// table draws a grid from x on, w wide, its head again on every page.
func (s *pageWriter) table(t *Table, x, w float64) {
	if t.Title != "" {
		s.heading(&Block{Heading: 4, Spans: plain(t.Title)}, x)
	}
	cols := columnWidths(t, w)
	if !s.room(3 * cellLeading) {
		return
	}
	s.group("Table", func() {
		s.group("TR", func() { s.tableHead(t, x, w, cols, "TH") })
		for _, row := range t.Rows {
			if s.full {
				return
			}
			s.group("TR", func() { s.tableRow(t, row, x, w, cols) })
		}
	})
}

func columnWidths(t *Table, w float64) []float64 {
	n := len(t.Head)
	for _, row := range t.Rows {
		n = max(n, len(row))
	}
	widths, sum := make([]float64, n), 0.0
	for i := range widths {
		widths[i] = 1
		if i < len(t.Widths) && t.Widths[i] > 0 {
			widths[i] = t.Widths[i]
		}
		sum += widths[i]
	}
	for i := range widths {
		widths[i] *= w / sum
	}
	return widths
}

// tableHead draws the head. Where it is repeated on a further page it has no
// tag: who has the table read to them has heard it.
func (s *pageWriter) tableHead(t *Table, x, w float64, cols []float64, tag string) {
	if len(t.Head) == 0 {
		return
	}
	for i, text := range t.Head {
		sp := s.fit(Span{Text: text, Bold: true, Color: quiet}, 8, cols[i]-2*cellPad)
		draw := func() { s.text(x+cellPad, s.y+cellLeading*0.8, 8, sp) }
		if tag != "" {
			s.tagged(tag, "", draw)
		} else {
			draw()
		}
		x += cols[i]
	}
	s.y += cellLeading + 3
	s.line(x-w, s.y, x, s.y, quiet, 0.7)
	s.y += 1
}

// cellText is a cell broken into lines.
type cellText struct {
	lines [][]Span
	right bool // written from the right
	tag   *element
}

func (s *pageWriter) cellText(c Cell, w float64) cellText {
	out := cellText{tag: s.tags.add("TD", "")}
	if c.Of > 0 || c.Label != "" {
		return out
	}
	spans := c.Spans
	switch {
	case c.Markdown:
		spans = flattened(markdownBlocks(c.Text))
	case spans == nil:
		spans = []Span{{Text: c.Text, Bold: c.Bold}}
	}
	out.right = (c.Markdown || c.Spans != nil) && startsRight(spansText(spans))
	out.lines = s.wrap(spans, cellSize, w-2*cellPad)
	return out
}

// tableRow draws a row line by line, so that one taller than a page goes on
// over the next.
func (s *pageWriter) tableRow(t *Table, row []Cell, x, w float64, cols []float64) {
	texts, tall := make([]cellText, len(row)), 1
	for i, c := range row {
		texts[i] = s.cellText(c, cols[i])
		tall = max(tall, len(texts[i].lines))
	}
	whole := float64(tall)*cellLeading + 2*cellPad
	if whole < (bottom-top)/2 && s.y+whole > bottom {
		s.newPage()
		s.tableHead(t, x, w, cols, "")
	}
	s.y += cellPad
	for n := range tall {
		above, below := s.rowOverhang(texts, n)
		if s.y+above+cellLeading+below > bottom {
			s.newPage()
			s.tableHead(t, x, w, cols, "")
		}
		if s.full {
			return
		}
		s.y += above
		s.rowLine(row, texts, n, x, cols)
		s.y += cellLeading + below
	}
	s.y += cellPad
	s.line(x, s.y, x+w, s.y, hairline, 0.5)
}

// rowOverhang is how far formulas in the nth lines of cells reach out of them.
func (s *pageWriter) rowOverhang(texts []cellText, n int) (above, below float64) {
	for _, t := range texts {
		if n < len(t.lines) {
			up, down := s.overhang(t.lines[n], cellSize)
			above, below = max(above, up), max(below, down)
		}
	}
	return above, below
}

func (s *pageWriter) rowLine(row []Cell, texts []cellText, n int, x float64, cols []float64) {
	base := s.y + cellLeading*0.74
	for i, c := range row {
		t, x0, end := texts[i], x+cellPad, x+cols[i]-cellPad
		switch {
		case n < len(t.lines):
			s.drawInto(t.tag, func() { s.aligned(t.lines[n], x0, end, base, cellSize, t.right) })
		case n == 0 && c.Of > 0:
			s.drawInto(t.tag, func() { s.rating(c, x0, base) })
		case n == 0 && c.Label != "":
			s.drawInto(t.tag, func() { s.label(c, x0, base, end-x0) })
		}
		x += cols[i]
	}
}

// label draws text on a coloured ground, white or black, whichever reads better.
func (s *pageWriter) label(c Cell, x, base, max float64) {
	fill := parseColor(c.Label)
	sp := s.fit(Span{Text: c.Text, Bold: true, Color: readableOn(fill)}, 7.5, max-12)
	w := s.width(7.5, sp) + 12
	s.rounded(x, base-8.6, w, 11.6, 3, fill)
	s.text(x+6, base-0.4, 7.5, sp)
}

func readableOn(fill RGB) RGB {
	r, g, b := fill.parts()
	if 299*r+587*g+114*b > 150_000 {
		return ink
	}
	return 0xffffff
}

// rating draws filled and empty dots, and the same in figures for those who
// read the text alone. Long scales are figures only.
func (s *pageWriter) rating(c Cell, x, base float64) {
	if c.Of <= 10 {
		for i := range c.Of {
			fill := hairline
			if i < c.Score {
				fill = accent
			}
			s.rounded(x, base-6.3, 6.4, 6.4, 3.2, fill)
			x += 9
		}
		x += 4
	}
	x += s.text(x, base, 8, Span{Text: fmt.Sprintf("%d/%d", c.Score, c.Of), Color: quiet})
	if c.Text != "" {
		s.text(x+6, base, 8, Span{Text: c.Text, Color: quiet})
	}
}
