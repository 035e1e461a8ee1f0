package ident

import (
	"context"
	"slices"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
)

// Preferences are how somebody wants their pages.
type Preferences struct {
	Theme     Theme `db:"theme" json:"theme"`
	Shortcuts bool  `db:"shortcuts" json:"shortcuts"` // keys that are one letter
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
	return db.OneOf[Preferences](ctx, q, "user", `SELECT theme, shortcuts FROM users WHERE id = $1`, userID)
}

// SetPreferences keeps somebody's preferences. It refuses a theme that there is not.
func SetPreferences(ctx context.Context, q db.Q, userID int64, p Preferences) error {
	if !slices.Contains(Themes, p.Theme) {
		return fault.Field(fault.Invalid, "theme", "must be system, light or dark")
	}
	_, err := db.Exec(ctx, q, `UPDATE users SET theme = $2, shortcuts = $3 WHERE id = $1`, userID, p.Theme, p.Shortcuts)
	return err
}
