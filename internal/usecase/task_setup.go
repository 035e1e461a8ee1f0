package usecase

import (
	"context"

	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/taskdef"
)

// ShiftedTask is a task whose dates move, with what is wrong with the new ones.
type ShiftedTask struct {
	taskdef.Shifted
	Problems []CheckName `json:"problems" doc:"checks that it stands in the way of with its new dates: task_dates, breaks"`
}

// ShiftTasks moves task definitions of a unit by teaching weeks, for whoever holds
// policy.EditDefinitions. It refuses what taskdef.ShiftDefinitions refuses; then none moves.
func (s *Service) ShiftTasks(ctx context.Context, unitID int64, weeks int,
	list []taskdef.ToShift) ([]ShiftedTask, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) ([]ShiftedTask, error) { return shiftTasks(ctx, q, unitID, weeks, list) })
}

// PlanShift tells what ShiftTasks would make of the dates, and changes nothing: it is the same up to the
// commit.
func (s *Service) PlanShift(ctx context.Context, unitID int64, weeks int,
	list []taskdef.ToShift) ([]ShiftedTask, error) {
	return planned(ctx, s.DB, func(q db.Q) ([]ShiftedTask, error) { return shiftTasks(ctx, q, unitID, weeks, list) })
}

// shiftTasks is ShiftTasks in a transaction.
func shiftTasks(ctx context.Context, q db.Q, unitID int64, weeks int, list []taskdef.ToShift) ([]ShiftedTask, error) {
	u, err := course.UnitByID(ctx, q, unitID)
	if err != nil {
		return nil, err
	}
	moved, err := taskdef.ShiftDefinitions(ctx, q, unitID, weeks, list)
	if err != nil {
		return nil, err
	}
	calendars, err := course.Calendars(ctx, q, unitID)
	if err != nil {
		return nil, err
	}
	out := make([]ShiftedTask, len(moved))
	for i, one := range moved {
		out[i] = ShiftedTask{one, []CheckName{}}
		for _, name := range TaskProblems(&one.Definition, u.StartDate, u.EndDate, calendars[unitID]) {
			if name == CheckTaskDates || name == CheckBreaks {
				out[i].Problems = append(out[i].Problems, name)
			}
		}
	}
	return out, nil
}

// DuplicateDefinition makes a second task definition of all that one has, its files included, for
// whoever holds policy.EditDefinitions. Its name and its abbreviation end in "copy".
func (s *Service) DuplicateDefinition(ctx context.Context, id int64) (*taskdef.Definition, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*taskdef.Definition, error) {
		return taskdef.DuplicateDefinition(ctx, q, id)
	})
}
