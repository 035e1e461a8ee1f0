package insight

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/enrol"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/work"
)

// Reason is why a student counts as at risk.
type Reason string

// The reasons, each with a threshold of its own that the unit sets.
const (
	Overdue     Reason = "overdue"      // tasks that should have been handed in by now
	BehindPlan  Reason = "behind_plan"  // how much less of all work was handed in than was due, in percent
	Inactive    Reason = "away"         // days in which the student did nothing, though something is left to do
	FailedTries Reason = "failed_tries" // submissions of one task that were not good enough, and it still is not
)

// Reasons are all of them, in the order in which they are told.
var Reasons = []Reason{Overdue, BehindPlan, Inactive, FailedTries}

// Enum gives all values, for the documentation of the API.
func (Reason) Enum() []string {
	out := make([]string, len(Reasons))
	for i, r := range Reasons {
		out[i] = string(r)
	}
	return out
}

// Risk is one reason with what is counted and from where on it counts.
type Risk struct {
	Reason    Reason `json:"reason"`
	Value     int64  `json:"value"`
	Threshold int64  `json:"threshold"`
}

// AtRisk is a student who is at risk, as the staff see them.
type AtRisk struct {
	ProjectID     int64 `db:"id" json:"project_id"`
	enrol.Student `json:"student"`
	TargetGrade   grade.Grade `db:"target_grade" json:"target_grade"`
	LastActiveAt  *clock.Time `db:"last_active_at" json:"last_active_at"`
	TutorialIDs   []int64     `json:"tutorial_ids"`
	Risks         []Risk      `json:"reasons"`
}

// RiskSearch says which of the students of a unit are asked about. Nothing of the answer is stored or told to anybody
// else: it is worked out from the tasks at the moment of asking.
type RiskSearch struct {
	UnitID     int64
	TutorID    *int64 // only those in tutorials of this person; nil: all of the unit
	TutorialID *int64 // 0: those without a tutorial; nil: all
	Reason     Reason // only those for whom it holds; "": any
	Begun      Begun  // what the students of the unit have begun, where it was read already
}

// riskRow is what decides about a student.
type riskRow struct {
	AtRisk
	UnitID int64      `db:"unit_id"`
	Since  clock.Time `db:"since"` // when they last did something, or were enrolled
	stand  *enrol.Standing
	tries  int64
}

// riskUnit is what of a unit decides who is at risk.
type riskUnit struct {
	ID    int64      `db:"id"`
	Code  string     `db:"code"`
	Start clock.Date `db:"start_date"`
	End   clock.Date `db:"end_date"`
	course.RiskThresholds
}

const selectRiskUnits = `SELECT u.id, u.code, u.start_date, u.end_date, u.risk_overdue_tasks, u.risk_behind_percent,
	u.risk_away_days, u.risk_failed_tries FROM units u WHERE `

// Students lists those who are at risk, those with more reasons first. It takes six statements, whatever their number.
// It is for holders of policy.SeeAllAtRisk, or of policy.SeeAtRisk where TutorID is the caller; the student themselves
// find it in the export of their data.
func (s RiskSearch) Students(ctx context.Context, q db.Q) ([]AtRisk, error) {
	out, err := s.Find(ctx, q)
	if err != nil {
		return nil, err
	}
	return out, s.Name(ctx, q, out)
}

// Find is Students without who they are and their tutorials, which Name adds for those that are shown.
func (s RiskSearch) Find(ctx context.Context, q db.Q) ([]AtRisk, error) {
	unit, err := db.OneOf[riskUnit](ctx, q, "unit", selectRiskUnits+`u.id = $1`, s.UnitID)
	if err != nil {
		return nil, err
	}
	which, args := s.which()
	rows, err := atRisk(ctx, q, []riskUnit{*unit}, which, args, s.Begun)
	if err != nil {
		return nil, err
	}
	out := []AtRisk{}
	for i := range rows {
		if s.Reason == "" || rows[i].Has(s.Reason) {
			out = append(out, rows[i].AtRisk)
		}
	}
	slices.SortStableFunc(out, func(a, b AtRisk) int { return cmp.Compare(len(b.Risks), len(a.Risks)) })
	return out, nil
}

// Has tells whether a reason holds for the student.
func (r *AtRisk) Has(reason Reason) bool {
	return slices.ContainsFunc(r.Risks, func(x Risk) bool { return x.Reason == reason })
}

