package pdf

// cover draws a title page: who and what first, then the labelled lines, then
// the tables, which may run on over further pages.
func (s *pageWriter) cover(c *Cover) {
	s.box(0, 0, 7, pageH, accent)
	s.y = 84
	if c.Institution != "" {
		s.tagged("P", "", func() {
			s.text(marginX, s.y, 11, s.fit(Span{Text: c.Institution, Bold: true, Color: quiet}, 11, textW))
		})
	}
	s.y = 176
	s.large("P", c.Unit, 13, Span{Color: quiet})
	s.y += 6
	s.large("H1", c.Title, 27, Span{Bold: true})
	if c.Subtitle != "" {
		s.y += 2
		s.large("P", c.Subtitle, 13, Span{Color: quiet})
	}
	s.y += 14
	s.box(marginX, s.y, 46, 2.4, accent)
	s.y += 12
	if c.Kicker != "" {
		s.large("P", c.Kicker, 11, Span{Bold: true, Color: accent})
	}
	s.y += 16
	for _, kv := range c.Lines {
		s.keyValue(kv)
	}
	for i := range c.Tables {
		s.y += 16
		s.table(&c.Tables[i], marginX, textW)
	}
}

// large draws a title, as many lines as it takes.
func (s *pageWriter) large(tag, text string, size float64, style Span) {
	if text == "" {
		return
	}
	style.Text = text
	s.tagged(tag, "", func() {
		for _, line := range s.wrap([]Span{style}, size, textW) {
			if !s.room(size * 1.3) {
				return
			}
			s.y += size * 1.22
			s.drawLine(line, marginX, s.y-size*0.22, size, false)
		}
	})
}

func (s *pageWriter) keyValue(kv KeyValue) {
	const keyW = 112.0
	lines := s.wrap(plain(kv.Value), 10.5, textW-keyW)
	s.tagged("P", "", func() {
		for i, line := range lines {
			if !s.room(16) {
				return
			}
			if i == 0 {
				s.text(marginX, s.y+11, 9.5, s.fit(Span{Text: kv.Key, Color: quiet}, 9.5, keyW-8))
			}
			s.drawLine(line, marginX+keyW, s.y+11, 10.5, false)
			s.y += 16
		}
	})
	s.y += 2
}
