package usecase

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/trash"
	"lectern/internal/teaching/work"
)

// RetirementArgs ask for a retirement to be carried out, or undone, as it says.
type RetirementArgs struct {
	UnitID int64 `json:"unit_id"`
	ID     int64 `json:"id"`
}

// Kind implements jobs.Args.
func (RetirementArgs) Kind() string { return "retirement" }

// RetirementLimits are those of the jobs that carry retirements out.
var RetirementLimits = jobs.Limits{Timeout: 6 * time.Hour, Concurrency: 1}

// RetireUnit decides what becomes of the work of a unit that is over, for whoever holds policy.DeleteWork in it. What
// is deleted or anonymised goes a task at a time, by a job, and can be restored for 30 days; the students are told
// once all of it is done. See trash.Retire for what is refused.
func (s *Service) RetireUnit(ctx context.Context, who *access.Caller, unitID int64, in trash.Intent) (*trash.Retirement,
	error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*trash.Retirement, error) {
		r, err := trash.Retire(ctx, q, unitID, who.ID, in)
		if err != nil {
			return nil, err
		}
		if err := audit.Add(ctx, q, audit.Entry{Kind: audit.Unit, Action: "retired_" + string(in.Plan), ActorID: who.ID,
			UnitID: unitID, RecordID: r.ID}); err != nil || r.State == trash.Done {
			return r, err
		}
		_, err = jobs.Enqueue(ctx, q, RetirementArgs{unitID, r.ID}, jobs.Options{})
		return r, err
	})
}

// UndoRetirement brings back what a retirement deleted or anonymised, by a job, for whoever holds policy.DeleteWork in
// the unit. It is fault.Conflict unless it is done and not older than 30 days. The students are told.
func (s *Service) UndoRetirement(ctx context.Context, who *access.Caller, unitID, id int64) (*trash.Retirement, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*trash.Retirement, error) {
		r, err := trash.Unretire(ctx, q, unitID, id)
		if err != nil {
			return nil, err
		}
		if err := audit.Add(ctx, q, audit.Entry{Kind: audit.Unit, Action: "retirement_undone", ActorID: who.ID,
			UnitID: unitID, RecordID: id}); err != nil {
			return nil, err
		}
		_, err = jobs.Enqueue(ctx, q, RetirementArgs{unitID, id}, jobs.Options{})
		return r, err
	})
}

// CarryOutRetirement deletes, anonymises or brings back the work of a unit, each task in a transaction of its own, so
// that nobody waits long. Begun again it goes on where it stopped.
func (s *Service) CarryOutRetirement(ctx context.Context, j jobs.Job, a RetirementArgs) error {
	r, err := trash.RetirementByID(ctx, s.DB.Pool(), a.UnitID, a.ID)
	if fault.Is(err, fault.Missing) {
		return nil // the unit is gone
	}
	if err != nil {
		return err
	}
	switch r.State {
	case trash.Running:
		return s.deleteRetired(ctx, r)
	case trash.Undoing:
		return s.restoreRetired(ctx, r, j.Attempt > 1)
	}
	return nil
}

func (s *Service) deleteRetired(ctx context.Context, r *trash.Retirement) error {
	for last := false; !last; {
		err := s.DB.Tx(ctx, func(q db.Q) error {
			step, err := trash.RetireStep(ctx, q, r)
			if err != nil {
				return err
			}
			if last = step.Last; last {
				return s.tellRetired(ctx, q, r)
			}
			if err := submit.Resume(ctx, q, r.UnitID, step.Documents); err != nil {
				return err
			}
			return recounted(ctx, q, step.Tasks)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// recounted brings up to date what is counted of tasks whose comments went or came back. What is counted of statuses
// is as it was.
func recounted(ctx context.Context, q db.Q, tasks []int64) error {
	if len(tasks) == 0 {
		return nil
	}
	return work.RecountNews(ctx, q, tasks...)
}

// recountedOf does the same for all tasks of a definition.
func recountedOf(ctx context.Context, q db.Q, definitionID int64) error {
	tasks, err := db.All[int64](ctx, q, `SELECT id FROM tasks WHERE task_definition_id = $1 ORDER BY id`, definitionID)
	if err != nil {
		return err
	}
	return recounted(ctx, q, tasks)
}

// restoreRetired brings back what a retirement changed, and tells those whose work is back. What an earlier try brought
// back before it was interrupted is not in the archive any more: then all are told who have work in the unit again.
func (s *Service) restoreRetired(ctx context.Context, r *trash.Retirement, again bool) error {
	pieces, err := trash.Pieces(ctx, s.DB.Pool(), r.ID)
	if err != nil {
		return err
	}
	told := map[int64]trash.Student{}
	for _, id := range pieces {
		var back *trash.Restored
		err := s.DB.Tx(ctx, func(q db.Q) (err error) {
			if back, err = trash.Restore(ctx, q, r.UnitID, id); err != nil {
				return err
			}
			return settle(ctx, q, back)
		})
		switch {
		case err == nil:
			for _, one := range back.Students {
				told[one.ProjectID] = one
			}
		// What cannot come back, as its task was deleted since, stays on the list of what was deleted.
		case !fault.Is(err, fault.Conflict) && !fault.Is(err, fault.Missing):
			return err
		}
	}
	return s.DB.Tx(ctx, func(q db.Q) error {
		if err := trash.EndUnretire(ctx, q, r.ID); err != nil {
			return err
		}
		if again {
			before, err := trash.WithWork(ctx, q, r.UnitID)
			if err != nil {
				return err
			}
			for _, one := range before {
				told[one.ProjectID] = one
			}
		}
		students := slices.SortedFunc(maps.Values(told), func(a, b trash.Student) int {
			return cmp.Compare(a.ProjectID, b.ProjectID)
		})
		return s.tellOf(ctx, q, r, students, true)
	})
}

// tellRetired tells those whose work a retirement deleted or anonymised.
func (s *Service) tellRetired(ctx context.Context, q db.Q, r *trash.Retirement) error {
	students, err := trash.RetiredStudents(ctx, q, r.ID)
	if err != nil {
		return err
	}
	return s.tellOf(ctx, q, r, students, false)
}

func (s *Service) tellOf(ctx context.Context, q db.Q, r *trash.Retirement, students []trash.Student,
	restored bool) error {
	u, err := course.UnitByID(ctx, q, r.UnitID)
	if err != nil {
		return err
	}
	who := &access.Caller{ID: r.UserID}
	return s.tellStudents(ctx, q, who, &trash.Deletion{ID: r.ID, UnitID: r.UnitID, Kind: trash.TaskWork,
		RecordID: r.UnitID, Name: u.Code + " " + u.Name, At: r.At, KeptUntil: r.KeptUntil, Plan: &r.Plan}, students, restored)
}
