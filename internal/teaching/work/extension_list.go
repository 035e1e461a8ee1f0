package work

import (
	"context"
	"fmt"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/due"
	"lectern/internal/teaching/handover"
	"lectern/internal/teaching/status"
)

// ListedExtension is a request for more time as the staff of a unit see it.
type ListedExtension struct {
	ID           int64         `db:"id" json:"id"` // of the comment that asks
	UnitID       int64         `db:"unit_id" json:"-"`
	UnitCode     string        `db:"code" json:"-"`
	TaskID       int64         `db:"task_id" json:"task_id"`
	ProjectID    int64         `db:"project_id" json:"project_id"`
	DefinitionID int64         `db:"task_definition_id" json:"task_definition_id"`
	Abbreviation string        `db:"abbreviation" json:"abbreviation"` // of the task
	TaskName     string        `db:"task_name" json:"task_name"`
	Status       status.Status `db:"status" json:"status"`
	Username     string        `db:"username" json:"username"`
	FirstName    string        `db:"first_name" json:"first_name"`
	LastName     string        `db:"last_name" json:"last_name"`
	TutorialID   *int64        `db:"tutorial_id" json:"tutorial_id"`
	Tutorial     *string       `db:"tutorial" json:"tutorial_abbreviation"`
	Weeks        int           `db:"extension_weeks" json:"weeks_requested"`
	Reason       string        `db:"comment" json:"comment"`
	Unasked      bool          `db:"unasked" json:"without_request" doc:"the staff gave it without a request"`
	GrantReason  *string       `db:"grant_reason" json:"grant_reason" doc:"why, for convenors and whoever gave it"`
	AskedAt      clock.Time    `db:"created_at" json:"created_at"`

	DueDate      clock.Date  `json:"due_date"`
	DueIfGranted *clock.Date `json:"due_date_if_granted"` // none: it is decided, or no week is left
	Dates        due.Dates   `json:"-"`
	IfGranted    *due.Dates  `json:"-"`

	Granted       *bool       `db:"extension_granted" json:"granted"` // none: it waits for a decision
	Response      *string     `db:"extension_response" json:"extension_response"`
	AssessedAt    *clock.Time `db:"extension_assessed_at" json:"date_assessed"`
	AssessorFirst *string     `db:"a_first" json:"assessor_first_name"`
	AssessorLast  *string     `db:"a_last" json:"assessor_last_name"`
}

// listedExtension is a row of the list with what its due dates follow from.
type listedExtension struct {
	ListedExtension
	Extensions  int         `db:"extensions"`
	Target      clock.Date  `db:"target_date"`
	OwnDeadline *clock.Date `db:"due_date"`
	UnitEnd     clock.Date  `db:"end_date"`
	TimeZone    *string     `db:"time_zone"`
}

// Extensions says which requests of a unit to list for one of its staff, or of several.
type Extensions struct {
	UnitID, CallerID         int64
	Units                    []int64 // where UnitID is 0; the caller may see the requests of each
	Decided                  bool    // those that were decided on, newest first; else those that wait, oldest first
	Mine                     bool    // only the students of the caller's classes: their own or handed to them
	GrantReasons             bool    // the caller may see why others gave extensions without a request
	TutorialID, DefinitionID int64   // 0: any
	ID                       int64   // this one alone; 0: any
	Page                     db.Page
}

// extensionsFrom finds the requests c of unit $1 for the caller $2, in tutorial $3
// and for definition $4 where they are not 0. Nobody decides on their own. Why one was given
// without a request, gr, is for whoever gave it, and where $5 is not 0 for the caller.
const extensionsFrom = `task_comments c JOIN tasks t ON t.id = c.task_id
	JOIN projects p ON p.id = t.project_id AND p.enrolled AND p.user_id <> $2
	JOIN users o ON o.id = p.user_id
	JOIN task_definitions d ON d.id = t.task_definition_id JOIN units u ON u.id = c.unit_id` + JoinClass + `
	LEFT JOIN tutorials x ON x.id = e.tutorial_id LEFT JOIN users a ON a.id = c.assessor_id
	LEFT JOIN extension_grants gr ON gr.task_comment_id = c.id AND ($5 <> 0 OR c.user_id = $2)
	WHERE c.unit_id = $1 AND c.type = 'extension' AND (x.id = $3 OR $3 = 0) AND (d.id = $4 OR $4 = 0)`

