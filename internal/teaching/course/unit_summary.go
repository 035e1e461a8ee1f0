package course

import (
	"context"

	"lectern/internal/ground/clock"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
)

// UnitSummary is a unit as lists show it, with what the caller is there.
type UnitSummary struct {
	Code               string           `db:"code" json:"code"`
	ID                 int64            `db:"id" json:"id"`
	Name               string           `db:"name" json:"name"`
	MyRole             *policy.RoleName `db:"my_role" json:"my_role"`
	MainConvenorUserID *int64           `db:"main_convenor_user_id" json:"main_convenor_user_id"`
	Description        string           `db:"description" json:"description"`
	TeachingPeriodID   *int64           `db:"teaching_period_id" json:"teaching_period_id,omitempty"`
	StartDate          clock.Date       `db:"start_date" json:"start_date"`
	EndDate            clock.Date       `db:"end_date" json:"end_date"`
	Active             bool             `db:"active" json:"active"`
}

// selectSummaries reads UnitSummary for the caller $1, whose system role is $2;
// a condition on u (and r, the caller's employment, and p, their enrolment) may
// follow. Both joins meet at most one row, so no unit comes twice.
const selectSummaries = `
	SELECT u.code, u.id, u.name, u.description, u.teaching_period_id, u.start_date, u.end_date, u.active,
		main.user_id AS main_convenor_user_id,
		CASE WHEN r.role = 3 THEN 'Convenor' WHEN r.role = 2 THEN 'Tutor' WHEN p.id IS NOT NULL THEN 'Student'
			WHEN CAST($2 AS BIGINT) = 4 THEN 'Admin' END AS my_role
	FROM units u
	LEFT JOIN unit_roles main ON main.unit_id = u.id AND main.is_main
	LEFT JOIN unit_roles r ON r.unit_id = u.id AND r.user_id = $1
	LEFT JOIN projects p ON p.unit_id = u.id AND p.user_id = $1 AND p.enrolled`

// UnitsOfPeriod lists the units of a teaching period. A visitor has the id 0
// and no role.
func UnitsOfPeriod(ctx context.Context, q db.Q, periodID, callerID int64, role policy.Role) ([]UnitSummary, error) {
	return db.All[UnitSummary](ctx, q, selectSummaries+` WHERE u.teaching_period_id = $3 ORDER BY u.code, u.id`,
		callerID, int64(role), periodID)
}
