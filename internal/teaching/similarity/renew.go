package similarity

import (
	"context"

	"slices"

	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
)

// RenewArgs ask for all work of a task to be compared anew, in all terms, as when
// what was handed out for it has changed.
type RenewArgs struct {
	First int64 `json:"task_definition_id"`
}

// Kind implements jobs.Args.
func (RenewArgs) Kind() string { return "similarity renewal" }

// Changed follows a change of definitions, or of what is handed out for them, in its
// transaction: where their work is compared, that is done anew.
func Changed(ctx context.Context, q db.Q, definitionIDs ...int64) error {
	if len(definitionIDs) == 0 {
		return nil
	}
	in, args := db.In(nil, definitionIDs)
	firsts, err := db.All[int64](ctx, q, `SELECT DISTINCT coalesce(d.first_id, d.id) FROM task_definitions d
		WHERE d.id IN `+in+` AND d.upload_requirements LIKE '%"tii_check":true%'
		AND EXISTS (SELECT 1 FROM tasks t JOIN submissions s ON s.task_id = t.id WHERE t.task_definition_id = d.id)`,
		args...)
	if err != nil || len(firsts) == 0 {
		return err
	}
	list := make([]RenewArgs, len(firsts))
	for i, id := range firsts {
		list[i] = RenewArgs{id}
	}
	return jobs.EnqueueAll(ctx, q, list)
}

// Renew is the worker of RenewArgs.
func (s *Service) Renew(ctx context.Context, _ jobs.Job, a RenewArgs) error {
	if err := s.DB.Tx(ctx, func(q db.Q) error { return s.askMissing(ctx, q, a.First) }); err != nil {
		return err
	}
	return s.eachPart(ctx, a.First, s.renew)
}

// askMissing has work compared that was handed in while the task did not ask for it.
func (s *Service) askMissing(ctx context.Context, q db.Q, first int64) error {
	type missing struct {
		ID     int64 `db:"id"`
		UnitID int64 `db:"unit_id"`
		UserID int64 `db:"user_id"`
	}
	list, err := db.All[missing](ctx, q, `SELECT s.id, s.unit_id, s.user_id FROM task_definitions d
		JOIN tasks t ON t.task_definition_id = d.id JOIN submissions s ON s.task_id = t.id
		WHERE (d.id = $1 OR d.first_id = $1) AND d.upload_requirements LIKE '%"tii_check":true%' AND s.at >= $2
		AND NOT EXISTS (SELECT 1 FROM similarity_prints p WHERE p.submission_id = s.id) AND `+somebodys+`
		ORDER BY s.id`, first, s.expired(q))
	if err != nil {
		return err
	}
	ask, whose := make([]Args, len(list)), map[int64]jobs.For{}
	for i, m := range list {
		ask[i], whose[m.ID] = Args{m.ID}, jobs.For{Unit: m.UnitID, Person: m.UserID}
	}
	return jobs.EnqueueEach(ctx, q, ask, func(a Args) jobs.For { return whose[a.SubmissionID] })
}

// renew compares a part of all works anew: the pairs that are known, whatever
// becomes of them, and those that are near by now.
func (s *Service) renew(ctx context.Context, key classKey) error {
	c, err := s.open(ctx, key)
	if err != nil {
		return err
	}
	defer c.Unlock()
	list, err := s.known(ctx, key)
	if err != nil {
		return err
	}
	was, known := map[[2]int64]bool{}, [][2]int64{}
	for _, p := range list {
		pair := [2]int64{p.Left, p.Right}
		was[pair] = true
		if c.index.Has(p.Left) && c.index.Has(p.Right) {
			known = append(known, pair)
		}
	}
	if err := s.again(ctx, c, known, 0); err != nil {
		return err
	}
	var fresh [][2]int64
	for _, id := range slices.Sorted(slices.Values(c.index.IDs())) {
		for _, pair := range c.nearest(id) {
			if !was[pair] {
				was[pair] = true
				fresh = append(fresh, pair)
			}
		}
	}
	if err := s.again(ctx, c, fresh, leastPct); err != nil {
		return err
	}
	return s.saveCore(ctx, c)
}