// Rows lists the requests, and tells how many there are in all, -1 when all were
// asked for.
func (l Extensions) Rows(ctx context.Context, q db.Q) ([]ListedExtension, int64, error) {
	reasons := 0
	if l.GrantReasons {
		reasons = 1
	}
	args := []any{l.UnitID, l.CallerID, l.TutorialID, l.DefinitionID, reasons}
	text := list{
		columns: `c.id, c.unit_id, u.code, t.id AS task_id, t.project_id, t.task_definition_id, d.abbreviation,
			d.name AS task_name,
			t.status, o.username, o.first_name, o.last_name, x.id AS tutorial_id, x.abbreviation AS tutorial,
			c.extension_weeks, c.comment, c.created_at, c.extension_granted, c.extension_response,
			c.extension_assessed_at, a.first_name AS a_first, a.last_name AS a_last, t.extensions, d.target_date,
			d.due_date, u.end_date, u.time_zone, ` + unasked + ` AS unasked, gr.reason AS grant_reason`,
		from:  extensionsFrom + ` AND c.extension_assessed_at IS NULL`,
		order: `c.created_at, c.id`,
	}
	if l.Decided {
		text.from = extensionsFrom + ` AND c.extension_assessed_at IS NOT NULL`
		text.order = `c.extension_assessed_at DESC, c.id DESC`
	}
	if l.Mine {
		roles, err := handover.Roles(ctx, q, l.CallerID)
		if err != nil {
			return nil, 0, err
		}
		var in string
		in, args = db.In(args, roles)
		text.from += ` AND x.unit_role_id IN ` + in
	}
	if l.UnitID == 0 {
		var in string
		in, args = db.In(args, l.Units)
		text.from = strings.Replace(text.from, `c.unit_id = $1`, `$1 = 0 AND c.unit_id IN `+in, 1)
	}
	if l.ID != 0 {
		args = append(args, l.ID)
		text.from += fmt.Sprintf(` AND c.id = $%d`, len(args))
	}
	rows, total, err := part[listedExtension](ctx, q, text, l.Page, args...)
	if err != nil {
		return nil, 0, fmt.Errorf("list extensions: %w", err)
	}
	out := make([]ListedExtension, len(rows))
	for i := range rows {
		out[i] = rows[i].dated()
	}
	return out, total, nil
}

// OpenExtensions counts the requests of some units that wait for one of their staff, by unit, as Rows does.
func OpenExtensions(ctx context.Context, q db.Q, callerID int64, units []int64) (map[int64]int64, error) {
	in, args := db.In([]any{callerID}, units)
	out := map[int64]int64{}
	for r, err := range db.Each[struct {
		UnitID int64 `db:"unit_id"`
		Count  int64 `db:"n"`
	}](ctx, q, `SELECT c.unit_id, count(*) AS n FROM task_comments c JOIN tasks t ON t.id = c.task_id
			JOIN projects p ON p.id = t.project_id AND p.enrolled AND p.user_id <> $1
		WHERE c.unit_id IN `+in+` AND c.type = 'extension' AND c.extension_assessed_at IS NULL
		GROUP BY c.unit_id`, args...) {
		if err != nil {
			return nil, fmt.Errorf("count extensions: %w", err)
		}
		out[r.UnitID] = r.Count
	}
	return out, nil
}

// dated is the row with the day its task is due now and would be due.
func (l *listedExtension) dated() ListedExtension {
	d := due.Dates{Target: l.Target, Deadline: due.Deadline(l.OwnDeadline, l.UnitEnd, l.Target), Extensions: l.Extensions,
		Zone: clock.Zone(l.TimeZone)}
	out := l.ListedExtension
	out.Dates, out.DueDate = d, d.Due()
	if weeks, err := d.Allow(l.Weeks); err == nil && l.AssessedAt == nil {
		d.Extensions += weeks
		then := d.Due()
		out.DueIfGranted, out.IfGranted = &then, &d
	}
	return out
}
