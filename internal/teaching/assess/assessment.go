package assess

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/events"
	"lectern/internal/platform/files"
	"lectern/internal/platform/jobs"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/work"
)

// State is how far an assessment has come.
type State string

// The states.
const (
	Queued  State = "queued"
	Running State = "running"
	Done    State = "done"
	Failed  State = "failed"
)

// Enum lists the states for the description of the API.
func (State) Enum() []string {
	return []string{string(Queued), string(Running), string(Done), string(Failed)}
}

// Assessment is that of one submission.
type Assessment struct {
	ID           int64      `db:"id" json:"id"`
	TaskID       int64      `db:"task_id" json:"task_id"`
	At           clock.Time `db:"at" json:"submission_timestamp"`
	Status       State      `db:"status" json:"status"`
	ResultStatus *string    `db:"result_status" json:"result_task_status"`
	Reason       *string    `db:"reason" json:"reason"`
	Trouble      *string    `db:"trouble" json:"-"` // what the engine says, for the staff
	CreatedAt    clock.Time `db:"created_at" json:"created_at"`
	UpdatedAt    clock.Time `db:"updated_at" json:"updated_at"`

	SubmissionID int64   `db:"submission_id" json:"-"`
	ReportHash   *string `db:"report_hash" json:"-"`
}

const selectAssessments = `SELECT a.id, l.task_id, l.at, a.status, a.result_status, a.reason, a.trouble,
		a.created_at, a.updated_at, a.submission_id, a.report_hash
	FROM assessments a JOIN submission_tasks l ON l.submission_id = a.submission_id JOIN tasks t ON t.id = l.task_id
	WHERE t.project_id = $1 AND t.task_definition_id = $2`

// Args ask for an assessment to be run.
type Args struct {
	AssessmentID int64 `json:"assessment_id"`
}

// Kind implements jobs.Args.
func (Args) Kind() string { return "assessment" }

// How often an assessment is begun when the trouble is our own or the engine's: with the pauses
// of Backoff that takes some four hours. For the end of a trial or a preview somebody waits.
const (
	tries      = 20
	trialTries = 5
)

const begun = "The automated assessment of this submission waits for its turn. The result will stand here."

// runnable tells whether the task of definition d in unit u is assessed.
const runnable = `u.assessment_enabled AND d.assessment_enabled AND d.assessment_hash IS NOT NULL
	AND coalesce(d.overseer_image_id, u.overseer_image_id) IS NOT NULL`

// Enqueue has a submission assessed if its unit and its task ask for that, in the transaction
// that writes the submission. A second call changes nothing. It is part of handing in, for
// holders of policy.Submit, and refuses nothing.
func Enqueue(ctx context.Context, q db.Q, submissionID int64) error {
	ids, err := db.All[int64](ctx, q, `INSERT INTO assessments (submission_id, status, created_at, updated_at)
		SELECT s.id, 'queued', $2, $2 FROM submissions s JOIN tasks t ON t.id = s.task_id
			JOIN task_definitions d ON d.id = t.task_definition_id JOIN units u ON u.id = d.unit_id
		WHERE s.id = $1 AND `+runnable+` AND EXISTS (SELECT 1 FROM submission_files f WHERE f.submission_id = s.id)
		ON CONFLICT (submission_id) DO NOTHING RETURNING id`, submissionID, q.Now())
	if err != nil || len(ids) == 0 {
		return err
	}
	task, err := db.One[int64](ctx, q, `SELECT task_id FROM submissions WHERE id = $1`, submissionID)
	if err != nil {
		return err
	}
	if err := work.OpenAssessment(ctx, q, *task, ids[0], begun); err != nil {
		return err
	}
	return enqueue(ctx, q, ids[0])
}

// enqueue adds the job of an assessment that was just marked as queued.
func enqueue(ctx context.Context, q db.Q, id int64) error {
	whose, err := db.One[jobs.For](ctx, q, `SELECT p.unit_id, p.user_id FROM assessments a
		JOIN submissions s ON s.id = a.submission_id JOIN tasks t ON t.id = s.task_id
		JOIN projects p ON p.id = t.project_id WHERE a.id = $1`, id)
	if err != nil {
		return err
	}
	job, err := jobs.Enqueue(ctx, q, Args{id}, jobs.Options{MaxAttempts: tries, For: *whose})
	if err != nil {
		return err
	}
	if _, err := db.Exec(ctx, q, `UPDATE assessments SET job_id = $2 WHERE id = $1`, id, job); err != nil {
		return err
	}
	return announce(ctx, q, id)
}

// Asker is who asks for an assessment again.
type Asker struct {
	UserID int64
	Staff  bool
}

// How often a student may ask for an assessment again.
const (
	mostRequests  = 5
	requestWindow = time.Hour
)

// Again runs an assessment of a task once more: fault.Conflict while it is queued or running,
// or when there is nothing to run; fault.Throttled for a student who asks more than five times
// an hour. It is for holders of policy.Submit on the project; those of policy.GradeTask have no
// limit.
func Again(ctx context.Context, q db.Q, by Asker, projectID, definitionID, id int64) (*Assessment, error) {
	if err := db.Lock(ctx, q, "assessments", id); err != nil {
		return nil, err
	}
	a, err := ByID(ctx, q, projectID, definitionID, id)
	if err != nil {
		return nil, err
	}
	if a.Status == Queued || a.Status == Running {
		return nil, fault.New(fault.Conflict, "This assessment is already %s.", a.Status)
	}
	if err := a.checkRunnable(ctx, q); err != nil {
		return nil, err
	}
	if !by.Staff {
		if err := countRequest(ctx, q, by.UserID); err != nil {
			return nil, err
		}
	}
	if _, err := db.Exec(ctx, q, `UPDATE assessments SET status = 'queued', reason = NULL, trouble = NULL, asked = TRUE,
		updated_at = $2 WHERE id = $1`, id, q.Now()); err != nil {
		return nil, err
	}
	if err := work.UpdateAssessment(ctx, q, a.TaskID, id, begun, false); err != nil {
		return nil, err
	}
	if err := enqueue(ctx, q, id); err != nil {
		return nil, err
	}
	if err := audit.Add(ctx, q, audit.Entry{Kind: audit.Submission, Action: "assessment_asked", ProjectID: projectID,
		RecordID: a.SubmissionID}); err != nil {
		return nil, err
	}
	return ByID(ctx, q, projectID, definitionID, id)
}

