package work

import (
	"context"
	"fmt"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/platform/events"
	"lectern/internal/teaching/due"
	"lectern/internal/teaching/status"
)

// MostDecisions is how many requests can be decided on at once.
const MostDecisions = 500

// ExtensionOutcome is what becomes of a request in a batch.
type ExtensionOutcome string

// The outcomes.
const (
	ExtensionGranted  ExtensionOutcome = "granted"
	ExtensionRejected ExtensionOutcome = "rejected"
	ExtensionDecided  ExtensionOutcome = "decided" // by somebody else, before: it stays as it is
	ExtensionRefused  ExtensionOutcome = "refused" // the caller cannot decide on it
)

// Enum gives all outcomes, for the documentation of the API.
func (ExtensionOutcome) Enum() []string {
	return []string{string(ExtensionGranted), string(ExtensionRejected), string(ExtensionDecided),
		string(ExtensionRefused)}
}

// DecidedExtension is a request of a batch and what becomes of it.
type DecidedExtension struct {
	ID           int64            `json:"id"`
	Outcome      ExtensionOutcome `json:"outcome"`
	Message      string           `json:"message"`
	ProjectID    int64            `json:"project_id,omitempty"`
	DefinitionID int64            `json:"task_definition_id,omitempty"`
	Username     string           `json:"username,omitempty"`
	FirstName    string           `json:"first_name,omitempty"`
	LastName     string           `json:"last_name,omitempty"`
	Abbreviation string           `json:"abbreviation,omitempty"`
	DueDate      *clock.Date      `json:"due_date,omitempty"` // of the task, afterwards
	Dates        due.Dates        `json:"-"`
}

// ExtensionBatch is a decision on many requests of a unit.
type ExtensionBatch struct {
	UnitID int64
	IDs    []int64 // of the comments that ask
	Grant  bool
}

// extensionRequest is a request of a batch as it stands.
type extensionRequest struct {
	ID           int64       `db:"id"`
	TaskID       int64       `db:"task_id"`
	Weeks        int         `db:"extension_weeks"`
	AssessedAt   *clock.Time `db:"extension_assessed_at"`
	Response     *string     `db:"extension_response"`
	Own          bool        `db:"own"`
	Username     string      `db:"username"`
	FirstName    string      `db:"first_name"`
	LastName     string      `db:"last_name"`
	Abbreviation string      `db:"abbreviation"`
}

// PlanExtensions tells what DecideExtensions would make of each request, and
// changes nothing.
func PlanExtensions(ctx context.Context, q db.Q, callerID int64, b ExtensionBatch) ([]DecidedExtension, error) {
	out, _, err := b.check(ctx, q, callerID, readTasksPlain)
	return out, err
}

// DecideExtensions grants or rejects requests of a unit, all of them as one, and tells in their
// order what became of each. What was decided on meanwhile stays as it is, and so does what the
// caller cannot decide on: work they have a part in, and what is no request in this unit. It
// fails with fault.Refused for no request or too many. It is for holders of policy.GiveFeedback
// in the unit.
func DecideExtensions(ctx context.Context, q db.Q, callerID int64, b ExtensionBatch) ([]DecidedExtension, error) {
	out, list, err := b.check(ctx, q, callerID, LockTasks)
	if err != nil || len(list) == 0 {
		return out, err
	}
	d := decision{callerID, granting}
	if err := d.write(ctx, q, list); err != nil {
		return nil, err
	}
	return out, d.announce(ctx, q, list)
}

// readTasksPlain reads tasks that have rows and holds none of them.
func readTasksPlain(ctx context.Context, q db.Q, where string, args ...any) ([]*HeldTask, error) {
	return readTasks(ctx, q, where, "", args...)
}

// check reads the tasks first, by read, and the requests then: where the tasks are
// held no other decision can come in between.
func (b ExtensionBatch) check(ctx context.Context, q db.Q, callerID int64,
	read func(context.Context, db.Q, string, ...any) ([]*HeldTask, error)) ([]DecidedExtension, []checked, error) {
	if n := len(b.IDs); n == 0 || n > MostDecisions {
		return nil, nil, fault.Field(fault.Refused, "extensions", "must name 1 to %d requests", MostDecisions)
	}
	in, args := db.In([]any{b.UnitID}, b.IDs)
	tasks, err := read(ctx, q, `t.unit_id = $1 AND t.id IN (SELECT c.task_id FROM task_comments c
		WHERE c.type = 'extension' AND c.id IN `+in+`)`, args...)
	if err != nil {
		return nil, nil, err
	}
	requests, err := b.requests(ctx, q, callerID)
	if err != nil {
		return nil, nil, err
	}
	return b.decide(callerID, tasks, requests)
}

