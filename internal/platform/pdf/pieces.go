package pdf

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// piece is a stretch of text one face draws, or one mark.
type piece struct {
	face    *face
	text    string
	letters []letter // in the order they are seen, where that is not the text's own
	real    string   // what a mark stands for, carried for copying
	mark    bool
}

// styled is a piece with the style it is drawn in.
type styled struct {
	piece
	style Span
}

// pieces cuts text read from the left into what one face can draw. Nothing
// that hides or that is no text is left in what it returns.
func (fs *fonts) pieces(text string, want *face) []piece {
	if text == "" {
		return nil
	}
	if printableASCII(text) {
		return []piece{{face: want, text: text}}
	}
	var out []piece
	var b strings.Builder
	cur := want
	flush := func() {
		if b.Len() > 0 {
			out = append(out, piece{face: cur, text: b.String()})
			b.Reset()
		}
	}
	for i, n := 0, 0; i < len(text); i += n {
		var r rune
		r, n = utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && n == 1 {
			flush()
			out = append(out, piece{face: fs.mono, text: byteMark(text[i]), mark: true})
			continue
		}
		f := fs.faceFor(r, want, cur)
		switch {
		case treat(r) == asNothing:
			continue
		case f == nil:
			flush()
			out = append(out, fs.markFor(r))
			continue
		case f != cur:
			flush()
			cur = f
		}
		b.WriteRune(r)
	}
	flush()
	return out
}

// faceFor is the face to draw r with, nil when it becomes a mark. A combining
// sign stays in the face of the letter it belongs to, where that has it.
func (fs *fonts) faceFor(r rune, want, cur *face) *face {
	if treat(r) != asGlyph {
		return nil
	}
	if unicode.Is(unicode.Mn, r) && has(cur, r) {
		return cur
	}
	return fs.find(want, r)
}

func (fs *fonts) markFor(r rune) piece {
	p := piece{face: fs.mono, text: mark(r), mark: true}
	if keepsMeaning(r) {
		p.real = string(r)
	}
	return p
}

// rightPieces cuts letters written from the right, and turns them into the
// order they are seen.
func (fs *fonts) rightPieces(ls []letter, want *face) []piece {
	var out []piece
	cur := want
	for _, l := range untied(ls) {
		r, n := utf8.DecodeRuneInString(l.text)
		if l.ghost && len(out) > 0 && out[len(out)-1].letters != nil {
			last := &out[len(out)-1]
			last.letters = append(last.letters, l)
			continue
		}
		if r == utf8.RuneError && n == 1 {
			out = append(out, piece{face: fs.mono, text: byteMark(l.text[0]), mark: true})
			continue
		}
		if treat(r) == asNothing {
			continue
		}
		l.draw = mirrored(l.draw)
		f := fs.faceFor(l.draw, want, cur)
		if f == nil && l.draw != r { // no font has the shape: the letter itself will do
			l.draw = r
			f = fs.faceFor(r, want, cur)
		}
		if f == nil {
			out = append(out, fs.markFor(r))
			continue
		}
		cur = f
		if k := len(out) - 1; k >= 0 && out[k].face == f && !out[k].mark {
			out[k].letters = append(out[k].letters, l)
		} else {
			out = append(out, piece{face: f, letters: []letter{l}})
		}
	}
	reverse(out)
	for i := range out {
		turnLetters(out[i].letters)
	}
	return out
}

// untied parts the text of two letters drawn as one: the second becomes a blank
// of no width. Programs that turn text from the right round letter by letter
// would otherwise swap the two.
func untied(ls []letter) []letter {
	var out []letter
	for _, l := range ls {
		r, n := utf8.DecodeRuneInString(l.text)
		if r != lam || l.draw == lam || n == len(l.text) || !unicode.IsLetter([]rune(l.text[n:])[0]) {
			out = append(out, l)
			continue
		}
		first, second := l, letter{draw: ' ', text: l.text[n:], at: l.at, ghost: true}
		first.text = l.text[:n]
		out = append(out, first, second)
	}
	return out
}