// until is the moment up to which a student can be away: now, or the end of the unit.
func (u *riskUnit) until(now clock.Time) time.Time {
	if end := u.End.AddDays(1).Time; end.Before(now.Time) {
		return end
	}
	return now.Time
}

// risks are the reasons that hold for a student.
func (u *riskUnit) risks(r *riskRow, until time.Time) []Risk {
	out := []Risk{}
	add := func(reason Reason, value int64, threshold *int64) {
		if threshold != nil && value >= *threshold {
			out = append(out, Risk{reason, value, *threshold})
		}
	}
	add(Overdue, r.stand.Overdue, u.RiskOverdue)
	if r.stand.Whole > 0 {
		add(BehindPlan, r.stand.Lag*100/r.stand.Whole, u.RiskBehind)
	}
	if r.stand.HandedIn < r.stand.Asked {
		since := r.Since.Time
		if u.Start.After(clock.Day(since)) {
			since = u.Start.Time
		}
		add(Inactive, int64(until.Sub(since)/(24*time.Hour)), u.RiskInactive)
	}
	add(FailedTries, r.tries, u.RiskTries)
	return out
}

// atRisk reads those of some units for whom a condition on the project p and at least one reason hold, with their
// reasons.
func atRisk(ctx context.Context, q db.Q, units []riskUnit, which string, args []any,
	begun Begun) ([]riskRow, error) {
	ids, by := make([]int64, len(units)), map[int64]*riskUnit{}
	for i := range units {
		ids[i], by[units[i].ID] = units[i].ID, &units[i]
	}
	in, args := db.In(args, ids)
	rows, err := db.All[riskRow](ctx, q, `SELECT p.id, p.unit_id, p.target_grade, p.last_active_at,
			coalesce(p.last_active_at, p.created_at) AS since
		FROM projects p JOIN users s ON s.id = p.user_id WHERE p.unit_id IN `+in+` AND `+which+`
		ORDER BY s.name_key, p.id`, args...)
	if err == nil {
		err = addStanding(ctx, q, units, rows, begun)
	}
	if err != nil {
		return nil, fmt.Errorf("read who is at risk: %w", err)
	}
	for i := range rows {
		u := by[rows[i].UnitID]
		rows[i].Risks = u.risks(&rows[i], u.until(q.Now()))
	}
	rows = slices.DeleteFunc(rows, func(r riskRow) bool { return len(r.Risks) == 0 })
	slices.SortStableFunc(rows, func(a, b riskRow) int { return cmp.Compare(b.stand.Overdue, a.stand.Overdue) })
	return rows, nil
}

// addStanding adds what decides about students of some units.
func addStanding(ctx context.Context, q db.Q, units []riskUnit, rows []riskRow, begun Begun) error {
	students, ids := make([]enrol.Planned, len(rows)), make([]int64, len(rows))
	for i := range rows {
		r := &rows[i]
		students[i] = enrol.Planned{ProjectID: r.ProjectID, UnitID: r.UnitID, Target: r.TargetGrade}
		ids[i] = r.ProjectID
	}
	stand, err := enrol.Standings(ctx, q, students, begun)
	if err != nil {
		return err
	}
	tries, err := failedTries(ctx, q, units, ids)
	for i := range rows {
		rows[i].stand, rows[i].tries = stand[ids[i]], tries[ids[i]]
	}
	return err
}

// failedTries counts, for each project, the submissions of one task that were sent back, of the task with the most, as
// long as it is not good enough. A task was marked as often at least, which spares the history of most.
func failedTries(ctx context.Context, q db.Q, units []riskUnit, projects []int64) (map[int64]int64, error) {
	most, ids := map[int64]int64{}, []int64{}
	least := int64(math.MaxInt32)
	for _, u := range units {
		if u.RiskTries != nil {
			ids, least = append(ids, u.ID), min(least, *u.RiskTries)
		}
	}
	if len(ids) == 0 {
		return most, nil
	}
	which, args := enrol.TasksAmong([]any{least}, ids, projects)
	type sentBack struct {
		ProjectID int64       `db:"project_id"`
		TaskID    int64       `db:"task_id"`
		HandedIn  clock.Milli `db:"submitted_at"`
	}
	seen, of := map[sentBack]bool{}, map[int64]int64{}
	for r, err := range db.Each[sentBack](ctx, q, `SELECT t.project_id, t.id AS task_id, h.submitted_at
		FROM tasks t JOIN task_history h ON h.task_id = t.id AND h.assessed AND h.submitted_at IS NOT NULL
			AND h.to_status IN `+db.Literals(status.SentBack...)+` AND `+work.NotUndone+`
		WHERE `+which+` AND t.times_assessed >= $1 AND t.status IN `+db.Literals(unpassed()...), args...) {
		if err != nil {
			return nil, err
		}
		if !seen[r] { // one submission may be marked twice
			seen[r] = true
			of[r.TaskID]++
			most[r.ProjectID] = max(most[r.ProjectID], of[r.TaskID])
		}
	}
	return most, nil
}

