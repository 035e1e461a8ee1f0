package pdf

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// Where the lines of a code file stand in a document that was made of it is read from the document
// itself, so that it can be told of every one that was ever made: line numbers have a size of their
// own and end where nothing else does (see lineNumber). Pages that are not ours say nothing of it.

// numberSize is the size of line numbers, and numberEnd where they end.
const (
	numberSize = 6.5
	numberEnd  = marginX + gutter - 9
)

// spotter finds places in a document.
type spotter struct {
	src    *source
	own    []bool // which pages are ours
	starts []int  // the first page of each file; one more for the end; nil: not known
	x      *extractor
	files  map[int][]lineRow // rows of the files that were looked through
	texts  map[int][]textRow // rows of text of the pages that were looked through
}

// lineRow is a row of a listing: of the line of that number.
type lineRow struct {
	line, page int
	base       float64 // from the top
}

// textRow is a stretch of text on a page.
type textRow struct {
	text string
	size float64
	x    float64
	base float64 // from the top
}

// badges tells where the numbers of remarks stand.
func (s *source) badges(spots []Spot, files int) []badge {
	f := &spotter{src: s, own: s.ownPages(), starts: s.fileStarts(files), files: map[int][]lineRow{},
		texts: map[int][]textRow{}}
	out := make([]badge, len(spots))
	for i := range spots {
		out[i] = f.find(&spots[i])
	}
	return out
}

// ownPages tells which pages are ours from edge to edge.
func (s *source) ownPages() []bool {
	own := make([]bool, len(s.pages))
	for i := range s.pages {
		private := s.dict(s.dict(s.dict(s.pages[i].dict["PieceInfo"])["Lectern"])["Private"])
		flag, _ := private["Own"].(types.Boolean)
		own[i] = bool(flag)
	}
	return own
}

// fileStarts gives the first page of each file, by the bookmarks: one for the cover, then one for
// each file, those that come from within files standing below. Nil where they say something else.
func (s *source) fileStarts(files int) []int {
	var starts []int
	for _, page := range s.topMarks(files + 2) {
		if len(starts) > 0 && page < starts[len(starts)-1] || page < 0 {
			return nil
		}
		starts = append(starts, page)
	}
	if len(starts) != files+1 {
		return nil
	}
	return append(starts[1:], len(s.pages))
}

func (f *spotter) find(s *Spot) badge {
	switch {
	case s.Page > 0 && s.Page <= len(f.src.pages):
		return f.onPage(s, s.Page-1)
	case s.File > 0 && s.File < len(f.starts):
		return f.onLines(s)
	}
	return badge{Page: -1}
}

// whole is the number of what is said of a page as a whole.
func whole(page int) badge { return badge{Page: page, X: 22 / pageW, Y: pageLevel / pageH} }

// onPage is where a point or a stretch of text of a page stands. Text is looked for on pages of
// ours only.
func (f *spotter) onPage(s *Spot, page int) badge {
	if s.Point {
		return badge{Page: page, X: s.X, Y: s.Y}
	}
	want := squeezed(s.Quote)
	if want == "" || !f.own[page] {
		return whole(page)
	}
	var all strings.Builder
	var ends []int // of each row in all
	rows := slices.DeleteFunc(slices.Clone(f.rows(page)), func(r textRow) bool { return r.isNumber() })
	for _, r := range rows {
		all.WriteString(squeezed(r.text))
		ends = append(ends, all.Len())
	}
	at := strings.Index(all.String(), want)
	if at < 0 {
		return whole(page)
	}
	first, _ := slices.BinarySearch(ends, at+1)
	last, _ := slices.BinarySearch(ends, at+len(want))
	from, to := rows[first].base, rows[first].base
	for _, r := range rows[first : last+1] {
		from, to = min(from, r.base), max(to, r.base)
	}
	return barred([]lineRow{{page: page, base: from}, {page: page, base: to}})
}

// squeezed is text without its blanks: a document has its own.
func squeezed(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '\u200b' || r == '\ufeff' {
			return -1
		}
		return r
	}, text)
}

