package insight

import (
	"context"
	"iter"
	"net/url"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/platform/calendar"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/due"
	"lectern/internal/teaching/status"
)

const noFeed = "There is no such calendar. Its address may have been changed: look it up in your settings."

// ErrUnknownFeed is the answer to an address that no feed has: perhaps a guess,
// which its caller may want to count.
var ErrUnknownFeed = fault.New(fault.Missing, noFeed)

// earliest is the last time zone in which a day begins.
var earliest = time.FixedZone("UTC+14", 14*60*60)

// FeedAt gives the calendar at a secret address, for a service people reach at
// public: the due dates, extensions included, of the tasks that the owner's
// target grades ask for in the units they study now; of units they teach, the due
// dates without extensions, and the classes they hold.
//
// An address nobody has is ErrUnknownFeed. A feed that is closed, or of
// a disabled account, is missing too, but no guess.
func FeedAt(ctx context.Context, q db.Q, guid, public string) (*calendar.Feed, error) {
	w, err := webcalAt(ctx, q, guid)
	if err != nil {
		return nil, err
	}
	if w.Disabled || !w.Enabled {
		return nil, fault.New(fault.Missing, noFeed)
	}
	f := &calendar.Feed{Host: "lectern", Name: "Due dates", StartDates: w.StartDates, Changed: w.UpdatedAt.Time}
	if u, err := url.Parse(public); err == nil && u.Hostname() != "" {
		f.Host = u.Hostname()
	}
	if w.Reminder != nil {
		f.Reminder = &calendar.Reminder{Time: w.Reminder.Time, Unit: w.Reminder.Unit}
	}
	if err := w.addUnits(ctx, q, f); err != nil {
		return nil, err
	}
	if err := w.addTasks(ctx, q, f, public); err != nil {
		return nil, err
	}
	return f, w.addClasses(ctx, q, f, public)
}

// current are the days between which a unit must have begun and not be over to
// be shown: somewhere on earth it is.
func current(now clock.Time) (begun, over clock.Date) {
	return clock.Day(now.In(earliest)), clock.Day(now.In(due.AnywhereOnEarth))
}

// addUnits makes the feed as new as the last change of what is in it: of an
// enrolment, of a unit, or that a unit began or ended, which no row records.
func (w *webcalRow) addUnits(ctx context.Context, q db.Q, f *calendar.Feed) error {
	type unit struct {
		Enrolment clock.Time `db:"enrolment"`
		Unit      clock.Time `db:"unit"`
		Start     clock.Date `db:"start_date"`
		End       clock.Date `db:"end_date"`
	}
	for u, err := range db.Each[unit](ctx, q, `SELECT p.updated_at AS enrolment, u.updated_at AS unit, u.start_date,
		u.end_date
		FROM projects p JOIN units u ON u.id = p.unit_id WHERE p.user_id = $1
		UNION ALL SELECT r.updated_at, u.updated_at, u.start_date, u.end_date
		FROM unit_roles r JOIN units u ON u.id = r.unit_id WHERE r.user_id = $1`, w.UserID) {
		if err != nil {
			return err
		}
		begins := u.Start.Add(-14 * time.Hour)
		ends := due.Ends(u.End, due.AnywhereOnEarth).Add(time.Second)
		for _, t := range []time.Time{u.Enrolment.Time, u.Unit.Time, begins, ends} {
			if t.After(f.Changed) && !t.After(q.Now().Time) {
				f.Changed = t
			}
		}
	}
	return nil
}

// feedTask is a task of one of the user's projects.
type feedTask struct {
	DefinitionID int64      `db:"id"`
	ProjectID    int64      `db:"project_id"` // 0: of a unit the user teaches
	UnitID       int64      `db:"unit_id"`
	Code         string     `db:"code"`
	Abbreviation string     `db:"abbreviation"`
	Name         string     `db:"name"`
	Start        clock.Date `db:"start_date"`
	due.Columns
	UnitChanged clock.Time    `db:"unit_changed"`
	TaskChanged *clock.Time   `db:"task_changed"`
	Status      status.Status `db:"status"`
}

func (w *webcalRow) addTasks(ctx context.Context, q db.Q, f *calendar.Feed, public string) error {
	begun, over := current(q.Now())
	for t, err := range w.tasks(ctx, q, begun, over) {
		if err != nil {
			return err
		}
		f.Tasks = append(f.Tasks, t.event(public))
	}
	return nil
}

// tasks gives those that the user has to do, or that units they teach ask for, in the
// units of a time, without those their feed leaves out.
func (w *webcalRow) tasks(ctx context.Context, q db.Q, begun, over clock.Date) iter.Seq2[feedTask, error] {
	return db.Each[feedTask](ctx, q, `SELECT d.id, p.id AS project_id, u.id AS unit_id, u.code,
			d.abbreviation, d.name, d.start_date, d.target_date, d.due_date, u.end_date, u.time_zone, coalesce(t.extensions, 0)
			AS extensions, u.updated_at AS unit_changed,
			CASE WHEN t.extensions > 0 THEN t.updated_at END AS task_changed, coalesce(t.status, 'not_started') AS status
		FROM projects p JOIN units u ON u.id = p.unit_id AND u.active AND u.start_date <= $2 AND u.end_date >= $3
		JOIN task_definitions d ON d.unit_id = u.id AND d.target_grade <= p.target_grade
		LEFT JOIN tasks t ON t.project_id = p.id AND t.task_definition_id = d.id
		WHERE p.user_id = $1 AND p.enrolled
			AND NOT EXISTS (SELECT 1 FROM webcal_exclusions x WHERE x.webcal_id = $4 AND x.unit_id = u.id)
		UNION ALL SELECT d.id, 0, u.id, u.code, d.abbreviation, d.name, d.start_date, d.target_date, d.due_date,
			u.end_date, u.time_zone, 0, u.updated_at, NULL, 'not_started'
		FROM unit_roles r JOIN units u ON u.id = r.unit_id AND u.active AND u.start_date <= $2 AND u.end_date >= $3
		JOIN task_definitions d ON d.unit_id = u.id
		WHERE r.user_id = $1
			AND NOT EXISTS (SELECT 1 FROM projects p WHERE p.unit_id = u.id AND p.user_id = $1 AND p.enrolled)
			AND NOT EXISTS (SELECT 1 FROM webcal_exclusions x WHERE x.webcal_id = $4 AND x.unit_id = u.id)`, w.UserID,
		begun, over, w.ID)
}

// page is where the task is looked at: its student's page, or the unit's inbox.
func (t *feedTask) page(public string) string {
	if t.ProjectID == 0 {
		return public + links.To(links.Inbox, t.UnitID)
	}
	return public + links.To(links.Task, t.ProjectID, t.DefinitionID)
}

func (t *feedTask) event(public string) calendar.Task {
	changed := t.UnitChanged.Time
	if t.TaskChanged != nil && t.TaskChanged.After(changed) {
		changed = t.TaskChanged.Time
	}
	return calendar.Task{DefinitionID: t.DefinitionID, ProjectID: t.ProjectID, UnitCode: t.Code,
		Abbreviation: t.Abbreviation, Name: t.Name,
		Start: t.Start, Due: t.Dates().Due(), Changed: changed, URL: t.page(public)}
}
