package admin

import (
	"context"
	"slices"
	"strings"

	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

func (s *room) jobRoutes() {
	page.Form(s.Site, links.AdminJob+"/retry", policy.ManageJobs, "Give a failed job another round of tries", s.retryJob,
		endpoint.Audited(audit.Job))
}

// jobKinds are the kinds of jobs that have words of their own.
var jobKinds = []string{"document", "portfolio", "portfolios_due", "similarity", "similarity scores",
	"similarity renewal", "similarity remake", "assessment", "assessment trial", "assessment preview", "pull image",
	"mail", "password_mail", "address_mail", "invitations", "weekly_mails", "weekly_mails_of_unit", "digest",
	"announcement_mails", "webhook", "tii_action", "tii_tend", "data export", "backup", "note erasures", "tidy",
	"watch documents", "check_stats"}

func jobKey(kind string) string {
	return "jobs.kind-" + strings.NewReplacer(" ", "-", "_", "-").Replace(kind)
}

// jobKeys are the words for kinds of jobs.
func jobKeys() (list []string) {
	for _, kind := range jobKinds {
		list = append(list, jobKey(kind))
	}
	return list
}

// jobName is what a kind of job does; one that has no words is known by its kind.
func (s *room) jobName(kind string) string {
	if slices.Contains(jobKinds, kind) {
		return s.Word(jobKey(kind))
	}
	return kind
}

// jobRow is a job in words.
type jobRow struct {
	jobs.Record
	Name  string
	About string // whose it is
	Look  jobLook
}

// MayRetry tells whether the job can be given another round.
func (r jobRow) MayRetry() bool { return r.State == jobs.Dead }

// jobLook is how the state of a job looks.
type jobLook struct {
	Text, Colour string
	Icon         page.Icon
}

// look is how the state of a job looks.
func (s *room) jobLook(r *jobs.Record) jobLook {
	switch {
	case r.State == jobs.Dead:
		return jobLook{s.Word("jobs.dead"), "red", page.Icon("circle-x")}
	case r.Stuck:
		return jobLook{s.Word("jobs.stuck"), "orange", page.Icon("triangle-alert")}
	case r.State == jobs.Running:
		return jobLook{s.Word("jobs.running"), "blue", page.Icon("loader-circle")}
	case r.State == jobs.Done:
		return jobLook{s.Word("jobs.done"), "green", page.Icon("check")}
	}
	return jobLook{s.Word("jobs.waiting"), "grey", page.Icon("clock")}
}

// jobRows puts jobs into words, with the names of whose they are.
func (s *room) jobRows(ctx context.Context, q db.Q, list []jobs.Record) ([]jobRow, error) {
	var people, units []int64
	for i := range list {
		people, units = append(people, list[i].PersonID), append(units, list[i].UnitID)
	}
	names, err := usecase.NamesOf(ctx, q, people, units)
	if err != nil {
		return nil, err
	}
	rows := make([]jobRow, len(list))
	for i := range list {
		r := &list[i]
		var about []string
		for _, name := range []string{names.Unit(r.UnitID), names.Person(r.PersonID)} {
			if name != "" {
				about = append(about, name)
			}
		}
		rows[i] = jobRow{*r, s.jobName(r.Kind), strings.Join(about, ", "), s.jobLook(r)}
	}
	return rows, nil
}

type retryJobIn struct {
	ID   int64  `path:"id"`
	Back string `param:"back"` // health: the overview
}

func (s *room) retryJob(ctx context.Context, _ *access.Caller, in retryJobIn) (endpoint.Drawing, error) {
	if err := s.Usecases.RetryJob(ctx, in.ID); err != nil {
		return nil, err
	}
	return endpoint.Redirect{To: links.Admin + "?retried=true"}, nil
}
