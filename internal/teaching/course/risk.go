package course

import "lectern/internal/ground/fault"

// RiskThresholds are from where on a student of the unit counts as at risk. One that is none is no reason in this unit.
// Who is at risk is worked out by the package insight.
type RiskThresholds struct {
	RiskOverdue  *int64 `db:"risk_overdue_tasks" json:"risk_overdue_tasks"`
	RiskBehind   *int64 `db:"risk_behind_percent" json:"risk_behind_percent"` // of all work, by its weight
	RiskInactive *int64 `db:"risk_away_days" json:"risk_away_days"`
	RiskTries    *int64 `db:"risk_failed_tries" json:"risk_failed_tries"` // on one task
}

// usualRisk are the thresholds of a new unit; those that the schema gives to units that are there already are the same.
func usualRisk() RiskThresholds {
	return RiskThresholds{RiskOverdue: new(int64(3)), RiskBehind: new(int64(20)), RiskInactive: new(int64(14)),
		RiskTries: new(int64(3))}
}

// RiskChange is what to set of the thresholds.
type RiskChange struct{ Overdue, Behind, Inactive, Tries Setting[int64] }

func (c RiskChange) on(t *RiskThresholds) {
	c.Overdue.on(&t.RiskOverdue)
	c.Behind.on(&t.RiskBehind)
	c.Inactive.on(&t.RiskInactive)
	c.Tries.on(&t.RiskTries)
}

// checkRisk notes the thresholds that are out of bounds.
func (t RiskThresholds) checkRisk(wrong *fault.Fields) {
	for _, c := range []struct {
		name  string
		value *int64
		most  int64
	}{{"risk_overdue_tasks", t.RiskOverdue, 100}, {"risk_behind_percent", t.RiskBehind, 100},
		{"risk_away_days", t.RiskInactive, 365}, {"risk_failed_tries", t.RiskTries, 100}} {
		if c.value != nil && (*c.value < 1 || *c.value > c.most) {
			wrong.Outside(c.name, "must be from 1 to %d, or none", c.most)
		}
	}
}
