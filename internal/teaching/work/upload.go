package work

import (
	"context"
	"fmt"
	"slices"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/events"
	"lectern/internal/teaching/due"
	"lectern/internal/teaching/status"
)

// Contribution is what a member of a group contributed to what the group hands in.
type Contribution struct {
	ProjectID int64
	Pct       int // of the whole; 0 leaves the member out
	Pts       int // 0 to 5
}

const (
	usualPts = 3
	mostPts  = 5
)

// Upload is work that is handed in for a task.
type Upload struct {
	Trigger       string         // what the student wants, read by status.OnUpload
	Contributions []Contribution // of all members of the group; equal when nil
}

// HandedIn tells what became of a task when work was handed in for it.
type HandedIn struct {
	*MovedTask
	TaskID  int64
	UnitID  int64
	OwnerID int64
	Dates   due.Dates          // after the move
	Tasks   []TaskContribution // all that the work was handed in for, the task itself first
	Events  []events.Event     // of the moves, which the caller adds with those of the submission
}

// TaskContribution is a task and its student's part of what was handed in for it.
type TaskContribution struct {
	TaskID    int64
	ProjectID int64
	OwnerID   int64
	Pct, Pts  int
}

// HandIn moves a task for which files were brought, and in a group those of the members who
// took part. The status of a task never refuses them: where it may not change, only the files
// are noted. A member's task that is closed is left as it is. It leaves the events to the
// caller. It fails with fault.Refused when the shares do not name exactly the members, and
// fault.Denied for a group task of someone without a group. It is for holders of policy.Submit
// on the project.
func HandIn(ctx context.Context, q db.Q, by Mover, projectID, definitionID int64, u Upload) (*HandedIn, error) {
	to, err := status.OnUpload(u.Trigger, by.As)
	if err != nil {
		return nil, err
	}
	own, around, err := LockTask(ctx, q, projectID, definitionID, true)
	if err != nil {
		return nil, err
	}
	before := own.facts()
	m := status.Move{Word: string(to), By: by.As, Upload: true, At: q.Now()}
	plan, err := status.Decide(before, m)
	if err != nil {
		return nil, err
	}
	changes := []TaskChange{{HeldTask: own, Plan: plan}}
	shares := []TaskContribution{{own.ID, own.ProjectID, own.OwnerID, 100, usualPts}}
	if own.GroupID != nil {
		var others []*HeldTask
		if others, shares, err = joinWork(ctx, q, own, around, u.Contributions); err != nil {
			return nil, err
		}
		changes = spreadFiles(changes, before, m, by, others)
	}
	entries := make([]audit.Entry, len(shares))
	for i, s := range shares {
		entries[i] = audit.Entry{Kind: audit.Submission, Action: audit.Created, UserID: s.OwnerID, UnitID: own.UnitID,
			ProjectID: s.ProjectID, TaskID: s.TaskID}
	}
	told, err := recordUntold(ctx, q, by, changes, entries...)
	if err != nil {
		return nil, err
	}
	out, err := ShowMoved(ctx, q, own, changes[1:])
	if err != nil {
		return nil, err
	}
	return &HandedIn{MovedTask: out, TaskID: own.ID, UnitID: own.UnitID, OwnerID: own.OwnerID, Dates: own.dates(),
		Tasks: shares, Events: told}, nil
}

// spreadFiles adds what an upload comes to on the tasks of those it was handed
// in with: at the least, that files came.
func spreadFiles(changes []TaskChange, from status.Task, m status.Move, by Mover, others []*HeldTask) []TaskChange {
	for _, t := range others {
		c, reached := t.follow(from, m, by)
		if !reached {
			c.Plan.After.UploadedAt, c.Plan.After.SubmittedAt = &m.At, &m.At
		}
		changes = append(changes, c)
	}
	return changes
}

// joinWork makes a group's members with a share, whose tasks are open, partners
// in one submission, and gives their tasks but for own, and all shares.
func joinWork(ctx context.Context, q db.Q, own *HeldTask, around []*HeldTask, wanted []Contribution) ([]*HeldTask,
	[]TaskContribution, error) {
	members := []*HeldTask{own}
	for _, t := range around {
		if t.sharesGroup(own) {
			members = append(members, t)
		}
	}
	share, err := sharesOf(members, wanted)
	if err != nil {
		return nil, nil, err
	}
	var others []*HeldTask
	var all []TaskContribution
	for _, t := range members {
		s := share[t.ProjectID]
		if t != own && (s.Pct <= 0 || status.Closed.Has(t.Status)) {
			continue
		}
		if t != own {
			others = append(others, t)
		}
		all = append(all, TaskContribution{t.ID, t.ProjectID, t.OwnerID, s.Pct, s.Pts})
	}
	return others, all, linkWork(ctx, q, own, around, others, all)
}

