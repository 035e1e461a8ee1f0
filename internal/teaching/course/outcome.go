package course

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/opt"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
)

// Outcome is something students of a unit shall have learned. The numbers of a
// unit's outcomes run from 1 without a gap, whatever is added, moved or deleted:
// every function here that changes them holds the unit while it does.
type Outcome struct {
	ID           int64  `db:"id" json:"id"`
	Number       int64  `db:"ilo_number" json:"ilo_number"`
	Abbreviation string `db:"abbreviation" json:"abbreviation"`
	Name         string `db:"name" json:"name"`
	Description  string `db:"description" json:"description"`
}

// OutcomeChange is what to set of an outcome; nil leaves a value alone.
type OutcomeChange struct {
	Name, Description, Abbreviation *string
	Number                          *int64
	Seen                            *OutcomeChange // the outcome as it was seen; nil: it does not matter
}

// outcomeFields are those that a change of an outcome sets, by the names the API has for them.
var outcomeFields = []string{"ilo_number", "abbreviation", "name", "description"}

// clashes refuses a change of values that somebody else changed since whoever makes it saw them, to
// something else than they are to be.
func (c OutcomeChange) clashes(o Outcome) error {
	if c.Seen == nil {
		return nil
	}
	before := c.Seen.merge(o)
	after := c.merge(before)
	is, was, to := db.Values(&o, outcomeFields), db.Values(&before, outcomeFields), db.Values(&after, outcomeFields)
	var wrong fault.Fields
	for i, name := range outcomeFields {
		Clash(&wrong, name, is[i], was[i], to[i])
	}
	return wrong.Err(fault.Conflict)
}

const outcomeColumns = `id, ilo_number, abbreviation, name, description`

// OutcomesOf lists the outcomes of a unit by their numbers.
func OutcomesOf(ctx context.Context, q db.Q, unitID int64) ([]Outcome, error) {
	return db.All[Outcome](ctx, q, `SELECT `+outcomeColumns+` FROM learning_outcomes WHERE unit_id = $1
		ORDER BY ilo_number, id`, unitID)
}

// OutcomeByID gives an outcome of a unit.
func OutcomeByID(ctx context.Context, q db.Q, unitID, id int64) (*Outcome, error) {
	return db.OneOf[Outcome](ctx, q, "learning outcome in this unit", `SELECT `+outcomeColumns+`
		FROM learning_outcomes WHERE id = $1 AND unit_id = $2`, id, unitID)
}

// heldOutcomes gives the outcomes of a unit, which nobody else changes until
// the transaction ends.
func heldOutcomes(ctx context.Context, q db.Q, unitID int64) (outcomes, error) {
	if err := db.Lock(ctx, q, "units", unitID); err != nil {
		return nil, err
	}
	return OutcomesOf(ctx, q, unitID)
}

// AddOutcome puts an outcome behind the others of the unit. One without an abbreviation gets
// the first free of ILO1, ILO2, ... from its own number on. It is for holders of
// policy.EditOutcomes, and fault.Conflict for an abbreviation that is taken.
func AddOutcome(ctx context.Context, q db.Q, unitID int64, o Outcome) (*Outcome, error) {
	all, err := heldOutcomes(ctx, q, unitID)
	if err != nil {
		return nil, err
	}
	o.trim()
	if o.Abbreviation == "" {
		o.Abbreviation = all.free()
	}
	if err := all.fits(o); err != nil {
		return nil, err
	}
	made, err := db.One[Outcome](ctx, q, `INSERT INTO learning_outcomes (unit_id, ilo_number, abbreviation, name,
		description) VALUES ($1, $2, $3, $4, $5) RETURNING `+outcomeColumns, unitID, len(all)+1, o.Abbreviation, o.Name,
		o.Description)
	if err != nil {
		return nil, err
	}
	return made, audit.Add(ctx, q, audit.Entry{Kind: audit.Outcome, Action: audit.Created, UnitID: unitID,
		RecordID: made.ID})
}

