package moderation

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/rubric"
	"lectern/internal/teaching/work"
)

// Settling is what a convenor says of a difference.
type Settling struct {
	Stands Stands
	Given  Given  // where neither of both stands
	Reason string // for the staff; it must be given
}

// Difference is one that may be settled, held until the transaction ends.
type Difference struct {
	TaskID   int64
	At       work.TaskRef
	Given    Given        // what stands
	Rubric   *rubric.Pick // the levels of it; nil: none
	Keeps    bool         // it is the first: the student's task stays as it is
	row      *row
	settling Settling
}

func (r *Settling) check() error {
	r.Reason = strings.TrimSpace(r.Reason)
	var wrong fault.Fields
	wrong.When(!slices.Contains(Stands("").Enum(), string(r.Stands)), "stands", "must be first, second or other")
	wrong.When(r.Reason == "", "reason", "must be given")
	wrong.When(utf8.RuneCountInString(r.Reason) > mostText, "reason", "must have at most %d characters", mostText)
	return wrong.Err(fault.Refused)
}

// Differ finds the difference that somebody settles, and holds it, for holders of policy.Moderate. A work without one
// is fault.Conflict, which says what became of it.
func Differ(ctx context.Context, q db.Q, who Reader, unitID, id int64, settling Settling) (*Difference, error) {
	if err := settling.check(); err != nil {
		return nil, err
	}
	r, err := held(ctx, q, who, unitID, id)
	if err != nil {
		return nil, err
	}
	switch state := r.state(); {
	case r.Own:
		return nil, fault.New(fault.Missing, "This work is in no sample that you mark.")
	case state == Waits:
		return nil, fault.New(fault.Conflict, "Nobody marked this work a second time yet, so there is nothing to settle.")
	case state == Agreed:
		return nil, fault.New(fault.Conflict, "Both marks are the same, so there is nothing to settle.")
	case state == Settled:
		return nil, fault.New(fault.Conflict, "%s settled this in the meantime (%q), so yours is not saved.",
			*r.SettledName, *r.Reason)
	}
	d := &Difference{TaskID: r.TaskID, At: work.TaskRef{ProjectID: r.ProjectID, DefinitionID: r.DefinitionID},
		Keeps: settling.Stands == StandsFirst, row: r, settling: settling}
	switch settling.Stands {
	case StandsFirst:
		d.Given = r.first()
	case StandsSecond:
		d.Given = r.second()
	default:
		if d.Given, err = r.fit(ctx, q, settling.Given); err != nil {
			return nil, err
		}
	}
	if len(d.Given.Levels) > 0 && r.RubricID != nil {
		d.Rubric = &rubric.Pick{RubricID: *r.RubricID, Levels: d.Given.Levels, Kept: true}
	}
	return d, nil
}

// Settle keeps what stands, and puts it on record, for holders of policy.Moderate. Where it is not the first, the
// student's task has been given it in the same transaction.
func (d *Difference) Settle(ctx context.Context, q db.Q, who Reader) (*Work, error) {
	text, err := d.Given.Levels.Value()
	if err != nil {
		return nil, err
	}
	if _, err := db.Exec(ctx, q, `UPDATE moderation_works SET stands = $2, reason = $3, settled_status = $4,
			settled_grade = $5, settled_quality = $6, settled_levels = $7, settled_by = $8, settled_at = $9 WHERE id = $1`,
		d.row.ID, string(d.settling.Stands), d.settling.Reason, string(d.Given.Status), d.Given.Grade, d.Given.Quality, text,
		who.UserID, q.Now()); err != nil {
		return nil, err
	}
	if err := d.row.record(ctx, q, "settled_"+string(d.settling.Stands)); err != nil {
		return nil, err
	}
	return ByID(ctx, q, who, d.row.UnitID, d.row.ID)
}
