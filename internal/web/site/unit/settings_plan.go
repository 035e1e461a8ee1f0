package unit

import (
	"lectern/internal/ground/clock"
	"lectern/internal/usecase"
)

// datesPlan is what a change of dates would come to.
type datesPlan struct {
	Start, End, Portfolio *moved // nil: it stays
	Tasks                 []movedTask
	Outside               int // tasks whose target is outside the new dates of the unit
}

// moved is a day that becomes another; either may be missing.
type moved struct{ From, To *clock.Date }

// Stays tells whether it is the same day.
func (m moved) Stays() bool { return day(m.From) == day(m.To) }

// movedTask is a task whose dates move, or that no longer lies in the dates of its unit.
type movedTask struct {
	Abbreviation, Name string
	Start, Target, Due moved
	Outside            bool
}

// moves tells whether dates of tasks may move by a change, or lie outside those of the unit.
func moves(c usecase.UnitChange) bool {
	return c.StartDate != nil || c.EndDate != nil || c.TeachingPeriodID.Set
}

// planOf compares a unit with what it is to become.
func planOf(is, to *usecase.FullUnit) *datesPlan {
	p := &datesPlan{Start: shifted(&is.StartDate, &to.StartDate), End: shifted(&is.EndDate, &to.EndDate),
		Portfolio: shifted(is.Unit.PortfolioDate, to.Unit.PortfolioDate)}
	now := map[int64]int{}
	for i, d := range is.TaskDefinitions {
		now[d.ID] = i
	}
	for _, d := range to.TaskDefinitions {
		i, found := now[d.ID]
		if !found {
			continue
		}
		was := is.TaskDefinitions[i]
		t := movedTask{d.Abbreviation, d.Name, moved{&was.StartDate, &d.StartDate}, moved{&was.TargetDate, &d.TargetDate},
			moved{&was.DueDate, &d.DueDate}, d.TargetDate.Before(to.StartDate) || d.TargetDate.After(to.EndDate)}
		if t.Outside {
			p.Outside++
		}
		if t.Outside || !t.Start.Stays() || !t.Target.Stays() || !t.Due.Stays() {
			p.Tasks = append(p.Tasks, t)
		}
	}
	return p
}

// shifted is a day that moves; nil where it stays.
func shifted(from, to *clock.Date) *moved {
	if m := (moved{from, to}); !m.Stays() {
		return &m
	}
	return nil
}
