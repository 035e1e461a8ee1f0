// Package handover knows whose queue is with colleagues: a convenor hands what waits for somebody on
// the staff of a unit to others there, from one day to another, and it ends by itself.
package handover

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/due"
)

const (
	// MostStaff is how many colleagues a queue can be handed to at once.
	MostStaff = 20
	// MostDays is how long it can be with them: longer is a slip of the keyboard.
	MostDays = 366
)

// Colleague is somebody on the staff of a unit.
type Colleague struct {
	RoleID    int64  `db:"unit_role_id" json:"unit_role_id"`
	UserID    int64  `db:"user_id" json:"user_id"`
	FirstName string `db:"first_name" json:"first_name"`
	LastName  string `db:"last_name" json:"last_name"`
}

// Name is how the colleague is called.
func (c Colleague) Name() string { return c.FirstName + " " + c.LastName }

// Handover is a queue that is with colleagues, or will be.
type Handover struct {
	ID     int64  `db:"id" json:"id"`
	UnitID int64  `db:"unit_id" json:"unit_id"`
	Code   string `db:"code" json:"-"` // of the unit
	Colleague
	From     clock.Date  `db:"from_date" json:"from"`
	Until    clock.Date  `db:"until_date" json:"until"` // the last day
	StartsAt clock.Time  `db:"starts_at" json:"starts_at"`
	EndsAt   clock.Time  `db:"ends_at" json:"ends_at"`
	Active   bool        `json:"active"` // it has begun
	Staff    []Colleague `json:"staff"`  // who have the queue meanwhile
}

// Names are those of who have the queue.
func (h *Handover) Names() string {
	names := make([]string, len(h.Staff))
	for i, c := range h.Staff {
		names[i] = c.Name()
	}
	return strings.Join(names, ", ")
}

// Has tells whether a user is among those who have the queue.
func (h *Handover) Has(userID int64) bool {
	return slices.ContainsFunc(h.Staff, func(c Colleague) bool { return c.UserID == userID })
}

const selectHandovers = `SELECT h.id, h.unit_id, y.code, h.unit_role_id, r.user_id, u.first_name, u.last_name,
		h.from_date, h.until_date, h.starts_at, h.ends_at, s.unit_role_id AS s_role, sr.user_id AS s_user,
		su.first_name AS s_first, su.last_name AS s_last
	FROM handovers h JOIN units y ON y.id = h.unit_id JOIN unit_roles r ON r.id = h.unit_role_id
	JOIN users u ON u.id = r.user_id LEFT JOIN handover_staff s ON s.handover_id = h.id
	LEFT JOIN unit_roles sr ON sr.id = s.unit_role_id LEFT JOIN users su ON su.id = sr.user_id `

// Of lists the handovers of a unit that are not over, the next to end first.
func Of(ctx context.Context, q db.Q, unitID int64) ([]Handover, error) {
	return read(ctx, q, `WHERE h.unit_id = $1 AND h.ends_at > $2`, unitID, q.Now())
}

// Concerning lists the handovers that have begun and are not over, of a user's own queues and of those
// that are with them, in a unit or, where that is 0, in all. One that nobody is left of is none.
func Concerning(ctx context.Context, q db.Q, userID, unitID int64) ([]Handover, error) {
	list, err := read(ctx, q, `WHERE h.id IN (SELECT a.id FROM unit_roles o JOIN handovers a ON a.unit_role_id = o.id
				WHERE o.user_id = $1
			UNION SELECT s.handover_id FROM unit_roles o JOIN handover_staff s ON s.unit_role_id = o.id WHERE o.user_id = $1)
		AND (h.unit_id = $3 OR $3 = 0) AND h.starts_at <= $2 AND h.ends_at > $2`,
		userID, q.Now(), unitID)
	return slices.DeleteFunc(list, func(h Handover) bool { return len(h.Staff) == 0 }), err
}

// ByID gives a handover of a unit, whether it is over or not.
func ByID(ctx context.Context, q db.Q, unitID, id int64) (*Handover, error) {
	list, err := read(ctx, q, `WHERE h.unit_id = $1 AND h.id = $2`, unitID, id)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, fault.New(fault.Missing, "There is no such handover in this unit.")
	}
	return &list[0], nil
}

