package usecase

import (
	"context"
	"errors"
	"net/netip"

	"lectern/internal/connect/notify"
	"lectern/internal/ground/opt"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/calendar"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/insight"
)

// PreferencesChange is how somebody wants their pages; nil leaves a value alone.
type PreferencesChange struct {
	Theme     *ident.Theme
	Shortcuts *bool
	TimeZone  *string // empty: none

	Announcements *bool // come by email, too
}

// SetPreferences changes how the caller wants their own pages. It refuses a theme or a time
// zone that there is not.
func (s *Service) SetPreferences(ctx context.Context, who *access.Caller, c PreferencesChange) (*ident.Preferences,
	error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*ident.Preferences, error) {
		p, err := ident.PreferencesOf(ctx, q, who.ID)
		if err != nil {
			return nil, err
		}
		if c.Theme != nil {
			p.Theme = *c.Theme
		}
		if c.Shortcuts != nil {
			p.Shortcuts = *c.Shortcuts
		}
		if c.TimeZone != nil {
			p.TimeZone = c.TimeZone
			if *c.TimeZone == "" {
				p.TimeZone = nil
			}
		}
		was := p.Announcements
		p.Announcements = opt.Or(c.Announcements, was)
		if err := ident.SetPreferences(ctx, q, who.ID, *p); err != nil || p.Announcements == was {
			return p, err
		}
		return p, audit.Add(ctx, q, audit.Entry{Kind: audit.Account, Action: audit.Changed, UserID: who.ID,
			Fields: []string{"receive_announcement_notifications"}})
	})
}

// SetWebcal opens, changes or closes the caller's own calendar feed. A closed one keeps its
// settings and its address.
func (s *Service) SetWebcal(ctx context.Context, who *access.Caller, c insight.WebcalChange) (insight.Webcal, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (insight.Webcal, error) { return insight.SetWebcal(ctx, q, who.ID, c) })
}

// CalendarFeed gives the calendar at a secret address, to anybody who knows it. It refuses
// with fault.Throttled a client that asked for too many addresses nobody has. Feeds that
// exist are served to it all the same: behind one client there may be a whole campus.
func (s *Service) CalendarFeed(ctx context.Context, guid string, from netip.Addr) (*calendar.Feed, error) {
	feed, err := view(ctx, s.DB, func(q db.Q) (*calendar.Feed, error) {
		return insight.FeedAt(ctx, q, guid, s.PublicURL)
	})
	if errors.Is(err, insight.ErrUnknownFeed) {
		if err := ident.CountGuess(ctx, s.DB, from); err != nil {
			return nil, err
		}
	}
	return feed, err
}

// Unsubscribe turns a kind of emails off by the link in one of them, for whoever holds that
// link; nobody is signed in. It refuses a link that is not one of ours.
func (s *Service) Unsubscribe(ctx context.Context, token string) (notify.Preference, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (notify.Preference, error) { return notify.Unsubscribe(ctx, q, token) })
}
