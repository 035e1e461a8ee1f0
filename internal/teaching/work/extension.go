package work

import (
	"context"
	"fmt"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/due"
	"lectern/internal/teaching/status"
)

// Extension is a request for more time, and what the task has after it.
type Extension struct {
	Comment
	Extensions int        `json:"extensions"` // whole weeks granted to the task in all
	DueDate    clock.Date `json:"due_date"`
}

// ExtensionRequest is what somebody asks for with a request for more time.
type ExtensionRequest struct {
	Reason string
	Weeks  int
	// Once is for the form of a page, which is sent twice by a second click or a reload: the
	// same request again is taken for the first one, while that is undecided or not a minute
	// old. Where the form is not offered, it is refused: while another request of a student
	// waits, and where the weeks of a student end in the past.
	Once bool
}

// check trims the reason and tells what is wrong with it.
func (w *ExtensionRequest) check() (err error) {
	if w.Reason, err = TrimComment(w.Reason); err == nil && w.Reason == "" {
		err = fault.Field(fault.Invalid, "comment", "is required: say why the extension is needed")
	}
	return err
}

// RequestExtension asks for more weeks, as many as fit before the deadline, and grants them at
// once when the staff ask or the unit says so. It is for holders of policy.RequestExtension on
// the task. It fails with fault.Invalid without a reason and for a number of weeks nobody can
// mean, and with fault.Conflict when no week is left, or when a page asks for what it does not
// offer.
func RequestExtension(ctx context.Context, q db.Q, by Reader, at TaskRef, request ExtensionRequest) (*Extension, error) {
	if err := request.check(); err != nil {
		return nil, err
	}
	t, _, err := LockTask(ctx, q, at.ProjectID, at.DefinitionID, false)
	if err != nil {
		return nil, err
	}
	if by.Staff { // who asks for a student grants it
		if err := RefuseOwnWork(ctx, q, by.UserID, t); err != nil {
			return nil, err
		}
	}
	dates := t.dates()
	weeks, refused := dates.Allow(request.Weeks)
	if request.Once {
		if first, err := request.earlier(ctx, q, by, at, t, weeks); first != nil || err != nil {
			return first, err
		}
	}
	if refused == nil && request.Once {
		refused = t.offered(ctx, q, by, weeks)
	}
	if refused != nil {
		return nil, refused
	}
	c, err := newComment{Type: typeExtension, Text: request.Reason, Author: by.UserID, Weeks: &weeks}.add(ctx, q, t)
	if err != nil {
		return nil, err
	}
	if err := audit.Add(ctx, q, t.extension("asked", c.ID)); err != nil {
		return nil, err
	}
	if err := decideAtOnce(ctx, q, by, t, c.ID, weeks); err != nil {
		return nil, err
	}
	return extended(ctx, q, by, at, t, c.ID, "created")
}

// neededAt is the moment that an extension has to reach: now, or that of late work which would
// wait for feedback again.
func neededAt(st status.Status, submitted *clock.Time, now time.Time) time.Time {
	if st == status.TimeExceeded && submitted != nil {
		return submitted.Time
	}
	return now
}

// LeastWeeks is how many weeks a student has to ask for at least, so that they do not end in the
// past; 0 where the deadline leaves no such number.
func LeastWeeks(d due.Dates, st status.Status, submitted *clock.Time, now time.Time) int {
	return d.LeastWeeks(neededAt(st, submitted, now))
}

// offered refuses what no page lets a student ask for.
func (t *HeldTask) offered(ctx context.Context, q db.Q, by Reader, weeks int) error {
	if by.Staff {
		return nil
	}
	if err := t.worthwhile(weeks, q.Now().Time); err != nil {
		return err
	}
	return t.noneWaits(ctx, q, by.UserID)
}

// worthwhile refuses weeks that end in the past and bring no late work back.
func (t *HeldTask) worthwhile(weeks int, now time.Time) error {
	dates := t.dates()
	least := LeastWeeks(dates, t.Status, t.SubmittedAt, now)
	switch {
	case least == 0:
		return fault.New(fault.Conflict, "No extension is possible: the deadline, %s, has passed.", dates.Deadline.Told())
	case weeks < least:
		return fault.New(fault.Conflict, "That extension would end in the past. Request at least %d weeks.", least)
	}
	return nil
}

