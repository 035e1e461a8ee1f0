package insight

import (
	"context"
	"io"
	"strconv"

	"lectern/internal/ground/opt"
	"lectern/internal/platform/db"
	"lectern/internal/platform/sheet"
)

// Grade is the final grade of a student.
type Grade struct {
	Username  string  `db:"username"`
	StudentID *string `db:"student_id"`
	Grade     int64   `db:"grade"`
	Rationale *string `db:"grade_rationale"`
}

// GradesOf lists the final grades of the enrolled students who have one, or of all of them. It leaves out the
// caller, who may study the unit beside teaching it.
func GradesOf(ctx context.Context, q db.Q, unitID, callerID int64, all bool) ([]Grade, error) {
	return db.All[Grade](ctx, q, `SELECT s.username, s.student_id, p.grade, p.grade_rationale
		FROM projects p JOIN users s ON s.id = p.user_id
		WHERE p.unit_id = $1 AND p.enrolled AND (p.grade > 0 OR CAST($3 AS BOOLEAN)) AND p.user_id <> $2
		ORDER BY s.username_key`, unitID, callerID, all)
}

// WriteGrades writes the final grades as a sheet.
func WriteGrades(w io.Writer, unitCode string, grades []Grade) error {
	t := sheet.Write(w, []string{"unit_code", "username", "student_id", "grade", "rationale"})
	for _, g := range grades {
		mark := ""
		if g.Grade > 0 {
			mark = strconv.FormatInt(g.Grade, 10)
		}
		if err := t.Row(unitCode, g.Username, opt.Or(g.StudentID, ""), mark, opt.Or(g.Rationale, "")); err != nil {
			return err
		}
	}
	return t.Flush()
}
