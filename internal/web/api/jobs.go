package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

func (s *Server) jobRoutes() {
	endpoint.Route(s.Server, "GET /api/admin/jobs", 200, policy.SeeJobs, "List the background jobs, newest first",
		s.listJobs)
	endpoint.Route(s.Server, "GET /api/admin/jobs/backlog", 200, policy.SeeJobs,
		"Tell how many background jobs wait and run, and how long they waited", s.backlog)
	endpoint.Route(s.Server, "GET /api/admin/jobs/retry", 200, policy.SeeJobs,
		"Tell how many dead jobs of a kind would be retried, and why they failed", s.planRetry)
	endpoint.Route(s.Server, "POST /api/admin/jobs/retry", 200, policy.ManageJobs,
		"Give all dead jobs of a kind another round of tries", s.retryJobs, endpoint.Audited(audit.Job))
	endpoint.Route(s.Server, "GET /api/units/{id}/jobs", 200, policy.GiveFeedback,
		"Tell how many documents and other jobs of a unit wait and run, and how long they waited", s.unitBacklog)
	endpoint.Route(s.Server, "POST /api/admin/jobs/{id}/retry", 201, policy.ManageJobs,
		"Give a dead job another round of tries", s.retryJob,
		endpoint.Audited(audit.Job),
		endpoint.Also(409, "the job is not dead"))
}

type listJobsIn struct {
	State  jobs.State        `param:"state" enum:"" doc:"only jobs in this state"`
	Kind   string            `param:"kind" doc:"only jobs of this kind"`
	UnitID int64             `param:"unit_id" doc:"only jobs of this unit"`
	Needs  bool              `param:"attention" doc:"only jobs that are dead or stuck, those that are dead first"`
	Limit  params.Opt[int64] `param:"limit" doc:"at most so many; 100 when absent"`
	Offset params.Opt[int64] `param:"offset"`
}

func (s *Server) listJobs(ctx context.Context, _ *access.Caller, in listJobsIn) (endpoint.List[jobs.Record], error) {
	p, err := paging{in.Limit, in.Offset}.bounded(100)
	if err != nil {
		return endpoint.List[jobs.Record]{}, err
	}
	var total int64
	list, err := view(ctx, s.db, func(q db.Q) (list []jobs.Record, err error) {
		f := jobs.Filter{State: in.State, Kind: in.Kind, Unit: in.UnitID, Attention: in.Needs}
		if total, err = jobs.Count(ctx, q, f); err != nil {
			return nil, err
		}
		return jobs.Find(ctx, q, f, p)
	})
	return endpoint.Listed(list, total), err
}

// retriedJob names the job that is tried again.
type retriedJob struct {
	ID int64 `json:"id"`
}

func (s *Server) retryJob(ctx context.Context, _ *access.Caller, in byID) (endpoint.TextOf[retriedJob], error) {
	err := s.usecases.RetryJob(ctx, in.ID)
	said := endpoint.Text{Message: "The job will be tried again.", ID: in.ID}
	return endpoint.TextOf[retriedJob]{Text: said, Record: retriedJob(in)}, err
}

type backlogOut struct {
	Kinds []jobs.Figures `json:"kinds"`
}

func (s *Server) backlog(ctx context.Context, _ *access.Caller, _ none) (*backlogOut, error) {
	return view(ctx, s.db, func(q db.Q) (*backlogOut, error) {
		list, err := jobs.Backlog(ctx, q, 0)
		return &backlogOut{list}, err
	})
}

type unitBacklogIn struct {
	UnitID int64 `path:"id" scope:"unit"`
}

func (s *Server) unitBacklog(ctx context.Context, _ *access.Caller, in unitBacklogIn) (*backlogOut, error) {
	return view(ctx, s.db, func(q db.Q) (*backlogOut, error) {
		list, err := jobs.Backlog(ctx, q, in.UnitID)
		return &backlogOut{list}, err
	})
}

type retryJobsIn struct {
	Kind   string `param:"kind,required" doc:"the kind of the jobs"`
	UnitID int64  `param:"unit_id" doc:"only jobs of this unit"`
}

func (s *Server) planRetry(ctx context.Context, _ *access.Caller, in retryJobsIn) (*usecase.RetryPlan, error) {
	return s.usecases.PlanRetry(ctx, in.Kind, in.UnitID)
}

// retriedJobsOut tells how many jobs are tried again.
type retriedJobsOut struct {
	Jobs int64 `json:"jobs" doc:"how many jobs are tried again"`
}

func (s *Server) retryJobs(ctx context.Context, _ *access.Caller, in retryJobsIn) (*retriedJobsOut, error) {
	n, err := s.usecases.RetryJobs(ctx, in.Kind, in.UnitID)
	return &retriedJobsOut{n}, err
}
