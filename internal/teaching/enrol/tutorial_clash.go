package enrol

import (
	"context"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/opt"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
)

// tutorialColumns are those that a change of a tutorial sets, by the names the API has for them.
var tutorialColumns = []string{"abbreviation", "meeting_day", "meeting_time", "meeting_location", "capacity",
	"tutor_id", "campus_id", "tutorial_stream_abbr"}

// over gives t as the change makes it.
func (c *TutorialChange) over(t Tutorial) Tutorial {
	opt.Set(&t.Abbreviation, c.Abbreviation)
	opt.Set(&t.MeetingDay, c.MeetingDay)
	opt.Set(&t.MeetingTime, c.MeetingTime)
	opt.Set(&t.MeetingLocation, c.MeetingLocation)
	opt.Set(&t.Capacity, c.Capacity)
	if c.TutorID != nil {
		t.TutorID = unless(*c.TutorID == 0, c.TutorID)
	}
	if c.CampusID != nil {
		t.CampusID = unless(*c.CampusID < 1, c.CampusID)
	}
	if c.StreamAbbr != nil {
		t.StreamAbbr = unless(*c.StreamAbbr == "", c.StreamAbbr)
	}
	return t
}

// unless gives a value that none stands for where that is so.
func unless[T any](none bool, v *T) *T {
	if none {
		return nil
	}
	return v
}

// clashes refuses a change of values that somebody else changed since whoever makes it saw them, to
// something else than they are to be. Of what seen does not have nothing is said: it may be changed
// whatever it was.
func (c *TutorialChange) clashes(ctx context.Context, q db.Q, id int64) error {
	if c.Seen == nil {
		return nil
	}
	now, err := TutorialByID(ctx, q, id)
	if err != nil {
		return err
	}
	before := c.Seen.over(*now)
	after := c.over(before)
	is, was, to := db.Values(now, tutorialColumns), db.Values(&before, tutorialColumns), db.Values(&after, tutorialColumns)
	var wrong fault.Fields
	for i, name := range tutorialColumns {
		course.Clash(&wrong, name, is[i], was[i], to[i])
	}
	return wrong.Err(fault.Conflict)
}

// clashes refuses a change of a stream as that of a tutorial is refused.
func (c *StreamChange) clashes(s Stream) error {
	if c.Seen == nil {
		return nil
	}
	var wrong fault.Fields
	for _, one := range []struct {
		name     string
		is       string
		seen, to *string
	}{{"name", s.Name, c.Seen.Name, c.Name}, {"abbreviation", s.Abbreviation, c.Seen.Abbreviation, c.Abbreviation},
		{"activity_type_abbr", s.ActivityType, c.Seen.ActivityType, c.ActivityType}} {
		was := opt.Or(one.seen, one.is)
		course.Clash(&wrong, one.name, one.is, was, opt.Or(one.to, was))
	}
	return wrong.ErrSaying(fault.Conflict, "Somebody else changed this stream: "+wrong.String()+".")
}
