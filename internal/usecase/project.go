package usecase

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/enrol"
	"lectern/internal/teaching/portfolio"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/teaching/work"
)

// ProjectDetail is a project with all that hangs on it, as one caller sees it.
type ProjectDetail struct {
	enrol.ProjectDetail
	UnitID             int64               `json:"unit_id"`
	PortfolioFiles     []portfolio.File    `json:"portfolio_files"`
	Tasks              []work.ProjectTask  `json:"tasks"`
	TutorialEnrolments []enrol.Enrolment   `json:"tutorial_enrolments"`
	Groups             []enrol.Group       `json:"groups"`
	Alignments         []taskdef.Alignment `json:"task_outcome_alignments"`
}

// ProjectByID gives a project as who sees it; who must be resolved on it. Each
// part is there for those who hold the right to it, and empty for others.
func ProjectByID(ctx context.Context, q db.Q, who *access.Caller, id int64) (*ProjectDetail, error) {
	p, err := ProjectRecord(ctx, q, who, id)
	if err != nil {
		return nil, err
	}
	d := &ProjectDetail{ProjectDetail: *p, UnitID: p.UnitID}
	d.TutorialEnrolments, err = part(ctx, q, who, policy.ReadProject, id, enrol.EnrolmentsOf)
	if err != nil {
		return nil, err
	}
	d.Alignments, err = part(ctx, q, who, policy.ReadProject, id,
		where(p.Has.Alignments, taskdef.ProjectAlignments))
	if err != nil {
		return nil, err
	}
	d.PortfolioFiles, err = part(ctx, q, who, policy.ReadSubmission, id, where(p.Has.Files, portfolio.FilesOf))
	if err != nil {
		return nil, err
	}
	groups := policy.ListGroups
	if who.Who&policy.FormerOwner != 0 {
		groups = policy.ReadProject // who has left the unit still reads all of their own project
	}
	if d.Groups, err = part(ctx, q, who, groups, id, where(p.Has.Groups, enrol.GroupsOfProject)); err != nil {
		return nil, err
	}
	d.Tasks, err = part(ctx, q, who, policy.ReadTask, id,
		func(ctx context.Context, q db.Q, id int64) ([]work.ProjectTask, error) {
			return work.TasksOf(ctx, q, id, who.ID)
		})
	return d, err
}

// part reads one part of a composite answer, the records of the kind T that
// belong to the record id, and gives none to a caller without the right to it.
func part[T any](ctx context.Context, q db.Q, who *access.Caller, right *policy.Right, id int64,
	read func(context.Context, db.Q, int64) ([]T, error)) ([]T, error) {
	if !who.May(right) {
		return []T{}, nil
	}
	return read(ctx, q, id)
}

// where gives read if there is something to be read, else what gives nothing.
func where[T any](something bool, read func(context.Context, db.Q, int64) ([]T, error)) func(context.Context, db.Q,
	int64) ([]T, error) {
	if something {
		return read
	}
	return func(context.Context, db.Q, int64) ([]T, error) { return []T{}, nil }
}

// ProjectRecord gives the project's own values, with those about the student
// for whoever may list the students of the unit.
func ProjectRecord(ctx context.Context, q db.Q, who *access.Caller, id int64) (*enrol.ProjectDetail, error) {
	return enrol.ProjectByID(ctx, q, id, who.MyRole(), who.May(policy.ListStudents))
}