// requests reads the requests of the batch that are in its unit, by their ids.
func (b ExtensionBatch) requests(ctx context.Context, q db.Q, callerID int64) (map[int64]extensionRequest, error) {
	out := map[int64]extensionRequest{}
	in, args := db.In([]any{b.UnitID, callerID}, b.IDs)
	for r, err := range db.Each[extensionRequest](ctx, q, `SELECT c.id, c.task_id, c.extension_weeks,
			c.extension_assessed_at, c.extension_response, `+OwnWork("$2")+` AS own, o.username, o.first_name,
			o.last_name, d.abbreviation
		FROM task_comments c JOIN tasks t ON t.id = c.task_id JOIN projects p ON p.id = t.project_id
		JOIN users o ON o.id = p.user_id JOIN task_definitions d ON d.id = t.task_definition_id
		WHERE c.unit_id = $1 AND c.type = 'extension' AND c.id IN `+in, args...) {
		if err != nil {
			return nil, fmt.Errorf("read extensions: %w", err)
		}
		out[r.ID] = r
	}
	return out, nil
}

// decide tells what becomes of each request. Of several of one task each follows on
// what the one before it comes to.
func (b ExtensionBatch) decide(callerID int64, tasks []*HeldTask,
	requests map[int64]extensionRequest) ([]DecidedExtension, []checked, error) {
	at, facts := map[int64]*HeldTask{}, map[int64]status.Task{}
	for _, t := range tasks {
		f := t.facts()
		at[t.ID], facts[t.ID] = t, f
	}
	var out []DecidedExtension
	var list []checked
	seen := map[int64]bool{}
	for _, id := range b.IDs {
		if seen[id] {
			continue
		}
		seen[id] = true
		r, ok := requests[id]
		t := at[r.TaskID]
		one := r.outcome(id, t)
		if one.Outcome == "" && ok {
			w, err := decision{callerID, granting}.check(t, facts[t.ID], id, r.Weeks, b.Grant)
			if err != nil {
				return nil, nil, err
			}
			f := facts[t.ID]
			f.State = w.plan.After
			facts[t.ID] = f
			list = append(list, w)
			one.take(w)
		}
		out = append(out, one)
	}
	return out, list, nil
}

// outcome is the request as it is told of, with an outcome where there is nothing to
// decide.
func (r extensionRequest) outcome(id int64, t *HeldTask) DecidedExtension {
	out := DecidedExtension{ID: id}
	if t == nil || r.ID == 0 {
		out.Outcome, out.Message = ExtensionRefused, "This unit has no such request: it may be deleted. Go back to the list."
		return out
	}
	day := t.dueOn()
	out.Dates = t.dates()
	out.ProjectID, out.DefinitionID, out.Username, out.FirstName = t.ProjectID, t.DefinitionID, r.Username, r.FirstName
	out.LastName, out.Abbreviation, out.DueDate = r.LastName, r.Abbreviation, &day
	switch {
	case r.AssessedAt != nil:
		out.Outcome, out.Message = ExtensionDecided, "It is already decided"
		if r.Response != nil {
			out.Message += ": " + *r.Response
		}
		out.Message += "."
	case r.Own:
		out.Outcome, out.Message = ExtensionRefused, "This is your own work or that of a group you are in. Ask "+
			"another member of staff to decide."
	}
	return out
}

// take tells what a decision comes to.
func (o *DecidedExtension) take(w checked) {
	o.Outcome, o.Message = ExtensionRejected, w.response+"."
	if !w.granted {
		return
	}
	o.Outcome = ExtensionGranted
	t := *w.task
	t.Extensions = w.plan.After.Extensions
	day := t.dueOn()
	o.DueDate, o.Dates = &day, t.dates()
}

// announce adds the events of decisions: one for the student and the staff, and one
// for each other student who has the request in their own conversation.
func (d decision) announce(ctx context.Context, q db.Q, list []checked) error {
	type share struct {
		For int64 `db:"for_id"`
		inTalk
	}
	ids := make([]int64, len(list))
	for i, w := range list {
		ids[i] = w.task.ID
	}
	in, args := db.In(nil, ids)
	parts, err := db.All[share](ctx, q, `SELECT o.id AS for_id, n.id, n.project_id, p.user_id AS owner_id
		FROM tasks o JOIN tasks n ON n.id = o.id OR n.group_submission_id = o.group_submission_id
		JOIN projects p ON p.id = n.project_id WHERE o.id IN `+in+` ORDER BY n.id`, args...)
	if err != nil {
		return err
	}
	by := map[int64][]inTalk{}
	for _, s := range parts {
		by[s.For] = append(by[s.For], s.inTalk)
	}
	var all []events.Event
	for _, w := range list {
		for _, p := range by[w.task.ID] {
			e := events.Event{Kind: events.Extension, ActorID: d.by, UserID: p.OwnerID, ProjectID: p.ProjectID,
				TaskID: p.TaskID, Body: CommentEvent{w.task.DefinitionID, w.id, typeExtension, "assessed", &w.granted}}
			if p.TaskID == w.task.ID {
				e.UnitID = w.task.UnitID
			}
			all = append(all, e)
		}
	}
	return events.Add(ctx, q, all...)
}
