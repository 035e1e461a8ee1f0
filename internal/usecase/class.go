package usecase

import (
	"context"
	"slices"

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

// ClassTable is what a chart of a class shows, as a table; those by rubric are of one task, or with 0 of all. How soon
// each tutor gives feedback, and how they mark beside others, is for holders of policy.SeeTutorPace.
func ClassTable(ctx context.Context, q db.Q, who *access.Caller, c insight.Class, definitionID int64,
	name string) (t chart.Table, err error) {
	if insight.IsOfTutors(name) && !who.May(policy.SeeTutorPace) {
		return t, fault.New(fault.Denied, "Only convenors see how each tutor marks.")
	}
	if !slices.Contains(insight.RubricTables, name) {
		return c.Table(ctx, q, name, who.ID)
	}
	b, err := RubricInsight(ctx, q, who, insight.RubricSearch{Class: c, DefinitionID: definitionID})
	if err != nil {
		return t, err
	}
	return b.Table(name)
}

// RubricInsight tells where a class loses by the rubrics of its tasks, for whoever holds policy.ReadStatistics; by
// tutor, too, for holders of policy.SeeTutorPace. A tutorial of another unit is fault.Missing.
func RubricInsight(ctx context.Context, q db.Q, who *access.Caller, s insight.RubricSearch) (*insight.ByRubric, error) {
	s.ByTutor = who.May(policy.SeeTutorPace)
	if err := s.Check(ctx, q); err != nil {
		return nil, err
	}
	return s.Count(ctx, q)
}
