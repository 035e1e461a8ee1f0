package admin

import (
	"cmp"
	"context"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
	"lectern/internal/teaching/course"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

func (s *room) jobRoutes() {
	page.Show(s.Site, links.AdminJobs, policy.SeeJobs, "The background jobs, those that need a person first", s.jobs)
	page.Show(s.Site, links.AdminJobs+"/retry", policy.SeeJobs, "Ask before failed jobs of a kind are tried again",
		s.askRetry)
	page.Form(s.Site, links.AdminJobs+"/retry", policy.ManageJobs, "Give all failed jobs of a kind another round of tries",
		s.retryJobs, endpoint.Audited(audit.Job))
	page.Form(s.Site, links.AdminJob+"/retry", policy.ManageJobs, "Give a failed job another round of tries", s.retryJob,
		endpoint.Audited(audit.Job))
}

type jobsIn struct {
	Show    string `param:"show"` // a state, or all; those that need a person when empty
	Kind    string `param:"kind"`
	UnitID  int64  `param:"unit_id"`
	Unit    string `param:"unit"` // a code, of one unit or several
	Page    int64  `param:"page"`
	Retried string `param:"retried"` // how many jobs were, just now
}

// jobsPage lists background jobs.
type jobsPage struct {
	part
	Rows    template.HTML // what jobLines drew
	Counts  *jobs.Summary
	Show    string
	Kind    string
	Unit    string // whose jobs these are, where a row led there; empty: all units'
	UnitID  int64
	Code    string // of units, as it was typed
	Wrong   string // what is said of it
	Shows   []option
	Kinds   []option
	Retried int64
	words   *page.Language

	SeveralUnits bool // have the code
}

// shows are the ways to narrow the list by state, in their order.
var shows = []string{"", "dead", "running", "available", "done", "all"}

func (in *jobsIn) filter() jobs.Filter {
	f := jobs.Filter{Kind: in.Kind, Unit: in.UnitID}
	switch in.Show {
	case "dead", "running", "available", "done":
		f.State = jobs.State(in.Show)
	case "all":
	default:
		in.Show, f.Attention = "", true
	}
	return f
}

func (s *room) jobs(ctx context.Context, who *access.Caller, in jobsIn) (*page.Page, error) {
	f := in.filter()
	v := &jobsPage{Show: in.Show, Kind: in.Kind, UnitID: in.UnitID, words: s.Words, part: newPart(in.Page,
		links.AdminJobs, filled("show", in.Show, "kind", in.Kind, "unit_id", strconv.FormatInt(in.UnitID, 10), "unit",
			in.Unit)), Code: in.Unit}
	v.Retried, _ = strconv.ParseInt(in.Retried, 10, 64) // what is none was none
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Counts, err = jobs.SummaryOf(ctx, q); err != nil {
			return err
		}
		if err := s.jobsOfUnit(ctx, q, v, &f); err != nil || v.Wrong != "" {
			return err
		}
		if v.Total, err = jobs.Count(ctx, q, f); err != nil {
			return err
		}
		list, err := jobs.Find(ctx, q, f, v.rows())
		if err != nil {
			return err
		}
		rows, err := s.jobRows(ctx, q, list)
		if err == nil {
			v.Rows = s.jobLines(rows, "jobs", &v.part)
		}
		return err
	})
	for _, show := range shows {
		v.Shows = append(v.Shows, option{show, s.Word("jobs.show-" + cmp.Or(show, "attention")), show == in.Show})
	}
	v.Kinds = s.kindOptions(in.Kind)
	return s.Titled(who, "jobs", s.Word("jobs.title"), v), err
}

// jobsOfUnit narrows the jobs to those of a unit that a row led to, or of all units that have the code that was
// typed. Where both are given the one must have the other, or the code counts.
func (s *room) jobsOfUnit(ctx context.Context, q db.Q, v *jobsPage, f *jobs.Filter) error {
	if code := strings.TrimSpace(v.Code); code != "" {
		units, err := course.UnitsWithCode(ctx, q, code, mostUnitsOfCode)
		switch {
		case err != nil:
			return err
		case len(units) == 0:
			v.Wrong = s.Word("audit.no-unit")
			return nil
		case slices.Contains(units, v.UnitID): // that one of them
		case len(units) == 1:
			v.UnitID, f.Unit = units[0], units[0]
			return nil
		default:
			v.SeveralUnits, v.UnitID, f.Unit, f.Units = true, 0, 0, units
		}
	}
	if v.UnitID == 0 {
		return nil
	}
	names, err := usecase.NamesOf(ctx, q, nil, []int64{v.UnitID})
	if err == nil {
		v.Unit = cmp.Or(names.Unit(v.UnitID), strconv.FormatInt(v.UnitID, 10))
	}
	return err
}

// kindOptions are the kinds of jobs to choose from, by name.
func (s *room) kindOptions(chosen string) []option {
	list := []option{}
	for _, kind := range jobKinds {
		list = append(list, option{kind, s.jobName(kind), kind == chosen})
	}
	slices.SortFunc(list, func(a, b option) int { return strings.Compare(a.Text, b.Text) })
	return append([]option{{"", s.Word("jobs.all-kinds"), chosen == ""}}, list...)
}

// RetryAll is where all failed jobs of the kind that is shown are tried again; empty: nowhere.
func (v *jobsPage) RetryAll() string {
	if v.Kind == "" || v.Total == 0 || v.SeveralUnits || v.Show != "" && v.Show != "dead" {
		return ""
	}
	return links.AdminJobs + "/retry?" + filled("kind", v.Kind, "unit_id", strconv.FormatInt(v.UnitID, 10)).Encode()
}

