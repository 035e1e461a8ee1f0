package notify

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/links"
	"lectern/internal/platform/db"
	"lectern/internal/platform/mail"
	"lectern/internal/teaching/due"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/trash"
)

// student is whom an email about a project is for.
type student struct {
	ProjectID int64   `db:"project_id"`
	UserID    int64   `db:"user_id"`
	FirstName string  `db:"first_name"`
	Nickname  *string `db:"nickname"`
	Unit      string  `db:"code"`
	UnitName  string  `db:"unit_name"`
	UnitZone  *string `db:"unit_zone"`
	OwnZone   *string `db:"own_zone"`
	ReplyTo   string  `db:"reply_to"` // the main convenor
}

// studentColumns and studentJoins read student for project p, in units that
// send mails, for those enrolled.
const (
	studentColumns = `p.id AS project_id, p.user_id, s.first_name, s.nickname, u.code, u.name AS unit_name,
		u.time_zone AS unit_zone, s.time_zone AS own_zone, ` + convenor + ` AS reply_to`
	studentJoins = ` JOIN units u ON u.id = p.unit_id AND u.send_notifications JOIN users s ON s.id = p.user_id
		AND s.disabled_at IS NULL `
	convenor = `coalesce((SELECT c.email FROM unit_roles r JOIN users c ON c.id = r.user_id WHERE r.unit_id = u.id
		AND r.is_main), '')`
)

func (s *student) email(p Preference, c mail.Content) email {
	return email{userID: s.UserID, preference: p, replyTo: s.ReplyTo, content: c}
}

func (m *Mailer) toStudent(s *student, p Preference, link string) mail.Frame {
	f := m.frame(reader{s.UserID, greeting(s.FirstName, s.Nickname), zoneOf(s.OwnZone, s.UnitZone)}, p, link)
	f.About = s.Unit + " " + s.UnitName
	return f
}

// zoneOf is the clock of the first name that is one; nil where none is.
func zoneOf(names ...*string) *time.Location {
	for _, name := range names {
		if zone := clock.Zone(name); zone != nil {
			return zone
		}
	}
	return nil
}

// statusOf is a status as pages show it: with two shades more than the five that statistics count by.
func statusOf(l *mail.Language, s status.Status) mail.Status {
	s = cmp.Or(s, status.NotStarted)
	out := mail.Status{Name: l.Word("status." + string(s)), Family: string(s.Colour())}
	switch s {
	case status.NeedHelp:
		out.Family = "violet"
	case status.Discuss, status.Demonstrate:
		out.Family = "teal"
	}
	return out
}

// dueOf is until when a task is taken.
func dueOf(d due.Dates, now time.Time) mail.Due {
	out := mail.Due{Ends: d.Ends(), Zone: d.Zone, Overdue: !d.OnTime(now)}
	if closes, late := d.Closes(); late {
		out.Closes = closes
	}
	return out
}

// taskOf is a task with whose it is.
type taskOf struct {
	student
	DefinitionID int64         `db:"definition_id"`
	Abbreviation string        `db:"abbreviation"`
	Name         string        `db:"name"`
	Status       status.Status `db:"status"`
	due.Columns
}

func (m *Mailer) tasks(ctx context.Context, q db.Q, ids []int64, flag string) ([]taskOf, error) {
	in, args := db.In(nil, ids)
	list, err := db.All[taskOf](ctx, q, `SELECT `+studentColumns+`, d.id AS definition_id, d.abbreviation, d.name,
		t.status, d.target_date, d.due_date, u.end_date, u.time_zone, t.extensions
		FROM tasks t JOIN task_definitions d ON d.id = t.task_definition_id JOIN projects p ON p.id = t.project_id
		AND p.enrolled`+studentJoins+`
		WHERE s.`+flag+` AND t.id IN `+in+` ORDER BY p.id, d.abbreviation`, args...)
	if err != nil {
		return nil, fmt.Errorf("find whom to tell: %w", err)
	}
	return list, nil
}

// marked is the task with what came of it, and with its dates where it is to be submitted again.
func (t *taskOf) marked(l *mail.Language, now time.Time) mail.MarkedTask {
	out := mail.MarkedTask{Task: mail.Task{Abbreviation: t.Abbreviation, Name: t.Name}, Status: statusOf(l, t.Status)}
	if slices.Contains(again, t.Status) {
		told := dueOf(t.Dates(), now)
		out.Due = &told
	}
	return out
}

// again are the statuses after which a task is submitted once more.
var again = []status.Status{status.FixAndResubmit, status.Redo}

