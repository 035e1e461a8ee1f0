package usecase

import (
	"context"

	"lectern/internal/ground/clock"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/due"
	"lectern/internal/teaching/enrol"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/teaching/week"
	"lectern/internal/teaching/work"
)

// Term is a project with all its tasks, those begun and those not.
type Term struct {
	Project *enrol.ProjectDetail
	Tasks   []TermTask
	Weeks   week.Calendar // of the unit
}

// TermTask is a task in a term, with the definition it follows.
type TermTask struct {
	Definition taskdef.Definition
	work.ProjectTask
	Aimed bool            // the project's target grade asks for it
	Why   due.Explanation // of the due date
}

// TermOf gives the term of a project as who sees it; who must be resolved on it.
// There are no tasks for whoever may not see them.
func TermOf(ctx context.Context, q db.Q, who *access.Caller, projectID int64) (*Term, error) {
	p, err := ProjectRecord(ctx, q, who, projectID)
	if err != nil {
		return nil, err
	}
	t := &Term{Project: p}
	if !who.May(policy.ReadTask) {
		return t, nil
	}
	definitions, err := taskdef.DefinitionsOf(ctx, q, p.UnitID)
	if err != nil {
		return nil, err
	}
	calendars, err := course.Calendars(ctx, q, p.UnitID)
	if err != nil {
		return nil, err
	}
	t.Weeks = calendars[p.UnitID]
	why, err := work.ExplainAll(ctx, q, projectID)
	if err != nil {
		return nil, err
	}
	begun, err := work.TasksOf(ctx, q, projectID, who.ID)
	if err != nil {
		return nil, err
	}
	by := map[int64]work.ProjectTask{}
	for _, b := range begun {
		by[b.DefinitionID] = b
	}
	for _, d := range definitions {
		t.Tasks = append(t.Tasks, TermTask{d, orNotStarted(by, &d), d.TargetGrade <= p.TargetGrade, why[d.ID]})
	}
	return t, nil
}

// orNotStarted gives the task of a definition, as it would be made where there is
// none yet.
func orNotStarted(begun map[int64]work.ProjectTask, d *taskdef.Definition) work.ProjectTask {
	if t, ok := begun[d.ID]; ok {
		return t
	}
	return work.ProjectTask{DefinitionID: d.ID, Status: status.NotStarted, DueDate: due.Dates{Target: d.TargetDate,
		Deadline: d.Due()}.Due()}
}

// TaskDetail is one task with all that hangs on it, as one caller sees it.
type TaskDetail struct {
	Project    *enrol.ProjectDetail
	Definition *taskdef.Definition
	Now        *work.Refreshed
	Due        *due.Explanation
	Submission *submit.Details
	Versions   []clock.Time
	Talk       *work.Conversation
}

// TaskByID gives a task as who sees it, who must be resolved on it, and marks
// nothing read. What was handed in is there for those who may read it.
func TaskByID(ctx context.Context, q db.Q, who *access.Caller, at work.TaskRef) (d *TaskDetail, err error) {
	d = &TaskDetail{Submission: &submit.Details{}}
	if d.Project, err = ProjectRecord(ctx, q, who, at.ProjectID); err != nil {
		return nil, err
	}
	if d.Definition, err = taskdef.DefinitionByID(ctx, q, at.DefinitionID); err != nil {
		return nil, err
	}
	if d.Now, err = work.Refresh(ctx, q, at.ProjectID, at.DefinitionID); err != nil {
		return nil, err
	}
	if d.Due, err = work.Explain(ctx, q, at.ProjectID, at.DefinitionID); err != nil {
		return nil, err
	}
	if d.Talk, err = work.Comments(ctx, q, Reader(who), at, db.Page{}); err != nil {
		return nil, err
	}
	if !who.May(policy.ReadSubmission) {
		return d, nil
	}
	if d.Submission, err = submit.DetailsOf(ctx, q, at.ProjectID, at.DefinitionID); err != nil {
		return nil, err
	}
	d.Versions, err = submit.Timestamps(ctx, q, at.ProjectID, at.DefinitionID)
	return d, err
}

// FilesAskedFor gives what refuses a file that a task has no use for, by the name
// of its part, before it takes room. It refuses who has handed in too often within
// an hour.
func (s *Service) FilesAskedFor(ctx context.Context, who *access.Caller, definitionID int64) (func(field string) error,
	error) {
	asked, err := s.asked(ctx, who, definitionID)
	return asked.Asked, err
}
