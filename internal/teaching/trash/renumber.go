package trash

import (
	"cmp"
	"context"
	"slices"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

// Numbers tell the order in which rows were made, and the audit log has some of them beside names. What is shown by its
// number therefore gets a new one under a pseudonym, in an order that tells only whose it is: comments, tests and
// similarities. The old numbers are in the archive and come back with what they were given to.

// assessments are the tests of submissions, similarities what of a task is alike.
const assessments, similarities = "assessments", "task_similarities"

// putAnew writes rows of a table under new numbers where numbers would tell who is who.
func (v *veil) putAnew(ctx context.Context, q db.Q, d *Restored, t *table, rows []row) error {
	switch t.name {
	case assessments:
		return v.putAssessments(ctx, q, d, t, rows)
	case similarities:
		return v.putSimilarities(ctx, q, d, t, rows)
	case comments:
		return v.putComments(ctx, q, d, t, rows)
	case places:
		for _, r := range rows {
			if id, there := v.said[r.id("task_comment_id")]; there { // else it is left out
				r["task_comment_id"] = id
			}
		}
	}
	return d.put(ctx, q, t, rows)
}

func (v *veil) putAssessments(ctx context.Context, q db.Q, d *Restored, t *table, rows []row) error {
	slices.SortFunc(rows, func(a, c row) int {
		return cmp.Compare(v.moments[handins][a.id("submission_id")], v.moments[handins][c.id("submission_id")])
	})
	was, of := map[int64]int64{}, make([]int64, len(rows)) // by submission, which has one
	for i, r := range rows {
		was[r.id("submission_id")], of[i] = r.id("id"), r.id("submission_id")
		delete(r, "id")
	}
	if err := d.put(ctx, q, t, rows); err != nil {
		return err
	}
	list, args, err := idList(q, nil, of)
	if err != nil {
		return err
	}
	for a, err := range db.Each[struct {
		ID           int64 `db:"id"`
		SubmissionID int64 `db:"submission_id"`
	}](ctx, q, `SELECT id, submission_id FROM assessments WHERE submission_id IN `+list, args...) {
		if err != nil {
			return err
		}
		v.tests[was[a.SubmissionID]] = a.ID
	}
	return nil
}

// putSimilarities leaves those of other units, whose work stays as it is, their numbers.
func (v *veil) putSimilarities(ctx context.Context, q db.Q, d *Restored, t *table, rows []row) error {
	mine := map[int64]bool{}
	for _, id := range v.tasks {
		mine[id] = true
	}
	slices.SortFunc(rows, func(a, c row) int {
		return cmp.Or(cmp.Compare(a.id("task_id"), c.id("task_id")), cmp.Compare(a.id("id"), c.id("id")))
	})
	var anew, others []row
	for _, r := range rows {
		if !mine[r.id("task_id")] {
			others = append(others, r)
			continue
		}
		delete(r, "id")
		anew = append(anew, r)
	}
	for _, some := range [][]row{anew, others} {
		if len(some) == 0 {
			continue
		}
		if err := d.put(ctx, q, t, some); err != nil {
			return err
		}
	}
	return nil
}

// putComments finds the new numbers by the moments, of which each comment has its own.
func (v *veil) putComments(ctx context.Context, q db.Q, d *Restored, t *table, rows []row) error {
	slices.SortFunc(rows, func(a, c row) int {
		return cmp.Or(cmp.Compare(a.id("task_id"), c.id("task_id")), cmp.Compare(a.text("created_at"), c.text("created_at")))
	})
	was, answers, of := map[string]int64{}, map[int64]int64{}, make([]int64, len(rows))
	for i, r := range rows {
		id := r.id("id")
		was[r.text("created_at")], of[i] = id, r.id("task_id")
		if to := r.id("reply_to_id"); to != 0 {
			answers[id], r["reply_to_id"] = to, nil
		}
		if a := r.id("assessment_id"); a != 0 {
			r["assessment_id"] = none(v.tests[a])
		}
		delete(r, "id")
	}
	if err := d.put(ctx, q, t, rows); err != nil {
		return err
	}
	slices.Sort(of)
	list, args, err := idList(q, nil, slices.Compact(of))
	if err != nil {
		return err
	}
	for c, err := range db.Each[struct {
		ID int64      `db:"id"`
		At clock.Time `db:"created_at"`
	}](ctx, q, `SELECT id, created_at FROM task_comments WHERE task_id IN `+list, args...) {
		if err != nil {
			return err
		}
		v.said[was[c.At.String()]] = c.ID
	}
	var replies []row
	for id, to := range answers {
		replies = append(replies, row{"id": v.said[id], "reply_to_id": v.said[to]})
	}
	if len(replies) == 0 {
		return nil
	}
	return relink(ctx, q, &table{name: comments, relink: "reply_to_id", key: []string{"id"}}, replies)
}
