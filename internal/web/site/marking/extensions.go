package marking

import (
	"context"
	"fmt"
	"net/url"
	"strconv"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/due"
	"lectern/internal/teaching/work"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

// unitExtensions is where the list stands.
const unitExtensions = "/units/{id}/extensions"

func (s *room) extensionRoutes() {
	asks := endpoint.Asks(policy.SeeGrantReasons, policy.GrantExtensions)
	page.Show(s.Site, unitExtensions, policy.SeeExtensions, "The requests for more time of a unit", s.extensions, asks)
	page.Form(s.Site, unitExtensions+"/plan", policy.SeeExtensions, "What would become of chosen requests",
		s.planExtensions, asks,
		endpoint.Unaudited("tells what would happen and changes nothing"))
	page.Form(s.Site, unitExtensions, policy.SeeExtensions, "Grant or reject chosen requests", s.decideExtensions, asks,
		endpoint.Audited(audit.Extension, audit.Status, audit.Grade))
}

// extensionsFilter is what narrows the list, as the address has it.
type extensionsFilter struct {
	Who      string `param:"who"`      // mine, or all
	Tutorial string `param:"tutorial"` // its id; empty: all
	Task     string `param:"task"`
	Tab      string `param:"tab"`  // decided; else what is open
	From     int64  `param:"from"` // how many decided ones to pass over
}

type extensionsIn struct {
	ID int64 `path:"id" scope:"unit"`
	extensionsFilter
	All   bool  `param:"all"`   // every open request is chosen
	Given int64 `param:"given"` // how many extensions were given just now
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
	for name, value := range map[string]string{"who": f.Who, "tutorial": f.Tutorial, "task": f.Task, "tab": f.Tab} {
		if value != "" {
			v.Set(name, value)
		}
	}
	return v.Encode()
}

// Narrow tells whether some requests are left out.
func (f extensionsFilter) Narrow() bool { return f.Who != "" || f.Tutorial != "" || f.Task != "" }

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
	Every   bool  // all that wait are chosen
	Decided []work.ListedExtension
	Former  int64                  // that are decided
	Given   int64                  // extensions that were given just now
	MayGive bool                   // the caller may give them without a request
	One     *work.DecidedExtension // that was decided on in its row
	Grant   bool
	Plan    []work.DecidedExtension // of chosen ones
	Done    bool                    // it was carried out
	words   *page.Language
}

// Path is where the page stands.
func (v *extensionsPage) Path() string { return links.To(unitExtensions, v.Unit.ID) }

// with is the address of the list with another filter.
func (v *extensionsPage) with(f extensionsFilter) string { return v.Path() + "?" + f.Query() }

// Oldest is when the request was made that waits longest; nil: none waits.
func (v *extensionsPage) Oldest() *clock.Time {
	if len(v.Open) == 0 {
		return nil
	}
	return &v.Open[0].AskedAt
}

// Tabs are what waits and what is decided.
func (v *extensionsPage) Tabs() []map[string]any {
	open, decided := v.Filter, v.Filter
	open.Tab, decided.Tab = "", "decided"
	return []map[string]any{
		{"Text": v.words.Word("extensions.open"), "Href": v.with(open), "Current": v.Filter.Tab == "", "Count": v.All},
		{"Text": v.words.Word("extensions.decided"), "Href": v.with(decided), "Current": v.Filter.Tab != "",
			"Count": v.Former}}
}

// Mine leads to the requests of the caller's own tutorials, or from them to all.
func (v *extensionsPage) Mine() map[string]any {
	f := v.Filter
	on := f.Who == "mine"
	if f.Who = "mine"; on {
		f.Who = ""
	}
	return map[string]any{"Text": v.words.Word("lists.mine"), "Href": v.with(f), "On": on}
}

// ByTutorial leads to the requests of one tutorial.
func (v *extensionsPage) ByTutorial() map[string]any {
	return v.menu(v.words.Word("lists.tutorial"), v.Filter.Tutorial, v.Unit.Tutorials,
		func(f *extensionsFilter, id string) { f.Tutorial = id })
}

