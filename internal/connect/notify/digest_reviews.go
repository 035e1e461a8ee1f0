package notify

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"lectern/internal/platform/db"
	"lectern/internal/platform/mail"
	"lectern/internal/teaching/handover"
	"lectern/internal/teaching/work"
)

// review is one with what an email says of it.
type review struct {
	ID           int64  `db:"id"`
	UserID       int64  `db:"user_id"`
	UnitID       int64  `db:"unit_id"`
	TutorID      *int64 `db:"tutor_id"`
	Student      string `db:"student"`
	Answered     bool   `db:"answered"`
	Unit         string `db:"code"`
	Abbreviation string `db:"abbreviation"`
	Name         string `db:"name"`
}

// addReviews adds the reviews that were answered, and still are, to the emails of who asked, and
// those that nobody has answered yet to the emails of who answers the student now.
func (g newsBatch) addReviews(ctx context.Context, q db.Q, of func(int64) *mail.Digest) error {
	ids := maps.Clone(g.asked)
	for h := range g.reviews {
		ids[h.comment] = true
	}
	for part := range slices.Chunk(slices.Sorted(maps.Keys(ids)), 500) {
		in, args := db.In(nil, part)
		list, err := db.All[review](ctx, q, `SELECT r.id, r.user_id, r.unit_id, u.code, d.abbreviation,
			d.name, `+work.TutorOf+`
				AS tutor_id, s.first_name || ' ' || s.last_name AS student, r.answered_at IS NOT NULL AS answered
			FROM reviews r JOIN users s ON s.id = r.user_id JOIN tasks t ON t.id = r.task_id
			JOIN projects p ON p.id = t.project_id AND p.enrolled
			JOIN task_definitions d ON d.id = t.task_definition_id
			JOIN units u ON u.id = r.unit_id AND u.active AND u.send_notifications
			WHERE r.id IN `+in+` ORDER BY r.id`, args...)
		if err != nil {
			return fmt.Errorf("read reviews: %w", err)
		}
		with, err := handover.StandInsOf(ctx, q, unitsOf(slices.Values(list), func(r review) int64 { return r.UnitID })...)
		if err != nil {
			return err
		}
		for _, r := range list {
			about := mail.DigestReview{Unit: r.Unit, Student: r.Student,
				Task: mail.Task{Abbreviation: r.Abbreviation, Name: r.Name}}
			switch {
			case r.Answered && g.reviews[newsFor{r.ID, r.UserID}]:
				d := of(r.UserID)
				d.Reviews = append(d.Reviews, about)
			case !r.Answered && g.asked[r.ID] && r.TutorID != nil:
				for _, user := range with.Of(r.UnitID, *r.TutorID) {
					d := of(user)
					d.Asked = append(d.Asked, about)
				}
			}
		}
	}
	return nil
}
