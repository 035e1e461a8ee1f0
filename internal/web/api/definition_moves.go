package api

import (
	"context"

	"lectern/internal/ground/clock"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

func (s *Server) definitionMoveRoutes() {
	endpoint.Route(s.Server, "POST /api/units/{unit_id}/task_definitions/shift", 200, policy.EditDefinitions,
		"Move the dates of many task definitions by teaching weeks, or plan it", s.shiftDefinitions,
		endpoint.Audited(audit.Definition), endpoint.Shaped[[]taskdef.ToShift]("tasks"),
		endpoint.Also(404, "a task is not in this unit"),
		endpoint.Also(409, "the target date of a task is no longer what was seen"),
		endpoint.Also(422, "no task, or no number of weeks"))
	endpoint.Route(s.Server, "POST /api/units/{unit_id}/task_definitions/{id}/duplicate", 201, policy.EditDefinitions,
		"Make a second task definition of all that one has, its files included", s.duplicateDefinition,
		endpoint.Audited(audit.Definition), endpoint.Location("/api/units/{unit_id}/task_definitions/{.id}"))
}

type shiftIn struct {
	UnitID int64                    `path:"unit_id" scope:"unit"`
	Weeks  int                      `param:"weeks,required" doc:"teaching weeks, to 52 later or -52 earlier; breaks are skipped"`
	Tasks  params.JSON[[]shiftTask] `param:"tasks,required" doc:"the tasks that move"`
	DryRun bool                     `param:"dry_run" doc:"tell what would become of the dates and change nothing"`
}

// shiftTask names a definition that is to move.
type shiftTask struct {
	ID         int64                  `param:"id,required" doc:"of a task of this unit"`
	TargetDate params.Opt[clock.Date] `param:"target_date" faults:"none" doc:"as you saw it; if it changed, nothing moves"`
}

type shiftOut struct {
	Tasks []usecase.ShiftedTask `json:"tasks" doc:"those that move, or would"`
}

func (s *Server) shiftDefinitions(ctx context.Context, _ *access.Caller, in shiftIn) (*shiftOut, error) {
	list := make([]taskdef.ToShift, len(in.Tasks.V))
	for i, one := range in.Tasks.V {
		list[i] = taskdef.ToShift{ID: one.ID, Seen: one.TargetDate.Ptr()}
	}
	shift := s.usecases.ShiftTasks
	if in.DryRun {
		shift = s.usecases.PlanShift
	}
	moved, err := shift(ctx, in.UnitID, in.Weeks, list)
	return &shiftOut{moved}, err
}

func (s *Server) duplicateDefinition(ctx context.Context, _ *access.Caller,
	in definitionPath) (*taskdef.DefinitionRecord, error) {
	return changedDefinition(s.usecases.DuplicateDefinition(ctx, in.ID))
}
