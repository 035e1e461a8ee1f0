package taskpart

import (
	"fmt"
	"html/template"
	"strconv"
	"unicode/utf8"

	"lectern/internal/ground/linediff"
)

// Bounds of what one page shows of a comparison.
const (
	mostRows   = 3000 // of a file at once
	mostShown  = 2000 // bytes of a line
	mostOpened = 100  // stretches
	around     = 3    // lines around a change
	leastFold  = 4    // lines that are worth to be folded
)

// ChangedLines are the rows of a file, with what stands between them.
type ChangedLines struct {
	Parts        []ChangedPart
	Before, Next string // the addresses of the rows around; empty: there are none
	Two          bool
	Span         int // columns of the table
}

// ChangedPart are rows, and then a stretch that is folded or comments.
type ChangedPart struct {
	Rows  template.HTML
	Fold  int    // how many lines are folded
	Href  string // shows them
	ID    string
	Notes []*CarriedNote
}

// row is one of a comparison: a line of the older file, of the newer one, or of both, by their numbers from 1.
type row struct {
	old, new int
	kind     linediff.Kind
}

// rowsOf are all rows of a comparison; in two columns lines that belong together share one.
func rowsOf(d *linediff.Diff, two bool) (rows []row) {
	for _, b := range d.Blocks {
		switch {
		case b.Kind == linediff.Equal:
			for i := range b.Old.Count {
				rows = append(rows, row{b.Old.First + i, b.New.First + i, linediff.Equal})
			}
		case two:
			rows = beside(rows, b)
		default:
			for i := range b.Old.Count {
				rows = append(rows, row{b.Old.First + i, 0, linediff.Deleted})
			}
			for i := range b.New.Count {
				rows = append(rows, row{0, b.New.First + i, linediff.Inserted})
			}
		}
	}
	return rows
}

// beside puts the lines of a block beside each other: those made of each other, and what lies between as it comes.
func beside(rows []row, b linediff.Block) []row {
	o, n := b.Old.First, b.New.First
	for _, p := range append(b.Pairs, linediff.Pair{Old: b.Old.End(), New: b.New.End()}) {
		for o < p.Old || n < p.New {
			r := row{kind: linediff.Replaced}
			if o < p.Old {
				r.old, o = o, o+1
			}
			if n < p.New {
				r.new, n = n, n+1
			}
			rows = append(rows, r)
		}
		if p.Old < b.Old.End() {
			rows = append(rows, row{o, n, linediff.Replaced})
			o, n = o+1, n+1
		}
	}
	return rows
}

// lines draws the file that is shown.
func (c *Changes) lines() *ChangedLines {
	d := c.Shown.Diff
	rows := rowsOf(d, c.Two())
	notes := c.placed(rows)
	seen := c.seen(rows, notes)
	out := &ChangedLines{Two: c.Two(), Span: 3}
	if out.Two {
		out.Span = 4
	}
	w := &changeWriter{drawing: drawing{words: c.words, signs: mostSigns}, d: d,
		two: out.Two, old: map[int][]linediff.Part{}, fresh: map[int][]linediff.Part{}}
	w.within()
	from := min(max(0, int(min(c.In.From, 1<<30))), max(0, len(rows)-1))
	if from > 0 {
		out.Before = c.rowsFrom(max(0, from-mostRows))
	}
	drawn, changed := 0, false
	for i := from; i < len(rows); i++ {
		if drawn == mostRows {
			out.Next = c.rowsFrom(i)
			break
		}
		if !seen[i] {
			n := 1
			for i+n < len(rows) && !seen[i+n] {
				n++
			}
			first := rows[i].old
			out.Parts = append(out.Parts, ChangedPart{Rows: w.taken(), Fold: n, ID: fmt.Sprint("fold-", first),
				Href: c.at(c.In.opening(first)) + fmt.Sprint("#L", first)})
			i, changed = i+n-1, false
			continue
		}
		w.row(rows[i], !changed)
		changed = rows[i].kind != linediff.Equal
		drawn++
		if said := notes[i]; said != nil {
			out.Parts = append(out.Parts, ChangedPart{Rows: w.taken(), Notes: said})
			changed = false
		}
	}
	out.Parts = append(out.Parts, ChangedPart{Rows: w.taken()})
	return out
}

func (c *Changes) rowsFrom(n int) string {
	look := c.In
	look.From = int64(n)
	return c.at(look)
}

// placed are the comments on the file by the row that each stands under: of its line in the newer version, or where
// that is not there, in the older one.
func (c *Changes) placed(rows []row) map[int][]*CarriedNote {
	byOld, byNew := map[int]int{}, map[int]int{}
	for i, r := range rows {
		if r.old > 0 {
			byOld[r.old] = i
		}
		if r.new > 0 {
			byNew[r.new] = i
		}
	}
	out := map[int][]*CarriedNote{}
	for _, n := range c.Inner() {
		at, ok := 0, false
		if n.Stands != nil {
			at, ok = byNew[*n.Stands.EndLine]
		} else if n.Was.EndLine != nil {
			at, ok = byOld[*n.Was.EndLine]
		}
		if ok {
			out[at] = append(out[at], n)
		}
	}
	return out
}

