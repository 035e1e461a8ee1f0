package work

import (
	"context"
	"fmt"
	"slices"

	"lectern/internal/ground/grade"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/events"
	"lectern/internal/teaching/stats"
	"lectern/internal/teaching/status"
)

// Record makes changes true: the values of the tasks, their history, the
// status comments, the events, the audit, with more entries where there are, and
// the statistics. The number of statements does not depend on how many tasks there
// are.
func Record(ctx context.Context, q db.Q, by Mover, changes []TaskChange, more ...audit.Entry) error {
	told, err := recordUntold(ctx, q, by, changes, more...)
	if err != nil {
		return err
	}
	return events.Add(ctx, q, told...)
}

// recordUntold is Record for who has more to tell: it leaves the events to the caller,
// so that one statement writes them all.
func recordUntold(ctx context.Context, q db.Q, by Mover, changes []TaskChange, more ...audit.Entry) ([]events.Event,
	error) {
	var touched []TaskChange
	for _, c := range changes {
		if !c.Idle() {
			touched = append(touched, c)
		}
	}
	if len(touched) == 0 {
		return nil, nil
	}
	if err := writeHistory(ctx, q, by, touched); err != nil {
		return nil, err
	}
	if err := writeStatusComments(ctx, q, by, touched); err != nil {
		return nil, err
	}
	if err := audit.Add(ctx, q, append(audited(touched), more...)...); err != nil {
		return nil, err
	}
	told, students := eventsOf(by, touched), active(by, touched)
	for _, c := range touched {
		c.take(c.Plan.After)
	}
	if err := writeStates(ctx, q, touched); err != nil {
		return nil, err
	}
	reviews, err := answered(ctx, q, by, touched)
	if err != nil {
		return nil, err
	}
	return append(told, reviews...), sumUp(ctx, q, touched, students)
}

// sumUp brings the statistics of the tasks' students up to date where a status changed,
// and notes which of the students did something themselves.
func sumUp(ctx context.Context, q db.Q, changes []TaskChange, students []int64) error {
	var restated, both, only []int64
	for _, c := range changes {
		moved, own := len(c.Plan.Entries) > 0, slices.Contains(students, c.ProjectID)
		if moved {
			restated = append(restated, c.ProjectID)
		}
		if own && moved {
			both = append(both, c.ProjectID)
		} else if own {
			only = append(only, c.ProjectID)
		}
	}
	if len(restated) > 0 {
		now, err := stats.RecomputeActive(ctx, q, changes[0].UnitID, both, restated...)
		if err != nil {
			return err
		}
		for _, c := range changes {
			if s, ok := now[c.ProjectID]; ok {
				c.stats = &s
			}
		}
	}
	return noteActivity(ctx, q, only...)
}

// NotUndone is the SQL that tells of row h of the history that it still counts: it is no
// undo of a verdict, and was not taken back by one. For this and other packages.
const NotUndone = `(h.undoes_after IS NULL AND NOT EXISTS (SELECT 1 FROM task_history un WHERE un.task_id = h.task_id
	AND un.undoes_after < h.id AND un.id > h.id))`

var stateColumns = []string{"id BIGINT", "status TEXT", "submission_date TIMESTAMPTZ", "file_uploaded_at TIMESTAMPTZ",
	"assessment_date TIMESTAMPTZ", "completion_date DATE", "times_assessed INTEGER", "grade INTEGER",
	"failed_for_lateness BOOLEAN", "quality_pts INTEGER", "extensions INTEGER"}

