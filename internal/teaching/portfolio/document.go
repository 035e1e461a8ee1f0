package portfolio

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"lectern/internal/platform/files"
	"lectern/internal/platform/pdf"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/taskdef"
)

// labels are the colours behind a status; its name stands on them.
var labels = map[status.Colour]string{
	status.Red: "#c62828", status.Orange: "#ef8a17", status.Grey: "#9e9e9e", status.Blue: "#1e6fc2",
	status.Green: "#2e7d32",
}

func statusCell(s status.Status) pdf.Cell { return pdf.Cell{Text: s.Name(), Label: labels[s.Colour()]} }

const dayLayout = "2 January 2006"

// document lays out the portfolio: the learning summary, a title page, the
// contents of the whole, how all tasks stand, the outcomes with what serves them, the
// student's own files, then each task with what was said about it and the work.
func (c *content) document(press *Compiler, ctx context.Context, at time.Time) pdf.Document {
	o := c.owner
	doc := pdf.Document{
		Meta: pdf.Meta{Title: o.Code + " portfolio", Author: o.name(), Subject: o.Code + " " + o.Unit,
			Creator: press.Institution, Created: at},
		Header: o.Code + " · Portfolio", Footer: o.name() + " (" + o.Username + ")", Fonts: press.Fonts,
	}
	open := func(hash string) func() (io.ReadCloser, error) {
		return func() (io.ReadCloser, error) { return press.Files.Open(ctx, files.Hash(hash)) }
	}
	own := c.files
	if len(own) > 0 && own[0].Idx == summaryIdx {
		doc.Sections = append(doc.Sections, pdf.Section{Title: "Learning Summary Report",
			Header: "Learning Summary Report",
			File: &pdf.File{Name: own[0].Name, Kind: own[0].Kind.ShownAs(), Open: open(own[0].Hash),
				Ours: c.owner.Draft}})
		own = own[1:]
	}
	doc.Sections = append(doc.Sections,
		pdf.Section{Title: "Title page", Cover: c.cover(press.Institution, at)},
		pdf.Section{Contents: true},
		pdf.Section{Title: "Overall Task Status", Body: c.overall()},
		pdf.Section{Title: "Learning Outcomes", Body: c.outcomePages()})
	if len(own) > 0 {
		doc.Sections = append(doc.Sections, pdf.Section{Title: "Additional Files", Body: listFiles(own)})
	}
	for i, f := range own {
		doc.Sections = append(doc.Sections, pdf.Section{Title: f.Name, Level: 1,
			Header: fmt.Sprintf("Additional file %d of %d", i+1, len(own)),
			File:   &pdf.File{Name: f.Name, Kind: f.Kind.ShownAs(), Open: open(f.Hash)}})
	}
	for _, t := range c.shown() {
		section := pdf.Section{Title: t.title(), Header: t.title(), Body: c.taskPages(t)}
		if t.Hash != nil {
			section.File = &pdf.File{Name: t.Abbreviation + ".pdf", Kind: pdf.PDF, Open: open(*t.Hash), Ours: true}
		}
		doc.Sections = append(doc.Sections, section)
	}
	return doc
}

// shown lists the tasks that are in the portfolio, by target date: those with
// work, and those without about which something is to be told.
func (c *content) shown() []*task {
	var out []*task
	for i := range c.tasks {
		if t := &c.tasks[i]; t.Included && (t.Hash != nil || t.Status != status.NotStarted ||
			len(c.comments[t.TaskID]) > 0) {
			out = append(out, &c.tasks[i])
		}
	}
	slices.SortStableFunc(out, func(a, b *task) int {
		return cmp.Or(a.TargetDate.Compare(b.TargetDate.Time), strings.Compare(a.Abbreviation, b.Abbreviation))
	})
	return out
}

