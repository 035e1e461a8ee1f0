package api

import (
	"bytes"
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/calendar"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/insight"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

func (s *Server) webcalRoutes() {
	endpoint.Route(s.Server, "GET /api/webcal", 200, policy.SignedIn, "See the settings of your calendar feed",
		s.showWebcal)
	endpoint.Route(s.Server, "PUT /api/webcal", 200, policy.SignedIn, "Open, change or close your calendar feed",
		s.setWebcal,
		endpoint.Audited(audit.Account))
	endpoint.Route(s.Server, "GET /api/webcal/{guid}", 200, policy.Anybody, "Subscribe to a calendar feed (iCalendar)",
		s.webcalFeed, endpoint.Stored("text/calendar"),
		endpoint.Also(429, "too many addresses were tried that nobody has"))
}

func (s *Server) showWebcal(ctx context.Context, who *access.Caller, _ none) (insight.Webcal, error) {
	return view(ctx, s.db, func(q db.Q) (insight.Webcal, error) { return insight.WebcalOf(ctx, q, who.ID) })
}

type reminderIn struct {
	Time int    `param:"time,required" doc:"how many units before the day"`
	Unit string `param:"unit,required" doc:"w weeks, d days, h hours, m minutes; in either case"`
}

type setWebcalIn struct {
	Webcal struct {
		Enabled    params.Opt[bool]       `param:"enabled" doc:"false closes the feed, which keeps its settings"`
		ChangeGUID bool                   `param:"should_change_guid" doc:"true gives the feed a new address; the old one stops working"`
		StartDates params.Opt[bool]       `param:"include_start_dates" doc:"show when tasks start, too"`
		Exclusions params.Opt[[]int64]    `param:"unit_exclusions" null:"clears" doc:"units to leave out, in place of the list; of those the caller studies or teaches"`
		Reminder   params.Opt[reminderIn] `param:"reminder" null:"clears" doc:"null: none"`
	} `param:"webcal"`
}

func (in *setWebcalIn) change() (insight.WebcalChange, error) {
	w := &in.Webcal
	c := insight.WebcalChange{Enabled: w.Enabled.Ptr(), NewGUID: w.ChangeGUID, StartDates: w.StartDates.Ptr(),
		NoReminder: w.Reminder.Set && w.Reminder.Null}
	if w.Exclusions.Set {
		c.Exclusions = &w.Exclusions.V
	}
	if w.Reminder.Has() {
		r, err := calendar.NewReminder(w.Reminder.V.Time, w.Reminder.V.Unit)
		if err != nil {
			return c, err
		}
		c.Reminder = &r
	}
	return c, nil
}

func (s *Server) setWebcal(ctx context.Context, who *access.Caller, in setWebcalIn) (insight.Webcal, error) {
	c, err := in.change()
	if err != nil {
		return insight.Webcal{}, err
	}
	return s.usecases.SetWebcal(ctx, who, c)
}

type feedIn struct {
	GUID string `path:"guid"`
}

// webcalFeed sends a calendar, or only that it has not changed.
func (s *Server) webcalFeed(ctx context.Context, who *access.Caller, in feedIn) (*endpoint.File, error) {
	feed, err := s.usecases.CalendarFeed(ctx, in.GUID, who.From)
	if err != nil {
		return nil, err
	}
	content := feed.Bytes()
	return &endpoint.File{Content: bytes.NewReader(content), Name: "due-dates.ics",
		Type:     "text/calendar; charset=utf-8",
		Modified: feed.Modified(), ETag: calendar.ETag(content), Cache: "private, no-cache"}, nil
}
