package announce

import (
	"context"
	"slices"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
)

// CheckWords trims title and text, and refuses with fault.Invalid what Send would. Whoever may send it
// may ask.
func (n *New) CheckWords() (err error) {
	if n.Title, err = bounds.Trim("title", n.Title, MostTitle); err != nil {
		return err
	}
	if n.Text, err = bounds.Trim("text", n.Text, MostText); err != nil {
		return err
	}
	switch {
	case !bounds.FitsOneLine(n.Title):
		return fault.Field(fault.Invalid, "title", "must be one line")
	case !bounds.FitsLines(n.Text):
		return fault.Field(fault.Invalid, "text", "has characters that cannot be shown")
	case len(n.Key) > mostKey:
		return fault.Field(fault.Invalid, "Idempotency-Key", "has %d characters: the limit is %d", len(n.Key), mostKey)
	}
	return nil
}

// checkAudience tells what is wrong with the audience, finds the name of the tutorial and drops who is
// selected twice.
func (n *New) checkAudience(ctx context.Context, q db.Q) error {
	switch n.Audience {
	case All:
		return nil
	case Tutorial:
		return n.checkTutorial(ctx, q)
	case Selection:
		return n.checkSelection(ctx, q)
	}
	return fault.Field(fault.Invalid, "audience", "must be all, tutorial or selection")
}

func (n *New) checkTutorial(ctx context.Context, q db.Q) error {
	names, err := db.All[string](ctx, q, `SELECT abbreviation FROM tutorials WHERE unit_id = $1 AND id = $2`, n.UnitID,
		n.TutorialID)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return fault.Field(fault.Refused, "tutorial_id", "is no tutorial of this unit")
	}
	n.tutorial = &names[0]
	return nil
}

func (n *New) checkSelection(ctx context.Context, q db.Q) error {
	slices.Sort(n.ProjectIDs)
	n.ProjectIDs = slices.Compact(n.ProjectIDs)
	if len(n.ProjectIDs) == 0 || len(n.ProjectIDs) > MostSelection {
		return fault.Field(fault.Refused, "project_ids", "must name 1 to %d students", MostSelection)
	}
	chosen, args, err := n.chosen(q, []any{n.UnitID})
	if err != nil {
		return err
	}
	strangers, err := db.One[int64](ctx, q, `SELECT count(*) FROM `+chosen+` v WHERE NOT EXISTS (SELECT 1 FROM projects p
		WHERE p.id = v.id AND p.unit_id = $1)`, args...)
	if err == nil && *strangers > 0 {
		err = fault.Field(fault.Refused, "project_ids", "must be students of this unit")
	}
	return err
}
