package ident

import (
	"context"
	"slices"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
)

// Preferences are how somebody wants their pages.
type Preferences struct {
	Theme     Theme `db:"theme" json:"theme"`
	Shortcuts bool  `db:"shortcuts" json:"shortcuts"` // keys that are one letter

	// TimeZone is whose clock times are told on where no script knows the browser's; nil: the unit's.
	TimeZone *string `db:"time_zone" json:"time_zone"`

	// Announcements tells whether announcements come by email, too.
	Announcements bool `db:"receive_announcement_notifications" json:"receive_announcement_notifications"`
}

// Theme is the brightness of pages.
type Theme string

// Themes are all there are; the first is the one of new accounts.
var Themes = []Theme{"system", "light", "dark"}

// Enum gives all themes, for the documentation of the API.
func (Theme) Enum() []string {
	out := make([]string, len(Themes))
	for i, t := range Themes {
		out[i] = string(t)
	}
	return out
}

// PreferencesOf reads somebody's preferences.
func PreferencesOf(ctx context.Context, q db.Q, userID int64) (*Preferences, error) {
	return db.OneOf[Preferences](ctx, q, "user", `SELECT theme, shortcuts, time_zone,
		receive_announcement_notifications FROM users WHERE id = $1`, userID)
}

// SetPreferences keeps somebody's preferences. It refuses a theme or a time zone that there is not.
// It is for the user themselves (policy.SignedIn).
func SetPreferences(ctx context.Context, q db.Q, userID int64, p Preferences) error {
	if !slices.Contains(Themes, p.Theme) {
		return fault.Field(fault.Invalid, "theme", "must be system, light or dark")
	}
	if p.TimeZone != nil && !clock.IsZone(*p.TimeZone) {
		return fault.Field(fault.Invalid, "time_zone", "must be the name of a time zone, such as Australia/Melbourne")
	}
	_, err := db.Exec(ctx, q, `UPDATE users SET theme = $2, shortcuts = $3, time_zone = $4,
		receive_announcement_notifications = $5 WHERE id = $1`, userID, p.Theme, p.Shortcuts, p.TimeZone, p.Announcements)
	return err
}
