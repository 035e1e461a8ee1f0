package usecase

import (
	"cmp"
	"context"
	"slices"
	"time"

	"lectern/internal/connect/notify"
	"lectern/internal/connect/webhook"
	"lectern/internal/ground/clock"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/backup"
	"lectern/internal/platform/db"
	"lectern/internal/platform/health"
	"lectern/internal/platform/jobs"
)

// Program tells which program runs, and since when.
type Program struct {
	Version string
	Started time.Time
	Disk    func() (*Disk, error) // tells how full the disk is that the service writes to; nil: unknown
}

// Disk tells how full the disk is that holds the data directory.
type Disk struct {
	Free  int64 `json:"free_bytes" doc:"what the service may still write"`
	Total int64 `json:"total_bytes" doc:"what the service could write if it were empty"`
}

// Versions are the numbers of migrations.
type Versions struct {
	Applied int64 `json:"applied" doc:"the newest that the database has had"`
	Newest  int64 `json:"newest" doc:"the newest that the program knows"`
}

// Health tells how the service is doing, as this instance sees it.
type Health struct {
	Version   string     `json:"version" doc:"of the program"`
	StartedAt clock.Time `json:"started_at" doc:"when this instance of the program was started"`
	Schema    Versions   `json:"schema" doc:"of the database"`

	Well      bool        `json:"well" doc:"whether no check found anything that must be done"`
	Checking  bool        `json:"checking" doc:"whether something is being checked anew at this moment"`
	CheckedAt *clock.Time `json:"checked_at" doc:"when the oldest of the findings was made; null: nothing was checked yet"`
	Findings  []Found     `json:"findings" doc:"what checks found last"`

	Jobs     *jobs.Summary    `json:"jobs" doc:"how background jobs are doing"`
	Emails   *notify.Figures  `json:"emails" doc:"how emails are doing"`
	Webhooks *webhook.Figures `json:"webhooks" doc:"how webhooks are doing"`
	Disk     *Disk            `json:"disk" doc:"of the data directory; null where it is not known"`
	Backups  *backup.State    `json:"backups" doc:"how backups are doing; null for who may not see it"`
}

// Found is what a check found, and when.
type Found struct {
	Check     string      `json:"check" doc:"what was looked at, in a word, such as mail"`
	OK        bool        `json:"ok" doc:"whether nothing must be done"`
	Saw       string      `json:"saw" doc:"what was seen, in a sentence; empty while nothing is known"`
	Advice    string      `json:"advice" doc:"what to do; empty where nothing is"`
	Names     []string    `json:"names" doc:"of what it is about, the first twenty"`
	CheckedAt *clock.Time `json:"checked_at" doc:"when it was found; null: it is being checked for the first time"`
	Checking  bool        `json:"checking" doc:"whether it is being checked anew"`
}

const (
	// mostFoundNames bounds what a finding names: more is for the command lectern doctor.
	mostFoundNames = 20
	// checkPatience is how long somebody waits who asks to check again.
	checkPatience = 12 * time.Second
)

// HealthOf tells how the service is doing, for whoever holds policy.SeeService. What checks found is told
// with its age, and looked at anew behind the reader's back where it is old; with again everything is
// looked at first, as far as it answers in time. Backups are for holders of policy.SeeBackups.
func (s *Service) HealthOf(ctx context.Context, who *access.Caller, again bool) (*Health, error) {
	h := &Health{Version: s.Program.Version, StartedAt: clock.At(s.Program.Started), Well: true, Findings: []Found{}}
	results := s.Checks.Known
	if again {
		results = func(ctx context.Context) []health.Result { return s.Checks.Fresh(ctx, checkPatience) }
	}
	for _, r := range results(ctx) {
		h.Add(r)
	}
	schema, err := s.DB.Schema(ctx)
	if err != nil {
		return nil, err
	}
	h.Schema = Versions{schema.Applied, schema.Newest}
	if s.Program.Disk != nil {
		h.Disk, _ = s.Program.Disk() // of one that cannot be read a check tells
	}
	return h, s.DB.View(ctx, func(q db.Q) error { return h.count(ctx, q, who) })
}

// Add tells what a check found.
func (h *Health) Add(r health.Result) {
	h.Checking = h.Checking || r.Checking
	var at *clock.Time
	if !r.At.IsZero() {
		t := clock.At(r.At)
		at = &t
		if h.CheckedAt == nil || t.Before(h.CheckedAt.Time) {
			h.CheckedAt = at
		}
	} else if r.Checking {
		h.Findings = append(h.Findings, Found{Check: r.Name, OK: true, Names: []string{}, Checking: true})
	}
	for _, f := range r.Findings {
		names := slices.Clone(f.Names[:min(len(f.Names), mostFoundNames)])
		h.Findings = append(h.Findings, Found{Check: f.What, OK: !f.Bad, Saw: f.Saw, Advice: f.Advice,
			Names: append([]string{}, names...), CheckedAt: at, Checking: r.Checking})
		h.Well = h.Well && !f.Bad
	}
}

// count reads what the database knows.
func (h *Health) count(ctx context.Context, q db.Q, who *access.Caller) (err error) {
	if h.Jobs, err = jobs.SummaryOf(ctx, q); err != nil {
		return err
	}
	if h.Emails, err = notify.FiguresOf(ctx, q); err != nil {
		return err
	}
	if h.Webhooks, err = webhook.FiguresOf(ctx, q); err != nil || !who.May(policy.SeeBackups) {
		return err
	}
	h.Backups, err = backup.StateOf(ctx, q)
	return err
}

// Sorted gives the findings with those first that need somebody.
func (h *Health) Sorted() []Found {
	list := slices.Clone(h.Findings)
	slices.SortStableFunc(list, func(a, b Found) int { return cmp.Compare(rank(a), rank(b)) })
	return list
}

func rank(f Found) int {
	switch {
	case !f.OK:
		return 0
	case f.Advice != "":
		return 1
	}
	return 2
}
