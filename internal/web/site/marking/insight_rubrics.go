package marking

import (
	"context"
	"strconv"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/insight"
	"lectern/internal/usecase"
	"lectern/internal/web/site/page"
)

// insightRubricsPage is where the class loses, by the rubrics of its tasks.
type insightRubricsPage struct {
	insightBase
	*insight.ByRubric
	ByTutor bool
}

type insightRubricsIn struct {
	insightIn
	Task string `param:"task"` // of one; else of all
}

func (s *room) insightRubrics(ctx context.Context, who *access.Caller, in insightRubricsIn) (*page.Page, error) {
	v := &insightRubricsPage{insightBase: insightBase{insightIn: in.insightIn, Task: in.Task, at: links.InsightRubrics,
		words: s.words}, ByTutor: who.May(policy.SeeTutorPace)}
	v.By = ""
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if err = v.read(ctx, q); err != nil {
			return err
		}
		search := insight.RubricSearch{Class: v.class(), DefinitionID: v.task()}
		v.ByRubric, err = usecase.RubricInsight(ctx, q, who, search)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.Titled(who, "insight-rubrics", s.Word("insight.rubrics"), v), nil
}

// task is the one that is chosen, 0: all. One without a rubric is none.
func (v *insightRubricsPage) task() int64 {
	id := maybe(v.Task)
	for i := range v.Rubrics {
		if id != nil && v.Rubrics[i].DefinitionID == *id {
			return *id
		}
	}
	v.Task = ""
	return 0
}

// TaskMenu is the chip that chooses a task.
func (v *insightRubricsPage) TaskMenu() menuChip {
	c := menuChip{Label: v.words.Word("lists.task"), Text: v.words.Word("inbox.any-task")}
	at := links.To(v.at, v.UnitID)
	c.add(c.Text, v.with(at, "task", ""), v.Task == "", true)
	for i := range v.Rubrics {
		id := strconv.FormatInt(v.Rubrics[i].DefinitionID, 10)
		c.add(v.Rubrics[i].Abbreviation+" "+v.Rubrics[i].Name, v.with(at, "task", id), v.Task == id, false)
	}
	return c
}

// Marked is how much was marked of all tasks that are shown.
func (v *insightRubricsPage) Marked() (n int) {
	for i := range v.Tasks {
		n += v.Tasks[i].Marked
	}
	return n
}

// given is where levels are listed that were given.
func (v *insightRubricsPage) given(task, criterion, level int64, more ...string) string {
	query := []string{"of", ofLevels, "task", strconv.FormatInt(task, 10)}
	if criterion != 0 {
		query = append(query, "criterion", strconv.FormatInt(criterion, 10))
	}
	if level != 0 {
		query = append(query, "level", strconv.FormatInt(level, 10))
	}
	return v.Counted(append(query, more...)...)
}

// levelPart is a level in the bar of its criterion.
type levelPart struct {
	insight.LevelTally
	Href        string
	From, Width float64 // in percent of what was marked by the criterion
	Shade       int     // from 1, the first
}

// criterionRow is a criterion with what its levels came to.
type criterionRow struct {
	insight.CriterionTally
	Task, Href string
	Parts      []levelPart
}

// Rows are the criteria of the tasks that are shown.
func (v *insightRubricsPage) Rows() (out []criterionRow) {
	for i := range v.Tasks {
		t := &v.Tasks[i]
		for _, c := range t.Criteria {
			row := criterionRow{CriterionTally: c, Task: t.Abbreviation, Href: v.given(t.DefinitionID, c.ID, 0)}
			from := 0.0
			for n, l := range c.Levels {
				p := levelPart{LevelTally: l, Href: v.given(t.DefinitionID, c.ID, l.ID), From: from, Shade: n + 1}
				if c.Marked > 0 {
					p.Width = 100 * float64(l.Marked) / float64(c.Marked)
				}
				from += p.Width
				row.Parts = append(row.Parts, p)
			}
			out = append(out, row)
		}
	}
	return out
}

// Percent writes a share.
func (v *insightRubricsPage) Percent(n *float64) string {
	if n == nil {
		return v.words.Word("promise.nothing")
	}
	return v.words.Word("insight.percent", *n)
}

// Difference writes how far apart two shares are, with its sign.
func (v *insightRubricsPage) Difference(n *float64) string {
	if n == nil {
		return v.words.Word("promise.nothing")
	}
	return v.words.Word("insight.apart", *n)
}

// between are the ends of a week as addresses say them.
func between(monday clock.Date) []string {
	return []string{"from", monday.String(), "until", monday.AddDays(7).String()}
}

