package chart

import (
	"fmt"
	"strings"
)

// Part is a part of a stacked bar: what it is called, and the colour of its family.
type Part struct{ Name, Family string }

// Stack is a bar of several parts, one upon the other.
type Stack struct {
	Name  string // under it
	Long  string // in words and in the table
	Parts []float64
	Now   bool // it is the one of today
}

// StackWords is what the picture says.
type StackWords struct {
	Title, Axis, None string
	About             string // what it shows, before the bars are told
	Bar               string // of a bar: its name and the sum
	First, Sum        string // heads of the table
}

// Stacks shows how much there is of each part, bar by bar in the order given.
type Stacks struct {
	Words StackWords
	Parts []Part // from the ground up
	Bars  []Stack
}

// sum is the height of a bar.
func (s Stack) sum() (total float64) {
	for _, v := range s.Parts {
		total += max(v, 0)
	}
	return total
}

// Figure draws the picture for a page.
func (s Stacks) Figure() Figure {
	p := picture{title: s.Words.Title, none: s.Words.None}
	t := Table{Title: s.Words.Title, Head: []string{s.Words.First}, Rows: [][]string{}}
	for _, part := range s.Parts {
		t.Head = append(t.Head, part.Name)
		p.keys = append(p.keys, key{label: part.Name, fill: &ink{family: part.Family}})
	}
	t.Head = append(t.Head, s.Words.Sum)
	most, told := 0.0, make([]string, len(s.Bars))
	for i, b := range s.Bars {
		most = max(most, b.sum())
		row := []string{clean(b.Long)}
		for _, v := range b.Parts {
			row = append(row, num(v))
		}
		t.Rows = append(t.Rows, append(row, num(b.sum())))
		told[i] = fmt.Sprintf(s.Words.Bar, clean(b.Long), num(b.sum()))
	}
	if most > 0 {
		p.says = s.Words.About + " " + strings.Join(told, ", ")
		p.height = 250
		p.marks = func(d *drawing, at box) { s.draw(d, at, most*1.12) }
	}
	return Figure{p.inPage(), t}
}

// draw puts the bars beside each other; the one of today has a name that stands out.
func (s Stacks) draw(d *drawing, at box, high float64) {
	inner, up := upright(d, at, s.Words.Axis, high, whole(high))
	room := (inner.right - inner.left) / float64(len(s.Bars))
	wide := min(room*0.62, 48)
	for i, b := range s.Bars {
		x, total := inner.left+(float64(i)+0.5)*room, 0.0
		for k, v := range b.Parts {
			if v <= 0 {
				continue
			}
			foot := up.at(total)
			total += v
			d.rect(column, s.Parts[k].Family, clean(b.Long)+", "+s.Parts[k].Name+": "+num(v),
				box{x - wide/2, up.at(total), x + wide/2, max(foot-1.5, up.at(total))})
		}
		if total > 0 && room > 20 {
			d.text(valueText, x, up.at(total)-6, middle, num(total))
		}
		under := tickText
		if b.Now {
			under = nowText
		}
		d.text(under, x, inner.bottom+18, middle, fit(clean(b.Name), 12, room-2))
	}
}