// ByTask leads to the requests for one task.
func (v *extensionsPage) ByTask() map[string]any {
	return v.menu(v.words.Word("lists.task"), v.Filter.Task, v.Unit.Tasks,
		func(f *extensionsFilter, id string) { f.Task = id })
}

// menu is a choice of the filter, where the first entry chooses none.
func (v *extensionsPage) menu(text, chosen string, of []usecase.UnitChoice,
	set func(*extensionsFilter, string)) map[string]any {
	f, label := v.Filter, text
	set(&f, "")
	items := []map[string]any{{"Text": v.words.Word("lists.any"), "Href": v.with(f), "Current": chosen == ""}}
	on := false
	for _, c := range of {
		id := strconv.FormatInt(c.ID, 10)
		set(&f, id)
		items = append(items, map[string]any{"Text": c.Name, "Href": v.with(f), "Current": id == chosen})
		if id == chosen {
			text, on = text+": "+c.Name, true
		}
	}
	return map[string]any{"Text": text, "Label": label, "Items": items, "On": on}
}

// Most is how many weeks a task can have in all.
func (v *extensionsPage) Most(d due.Dates) int { return d.Extensions + max(d.WeeksCanExtend(), 0) }

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
	if in.Tab != "decided" {
		in.Tab = ""
	}
	v := &extensionsPage{Filter: in.extensionsFilter, Every: in.All, Given: max(in.Given, 0), words: s.Words,
		MayGive: who.May(policy.GrantExtensions)}
	l := work.Extensions{UnitID: in.ID, CallerID: who.ID, Mine: in.Who == "mine", TutorialID: choice(in.Tutorial),
		DefinitionID: choice(in.Task), GrantReasons: who.May(policy.SeeGrantReasons), Page: db.Part(mostOpen, 0)}
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
	Grant   int64   `param:"grant"`   // the one request whose row was answered
	Decline int64   `param:"decline"` // or this one
	Home    bool    `param:"home"`    // it was answered on the home page
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
	if in.Grant != 0 || in.Decline != 0 {
		return s.decideOne(ctx, who, in)
	}
	if err := in.none(); err != nil {
		return s.planned(ctx, who, in, nil, true, err)
	}
	done, err := s.Usecases.DecideExtensions(ctx, who, in.batch())
	return s.planned(ctx, who, in, done, true, err)
}

// decideOne answers the request of one row, whatever else is chosen, and shows the list again, or the
// home page where it was answered there. What could not be answered is told on the list.
func (s *room) decideOne(ctx context.Context, who *access.Caller, in chosenExtensions) (endpoint.Drawing, error) {
	b := work.ExtensionBatch{UnitID: in.ID, IDs: []int64{in.Grant}, Grant: true}
	if in.Grant == 0 {
		b.IDs[0], b.Grant = in.Decline, false
	}
	done, err := s.Usecases.DecideExtensions(ctx, who, b)
	if err != nil {
		return s.planned(ctx, who, in, nil, true, err)
	}
	if in.Home && (done[0].Outcome == work.ExtensionGranted || done[0].Outcome == work.ExtensionRejected) {
		return endpoint.Redirect{To: fmt.Sprintf("%s?answered=%d", links.Home, b.IDs[0])}, nil
	}
	p, err := s.extensions(ctx, who, in.extensionsIn)
	if err != nil {
		return nil, err
	}
	p.Data.(*extensionsPage).One = &done[0] //nolint:errcheck // it is the page of this list
	return p, nil
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
	v := &extensionsPage{Filter: in.extensionsFilter, Grant: in.Granted, Plan: plan, Done: done, words: s.Words}
	if v.Unit, err = usecase.UnitChoicesOf(ctx, s.DB.Pool(), in.ID); err != nil {
		return nil, err
	}
	title := s.Word("extensions.plan-title")
	if done {
		title = s.Word("extensions.done-title")
	}
	return s.Titled(who, "extensions-plan", title, v), nil
}
