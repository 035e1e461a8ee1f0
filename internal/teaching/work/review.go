package work

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/events"
	"lectern/internal/teaching/status"
)

// MostReviewText is how many characters the reason for a review, and the answer, may have.
const MostReviewText = 4095

// Review is a student's request that the staff look again at what they gave, and what came of
// it. In a group each member asks for themselves, about their own task: the reason and the
// answer are for them and the staff, and not for the others.
type Review struct {
	ID           int64         `db:"id" json:"id"`
	TaskID       int64         `db:"task_id" json:"task_id"`
	ProjectID    int64         `db:"project_id" json:"project_id"`
	DefinitionID int64         `db:"task_definition_id" json:"task_definition_id"`
	Abbreviation string        `db:"abbreviation" json:"abbreviation"` // of the task
	TaskName     string        `db:"task_name" json:"task_name"`
	UserID       int64         `db:"user_id" json:"user_id"` // who asks
	Username     string        `db:"username" json:"username"`
	FirstName    string        `db:"first_name" json:"first_name"`
	LastName     string        `db:"last_name" json:"last_name"`
	VerdictID    int64         `db:"history_id" json:"verdict_id"`     // what is to be looked at
	Status       status.Status `db:"given_status" json:"given_status"` // that it gave
	GivenAt      clock.Time    `db:"given_at" json:"given_at"`
	Reason       string        `db:"reason" json:"reason"`
	AskedAt      clock.Time    `db:"asked_at" json:"asked_at"`
	AnsweredAt   *clock.Time   `db:"answered_at" json:"answered_at"` // null: it is open
	Answer       string        `db:"answer" json:"answer"`           // empty where a new status or mark is the answer
	AnswererID   *int64        `db:"answered_by" json:"answered_by"`
	Answerer     *string       `db:"answerer" json:"answerer"` // their name
}

// Open tells whether nobody has answered yet.
func (r *Review) Open() bool { return r.AnsweredAt == nil }

const (
	reviewColumns = `r.id, r.task_id, t.project_id, t.task_definition_id, d.abbreviation, d.name AS task_name,
		r.user_id, o.username, o.first_name, o.last_name, r.history_id, h.to_status AS given_status, h.at AS given_at,
		r.reason, r.asked_at, r.answered_at, r.answer, r.answered_by, a.first_name || ' ' || a.last_name AS answerer`
	reviewsFrom = `reviews r JOIN tasks t ON t.id = r.task_id JOIN task_definitions d ON d.id = t.task_definition_id
		JOIN projects p ON p.id = t.project_id JOIN users o ON o.id = r.user_id
		JOIN task_history h ON h.id = r.history_id LEFT JOIN users a ON a.id = r.answered_by`
)

// ReviewsOf lists the reviews of a task, the newest first. With together they are those of all
// tasks it was handed in with, for the staff.
func ReviewsOf(ctx context.Context, q db.Q, at TaskRef, together bool) ([]Review, error) {
	where := `t.project_id = $1 AND t.task_definition_id = $2`
	if together {
		where = `t.id IN (SELECT m.id FROM tasks s JOIN tasks m ON m.id = s.id
			OR m.group_submission_id = s.group_submission_id WHERE s.project_id = $1 AND s.task_definition_id = $2)`
	}
	list, err := db.All[Review](ctx, q, `SELECT `+reviewColumns+` FROM `+reviewsFrom+` WHERE `+where+`
		ORDER BY r.id DESC`, at.ProjectID, at.DefinitionID)
	if err != nil {
		return nil, fmt.Errorf("read reviews: %w", err)
	}
	return list, nil
}

// Reviews says which reviews of a unit to list for one of its staff.
type Reviews struct {
	UnitID, CallerID int64
	Answered         bool // those that were answered, newest first; else the open ones, oldest first
	Page             db.Page
}