// Heat is where points were lost week by week: of each criterion of the task, or of each task; where levels have no
// points, how much was marked.
func (v *insightRubricsPage) Heat() map[string]any {
	var rows []map[string]any
	add := func(name string, t insight.Tally, href func(monday clock.Date) string) {
		var cells []map[string]any
		for i, w := range t.Weeks {
			cell := map[string]any{"Text": v.words.Word("promise.nothing"), "Heat": 0}
			if w.Marked > 0 {
				cell["Text"], cell["Heat"] = v.lossOf(w)
				cell["Href"] = href(v.ByRubric.Weeks[i])
			}
			cells = append(cells, cell)
		}
		rows = append(rows, map[string]any{"Name": name, "Cells": cells})
	}
	for i := range v.Tasks {
		t := &v.Tasks[i]
		if v.Task == "" {
			add(t.Abbreviation+" "+t.Name, t.Tally, func(monday clock.Date) string {
				return v.given(t.DefinitionID, 0, 0, between(monday)...)
			})
			continue
		}
		for _, c := range t.Criteria {
			add(c.Title, c.Tally, func(monday clock.Date) string {
				return v.given(t.DefinitionID, c.ID, 0, between(monday)...)
			})
		}
	}
	name := v.words.Word("lists.task")
	if v.Task != "" {
		name = v.words.Word("insight.criterion")
	}
	return map[string]any{"Label": v.words.Word("insight.lost-weeks"), "Head": append([]string{name}, v.WeekHeads()...),
		"Rows": rows, "Over": ""}
}

// WeekHeads name the weeks.
func (v *insightRubricsPage) WeekHeads() (out []string) {
	for _, monday := range v.ByRubric.Weeks {
		out = append(out, v.words.Word("promise.week-from", v.words.Date("short", monday.Time)))
	}
	return out
}

// From which percentage of points lost on cells become warmer.
const (
	someLost = 20
	muchLost = 40
)

// SomeLost is from where on cells are warmer.
func (v *insightRubricsPage) SomeLost() int { return someLost }

// MuchLost is from where on they are warmest.
func (v *insightRubricsPage) MuchLost() int { return muchLost }

// lossOf is what a week lost, and how warm its cell is.
func (v *insightRubricsPage) lossOf(w insight.WeekTally) (text string, heat int) {
	switch {
	case w.Lost == nil:
		return v.words.Word("insight.rows-counted", w.Marked), 0
	case *w.Lost < someLost:
		heat = 1
	case *w.Lost < muchLost:
		heat = 2
	default:
		heat = 3
	}
	return v.words.Word("insight.percent", *w.Lost), heat
}

// weekRow is a level with how often it was given week by week.
type weekRow struct {
	Name  string
	Cells []weekCell
}

type weekCell struct {
	Marked int
	Href   string
}

// WeekRows are how often each level was given week by week.
func (v *insightRubricsPage) WeekRows() (out []weekRow) {
	for i := range v.Tasks {
		t := &v.Tasks[i]
		for _, c := range t.Criteria {
			for _, l := range c.Levels {
				row := weekRow{Name: c.Title + ": " + l.Name}
				if v.Task == "" {
					row.Name = t.Abbreviation + " " + row.Name
				}
				for n, marked := range l.Weeks {
					row.Cells = append(row.Cells, weekCell{marked,
						v.given(t.DefinitionID, c.ID, l.ID, between(v.ByRubric.Weeks[n])...)})
				}
				out = append(out, row)
			}
		}
	}
	return out
}

// tutorRow is how one of the staff marked by a criterion of the task, or by a whole rubric.
type tutorRow struct {
	insight.TutorRubric
	Of, Href, Rest string // Rest is where the work of all others is listed
}

// TutorRows are how each of the staff marked beside all others.
func (v *insightRubricsPage) TutorRows() (out []tutorRow) {
	for i := range v.Tasks {
		t := &v.Tasks[i]
		add := func(of string, criterion int64, list []insight.TutorRubric) {
			for _, one := range list {
				out = append(out, tutorRow{one, of, v.given(t.DefinitionID, criterion, 0, "tutor",
					strconv.FormatInt(one.UserID, 10)), v.given(t.DefinitionID, criterion, 0, "others",
					strconv.FormatInt(one.UserID, 10))})
			}
		}
		if v.Task == "" {
			add(t.Abbreviation+" "+t.Name, 0, t.Tutors)
			continue
		}
		for _, c := range t.Criteria {
			add(c.Title, c.ID, c.Tutors)
		}
	}
	return out
}
