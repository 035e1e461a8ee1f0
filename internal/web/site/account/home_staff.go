package account

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/handover"
	"lectern/internal/teaching/insight"
	"lectern/internal/teaching/work"
	"lectern/internal/usecase"
)

const mostAsked = 5 // requests for more time that home shows: the oldest of all units

// staffHome is what home shows whoever teaches, beside what waits in each unit.
type staffHome struct {
	Asked     []work.ListedExtension // that wait for a decision
	Open      map[int64]int64        // how many there are, by unit, where the person may see them
	Answered  *work.ListedExtension  // that was just decided on; nil: none
	Own       *insight.OwnWeek
	Tutorials []insight.HeldTutorial
	Handed    []handover.Handover // queues that are with others, or with them
}

// teach adds what whoever teaches sees: requests for more time, their week, and their tutorials.
func (v *staffHome) teach(ctx context.Context, q db.Q, who *access.Caller, h *usecase.Home,
	answered int64) (err error) {
	if v.Own, err = insight.OwnWeekOf(ctx, q, who.ID, h.Monday(q.Now()), h.Targets()); err != nil {
		return err
	}
	if v.Tutorials, err = insight.HeldBy(ctx, q, who.ID); err != nil {
		return err
	}
	if v.Handed, err = handover.Concerning(ctx, q, who.ID, 0); err != nil {
		return err
	}
	units := make([]int64, len(h.Teaches))
	for i, t := range h.Teaches {
		units[i] = t.UnitID
	}
	units, err = access.Holding(ctx, q, who, policy.SeeExtensions, units)
	if err != nil || len(units) == 0 {
		return err
	}
	return v.ask(ctx, q, who, units, answered)
}

// ask adds the oldest requests for more time of units whose requests the person may see, how many there
// are in each, and the one that was just answered.
func (v *staffHome) ask(ctx context.Context, q db.Q, who *access.Caller, units []int64, answered int64) (err error) {
	counts, err := work.OpenExtensions(ctx, q, who.ID, units)
	if err != nil {
		return err
	}
	v.Open = map[int64]int64{}
	for _, u := range units {
		v.Open[u] = counts[u]
	}
	list := work.Extensions{CallerID: who.ID, Units: units, Page: db.Part(mostAsked, 0)}
	if v.Asked, _, err = list.Rows(ctx, q); err != nil || answered == 0 {
		return err
	}
	list.Decided, list.ID = true, answered
	done, _, err := list.Rows(ctx, q)
	if len(done) == 1 {
		v.Answered = &done[0]
	}
	return err
}

// AskAll is how many requests wait in all units.
func (v *staffHome) AskAll() (n int64) {
	for _, count := range v.Open {
		n += count
	}
	return n
}

// AllAsked is where the requests are listed, where they are of one unit.
func (v *staffHome) AllAsked() (unitID int64) {
	for u, count := range v.Open {
		switch {
		case count > 0 && unitID != 0:
			return 0
		case count > 0:
			unitID = u
		}
	}
	return unitID
}

// ownTarget is the target of all units that have one, in days; 0: they have several, or none has any.
func ownTarget(list []usecase.Teaching) (days int64) {
	for _, t := range list {
		switch {
		case t.FeedbackDays == nil:
		case days != 0 && days != *t.FeedbackDays:
			return 0
		default:
			days = *t.FeedbackDays
		}
	}
	return days
}

// granted tells whether a request was.
func granted(e work.ListedExtension) bool { return e.Granted != nil && *e.Granted }
