package notify

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/ground/links"
	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
	"lectern/internal/platform/mail"
	"lectern/internal/teaching/due"
	"lectern/internal/teaching/status"
)

// weeklyArgs ask for the weekly emails of all units.
type weeklyArgs struct{}

// Kind implements jobs.Args.
func (weeklyArgs) Kind() string { return "weekly_mails" }

// unitWeekArgs ask for those of one unit. The day names the emails, so that a
// job that runs twice writes them once.
type unitWeekArgs struct {
	UnitID int64      `json:"unit_id"`
	Day    clock.Date `json:"day"`
}

// Kind implements jobs.Args.
func (unitWeekArgs) Kind() string { return "weekly_mails_of_unit" }

// settled is how many days a unit must have run before its first emails.
const settled = 4

// weekly gives each unit that is taught and sends mails a job of its own.
func (m *Mailer) weekly(ctx context.Context, job jobs.Job, _ weeklyArgs) error {
	if !m.Sends() {
		return nil
	}
	return m.db.Tx(ctx, func(q db.Q) error {
		day := clock.Day(q.Now().Time)
		ids, err := db.All[int64](ctx, q, `SELECT id FROM units WHERE active AND send_notifications
			AND start_date <= $1 AND end_date >= $2 ORDER BY id`,
			day.AddDays(-settled), day)
		if err != nil {
			return err
		}
		monday := day.AddDays(-(int(day.Weekday()) + 6) % 7)
		list := make([]unitWeekArgs, len(ids))
		for i, id := range ids {
			list[i] = unitWeekArgs{id, monday}
		}
		if err := jobs.EnqueueAll(ctx, q, list); err != nil {
			return err
		}
		return job.Done(ctx, q)
	})
}

// unitWeek writes the emails of one unit. It reads with a dozen statements,
// however many students there are, and puts the emails together in memory.
func (m *Mailer) unitWeek(ctx context.Context, job jobs.Job, a unitWeekArgs) error {
	if !m.Sends() {
		return nil
	}
	var list []email
	err := m.db.View(ctx, func(q db.Q) error {
		w, err := readWeek(ctx, q, a.UnitID)
		if err != nil {
			return fmt.Errorf("read the week of unit %d: %w", a.UnitID, err)
		}
		list = append(m.studentWeeks(w), m.staffWeeks(w)...)
		return nil
	})
	if err != nil {
		return err
	}
	for i := range list {
		list[i].name = fmt.Sprintf("week-%s-%d-%s", a.Day, a.UnitID, list[i].name)
	}
	return m.db.Tx(ctx, func(q db.Q) error {
		if err := m.post(ctx, q, list); err != nil {
			return err
		}
		return job.Done(ctx, q)
	})
}

// midUnit tells whether the unit is under way and not near its end, which is
// when it makes sense to talk about the grade a student aims for.
func (w *week) midUnit() bool {
	return w.today.DaysSince(w.unit.Start) > 28 && w.unit.End.DaysSince(w.today) > 14
}

// open are the statuses in which a task is the student's to work on.
var open = []status.Status{status.NotStarted, status.Redo, status.NeedHelp, status.WorkingOnIt, status.FixAndResubmit,
	status.Demonstrate, status.Discuss}

// todo is a task of a student that is not done.
type todo struct {
	definition *definition
	status     status.Status
	dates      due.Dates
	overdue    bool
}