// seen tells of each row whether it is shown: what changed and what was spoken of, with a few lines around.
func (c *Changes) seen(rows []row, notes map[int][]*CarriedNote) []bool {
	seen := make([]bool, len(rows))
	until := -1
	for i, r := range rows {
		if r.kind != linediff.Equal || notes[i] != nil {
			until = i + around
			for k := i; k >= max(0, i-around); k-- {
				seen[k] = true
			}
		}
		seen[i] = seen[i] || i <= until || c.In.Whole
	}
	opened := c.In.opened()
	for i := 0; i < len(rows); {
		n := 0
		for i+n < len(rows) && !seen[i+n] {
			n++
		}
		if n > 0 && (n < leastFold || opened[rows[i].old]) {
			for k := range n {
				seen[i+k] = true
			}
		}
		i += max(n, 1)
	}
	return seen
}

// changeWriter writes rows.
type changeWriter struct {
	drawing
	d          *linediff.Diff
	two        bool
	old, fresh map[int][]linediff.Part // what changed within lines, by their numbers
}

// within compares the lines that were made of each other.
func (w *changeWriter) within() {
	var words linediff.Words
	for _, b := range w.d.Blocks {
		for _, p := range b.Pairs {
			if old, fresh, ok := words.Compare(w.d.Old[p.Old-1], w.d.New[p.New-1]); ok {
				w.old[p.Old], w.fresh[p.New] = old, fresh
			}
		}
	}
}

// taken is what was written, and begins anew.
func (w *changeWriter) taken() template.HTML {
	s := w.out.String()
	w.out.Reset()
	return template.HTML(s) //nolint:gosec // what is of a file is escaped where it is written
}

// row writes one; begins tells that the row before is none of the same change.
func (w *changeWriter) row(r row, begins bool) {
	w.out.WriteString(`<tr`)
	if r.kind != linediff.Equal && begins {
		w.out.WriteString(` data-change tabindex="-1"`)
	}
	if r.old > 0 {
		w.out.WriteString(` id="L` + strconv.Itoa(r.old) + `"`)
	}
	if w.two {
		w.out.WriteString(`>`)
		w.side(r.old, r.kind, "del", w.d.Old, w.old)
		w.side(r.new, r.kind, "add", w.d.New, w.fresh)
		w.out.WriteString("</tr>")
		return
	}
	class, sign, lines, parts, n := "", " ", w.d.New, w.fresh, r.new
	switch r.kind {
	case linediff.Deleted:
		class, sign, lines, parts, n = "del", "−", w.d.Old, w.old, r.old
	case linediff.Inserted:
		class, sign = "add", "+"
	}
	if class != "" {
		w.out.WriteString(` class="` + class + `"`)
	}
	w.out.WriteString(`>`)
	w.number(r.old)
	w.number(r.new)
	w.code(class, sign, lines[n-1], parts[n])
	w.out.WriteString("</tr>")
}

// side writes the line of one version; an empty field where it has none there.
func (w *changeWriter) side(n int, kind linediff.Kind, class string, lines []string, parts map[int][]linediff.Part) {
	if n == 0 {
		w.out.WriteString(`<td class="ln none"></td><td class="src none"></td>`)
		return
	}
	sign := map[string]string{"del": "−", "add": "+"}[class]
	if kind == linediff.Equal {
		class, sign = "", " "
	}
	w.out.WriteString(`<td class="ln ` + class + `">` + strconv.Itoa(n) + `</td>`)
	w.code(class, sign, lines[n-1], parts[n])
}

func (w *changeWriter) number(n int) {
	w.out.WriteString(`<td class="ln">`)
	if n > 0 {
		w.out.WriteString(strconv.Itoa(n))
	}
	w.out.WriteString(`</td>`)
}

// code writes a line. What it is, is said by a sign, which those hear who do not see it.
func (w *changeWriter) code(class, sign, line string, parts []linediff.Part) {
	w.out.WriteString(`<td class="src`)
	if w.two && class != "" {
		w.out.WriteString(" " + class)
	}
	w.out.WriteString(`"><span class="sign">` + sign + `</span><code>`)
	switch {
	case len(line) > mostShown:
		w.plain(cutAt(line, mostShown))
		w.cut(utf8.RuneCountInString(line[len(cutAt(line, mostShown)):]))
	case parts == nil:
		w.plain(line)
	default:
		for _, p := range parts {
			if p.Own {
				w.out.WriteString("<mark>")
			}
			w.plain(p.Text)
			if p.Own {
				w.out.WriteString("</mark>")
			}
		}
	}
	w.out.WriteString(`</code></td>`)
}

// cutAt is the beginning of a text, whole characters of it.
func cutAt(text string, n int) string {
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
