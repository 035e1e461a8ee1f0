package unit

import (
	"context"
	"net/url"
	"strconv"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

func (s *room) taskMoveRoutes() {
	page.Form(s.Site, links.TaskEditor+"/move", policy.EditDefinitions, "Move a task to an earlier or a later week",
		s.moveTask, taskAsks, endpoint.Audited(audit.Definition))
	page.Form(s.Site, links.TaskEditor+"/duplicate", policy.EditDefinitions, "Make a second task of all that one has",
		s.duplicateTask, endpoint.Audited(audit.Definition))
	page.Form(s.Site, links.TaskSetup+"/shift", policy.EditDefinitions, "Plan to move many tasks by weeks, or move them",
		s.shiftTasks, taskAsks, endpoint.Audited(audit.Definition))
}

type moveTaskIn struct {
	taskIn
	Weeks int `param:"weeks"`
}

// moveTask moves one task by weeks, at once: the list then offers the way back.
func (s *room) moveTask(ctx context.Context, who *access.Caller, in moveTaskIn) (endpoint.Drawing, error) {
	_, err := s.Usecases.ShiftTasks(ctx, in.UnitID, in.Weeks, []taskdef.ToShift{{ID: in.DefinitionID}})
	if err != nil {
		return s.tasksAgain(ctx, who, in.UnitID, err)
	}
	return endpoint.Redirect{To: links.To(links.TaskSetup, in.UnitID) + "?" + url.Values{"done": {"moved"},
		"about": {strconv.FormatInt(in.DefinitionID, 10)}, "weeks": {strconv.Itoa(in.Weeks)}}.Encode() + "#task-" +
		strconv.FormatInt(in.DefinitionID, 10)}, nil
}

// tasksAgain draws the list with what was wrong.
func (s *room) tasksAgain(ctx context.Context, who *access.Caller, unitID int64, why error) (endpoint.Drawing, error) {
	v, err := s.readTasks(ctx, who, unitID, tasksIn{}, nil)
	if err != nil {
		return nil, err
	}
	return s.Again(s.Refusal(who, "task-setup", s.Word("task-setup.title"), v), why)
}

func (s *room) duplicateTask(ctx context.Context, _ *access.Caller, in taskIn) (endpoint.Drawing, error) {
	d, err := s.Usecases.DuplicateDefinition(ctx, in.DefinitionID)
	if err != nil {
		return nil, err
	}
	return endpoint.Redirect{To: links.To(links.TaskEditor, in.UnitID, d.ID) + "?saved=1"}, nil
}

// shiftTasksIn says which tasks are to move, and by how many weeks.
type shiftTasksIn struct {
	ID     int64     `path:"id" scope:"unit"`
	Chosen []int64   `param:"chosen"`
	Weeks  string    `param:"weeks"`
	Later  string    `param:"way"`   // later or earlier
	Tasks  []toShift `param:"tasks"` // those of a plan that was shown
}

// toShift is a task of a plan, with the target date that was shown.
type toShift struct {
	ID     int64      `param:"id"`
	Target clock.Date `param:"target"`
}

// shiftPage is what a shift would come to.
type shiftPage struct {
	UnitID int64
	Weeks  int
	Tasks  []shiftRow
	List   string
}

// shiftRow is a task that moves, with what is wrong with its new dates.
type shiftRow struct {
	usecase.ShiftedTask
	Problems []string
}

// shiftTasks shows what would move, and with the plan moves it.
func (s *room) shiftTasks(ctx context.Context, who *access.Caller, in shiftTasksIn) (endpoint.Drawing, error) {
	weeks, err := strconv.Atoi(in.Weeks)
	if err != nil {
		return s.tasksAgain(ctx, who, in.ID, fault.New(fault.Refused, "%s", s.Word("task-setup.weeks-number")))
	}
	if in.Later == "earlier" {
		weeks = -weeks
	}
	list := make([]taskdef.ToShift, 0, len(in.Chosen))
	for _, id := range in.Chosen {
		list = append(list, taskdef.ToShift{ID: id})
	}
	shift := s.Usecases.PlanShift
	if len(in.Tasks) > 0 {
		shift, list = s.Usecases.ShiftTasks, nil
		for _, one := range in.Tasks {
			list = append(list, taskdef.ToShift{ID: one.ID, Seen: &one.Target})
		}
	}
	if len(list) == 0 {
		return s.tasksAgain(ctx, who, in.ID, fault.New(fault.Refused, "%s", s.Word("task-setup.choose")))
	}
	moved, err := shift(ctx, in.ID, weeks, list)
	switch {
	case err != nil:
		return s.tasksAgain(ctx, who, in.ID, err)
	case len(in.Tasks) > 0:
		return endpoint.Redirect{To: links.To(links.TaskSetup, in.ID) + "?done=shifted"}, nil
	}
	v := &shiftPage{UnitID: in.ID, Weeks: weeks, List: links.To(links.TaskSetup, in.ID)}
	for _, one := range moved {
		row := shiftRow{ShiftedTask: one}
		for _, name := range one.Problems {
			row.Problems = append(row.Problems, s.Word("task-setup.problem-"+string(name)))
		}
		v.Tasks = append(v.Tasks, row)
	}
	return s.Titled(who, "task-shift", s.Word("task-setup.shift-title"), v), nil
}

// Back is how many weeks the task that moved just now moves back.
func (v *tasksPage) Back() int {
	weeks, err := strconv.Atoi(v.Weeks)
	if v.Done != "moved" || err != nil {
		return 0
	}
	return -weeks
}

// Moved is the task that moved just now; nil: none did.
func (v *tasksPage) Moved() *taskdef.Definition {
	for i, d := range v.All {
		if v.Back() != 0 && strconv.FormatInt(d.ID, 10) == v.About {
			return &v.All[i]
		}
	}
	return nil
}