// ChangeOutcome changes one. A new number moves it there and the ones between by one, so it
// must be one of the numbers in use. It is for holders of policy.EditOutcomes, fault.Missing
// for one of another unit, and fault.Conflict for an abbreviation that is taken and for values that are
// no longer what c.Seen says.
func ChangeOutcome(ctx context.Context, q db.Q, unitID, id int64, c OutcomeChange) (*Outcome, error) {
	all, err := heldOutcomes(ctx, q, unitID)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(o Outcome) bool { return o.ID == id })
	if i < 0 {
		return nil, fault.New(fault.Missing, "There is no such learning outcome in this unit.")
	}
	if err := c.clashes(all[i]); err != nil {
		return nil, err
	}
	o := c.merge(all[i])
	if err := all.fits(o); err != nil {
		return nil, err
	}
	if o.Number < 1 || o.Number > int64(len(all)) {
		return nil, fault.Field(fault.Refused, "ilo_number", "must be from 1 to %d, the number of outcomes of the "+
			"unit", len(all))
	}
	if err := moveOutcome(ctx, q, unitID, id, all[i].Number, o.Number); err != nil {
		return nil, err
	}
	if err := audit.Add(ctx, q, audit.Entry{Kind: audit.Outcome, Action: audit.Changed, UnitID: unitID, RecordID: id,
		Fields: audit.Diff(all[i], o)}); err != nil {
		return nil, err
	}
	return db.One[Outcome](ctx, q, `UPDATE learning_outcomes SET abbreviation = $2, name = $3, description = $4
		WHERE id = $1 RETURNING `+outcomeColumns, id, o.Abbreviation, o.Name, o.Description)
}

// moveOutcome gives an outcome another number and shifts those it passes.
func moveOutcome(ctx context.Context, q db.Q, unitID, id, from, to int64) error {
	if from == to {
		return nil
	}
	first, last, step := from, to, -1
	if to < from {
		first, last, step = to, from, 1
	}
	_, err := db.Exec(ctx, q, `UPDATE learning_outcomes
		SET ilo_number = CASE WHEN id = $2 THEN CAST($3 AS BIGINT) ELSE ilo_number + CAST($4 AS BIGINT) END
		WHERE unit_id = $1 AND ilo_number BETWEEN $5 AND $6`, unitID, id, to, step, first, last)
	return err
}

// DeleteOutcome removes one with its alignments and closes the gap it leaves. It is for holders
// of policy.EditOutcomes, and fault.Missing for one of another unit.
func DeleteOutcome(ctx context.Context, q db.Q, unitID, id int64) error {
	if err := db.Lock(ctx, q, "units", unitID); err != nil {
		return err
	}
	number, err := db.OneOf[int64](ctx, q, "learning outcome in this unit",
		`DELETE FROM learning_outcomes WHERE unit_id = $1 AND id = $2 RETURNING ilo_number`, unitID, id)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, q, `UPDATE learning_outcomes SET ilo_number = ilo_number - 1 WHERE unit_id = $1
		AND ilo_number > $2`, unitID, *number)
	if err != nil {
		return err
	}
	return audit.Add(ctx, q, audit.Entry{Kind: audit.Outcome, Action: audit.Deleted, UnitID: unitID, RecordID: id})
}

func (c OutcomeChange) merge(o Outcome) Outcome {
	opt.Set(&o.Name, c.Name)
	opt.Set(&o.Description, c.Description)
	opt.Set(&o.Abbreviation, c.Abbreviation)
	opt.Set(&o.Number, c.Number)
	o.trim()
	return o
}

// trim takes the blanks around the short texts away: a sheet shows none, and an
// outcome is found in it by its abbreviation.
func (o *Outcome) trim() {
	o.Abbreviation, o.Name = strings.TrimSpace(o.Abbreviation), strings.TrimSpace(o.Name)
}

// The most characters a text may have, so that a page can show it.
const (
	maxShort = 255
	maxLong  = 4095
)

func (o *Outcome) check() error {
	var wrong fault.Fields
	needed(&wrong, "abbreviation", o.Abbreviation, maxShort)
	needed(&wrong, "name", o.Name, maxShort)
	needed(&wrong, "description", o.Description, maxLong)
	return wrong.Err(fault.Refused)
}

// outcomes are all those of one unit.
type outcomes []Outcome

// named gives the place of an abbreviation, -1 when it is free.
func (all outcomes) named(abbreviation string) int {
	return slices.IndexFunc(all, func(o Outcome) bool { return o.Abbreviation == abbreviation })
}

// free gives an abbreviation that no outcome has.
func (all outcomes) free() string {
	for n := len(all) + 1; ; n++ {
		if a := fmt.Sprintf("ILO%d", n); all.named(a) < 0 {
			return a
		}
	}
}

// fits tells what keeps o from standing among the others.
func (all outcomes) fits(o Outcome) error {
	if err := o.check(); err != nil {
		return err
	}
	if i := all.named(o.Abbreviation); i >= 0 && all[i].ID != o.ID {
		return fault.New(fault.Conflict, "Outcome %d of this unit already has the abbreviation %s. Choose another.",
			all[i].Number, o.Abbreviation)
	}
	return nil
}