// Rows lists the reviews of enrolled students, and tells how many there are in all, -1 when all
// were asked for. Nobody sees their own here.
func (l Reviews) Rows(ctx context.Context, q db.Q) ([]Review, int64, error) {
	text := list{columns: reviewColumns, order: `r.asked_at, r.id`, from: reviewsFrom + `
		WHERE r.unit_id = $1 AND p.enrolled AND p.user_id <> $2 AND r.answered_at IS NULL`}
	if l.Answered {
		text.order, text.from = `r.answered_at DESC, r.id DESC`, reviewsFrom+`
			WHERE r.unit_id = $1 AND p.enrolled AND p.user_id <> $2 AND r.answered_at IS NOT NULL`
	}
	rows, total, err := part[Review](ctx, q, text, l.Page, l.UnitID, l.CallerID)
	if err != nil {
		return nil, 0, fmt.Errorf("list reviews: %w", err)
	}
	return rows, total, nil
}

// Reviewable is what a student may ask a review of.
type Reviewable struct {
	Allowed   bool           `db:"allowed"`    // by the unit
	VerdictID *int64         `db:"verdict_id"` // none: the staff have given nothing that stands
	Status    *status.Status `db:"to_status"`
	At        *clock.Time    `db:"at"`
	ReviewID  *int64         `db:"review_id"` // of who asked already
	Reason    *string        `db:"reason"`
}

// Now tells whether a review may be asked for.
func (r *Reviewable) Now() bool { return r.Allowed && r.VerdictID != nil && r.ReviewID == nil }

// reviewable finds what stands of task $1 of unit $2: the last row of its history that counts,
// where that is a status or a mark that staff give. That work is late nobody gave.
var reviewable = `SELECT u.allow_review_requests AS allowed, v.id AS verdict_id, v.to_status, v.at, r.id AS review_id,
		r.reason
	FROM units u LEFT JOIN task_history v ON v.id = (SELECT max(h.id) FROM task_history h WHERE h.task_id = $1
			AND ` + NotUndone + `) AND v.to_status IN ` + db.Literals(status.Marked...) + `
		AND (v.to_status <> '` + string(status.TimeExceeded) + `' OR v.assessed)
	LEFT JOIN reviews r ON r.history_id = v.id WHERE u.id = $2`

// ReviewableNow tells what the student of a task may ask a review of.
func ReviewableNow(ctx context.Context, q db.Q, at TaskRef) (*Reviewable, error) {
	t, err := taskAt(ctx, q, at.ProjectID, at.DefinitionID)
	if err != nil {
		return nil, err
	}
	return db.One[Reviewable](ctx, q, reviewable, t.ID, t.UnitID)
}

// ReviewRequest is what a student asks with.
type ReviewRequest struct {
	Reason    string
	VerdictID *int64 // that they looked at; nil: the newest
	// Once takes the same request again for the first one: a page's form is sent twice by a
	// second click or a reload.
	Once bool
}

// AskReview asks the staff to look again at the newest status or mark they gave on a task, once
// for each. It fails with fault.Conflict where the unit takes no such requests, where nothing
// was given, where something newer was given than what was looked at, and where it was asked
// already; of two at once, one is the second. It is for holders of policy.AskReview on the task.
func AskReview(ctx context.Context, q db.Q, userID int64, at TaskRef, w ReviewRequest) (*Review, error) {
	reason, err := bounds.Trim("reason", w.Reason, MostReviewText)
	if err != nil {
		return nil, err
	}
	held, err := LockTasks(ctx, q, `t.project_id = $1 AND t.task_definition_id = $2`, at.ProjectID, at.DefinitionID)
	if err != nil {
		return nil, err
	}
	if len(held) == 0 {
		if _, err := taskAt(ctx, q, at.ProjectID, at.DefinitionID); err != nil {
			return nil, err
		}
		return nil, errNothingGiven()
	}
	t := held[0]
	r, err := db.One[Reviewable](ctx, q, reviewable, t.ID, t.UnitID)
	if err != nil {
		return nil, err
	}
	if w.Once && r.ReviewID != nil && *r.Reason == reason {
		return oneReview(ctx, q, *r.ReviewID)
	}
	if err := r.refuse(w.VerdictID); err != nil {
		return nil, err
	}
	return t.askReview(ctx, q, userID, *r.VerdictID, reason)
}

func errNothingGiven() error {
	return fault.New(fault.Conflict, "There is nothing to review yet: no member of staff has marked this task.")
}

