package insight

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/links"
	"lectern/internal/platform/calendar"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/week"
)

// meeting is a tutorial that the user holds, with what decides when it meets.
type meeting struct {
	ID           int64      `db:"id"`
	UnitID       int64      `db:"unit_id"`
	Code         string     `db:"code"`
	Zone         *string    `db:"time_zone"`
	Start        clock.Date `db:"start_date"`
	End          clock.Date `db:"end_date"`
	Abbreviation string     `db:"abbreviation"`
	Day          string     `db:"meeting_day"`
	Time         string     `db:"meeting_time"`
	Location     string     `db:"meeting_location"`
	Changed      clock.Time `db:"updated_at"`
}

// meetings lists the tutorials that the user holds in the units of a time, without
// those whose units their feed leaves out; where they say so those they attend, too.
func (w *webcalRow) meetings(ctx context.Context, q db.Q, begun, over clock.Date, attended bool) ([]meeting, error) {
	return db.All[meeting](ctx, q, `SELECT t.id, t.unit_id, u.code, u.time_zone, u.start_date, u.end_date,
			t.abbreviation, t.meeting_day, t.meeting_time, t.meeting_location, u.updated_at
		FROM tutorials t JOIN units u ON u.id = t.unit_id AND u.active AND u.start_date <= $2 AND u.end_date >= $3
		WHERE (t.unit_role_id IN (SELECT r.id FROM unit_roles r WHERE r.user_id = $1)
			OR CAST($5 AS BOOLEAN) AND t.id IN (SELECT e.tutorial_id FROM projects p
				JOIN tutorial_enrolments e ON e.project_id = p.id WHERE p.user_id = $1 AND p.enrolled))
			AND NOT EXISTS (SELECT 1 FROM webcal_exclusions x WHERE x.webcal_id = $4 AND x.unit_id = u.id)
		ORDER BY t.id`, w.UserID, begun, over, w.ID, attended)
}

// addClasses adds the meetings of the tutorials the user holds, in every teaching
// week of their units. Day and time are free text: what names no day of the week is
// left out, and what names no time takes the whole day.
func (w *webcalRow) addClasses(ctx context.Context, q db.Q, f *calendar.Feed, public string) error {
	begun, over := current(q.Now())
	list, err := w.meetings(ctx, q, begun, over, false)
	if err != nil || len(list) == 0 {
		return err
	}
	units := make([]int64, len(list))
	for i, m := range list {
		units[i] = m.UnitID
	}
	weeks, err := course.Calendars(ctx, q, units...)
	if err != nil {
		return err
	}
	for _, m := range list {
		for _, day := range m.days(weeks[m.UnitID], m.Start, m.End) {
			f.Classes = append(f.Classes, m.class(day, public))
		}
	}
	return nil
}

// days are those from one to another on which the tutorial meets: its day of every
// teaching week of its unit.
func (m *meeting) days(weeks week.Calendar, from, to clock.Date) (out []clock.Date) {
	weekday, ok := parseDay(m.Day)
	if !ok {
		return nil
	}
	if from.Before(m.Start) {
		from = m.Start
	}
	if to.After(m.End) {
		to = m.End
	}
	first := from.AddDays((int(weekday) - int(from.Weekday()) + 7) % 7)
	for day := first; !day.After(to); day = day.AddDays(7) {
		if weeks.Position(day).Break == 0 {
			out = append(out, day)
		}
	}
	return out
}

// class is the meeting on a day.
func (m *meeting) class(day clock.Date, public string) calendar.Class {
	c := calendar.Class{TutorialID: m.ID, UnitCode: m.Code, Abbreviation: m.Abbreviation, Location: m.Location,
		Day: day, Changed: m.Changed.Time, URL: public + links.To(links.Inbox, m.UnitID)}
	from, to, ok := parseTimes(m.Time)
	if !ok {
		c.Note = m.Time
		return c
	}
	zone := clock.Zone(m.Zone)
	floating := zone == nil
	if floating {
		zone = time.UTC
	}
	at := func(minutes int) time.Time {
		return time.Date(day.Year(), day.Month(), day.Day(), 0, minutes, 0, 0, zone)
	}
	c.From, c.To, c.Floating = at(from), at(to), floating
	return c
}

