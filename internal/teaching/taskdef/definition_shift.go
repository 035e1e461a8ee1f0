package taskdef

import (
	"context"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/week"
)

// ToShift names a definition that is to move, with the target date that whoever moves it saw; nil:
// whatever it is.
type ToShift struct {
	ID   int64       `json:"id" doc:"of a task of this unit"`
	Seen *clock.Date `json:"target_date,omitempty" doc:"as you saw it; if it changed, nothing moves"`
}

// Shifted is a definition whose dates move.
type Shifted struct {
	ID           int64      `json:"id"`
	Abbreviation string     `json:"abbreviation"`
	Name         string     `json:"name"`
	From         DatesOf    `json:"from" doc:"the dates it had"`
	To           DatesOf    `json:"to" doc:"the dates it gets"`
	Definition   Definition `json:"-"` // with the dates it gets
}

// DatesOf are the dates of a definition.
type DatesOf struct {
	Start  clock.Date  `json:"start_date"`
	Target clock.Date  `json:"target_date"`
	Due    *clock.Date `json:"due_date" doc:"null: it has none of its own, and ends with the unit"`
}

// mostShift bounds how far definitions move at once, in weeks.
const mostShift = 52

// ShiftDefinitions moves definitions of a unit by teaching weeks, for holders of
// policy.EditDefinitions: their start, their target and a due date of their own keep their weekday, and
// breaks are skipped. It fails with fault.Missing where the unit has no such definition, and with
// fault.Conflict where the target of one is no longer what was seen; then none moves.
func ShiftDefinitions(ctx context.Context, q db.Q, unitID int64, weeks int, list []ToShift) ([]Shifted, error) {
	switch {
	case weeks == 0 || weeks < -mostShift || weeks > mostShift:
		return nil, fault.Field(fault.Refused, "weeks", "must be 1 to %d, or -1 to -%d", mostShift, mostShift)
	case len(list) == 0:
		return nil, fault.Field(fault.Refused, "tasks", "names no task to move")
	}
	asked, ids := map[int64]ToShift{}, make([]int64, len(list))
	for i, one := range list {
		asked[one.ID], ids[i] = one, one.ID
	}
	if q.Postgres() {
		in, args := db.In([]any{unitID}, ids)
		if _, err := db.Exec(ctx, q, `SELECT 1 FROM task_definitions WHERE unit_id = $1 AND id IN `+in+
			` ORDER BY id FOR UPDATE`, args...); err != nil {
			return nil, err
		}
	}
	all, err := DefinitionsOf(ctx, q, unitID)
	if err != nil {
		return nil, err
	}
	calendars, err := course.Calendars(ctx, q, unitID)
	if err != nil {
		return nil, err
	}
	var out []Shifted
	for _, d := range all {
		if one, ok := asked[d.ID]; ok {
			if one.Seen != nil && *one.Seen != d.TargetDate {
				return nil, fault.New(fault.Conflict, "Somebody moved %.60s in the meantime: its target date is %s now. Nothing "+
					"was moved.", d.Abbreviation, d.TargetDate.Told())
			}
			out = append(out, d.shifted(calendars[unitID], weeks))
		}
	}
	if len(out) < len(asked) {
		return nil, fault.New(fault.Missing, "A task to move is not in this unit any more. Nothing was moved.")
	}
	return out, saveShifted(ctx, q, unitID, out)
}

// shifted moves the dates of a definition. A day in a break may land behind one that came after it: then
// work starts no later than its target, and is due no earlier.
func (d Definition) shifted(weeks week.Calendar, by int) Shifted {
	s := Shifted{ID: d.ID, Abbreviation: d.Abbreviation, Name: d.Name, From: DatesOf{d.StartDate, d.TargetDate, d.DueDate}}
	d.StartDate, d.TargetDate = weeks.Shift(d.StartDate, by), weeks.Shift(d.TargetDate, by)
	if d.StartDate.After(d.TargetDate) {
		d.StartDate = d.TargetDate
	}
	if d.DueDate != nil {
		due := weeks.Shift(*d.DueDate, by)
		if due.Before(d.TargetDate) {
			due = d.TargetDate
		}
		d.DueDate = &due
	}
	s.To, s.Definition = DatesOf{d.StartDate, d.TargetDate, d.DueDate}, d
	return s
}

// saveShifted writes the new dates of definitions.
func saveShifted(ctx context.Context, q db.Q, unitID int64, list []Shifted) error {
	rows, entries := make([][]any, len(list)), make([]audit.Entry, len(list))
	for i, s := range list {
		rows[i] = []any{s.ID, s.To.Start, s.To.Target, s.To.Due}
		entries[i] = audit.Entry{Kind: audit.Definition, Action: audit.Changed, UnitID: unitID, RecordID: s.ID,
			Fields: []string{"start_date", "target_date", "due_date"}}
	}
	from, args, err := db.Rows(q, []any{unitID}, []string{"id BIGINT", "start_date DATE", "target_date DATE",
		"due_date DATE"}, rows)
	if err != nil {
		return err
	}
	if _, err := db.Exec(ctx, q, `UPDATE task_definitions SET start_date = v.start_date, target_date = v.target_date,
		due_date = v.due_date FROM `+from+` v WHERE task_definitions.id = v.id AND task_definitions.unit_id = $1`,
		args...); err != nil {
		return err
	}
	if err := audit.Add(ctx, q, entries...); err != nil {
		return err
	}
	return course.TouchUnit(ctx, q, unitID)
}
