package chart

import (
	"fmt"
	"strconv"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Age is how much has waited how long.
type Age struct {
	Days  string // "under 1 day", "1 to 2 days" and so on
	Tasks int
	Late  bool // all of it has waited longer than was promised
}

// AgesWords is what the picture says.
type AgesWords struct {
	Title, Axis, None string
	About             string // how many tasks there are in all, and the bars in words
	Late              string // of a bar: its words, when all of it has waited too long
}

// WaitingAges shows how long the work of a unit has been waiting for feedback. The
// bars stand in the order given.
type WaitingAges struct {
	Words   AgesWords
	Unit    string
	Promise string // in words; empty: there is none
	Ages    []Age
}

// SVG draws the picture.
func (w WaitingAges) SVG() []byte {
	p := page{title: w.Words.Title, none: w.Words.None, subtitle: join(" · ", clean(w.Unit), clean(w.Promise))}
	total, most := 0, 0
	words := make([]string, len(w.Ages))
	for i, a := range w.Ages {
		total, most = total+a.Tasks, max(most, a.Tasks)
		words[i] = a.words(w.Words)
	}
	if total == 0 {
		return p.svg()
	}
	p.says = fmt.Sprintf(w.Words.About, total, strings.Join(words, ", "))
	p.plot = w.bars(float64(most))
	p.height = 300
	return p.svg()
}

func (a Age) words(say AgesWords) string {
	text := fmt.Sprintf("%s: %d", clean(a.Days), a.Tasks)
	if a.Late {
		text = fmt.Sprintf(say.Late, text)
	}
	return text
}

func (w WaitingAges) bars(most float64) *plot.Plot {
	p, ages := newPlot(false, true), w.Ages
	ticks := make(plot.ConstantTicks, len(ages))
	room := vg.Length(pageWidth-4*margin) / vg.Length(len(ages))
	above := plotter.XYLabels{}
	for i, a := range ages {
		x := float64(i)
		ticks[i] = plot.Tick{Value: x, Label: " " + fit(clean(a.Days), style(12, text, xfont.WeightNormal), room-12)}
		bar := gradeBar(x, a.Tasks, min(room*0.55, 110), a.words(w.Words))
		if a.Late {
			late := orange
			late.texture = rising
			bar.Color = late.saying("%s", a.words(w.Words))
		}
		p.Add(bar)
		above.XYs = append(above.XYs, plotter.XY{X: x, Y: float64(a.Tasks)})
		above.Labels = append(above.Labels, strconv.Itoa(a.Tasks))
	}
	p.X.Min, p.X.Max = -0.5, float64(len(ages))-0.5
	p.X.Tick.Marker, p.X.Tick.Label.Color, p.X.Tick.Label.Font.Size = ticks, text, 13
	p.Y.Min, p.Y.Max, p.Y.Padding = 0, most*1.12, 0
	p.Y.Tick.Marker = whole(most * 1.12)
	p.Y.Label.Text = w.Words.Axis
	counts := style(13, text, xfont.WeightBold)
	counts.XAlign = draw.XCenter
	p.Add(labelled(above, counts, vg.Point{Y: 12}))
	return p
}