// onLines is where lines of a file stand, else the first page of the file.
func (f *spotter) onLines(s *Spot) badge {
	rows, known := f.files[s.File]
	if !known {
		for page := f.starts[s.File-1]; page < f.starts[s.File]; page++ {
			if f.own[page] {
				rows = append(rows, f.lineRows(page, rows)...)
			}
		}
		f.files[s.File] = rows
	}
	byLine := func(r lineRow, line int) int { return r.line - line }
	from, _ := slices.BinarySearchFunc(rows, s.Line, byLine)
	to, _ := slices.BinarySearchFunc(rows, max(s.EndLine, s.Line)+1, byLine)
	if from >= to {
		return whole(min(f.starts[s.File-1], len(f.src.pages)-1))
	}
	return barred(rows[from:to])
}

// barred is a number at the first of some rows, with a bar beside them all.
func barred(rows []lineRow) badge {
	middle := func(r lineRow) float64 { return r.base - codeSize*0.33 }
	b := badge{Page: rows[0].page, X: marginal / pageW, Y: middle(rows[0]) / pageH}
	for _, r := range rows {
		from, to := (r.base-codeLeading*0.78)/pageH, (r.base+codeLeading*0.22)/pageH
		if n := len(b.Bars); n > 0 && b.Bars[n-1].Page == r.page {
			b.Bars[n-1].To = max(b.Bars[n-1].To, to)
			continue
		}
		b.Bars = append(b.Bars, bar{r.page, from, to})
	}
	return b
}

// lineRows are the rows of a listing on a page, which goes on after those before. Their numbers go
// up one by one; what does not is no number of a line.
func (f *spotter) lineRows(page int, before []lineRow) (out []lineRow) {
	line := 0
	if len(before) > 0 {
		line = before[len(before)-1].line
	}
	for _, r := range f.rows(page) {
		if !r.isNumber() {
			continue
		}
		number, err := strconv.Atoi(r.text)
		switch {
		case r.text == "↪" && line > 0:
		case err == nil && number == line+1:
			line++
		default:
			continue
		}
		out = append(out, lineRow{line, page, r.base})
	}
	return out
}

// isNumber tells a line's number, or the sign that one goes on, from all else.
func (r *textRow) isNumber() bool {
	width := float64(len([]rune(r.text))) * numberSize * codeColumn / codeSize
	end := r.x + width - numberEnd
	return r.size == numberSize && (end > -1 && end < 1 || r.text == "↪" && end > -4 && end < 4)
}

// rows are the stretches of text that a page of ours draws.
func (f *spotter) rows(page int) []textRow {
	if rows, ok := f.texts[page]; ok {
		return rows
	}
	if f.x == nil {
		f.x = newExtractor(f.src)
	}
	p := &f.src.pages[page]
	var content bytes.Buffer
	if list := f.src.streams(p.dict["Contents"]); len(list) > 0 {
		unpack(&content, list[0]) // the second is header and footer
	}
	rows := f.read(&contentLexer{src: content.Bytes()}, page)
	f.texts[page] = rows
	return rows
}

// read goes through what the page writer wrote.
func (f *spotter) read(l *contentLexer, page int) (rows []textRow) {
	type pen struct {
		font *textFont
		size float64
	}
	var now pen
	var kept []pen
	x, y := 0.0, 0.0
	res := f.src.dict(f.src.pages[page].res)
	for {
		op, ok := l.next()
		if !ok {
			return rows
		}
		switch args := l.args; {
		case op == "q":
			kept = append(kept, now)
		case op == "Q" && len(kept) > 0:
			now, kept = kept[len(kept)-1], kept[:len(kept)-1]
		case op == "Tf" && len(args) == 2:
			now = pen{f.x.font(res, args[0].name), args[1].number}
		case op == "Td" && len(args) == 2:
			x, y = args[0].number, args[1].number
		case (op == "Tj" || op == "TJ") && now.font != nil:
			row := textRow{size: now.size, x: x, base: pageH - y}
			for _, a := range args {
				if a.text != nil {
					words, _ := now.font.decode(a.text)
					row.text += words
				}
			}
			rows = append(rows, row)
		}
		l.args = l.args[:0]
	}
}
