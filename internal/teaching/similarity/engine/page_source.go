package engine

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"unicode"
	"unicode/utf8"
)

// marked is a passage on one side.
type marked struct {
	number     int
	file       int
	from, upTo int // bytes
	line       int
}

// marks lists the passages of a side in the order of the files.
func marks(m Match, left bool) []marked {
	var out []marked
	for i, p := range m.Passages[:min(len(m.Passages), maxMarks)] {
		r := p.Right
		if left {
			r = p.Left
		}
		out = append(out, marked{i + 1, r.File, r.StartByte, r.EndByte, r.StartLine})
	}
	slices.SortFunc(out, func(a, b marked) int { return cmp.Or(a.file-b.file, a.from-b.from) })
	return out
}

// side writes one work; me and other are what its passages' names begin with.
func (p *page) side(s Side, me, other string, all []marked, passagesOnly bool) {
	p.text("<section><h2>%s</h2>\n", s.Title)
	if s.Note != "" {
		p.text("<p class=\"note\">%s</p>\n", s.Note)
	}
	p.files(s, me, other, all, passagesOnly)
	p.raw("</section>\n")
}

// files writes the files of a work.
func (p *page) files(s Side, me, other string, all []marked, passagesOnly bool) {
	room := maxShown
	for n, f := range s.Files {
		var here []marked
		for _, m := range all {
			if m.file == n {
				here = append(here, m)
			}
		}
		if passagesOnly && len(here) == 0 {
			continue
		}
		if room <= 0 {
			p.raw("<p class=\"note\">More files are not shown: the work is too large.</p>\n")
			break
		}
		v := &view{page: p, text: f.Text, room: room, me: me, other: other}
		if passagesOnly {
			v.passages(here)
		} else {
			p.text("<h3>%s</h3>\n", f.Name)
			v.whole(here)
		}
		room = v.room
	}
}

// view writes the text of a file with its passages marked.
type view struct {
	*page
	text      []byte
	room      int // bytes that may still be shown
	me, other string
	line      int
	column    int // bytes of the line so far
	hidden    int // bytes of the line that are not shown
}

// whole shows a file from its first line.
func (v *view) whole(here []marked) {
	v.raw("<pre>")
	v.newLine()
	at := 0
	for _, m := range here {
		if m.from < at || m.upTo > len(v.text) {
			continue // a source that is not the one that was compared
		}
		v.show(at, m.from)
		v.mark(m)
		at = m.upTo
	}
	v.show(at, len(v.text))
	v.endLine()
	v.raw("</pre>\n")
	if v.room <= 0 {
		v.raw("<p class=\"note\">The rest is not shown: the work is too large.</p>\n")
	}
}

// passages shows what is matched and nothing around it, not even names of files.
func (v *view) passages(here []marked) {
	for _, m := range here {
		if m.upTo > len(v.text) || m.from > m.upTo {
			continue
		}
		v.raw("<pre>")
		v.line, v.column = m.line-1, 0
		v.newLine()
		v.mark(m)
		v.endLine()
		v.raw("</pre>\n")
	}
}

func (v *view) mark(m marked) {
	class := ""
	if m.number%2 == 0 {
		class = ` class="b"`
	}
	v.raw(fmt.Sprintf(`<mark id="%s%d"%s><a class="n" href="#%s%d">%d</a>`,
		v.me, m.number, class, v.other, m.number, m.number))
	v.show(m.from, m.upTo)
	v.raw("</mark>")
}

// show writes a part of the text, character by character.
func (v *view) show(from, upTo int) {
	for i := from; i < upTo && v.room > 0; {
		if breaksLine(v.text, i) {
			v.endLine()
			v.raw("\n")
			v.newLine()
			i++
			v.room--
			continue
		}
		r, n := utf8.DecodeRune(v.text[i:upTo])
		if v.column < maxShownLine {
			v.raw(visible(v.text[i:i+n], r))
			v.room -= n
		} else {
			v.hidden += n
		}
		v.column += n
		i += n
	}
}

func (v *view) newLine() {
	v.line++
	v.column = 0
	v.room -= 8 // the number takes room, too: a file may be all line breaks
	v.raw(fmt.Sprintf(`<i class="l">%5d </i>`, v.line))
}

func (v *view) endLine() {
	if v.hidden > 0 {
		v.raw(fmt.Sprintf(`<b class="c">%d more bytes</b>`, v.hidden))
		v.hidden = 0
	}
}

// visible escapes a character, and shows by its code what cannot be seen.
func visible(b []byte, r rune) string {
	switch {
	case r == utf8.RuneError && len(b) <= 1:
		return fmt.Sprintf(`<b class="c">\x%02X</b>`, b)
	case r == '\t':
		return "\t"
	case r == '\r':
		return ""
	case unseen(r):
		return fmt.Sprintf(`<b class="c">U+%04X</b>`, r)
	}
	return html.EscapeString(string(b))
}

// unseen tells characters that would mislead: controls, marks of direction,
// spaces of no width.
func unseen(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) ||
		r == '\u2028' || r == '\u2029' || r == '\u3164' || r == '\uffa0'
}

// plain makes a title or a name safe to show: one line, nothing unseen.
func plain(s string) string {
	out := make([]rune, 0, len(s))
	for _, r := range s {
		switch {
		case len(out) >= 300:
			return string(out) + "…"
		case unseen(r):
			out = append(out, []rune(fmt.Sprintf("[U+%04X]", r))...)
		default:
			out = append(out, r)
		}
	}
	return string(out)
}
