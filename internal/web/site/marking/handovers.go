package marking

import (
	"context"
	"slices"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/handover"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

// unitHandovers is where a convenor hands queues over.
const unitHandovers = unitPromise + "/handovers"

func (s *room) handoverRoutes() {
	page.Show(s.Site, unitHandovers, policy.SeeHandovers, "Whose queue of a unit is with colleagues", s.handovers,
		endpoint.Asks(policy.HandOver))
	page.Form(s.Site, unitHandovers, policy.HandOver, "Hand a queue to colleagues for a time", s.handOver,
		endpoint.Audited(audit.Handover))
	page.Form(s.Site, unitHandovers+"/{handover_id}/end", policy.HandOver, "End a handover early", s.endHandover,
		endpoint.Audited(audit.Handover))
}

// handoverForm is what is typed into the form.
type handoverForm struct {
	Role  int64   `param:"role"`
	Staff []int64 `param:"staff"`
	From  string  `param:"from"`
	Until string  `param:"until"`
}

type handoversIn struct {
	ID int64 `path:"id" scope:"unit"`
}

// handoversPage is what the page shows.
type handoversPage struct {
	Unit    *course.Unit
	MayHand bool                 // queues over
	Staff   []course.StaffMember // to choose from, for whoever may; none where nobody else is there
	List    []handover.Handover
	Typed   handoverForm
}

// Path is where the page stands.
func (v *handoversPage) Path() string { return links.To(unitHandovers, v.Unit.ID) }

// Chosen tells whether a role is chosen to get the queue.
func (v *handoversPage) Chosen(role int64) bool { return slices.Contains(v.Typed.Staff, role) }

func (s *room) handovers(ctx context.Context, who *access.Caller, in handoversIn) (*page.Page, error) {
	v := &handoversPage{MayHand: who.May(policy.HandOver)}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Unit, err = course.UnitByID(ctx, q, in.ID); err != nil {
			return err
		}
		if v.List, err = handover.Of(ctx, q, in.ID); err != nil || !v.MayHand {
			return err
		}
		zone := clock.Zone(v.Unit.TimeZone)
		if zone == nil {
			zone = time.UTC
		}
		v.Typed.From = clock.Day(q.Now().In(zone)).String()
		if v.Staff, err = course.StaffOf(ctx, q, in.ID); len(v.Staff) < 2 {
			v.Staff = nil // there is nobody to hand a queue to
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.Titled(who, "handovers", s.Word("handover.title"), v), nil
}

type handOverIn struct {
	handoversIn
	handoverForm
}

// handover reads what was typed, and says in the words of the page what is missing.
func (in handOverIn) handover() (n handover.New, err error) {
	n = handover.New{UnitID: in.ID, RoleID: in.Role, Staff: in.Staff}
	if n.From, err = clock.ParseDate(in.From); err == nil {
		n.Until, err = clock.ParseDate(in.Until)
	}
	switch {
	case err != nil:
		return n, fault.New(fault.Refused, "Choose the first and the last day.")
	case n.RoleID == 0:
		return n, fault.New(fault.Refused, "Choose whose queue it is.")
	case len(n.Staff) == 0:
		return n, fault.New(fault.Refused, "No colleague is selected. Select at least one, then try again.")
	case slices.Contains(n.Staff, n.RoleID):
		return n, fault.New(fault.Refused, "Select others than the colleague whose queue it is.")
	case n.Until.Before(n.From):
		return n, fault.New(fault.Refused, "The last day is before the first.")
	}
	return n, nil
}

func (s *room) handOver(ctx context.Context, who *access.Caller, in handOverIn) (endpoint.Drawing, error) {
	n, err := in.handover()
	if err == nil {
		_, err = s.Usecases.HandOver(ctx, who, n)
	}
	if err == nil {
		return endpoint.Redirect{To: links.To(unitHandovers, in.ID)}, nil
	}
	return s.handoversAgain(ctx, who, in, err)
}

// handoversAgain draws the page with what was typed and what was wrong.
func (s *room) handoversAgain(ctx context.Context, who *access.Caller, in handOverIn, wrong error) (endpoint.Drawing,
	error) {
	p, err := s.handovers(ctx, who, in.handoversIn)
	if err != nil {
		return nil, err
	}
	p.Data.(*handoversPage).Typed = in.handoverForm //nolint:errcheck // it is the page of this form
	return s.Again(p, wrong)
}

type endHandoverIn struct {
	handoversIn
	HandoverID int64 `path:"handover_id"`
}

func (s *room) endHandover(ctx context.Context, who *access.Caller, in endHandoverIn) (endpoint.Drawing, error) {
	if err := s.Usecases.EndHandover(ctx, who, in.ID, in.HandoverID); err != nil {
		return nil, err
	}
	return endpoint.Redirect{To: links.To(unitHandovers, in.ID)}, nil
}