// ByID gives an assessment of a task, or fault.Missing.
func ByID(ctx context.Context, q db.Q, projectID, definitionID, id int64) (*Assessment, error) {
	return db.OneOf[Assessment](ctx, q, "assessment of this task", selectAssessments+` AND a.id = $3`, projectID,
		definitionID, id)
}

// checkRunnable refuses what was switched off, or lost its files, meanwhile.
func (a *Assessment) checkRunnable(ctx context.Context, q db.Q) error {
	type answer struct {
		On    bool `db:"runs"`
		Files bool `db:"files"`
	}
	is, err := db.One[answer](ctx, q, `SELECT `+runnable+` AS runs,
			EXISTS (SELECT 1 FROM submission_files f WHERE f.submission_id = s.id) AS files
		FROM submissions s JOIN tasks t ON t.id = s.task_id JOIN task_definitions d ON d.id = t.task_definition_id
		JOIN units u ON u.id = d.unit_id WHERE s.id = $1`, a.SubmissionID)
	switch {
	case err != nil:
		return err
	case !is.On:
		return fault.New(fault.Conflict, "Automated assessment is off for this task, or has no tests or image.")
	case !is.Files:
		return fault.New(fault.Conflict, "The files of this submission were deleted.")
	}
	return nil
}

// countRequest notes that a student asks, unless they have done so too often.
func countRequest(ctx context.Context, q db.Q, userID int64) error {
	if err := db.LockName(ctx, q, fmt.Sprintf("assessments asked by %d", userID)); err != nil {
		return err
	}
	made, err := db.All[clock.Time](ctx, q, `SELECT at FROM assessment_requests WHERE user_id = $1 AND at > $2
		ORDER BY at DESC LIMIT $3`, userID, clock.At(q.Now().Add(-requestWindow)), mostRequests)
	if err != nil {
		return err
	}
	if len(made) == mostRequests {
		wait := made[mostRequests-1].Add(requestWindow).Sub(q.Now().Time)
		return &fault.Error{Kind: fault.Throttled, Wait: wait, Text: fmt.Sprintf("You can start %d assessments an "+
			"hour. Wait %s before you start another.", mostRequests, bounds.WaitText(wait))}
	}
	_, err = db.Exec(ctx, q, `INSERT INTO assessment_requests (user_id, at) VALUES ($1, $2)`, userID, q.Now())
	return err
}

// At gives the assessment of the submission of a moment, as submit.VersionAt
// finds it. fault.Missing where there is none.
func At(ctx context.Context, q db.Q, projectID, definitionID int64, timestamp string) (*Assessment, error) {
	v, err := submit.VersionAt(ctx, q, projectID, definitionID, timestamp)
	if err != nil {
		return nil, err
	}
	return db.OneOf[Assessment](ctx, q, "assessment of this submission", selectAssessments+` AND a.submission_id = $3`,
		projectID, definitionID, v.ID)
}

// OfTask gives the assessments of all versions of a task, that of the newest first.
func OfTask(ctx context.Context, q db.Q, projectID, definitionID int64) ([]Assessment, error) {
	return db.All[Assessment](ctx, q, selectAssessments+` ORDER BY l.at DESC`, projectID, definitionID)
}

// mostReportJSON bounds a report that is read: texts grow when they are quoted.
const mostReportJSON = 64 << 20

// OutcomeOf reads what came of a run; an empty one where nothing did yet.
func OutcomeOf(ctx context.Context, store files.Store, hash *string) (*Outcome, error) {
	o := &Outcome{}
	if hash == nil {
		return o, nil
	}
	f, err := store.Open(ctx, files.Hash(*hash))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := json.NewDecoder(io.LimitReader(f, mostReportJSON)).Decode(o); err != nil {
		return nil, fmt.Errorf("read the report of an assessment: %w", err)
	}
	return o, nil
}

// assessmentEvent is what the event of an assessment says beside its ids.
type assessmentEvent struct {
	AssessmentID int64   `db:"id" json:"assessment_id"`
	SubmissionID int64   `db:"submission_id" json:"submission_id"`
	DefinitionID int64   `db:"task_definition_id" json:"task_definition_id"`
	Status       State   `db:"status" json:"status"`
	Result       *string `db:"result_status" json:"result_task_status"`
}

// announce writes the events that tell how far an assessment is: to each student,
// and once to the staff.
func announce(ctx context.Context, q db.Q, id int64) error {
	type row struct {
		assessmentEvent
		submit.Concerned
	}
	var list []events.Event
	for r, err := range db.Each[row](ctx, q, `SELECT a.id, a.submission_id, t.task_definition_id, a.status,
			a.result_status, `+submit.ConcernedColumns+`
		FROM assessments a JOIN submissions s ON s.id = a.submission_id`+submit.JoinConcerned+`
		WHERE a.id = $1 ORDER BY t.id`, id) {
		if err != nil {
			return err
		}
		list = append(list, r.Event(events.Assessment, r.assessmentEvent))
	}
	return events.Add(ctx, q, list...)
}