// writeStates writes what the tasks have become.
func writeStates(ctx context.Context, q db.Q, changes []TaskChange) error {
	rows := make([][]any, len(changes))
	for i, c := range changes {
		rows[i] = []any{c.ID, c.Status, c.SubmittedAt, c.UploadedAt, c.AssessedAt, c.CompletedOn, c.TimesAssessed,
			c.Grade, c.GradedLate, c.Quality, c.Extensions}
	}
	from, args, err := db.Rows(q, []any{q.Now()}, stateColumns, rows)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, q, `UPDATE tasks SET status = v.status, submission_date = v.submission_date,
			file_uploaded_at = v.file_uploaded_at, assessment_date = v.assessment_date, completion_date =
			v.completion_date,
			times_assessed = v.times_assessed, grade = v.grade, failed_for_lateness = v.failed_for_lateness,
			quality_pts = v.quality_pts, extensions = v.extensions, version = version + 1, updated_at = $1
		FROM `+from+` v WHERE tasks.id = v.id`, args...)
	if err != nil {
		return fmt.Errorf("write tasks: %w", err)
	}
	return nil
}

// author gives the person an entry of the history names.
func (c TaskChange) author(by Mover, a status.Author) int64 {
	if a == status.Tutor && c.TutorID != nil {
		return *c.TutorID
	}
	return by.UserID
}

// writeHistory appends a row for each status the tasks went through, and one
// for a mark that came without a status: who gave it must be known.
func writeHistory(ctx context.Context, q db.Q, by Mover, changes []TaskChange) error {
	var rows [][]any
	for _, c := range changes {
		after, row, from := c.Plan.After, c.Plan.Row, c.Status
		entries := c.Plan.Entries
		if len(entries) == 0 {
			entries = []status.Entry{{Status: from, By: status.Mover}}
		}
		for _, e := range entries {
			var submitted any
			if row != nil {
				submitted = row.SubmittedAt
			}
			marked := row != nil && row.Assessor == status.Mover && row.Outcome == e.Status
			rows = append(rows, []any{c.ID, c.DefinitionID, q.Now(), c.author(by, e.By), from, e.Status, marked, submitted, after.Grade,
				after.Quality, c.Undoes})
			from = e.Status
		}
	}
	err := db.Insert(ctx, q, `task_history (task_id, task_definition_id, at, actor_id, from_status, to_status, assessed,
		submitted_at, grade, quality_pts, undoes_after)`, "", rows)
	if err != nil {
		return fmt.Errorf("write the history of tasks: %w", err)
	}
	return nil
}

// audited are the entries of the changes: where a task went, and that it got a mark.
func audited(changes []TaskChange) []audit.Entry {
	var out []audit.Entry
	for _, c := range changes {
		e := audit.Entry{UserID: c.OwnerID, UnitID: c.UnitID, ProjectID: c.ProjectID, TaskID: c.ID}
		if len(c.Plan.Entries) > 0 {
			e.Kind, e.Action = audit.Status, string(c.Plan.After.Status)
			out = append(out, e)
		}
		after := c.Plan.After
		marks := audit.Diff(marks{c.Grade, c.Quality}, marks{after.Grade, after.Quality})
		if c.Levels {
			marks = append(marks, "rubric")
		}
		if len(marks) > 0 {
			e.Kind, e.Action, e.Fields = audit.Grade, audit.Changed, marks
			out = append(out, e)
		}
	}
	return out
}

// marks are what staff give a task beside its status.
type marks struct {
	Grade      *grade.Grade
	QualityPts int
}

// statusEvent is what the event of a status change says beside its ids.
type statusEvent struct {
	DefinitionID int64         `json:"task_definition_id"`
	From         status.Status `json:"from"`
	Status       status.Status `json:"status"`
}

// eventsOf are the events of the changes, one for each task that was moved.
func eventsOf(by Mover, changes []TaskChange) []events.Event {
	var out []events.Event
	for _, c := range changes {
		if len(c.Plan.Entries) > 0 {
			out = append(out, events.Event{Kind: events.Status, ActorID: by.UserID, UserID: c.OwnerID, UnitID: c.UnitID,
				ProjectID: c.ProjectID, TaskID: c.ID, Body: statusEvent{c.DefinitionID, c.Status, c.Plan.After.Status}})
		}
	}
	return out
}