// refuse tells why a review of what the student looked at cannot be asked for.
func (r *Reviewable) refuse(verdictID *int64) error {
	switch {
	case !r.Allowed:
		return fault.New(fault.Conflict, "Review requests are turned off in this unit.")
	case r.VerdictID == nil:
		return errNothingGiven()
	case verdictID != nil && *verdictID != *r.VerdictID:
		return fault.New(fault.Conflict, "This task was marked again since you opened the page. Your request was not "+
			"sent: look at the new status first.")
	case r.ReviewID != nil:
		return fault.New(fault.Conflict, "A review of this status was already requested.")
	}
	return nil
}

// askReview writes a review. The version of the task counts it, so that what is to be looked
// at is not undone meanwhile.
func (t *HeldTask) askReview(ctx context.Context, q db.Q, userID, verdictID int64, reason string) (*Review, error) {
	id, err := db.One[int64](ctx, q, `INSERT INTO reviews (task_id, unit_id, history_id, user_id, reason, asked_at)
		VALUES ($1, $2, $3, $4, $5, $6) RETURNING id`, t.ID, t.UnitID, verdictID, userID, reason, q.Now())
	if err != nil {
		return nil, fmt.Errorf("ask for a review: %w", err)
	}
	if _, err := db.Exec(ctx, q, `UPDATE tasks SET review_asked_at = $2, version = version + 1, updated_at = $2
		WHERE id = $1`, t.ID, q.Now()); err != nil {
		return nil, err
	}
	if err := noteActivity(ctx, q, t.ProjectID); err != nil {
		return nil, err
	}
	return t.reviewed(ctx, q, userID, *id, "asked")
}

// AnswerReview answers an open review of a task in words, which closes it. It fails with
// fault.Missing where the task has no such review, and with fault.Conflict where it is answered
// already. Nobody answers their own, nor one of a group they are in. It is for holders of
// policy.AnswerReview on the task.
func AnswerReview(ctx context.Context, q db.Q, userID int64, at TaskRef, id int64, words string) (*Review, error) {
	words, err := bounds.Trim("answer", words, MostReviewText)
	if err != nil {
		return nil, err
	}
	held, err := LockTasks(ctx, q, `t.project_id = $1 AND t.task_definition_id = $2 AND EXISTS (SELECT 1 FROM reviews r
		WHERE r.id = $3 AND r.task_id = t.id)`, at.ProjectID, at.DefinitionID, id)
	if err != nil {
		return nil, err
	}
	if len(held) == 0 {
		return nil, fault.New(fault.Missing, "There is no such review request on this task.")
	}
	t := held[0]
	if err := RefuseOwnWork(ctx, q, userID, t); err != nil {
		return nil, err
	}
	n, err := db.Exec(ctx, q, `UPDATE reviews SET answer = $2, answered_by = $3, answered_at = $4
		WHERE id = $1 AND answered_at IS NULL`, id, words, userID, q.Now())
	if err != nil {
		return nil, fmt.Errorf("answer a review: %w", err)
	}
	if n == 0 {
		return nil, fault.New(fault.Conflict, "This review request is already answered. Your answer was not sent.")
	}
	if _, err := db.Exec(ctx, q, `UPDATE tasks SET review_asked_at = NULL WHERE id = $1`, t.ID); err != nil {
		return nil, err
	}
	return t.reviewed(ctx, q, userID, id, "answered")
}

func oneReview(ctx context.Context, q db.Q, id int64) (*Review, error) {
	return db.OneOf[Review](ctx, q, "review request", `SELECT `+reviewColumns+` FROM `+reviewsFrom+` WHERE r.id = $1`, id)
}

// reviewed tells what became of a review, and gives it.
func (t *HeldTask) reviewed(ctx context.Context, q db.Q, userID, id int64, action string) (*Review, error) {
	if err := audit.Add(ctx, q, t.review(action, id)); err != nil {
		return nil, err
	}
	if err := events.Add(ctx, q, t.reviewEvent(userID, id, action)); err != nil {
		return nil, err
	}
	return oneReview(ctx, q, id)
}

// review is what the audit log keeps of a review.
func (t *HeldTask) review(action string, id int64) audit.Entry {
	return audit.Entry{Kind: audit.Review, Action: action, UserID: t.OwnerID, UnitID: t.UnitID, ProjectID: t.ProjectID,
		TaskID: t.ID, RecordID: id}
}