// read reads handovers with who has the queue meanwhile, by one statement: a row for each of those.
func read(ctx context.Context, q db.Q, which string, args ...any) ([]Handover, error) {
	type row struct {
		Handover
		Role  *int64  `db:"s_role"`
		User  *int64  `db:"s_user"`
		First *string `db:"s_first"`
		Last  *string `db:"s_last"`
	}
	list := []Handover{}
	for r, err := range db.Each[row](ctx, q, selectHandovers+which+
		` ORDER BY h.ends_at, h.id, su.name_key, s.unit_role_id`, args...) {
		if err != nil {
			return nil, fmt.Errorf("read handovers: %w", err)
		}
		if len(list) == 0 || list[len(list)-1].ID != r.ID {
			r.Staff, r.Active = []Colleague{}, !r.StartsAt.After(q.Now().Time)
			list = append(list, r.Handover)
		}
		if r.Role != nil {
			h := &list[len(list)-1]
			h.Staff = append(h.Staff, Colleague{*r.Role, *r.User, *r.First, *r.Last})
		}
	}
	return list, nil
}

// Handed is the SQL that selects the roles whose queues are with a user at a moment, who and which
// are arguments of the statement.
func Handed(user, now string) string {
	return `SELECT hh.unit_role_id FROM unit_roles hr JOIN handover_staff hs ON hs.unit_role_id = hr.id
		JOIN handovers hh ON hh.id = hs.handover_id
		WHERE hr.user_id = ` + user + ` AND hh.starts_at <= ` + now + ` AND hh.ends_at > ` + now
}

// WithOthers is the SQL that is true of a role whose queue is with somebody else at a moment.
func WithOthers(role, now string) string {
	return `EXISTS (SELECT 1 FROM handovers hh JOIN handover_staff hs ON hs.handover_id = hh.id
		WHERE hh.unit_role_id = ` + role + ` AND hh.starts_at <= ` + now + ` AND hh.ends_at > ` + now + `)`
}

// Roles gives the roles on the staff of units whose queues are a user's now: their own, but for those
// that are with others, and those that were handed to them.
func Roles(ctx context.Context, q db.Q, userID int64) ([]int64, error) {
	list, err := db.All[int64](ctx, q, `SELECT r.id FROM unit_roles r WHERE r.user_id = $1
			AND NOT `+WithOthers("r.id", "$2")+`
		UNION `+Handed("$1", "$2"), userID, q.Now())
	if err != nil {
		return nil, fmt.Errorf("read whose queues are theirs: %w", err)
	}
	return list, nil
}

// Tutor is somebody on the staff of a unit.
type Tutor struct {
	UnitID int64 `db:"unit_id"`
	UserID int64 `db:"user_id"`
}

// Tutors gives whose queues are with a user now.
func Tutors(ctx context.Context, q db.Q, userID int64) (map[Tutor]bool, error) {
	list, err := db.All[Tutor](ctx, q, `SELECT r.unit_id, r.user_id FROM unit_roles r WHERE r.id IN (`+
		Handed("$1", "$2")+`)`, userID, q.Now())
	if err != nil {
		return nil, fmt.Errorf("read for whom they stand in: %w", err)
	}
	out := make(map[Tutor]bool, len(list))
	for _, t := range list {
		out[t] = true
	}
	return out, nil
}

// StandIns tells who have the queues of tutors that are with others.
type StandIns map[Tutor][]int64

// Of are the users who have the queue of a tutor of a unit: the tutor, unless it is with others.
func (s StandIns) Of(unitID, tutorID int64) []int64 {
	if others := s[Tutor{unitID, tutorID}]; len(others) > 0 {
		return others
	}
	return []int64{tutorID}
}

// StandInsOf gives who have the queues of some units now, where they are with others.
func StandInsOf(ctx context.Context, q db.Q, units ...int64) (StandIns, error) {
	out := StandIns{}
	if len(units) == 0 {
		return out, nil
	}
	in, args := db.In([]any{q.Now()}, units)
	for r, err := range db.Each[struct {
		Tutor
		With int64 `db:"with_id"`
	}](ctx, q, `SELECT h.unit_id, r.user_id, sr.user_id AS with_id FROM handovers h
		JOIN unit_roles r ON r.id = h.unit_role_id JOIN handover_staff s ON s.handover_id = h.id
		JOIN unit_roles sr ON sr.id = s.unit_role_id
		WHERE h.starts_at <= $1 AND h.ends_at > $1 AND h.unit_id IN `+in+` ORDER BY sr.user_id`, args...) {
		if err != nil {
			return nil, fmt.Errorf("read who stands in: %w", err)
		}
		out[r.Tutor] = append(out[r.Tutor], r.With)
	}
	return out, nil
}

// New is a queue to hand over.
type New struct {
	UnitID      int64
	RoleID      int64   // whose queue
	Staff       []int64 // roles of who get it
	From, Until clock.Date
}

// starts is the first moment of a day on the clocks of a zone; nil is wherever it begins first.
func starts(day clock.Date, zone *time.Location) clock.Time {
	if zone == nil {
		return clock.At(day.Add(-14 * time.Hour))
	}
	return clock.At(due.Ends(day.AddDays(-1), zone).Add(time.Second))
}

