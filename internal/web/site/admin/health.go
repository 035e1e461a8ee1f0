package admin

import (
	"context"
	"fmt"
	"html/template"
	"slices"
	"time"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
	"lectern/internal/usecase"
	"lectern/internal/usecase/privacy"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

func (s *room) healthRoutes() {
	page.Show(s.Site, links.Admin, policy.SeeService, "How the service is doing", s.health,
		endpoint.Asks(policy.SeeJobs, policy.ReadAudit, policy.SeeBackups, policy.SeeAccounts))
}

type healthIn struct {
	Again   bool `param:"again"`   // check everything anew first
	Retried bool `param:"retried"` // a job was, just now
}

const (
	jobsAtGlance  = 5
	auditAtGlance = 5
	leaveAtGlance = 5
)

// healthPage is what an administrator sees first.
type healthPage struct {
	*usecase.Health
	Checks  []checkRow
	Bad     []checkRow // what must be done
	OKs     int
	Failed  template.HTML // jobs that need a person, the newest
	Entries []entryRow
	Leaving []privacy.Erasure // that wait, the next ones
	Erasing int64             // how many wait in all
	Retried bool
	words   *page.Language
	now     time.Time
}

// checkRow is a finding in words.
type checkRow struct {
	usecase.Found
	Name   string
	Icon   page.Icon
	Colour string
	Mend   string // where the settings behind it are changed; empty: not on a page
}

func (s *room) health(ctx context.Context, who *access.Caller, in healthIn) (*page.Page, error) {
	h, err := s.Usecases.HealthOf(ctx, who, in.Again)
	if err != nil {
		return nil, err
	}
	v := &healthPage{Health: h, Retried: in.Retried, words: s.Words, now: s.Now()}
	for _, f := range h.Sorted() {
		row := s.check(f)
		v.Checks = append(v.Checks, row)
		if !f.OK {
			v.Bad = append(v.Bad, row)
		} else if f.Advice == "" && (!f.Checking || f.CheckedAt != nil) {
			v.OKs++
		}
	}
	err = s.DB.View(ctx, func(q db.Q) error {
		if h.Jobs.Dead+h.Jobs.Stuck > 0 {
			list, err := jobs.Find(ctx, q, jobs.Filter{Attention: true}, db.Part(jobsAtGlance, 0))
			if err != nil {
				return err
			}
			rows, err := s.jobRows(ctx, q, list)
			if err != nil {
				return err
			}
			v.Failed = s.jobLines(rows, "health", nil)
		}
		var err error
		if v.Leaving, v.Erasing, err = privacy.Erasures(ctx, q, db.Part(leaveAtGlance, 0)); err != nil {
			return err
		}
		list, err := audit.Newest(ctx, q, audit.Filter{}, auditAtGlance)
		if err != nil {
			return err
		}
		v.Entries, err = s.entries(ctx, q, list)
		return err
	})
	return s.Titled(who, "health", s.Word("health.title"), v), err
}

// checkNames are the checks that have a word of their own, with their icons.
var checkNames = map[string]page.Icon{"settings": page.Icon("settings-2"), "links": page.Icon("arrow-right"),
	"database": page.Icon("database"), "schema": page.Icon("database"), "clock": page.Icon("clock"),
	"admins": page.Icon("users"), "paused": page.Icon("circle-slash"), "mail": page.Icon("mail"),
	"files": page.Icon("hard-drive"), "records": page.Icon("file-check-2"), "backups": page.Icon("download"),
	"certificate": page.Icon("shield-check"), "disk": page.Icon("hard-drive"), "writing": page.Icon("hard-drive"),
	"saml": page.Icon("key-round"), "oidc": page.Icon("key-round"), "ldap": page.Icon("key-round"),
	"engine": page.Icon("flask-conical"), "similarity": page.Icon("layers")}

// mended is where the settings behind a check are changed.
var mended = map[string]string{"settings": links.AdminSettings, "mail": email.at(false), "saml": signIn.at(false),
	"oidc": signIn.at(false), "ldap": signIn.at(false), "links": institution.at(false)}

// checkKeys are the words for checks.
func checkKeys() (list []string) {
	for name := range checkNames {
		list = append(list, "health.check-"+name)
	}
	slices.Sort(list)
	return list
}

// check puts a finding into words. One whose check has no word of its own has the doctor's.
func (s *room) check(f usecase.Found) checkRow {
	row := checkRow{Found: f, Name: f.Check, Icon: page.Icon("activity"), Colour: "green"}
	if icon, ok := checkNames[f.Check]; ok {
		row.Name, row.Icon = s.Word("health.check-"+f.Check), icon
	}
	if !f.OK || f.Advice != "" {
		row.Mend = mended[f.Check]
	}
	switch {
	case !f.OK:
		row.Colour = "red"
	case f.Advice != "":
		row.Colour = "orange"
	case f.Saw == "":
		row.Colour = "grey"
	}
	return row
}

// Up says for how long the program runs.
func (v *healthPage) Up() string {
	up := v.now.Sub(v.StartedAt.Time)
	switch {
	case up >= 48*time.Hour:
		return v.words.Word("health.up-days", int(up/(24*time.Hour)))
	case up >= 2*time.Hour:
		return v.words.Word("health.up-hours", int(up/time.Hour))
	}
	return v.words.Word("health.up-minutes", max(int(up/time.Minute), 0))
}

// Used is how much of the disk is, in percent.
func (v *healthPage) Used() int64 {
	if v.Disk == nil || v.Disk.Total == 0 {
		return 0
	}
	return 100 * (v.Disk.Total - v.Disk.Free) / v.Disk.Total
}

// DiskNote tells what is free of how much.
func (v *healthPage) DiskNote() string {
	return v.words.Word("health.disk-note", bounds.SizeText(v.Disk.Free), bounds.SizeText(v.Disk.Total))
}

// Numbers are the figures side by side.
func (v *healthPage) Numbers() []map[string]any {
	number := func(name string, n any, note string) map[string]any {
		return map[string]any{"Name": name, "Number": n, "Note": note}
	}
	waiting := number(v.words.Word("health.jobs-waiting"), v.Jobs.Waiting, v.words.Word("health.none-late"))
	if v.Jobs.Stuck > 0 {
		waiting["Note"] = v.words.Word("health.stuck", v.Jobs.Stuck)
	}
	emails := number(v.words.Word("health.emails"), v.Emails.Sent, v.words.Word("health.emails-waiting", v.Emails.Waiting))
	if v.Emails.Failed > 0 {
		emails["Note"] = v.words.Word("health.emails-failed", v.Emails.Failed)
	}
	hooks := number(v.words.Word("health.webhooks"), v.Webhooks.Active, v.words.Word("health.webhooks-well"))
	switch {
	case v.Webhooks.Failing > 0:
		hooks["Note"] = v.words.Word("health.webhooks-failing", v.Webhooks.Failing)
	case v.Webhooks.Active == 0:
		hooks["Note"] = v.words.Word("health.webhooks-none")
	}
	list := []map[string]any{waiting, emails, hooks}
	if v.Disk != nil {
		disk := number(v.words.Word("health.disk"), fmt.Sprint(v.Used()), v.DiskNote())
		disk["Of"] = "%"
		list = append(list, disk)
	}
	if v.Backups != nil {
		list = append(list, v.backup())
	}
	return list
}

// backup is the figure of the last backup.
func (v *healthPage) backup() map[string]any {
	out := map[string]any{"Name": v.words.Word("health.backup"), "Number": v.words.Word("health.backup-never")}
	if made := v.Backups.Made; made != nil {
		// A moment is written by the program alone.
		out["Number"] = template.HTML(`<time datetime="` + made.String() + `" data-as="near"></time>`) //nolint:gosec // as said
		out["Note"] = bounds.SizeText(v.Backups.Bytes)
	}
	if v.Backups.FailedAt != nil {
		out["Note"] = v.words.Word("health.backup-failed")
	}
	return out
}