// reviewEvent tells that a review was asked for or answered, not what it says.
func (t *HeldTask) reviewEvent(actorID, id int64, action string) events.Event {
	type body struct {
		DefinitionID int64  `json:"task_definition_id"`
		ReviewID     int64  `json:"review_id"`
		Action       string `json:"action"`
	}
	return events.Event{Kind: events.Review, ActorID: actorID, UserID: t.OwnerID, UnitID: t.UnitID,
		ProjectID: t.ProjectID, TaskID: t.ID, Body: body{t.DefinitionID, id, action}}
}

// answered closes the reviews of tasks that get a new status or mark of the staff, which is
// their answer, and opens again those whose answer is undone. It gives the events of it. Tasks
// without any cost nothing.
func answered(ctx context.Context, q db.Q, by Mover, changes []TaskChange) ([]events.Event, error) {
	open, undone := map[int64]*HeldTask{}, map[int64]*HeldTask{}
	for _, c := range changes {
		switch {
		case c.Undoes != nil:
			undone[c.ID] = c.HeldTask
		case by.As == status.Staff && c.ReviewAskedAt != nil && status.Marked.Has(c.Plan.After.Status):
			open[c.ID] = c.HeldTask
		}
	}
	if err := reopen(ctx, q, undone); err != nil || len(open) == 0 {
		return nil, err
	}
	in, args := db.In([]any{by.UserID, q.Now()}, ids(open))
	closed, err := db.All[reviewRow](ctx, q, `UPDATE reviews SET answered_by = $1, answered_at = $2
		WHERE answered_at IS NULL AND task_id IN `+in+` RETURNING id, task_id, asked_at`, args...)
	if err != nil {
		return nil, fmt.Errorf("close reviews: %w", err)
	}
	in, args = db.In(nil, ids(open))
	if _, err := db.Exec(ctx, q, `UPDATE tasks SET review_asked_at = NULL WHERE id IN `+in, args...); err != nil {
		return nil, err
	}
	var told []events.Event
	var entries []audit.Entry
	for _, r := range closed {
		t := open[r.TaskID]
		t.ReviewAskedAt = nil
		told = append(told, t.reviewEvent(by.UserID, r.ID, "answered"))
		entries = append(entries, t.review("answered", r.ID))
	}
	return told, audit.Add(ctx, q, entries...)
}

type reviewRow struct {
	ID      int64      `db:"id"`
	TaskID  int64      `db:"task_id"`
	AskedAt clock.Time `db:"asked_at"`
}

// reopen opens the reviews that a status or mark answered which is undone now: it is the last
// row of the history that was written at the moment of the answer.
func reopen(ctx context.Context, q db.Q, undone map[int64]*HeldTask) error {
	if len(undone) == 0 {
		return nil
	}
	in, args := db.In(nil, ids(undone))
	opened, err := db.All[reviewRow](ctx, q, `UPDATE reviews SET answered_by = NULL, answered_at = NULL
		WHERE answer = '' AND answered_at IS NOT NULL AND task_id IN `+in+` AND EXISTS (SELECT 1 FROM task_history h
			WHERE h.task_id = reviews.task_id AND h.at = reviews.answered_at AND h.id > reviews.history_id
			AND NOT `+NotUndone+`)
		RETURNING id, task_id, asked_at`, args...)
	if err != nil || len(opened) == 0 {
		return err
	}
	var entries []audit.Entry
	var rows [][]any
	for _, r := range opened {
		rows = append(rows, []any{r.TaskID, r.AskedAt})
		entries = append(entries, undone[r.TaskID].review("reopened", r.ID))
	}
	from, args, err := db.Rows(q, nil, []string{"id BIGINT", "asked_at TIMESTAMPTZ"}, rows)
	if err != nil {
		return err
	}
	if _, err := db.Exec(ctx, q, `UPDATE tasks SET review_asked_at = v.asked_at FROM `+from+` v WHERE tasks.id = v.id`,
		args...); err != nil {
		return err
	}
	return audit.Add(ctx, q, entries...)
}

func ids(tasks map[int64]*HeldTask) []int64 {
	return slices.Sorted(maps.Keys(tasks))
}
