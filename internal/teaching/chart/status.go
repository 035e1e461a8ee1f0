package chart

import (
	"fmt"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"lectern/internal/teaching/status"
)

// TaskCounts is one task definition with how many students stand where.
type TaskCounts struct {
	Abbreviation string
	Name         string
	Counts       map[status.Status]int
}

// Statuses shows, for each task definition, which share of the students who
// aim for it has reached which status.
type Statuses struct {
	Unit  string
	Tasks []TaskCounts
}

// standing is how a status is shown.
type standing struct {
	status status.Status
	ink    ink
}

// standings are the statuses from done to not begun, the order in which a bar
// is stacked. One colour gathers what calls for the same act; the textures
// tell all of them apart without it: no two are alike but the plain first and
// last, which are the darkest and the lightest.
var standings = []standing{
	{status.Complete, green},
	{status.Discuss, green.with(rising)},
	{status.Demonstrate, green.with(dots)},
	{status.ReadyForFeedback, blue.with(bars)},
	{status.WorkingOnIt, sky.with(falling)},
	{status.NeedHelp, purple.with(chevrons)},
	{status.FixAndResubmit, orange.with(checks)},
	{status.Redo, orange.with(stripes)},
	{status.FeedbackExceeded, vermilion.with(crossed)},
	{status.TimeExceeded, vermilion.with(rings)},
	{status.Fail, vermilion.with(mesh)},
	{status.NotStarted, silver},
}

// share is one part of a bar.
type share struct {
	standing
	count   int
	percent float64
}

// bar is the row of one task definition.
type bar struct {
	label string // abbreviation and name
	short string // what its tooltips call it
	parts []share
}

// SVG draws the picture. A status it does not know is left out of the
// shares; a definition without students keeps an empty row.
func (s Statuses) SVG() []byte {
	p := page{title: "Task status", subtitle: clean(s.Unit)}
	tasks, left := s.Tasks, 0
	if len(tasks) > maxRows {
		tasks, left = tasks[:maxRows], len(tasks)-maxRows
	}
	bars, used := lay(tasks)
	if len(used) == 0 {
		return p.svg()
	}
	for _, st := range standings {
		if used[st.status] {
			p.keys = append(p.keys, key{label: st.status.Name(), fill: new(st.ink)})
		}
	}
	p.says = tellShares(bars, left)
	p.plot = stack(bars)
	p.height = rowsHeight(len(bars))
	if left > 0 {
		p.subtitle = join(" · ", p.subtitle, fmt.Sprintf("%d more tasks are not shown", left))
	}
	return p.svg()
}

// lay turns counts into bars, and gathers the statuses in use.
func lay(tasks []TaskCounts) (bars []bar, used map[status.Status]bool) {
	used = map[status.Status]bool{}
	for _, t := range tasks {
		b := bar{short: clean(t.Abbreviation), parts: shares(t.Counts)}
		b.label = join(" · ", b.short, isolated(clean(t.Name)))
		for _, sh := range b.parts {
			used[sh.status] = true
		}
		bars = append(bars, b)
	}
	return bars, used
}

func shares(counts map[status.Status]int) []share {
	total := 0
	for _, st := range standings {
		total += max(counts[st.status], 0)
	}
	var parts []share
	for _, st := range standings {
		if n := counts[st.status]; n > 0 {
			parts = append(parts, share{st, n, 100 * float64(n) / float64(total)})
		}
	}
	return parts
}

func (s share) words() string {
	return fmt.Sprintf("%s %d (%.0f %%)", strings.ToLower(s.status.Name()), s.count, s.percent)
}

func tellShares(bars []bar, left int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Stacked bars: for each of %s, how many students have which status.", plural(len(bars), "task"))
	for _, row := range bars {
		parts := make([]string, len(row.parts))
		for i, sh := range row.parts {
			parts[i] = sh.words()
		}
		if len(parts) == 0 {
			parts = []string{"no students"}
		}
		fmt.Fprintf(&b, " %s: %s.", row.label, strings.Join(parts, ", "))
	}
	if left > 0 {
		fmt.Fprintf(&b, " %d more tasks are not shown.", left)
	}
	return b.String()
}

// Table gives the same counts as a table: a row for each task, a column for each
// status that any of its students has.
func (s Statuses) Table() Table {
	_, used := lay(s.Tasks)
	t := Table{Title: join(": ", "Task status", clean(s.Unit)), Head: []string{"Task"}, Rows: [][]string{}}
	for _, st := range standings {
		if used[st.status] {
			t.Head = append(t.Head, st.status.Name())
		}
	}
	for _, task := range s.Tasks {
		row := []string{join(" · ", clean(task.Abbreviation), clean(task.Name))}
		for _, st := range standings {
			if used[st.status] {
				row = append(row, strconv.Itoa(max(task.Counts[st.status], 0)))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func stack(bars []bar) *plot.Plot {
	labels, notes := make([]string, len(bars)), make([]string, len(bars))
	for i, b := range bars {
		labels[i], notes[i] = b.label, b.done()
	}
	p := rowPlot(labels)
	p.X.Min, p.X.Max = 0, 100
	p.X.Tick.Marker = percents
	p.X.Label.Text = "students who aim for the task's grade"
	for i, b := range bars {
		var below *plotter.BarChart
		for _, sh := range b.parts {
			piece := sh.piece(row(i), b.short)
			if below != nil {
				piece.StackOn(below)
			}
			below = piece
			p.Add(piece)
		}
	}
	p.Add(sideNotes(100, notes))
	return p
}

// done is the one number most people look for.
func (b bar) done() string {
	if len(b.parts) == 0 {
		return "no students"
	}
	if b.parts[0].status != status.Complete {
		return "0 % complete"
	}
	return fmt.Sprintf("%.0f %% complete", b.parts[0].percent)
}

// piece is one share as a chart of its own, so that it has its own words.
func (s share) piece(y float64, task string) *plotter.BarChart {
	piece, err := plotter.NewBarChart(plotter.Values{s.percent}, 16)
	if err != nil { // only for no value or a negative width
		panic(err)
	}
	piece.Horizontal = true
	piece.XMin = y
	paint := s.ink.saying("%s: %s", task, s.words())
	paint.edged = true
	piece.Color = paint
	piece.LineStyle.Width = 0
	return piece
}
