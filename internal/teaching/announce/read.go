package announce

import (
	"context"
	"fmt"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
)

// Sent is an announcement as the staff of its unit see it in a list.
type Sent struct {
	ID         int64      `db:"id" json:"id"`
	UnitID     int64      `db:"unit_id" json:"unit_id"`
	Title      string     `db:"title" json:"title"`
	Audience   Audience   `db:"audience" json:"audience" doc:"whom it is for"`
	TutorialID *int64     `db:"tutorial_id" json:"tutorial_id" doc:"null: for no tutorial, or it is gone"`
	Tutorial   *string    `db:"tutorial_name" json:"tutorial" doc:"what the tutorial was called when it was sent"`
	Recipients int64      `db:"recipients" json:"recipients" doc:"how many it was sent to"`
	UserID     int64      `db:"user_id" json:"user_id" doc:"who wrote it"`
	Author     string     `db:"author" json:"author" doc:"the name of who wrote it"`
	CreatedAt  clock.Time `db:"created_at" json:"created_at"`
}

// Announcement is one with its text.
type Announcement struct {
	Sent
	Text string `db:"text" json:"text"`
}

const (
	columns = `a.id, a.unit_id, a.title, a.audience, a.tutorial_id, a.tutorial_name, a.recipients, a.user_id,
		w.first_name || ' ' || w.last_name AS author, a.created_at`
	writers     = ` FROM announcements a JOIN users w ON w.id = a.user_id `
	selectWhole = `SELECT ` + columns + `, a.text` + writers
)

// Reader is who on the staff of a unit reads its announcements. One who does not see All of them sees
// those to everybody, those to their own tutorials, and their own.
type Reader struct {
	UserID int64
	All    bool
}

// sees is the condition on an announcement a that the reader sees it; who they are is an argument.
func (r Reader) sees(user string) string {
	if r.All {
		return `CAST(` + user + ` AS BIGINT) IS NOT NULL`
	}
	return `(a.audience = 'all' OR a.user_id = ` + user + ` OR a.audience = 'tutorial' AND EXISTS (SELECT 1
		FROM tutorials t JOIN unit_roles o ON o.id = t.unit_role_id WHERE t.id = a.tutorial_id AND o.user_id = ` + user + `))`
}

// Of lists the announcements of a unit that a reader sees, the newest first, and tells how many there
// are, -1 where the whole list is asked for.
func Of(ctx context.Context, q db.Q, unitID int64, by Reader, page db.Page) (list []Sent, total int64, err error) {
	where := `WHERE a.unit_id = $1 AND ` + by.sees("$2")
	return part[Sent](ctx, q, `SELECT `+columns+writers, where, page, unitID, by.UserID)
}

// part reads a part of a list of announcements, the newest first, and counts the whole.
func part[T any](ctx context.Context, q db.Q, text, where string, page db.Page, a, b int64) (list []T, total int64,
	err error) {
	total = -1
	if page.Asked() {
		n, err := db.One[int64](ctx, q, `SELECT count(*) FROM announcements a `+where, a, b)
		if err != nil {
			return nil, 0, fmt.Errorf("count announcements: %w", err)
		}
		total = *n
	}
	list, err = db.All[T](ctx, q, text+where+` ORDER BY a.id DESC LIMIT $3 OFFSET $4`, a, b, page.Limit(), page.Offset())
	if err != nil {
		return nil, 0, fmt.Errorf("read announcements: %w", err)
	}
	return list, total, nil
}

func errMissing() error { return fault.New(fault.Missing, "There is no such announcement.") }

// ByID gives an announcement of a unit to a reader who sees it.
func ByID(ctx context.Context, q db.Q, unitID, id int64, by Reader) (*Announcement, error) {
	return one[Announcement](ctx, q, selectWhole+`WHERE a.unit_id = $1 AND a.id = $3 AND `+by.sees("$2"), unitID,
		by.UserID, id)
}

func one[T any](ctx context.Context, q db.Q, text string, args ...any) (*T, error) {
	list, err := db.All[T](ctx, q, text, args...)
	if err != nil {
		return nil, fmt.Errorf("read an announcement: %w", err)
	}
	if len(list) == 0 {
		return nil, errMissing()
	}
	return &list[0], nil
}

// RecipientsOf lists whom an announcement was sent to, by name, and tells how many they are, -1 where
// the whole list is asked for. Whoever was erased since is not among them.
func RecipientsOf(ctx context.Context, q db.Q, id int64, page db.Page) (list []Recipient, total int64, err error) {
	const from = ` FROM announcement_recipients r JOIN projects p ON p.id = r.project_id JOIN users s ON s.id = p.user_id
		WHERE r.announcement_id = $1`
	total = -1
	if page.Asked() {
		n, err := db.One[int64](ctx, q, `SELECT count(*)`+from, id)
		if err != nil {
			return nil, 0, err
		}
		total = *n
	}
	list, err = db.All[Recipient](ctx, q, `SELECT p.id AS project_id, s.first_name, s.last_name, s.username`+from+`
		ORDER BY s.name_key, p.id LIMIT $2 OFFSET $3`, id, page.Limit(), page.Offset())
	if err != nil {
		return nil, 0, fmt.Errorf("read who got an announcement: %w", err)
	}
	return list, total, nil
}
