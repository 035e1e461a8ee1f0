package pdf

import "fmt"

const (
	cellSize    = 9.0
	cellLeading = 12.4
	cellPad     = 5.0
)

// table draws a grid from x on, w wide, its head again on every page.
func (s *sheet) table(t *Table, x, w float64) {
	if t.Title != "" {
		s.heading(&Block{Heading: 4, Spans: plain(t.Title)}, x)
	}
	cols := columnWidths(t, w)
	if !s.room(3 * cellLeading) {
		return
	}
	s.tableHead(t, x, w, cols)
	for _, row := range t.Rows {
		if s.full {
			return
		}
		s.tableRow(t, row, x, w, cols)
	}
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

func (s *sheet) tableHead(t *Table, x, w float64, cols []float64) {
	if len(t.Head) == 0 {
		return
	}
	for i, text := range t.Head {
		sp := s.fit(Span{Text: text, Bold: true, Color: quiet}, 8, cols[i]-2*cellPad)
		s.text(x+cellPad, s.y+cellLeading*0.8, 8, sp)
		x += cols[i]
	}
	s.y += cellLeading + 3
	s.line(x-w, s.y, x, s.y, quiet, 0.7)
	s.y += 1
}

// tableRow draws a row line by line, so that one taller than a page goes on
// over the next.
func (s *sheet) tableRow(t *Table, row []Cell, x, w float64, cols []float64) {
	lines, tall := make([][][]Span, len(row)), 1
	for i, c := range row {
		if c.Of == 0 && c.Label == "" {
			spans := c.Spans
			if spans == nil {
				spans = []Span{{Text: c.Text, Bold: c.Bold}}
			}
			lines[i] = s.wrap(spans, cellSize, cols[i]-2*cellPad)
			tall = max(tall, len(lines[i]))
		}
	}
	whole := float64(tall)*cellLeading + 2*cellPad
	if whole < (bottom-top)/2 && s.y+whole > bottom {
		s.newPage()
		s.tableHead(t, x, w, cols)
	}
	s.y += cellPad
	for n := range tall {
		if s.y+cellLeading > bottom {
			s.newPage()
			s.tableHead(t, x, w, cols)
		}
		if s.full {
			return
		}
		s.rowLine(row, lines, n, x, cols)
		s.y += cellLeading
	}
	s.y += cellPad
	s.line(x, s.y, x+w, s.y, hairline, 0.5)
}

func (s *sheet) rowLine(row []Cell, lines [][][]Span, n int, x float64, cols []float64) {
	base := s.y + cellLeading*0.74
	for i, c := range row {
		switch {
		case n < len(lines[i]):
			s.drawLine(lines[i][n], x+cellPad, base, cellSize)
		case n == 0 && c.Of > 0:
			s.rating(c, x+cellPad, base)
		case n == 0 && c.Label != "":
			s.label(c, x+cellPad, base, cols[i]-2*cellPad)
		}
		x += cols[i]
	}
}

// label draws text on a coloured ground, white or black, whichever reads better.
func (s *sheet) label(c Cell, x, base, max float64) {
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
func (s *sheet) rating(c Cell, x, base float64) {
	if c.Of <= 10 {
		for i := range c.Of {
			fill := hairline
			if i < c.Score {
				fill = accent
			}
			s.doc.SetFillColor(fill.parts())
			s.doc.Circle(x+3.2, base-3.1, 3.2, "F")
			x += 9
		}
		x += 4
	}
	x += s.text(x, base, 8, Span{Text: fmt.Sprintf("%d/%d", c.Score, c.Of), Color: quiet})
	if c.Text != "" {
		s.text(x+6, base, 8, Span{Text: c.Text, Color: quiet})
	}
}
