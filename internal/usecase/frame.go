package usecase

import (
	"context"
	"slices"

	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
)

// Frame is what stands around every page of a person: where they can go, how they
// want their pages, and what is new.
type Frame struct {
	ident.Preferences
	FirstName string
	LastName  string
	Studies   []Place // the units they study, and Teaches those they teach
	Teaches   []Place
	Here      *Place // the unit that the page is about; nil: it is about none
	Student   string // whose project the page is about, where that is another person
	Unread    int64  // up to MostUnread
	Newest    []News // the first few, read or not
}

// Place is a unit somebody can go to.
type Place struct {
	UnitID    int64
	ProjectID int64 // of who studies there; 0 for the staff
	Code      string
	Name      string
	TimeZone  *string // where its days begin and end
	Colour    int     // of its square, from 0 in the order of all places
}

// newestInFrame is how many notifications stand in the panel at the bell.
const newestInFrame = 10

// frameRow is one line of what FrameOf reads: the person, and a place or none.
type frameRow struct {
	ident.Preferences
	FirstName string  `db:"first_name"`
	LastName  string  `db:"last_name"`
	Read      int64   `db:"news_seq"`
	Kind      *string `db:"kind"`
	Unit      *int64  `db:"unit_id"`
	Project   *int64  `db:"project_id"`
	Code      *string `db:"code"`
	Name      *string `db:"name"`
	Active    *bool   `db:"active"`
	Student   *string `db:"student"`
	UnitZone  *string `db:"unit_zone"`
}

// FrameOf reads the frame of somebody's pages, by one statement for the places, one that counts
// what is new and one that lists the newest.
func FrameOf(ctx context.Context, q db.Q, who *access.Caller) (*Frame, error) {
	f, place := &Frame{}, &newsPlace{who: who}
	for r, err := range db.Each[frameRow](ctx, q, `SELECT u.theme, u.shortcuts, u.time_zone, u.news_seq, u.first_name,
			u.last_name, w.kind, w.unit_id, w.project_id, w.code, w.name, w.active, w.student, w.unit_zone
		FROM users u LEFT JOIN (SELECT 'studies' AS kind, n.id AS unit_id, p.id AS project_id, n.code, n.name, n.active,
				'' AS student, n.time_zone AS unit_zone FROM projects p JOIN units n ON n.id = p.unit_id
				WHERE p.user_id = $1 AND p.enrolled AND n.active
			UNION ALL SELECT 'teaches', n.id, 0, n.code, n.name, n.active, '', n.time_zone FROM unit_roles r
				JOIN units n ON n.id = r.unit_id WHERE r.user_id = $1
			UNION ALL SELECT 'here', n.id, 0, n.code, n.name, n.active, coalesce((SELECT o.first_name || ' ' || o.last_name
				FROM projects p JOIN users o ON o.id = p.user_id WHERE p.id = $3 AND o.id <> $1), ''), n.time_zone
				FROM units n WHERE n.id = $2) w ON TRUE
		WHERE u.id = $1 ORDER BY w.code, w.unit_id, w.project_id`, who.ID, who.UnitID, who.ProjectID) {
		if err != nil {
			return nil, err
		}
		f.Preferences, f.FirstName, f.LastName, place.read = r.Preferences, r.FirstName, r.LastName, r.Read
		f.add(&r, place)
	}
	f.stand(who)
	var err error
	if f.Unread, err = place.unread(ctx, q); err != nil {
		return nil, err
	}
	f.Newest, err = place.list(ctx, q, db.Part(newestInFrame, 0))
	return f, err
}

// add takes the place of a row. News come of every unit that somebody teaches, running or not.
func (f *Frame) add(r *frameRow, news *newsPlace) {
	if r.Kind == nil {
		return
	}
	at := Place{UnitID: *r.Unit, ProjectID: *r.Project, Code: *r.Code, Name: *r.Name, TimeZone: r.UnitZone}
	switch *r.Kind {
	case "studies":
		f.Studies = append(f.Studies, at)
	case "teaches":
		news.units = append(news.units, at.UnitID)
		if *r.Active {
			f.Teaches = append(f.Teaches, at)
		}
	case "here":
		f.Here, f.Student = &at, *r.Student
	}
}

// stand adds the unit that the page is about where it is none of the person's running ones, as an
// administrator's or one of last year; and gives every place its colour.
func (f *Frame) stand(who *access.Caller) {
	if f.Here != nil {
		list := &f.Teaches
		if who.OwnerID == who.ID && who.ProjectID != 0 {
			f.Here.ProjectID, list = who.ProjectID, &f.Studies
		}
		same := func(p Place) bool { return p.UnitID == f.Here.UnitID }
		if !slices.ContainsFunc(*list, same) {
			*list = append(*list, *f.Here)
		}
	}
	n := 0
	for _, list := range [][]Place{f.Teaches, f.Studies} {
		for i := range list {
			list[i].Colour = n
			n++
		}
	}
}

// FrameOfView reads what stands around the pages that somebody of the staff sees as a student: the
// viewer's theme and the one unit of the student. Nothing leads out of the view.
func FrameOfView(ctx context.Context, q db.Q, who *access.Caller) (*Frame, error) {
	type row struct {
		ident.Preferences
		Code *string `db:"code"`
		Name *string `db:"name"`
		Zone *string `db:"unit_zone"`
	}
	r, err := db.One[row](ctx, q, `SELECT u.theme, u.shortcuts, u.time_zone, n.code, n.name,
			n.time_zone AS unit_zone FROM users u LEFT JOIN units n ON n.id = $2 WHERE u.id = $1`, who.Actor(), who.UnitID)
	if err != nil {
		return nil, err
	}
	f := &Frame{Preferences: r.Preferences}
	if r.Code != nil {
		f.Here = &Place{UnitID: who.UnitID, Code: *r.Code, Name: *r.Name, TimeZone: r.Zone}
		f.stand(who)
	}
	return f, nil
}
