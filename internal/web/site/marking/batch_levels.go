package marking

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"lectern/internal/platform/db"
	"lectern/internal/teaching/rubric"
	"lectern/internal/teaching/verdict"
)

// readRubric reads by what the tasks of the batch can be given levels.
func (v *verdictsPage) readRubric(ctx context.Context, d *db.DB, tasks []verdict.TaskVersion) error {
	if len(tasks) == 0 || len(tasks) > verdict.Most {
		return nil
	}
	return d.View(ctx, func(q db.Q) (err error) {
		v.By, err = verdict.RubricFor(ctx, q, v.UnitID, tasks)
		return err
	})
}

// levels are those that were picked. None at all leaves every task those it has: a form for many is no place to take
// them back.
func (in verdictsIn) levels() *rubric.Pick {
	if p := in.pick(); p != nil && len(p.Levels) > 0 {
		return p
	}
	return nil
}

// mark stands for what is said of which tasks, however browsers end lines.
func (in verdictsIn) mark() string {
	picked := rubric.Pick{}
	if p := in.levels(); p != nil {
		picked = *p
	}
	text := fmt.Sprintf("%q %q %q %q %v %q", in.Tasks, in.Word, in.Marked(), in.Points(), picked,
		strings.TrimSpace(strings.ReplaceAll(in.Comment, "\r\n", "\n")))
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Mark stands for what was planned, for the form to send back.
func (f *batchForm) Mark() string { return f.Typed.mark() }

// picked are the levels that the form has, as far as the rubric of now has them; nil where there is none.
func picked(by verdict.BatchRubric, in verdictsIn) *rubric.Picked {
	if by.Rubric == nil {
		return nil
	}
	var ids []int64
	if p := in.levels(); p != nil {
		ids = p.Levels
	}
	return stillPicked(by.Rubric, ids)
}

// Picks are the numbers of the levels that are picked.
func (f *batchForm) Picks() map[int64]bool { return levelSet(picked(f.By, *f.Typed)) }

// Sum is what the levels add up to; empty where they do not.
func (f *batchForm) Sum() string {
	if p := picked(f.By, *f.Typed); p != nil && p.Sum != nil {
		return strconv.Itoa(*p.Sum)
	}
	return ""
}

// Summed is the sum where it stands in the field of the points, and Points are what stands there.
func (f *batchForm) Summed() string {
	if f.Typed.Points() != "" {
		return ""
	}
	return f.Sum()
}

// Points are what stands in the field of the points.
func (f *batchForm) Points() string {
	if f.Typed == nil {
		return ""
	}
	return f.Typed.Points() + f.Summed()
}

// ByHand tells whether points were typed that are not the sum.
func (f *batchForm) ByHand() bool {
	typed, sum := f.Typed.Points(), f.Sum()
	return typed != "" && sum != "" && typed != sum
}

// Open tells whether the form is shown at once: where levels could still be picked.
func (f *batchForm) Open() bool { return f.By.Rubric != nil && len(f.Picks()) == 0 }

// Levels are those that the tasks of the batch are given.
func (v *verdictsPage) Levels() []levelPicked {
	if p := picked(v.By, v.verdictsIn); p != nil {
		return named(p.Rubric, p.Levels)
	}
	return nil
}

// LevelsTold tells whether a task is given them.
func (v *verdictsPage) LevelsTold(r verdict.BatchRow) bool { return r.Levels && v.By.Rubric != nil }

// SetByHand tells whether a task that is given levels has other points than they add up to.
func (v *verdictsPage) SetByHand(r verdict.BatchRow) bool {
	p := picked(v.By, v.verdictsIn)
	return r.Levels && p != nil && p.Points != nil && r.Quality != nil && (p.Sum == nil || *p.Sum != *r.Quality)
}

// TakesLevels tells whether the levels of a rubric can be picked on the page.
func (v *verdictsPage) TakesLevels() bool {
	f := v.Form()
	return f != nil && f.By.Rubric != nil
}