// noneWaits refuses a second request while one of the same person waits.
func (t *HeldTask) noneWaits(ctx context.Context, q db.Q, userID int64) error {
	waits, err := db.One[bool](ctx, q, `SELECT EXISTS (SELECT 1 FROM task_comments WHERE task_id = $1 AND user_id = $2
		AND type = $3 AND extension_assessed_at IS NULL)`, t.ID, userID, typeExtension)
	if err == nil && *waits {
		err = fault.New(fault.Conflict, "Your last extension request is still waiting for a decision.")
	}
	return err
}

// earlier finds the request that the same wish made a moment ago, or that still waits;
// nil where there is none. It is for as many weeks as were wished, or as fit. The task is
// held, so that of two at once one is the first.
func (w ExtensionRequest) earlier(ctx context.Context, q db.Q, by Reader, at TaskRef, t *HeldTask, fit int) (*Extension, error) {
	ids, err := db.All[int64](ctx, q, `SELECT id FROM task_comments WHERE task_id = $1 AND user_id = $2 AND type = $3
			AND comment = $4 AND extension_weeks IN ($5, $6) AND (extension_assessed_at IS NULL OR created_at > $7)
		ORDER BY id DESC LIMIT 1`, t.ID, by.UserID, typeExtension, w.Reason, w.Weeks, fit,
		clock.At(q.Now().Add(-time.Minute)))
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	c, err := oneComment(ctx, q, at, by.UserID, ids[0])
	if err != nil {
		return nil, err
	}
	return &Extension{*c.view(by), t.Extensions, t.dueOn()}, nil
}

// decideAtOnce grants a request the staff made, or in the name of the tutor one
// that the unit grants by itself.
func decideAtOnce(ctx context.Context, q db.Q, by Reader, t *HeldTask, id int64, weeks int) error {
	d := decision{by: by.UserID, words: granting}
	if !by.Staff {
		auto, err := db.One[bool](ctx, q, `SELECT auto_apply_extension_before_deadline FROM units WHERE id = $1`,
			t.UnitID)
		if err != nil || !*auto {
			return err
		}
		d.words = "Time extended to %s"
		if t.TutorID != nil {
			d.by = *t.TutorID
		}
	}
	return d.settle(ctx, q, t, id, weeks, true)
}

// AssessExtension grants or rejects a request in the conversation at a place. What is no
// request there is fault.Missing, one that is decided already fault.Conflict. A request for
// which no week is left cannot be granted: it is rejected with that reason. Nobody decides on
// their own, nor on one of a group they are in. It is for holders of policy.AssessExtension on
// the task.
func AssessExtension(ctx context.Context, q db.Q, by Reader, at TaskRef, id int64, granted bool) (*Extension, error) {
	c, err := oneComment(ctx, q, at, by.UserID, id)
	if err == nil && c.Type != typeExtension {
		err = fault.New(fault.Missing, "That comment is not an extension request.")
	}
	if err != nil {
		return nil, err
	}
	t, _, err := LockTask(ctx, q, c.ProjectID, at.DefinitionID, false)
	if err != nil {
		return nil, err
	}
	if err := RefuseOwnWork(ctx, q, by.UserID, t); err != nil {
		return nil, err
	}
	// Again, now that no other decision can come in between.
	if c, err = oneComment(ctx, q, at, by.UserID, id); err != nil {
		return nil, err
	}
	if c.AssessedAt != nil {
		return nil, fault.New(fault.Conflict, "This request is already decided: %s.", *c.Response)
	}
	if err := (decision{by.UserID, granting}).settle(ctx, q, t, id, c.Weeks, granted); err != nil {
		return nil, err
	}
	return extended(ctx, q, by, at, t, id, "assessed")
}

// extended shows a request and the task after it.
func extended(ctx context.Context, q db.Q, by Reader, at TaskRef, t *HeldTask, id int64, action string) (*Extension,
	error) {
	c, err := announceChanged(ctx, q, by, at, t, id, action)
	if err != nil {
		return nil, err
	}
	return &Extension{*c, t.Extensions, t.dueOn()}, nil
}

// decision is who decides on requests, and what they say with a new date.
type decision struct {
	by    int64
	words string
}

// granting is how the staff grant a request.
const granting = "Extension granted to %s"

// checked is a request and what a decision makes of it.
type checked struct {
	id       int64 // of the comment
	task     *HeldTask
	granted  bool
	response string
	plan     status.Plan // of its task, after this request
}