// FeedbackReady tells students that these tasks have been marked: one email a
// project, however many of its tasks are among them. It enqueues in the
// caller's transaction; call it once for all that was marked together.
func (m *Mailer) FeedbackReady(ctx context.Context, q db.Q, taskIDs ...int64) error {
	if !m.Sends() || len(taskIDs) == 0 {
		return nil
	}
	tasks, err := m.tasks(ctx, q, taskIDs, flags[Feedback])
	if err != nil {
		return err
	}
	var list []email
	for len(tasks) > 0 {
		s := tasks[0].student
		c, page := mail.Feedback{Unit: s.Unit}, links.To(links.Task, s.ProjectID, tasks[0].DefinitionID)
		for len(tasks) > 0 && tasks[0].ProjectID == s.ProjectID {
			c.Tasks = append(c.Tasks, tasks[0].marked(m.words, q.Now().Time))
			tasks = tasks[1:]
		}
		if len(c.Tasks) > 1 {
			page = links.To(links.Project, s.ProjectID)
		}
		c.Frame = m.toStudent(&s, Feedback, page)
		list = append(list, s.email(Feedback, c))
	}
	return m.post(ctx, q, list)
}

// PDFFailed tells students that what they submitted for these tasks, one or
// those of a group, could not be turned into a document.
func (m *Mailer) PDFFailed(ctx context.Context, q db.Q, reason string, taskIDs ...int64) error {
	if !m.Sends() || len(taskIDs) == 0 {
		return nil
	}
	tasks, err := m.tasks(ctx, q, taskIDs, flags[Task])
	if err != nil {
		return err
	}
	var list []email
	for _, t := range tasks {
		list = append(list, t.email(Task, mail.PDFFailed{Frame: m.toStudent(&t.student, Task,
			links.To(links.Task, t.ProjectID, t.DefinitionID)),
			Unit: t.Unit, Task: mail.Task{Abbreviation: t.Abbreviation, Name: t.Name},
			Due: dueOf(t.Dates(), q.Now().Time), Reason: reason}))
	}
	return m.post(ctx, q, list)
}

// PortfolioReady tells a student that their portfolio can be read; automatic
// when the service made it on the unit's day, unasked.
func (m *Mailer) PortfolioReady(ctx context.Context, q db.Q, projectID int64, automatic bool) error {
	return m.portfolio(ctx, q, projectID, func(f mail.Frame, unit string) mail.Content {
		return mail.PortfolioReady{Frame: f, Unit: unit, Automatic: automatic}
	})
}

// PortfolioFailed tells a student that their portfolio could not be made.
func (m *Mailer) PortfolioFailed(ctx context.Context, q db.Q, projectID int64, reason string) error {
	return m.portfolio(ctx, q, projectID, func(f mail.Frame, unit string) mail.Content {
		return mail.PortfolioFailed{Frame: f, Unit: unit, Reason: reason}
	})
}

func (m *Mailer) portfolio(ctx context.Context, q db.Q, projectID int64,
	content func(mail.Frame, string) mail.Content) error {
	if !m.Sends() {
		return nil
	}
	list, err := db.All[student](ctx, q, `SELECT `+studentColumns+` FROM projects p`+studentJoins+`
		WHERE p.id = $1 AND p.enrolled AND s.`+flags[Portfolio], projectID)
	if err != nil || len(list) == 0 {
		return err
	}
	s := &list[0]
	return m.post(ctx, q, []email{s.email(Portfolio,
		content(m.toStudent(s, Portfolio, links.To(links.Portfolio, s.ProjectID)), s.Unit))})
}

// Deletion is what students are told of something that was deleted with their work.
type Deletion struct {
	Kind     trash.Kind
	Name     string // such as "1.1P Hello World"
	Until    clock.Date
	Restored bool
	// Anonymised is said of work that is there without the student's name.
	Anonymised bool
}

// WorkDeleted tells students that their work was deleted, or is back: all of them,
// whatever emails they want and whether or not they are still enrolled.
func (m *Mailer) WorkDeleted(ctx context.Context, q db.Q, d Deletion, projectIDs []int64) error {
	if !m.Sends() || len(projectIDs) == 0 {
		return nil
	}
	rows := make([][]any, len(projectIDs))
	for i, id := range projectIDs {
		rows[i] = []any{id}
	}
	from, args, err := db.Rows(q, nil, []string{"id BIGINT"}, rows)
	if err != nil {
		return err
	}
	students, err := db.All[student](ctx, q, `SELECT `+studentColumns+` FROM projects p JOIN units u ON u.id = p.unit_id
		JOIN users s ON s.id = p.user_id AND s.disabled_at IS NULL WHERE p.id IN (SELECT v.id FROM `+from+` v)
		ORDER BY p.id`, args...)
	if err != nil {
		return fmt.Errorf("find whom to tell: %w", err)
	}
	page := links.Deleted
	if d.Restored {
		page = links.Project
	}
	list := make([]email, len(students))
	for i := range students {
		s := &students[i]
		list[i] = s.email(None, mail.WorkDeleted{Frame: m.toStudent(s, None, links.To(page, s.ProjectID)), Unit: s.Unit,
			What: m.words.Word("thing."+string(d.Kind), d.Name), Until: d.Until, Restored: d.Restored, Anonymised: d.Anonymised,
			GradesStay: d.Kind == trash.TaskWork || d.Kind == trash.Portfolios})
	}
	return m.post(ctx, q, list)
}
