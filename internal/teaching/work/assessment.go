package work

import (
	"context"
	"fmt"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/platform/events"
	"lectern/internal/teaching/status"
)

// The name under which people read what the service itself says of an assessment, which no
// tutor said.
const (
	ServiceFirst = "Automated"
	ServiceLast  = "assessment"
)

// OpenAssessment adds the comment that will tell the student what an automated assessment
// finds, in the name of the tutor. The staff need not read it. A student whom nobody teaches
// hears of it in the result only. It is for the job that runs assessments: nobody asks for it.
func OpenAssessment(ctx context.Context, q db.Q, taskID, assessmentID int64, text string) error {
	tasks, err := LockTasks(ctx, q, `t.id = $1`, taskID)
	if err != nil || len(tasks) == 0 || tasks[0].TutorID == nil {
		return err
	}
	t := tasks[0]
	n := newComment{Type: typeAssessment, Text: text, Author: *t.TutorID, StaffRead: true, Assessment: &assessmentID}
	c, err := n.add(ctx, q, t)
	if err != nil {
		return err
	}
	return t.tellAssessment(ctx, q, c.ID, "created")
}

// UpdateAssessment changes the words of the comment of an assessment, which are the result in
// the tutor's name, or the service's own. It is unread again for all who can see it, and stands
// where it would if it were new. It is for the job that runs assessments.
func UpdateAssessment(ctx context.Context, q db.Q, taskID, assessmentID int64, text string, byService bool) error {
	tasks, err := LockTasks(ctx, q, `t.id = $1`, taskID)
	if err != nil || len(tasks) == 0 {
		return err
	}
	ids, err := db.All[int64](ctx, q, `UPDATE task_comments SET comment = $2, created_at = $3, by_service = $4
		WHERE assessment_id = $1 RETURNING id`, assessmentID, text, q.Now(), byService)
	if err != nil || len(ids) == 0 { // somebody deleted it
		return err
	}
	if _, err := db.Exec(ctx, q, `DELETE FROM comment_reads WHERE task_comment_id = $1 AND user_id <>
		(SELECT user_id FROM task_comments WHERE id = $1)`, ids[0]); err != nil {
		return err
	}
	if err := RecountNews(ctx, q, taskID); err != nil {
		return err
	}
	return tasks[0].tellAssessment(ctx, q, ids[0], "updated")
}

// tellAssessment adds an event for each whose conversation the comment is in.
func (t *HeldTask) tellAssessment(ctx context.Context, q db.Q, id int64, action string) error {
	parts, err := db.All[inTalk](ctx, q, talk+`SELECT t.id, t.project_id, t.owner_id FROM talk t ORDER BY t.id`,
		t.ProjectID, t.DefinitionID)
	if err != nil {
		return err
	}
	list := make([]events.Event, len(parts))
	for i, p := range parts {
		list[i] = events.Event{Kind: events.Comment, UserID: p.OwnerID, ProjectID: p.ProjectID, TaskID: p.TaskID,
			Body: CommentEvent{DefinitionID: t.DefinitionID, CommentID: id, Type: typeAssessment, Action: action}}
		if p.TaskID == t.ID {
			list[i].UnitID = t.UnitID
		}
	}
	return events.Add(ctx, q, list...)
}

// MoveByAssessment moves tasks that were handed in together, until a moment, where an automated
// assessment sends them, in the name of their tutors. It gives the status of the first before
// that, and tells whether any was moved. It is for the job that runs assessments, where the
// unit lets tests move tasks. Work that was marked or handed in again meanwhile, and a student
// whom nobody teaches, is left alone: a person's word counts for more.
func MoveByAssessment(ctx context.Context, q db.Q, taskIDs []int64, since clock.Time, to status.Status) (status.Status, bool,
	error) {
	in, args := db.In([]any{since}, taskIDs)
	tasks, err := LockTasks(ctx, q, `coalesce(t.file_uploaded_at, $1) <= $1 AND t.id IN `+in, args...)
	if err != nil {
		return "", false, fmt.Errorf("hold the tasks: %w", err)
	}
	var before status.Status
	var changes []TaskChange
	for _, t := range tasks {
		if t.ID == taskIDs[0] {
			before = t.Status
		}
		facts := t.facts()
		if plan, ok := status.ByAssessment(facts, to, q.Now()); ok && t.TutorID != nil {
			if t.ID != taskIDs[0] {
				plan = plan.Quiet()
			}
			changes = append(changes, TaskChange{HeldTask: t, Plan: plan})
		}
	}
	if len(changes) == 0 {
		return before, false, nil
	}
	return before, true, Record(ctx, q, Mover{UserID: *changes[0].TutorID, As: status.Staff}, changes)
}
