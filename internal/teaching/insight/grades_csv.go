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

// GradesOf lists the final grades of the enrolled students who have one.
func GradesOf(ctx context.Context, q db.Q, unitID int64) ([]Grade, error) {
	return db.All[Grade](ctx, q, `SELECT s.username, s.student_id, p.grade, p.grade_rationale
		FROM projects p JOIN users s ON s.id = p.user_id
		WHERE p.unit_id = $1 AND p.enrolled AND p.grade > 0 ORDER BY s.username_key`, unitID)
}

// WriteGrades writes the final grades as a sheet.
func WriteGrades(w io.Writer, unitCode string, grades []Grade) error {
	t := sheet.Write(w, []string{"unit_code", "username", "student_id", "grade", "rationale"})
	for _, g := range grades {
		if err := t.Row(unitCode, g.Username, opt.Or(g.StudentID, ""), strconv.FormatInt(g.Grade, 10),
			opt.Or(g.Rationale, "")); err != nil {
			return err
		}
	}
	return t.Flush()
}
