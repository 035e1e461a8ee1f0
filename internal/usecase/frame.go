package usecase

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
)

// Frame is what stands around every page of a person: where they can go, how they
// want their pages, and how much is new.
type Frame struct {
	ident.Preferences
	Projects []Place
	Unread   int64 // up to MostUnread
}

// Place is a project somebody can go to, named after its unit.
type Place struct {
	ID         int64
	Code, Name string
}

// FrameOf reads the frame of somebody's pages, by one statement and one that counts
// their news.
func FrameOf(ctx context.Context, q db.Q, who *access.Caller) (*Frame, error) {
	type row struct {
		ident.Preferences
		Read    int64   `db:"news_seq"`
		Project *int64  `db:"project_id"`
		Unit    *int64  `db:"unit_id"`
		Code    *string `db:"code"`
		Name    *string `db:"name"`
	}
	f, place := &Frame{}, &newsPlace{who: who}
	for r, err := range db.Each[row](ctx, q, `SELECT u.theme, u.shortcuts, u.news_seq, w.project_id, w.unit_id, w.code,
			w.name
		FROM users u LEFT JOIN (SELECT p.id AS project_id, CAST(NULL AS BIGINT) AS unit_id, n.code, n.name
				FROM projects p JOIN units n ON n.id = p.unit_id WHERE p.user_id = $1 AND p.enrolled AND n.active
			UNION ALL SELECT NULL, r.unit_id, NULL, NULL FROM unit_roles r WHERE r.user_id = $1) w ON TRUE
		WHERE u.id = $1 ORDER BY w.code, w.project_id, w.unit_id`, who.ID) {
		if err != nil {
			return nil, err
		}
		f.Preferences, place.read = r.Preferences, r.Read
		switch {
		case r.Project != nil:
			f.Projects = append(f.Projects, Place{*r.Project, *r.Code, *r.Name})
		case r.Unit != nil:
			place.units = append(place.units, *r.Unit)
		}
	}
	var err error
	f.Unread, err = place.unread(ctx, q)
	return f, err
}