// turnLetters reverses letters, each followed by its combining signs as before.
func turnLetters(ls []letter) {
	reverse(ls)
	for i := 0; i < len(ls); i++ {
		j := i
		for j < len(ls)-1 && unicode.Is(unicode.Mn, ls[j].draw) {
			j++
		}
		reverse(ls[i : j+1])
		i = j
	}
}

func printableASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

// arrange puts the spans of a line in the order they are seen. right is for a
// paragraph written from the right.
func (s *pageWriter) arrange(line []Span, right bool) []styled {
	var out []styled
	add := func(ps []piece, style Span) {
		for _, p := range ps {
			out = append(out, styled{p, style})
		}
	}
	mixed := right
	for _, sp := range line {
		mixed = mixed || !sp.Math && hasRight(sp.Text)
	}
	if !mixed {
		for _, sp := range line {
			if sp.Math {
				add([]piece{{}}, sp)
				continue
			}
			add(s.fonts.pieces(sp.Text, s.fonts.pick(sp)), sp)
		}
		return out
	}
	letters, owner := spelledOut(line)
	base := 0
	if right {
		base = 1
	}
	for _, st := range visualOrder(firsts(letters), base) {
		for _, part := range bySpan(letters, owner, st) {
			sp := line[owner[letters[part.from].at]]
			ls := letters[part.from:part.to]
			switch {
			case sp.Math:
				add([]piece{{}}, sp)
			case part.right():
				add(s.fonts.rightPieces(ls, s.fonts.pick(sp)), sp)
			default:
				add(s.fonts.pieces(lettersText(ls), s.fonts.pick(sp)), sp)
			}
		}
	}
	return out
}

// spelledOut gives the letters of a line, and the span each of its characters
// is from. A formula is one character.
func spelledOut(line []Span) ([]letter, []int) {
	var rs []rune
	var owner []int
	for i, sp := range line {
		text := sp.Text
		if sp.Math {
			text = "\uFFFC"
		}
		for k, n := 0, 0; k < len(text); k += n {
			var r rune
			r, n = utf8.DecodeRuneInString(text[k:])
			rs, owner = append(rs, r), append(owner, i)
		}
	}
	return shape(rs), owner
}

func firsts(ls []letter) []rune {
	out := make([]rune, len(ls))
	for i, l := range ls {
		out[i], _ = utf8.DecodeRuneInString(l.text)
	}
	return out
}

func lettersText(ls []letter) string {
	var b strings.Builder
	for _, l := range ls {
		b.WriteString(l.text)
	}
	return b.String()
}

// bySpan cuts a stretch where the style changes, in the order it is seen.
func bySpan(ls []letter, owner []int, st stretch) []stretch {
	var out []stretch
	for i := st.from; i < st.to; i++ {
		if n := len(out); n > 0 && owner[ls[out[n-1].from].at] == owner[ls[i].at] {
			out[n-1].to = i + 1
		} else {
			out = append(out, stretch{i, i + 1, st.level})
		}
	}
	if st.right() {
		reverse(out)
	}
	return out
}

// each calls f for every letter of a piece in the order they are seen, and
// tells of combining signs that have a letter before them.
func (p piece) each(f func(l letter, combines bool)) {
	if p.letters == nil {
		for i, r := range p.text {
			f(letter{draw: r, text: p.text[i : i+utf8.RuneLen(r)]}, i > 0 && unicode.Is(unicode.Mn, r))
		}
		return
	}
	for i, l := range p.letters {
		f(l, i > 0 && unicode.Is(unicode.Mn, l.draw))
	}
}

func (p piece) width(size float64) float64 {
	total := 0.0
	p.each(func(l letter, combines bool) {
		if !combines && !l.ghost {
			total += p.face.metric(l.draw).advance
		}
	})
	return total * size
}