// sharesOf gives each member's share, or says whose is wrong.
func sharesOf(members []*HeldTask, wanted []Contribution) (map[int64]Contribution, error) {
	out := make(map[int64]Contribution, len(members))
	if wanted == nil {
		for _, t := range members {
			out[t.ProjectID] = Contribution{t.ProjectID, 100 / len(members), usualPts}
		}
		return out, nil
	}
	for _, s := range wanted {
		if _, twice := out[s.ProjectID]; twice {
			return nil, fault.Field(fault.Refused, "contributions", "name the project %d twice", s.ProjectID)
		}
		if s.Pct > 100 {
			return nil, fault.Field(fault.Refused, "contributions", "give the project %d %d percent: the limit is "+
				"100",
				s.ProjectID, s.Pct)
		}
		s.Pct, s.Pts = max(s.Pct, 0), min(max(s.Pts, 0), mostPts)
		out[s.ProjectID] = s
	}
	for _, t := range members {
		if _, ok := out[t.ProjectID]; !ok {
			return nil, fault.Field(fault.Refused, "contributions", "must name every member of the group: the "+
				"project %d is missing", t.ProjectID)
		}
	}
	if len(out) > len(members) {
		return nil, fault.Field(fault.Refused, "contributions", "must name only enrolled members of the group")
	}
	return out, nil
}

// linkWork writes the shares and makes the tasks one group submission: the one
// they have when nobody joined or left, else a new one.
func linkWork(ctx context.Context, q db.Q, own *HeldTask, around, others []*HeldTask, all []TaskContribution) error {
	var left []int64
	if !sameWork(own, around, others) {
		id, err := db.One[int64](ctx, q, `INSERT INTO group_submissions (unit_group_id, task_definition_id,
			submitted_by_project_id, created_at)
			VALUES ($1, $2, $3, $4) RETURNING id`, *own.GroupID, own.DefinitionID, own.ProjectID, q.Now())
		if err != nil {
			return err
		}
		for _, t := range append([]*HeldTask{own}, others...) {
			if t.SubmissionID != nil {
				left = append(left, *t.SubmissionID)
			}
			t.SubmissionID, t.SubmissionGroup = id, own.GroupID
		}
	}
	rows := make([][]any, len(all))
	for i, s := range all {
		rows[i] = []any{s.TaskID, s.Pct, s.Pts}
	}
	from, args, err := db.Rows(q, []any{*own.SubmissionID}, []string{"id BIGINT", "pct INTEGER", "pts INTEGER"}, rows)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, q, `UPDATE tasks SET group_submission_id = $1, contribution_pct = v.pct, contribution_pts =
		v.pts
		FROM `+from+` v WHERE tasks.id = v.id`, args...)
	if err != nil {
		return fmt.Errorf("write contributions: %w", err)
	}
	return DropEmptySubmissions(ctx, q, left)
}

// sameWork tells whether own was handed in before with exactly these group members.
func sameWork(own *HeldTask, around, others []*HeldTask) bool {
	if own.SubmissionID == nil || *own.SubmissionGroup != *own.GroupID {
		return false
	}
	with := map[int64]bool{}
	for _, t := range others {
		with[t.ID] = true
	}
	for _, t := range around {
		if linked := t.SubmissionID != nil && *t.SubmissionID == *own.SubmissionID; linked != with[t.ID] {
			return false
		}
	}
	return true
}

// SendBack asks for work to be handed in again whose document could not be made, in the name of
// the tutor, with a comment that says why. Of a group's tasks the first named is the one the
// comment stands on; the others share it. Tasks that were handed in again since, or are closed,
// are left alone. It is for the job that makes documents.
func SendBack(ctx context.Context, q db.Q, taskIDs []int64, since clock.Time, why string) error {
	in, args := db.In([]any{since}, taskIDs)
	tasks, err := LockTasks(ctx, q, `coalesce(t.file_uploaded_at, $1) <= $1 AND t.id IN `+in, args...)
	if err != nil {
		return err
	}
	tasks = slices.DeleteFunc(tasks, func(t *HeldTask) bool { return t.TutorID == nil })
	changes, err := byRule(tasks, status.Unreadable, q.Now())
	if err != nil || len(changes) == 0 {
		return err
	}
	main := changes[0]
	if i := slices.IndexFunc(changes, func(c TaskChange) bool { return c.ID == taskIDs[0] }); i > 0 {
		main = changes[i]
	}
	if err := Record(ctx, q, Mover{UserID: *main.TutorID, As: status.Staff}, changes); err != nil {
		return err
	}
	return main.explain(ctx, q, why)
}

// explain writes a comment of the tutor. The staff need not read it.
func (t *HeldTask) explain(ctx context.Context, q db.Q, text string) error {
	c, err := newComment{Type: CommentText, Text: text, Author: *t.TutorID}.add(ctx, q, t)
	if err != nil {
		return err
	}
	return events.Add(ctx, q, events.Event{Kind: events.Comment, ActorID: *t.TutorID, UserID: t.OwnerID,
		UnitID:    t.UnitID,
		ProjectID: t.ProjectID, TaskID: t.ID,
		Body: CommentEvent{DefinitionID: t.DefinitionID, CommentID: c.ID, Type: CommentText, Action: "created"}})
}
