package usecase

import (
	"context"
	"maps"
	"slices"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/opt"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/assess"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/taskdef"
)

// TryAssessment has the tests of a task run over files, known by the keys of its
// upload requirements, or over those that are given. It refuses files that are
// not asked for or not of their kind before it stores any.
func (s *Service) TryAssessment(ctx context.Context, who *access.Caller, definitionID int64,
	sent map[string]Upload) (int64, error) {
	d, err := taskdef.DefinitionByID(ctx, s.DB.Pool(), definitionID)
	if err != nil {
		return 0, err
	}
	var wanted taskdef.Requirements
	for _, r := range d.Requirements {
		if _, there := sent[r.Key]; there {
			wanted = append(wanted, r)
		}
	}
	if err := submit.Match(wanted, slices.Sorted(maps.Keys(sent))); err != nil {
		return 0, err
	}
	taken, err := s.takeAll(ctx, wanted, sent)
	if err != nil {
		return 0, err
	}
	list := make([]assess.Submitted, len(taken))
	for i, f := range taken {
		list[i] = assess.Submitted{Name: f.Title, Hash: f.Hash, Size: f.Size}
		if f.Zipped {
			list[i].Path = f.Name
		}
	}
	return change(ctx, s.DB, func(q db.Q) (int64, error) {
		return assess.Try(ctx, q, s.Files, who.ID, definitionID, list)
	})
}

// AssessmentView is an assessment, or a trial of one, with what came of it.
type AssessmentView struct {
	BuildMessage string `json:"build_message"`
	RunMessage   string `json:"run_message"`
	Output       string `json:"output"`
	*AssessmentForStaff
}

// AssessmentForStaff is the part of a result that students do not get.
type AssessmentForStaff struct {
	BuildDiff   string `json:"build_diff" doc:"files that build.sh added (A), changed (C) or deleted (D)"`
	RunDiff     string `json:"run_diff" doc:"the same of run.sh"`
	JudgeOutput string `json:"judge_output"`
	ExitCode    *int   `json:"exit_code"`
	Claimed     string `json:"claimed_status" doc:"what the scripts ask for; counts only where they are trusted"`
	Judged      string `json:"judged_status" doc:"what judge.sh asks for"`
	Trouble     string `json:"trouble" doc:"what the container engine says while the tests cannot be run"`
}

// ViewAssessment shows what came of a run, or what keeps it from being run, to staff, or to a
// student.
func (s *Service) ViewAssessment(ctx context.Context, report, trouble *string, staff bool) (AssessmentView, error) {
	o, err := assess.OutcomeOf(ctx, s.Files, report)
	if err != nil {
		return AssessmentView{}, err
	}
	v := AssessmentView{BuildMessage: o.BuildMessage, RunMessage: o.RunMessage, Output: o.Output}
	if staff {
		v.AssessmentForStaff = &AssessmentForStaff{o.BuildDiff, o.RunDiff, o.JudgeOutput, o.ExitCode, o.Claimed,
			o.Judged, opt.Or(trouble, "")}
	}
	return v, nil
}

// CheckAssess refuses what needs a container engine where there is none.
func (s *Service) CheckAssess() error {
	if !s.Assess {
		return fault.New(fault.Unavailable, "No container engine is set up here, so nothing can be run.")
	}
	return nil
}

// AssessAgain runs the assessment of a submission once more, for whoever holds policy.Submit
// on the project. It is fault.Conflict while it is queued or running and where there is
// nothing to run, and fault.Throttled for a student who asks more than five times an hour.
func (s *Service) AssessAgain(ctx context.Context, who *access.Caller, projectID, definitionID,
	id int64) (*assess.Assessment, error) {
	by := assess.Asker{UserID: who.ID, Staff: who.May(policy.GradeTask)}
	return changeAlone(ctx, s.DB, func(q db.Q) (*assess.Assessment, error) {
		if _, err := assess.ByID(ctx, q, projectID, definitionID, id); err != nil {
			return nil, err
		}
		if err := s.CheckAssess(); err != nil {
			return nil, err
		}
		return assess.Again(ctx, q, by, projectID, definitionID, id)
	})
}

// PreviewAssessment has the tests of a task run over the latest submission of every student,
// applying nothing, for whoever holds policy.EditDefinitions. It is fault.Conflict where the
// task has no tests or no image, or a preview is under way.
func (s *Service) PreviewAssessment(ctx context.Context, who *access.Caller, definitionID int64) (*assess.Preview,
	error) {
	if err := s.CheckAssess(); err != nil {
		return nil, err
	}
	return changeAlone(ctx, s.DB, func(q db.Q) (*assess.Preview, error) {
		return assess.AskPreview(ctx, q, who.ID, definitionID)
	})
}
