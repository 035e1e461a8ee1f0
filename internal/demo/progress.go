package demo

import (
	"fmt"
	"time"

	"lectern/internal/clock"
	"lectern/internal/db"
	"lectern/internal/status"
	"lectern/internal/work"
)

// progress lets the students work through what is behind them, as people do:
// most keep up, some struggle, a few have stopped. It goes the way of every
// change, at moments of the past, so histories, comments and statistics agree.
func (b *builder) progress(u *unit) {
	names := append([]string{"astudent"}, u.alsoStudents...)
	for n := u.students[0]; n <= u.students[1]; n++ {
		names = append(names, fmt.Sprintf("student_%d", n))
	}
	for i, name := range names {
		if i%9 == 8 {
			continue // never came back after the first week
		}
		done := 0
		for k, d := range definitionsOf(u.code) {
			if d.upload != noUpload || d.group || d.grade > 1+i%2 || done == 5-i%3 {
				continue
			}
			day := b.week(d.target, i%5).AddDays(-i % 3)
			if day.Before(b.today) {
				b.life(u, name, d, at(day, 9+i%9), (i*7+k*3)%10)
				done++
			}
		}
	}
}

// life is one task's story; luck decides how it went.
func (b *builder) life(u *unit, student string, d definition, start time.Time, luck int) {
	tutor := u.tutors[luck%len(u.tutors)]
	if luck == 9 {
		b.move(u, student, student, d, start, "need_help", nil)
		b.say(u, student, student, d, start.Add(time.Minute), questions[len(student)%len(questions)])
		return
	}
	if luck == 5 {
		b.extend(u, student, d, start.Add(-48*time.Hour), "I was ill for most of the week; the doctor's note is with the office.", 1)
	}
	b.move(u, student, student, d, start, "ready_for_feedback", nil)
	if luck >= 7 || tutor == student {
		return // waits in the inbox
	}
	marked := start.Add(26 * time.Hour)
	if luck == 6 {
		b.move(u, tutor, student, d, marked, "fix_and_resubmit", nil)
		b.say(u, tutor, student, d, marked.Add(time.Minute), requests[len(student)%len(requests)])
		return
	}
	grade := 1 + luck%3
	b.move(u, tutor, student, d, marked, "discuss", &grade)
	if luck%2 == 0 {
		b.say(u, tutor, student, d, marked.Add(time.Minute), praise[luck%len(praise)])
		b.say(u, student, student, d, marked.Add(5*time.Hour), thanks[luck%len(thanks)])
	}
	if luck < 4 {
		b.move(u, tutor, student, d, start.Add(74*time.Hour), "complete", &grade)
	}
}

func (b *builder) past(t time.Time) bool { return t.Before(b.q.Now().Time) }

func at(day clock.Date, hour int) time.Time { return day.Add(time.Duration(hour) * time.Hour) }

// move changes a task the way a person would have.
func (b *builder) move(u *unit, who, student string, d definition, when time.Time, word string, grade *int) {
	if b.err != nil || !b.past(when) {
		return
	}
	as := status.Staff
	if who == student {
		as = status.Student
	}
	w := work.Wish{Word: &word}
	if as == status.Staff && d.graded {
		w.Grade = grade
	}
	if as == status.Staff && d.quality > 0 {
		w.Quality = grade
	}
	_, err := work.Move(b.ctx, db.At(b.q, when), work.Mover{UserID: b.id[who], As: as}, b.id[u.code+" project "+student], b.id[u.code+" "+d.abbr], w)
	if err != nil {
		b.err = fmt.Errorf("demo: %s moves %s of %s in %s to %s: %w", who, d.abbr, student, u.code, word, err)
	}
}
