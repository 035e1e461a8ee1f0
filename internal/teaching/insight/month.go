package insight

import (
	"context"
	"slices"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/due"
	"lectern/internal/teaching/status"
)

// Month is what a person's calendar shows of a month, day by day: due dates, classes
// and breaks of their units, without those their feed leaves out.
type Month struct {
	First clock.Date `json:"first_day"`
	Last  clock.Date `json:"last_day"`
	Days  []MonthDay `json:"days"` // those on which there is something
}

// MonthDay is a day of a month on which there is something.
type MonthDay struct {
	Date    clock.Date   `json:"date"`
	Due     []MonthTask  `json:"due"`
	Classes []MonthClass `json:"classes"`
	Breaks  []string     `json:"breaks"` // codes of the units in whose break it lies
}

// MonthTask is a task that is due.
type MonthTask struct {
	UnitID       int64  `json:"unit_id"`
	UnitCode     string `json:"unit_code"`
	ProjectID    *int64 `json:"project_id"` // null where the person teaches the unit
	DefinitionID int64  `json:"task_definition_id"`
	Abbreviation string `json:"abbreviation"`
	Name         string `json:"name"`

	Dates  due.Dates     `json:"-"`
	Status status.Status `json:"-"` // of the person's own task
}

// MonthClass is a meeting of a tutorial.
type MonthClass struct {
	TutorialID   int64  `json:"tutorial_id"`
	UnitCode     string `json:"unit_code"`
	Abbreviation string `json:"abbreviation"`
	Time         string `json:"time"`
	Location     string `json:"location"`
}

// MonthOf gives the month of a person's calendar that holds a day. Classes are those
// they hold and those they are enrolled in.
func MonthOf(ctx context.Context, q db.Q, userID int64, day clock.Date) (*Month, error) {
	return DaysOf(ctx, q, userID, clock.On(day.Year(), day.Month(), 1), clock.On(day.Year(), day.Month()+1, 0))
}

// DaysOf is MonthOf for the days from one to another.
func DaysOf(ctx context.Context, q db.Q, userID int64, first, last clock.Date) (*Month, error) {
	m := &monthly{Month: &Month{First: first, Last: last, Days: []MonthDay{}}, by: map[clock.Date]*MonthDay{}}
	w, err := webcalWhere(ctx, q, `WHERE w.user_id = $1`, userID)
	if fault.Is(err, fault.Missing) {
		w, err = &webcalRow{Webcal: Webcal{UserID: userID, ID: new(int64(0))}}, nil
	}
	if err != nil {
		return nil, err
	}
	if err := m.addDue(ctx, q, w); err != nil {
		return nil, err
	}
	if err := m.addWeeks(ctx, q, w); err != nil {
		return nil, err
	}
	for _, d := range m.by {
		m.Days = append(m.Days, *d)
	}
	slices.SortFunc(m.Days, func(a, b MonthDay) int { return a.Date.Compare(b.Date.Time) })
	return m.Month, nil
}

// monthly is a month while it is put together.
type monthly struct {
	*Month
	by map[clock.Date]*MonthDay
}

// at gives the day to add something to.
func (m *monthly) at(day clock.Date) *MonthDay {
	if m.by[day] == nil {
		m.by[day] = &MonthDay{Date: day, Due: []MonthTask{}, Classes: []MonthClass{}, Breaks: []string{}}
	}
	return m.by[day]
}

func (m *monthly) addDue(ctx context.Context, q db.Q, w *webcalRow) error {
	for t, err := range w.tasks(ctx, q, m.Last, m.First) {
		if err != nil {
			return err
		}
		dates := t.Dates()
		day := dates.Due()
		if day.Before(m.First) || day.After(m.Last) {
			continue
		}
		task := MonthTask{UnitID: t.UnitID, UnitCode: t.Code, DefinitionID: t.DefinitionID,
			Abbreviation: t.Abbreviation, Name: t.Name, Dates: dates, Status: t.Status}
		if t.ProjectID != 0 {
			task.ProjectID = &t.ProjectID
		}
		d := m.at(day)
		d.Due = append(d.Due, task)
	}
	for _, d := range m.by {
		slices.SortFunc(d.Due, func(a, b MonthTask) int {
			return strings.Compare(a.UnitCode+" "+a.Abbreviation, b.UnitCode+" "+b.Abbreviation)
		})
	}
	return nil
}

// addWeeks adds the classes, and the days that lie in a break.
func (m *monthly) addWeeks(ctx context.Context, q db.Q, w *webcalRow) error {
	units, err := feedUnits(ctx, q, w, m.Last, m.First)
	if err != nil || len(units) == 0 {
		return err
	}
	meetings, err := w.meetings(ctx, q, m.Last, m.First, true)
	if err != nil {
		return err
	}
	ids := make([]int64, len(units))
	for i, u := range units {
		ids[i] = u.ID
	}
	weeks, err := course.Calendars(ctx, q, ids...)
	if err != nil {
		return err
	}
	for _, x := range meetings {
		for _, day := range x.days(weeks[x.UnitID], m.First, m.Last) {
			d := m.at(day)
			d.Classes = append(d.Classes, MonthClass{x.ID, x.Code, x.Abbreviation, x.Time, x.Location})
		}
	}
	for day := m.First; !day.After(m.Last); day = day.AddDays(1) {
		for _, u := range units {
			if weeks[u.ID].Position(day).Break > 0 && !day.Before(u.Start) && !day.After(u.End) {
				d := m.at(day)
				d.Breaks = append(d.Breaks, u.Code)
			}
		}
	}
	return nil
}

// FeedUnit is a unit whose due dates a person's calendar can show.
type FeedUnit struct {
	ID    int64      `db:"id"`
	Code  string     `db:"code"`
	Name  string     `db:"name"`
	Start clock.Date `db:"start_date"`
	End   clock.Date `db:"end_date"`
}

const ofUser = `u.active AND (u.id IN (SELECT p.unit_id FROM projects p WHERE p.user_id = $1 AND p.enrolled)
	OR u.id IN (SELECT r.unit_id FROM unit_roles r WHERE r.user_id = $1))`

// feedUnits lists those of a time that the feed does not leave out.
func feedUnits(ctx context.Context, q db.Q, w *webcalRow, begun, over clock.Date) ([]FeedUnit, error) {
	return db.All[FeedUnit](ctx, q, `SELECT u.id, u.code, u.name, u.start_date, u.end_date FROM units u
		WHERE `+ofUser+` AND u.start_date <= $2 AND u.end_date >= $3
			AND NOT EXISTS (SELECT 1 FROM webcal_exclusions x WHERE x.webcal_id = $4 AND x.unit_id = u.id)
		ORDER BY u.code, u.id`, w.UserID, begun, over, w.ID)
}

// FeedUnits lists the units that a person studies or teaches, which they may leave out
// of their feed.
func FeedUnits(ctx context.Context, q db.Q, userID int64) ([]FeedUnit, error) {
	return db.All[FeedUnit](ctx, q, `SELECT u.id, u.code, u.name, u.start_date, u.end_date FROM units u
		WHERE `+ofUser+` ORDER BY u.start_date DESC, u.code, u.id`, userID)
}
