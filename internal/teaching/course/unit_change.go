package course

import (
	"context"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/opt"
	"lectern/internal/platform/db"
)

// Setting is a new value that may be none. The zero Setting leaves alone what
// is there.
type Setting[T any] struct {
	Set bool
	To  *T
}

func (s Setting[T]) on(value **T) {
	if s.Set {
		*value = s.To
	}
}

// UnitChange is what to set of a unit; nil leaves a value alone.
type UnitChange struct {
	Code, Name, Description       *string
	Active                        *bool
	TeachingPeriodID              Setting[int64]
	StartDate, EndDate            *clock.Date
	PortfolioDate                 Setting[clock.Date]
	OverseerImageID               Setting[int64]
	TimeZone                      Setting[string]
	AssessmentEnabled             *bool
	AllowStudentExtensionRequests *bool
	AllowStudentChangeTutorial    *bool
	AllowReviewRequests           *bool
	AutoExtend                    *bool
	SendNotifications             *bool
	EnableSyncEnrolments          *bool
	EnableSyncTimetable           *bool
	ResubmitWeeks                 *int64
	FeedbackDays                  Setting[int64]
	Risk                          RiskChange
}

// HeldPeriod gives the teaching period u shall be in, nil for none, and keeps
// it in its place until the transaction ends. Moving a period takes the period
// first and its units then: so must whoever places a unit in it.
func (c UnitChange) HeldPeriod(ctx context.Context, q db.Q, u *Unit) (*TeachingPeriod, error) {
	id := u.TeachingPeriodID
	c.TeachingPeriodID.on(&id)
	if id == nil {
		return nil, nil //nolint:nilnil // no period is no failure
	}
	return LockPeriod(ctx, q, *id)
}

// Merge gives u with the change made; period is the one u shall be in. A unit
// that enters a period takes its days unless it is given others, and when the
// start moves the day of the portfolios moves with it, to the last day at most.
func (c UnitChange) Merge(u Unit, period *TeachingPeriod) Unit {
	start := u.StartDate
	if period != nil && (u.TeachingPeriodID == nil || *u.TeachingPeriodID != period.ID) {
		u.StartDate, u.EndDate = period.Days()
	}
	opt.Set(&u.StartDate, c.StartDate)
	if days := u.StartDate.DaysSince(start); u.PortfolioDate != nil && days != 0 {
		day, end := u.PortfolioDate.AddDays(days), u.EndDate
		if opt.Set(&end, c.EndDate); day.After(end) {
			day = end
		}
		u.PortfolioDate = &day
	}
	return c.over(u)
}

// over gives u with the values of the change, and nothing that comes of them.
func (c UnitChange) over(u Unit) Unit {
	c.texts(&u)
	c.switches(&u)
	c.TeachingPeriodID.on(&u.TeachingPeriodID)
	opt.Set(&u.StartDate, c.StartDate)
	opt.Set(&u.EndDate, c.EndDate)
	c.PortfolioDate.on(&u.PortfolioDate)
	c.OverseerImageID.on(&u.OverseerImageID)
	opt.Set(&u.ResubmitWeeks, c.ResubmitWeeks)
	c.FeedbackDays.on(&u.FeedbackDays)
	c.Risk.on(&u.RiskThresholds)
	return u
}

func (c UnitChange) texts(u *Unit) {
	opt.Set(&u.Code, c.Code)
	opt.Set(&u.Name, c.Name)
	opt.Set(&u.Description, c.Description)
	c.TimeZone.on(&u.TimeZone)
	u.Code, u.Name = strings.TrimSpace(u.Code), strings.TrimSpace(u.Name)
}

func (c UnitChange) switches(u *Unit) {
	opt.Set(&u.Active, c.Active)
	opt.Set(&u.AssessmentEnabled, c.AssessmentEnabled)
	opt.Set(&u.AllowStudentExtensionRequests, c.AllowStudentExtensionRequests)
	opt.Set(&u.AllowStudentChangeTutorial, c.AllowStudentChangeTutorial)
	opt.Set(&u.AllowReviewRequests, c.AllowReviewRequests)
	opt.Set(&u.AutoExtend, c.AutoExtend)
	opt.Set(&u.SendNotifications, c.SendNotifications)
	opt.Set(&u.EnableSyncEnrolments, c.EnableSyncEnrolments)
	opt.Set(&u.EnableSyncTimetable, c.EnableSyncTimetable)
}

// Check tells everything that is wrong with the values of u, at once; period is
// the one it is in, nil for none.
func (u *Unit) Check(ctx context.Context, q db.Q, period *TeachingPeriod) error {
	if u.OverseerImageID != nil {
		if _, err := db.OneOf[int64](ctx, q, "container image", `SELECT id FROM overseer_images WHERE id = $1`,
			*u.OverseerImageID); err != nil {
			return err
		}
	}
	var wrong fault.Fields
	needed(&wrong, "code", u.Code, maxShort)
	needed(&wrong, "name", u.Name, maxShort)
	needed(&wrong, "description", u.Description, maxLong)
	u.checkDays(&wrong)
	u.checkPeriod(&wrong, period)
	if n := u.ResubmitWeeks; n < 0 || n > maxExtensionWeeks {
		wrong.Outside("extension_weeks_on_resubmit_request", "must be from 0 to %d", maxExtensionWeeks)
	}
	if n := u.FeedbackDays; n != nil && (*n < 1 || *n > maxFeedbackDays) {
		wrong.Outside("feedback_days", "must be from 1 to %d, or none", maxFeedbackDays)
	}
	u.checkRisk(&wrong)
	if u.TimeZone != nil && !clock.IsZone(*u.TimeZone) {
		wrong.Outside("time_zone", "must be the name of a time zone, such as Australia/Melbourne")
	}
	return wrong.Err(fault.Refused)
}

// maxExtensionWeeks is the most weeks one request to resubmit may give.
const maxExtensionWeeks = 52

// maxFeedbackDays is the longest that a unit may let its students wait by promise.
const maxFeedbackDays = 60

func (u *Unit) checkDays(wrong *fault.Fields) {
	for name, d := range map[string]clock.Date{"start_date": u.StartDate, "end_date": u.EndDate} {
		if y := d.Year(); y < firstYear-1 || y > lastYear+1 {
			wrong.Add(name, "must lie in the years %d to %d", firstYear-1, lastYear+1)
		}
	}
	if u.EndDate.Before(u.StartDate) {
		wrong.Add("end_date", "must not be before the start, %s", u.StartDate.Told())
	}
	if d := u.PortfolioDate; d != nil && (!d.After(u.StartDate) || d.After(u.EndDate)) {
		wrong.Add("portfolio_auto_generation_date", "(%s) must be after the start, %s, and not after the end, %s",
			d.Told(), u.StartDate.Told(), u.EndDate.Told())
	}
}

func (u *Unit) checkPeriod(wrong *fault.Fields, period *TeachingPeriod) {
	if period == nil {
		return
	}
	start, end := period.Days()
	if u.StartDate.Before(start) || u.StartDate.After(end) {
		wrong.Add("start_date", "must lie inside the teaching period, %s to %s", start.Told(), end.Told())
	}
	if u.EndDate.After(end) {
		wrong.Add("end_date", "must lie inside the teaching period, %s to %s", start.Told(), end.Told())
	}
}