type retryJobsIn struct {
	Kind   string `param:"kind"`
	UnitID int64  `param:"unit_id"`
}

// retryPage tells what is tried again before it is.
type retryPage struct {
	*usecase.RetryPlan
	retryJobsIn
	Name, Back string
}

func (s *room) askRetry(ctx context.Context, who *access.Caller, in retryJobsIn) (*page.Page, error) {
	plan, err := s.Usecases.PlanRetry(ctx, in.Kind, in.UnitID)
	if err != nil {
		return nil, err
	}
	back := links.AdminJobs + "?" + filled("kind", in.Kind, "unit_id", strconv.FormatInt(in.UnitID, 10)).Encode()
	p := s.Titled(who, "jobs-retry", s.Word("jobs.retry-title"), &retryPage{plan, in, s.jobName(in.Kind), back})
	p.Within = &page.Crumb{Words: s.Word("jobs.title"), Path: links.AdminJobs}
	return p, nil
}

func (s *room) retryJobs(ctx context.Context, _ *access.Caller, in retryJobsIn) (endpoint.Drawing, error) {
	n, err := s.Usecases.RetryJobs(ctx, in.Kind, in.UnitID)
	if err != nil {
		return nil, err
	}
	return endpoint.Redirect{To: links.AdminJobs + "?" + filled("kind", in.Kind, "retried", strconv.FormatInt(n, 10)).
		Encode()}, nil
}

// jobKinds are the kinds of jobs that have words of their own.
var jobKinds = []string{"document", "highlight", "portfolio", "portfolios_due", "similarity", "similarity scores",
	"similarity renewal", "similarity remake", "assessment", "assessment trial", "assessment preview", "pull image",
	"mail", "password_mail", "address_mail", "invitations", "weekly_mails", "weekly_mails_of_unit", "digest",
	"announcement_mails", "webhook", "tii_action", "tii_tend", "data export", "person export", "erasure", "backup",
	"note erasures", "retirement", "tidy", "watch documents", "check_stats", "audit verification"}

func jobKey(kind string) string {
	return "jobs.kind-" + strings.NewReplacer(" ", "-", "_", "-").Replace(kind)
}

// jobKeys are the words for kinds of jobs.
func jobKeys() (list []string) {
	for _, kind := range jobKinds {
		list = append(list, jobKey(kind))
	}
	for _, show := range shows {
		list = append(list, "jobs.show-"+cmp.Or(show, "attention"))
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

// jobLines draws jobs as the rows of job-table. Back is where a retry leads, list what they are a part of; nil: of
// nothing that can be narrowed to a unit.
func (s *room) jobLines(rows []jobRow, back string, list *part) template.HTML {
	var r page.Rows
	unit, retry := s.Word("jobs.only-unit"), s.Word("jobs.retry")
	state, attempts, since := s.Word("jobs.state"), s.Word("jobs.attempts"), s.Word("jobs.since")
	icon, again := map[page.Icon]template.HTML{}, s.Icon(page.Icon("rotate-ccw"))
	for i := range rows {
		one := &rows[i]
		id, look, at := strconv.FormatInt(one.ID, 10), one.Look, one.RunAt
		if icon[look.Icon] == "" {
			icon[look.Icon] = s.Icon(look.Icon)
		}
		if r.Put(`<tr id="job-%s"><th scope="row"><bdi>%s</bdi>`, id, one.Name); one.About != "" {
			r.Put(`<br><span class="tiny muted"><bdi>%s</bdi></span>`, one.About)
		}
		if list != nil && one.UnitID != 0 {
			r.Put(` <a class="tiny" href="%s">%s<span class="unseen"> %s</span></a>`,
				list.With("unit_id", strconv.FormatInt(one.UnitID, 10)), unit, id)
		}
		if one.Error != nil {
			r.Put(`<br><span class="tiny why"><bdi>%s</bdi></span>`, *one.Error)
		}
		r.Put(`</th><td data-label="%s"><span class="pill %s">`, state, look.Colour)
		r.Add(icon[look.Icon])
		if one.FinishedAt != nil {
			at = *one.FinishedAt
		}
		r.Put(`%s</span></td><td class="n" data-label="%s"><span>%s</span></td><td data-label="%s">`, look.Text, attempts,
			strconv.Itoa(one.Attempt), since)
		r.Put(`<time datetime="%s" data-as="near"></time></td><td class="end">`, at.String())
		if one.State == jobs.Dead {
			r.Put(`<form method="post" action="%s/retry"><input type="hidden" name="back" value="%s"><button class="btn sm">`,
				links.To(links.AdminJob, one.ID), back)
			r.Add(again)
			r.Put(`%s<span class="unseen"> %s</span></button></form>`, retry, id)
		}
		r.Put("</td></tr>\n")
	}
	return r.HTML()
}

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
	Back string `param:"back"` // health or mail: from there; else from the jobs
}

func (s *room) retryJob(ctx context.Context, _ *access.Caller, in retryJobIn) (endpoint.Drawing, error) {
	if err := s.Usecases.RetryJob(ctx, in.ID); err != nil {
		return nil, err
	}
	switch in.Back {
	case "health":
		return endpoint.Redirect{To: links.Admin + "?retried=true"}, nil
	case "mail":
		return endpoint.Redirect{To: links.AdminMail + "?retried=1"}, nil
	}
	return endpoint.Redirect{To: links.AdminJobs + "?retried=1"}, nil
}
