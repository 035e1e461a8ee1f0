package chart

import (
	"fmt"
	"strconv"
	"strings"

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

// shownStatus is how a status is shown.
type shownStatus struct {
	status status.Status
	ink    ink
}

// shownStatuses are the statuses from done to not begun, the order in which a bar
// is stacked. They have the colours of pages, where one gathers what calls for the
// same act; the textures tell all of them apart without it: no two are alike but the
// plain first and last, which are the darkest and the lightest.
var shownStatuses = []shownStatus{
	{status.Complete, ink{"green", plain}},
	{status.Discuss, ink{"teal", rising}},
	{status.Demonstrate, ink{"teal", dots}},
	{status.ReadyForFeedback, ink{"blue", bars}},
	{status.NeedHelp, ink{"blue", chevrons}},
	{status.FixAndResubmit, ink{"orange", checks}},
	{status.Redo, ink{"orange", stripes}},
	{status.FeedbackExceeded, ink{"red", crossed}},
	{status.TimeExceeded, ink{"red", rings}},
	{status.Fail, ink{"red", mesh}},
	{status.WorkingOnIt, ink{"grey", falling}},
	{status.NotStarted, ink{"grey", plain}},
}

// share is one part of a bar.
type share struct {
	shownStatus
	count   int
	percent float64
}

// bar is the row of one task definition.
type bar struct {
	label string // abbreviation and name
	short string // what its tooltips call it
	parts []share
}

// SVG draws the picture. Every status has its share; a definition without students keeps an empty row.
func (s Statuses) SVG() []byte {
	p := picture{title: "Task status", subtitle: clean(s.Unit)}
	tasks, left := s.Tasks, 0
	if len(tasks) > maxRows {
		tasks, left = tasks[:maxRows], len(tasks)-maxRows
	}
	bars, used := barsOf(tasks)
	if len(used) == 0 {
		return p.alone()
	}
	for _, st := range shownStatuses {
		if used[st.status] {
			p.keys = append(p.keys, key{label: st.status.Name(), fill: new(st.ink)})
		}
	}
	p.says = tellShares(bars, left)
	p.marks = stack(bars)
	p.height = rowsHeight(len(bars))
	if left > 0 {
		p.subtitle = join(" · ", p.subtitle, fmt.Sprintf("%d more tasks are not shown", left))
	}
	return p.alone()
}

// barsOf turns counts into bars, and gathers the statuses in use.
func barsOf(tasks []TaskCounts) (bars []bar, used map[status.Status]bool) {
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
	total := 0.0
	for _, st := range shownStatuses {
		total += float64(max(counts[st.status], 0))
	}
	var parts []share
	for _, st := range shownStatuses {
		if n := counts[st.status]; n > 0 {
			parts = append(parts, share{st, n, 100 * float64(n) / total})
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
	_, used := barsOf(s.Tasks)
	t := Table{Title: join(": ", "Task status", clean(s.Unit)), Head: []string{"Task"}, Rows: [][]string{}}
	for _, st := range shownStatuses {
		if used[st.status] {
			t.Head = append(t.Head, st.status.Name())
		}
	}
	for _, task := range s.Tasks {
		row := []string{join(" · ", clean(task.Abbreviation), clean(task.Name))}
		for _, st := range shownStatuses {
			if used[st.status] {
				row = append(row, strconv.Itoa(max(task.Counts[st.status], 0)))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func stack(bars []bar) func(*drawing, box) {
	names, notes := make([]string, len(bars)), make([]string, len(bars))
	for i, b := range bars {
		names[i], notes[i] = b.label, b.done()
	}
	return func(d *drawing, at box) {
		along, middleOf := rows(d, at, names, notes, "students who aim for the task's grade", 100, percents)
		for i, b := range bars {
			from := 0.0
			for _, sh := range b.parts {
				to := from + sh.percent
				d.fill(sh.ink, b.short+": "+sh.words(), box{along.at(from), middleOf(i) - 8, along.at(to), middleOf(i) + 8})
				if from > 0 { // a gap parts it from the one before
					d.line(gap, "", along.at(from), middleOf(i)-8, along.at(from), middleOf(i)+8)
				}
				from = to
			}
		}
	}
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
