package demo

import (
	"time"

	"lectern/internal/platform/db"
	"lectern/internal/teaching/rubric"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/verdict"
	"lectern/internal/teaching/work"
)

// Tasks of the first unit that are marked by a rubric: the first has levels with points, and its work waits in the
// inbox; the second has levels without.
const (
	pointedTask = "4.3HD"
	wordedTask  = "2.2C"
)

// rubricOf gives the criteria that a task is marked by; none for most.
func rubricOf(unitCode, abbr string) rubric.Criteria {
	switch {
	case unitCode != units[0].code:
		return nil
	case abbr == pointedTask:
		return rubric.Criteria{
			{Title: "Question", Description: "What you set out to find, and why it matters.", Levels: []rubric.Level{
				{Name: "Missing", Text: "The report does not say what it asks.", Points: new(int64(0))},
				{Name: "Clear", Text: "It asks one thing that can be measured.", Points: new(int64(1))}}},
			{Title: "Method", Description: "How you measured, so that others can do it again.", Levels: []rubric.Level{
				{Name: "Unclear", Text: "Others could not repeat it.", Points: new(int64(0))},
				{Name: "Repeatable", Text: "It can be repeated, but one thing is measured once only.", Points: new(int64(1))},
				{Name: "Sound", Text: "It can be repeated, and each measurement is taken several times.",
					Points: new(int64(2))}}},
			{Title: "Conclusions", Description: "What your measurements show, and what they do not.", Levels: []rubric.Level{
				{Name: "Claimed", Text: "Conclusions do not follow from what was measured.", Points: new(int64(0))},
				{Name: "Supported", Text: "Conclusions follow from the measurements.", Points: new(int64(1))},
				{Name: "Weighed", Text: "They follow, and the report says where they end.", Points: new(int64(2))}}}}
	case abbr == wordedTask:
		return rubric.Criteria{
			{Title: "It works", Levels: []rubric.Level{{Name: "Not yet", Text: "It stops or answers wrongly."},
				{Name: "Mostly", Text: "It works for usual input."}, {Name: "Yes", Text: "It works for all input."}}},
			{Title: "It reads well", Description: "Names, layout and comments.", Levels: []rubric.Level{
				{Name: "Not yet", Text: "One has to guess what names mean."},
				{Name: "Yes", Text: "Names tell what things are, and comments say why."}}}}
	}
	return nil
}

// rubrics writes the rubrics of a unit on its first day.
func (b *builder) rubrics(u *unit) {
	for _, d := range definitionsOf(u.code) {
		criteria := rubricOf(u.code, d.abbr)
		if b.err != nil || criteria == nil {
			continue
		}
		_, err := rubric.Save(b.ctx, db.At(b.q, at(b.week(1, 0), 9)), b.id[u.code+" "+d.abbr],
			rubric.Change{Criteria: criteria, UserID: b.id[u.convenor]})
		b.err = b.story(err, u, u.convenor, d, "everybody")
	}
}

// marked plans what a tutor says of work that waited, by a rubric with points.
func (b *builder) marked(u *unit) {
	d, student, when := find(u, pointedTask), "student_4", at(b.today, 0).Add(-5*time.Hour)
	b.giveLevels(u, "atutor", student, d, when, "discuss", []int{1, 1, 2}, "You say yourself where your conclusions end: "+
		"that is what I like best here. Measure the second case more than once, and bring it along.")
	b.say(u, student, student, d, when.Add(time.Hour), thanks[0])
}

// giveLevels plans a verdict with levels of the task's rubric, by their places in its criteria.
func (b *builder) giveLevels(u *unit, tutor, student string, d definition, when time.Time, word string, places []int,
	comment string) {
	b.plan(when, func(q db.Q) error {
		at := b.place(u, student, d)
		err := b.verdict(q, at, tutor, verdict.Verdict{Trigger: &word, Comment: comment}, places)
		return b.story(err, u, tutor, d, student)
	})
}

func (b *builder) verdict(q db.Q, at work.TaskRef, tutor string, v verdict.Verdict, places []int) error {
	r, err := rubric.Of(b.ctx, q, at.DefinitionID)
	if err != nil {
		return err
	}
	v.Rubric = &rubric.Pick{RubricID: r.ID}
	for i, c := range r.Criteria {
		v.Rubric.Levels = append(v.Rubric.Levels, c.Levels[min(places[i], len(c.Levels)-1)].ID)
	}
	v.Version, err = db.One[int64](b.ctx, q, `SELECT version FROM tasks WHERE project_id = $1
		AND task_definition_id = $2`, at.ProjectID, at.DefinitionID)
	if err != nil {
		return err
	}
	_, err = verdict.Give(b.ctx, q, work.Mover{UserID: b.id[tutor], As: status.Staff}, at, v)
	return err
}
