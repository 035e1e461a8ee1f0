package account

import (
	"cmp"
	"context"
	"slices"

	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/work"
	"lectern/internal/usecase"
	"lectern/internal/web/site/page"
)

func (s *room) homeRoutes() {
	page.Show(s.Site, links.Home, policy.SignedIn, "Home", s.home)
}

// mostAsked is how many requests for more time the home page shows: the oldest of all units.
const mostAsked = 5

// homePage is what waits for somebody.
type homePage struct {
	*usecase.Home
	Asked  []work.ListedExtension // that wait for a decision in the units they teach
	AskAll int64
}

// ask adds the oldest requests for more time of the units whose requests the person may see.
func (v *homePage) ask(ctx context.Context, q db.Q, who *access.Caller) error {
	units := make([]int64, len(v.Teaches))
	for i, t := range v.Teaches {
		units[i] = t.UnitID
	}
	units, err := access.Holding(ctx, q, who, policy.SeeExtensions, units)
	if err != nil || len(units) == 0 {
		return err
	}
	v.Asked, v.AskAll, err = work.Extensions{CallerID: who.ID, Units: units, Page: db.Part(mostAsked, 0)}.Rows(ctx, q)
	return err
}

func (s *room) home(ctx context.Context, who *access.Caller, _ struct{}) (*page.Page, error) {
	var v homePage
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Home, err = usecase.HomeOf(ctx, q, who); err != nil || len(v.Teaches) == 0 {
			return err
		}
		if err = usecase.AddOverdue(ctx, q, v.Teaches); err != nil {
			return err
		}
		return v.ask(ctx, q, who)
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(v.Teaches, func(a, b usecase.Teaching) int { // what is most urgent comes first
		return cmp.Or(cmp.Compare(b.Overdue, a.Overdue), cmp.Compare(b.Waiting, a.Waiting))
	})
	return s.Page(who, "home", v), nil
}
