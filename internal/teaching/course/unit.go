package course

import (
	"context"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
)

// Unit is a subject taught once: its own values, without what is taught in it.
type Unit struct {
	Code                          string     `db:"code" json:"code"`
	ID                            int64      `db:"id" json:"id"`
	Name                          string     `db:"name" json:"name"`
	MainConvenorID                *int64     `db:"main_convenor_id" json:"main_convenor_id"` // a unit role
	MainConvenorUserID            *int64     `db:"main_convenor_user_id" json:"main_convenor_user_id"`
	Description                   string     `db:"description" json:"description"`
	TeachingPeriodID              *int64     `db:"teaching_period_id" json:"teaching_period_id"`
	StartDate                     clock.Date `db:"start_date" json:"start_date"`
	EndDate                       clock.Date `db:"end_date" json:"end_date"`
	Active                        bool       `db:"active" json:"active"`
	AssessmentEnabled             bool       `db:"assessment_enabled" json:"assessment_enabled"`
	AllowStudentExtensionRequests bool       `db:"allow_student_extension_requests" json:"allow_student_extension_requests"`
	AllowStudentChangeTutorial    bool       `db:"allow_student_change_tutorial" json:"allow_student_change_tutorial"`
	AllowReviewRequests           bool       `db:"allow_review_requests" json:"allow_review_requests"` // of marks, by students
	TimeZone                      *string    `db:"time_zone" json:"time_zone"`                         // where its days begin and end; none: the installation's

	UnitSettings
}

// UnitSettings are the values of a unit that decide how it is run. The day of the
// portfolios is the staff's: whoever shows it must ask who is looking.
type UnitSettings struct {
	PortfolioDate   *clock.Date `db:"portfolio_auto_generation_date" json:"-"`
	OverseerImageID *int64      `db:"overseer_image_id" json:"overseer_image_id"`

	AutoExtend bool `db:"auto_apply_extension_before_deadline" json:"auto_apply_extension_before_deadline"`

	SendNotifications     bool   `db:"send_notifications" json:"send_notifications"`
	EnableSyncEnrolments  bool   `db:"enable_sync_enrolments" json:"enable_sync_enrolments"`
	EnableSyncTimetable   bool   `db:"enable_sync_timetable" json:"enable_sync_timetable"`
	ResubmitWeeks         int64  `db:"extension_weeks_on_resubmit_request" json:"extension_weeks_on_resubmit_request"`
	FeedbackDays          *int64 `db:"feedback_days" json:"feedback_days"` // within which feedback is promised
	DraftTaskDefinitionID *int64 `db:"draft_task_definition_id" json:"draft_task_definition_id"`

	RiskThresholds
}

// UnitColumns are the columns of a unit's own values, each held by the field of
// Unit that its tag names. Reading, making, changing and copying a unit all go
// by this list.
var UnitColumns = []string{"code", "name", "description", "teaching_period_id", "start_date", "end_date", "active",
	"assessment_enabled", "allow_student_extension_requests", "allow_student_change_tutorial", "allow_review_requests", "time_zone",
	"portfolio_auto_generation_date", "overseer_image_id", "auto_apply_extension_before_deadline",
	"send_notifications", "enable_sync_enrolments", "enable_sync_timetable", "extension_weeks_on_resubmit_request",
	"feedback_days", "risk_overdue_tasks", "risk_behind_percent", "risk_away_days", "risk_failed_tries"}

var selectUnit = `SELECT u.id, ` + db.Columns("u.", UnitColumns) + `, main.id AS main_convenor_id,
		main.user_id AS main_convenor_user_id, d.id AS draft_task_definition_id
	FROM units u
	LEFT JOIN unit_roles main ON main.unit_id = u.id AND main.is_main
	LEFT JOIN task_definitions d ON d.unit_id = u.id AND d.is_draft_summary
	WHERE u.id = $1`

// UnitByID reads a unit's own values; usecase.UnitByID adds what belongs to it. It
// fails with fault.Missing where there is none.
func UnitByID(ctx context.Context, q db.Q, id int64) (*Unit, error) {
	return db.OneOf[Unit](ctx, q, "unit", selectUnit, id)
}

// LockUnit gives one and keeps it, its staff and its outcomes from changing
// until the transaction ends.
func LockUnit(ctx context.Context, q db.Q, id int64) (*Unit, error) {
	if err := db.Lock(ctx, q, "units", id); err != nil {
		return nil, err
	}
	return UnitByID(ctx, q, id)
}