// HeldTutorial is a tutorial that somebody holds, as they are reminded of it.
type HeldTutorial struct {
	ID           int64  `db:"id"`
	UnitID       int64  `db:"unit_id"`
	Code         string `db:"code"` // of the unit
	Abbreviation string `db:"abbreviation"`
	Day          string `db:"meeting_day"`
	Time         string `db:"meeting_time"`
	Location     string `db:"meeting_location"`
}

// HeldBy lists the tutorials that a person holds in units that run, in the order of the week; those whose
// day or time is no day or time come last.
func HeldBy(ctx context.Context, q db.Q, userID int64) ([]HeldTutorial, error) {
	list, err := db.All[HeldTutorial](ctx, q, `SELECT t.id, t.unit_id, u.code, t.abbreviation, t.meeting_day,
			t.meeting_time, t.meeting_location
		FROM unit_roles r JOIN units u ON u.id = r.unit_id AND u.active JOIN tutorials t ON t.unit_role_id = r.id
		WHERE r.user_id = $1 ORDER BY u.code, t.abbreviation, t.id`, userID)
	slices.SortStableFunc(list, func(a, b HeldTutorial) int { return cmp.Compare(a.inWeek(), b.inWeek()) })
	return list, err
}

// inWeek is when a tutorial begins, in minutes since Monday.
func (t *HeldTutorial) inWeek() int {
	const day = 24 * 60
	weekday, ok := parseDay(t.Day)
	if !ok {
		return 7 * day
	}
	from, _, ok := parseTimes(t.Time)
	if !ok {
		from = day - 1
	}
	return (int(weekday)+6)%7*day + from
}

// parseDay reads the day of the week a meeting is on, from its first three letters.
func parseDay(text string) (time.Weekday, bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	for d := time.Sunday; d <= time.Saturday; d++ {
		name := strings.ToLower(d.String())
		if len(text) >= 3 && (strings.HasPrefix(name, text) || strings.HasPrefix(text, name)) {
			return d, true
		}
	}
	return 0, false
}

// clockTimes is a time of day, or one and another after it: 10:00, 9.30-11, 2 pm to 4 pm.
var clockTimes = regexp.MustCompile(`^(\d{1,2})(?:[:.h](\d{2}))?\s*([ap]m)?` +
	`(?:\s*(?:-|–|to)\s*(\d{1,2})(?:[:.h](\d{2}))?\s*([ap]m)?)?$`)

// usualMinutes is how long a meeting lasts that does not say so.
const usualMinutes = 60

// parseTimes reads when a meeting begins and ends, in minutes of the day.
func parseTimes(text string) (from, to int, ok bool) {
	m := clockTimes.FindStringSubmatch(strings.ToLower(strings.TrimSpace(text)))
	if m == nil {
		return 0, 0, false
	}
	from, ok = minutes(m[1], m[2], cmp.Or(m[3], m[6]))
	if !ok || m[4] == "" {
		return from, from + usualMinutes, ok
	}
	to, ok = minutes(m[4], m[5], cmp.Or(m[6], m[3]))
	return from, to, ok && to > from
}

// minutes is a time of day: hours and minutes as digits, and the half of the day.
func minutes(hour, minute, half string) (int, bool) {
	h, _ := strconv.Atoi(hour)
	m, _ := strconv.Atoi(cmp.Or(minute, "0"))
	if half != "" && (h < 1 || h > 12) {
		return 0, false
	}
	switch {
	case half == "am" && h == 12:
		h = 0
	case half == "pm" && h < 12:
		h += 12
	}
	return 60*h + m, h < 24 && m < 60
}
