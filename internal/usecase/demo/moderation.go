package demo

import (
	"time"

	"lectern/internal/ground/grade"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/moderation"
	"lectern/internal/teaching/rubric"
	"lectern/internal/teaching/status"
)

// moderate plans that a convenor draws a sample of what a tutor of a unit marked, and marks two works of it a second
// time: one is given the same, the other is not. The others wait.
func (b *builder) moderate(u *unit) {
	when, tutor := at(b.today, 0).Add(-3*time.Hour), b.id["atutor"]
	reader := moderation.Reader{UserID: b.id["aconvenor"], All: true}
	b.plan(when, func(q db.Q) error {
		_, err := moderation.Draw{From: moderation.Narrowed{TutorID: &tutor}, Size: 4, Seed: "demo",
			UserID: reader.UserID}.Take(b.ctx, q, b.id[u.code])
		return err
	})
	b.plan(when.Add(time.Hour), func(q db.Q) error {
		list, _, err := moderation.Query{UnitID: b.id[u.code], Mine: true, Page: db.Part(2, 0)}.List(b.ctx, q, reader)
		if err != nil {
			return err
		}
		for i, w := range list {
			if err := b.markAgain(q, reader, w, i == 0); err != nil {
				return err
			}
		}
		return nil
	})
}

// markAgain gives a work of a sample what it was given first, or something else.
func (b *builder) markAgain(q db.Q, reader moderation.Reader, w moderation.Work, same bool) error {
	type given struct {
		Status  status.Status  `db:"first_status"`
		Grade   *grade.Grade   `db:"first_grade"`
		Quality *int           `db:"first_quality"`
		Levels  *rubric.Levels `db:"first_levels"`
	}
	first, err := db.One[given](b.ctx, q, `SELECT first_status, first_grade, first_quality, first_levels
		FROM moderation_works WHERE id = $1`, w.ID)
	if err != nil {
		return err
	}
	m := moderation.NewMark{Given: moderation.Given{Status: first.Status, Grade: first.Grade, Quality: first.Quality}}
	if first.Levels != nil {
		m.Levels = *first.Levels
	}
	if !same {
		m = moderation.NewMark{Given: moderation.Given{Status: status.Redo},
			Comment: "The main point is missing, so I would have it done again."}
		if first.Status == status.Redo {
			m.Status = status.FixAndResubmit
		}
	}
	_, err = moderation.Give(b.ctx, q, reader, w.UnitID, w.ID, m)
	return err
}