// todos gives the open tasks of a student up to the grade they aim for, the
// most pressing first: overdue, due within a week, later; in each by the grade
// they are for, then by date.
func (w *week) todos(p *project) []todo {
	var list []todo
	for i := range w.definitions {
		d := &w.definitions[i]
		t := w.tasks[[2]int64{p.ProjectID, d.ID}]
		s := cmp.Or(t.Status, status.NotStarted)
		if d.TargetGrade > p.TargetGrade || !slices.Contains(open, s) {
			continue
		}
		dates := due.Dates{Target: d.Target, Deadline: due.Deadline(d.Deadline, w.unit.End, d.Target),
			Extensions: t.Extensions,
			Zone:       w.zone}
		list = append(list, todo{d, s, dates, !dates.OnTime(w.now)})
	}
	urgency := func(t todo) int {
		switch {
		case t.overdue:
			return 0
		case t.dates.Due().DaysSince(w.today) < soon:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(list, func(a, b todo) int {
		return cmp.Or(cmp.Compare(urgency(a), urgency(b)), cmp.Compare(a.definition.TargetGrade,
			b.definition.TargetGrade), a.dates.Due().Compare(b.dates.Due().Time))
	})
	return list
}

// behind counts the overdue tasks of a pass of a student who aims higher, when
// there are more than two and the first is two weeks late: we tell them, and
// leave the grade they chose alone.
func (w *week) behind(p *project, list []todo) int {
	n, oldest := 0, 0
	for _, t := range list {
		if t.overdue && t.definition.TargetGrade == grade.Pass {
			n++
			oldest = max(oldest, w.today.DaysSince(t.dates.Due()))
		}
	}
	if !w.midUnit() || p.TargetGrade == grade.Pass || p.HasPortfolio || n <= 2 || oldest < 14 {
		return 0
	}
	return n
}

const (
	mostTasks  = 5
	mostMarked = 10
	soon       = 7 // days
)

// studentWeeks writes an email to each student who wants one. Whoever has made
// their portfolio has nothing left to do but in the midst of the unit.
func (m *Mailer) studentWeeks(w *week) []email {
	var out []email
	for i := range w.projects {
		p := &w.projects[i]
		if !p.Wants || p.HasPortfolio && !w.midUnit() {
			continue
		}
		todos := w.todos(p)
		c := mail.StudentWeek{Frame: m.toStudent(&p.student, Feedback, links.To(links.Project, p.ProjectID)),
			Unit:             p.Unit,
			CommentsReceived: w.talk[p.ProjectID].Received, CommentsSent: w.talk[p.ProjectID].Sent,
			StatusChanges: len(w.moved[p.ProjectID]), Marked: w.marked(m.words, p),
			Progress:   w.progress(m.words, p, todos),
			NoTutorial: !w.enrolled[p.ProjectID], Behind: w.behind(p, todos)}
		for _, t := range todos[:min(len(todos), mostTasks)] {
			c.Tasks = append(c.Tasks, mail.DueTask{Task: t.definition.task(), Due: dueOf(t.dates, w.now),
				Status: statusOf(m.words, t.status)})
		}
		for _, t := range todos {
			if !t.overdue && t.dates.Due().DaysSince(w.today) < soon {
				c.Soon++
			}
		}
		l := p.email(Feedback, c)
		l.name = fmt.Sprintf("student-%d", p.UserID)
		out = append(out, l)
	}
	return out
}

// progress counts the tasks up to the grade a student aims for.
func (w *week) progress(l *mail.Language, p *project, list []todo) mail.Progress {
	out := mail.Progress{Target: l.Word("grade." + strconv.Itoa(int(p.TargetGrade)))}
	for i := range w.definitions {
		if d := &w.definitions[i]; d.TargetGrade <= p.TargetGrade {
			out.All++
			if w.tasks[[2]int64{p.ProjectID, d.ID}].Status == status.Complete {
				out.Complete++
			}
		}
	}
	for _, t := range list {
		if t.overdue {
			out.Overdue++
		}
	}
	return out
}

// marked are the tasks of a student that the staff marked in the past week, the latest first.
func (w *week) marked(l *mail.Language, p *project) (out []mail.MarkedTask) {
	for _, m := range w.moved[p.ProjectID] {
		if !m.Marked || len(out) == mostMarked {
			continue
		}
		for i := range w.definitions {
			if d := &w.definitions[i]; d.ID == m.DefinitionID {
				out = append(out, mail.MarkedTask{Task: d.task(),
					Status: statusOf(l, w.tasks[[2]int64{p.ProjectID, d.ID}].Status)})
			}
		}
	}
	return out
}

// staffWeeks writes an email to each of the staff who wants one. Convenors also
// hear how the others fare.
func (m *Mailer) staffWeeks(w *week) []email {
	var table []mail.TutorWeek
	for i := range w.staff {
		s := &w.staff[i]
		table = append(table, mail.TutorWeek{Name: s.FirstName + " " + s.LastName, Students: len(w.students[s.UserID]),
			Waiting: len(w.waiting[s.UserID]), Marked: w.assessed[s.UserID]})
	}
	behind, unseated := 0, 0
	for i := range w.projects {
		p := &w.projects[i]
		if w.behind(p, w.todos(p)) > 0 {
			behind++
		}
		if !w.enrolled[p.ProjectID] {
			unseated++
		}
	}
	var out []email
	for i := range w.staff {
		s := &w.staff[i]
		if !s.Wants {
			continue
		}
		c := mail.StaffWeek{Frame: m.frame(reader{s.UserID, greeting(s.FirstName, s.Nickname),
			zoneOf(s.Zone, w.unit.TimeZone)}, Feedback, links.To(links.Inbox, w.unit.ID)), Unit: w.unit.Code,
			Students: len(w.students[s.UserID]), Waiting: len(w.queues[s.UserID]), Marked: w.assessed[s.UserID],
			CommentsReceived: w.staffTalk[s.UserID].Received, CommentsSent: w.staffTalk[s.UserID].Sent}
		c.About = w.unit.Code + " " + w.unit.Name
		if list := w.queues[s.UserID]; len(list) > 0 {
			c.Oldest = list[0].task()
		}
		if s.Convenes {
			c.Tutors, c.WithoutTutorial, c.Behind = table, unseated, behind
		}
		out = append(out, email{name: fmt.Sprintf("staff-%d", s.UserID), userID: s.UserID, preference: Feedback,
			replyTo: w.unit.ReplyTo, content: c})
	}
	return out
}