// unpassed are the statuses that do not say that the work is good enough.
func unpassed() []status.Status {
	return slices.DeleteFunc(slices.Clone(status.All), func(s status.Status) bool { return status.Passed.Has(s) })
}

// which is the condition on the projects p that are asked about.
func (s RiskSearch) which() (string, []any) {
	text, args := `p.enrolled`, []any{}
	and := func(condition string, value any) {
		args = append(args, value)
		text += fmt.Sprintf(` AND `+condition, len(args))
	}
	if s.TutorID != nil {
		and(`p.id IN (SELECT e.project_id FROM unit_roles r JOIN tutorials c ON c.unit_role_id = r.id
			JOIN tutorial_enrolments e ON e.tutorial_id = c.id WHERE r.user_id = $%d)`, *s.TutorID)
	}
	switch {
	case s.TutorialID == nil:
	case *s.TutorialID == 0:
		text += ` AND NOT EXISTS (SELECT 1 FROM tutorial_enrolments e WHERE e.project_id = p.id)`
	default:
		and(`p.id IN (SELECT e.project_id FROM tutorial_enrolments e WHERE e.tutorial_id = $%d)`, *s.TutorialID)
	}
	return text, args
}

// Name adds to students of the unit who they are, and their tutorials.
func (s RiskSearch) Name(ctx context.Context, q db.Q, list []AtRisk) error {
	if len(list) == 0 {
		return nil
	}
	at, ids := make(map[int64]*AtRisk, len(list)), make([]int64, len(list))
	for i := range list {
		list[i].TutorialIDs = []int64{}
		at[list[i].ProjectID], ids[i] = &list[i], list[i].ProjectID
	}
	in, args := db.In([]any{s.UnitID}, ids)
	for p, err := range db.Each[struct {
		ID int64 `db:"id"`
		enrol.Student
	}](ctx, q, `SELECT p.id, `+enrol.StudentColumns+` FROM projects p JOIN users s ON s.id = p.user_id
		WHERE p.unit_id = $1 AND p.id IN `+in, args...) {
		if err != nil {
			return err
		}
		at[p.ID].Student = p.Student
	}
	for e, err := range db.Each[struct {
		ProjectID  int64 `db:"project_id"`
		TutorialID int64 `db:"tutorial_id"`
	}](ctx, q, `SELECT e.project_id, e.tutorial_id FROM tutorials c JOIN tutorial_enrolments e ON e.tutorial_id = c.id
		WHERE c.unit_id = $1 AND e.project_id IN `+in+` ORDER BY e.tutorial_id`, args...) {
		if err != nil {
			return err
		}
		r := at[e.ProjectID]
		r.TutorialIDs = append(r.TutorialIDs, e.TutorialID)
	}
	return nil
}

// OwnRisk is why a person is at risk in a unit they study, for the export of their data.
type OwnRisk struct {
	ProjectID int64  `json:"project_id"`
	Unit      string `json:"unit"`
	Risks     []Risk `json:"reasons"`
}

// RisksOf tells in which of the units they are enrolled in a person is at risk now, and why. It is for that person.
func RisksOf(ctx context.Context, q db.Q, userID int64) ([]OwnRisk, error) {
	units, err := db.All[riskUnit](ctx, q, selectRiskUnits+`u.active AND u.id IN (SELECT p.unit_id FROM projects p
		WHERE p.user_id = $1 AND p.enrolled)`, userID)
	if err != nil {
		return nil, err
	}
	rows, err := atRisk(ctx, q, units, `p.enrolled AND p.user_id = $1`, []any{userID}, nil)
	codes, out := map[int64]string{}, []OwnRisk{}
	for _, u := range units {
		codes[u.ID] = u.Code
	}
	for i := range rows {
		out = append(out, OwnRisk{rows[i].ProjectID, codes[rows[i].UnitID], rows[i].Risks})
	}
	return out, err
}