// check tells what granting or rejecting a request comes to on its task as it is
// then, changing nothing: as many of the weeks as still fit, and ready for feedback
// again where the work was only late. A request for which no week is left is
// rejected. In a group each member has their own extension: the others follow with
// the next move they share.
func (d decision) check(t *HeldTask, facts status.Task, id int64, weeks int, grant bool) (checked, error) {
	w := checked{id: id, task: t, response: "Extension rejected", plan: status.Plan{After: facts.State}}
	if !grant {
		return w, nil
	}
	dates := facts.Due
	dates.Extensions = facts.Extensions
	weeks, err := dates.Allow(weeks)
	if fault.Is(err, fault.Conflict) {
		w.response = "No extension is possible: the deadline has been reached"
		return w, nil
	}
	if err != nil {
		return w, err
	}
	facts.Extensions += weeks
	dates.Extensions = facts.Extensions
	w.granted, w.response = true, fmt.Sprintf(d.words, dates.Due().Format("Mon 2 Jan"))
	w.plan.After = facts.State
	if plan, back := status.Extended(facts); back {
		w.plan = plan
	}
	return w, nil
}

// settle decides on one request of a task that is held.
func (d decision) settle(ctx context.Context, q db.Q, t *HeldTask, id int64, weeks int, grant bool) error {
	w, err := d.check(t, t.facts(), id, weeks, grant)
	if err != nil {
		return err
	}
	return d.write(ctx, q, []checked{w})
}

// write makes decisions true: the weeks and states of the tasks, the answers to the
// requests, which all the staff have read with it, and the audit. The number of
// statements does not depend on how many there are.
func (d decision) write(ctx context.Context, q db.Q, list []checked) error {
	if err := d.writeTasks(ctx, q, list); err != nil {
		return err
	}
	var rows [][]any
	var entries []audit.Entry
	var tasks []int64
	for _, w := range list {
		rows = append(rows, []any{w.id, w.granted, w.response})
		action := "rejected"
		if w.granted {
			action = "granted"
		}
		entries = append(entries, w.task.extension(action, w.id))
		tasks = append(tasks, w.task.ID)
	}
	from, args, err := db.Rows(q, []any{q.Now(), d.by}, []string{"id BIGINT", "granted BOOLEAN", "response TEXT"}, rows)
	if err != nil {
		return err
	}
	if _, err := db.Exec(ctx, q, `UPDATE task_comments SET extension_granted = v.granted,
		extension_response = v.response, extension_assessed_at = $1, assessor_id = $2,
		staff_read_at = coalesce(staff_read_at, $1) FROM `+from+` v WHERE task_comments.id = v.id`, args...); err != nil {
		return err
	}
	if err := audit.Add(ctx, q, entries...); err != nil {
		return err
	}
	return countOpen(ctx, q, tasks...)
}

// writeTasks gives the tasks what was granted: of several requests of one task the
// last holds what all come to.
func (d decision) writeTasks(ctx context.Context, q db.Q, list []checked) error {
	last := map[*HeldTask]status.Plan{}
	var order []*HeldTask
	for _, w := range list {
		plan, before := last[w.task]
		if !before {
			order = append(order, w.task)
		}
		w.plan.Entries = append(plan.Entries, w.plan.Entries...)
		last[w.task] = w.plan
	}
	var back []TaskChange
	var longer [][]any
	for _, t := range order {
		if plan := last[t]; len(plan.Entries) > 0 {
			back = append(back, TaskChange{HeldTask: t, Plan: plan})
		} else if plan.After.Extensions != t.Extensions {
			t.Extensions = plan.After.Extensions
			longer = append(longer, []any{t.ID, t.Extensions})
		}
	}
	if err := Record(ctx, q, Mover{UserID: d.by, As: status.Staff}, back); err != nil || len(longer) == 0 {
		return err
	}
	from, args, err := db.Rows(q, []any{q.Now()}, []string{"id BIGINT", "extensions INTEGER"}, longer)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, q, `UPDATE tasks SET extensions = v.extensions, version = version + 1, updated_at = $1
		FROM `+from+` v WHERE tasks.id = v.id`, args...)
	return err
}

// extension is what the audit log keeps of a request for more time, whose id is
// that of its comment.
func (t *HeldTask) extension(action string, id int64) audit.Entry {
	return audit.Entry{Kind: audit.Extension, Action: action, UserID: t.OwnerID, UnitID: t.UnitID,
		ProjectID: t.ProjectID, TaskID: t.ID, RecordID: id}
}
