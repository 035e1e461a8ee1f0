package usecase

import (
	"context"

	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/chart"
	"lectern/internal/teaching/insight"
)

// RiskSearch is what a caller may ask about the students of a unit who are at risk: whoever holds policy.SeeAllAtRisk
// about all of them, others of the staff about those of their own tutorials. Whoever may not list students is refused:
// it names them.
func RiskSearch(who *access.Caller, unitID int64) (insight.RiskSearch, error) {
	s := insight.RiskSearch{UnitID: unitID}
	if !who.May(policy.SeeAllAtRisk) {
		s.TutorID = &who.ID
	}
	return s, who.Must(policy.ListStudents)
}

// ClassTable is what a chart of a class shows, as a table. How soon each tutor gives feedback is for holders of
// policy.SeeTutorPace.
func ClassTable(ctx context.Context, q db.Q, who *access.Caller, c insight.Class, name string) (chart.Table, error) {
	if name == "turnaround" && !who.May(policy.SeeTutorPace) {
		return chart.Table{}, fault.New(fault.Denied, "Only convenors see how soon each tutor gives feedback.")
	}
	return c.Table(ctx, q, name, who.ID)
}