func (c *content) cover(institution string, at time.Time) *pdf.Cover {
	o := c.owner
	who := o.Username
	if o.StudentID != nil && *o.StudentID != "" {
		who += ", " + *o.StudentID
	}
	lines := []pdf.KeyValue{{Key: "Student", Value: o.name() + " (" + who + ")"}}
	if o.Convenor != nil {
		lines = append(lines, pdf.KeyValue{Key: "Convenor", Value: *o.Convenor})
	}
	lines = append(lines, pdf.KeyValue{Key: "Target grade", Value: o.Target.Name()})
	if o.Submitted != nil {
		lines = append(lines, pdf.KeyValue{Key: "Submitted for", Value: o.Submitted.Name()})
	}
	lines = append(lines, pdf.KeyValue{Key: "Compiled", Value: at.Format(dayLayout + ", 15:04 UTC")})
	unit := o.Code + " " + o.Unit
	if o.Period != nil && o.Year != nil {
		unit += fmt.Sprintf(" · %s %d", *o.Period, *o.Year)
	}
	return &pdf.Cover{Institution: institution, Unit: unit, Kicker: "Portfolio Submission", Title: o.name(),
		Lines: lines, Tables: c.summary()}
}

// summary counts the tasks by status, for the title page.
func (c *content) summary() []pdf.Table {
	count := map[status.Status]int{}
	for i := range c.tasks {
		count[c.tasks[i].Status]++
	}
	t := pdf.Table{Title: "Tasks", Head: []string{"Status", "Tasks"}, Widths: []float64{3, 7}}
	for _, s := range status.All {
		if count[s] > 0 {
			t.Rows = append(t.Rows, []pdf.Cell{statusCell(s), {Text: strconv.Itoa(count[s])}})
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return []pdf.Table{t}
}

func (c *content) overall() []pdf.Block {
	if len(c.tasks) == 0 {
		return []pdf.Block{pdf.Para("This unit has no tasks.")}
	}
	t := pdf.Table{Head: []string{"Task", "Name", "Level", "Status", "Result", "Assessed"},
		Widths: []float64{1.1, 3.4, 1.9, 2.7, 1.6, 1.4}}
	for i := range c.tasks {
		k := &c.tasks[i]
		t.Rows = append(t.Rows, []pdf.Cell{{Text: k.Abbreviation, Bold: true}, {Text: k.Name}, {Text: k.Target.Name()},
			statusCell(k.Status), {Text: k.result()}, {Text: times(k.Assessed)}})
	}
	return []pdf.Block{pdf.Grid(t)}
}

// result is the grade and quality of a task in words, if it has any.
func (t *task) result() string {
	var parts []string
	if t.Grade != nil {
		parts = append(parts, t.Grade.Name())
	}
	if t.MaxQuality > 0 && t.Quality >= 0 {
		parts = append(parts, fmt.Sprintf("%d/%d", t.Quality, t.MaxQuality))
	}
	return strings.Join(parts, ", ")
}

func times(n int) string {
	switch n {
	case 0:
		return "–"
	case 1:
		return "once"
	}
	return strconv.Itoa(n) + " times"
}

// outcomePages tell of each outcome which tasks serve it: as the student says,
// or where they say nothing, as the unit does.
func (c *content) outcomePages() []pdf.Block {
	if len(c.outcomes) == 0 {
		return []pdf.Block{pdf.Para("This unit has no learning outcomes.")}
	}
	var out []pdf.Block
	for _, o := range c.outcomes {
		out = append(out, pdf.Head(2, fmt.Sprintf("%d. %s (%s)", o.Number, o.Name, o.Abbreviation)))
		if o.Description != "" {
			out = append(out, pdf.Prose(o.Description))
		}
		list, by := alignedTo(c.alignments, o), "Aligned by the student"
		if len(list) == 0 {
			list, by = alignedTo(c.unitAligns, o), "Aligned by the unit"
		}
		if len(list) == 0 {
			out = append(out, quietly("No task is aligned with this outcome."))
			continue
		}
		out = append(out, quietly(by), pdf.Grid(c.alignedTasks(list)))
	}
	return out
}

func quietly(text string) pdf.Block {
	return pdf.Block{Spans: []pdf.Span{{Text: text, Italic: true, Color: 0x6b7280}}}
}

func alignedTo(list []taskdef.Alignment, o course.Outcome) (out []taskdef.Alignment) {
	for _, a := range list {
		if a.OutcomeID == o.ID {
			out = append(out, a)
		}
	}
	return out
}

const mostRating = 5

func (c *content) alignedTasks(list []taskdef.Alignment) pdf.Table {
	t := pdf.Table{Head: []string{"Task", "Rating", "Status", "Assessed", "Rationale"}, Widths: []float64{3, 2, 2.9,
		1.5, 3.4}}
	for i := range c.tasks {
		k := &c.tasks[i]
		for _, a := range list {
			if a.DefinitionID == k.DefinitionID {
				t.Rows = append(t.Rows, []pdf.Cell{{Text: k.title()}, {Score: int(a.Rating), Of: mostRating},
					statusCell(k.Status),
					{Text: times(k.Assessed)}, {Text: a.Description, Markdown: true}})
			}
		}
	}
	return t
}

func listFiles(list []stored) []pdf.Block {
	t := pdf.Table{Head: []string{"File", "Kind"}, Widths: []float64{8, 2}}
	for _, f := range list {
		t.Rows = append(t.Rows, []pdf.Cell{{Text: f.Name}, {Text: string(f.Kind)}})
	}
	return []pdf.Block{pdf.Grid(t)}
}

// taskPages stand before the work of a task.
func (c *content) taskPages(t *task) []pdf.Block {
	facts := pdf.Table{Head: []string{"Status", "Level", "Target date", "Submitted", "Result", "Assessed"},
		Widths: []float64{2.7, 1.9, 1.9, 1.9, 1.8, 1.5}}
	submitted := "–"
	if t.SubmittedAt != nil {
		submitted = t.SubmittedAt.Format("2 Jan 2006")
	}
	facts.Rows = [][]pdf.Cell{{statusCell(t.Status), {Text: t.Target.Name()}, {Text: t.TargetDate.Format("2 Jan 2006")},
		{Text: submitted}, {Text: cmp.Or(t.result(), "–")}, {Text: times(t.Assessed)}}}
	out := []pdf.Block{pdf.Grid(facts)}
	if strings.TrimSpace(t.Description) != "" {
		out = append(out, pdf.Head(3, "Description"), pdf.Prose(t.Description))
	}
	if table := c.taskAlignments(t); len(table.Rows) > 0 {
		out = append(out, pdf.Head(3, "Outcomes"), pdf.Grid(table))
	}
	out = append(out, c.rubrics[t.DefinitionID].Blocks()...)
	if list := c.comments[t.TaskID]; len(list) > 0 {
		out = append(out, pdf.Head(3, "Comments"), pdf.Grid(commentTable(list)))
	}
	return out
}

func (c *content) taskAlignments(t *task) pdf.Table {
	table := pdf.Table{Head: []string{"Outcome", "Rating", "Rationale"}, Widths: []float64{3, 2, 6}}
	for _, o := range c.outcomes {
		for _, a := range alignedTo(c.alignments, o) {
			if a.DefinitionID == t.DefinitionID {
				table.Rows = append(table.Rows, []pdf.Cell{{Text: o.Abbreviation + " " + o.Name},
					{Score: int(a.Rating), Of: mostRating}, {Text: a.Description, Markdown: true}})
			}
		}
	}
	return table
}

func commentTable(list []comment) pdf.Table {
	t := pdf.Table{Head: []string{"Date", "Author", "Comment"}, Widths: []float64{2.5, 2.4, 6.5}}
	for _, c := range list {
		said := pdf.Cell{Text: c.Text, Markdown: true}
		switch {
		case c.Status != nil:
			said = statusCell(status.Status(*c.Status))
		case c.Type != "text":
			said.Text = strings.TrimSpace("[" + c.Type + "] " + c.Text)
		}
		t.Rows = append(t.Rows, []pdf.Cell{{Text: c.At.Format("2 Jan 2006 15:04")}, {Text: c.First + " " + c.Last},
			said})
	}
	return t
}
