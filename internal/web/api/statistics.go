package api

import (
	"context"
	"io"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/insight"
	"lectern/internal/teaching/progress"
	"lectern/internal/web/endpoint"
)

func (s *Server) statisticsRoutes() {
	endpoint.Route(s.Server, "GET /api/units/{id}/stats/task_completion_stats", 200, policy.ReadStatistics,
		"Sum up how many tasks the students of a unit have completed", s.completionStats)
	endpoint.Route(s.Server, "GET /api/units/{id}/stats/task_status_pct", 200, policy.ReadStatistics,
		"Count the students at each status, by task definition and tutorial (0: none)", s.statusStats)
	endpoint.Route(s.Server, "GET /api/units/{id}/stats/student_target_grade", 200, policy.ReadStatistics,
		"Count the students by tutorial and target grade", s.targetStats)
	endpoint.Route(s.Server, "GET /api/units/{unit_id}/learning_alignments/class_stats", 200, policy.ReadUnit,
		"Sum up the progress of a unit's students towards each outcome", s.classStats)
	endpoint.Route(s.Server, "GET /api/units/{unit_id}/learning_alignments/class_details", 200, policy.ReadStatistics,
		"Sum up the progress towards each outcome, by tutorial", s.classDetails)
	endpoint.Route(s.Server, "GET /api/units/{id}/grades", 200, policy.ExportUnit, "Download the final grades as CSV",
		exported(s, "grades", s.exportGrades),
		endpoint.Audited(audit.Export), endpoint.Costs(endpoint.Exports), sendsSheet)
	endpoint.Route(s.Server, "GET /api/csv/units/{id}/task_completion", 200, policy.ExportUnit,
		"Download the status of every task of every student as CSV",
		exported(s, "task_completion", s.exportCompletion),
		endpoint.Audited(audit.Export), endpoint.Costs(endpoint.Exports), sendsSheet)
	endpoint.Route(s.Server, "GET /api/csv/units/{id}/tutor_assessments", 200, policy.ExportUnit,
		"Download how many tasks each of the staff has assessed as CSV",
		exported(s, "tutor_assessments", s.exportAssessments),
		endpoint.Audited(audit.Export), endpoint.Costs(endpoint.Exports), sendsSheet)
}

func (s *Server) completionStats(ctx context.Context, _ *access.Caller, in unitIn) (*insight.Completion, error) {
	return view(ctx, s.db, func(q db.Q) (*insight.Completion, error) { return insight.CompletionOf(ctx, q, in.ID) })
}

func (s *Server) statusStats(ctx context.Context, _ *access.Caller, in unitIn) (insight.Statuses, error) {
	return view(ctx, s.db, func(q db.Q) (insight.Statuses, error) { return insight.StatusesOf(ctx, q, in.ID) })
}

type targetStatsIn struct {
	unitIn
	paging
}

func (s *Server) targetStats(ctx context.Context, _ *access.Caller,
	in targetStatsIn) (endpoint.List[insight.TargetCount], error) {
	list, err := insight.TargetsOf(ctx, s.db.Pool(), in.ID)
	return short(in.paging, list, err)
}

func (s *Server) classStats(ctx context.Context, _ *access.Caller, in underUnit) (map[int64]progress.Five, error) {
	return view(ctx, s.db, func(q db.Q) (map[int64]progress.Five, error) {
		return insight.ClassStats(ctx, q,
			in.UnitID)
	})
}

func (s *Server) classDetails(ctx context.Context, _ *access.Caller, in underUnit) (map[int64]map[int64]progress.Five,
	error) {
	return view(ctx, s.db, func(q db.Q) (map[int64]map[int64]progress.Five, error) {
		return insight.ClassDetails(ctx, q, in.UnitID)
	})
}

// unitSheet is the download of a sheet about a unit, named after its code. All
// of it is read before the first byte is sent: a slow reader holds no
// connection, and no sheet mixes two moments.
func (s *Server) unitSheet(ctx context.Context, unitID int64, name string,
	read func(q db.Q, code string) (write func(io.Writer) error, err error)) (*endpoint.File, error) {
	return view(ctx, s.db, func(q db.Q) (*endpoint.File, error) {
		unit, err := course.UnitByID(ctx, q, unitID)
		if err != nil {
			return nil, err
		}
		write, err := read(q, unit.Code)
		return sheetFile(unit.Code+name, write), err
	})
}

type exportGradesIn struct {
	unitIn
	All bool `param:"all" doc:"students without a final grade, too, with an empty one"`
}

func (s *Server) exportGrades(ctx context.Context, who *access.Caller, in exportGradesIn) (*endpoint.File, error) {
	return s.unitSheet(ctx, in.ID, "-Grades.csv", func(q db.Q, code string) (func(io.Writer) error, error) {
		list, err := insight.GradesOf(ctx, q, in.ID, who.ID, in.All)
		return func(w io.Writer) error { return insight.WriteGrades(w, code, list) }, err
	})
}

func (s *Server) exportCompletion(ctx context.Context, who *access.Caller, in unitIn) (*endpoint.File, error) {
	return s.unitSheet(ctx, in.ID, "-TaskCompletion.csv", func(q db.Q, _ string) (func(io.Writer) error, error) {
		sheet, err := insight.SheetOf(ctx, q, in.ID, who.ID)
		return sheet.Write, err
	})
}

func (s *Server) exportAssessments(ctx context.Context, _ *access.Caller, in unitIn) (*endpoint.File, error) {
	return s.unitSheet(ctx, in.ID, "-TutorAssessments.csv", func(q db.Q, _ string) (func(io.Writer) error, error) {
		list, err := insight.AssessorsOf(ctx, q, in.ID)
		return func(w io.Writer) error { return insight.WriteAssessors(w, list) }, err
	})
}
