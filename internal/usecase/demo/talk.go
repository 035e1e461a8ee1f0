package demo

import (
	"fmt"
	"time"

	"lectern/internal/platform/db"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/work"
)

// What tutors and students write to each other in the demo units.
var (
	praise = []string{"Good structure, and your names tell what things are. Let us talk about the loop on Monday.",
		"This works. Try it with an empty list before we discuss it.", "Clear and well tested. Show me in class how " +
			"you found the last mistake."}
	requests = []string{"Almost: the program stops when the input is negative. Fix that and hand it in again.",
		"Please split the long procedure; I could not follow its second half."}
	questions = []string{"I do not understand why my array is one too short. Could you have a look?",
		"The program runs here but not in the lab. What am I missing?"}
	thanks = []string{"Thank you! I have changed it.", "Got it, thanks. – And the ≤ should be <, right?"}
)

// say plans a comment.
func (b *builder) say(u *unit, who, student string, d definition, when time.Time, text string) {
	b.plan(when, func(q db.Q) error {
		_, err := work.Say(b.ctx, q, b.desk.Files, work.Reader{UserID: b.id[who], Staff: who != student},
			b.place(u, student, d), work.NewComment{Text: text})
		return b.story(err, u, who, d, student)
	})
}

// extend plans a request for more time.
func (b *builder) extend(u *unit, student string, d definition, when time.Time, reason string, weeks int) {
	b.plan(when, func(q db.Q) error {
		_, err := work.RequestExtension(b.ctx, q, work.Reader{UserID: b.id[student]}, b.place(u, student, d),
			work.ExtensionRequest{Reason: reason, Weeks: weeks})
		return b.story(err, u, student, d, student)
	})
}

// decide plans that a tutor grants or rejects what a student asked for.
func (b *builder) decide(u *unit, tutor, student string, d definition, when time.Time, granted bool) {
	b.plan(when, func(q db.Q) error {
		at := b.place(u, student, d)
		id, err := db.One[int64](b.ctx, q, `SELECT c.id FROM task_comments c JOIN tasks t ON t.id = c.task_id
			WHERE t.project_id = $1 AND t.task_definition_id = $2 AND c.type = 'extension'`, at.ProjectID, at.DefinitionID)
		if err == nil {
			_, err = work.AssessExtension(b.ctx, q, work.Reader{UserID: b.id[tutor], Staff: true}, at, *id, granted)
		}
		return b.story(err, u, tutor, d, student)
	})
}

// review plans that a student asks for a review of the last work that was given back.
func (b *builder) review(u *unit, when time.Time) {
	b.plan(when, func(q db.Q) error {
		type given struct {
			ProjectID    int64 `db:"project_id"`
			DefinitionID int64 `db:"task_definition_id"`
			UserID       int64 `db:"user_id"`
		}
		t, err := db.One[given](b.ctx, q, `SELECT t.project_id, t.task_definition_id, p.user_id FROM tasks t
			JOIN projects p ON p.id = t.project_id WHERE t.unit_id = $1 AND p.enrolled AND t.status = $2
				AND t.group_submission_id IS NULL ORDER BY t.id DESC LIMIT 1`, b.id[u.code], status.FixAndResubmit)
		if err == nil {
			_, err = work.AskReview(b.ctx, q, t.UserID, work.TaskRef{ProjectID: t.ProjectID, DefinitionID: t.DefinitionID},
				work.ReviewRequest{Reason: "The sheet says that negative input need not be handled, and the tests pass. " +
					"Could somebody look at it again?"})
		}
		if err != nil {
			err = fmt.Errorf("demo: a review in %s: %w", u.code, err)
		}
		return err
	})
}

func (b *builder) place(u *unit, student string, d definition) work.TaskRef {
	return work.TaskRef{ProjectID: b.id[u.code+" project "+student], DefinitionID: b.id[u.code+" "+d.abbr]}
}

// story says in whose story an error happened.
func (b *builder) story(err error, u *unit, who string, d definition, student string) error {
	if err != nil {
		err = fmt.Errorf("demo: %s at %s of %s in %s: %w", who, d.abbr, student, u.code, err)
	}
	return err
}