// Add hands a queue over. It fails with fault.Refused where the days are out of order, past or too
// many, for no colleague or too many, and for whoever is not on the staff of the unit or is the one
// whose queue it is; and with fault.Conflict where the queue is handed over on one of these days
// already. It is for holders of policy.HandOver in the unit.
func Add(ctx context.Context, q db.Q, n New) (*Handover, error) {
	if err := n.check(ctx, q); err != nil {
		return nil, err
	}
	zone, err := db.One[*string](ctx, q, `SELECT time_zone FROM units WHERE id = $1`, n.UnitID)
	if err != nil {
		return nil, err
	}
	from, until := starts(n.From, clock.Zone(*zone)), clock.At(due.Ends(n.Until, clock.Zone(*zone)).Add(time.Second))
	if !until.After(q.Now().Time) {
		return nil, fault.Field(fault.Refused, "until", "must not be in the past")
	}
	if err := db.Lock(ctx, q, "unit_roles", n.RoleID); err != nil {
		return nil, err
	}
	same, err := db.One[int64](ctx, q, `SELECT count(*) FROM handovers WHERE unit_role_id = $1 AND from_date <= $3
		AND until_date >= $2 AND ends_at > $4`, n.RoleID, n.From, n.Until, q.Now())
	if err == nil && *same > 0 {
		err = fault.New(fault.Conflict, "This queue is already handed over on one of these days. End that handover first.")
	}
	if err != nil {
		return nil, err
	}
	id, err := db.One[int64](ctx, q, `INSERT INTO handovers (unit_id, unit_role_id, from_date, until_date, starts_at,
			ends_at, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id`, n.UnitID, n.RoleID, n.From, n.Until,
		from, until, q.Now())
	if err != nil {
		return nil, fmt.Errorf("hand a queue over: %w", err)
	}
	rows := make([][]any, len(n.Staff))
	for i, role := range n.Staff {
		rows[i] = []any{*id, role}
	}
	if err := db.Insert(ctx, q, "handover_staff (handover_id, unit_role_id)", "", rows); err != nil {
		return nil, err
	}
	h, err := ByID(ctx, q, n.UnitID, *id)
	if err != nil {
		return nil, err
	}
	return h, h.record(ctx, q, audit.Created)
}

// check tells what is wrong with a handover by itself, and drops who is named twice.
func (n *New) check(ctx context.Context, q db.Q) error {
	slices.Sort(n.Staff)
	n.Staff = slices.Compact(n.Staff)
	switch days := n.Until.DaysSince(n.From); {
	case days < 0:
		return fault.Field(fault.Refused, "until", "must not be before the first day")
	case days >= MostDays:
		return fault.Field(fault.Refused, "until", "must be within %d days of the first", MostDays)
	case len(n.Staff) == 0 || len(n.Staff) > MostStaff:
		return fault.Field(fault.Refused, "staff", "must name 1 to %d colleagues", MostStaff)
	case slices.Contains(n.Staff, n.RoleID):
		return fault.Field(fault.Refused, "staff", "must be others than whose queue it is")
	}
	in, args := db.In([]any{n.UnitID}, append([]int64{n.RoleID}, n.Staff...))
	known, err := db.All[int64](ctx, q, `SELECT id FROM unit_roles WHERE unit_id = $1 AND id IN `+in, args...)
	switch {
	case err != nil:
		return err
	case !slices.Contains(known, n.RoleID):
		return fault.Field(fault.Refused, "unit_role_id", "is not on the staff of this unit")
	case len(known) <= len(n.Staff):
		return fault.Field(fault.Refused, "staff", "must be on the staff of this unit")
	}
	return nil
}

// End ends a handover of a unit before its last day, or before it begins. What is over already is
// fault.Missing. It is for holders of policy.HandOver in the unit.
func End(ctx context.Context, q db.Q, unitID, id int64) error {
	h, err := ByID(ctx, q, unitID, id)
	if err != nil {
		return err
	}
	n, err := db.Exec(ctx, q, `DELETE FROM handovers WHERE id = $1 AND unit_id = $2 AND ends_at > $3`, id, unitID, q.Now())
	if err != nil {
		return err
	}
	if n == 0 {
		return fault.New(fault.Missing, "This handover is over already.")
	}
	return h.record(ctx, q, audit.Deleted)
}

// record writes down who did what.
func (h *Handover) record(ctx context.Context, q db.Q, action string) error {
	return audit.Add(ctx, q, audit.Entry{Kind: audit.Handover, Action: action, UserID: h.UserID, UnitID: h.UnitID,
		RecordID: h.ID})
}
