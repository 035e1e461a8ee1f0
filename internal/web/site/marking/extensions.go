package marking

import (
	"context"
	"net/url"
	"strconv"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/work"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

// unitExtensions is where the list stands.
const unitExtensions = "/units/{id}/extensions"

func (s *room) extensionRoutes() {
	page.Show(s.Site, unitExtensions, policy.SeeExtensions, "The requests for more time of a unit", s.extensions)
	page.Form(s.Site, unitExtensions+"/plan", policy.SeeExtensions, "What would become of chosen requests",
		s.planExtensions,
		endpoint.Unaudited("tells what would happen and changes nothing"))
	page.Form(s.Site, unitExtensions, policy.SeeExtensions, "Grant or reject chosen requests", s.decideExtensions,
		endpoint.Audited(audit.Extension, audit.Status, audit.Grade))
}

// extensionsFilter is what narrows the list, as the address has it.
type extensionsFilter struct {
	Who      string `param:"who"`      // mine, or all
	Tutorial string `param:"tutorial"` // its id; empty: all
	Task     string `param:"task"`
	From     int64  `param:"from"` // how many decided ones to pass over
}

type extensionsIn struct {
	ID int64 `path:"id" scope:"unit"`
	extensionsFilter
}

// choice reads an id that was chosen in a form; what is none chooses all.
func choice(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// Query is the filter as an address has it, without the place in the list.
func (f extensionsFilter) Query() string {
	v := url.Values{}
	for name, value := range map[string]string{"who": f.Who, "tutorial": f.Tutorial, "task": f.Task} {
		if value != "" {
			v.Set(name, value)
		}
	}
	return v.Encode()
}

// How many rows the page shows: of what waits the oldest, of the rest a page.
const (
	mostOpen    = 200
	mostDecided = 25
)

// extensionsPage is what the list of requests shows.
type extensionsPage struct {
	Unit    *usecase.UnitChoices
	Filter  extensionsFilter
	Open    []work.ListedExtension
	All     int64 // that wait
	Decided []work.ListedExtension
	Former  int64 // that are decided
	Grant   bool
	Plan    []work.DecidedExtension // of chosen ones
	Done    bool                    // it was carried out
}

// Path is where the page stands.
func (v *extensionsPage) Path() string { return links.To(unitExtensions, v.Unit.ID) }

// More is where the next decided ones start; 0: there are none.
func (v *extensionsPage) More() int64 {
	if next := v.Filter.From + mostDecided; next < v.Former {
		return next
	}
	return 0
}

// Changes counts the requests of a plan that would be decided.
func (v *extensionsPage) Changes() (n int) {
	for _, o := range v.Plan {
		if o.Outcome == work.ExtensionGranted || o.Outcome == work.ExtensionRejected {
			n++
		}
	}
	return n
}

func (s *room) extensions(ctx context.Context, who *access.Caller, in extensionsIn) (*page.Page, error) {
	in.From = max(in.From, 0)
	v := &extensionsPage{Filter: in.extensionsFilter}
	l := work.Extensions{UnitID: in.ID, CallerID: who.ID, Mine: in.Who == "mine", TutorialID: choice(in.Tutorial),
		DefinitionID: choice(in.Task), Page: db.Part(mostOpen, 0)}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Unit, err = usecase.UnitChoicesOf(ctx, q, in.ID); err != nil {
			return err
		}
		if v.Open, v.All, err = l.Rows(ctx, q); err != nil {
			return err
		}
		l.Decided, l.Page = true, db.Part(mostDecided, in.From)
		v.Decided, v.Former, err = l.Rows(ctx, q)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.Titled(who, "extensions", s.Word("extensions.title"), v), nil
}

type chosenExtensions struct {
	extensionsIn
	Chosen  []int64 `param:"chosen"`
	Granted bool    `param:"granted"`
}

// none is the refusal of a form in which no request is chosen.
func (in chosenExtensions) none() error {
	if len(in.Chosen) > 0 {
		return nil
	}
	return fault.New(fault.Refused, "No request is selected. Select at least one, then try again.")
}

func (s *room) planExtensions(ctx context.Context, who *access.Caller, in chosenExtensions) (endpoint.Drawing,
	error) {
	if err := in.none(); err != nil {
		return s.planned(ctx, who, in, nil, false, err)
	}
	var plan []work.DecidedExtension
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		plan, err = work.PlanExtensions(ctx, q, who.ID, in.batch())
		return err
	})
	return s.planned(ctx, who, in, plan, false, err)
}

func (s *room) decideExtensions(ctx context.Context, who *access.Caller, in chosenExtensions) (endpoint.Drawing,
	error) {
	if err := in.none(); err != nil {
		return s.planned(ctx, who, in, nil, true, err)
	}
	done, err := s.Usecases.DecideExtensions(ctx, who, in.batch())
	return s.planned(ctx, who, in, done, true, err)
}

func (in chosenExtensions) batch() work.ExtensionBatch {
	return work.ExtensionBatch{UnitID: in.ID, IDs: in.Chosen, Grant: in.Granted}
}

// planned shows what becomes of the chosen requests, or became of them, or the list
// again with what was wrong.
func (s *room) planned(ctx context.Context, who *access.Caller, in chosenExtensions, plan []work.DecidedExtension,
	done bool, err error) (endpoint.Drawing, error) {
	if err != nil {
		p, drawn := s.extensions(ctx, who, in.extensionsIn)
		if drawn != nil {
			return nil, drawn
		}
		return s.Again(p, err)
	}
	v := &extensionsPage{Filter: in.extensionsFilter, Grant: in.Granted, Plan: plan, Done: done}
	if v.Unit, err = usecase.UnitChoicesOf(ctx, s.DB.Pool(), in.ID); err != nil {
		return nil, err
	}
	title := s.Word("extensions.plan-title")
	if done {
		title = s.Word("extensions.done-title")
	}
	return s.Titled(who, "extensions-plan", title, v), nil
}
