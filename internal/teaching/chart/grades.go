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

// GradeCount is how many students aim for a grade.
type GradeCount struct {
	Grade    string // "Pass", "Credit" and so on
	Students int
}

// TargetGrades shows what the students of a unit aim for. The bars stand in
// the order given, a grade nobody aims for included.
type TargetGrades struct {
	Unit   string
	Grades []GradeCount
}

// SVG draws the picture.
func (t TargetGrades) SVG() []byte {
	p := page{title: "Target grades of students", subtitle: clean(t.Unit)}
	total, most := 0, 0
	for i := range t.Grades {
		n := max(t.Grades[i].Students, 0)
		total, most = total+n, max(most, n)
	}
	if total == 0 {
		return p.svg()
	}
	words := make([]string, len(t.Grades))
	for i, g := range t.Grades {
		words[i] = g.words(total)
	}
	p.says = fmt.Sprintf("Bars of how many of %d students aim for which grade. %s.", total, strings.Join(words, ", "))
	p.subtitle = join(" · ", p.subtitle, plural(total, "student"))
	p.plot = gradePlot(t.Grades, total, float64(most))
	p.height = 320
	return p.svg()
}

// Table gives the same counts as a table.
func (t TargetGrades) Table() Table {
	out := Table{Title: join(": ", "Target grades of students", clean(t.Unit)), Rows: [][]string{},
		Head: []string{"Grade", "Students"}}
	for _, g := range t.Grades {
		out.Rows = append(out.Rows, []string{clean(g.Grade), strconv.Itoa(max(g.Students, 0))})
	}
	return out
}

func (g GradeCount) words(total int) string {
	n := max(g.Students, 0)
	return fmt.Sprintf("%s: %d (%.0f %%)", clean(g.Grade), n, 100*float64(n)/float64(total))
}

func gradePlot(grades []GradeCount, total int, most float64) *plot.Plot {
	p := newPlot(false, true)
	ticks := make(plot.ConstantTicks, len(grades))
	room := vg.Length(pageWidth-4*margin) / vg.Length(len(grades))
	above := plotter.XYLabels{}
	for i, g := range grades {
		x, n := float64(i), max(g.Students, 0)
		label := style(12, text, xfont.WeightNormal)
		ticks[i] = plot.Tick{Value: x, Label: " " + fit(clean(g.Grade), label, room-12)}
		p.Add(gradeBar(x, n, min(room*0.55, 110), g.words(total)))
		above.XYs = append(above.XYs, plotter.XY{X: x, Y: float64(n)})
		above.Labels = append(above.Labels, fmt.Sprintf("%d  (%.0f %%)", n, 100*float64(n)/float64(total)))
	}
	p.X.Min, p.X.Max = -0.5, float64(len(grades))-0.5
	p.X.Tick.Marker, p.X.Tick.Label.Color, p.X.Tick.Label.Font.Size = ticks, text, 13
	p.Y.Min, p.Y.Max, p.Y.Padding = 0, most*1.12, 0
	p.Y.Tick.Marker = whole(most * 1.12)
	p.Y.Label.Text = "students"
	counts := style(13, text, xfont.WeightBold)
	counts.XAlign = draw.XCenter
	p.Add(labelled(above, counts, vg.Point{Y: 12}))
	return p
}

func gradeBar(x float64, n int, width vg.Length, words string) *plotter.BarChart {
	bar, err := plotter.NewBarChart(plotter.Values{float64(n)}, width)
	if err != nil { // only for no value or a negative width
		panic(err)
	}
	bar.XMin = x
	bar.Color = blue.saying("%s", words)
	bar.LineStyle.Width = 0
	return bar
}

// plural writes a count with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
