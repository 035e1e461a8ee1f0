package marking

import (
	"context"
	"fmt"
	"net/url"
	"slices"

	"lectern/internal/connect/turnitin"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/similarity"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

func (s *room) unitSimilarityRoutes() {
	asks := endpoint.Asks(policy.SeeSimilarities, policy.DecideCases, policy.SteerOutside)
	page.Show(s.Site, links.UnitSimilarity, policy.SeeClusters, "The work of a unit that is alike, and what was decided",
		s.unitSimilarity, asks)
	page.Form(s.Site, links.UnitSimilarity+"/decide", policy.DecideCases,
		"Decide on similar work of a unit, with a reason", s.decideCases, asks,
		endpoint.Audited(audit.Similarity))
	page.Form(s.Site, links.UnitSimilarity+"/retry", policy.SteerOutside,
		"Have something tried again at the similarity service", s.retryOutside, asks,
		endpoint.Audited(audit.Job))
}

// casesFilter is what narrows the list, as the address has it.
type casesFilter struct {
	State    string `param:"state"`
	Task     string `param:"task"`
	Tutorial string `param:"tutorial"`
	Origin   string `param:"origin"`  // outside, or ours; empty: both
	Least    string `param:"least"`   // percent
	Cluster  string `param:"cluster"` // the first case of those that hang together
}

type casesIn struct {
	ID int64 `path:"id" scope:"unit"`
	casesFilter
	Page int64 `param:"page"`
	Done int64 `param:"done"` // how many were decided just now
}

// clean replaces what the address says wrongly by what is usual.
func (f *casesFilter) clean() {
	if !slices.Contains(similarity.State("").Enum(), f.State) {
		f.State = ""
	}
	if f.Origin != "ours" && f.Origin != "outside" {
		f.Origin = ""
	}
	if n := choice(f.Least); n < 1 || n > 100 {
		f.Least = ""
	}
	for _, id := range []*string{&f.Task, &f.Tutorial, &f.Cluster} {
		if choice(*id) < 1 {
			*id = ""
		}
	}
}

func (f *casesFilter) fields() [][2]string {
	return [][2]string{{"state", f.State}, {"task", f.Task}, {"tutorial", f.Tutorial}, {"origin", f.Origin},
		{"least", f.Least}, {"cluster", f.Cluster}}
}

// query is the filter as an address has it.
func (f *casesFilter) query() url.Values {
	v := url.Values{}
	for _, one := range f.fields() {
		if one[1] != "" {
			v.Set(one[0], one[1])
		}
	}
	return v
}

func (f *casesFilter) filter() similarity.Filter {
	out := similarity.Filter{State: similarity.State(f.State), DefinitionID: choice(f.Task),
		TutorialID: choice(f.Tutorial), Least: int(choice(f.Least)), Cluster: choice(f.Cluster)}
	switch f.Origin {
	case "ours":
		out.Type = similarity.Ours
	case "outside":
		out.Type = similarity.Outside
	}
	return out
}

// casesOnPage is how many cases a page shows, and clustersOnPage how many clusters.
const (
	casesOnPage    = 50
	clustersOnPage = 12
	actionsOnPage  = 20
)

func (s *room) unitSimilarity(ctx context.Context, who *access.Caller, in casesIn) (*page.Page, error) {
	v, err := s.readCases(ctx, who, in, typedDecision{})
	if err != nil {
		return nil, err
	}
	return s.Titled(who, "similarity", s.Word("cases.title"), v), nil
}

// readCases reads the similar work of a unit, and what the outside service holds of it for those who may see that.
func (s *room) readCases(ctx context.Context, who *access.Caller, in casesIn, typed typedDecision) (*casesPage, error) {
	in.clean()
	in.Page = min(max(in.Page, 1), 1e6)
	v := &casesPage{Filter: in.casesFilter, Page: in.Page, MayDecide: who.May(policy.DecideCases), Typed: typed,
		Done: max(in.Done, 0), words: s.Words}
	f := in.filter()
	f.Page = db.Part(casesOnPage, (in.Page-1)*casesOnPage)
	var cases []similarity.Case
	var clusters []similarity.CaseCluster
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Unit, err = usecase.UnitChoicesOf(ctx, q, in.ID); err != nil {
			return err
		}
		u, err := similarity.CasesIn(ctx, q, who, in.ID)
		if err != nil {
			return err
		}
		v.Counts = u.Counts()
		v.Unit.Tasks = slices.DeleteFunc(v.Unit.Tasks, func(c usecase.UnitChoice) bool { return !u.Has(c.ID) })
		var n int64
		if clusters, n, err = u.Clusters(ctx, q, db.Part(clustersOnPage, 0)); err != nil {
			return err
		}
		v.Hidden = int(max(n-clustersOnPage, 0))
		if cases, v.Total, err = u.List(ctx, q, f); err != nil || !who.May(policy.SteerOutside) {
			return err
		}
		if v.Held, err = turnitin.HeldOf(ctx, q, in.ID); err == nil {
			v.Actions, _, err = turnitin.List(ctx, q, turnitin.Filter{UnitID: in.ID}, db.Part(actionsOnPage, 0))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if v.Held != nil && *v.Held == (turnitin.Held{}) && len(v.Actions) == 0 && !s.Usecases.Outside.Enabled() {
		v.Held = nil // there is no service, and there was none
	}
	v.arrange(cases, clusters)
	return v, nil
}

func comparePath(unitID, taskID, id int64) string {
	return fmt.Sprintf("/units/%d/desk/tasks/%d/similarities/%d", unitID, taskID, id)
}

// retryOutside has something tried again at the outside service, and shows the list again.
func (s *room) retryOutside(ctx context.Context, who *access.Caller, in struct {
	ID     int64 `path:"id" scope:"unit"`
	Action int64 `param:"action"`
}) (endpoint.Drawing, error) {
	if _, err := s.Usecases.RetryOutside(ctx, who, in.Action, in.ID); err != nil {
		v, again := s.readCases(ctx, who, casesIn{ID: in.ID}, typedDecision{})
		if again != nil {
			return nil, again
		}
		return s.Again(s.Refusal(who, "similarity", s.Word("cases.title"), v), err)
	}
	return endpoint.Redirect{To: links.To(links.UnitSimilarity, in.ID) + "#outside"}, nil
}
