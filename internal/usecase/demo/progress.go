package demo

import (
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/work"
)

// progress plans how the students work through what is behind them, as people
// do: most keep up, some struggle, a few have stopped.
func (b *builder) progress(u *unit) {
	for i, name := range u.names() {
		if i%9 == 8 {
			continue // never came back after the first week
		}
		done := 0
		for k, d := range definitionsOf(u.code) {
			day := b.week(d.target, i%5).AddDays(-i % 3)
			if d.group || d.draft || d.upload == compared || d.grade > 1+i%2 || done == 5-i%3 || d.upload != noUpload && i > 2 ||
				!day.Before(b.today) {
				continue
			}
			b.life(u, name, d, at(day, 9+i%9), (i*7+k*3)%10)
			done++
		}
	}
}

// life is one task's story; luck decides how it goes.
func (b *builder) life(u *unit, student string, d definition, start time.Time, luck int) {
	tutor := u.tutors[luck%len(u.tutors)]
	if luck == 9 && d.upload == noUpload {
		b.move(u, student, student, d, start, "working_on_it", nil)
		b.say(u, student, student, d, start.Add(time.Minute), questions[len(student)%len(questions)])
		return
	}
	if luck == 5 {
		b.extend(u, student, d, start.Add(-48*time.Hour), "I was ill for most of the week; the doctor's note is with "+
			"the office.", 1)
	}
	marked := start.Add(26 * time.Hour)
	if d.upload == noUpload && (tutor == student || !marked.Before(b.q.Now().Time)) {
		return // it would wait without a document to read
	}
	b.handIn(u, student, d, start, luck)
	if luck >= 7 && d.upload != noUpload || tutor == student {
		return // waits in the inbox, with a document to read
	}
	if luck == 6 {
		b.move(u, tutor, student, d, marked, "fix_and_resubmit", nil)
		b.say(u, tutor, student, d, marked.Add(time.Minute), requests[len(student)%len(requests)])
		return
	}
	mark := 1 + luck%3
	if rubricOf(u.code, d.abbr) != nil {
		b.giveLevels(u, tutor, student, d, marked, "discuss", []int{mark, mark}, "")
	} else {
		b.move(u, tutor, student, d, marked, "discuss", &mark)
	}
	if luck%2 == 0 {
		b.say(u, tutor, student, d, marked.Add(time.Minute), praise[luck%len(praise)])
		b.say(u, student, student, d, marked.Add(5*time.Hour), thanks[luck%len(thanks)])
	}
	if luck < 4 {
		b.move(u, tutor, student, d, start.Add(74*time.Hour), "complete", &mark)
	}
}

func at(day clock.Date, hour int) time.Time { return day.Add(time.Duration(hour) * time.Hour) }

// move plans a change of a task. A mark is its grade and its quality, where the
// task has them.
func (b *builder) move(u *unit, who, student string, d definition, when time.Time, word string, mark *int) {
	as := status.Staff
	if who == student {
		as = status.Student
	}
	w := work.Change{Trigger: &word}
	if mark != nil && d.graded {
		w.Grade = new(grade.Grade(*mark))
	}
	if mark != nil && d.quality > 0 {
		w.Quality = mark
	}
	b.plan(when, func(q db.Q) error {
		p := b.place(u, student, d)
		_, err := work.Move(b.ctx, q, work.Mover{UserID: b.id[who], As: as}, p.ProjectID, p.DefinitionID, w)
		return b.story(err, u, who, d, student)
	})
}
