// Package announce knows announcements: what a convenor writes to the students of a unit, to all of
// them, to a tutorial or to a selection, one copy a person.
package announce

import (
	"context"
	"fmt"
	"time"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/events"
)

const (
	// MostTitle is how many characters a title may have.
	MostTitle = 200
	// MostText is how many characters a text may have.
	MostText = 20_000
	// MostSelection is how many students can be selected one by one.
	MostSelection = 2000
	// MostAnHour is how many announcements there may be in a unit within an hour.
	MostAnHour = 10
	// mostKey is how long a key may be.
	mostKey = 255
)

// Audience is whom an announcement is for.
type Audience string

// The audiences.
const (
	All       Audience = "all"       // everybody enrolled in the unit
	Tutorial  Audience = "tutorial"  // everybody in one of its tutorials
	Selection Audience = "selection" // students who were selected one by one
)

// Enum gives all audiences, for the documentation of the API.
func (Audience) Enum() []string { return []string{string(All), string(Tutorial), string(Selection)} }

// New is an announcement to send.
type New struct {
	UnitID     int64
	UserID     int64 // who writes it
	Title      string
	Text       string
	Audience   Audience
	TutorialID int64   // of the unit, where it is for a tutorial
	ProjectIDs []int64 // of the unit, where it is for a selection
	Expected   *int64  // it goes to so many, or to nobody; nil: to however many there are
	Key        string  // makes a repeated request the same announcement; none when empty

	tutorial *string // its name
}

// Recipient is a student whom an announcement goes to.
type Recipient struct {
	ProjectID int64  `db:"project_id" json:"project_id"`
	FirstName string `db:"first_name" json:"first_name"`
	LastName  string `db:"last_name" json:"last_name"`
	Username  string `db:"username" json:"username"`
}

// Name is how the student is called.
func (r Recipient) Name() string { return r.FirstName + " " + r.LastName }

// Plan is whom an announcement would go to.
type Plan struct {
	Total   int64 // how many
	LeftOut int64 // how many of the selection are withdrawn, and get none
	People  []Recipient
}

// Count says whom an announcement would go to, with the names of a part of them, and writes nothing. It
// refuses what Send refuses of the audience. It is for holders of policy.Announce in the unit.
func (n New) Count(ctx context.Context, q db.Q, page db.Page) (*Plan, error) {
	if err := n.checkAudience(ctx, q); err != nil {
		return nil, err
	}
	from, args, err := n.from(q, nil)
	if err != nil {
		return nil, err
	}
	total, err := db.One[int64](ctx, q, `SELECT count(*)`+from, args...)
	if err != nil {
		return nil, fmt.Errorf("count who gets an announcement: %w", err)
	}
	args = append(args, page.Limit(), page.Offset())
	people, err := db.All[Recipient](ctx, q, fmt.Sprintf(`SELECT p.id AS project_id, s.first_name, s.last_name,
			s.username%s
		ORDER BY s.name_key, p.id LIMIT $%d OFFSET $%d`, from, len(args)-1, len(args)), args...)
	if err != nil {
		return nil, fmt.Errorf("read who gets an announcement: %w", err)
	}
	out := &Plan{Total: *total, People: people}
	if n.Audience == Selection {
		out.LeftOut = int64(len(n.ProjectIDs)) - out.Total
	}
	return out, nil
}

// from is the part of a statement that picks the projects p, with their students s, whom the
// announcement goes to: those enrolled now.
func (n New) from(q db.Q, args []any) (string, []any, error) {
	args = append(args, n.UnitID)
	text := fmt.Sprintf(` FROM projects p JOIN users s ON s.id = p.user_id WHERE p.unit_id = $%d AND p.enrolled`,
		len(args))
	switch n.Audience {
	case Tutorial:
		args = append(args, n.TutorialID)
		text += fmt.Sprintf(` AND p.id IN (SELECT e.project_id FROM tutorial_enrolments e WHERE e.tutorial_id = $%d)`,
			len(args))
	case Selection:
		chosen, with, err := n.chosen(q, args)
		return text + ` AND p.id IN (SELECT v.id FROM ` + chosen + ` v)`, with, err
	}
	return text, args, nil
}

// chosen is the selection as a table of one column.
func (n New) chosen(q db.Q, args []any) (string, []any, error) {
	rows := make([][]any, len(n.ProjectIDs))
	for i, id := range n.ProjectIDs {
		rows[i] = []any{id}
	}
	return db.Rows(q, args, []string{"id BIGINT"}, rows)
}

