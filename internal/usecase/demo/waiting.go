package demo

import (
	"slices"
	"time"

	"lectern/internal/platform/db"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/work"
)

// recentTasks are those of the first unit that are due about now.
var recentTasks = []string{"6.1P", "6.2C", "4.3HD", "5.3D", "6.3HD"}

// waiting plans what waits for feedback in the first unit: work of the last days, each
// with a document to read, some of it for the second time, one that failed to become a
// document, and requests for more time.
func (b *builder) waiting(u *unit) {
	for i, student := range u.names() {
		if i < 3 || i%9 == 8 {
			continue // their whole term is in progress
		}
		for k, abbr := range recentTasks {
			d := find(u, abbr)
			day := earlier(b.today.AddDays(-1-(i+k)%6), b.week(d.target, 4))
			b.recent(u, student, d, at(day, 8+(i*3+k)%9), i*5+k)
		}
		if i%3 == 0 {
			when := at(b.today, 0).Add(-time.Duration(i) * time.Hour)
			b.extend(u, student, find(u, "7.3D"), when, reasons[i%len(reasons)], 1)
			if i%9 == 0 { // the others wait for a decision
				b.decide(u, u.tutors[i%len(u.tutors)], student, find(u, "7.3D"), when.Add(time.Hour), i%2 == 0)
			}
		}
	}
	b.review(u, at(b.today, 0).Add(-3*time.Hour))
	b.failed(u, "student_4", find(u, "2.2C"), at(b.today.AddDays(-2), 11))
}

// reasons are why students ask for more time.
var reasons = []string{"I have three exams this week and would like to do this one well.",
	"My laptop is being repaired until Thursday.", "I was ill from Monday to Wednesday."}

// find gives a task of a unit by its abbreviation.
func find(u *unit, abbr string) definition {
	list := definitionsOf(u.code)
	return list[slices.IndexFunc(list, func(d definition) bool { return d.abbr == abbr })]
}

// recent is the story of a task that waits now; luck decides how it came there.
func (b *builder) recent(u *unit, student string, d definition, when time.Time, luck int) {
	tutor := u.tutors[luck%len(u.tutors)]
	switch luck % 7 {
	case 0, 3: // the second version waits
		b.firstVersion(u, student, d, when, luck)
		b.move(u, tutor, student, d, when.Add(2*time.Hour), "fix_and_resubmit", nil)
		b.say(u, tutor, student, d, when.Add(2*time.Hour+time.Minute), requests[luck%len(requests)])
		b.handIn(u, student, d, when.Add(5*time.Hour), luck+1)
		b.say(u, student, student, d, when.Add(5*time.Hour+time.Minute), thanks[0])
	case 5: // with a question
		b.handInAs(u, student, d, when, luck, status.NeedHelp)
		b.say(u, student, student, d, when.Add(time.Minute), questions[luck%len(questions)])
	default:
		b.handIn(u, student, d, when, luck)
	}
}

// firstVersion plans the handing in of work that is handed in once more later. Its
// document is made all the same, as hours lay between the two.
func (b *builder) firstVersion(u *unit, student string, d definition, when time.Time, luck int) {
	b.plan(when, func(q db.Q) error {
		id, err := b.submit(q, u, student, d, luck, "")
		if err == nil { // a newer version takes back only documents whose job it knows
			_, err = db.Exec(b.ctx, q, `UPDATE submissions SET job_id = NULL WHERE id = $1`, id)
		}
		return b.story(err, u, student, d, student)
	})
}

// failed plans a submission of which no document could be made.
func (b *builder) failed(u *unit, student string, d definition, when time.Time) {
	b.plan(when, func(q db.Q) error {
		id, err := b.submit(q, u, student, d, 2, "")
		if err == nil {
			_, err = db.Exec(b.ctx, q, `DELETE FROM jobs WHERE id = (SELECT job_id FROM submissions WHERE id = $1)`, id)
		}
		if err == nil {
			err = (&submit.Documents{}).GiveUp(b.ctx, q, id, "the machine that makes documents was full")
		}
		return b.story(err, u, student, d, student)
	})
}

// discussions plans spoken ones: two that wait for the student, one that was answered.
func (b *builder) discussions(u *unit) {
	for i, student := range []string{"student_1", "astudent", "student_5"} {
		d, tutor := find(u, []string{"1.1P", "1.1P", "6.1P"}[i]), u.tutors[i%len(u.tutors)]
		when := at(b.today.AddDays(-1), 18+i)
		var id int64
		b.plan(when, func(q db.Q) error {
			sound, err := b.recording(i)
			if err == nil {
				var c *work.Comment
				if c, err = work.Discuss(b.ctx, q, b.desk.Files, work.Reader{UserID: b.id[tutor], Staff: true},
					b.place(u, student, d), []work.Media{sound}); err == nil {
					id = c.ID
				}
			}
			return b.story(err, u, tutor, d, student)
		})
		if i < 2 {
			continue
		}
		b.plan(when.Add(time.Hour), func(q db.Q) error {
			sound, err := b.recording(9)
			if err == nil {
				_, err = work.Answer(b.ctx, q, b.desk.Files, work.Reader{UserID: b.id[student]}, b.place(u, student, d), id, sound)
			}
			return b.story(err, u, student, d, student)
		})
	}
}

// recording puts a short sound into the store.
func (b *builder) recording(luck int) (work.Media, error) {
	info, err := b.put(chime(440 + 60*luck))
	return work.Media{File: info, Kind: "audio", Type: "audio/wav"}, err
}

// team plans work that one student hands in for all of a group.
func (b *builder) team(u *unit) {
	b.handIn(u, "student_1", find(u, "A13"), at(b.today.AddDays(-2), 15), 4)
}

// names gives the students of a unit in the order of their projects.
func (u *unit) names() []string {
	names := append([]string{"astudent"}, u.alsoStudents...)
	for n := u.students[0]; n <= u.students[1]; n++ {
		names = append(names, studentName(n))
	}
	return names
}
