package verdict

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/platform/events"
	"lectern/internal/teaching/work"
)

// checkPointed puts the places in front of the words of the comments that have one, and refuses
// what is wrong with them. What was sent stays as it is: a transaction may be tried again.
func (v *Verdict) checkPointed() error {
	if len(v.Pointed) > work.MaxPointed {
		return fault.Field(fault.Invalid, "comments", "are %d: the limit is %d", len(v.Pointed), work.MaxPointed)
	}
	v.Pointed = slices.Clone(v.Pointed)
	for i := range v.Pointed {
		err := v.Pointed[i].Check()
		if e, ok := errors.AsType[*fault.Error](err); ok {
			return e.Renamed(func(field string) string { return fmt.Sprintf("comments[%d][%s]", i, field) })
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// point adds the comments with a place. Where no words come with them, the last of them is what
// people are told of: they came as one.
func (v Verdict) point(ctx context.Context, q db.Q, by work.Mover, list []*decision) error {
	if len(v.Pointed) == 0 {
		return nil
	}
	r := list[0] // a batch has none
	var err error
	if r.pointed, err = work.Point(ctx, q, by.UserID, r.Own, r.id, v.Pointed); err != nil || v.Comment != "" {
		return err
	}
	return events.Add(ctx, q, spoken(by, r.Own, r.around, r.pointed[len(r.pointed)-1], "created")...)
}

// ticked tells whether somebody has ticked one of the comments that came with the verdict.
func (u *undoing) ticked() bool {
	return slices.ContainsFunc(u.points, func(c work.PointedComment) bool { return c.DoneAt != nil })
}

// pointings are the comments with a place as they go back to who wrote them.
func (u *undoing) pointings() []work.Pointing {
	out := make([]work.Pointing, len(u.points))
	for i, c := range u.points {
		out[i] = c.Pointing
	}
	return out
}

// said are the comments that came with the verdict, its own words last.
func (u *undoing) said() []int64 {
	var out []int64
	for _, c := range u.points {
		out = append(out, c.ID)
	}
	if u.CommentID != nil {
		out = append(out, *u.CommentID)
	}
	return out
}