// Send sends an announcement: one copy to each student of its audience who is enrolled now, as a
// notification. It fails with fault.Invalid for a title or a text that is empty or too long, with
// fault.Refused for an audience of nobody or of another unit, with fault.Conflict where it would go to
// another number of people than expected or the key was used for another, and with fault.Throttled
// where there were MostAnHour in the unit within the hour. The same key again gives the first one, and
// tells so. It is for holders of policy.Announce in the unit.
func Send(ctx context.Context, q db.Q, n New) (a *Announcement, again bool, err error) {
	if err := n.CheckWords(); err != nil {
		return nil, false, err
	}
	if err := db.LockName(ctx, q, fmt.Sprintf("announcements of unit %d", n.UnitID)); err != nil {
		return nil, false, err
	}
	if a, err = n.first(ctx, q); a != nil || err != nil {
		return a, true, err
	}
	if err := n.checkRate(ctx, q); err != nil {
		return nil, false, err
	}
	if err := n.checkAudience(ctx, q); err != nil {
		return nil, false, err
	}
	id, err := n.write(ctx, q)
	if err != nil {
		return nil, false, err
	}
	if a, err = ByID(ctx, q, n.UnitID, id, Reader{All: true}); err != nil {
		return nil, false, err
	}
	if err := a.tell(ctx, q); err != nil {
		return nil, false, err
	}
	return a, false, audit.Add(ctx, q, audit.Entry{Kind: audit.Announcement, Action: audit.Created, UnitID: n.UnitID,
		RecordID: id})
}

// write writes the announcement and its copies.
func (n New) write(ctx context.Context, q db.Q) (int64, error) {
	var key, tutorial any
	if n.Key != "" {
		key = n.Key
	}
	if n.Audience == Tutorial {
		tutorial = n.TutorialID
	}
	id, err := db.One[int64](ctx, q, `INSERT INTO announcements (unit_id, user_id, audience, tutorial_id, tutorial_name,
			title, text, recipients, key, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, 0, $8, $9) RETURNING id`,
		n.UnitID, n.UserID, n.Audience, tutorial, n.tutorial, n.Title, n.Text, key, q.Now())
	if err != nil {
		return 0, fmt.Errorf("write an announcement: %w", err)
	}
	from, args, err := n.from(q, []any{*id})
	if err != nil {
		return 0, err
	}
	sent, err := db.Exec(ctx, q, `INSERT INTO announcement_recipients (announcement_id, project_id)
		SELECT CAST($1 AS BIGINT), p.id`+from, args...)
	switch {
	case err != nil:
		return 0, fmt.Errorf("write the copies of an announcement: %w", err)
	case sent == 0:
		return 0, errNobody()
	case n.Expected != nil && sent != *n.Expected:
		return 0, fault.New(fault.Conflict, "The recipients have changed since you saw them: there are %d now. Look at "+
			"them again.", sent)
	}
	_, err = db.Exec(ctx, q, `UPDATE announcements SET recipients = $2 WHERE id = $1`, *id, sent)
	return *id, err
}

func errNobody() error {
	return fault.Field(fault.Refused, "audience", "has no enrolled student: nobody would get it")
}

// Event is what the events of an announcement say of it.
type Event struct {
	AnnouncementID int64 `json:"announcement_id"`
	UnitID         int64 `json:"unit_id"`
}

// tell writes an event for each who got a copy, which they alone hear of, and one that names nobody
// for other systems.
func (a *Announcement) tell(ctx context.Context, q db.Q) error {
	e := events.Event{Kind: events.Announcement, ActorID: a.UserID, Body: Event{a.ID, a.UnitID}}
	if err := events.AddEach(ctx, q, e, `SELECT p.user_id, p.id AS project_id FROM announcement_recipients r
		JOIN projects p ON p.id = r.project_id WHERE r.announcement_id = $1 ORDER BY p.id`, a.ID); err != nil {
		return err
	}
	return events.Add(ctx, q, e)
}

// first is the announcement that the key was used for; nil: none was.
func (n New) first(ctx context.Context, q db.Q) (*Announcement, error) {
	if n.Key == "" {
		return nil, nil
	}
	list, err := db.All[Announcement](ctx, q, selectWhole+`WHERE a.unit_id = $1 AND a.user_id = $2 AND a.key = $3`,
		n.UnitID, n.UserID, n.Key)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	a := &list[0]
	if a.Title != n.Title || a.Text != n.Text || a.Audience != n.Audience {
		return nil, fault.New(fault.Conflict, "This Idempotency-Key was used for another announcement. Send this one with "+
			"a key of its own.")
	}
	return a, nil
}

// checkRate refuses more announcements than a unit may have within an hour.
func (n New) checkRate(ctx context.Context, q db.Q) error {
	type sent struct {
		Count int64       `db:"sent"`
		First *clock.Time `db:"first"`
	}
	since := clock.At(q.Now().Add(-time.Hour))
	s, err := db.One[sent](ctx, q, `SELECT count(*) AS sent, min(x.created_at) AS first FROM (SELECT created_at
		FROM announcements WHERE unit_id = $1 ORDER BY id DESC LIMIT $3) x WHERE x.created_at > $2`, n.UnitID, since,
		MostAnHour)
	if err != nil {
		return fmt.Errorf("count announcements: %w", err)
	}
	if s.Count < MostAnHour {
		return nil
	}
	wait := s.First.Sub(since.Time)
	return &fault.Error{Kind: fault.Throttled, Wait: wait, Text: fmt.Sprintf("There were %d announcements in this unit "+
		"within an hour, which is the limit. Wait %s and try again.", MostAnHour, bounds.WaitText(wait))}
}
