package work

import (
	"context"

	"lectern/internal/platform/db"
	"lectern/internal/teaching/handover"
)

// TutorOf is the SQL that finds who answers the student of project p for
// definition d, for statements of other packages that ask it of many at once.
const TutorOf = tutorOf

// Answers tells for which of some tasks a user answers the student: as their tutor, or because the
// tutor's queue is with them now. What such a user writes is new for none of the staff.
func Answers(ctx context.Context, q db.Q, userID int64, tasks ...*HeldTask) (map[int64]bool, error) {
	out, others := map[int64]bool{}, []*HeldTask{}
	for _, t := range tasks {
		switch {
		case t.TutorID == nil || t.OwnerID == userID:
		case *t.TutorID == userID:
			out[t.ID] = true
		default:
			others = append(others, t)
		}
	}
	if len(others) == 0 {
		return out, nil
	}
	with, err := handover.Tutors(ctx, q, userID)
	for _, t := range others {
		out[t.ID] = with[handover.Tutor{UnitID: t.UnitID, UserID: *t.TutorID}]
	}
	return out, err
}