// AddUnit makes a unit of the values in c, with defaults for the rest, and employs its main
// convenor. The code must be free in the teaching period. One that is taken is fault.Conflict;
// a main convenor whose system role is below Convenor is refused. It is for holders of
// policy.CreateUnits.
func AddUnit(ctx context.Context, q db.Q, c UnitChange, convenorID int64) (id int64, err error) {
	period, err := c.HeldPeriod(ctx, q, &Unit{})
	if err != nil {
		return 0, err
	}
	u := c.Merge(newUnit(), period)
	if strings.TrimSpace(u.Description) == "" {
		u.Description = u.Name
	}
	if err := u.Check(ctx, q, period); err != nil {
		return 0, err
	}
	system, err := heldSystemRole(ctx, q, convenorID)
	if err != nil {
		return 0, err
	}
	if err := able("main_convenor_user_id", system, policy.Convenor); err != nil {
		return 0, err
	}
	if id, err = insertUnit(ctx, q, &u); err != nil {
		return 0, u.taken(err)
	}
	if err := audit.Add(ctx, q, audit.Entry{Kind: audit.Unit, Action: audit.Created, UnitID: id}); err != nil {
		return 0, err
	}
	_, err = employ(ctx, q, id, convenorID, policy.Convenor, true)
	return id, err
}

func newUnit() Unit {
	return Unit{Active: true, AssessmentEnabled: true, AllowStudentExtensionRequests: true,
		AllowStudentChangeTutorial: true, AllowReviewRequests: true,
		UnitSettings: UnitSettings{AutoExtend: true, SendNotifications: true,
			EnableSyncEnrolments: true,
			EnableSyncTimetable:  true, ResubmitWeeks: 1, RiskThresholds: usualRisk()}}
}

func insertUnit(ctx context.Context, q db.Q, u *Unit) (int64, error) {
	list, args := db.List(nil, append(db.Values(u, UnitColumns), q.Now(), q.Now()))
	id, err := db.One[int64](ctx, q, `INSERT INTO units (`+db.Columns("", UnitColumns)+`, created_at, updated_at)
		VALUES `+list+` RETURNING id`, args...)
	if err != nil {
		return 0, err
	}
	return *id, nil
}

// SaveUnit writes the values of u, which has been checked, over those of the unit with its id.
// Its main convenor and draft definition are not among them. A code that is taken in the
// teaching period is fault.Conflict. It is for holders of policy.EditUnit.
func SaveUnit(ctx context.Context, q db.Q, u *Unit) error {
	list, args := db.List([]any{u.ID}, append(db.Values(u, UnitColumns), q.Now()))
	_, err := db.Exec(ctx, q, `UPDATE units SET (`+db.Columns("", UnitColumns)+`, updated_at) = `+list+`
		WHERE id = $1`, args...)
	return u.taken(err)
}

func (u *Unit) taken(err error) error {
	if db.Duplicate(err) {
		return fault.New(fault.Conflict, "This teaching period already has a unit %s. Choose another code or "+
			"period.",
			u.Code)
	}
	return err
}

// UnitsFor lists the units a person sees: all of them for an Admin, for others
// those they teach or study.
func UnitsFor(ctx context.Context, q db.Q, callerID int64, role policy.Role, inactiveToo bool) ([]UnitSummary, error) {
	mine := ` AND u.id IN (SELECT unit_id FROM unit_roles WHERE user_id = $1
		UNION SELECT unit_id FROM projects WHERE user_id = $1 AND enrolled)`
	if role == policy.Admin {
		mine = ""
	}
	return db.All[UnitSummary](ctx, q, selectSummaries+` WHERE (u.active OR $3)`+mine+` ORDER BY u.code, u.id`,
		callerID, int64(role), inactiveToo)
}

// TouchUnit notes that what belongs to a unit has changed, its tasks say, for those who keep a
// copy of it: a calendar must become newer when a task leaves. It is part of changes whose
// right was asked, and refuses nothing.
func TouchUnit(ctx context.Context, q db.Q, id int64) error {
	_, err := db.Exec(ctx, q, `UPDATE units SET updated_at = $2 WHERE id = $1`, id, q.Now())
	return err
}
