package turnitin

import (
	"context"
	"fmt"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
)

// Type is what an action does. The names are part of the wire.
type Type string

// The types.
const (
	FetchFeatures    Type = "TiiActionFetchFeaturesEnabled"
	FetchEULA        Type = "TiiActionFetchEula"
	RegisterWebhook  Type = "TiiActionRegisterWebhook"
	AcceptEULA       Type = "TiiActionAcceptEula"
	UpdateGroup      Type = "TiiActionUpdateTiiGroup"
	UploadResources  Type = "TiiActionUploadTaskResources"
	DeleteAttachment Type = "TiiActionDeleteGroupAttachment"
	UploadSubmission Type = "TiiActionUploadSubmission"
	DeleteSubmission Type = "TiiActionDeleteSubmission"
)

// descriptions say what an action of each type is for, before what it is about.
var descriptions = map[Type]string{
	FetchFeatures:    "Ask the similarity service what it offers",
	FetchEULA:        "Fetch the agreement of the similarity service",
	RegisterWebhook:  "Have the similarity service notify Lectern",
	AcceptEULA:       "Tell the similarity service that somebody accepted its agreement",
	UpdateGroup:      "Tell the similarity service of a task",
	UploadResources:  "Send a document of a task's resources to the similarity service",
	DeleteAttachment: "Delete a document of a task's resources at the similarity service",
	UploadSubmission: "Send a student's document to the similarity service and get its report",
	DeleteSubmission: "Delete a student's document at the similarity service",
}

// Action is something to be done at the service, and how far it is.
type Action struct {
	ID          int64       `db:"id" json:"id"`
	Type        Type        `db:"type" json:"type"`
	Description string      `json:"description"`
	Action      string      `json:"action"` // the same, as the interface has always had it
	UnitID      *int64      `db:"unit_id" json:"unit_id"`
	Complete    bool        `db:"complete" json:"complete"`
	Retry       bool        `db:"retry" json:"retry"` // it will be run without anybody's doing
	Retries     int         `db:"retries" json:"retries"`
	LastRun     *clock.Time `db:"last_run" json:"last_run"`
	NextRun     *clock.Time `db:"next_run" json:"next_run"`
	ErrorCode   *ErrorCode  `db:"error_code" json:"error_code"`
	ErrorText   *string     `db:"error_message" json:"error_message"`
	NextStep    string      `json:"next_step"` // what comes next, in words
	Log         []LogLine   `json:"log"`
	UpdatedAt   clock.Time  `db:"updated_at" json:"updated_at"`

	UserID       *int64     `db:"user_id" json:"-"`
	DefinitionID *int64     `db:"task_definition_id" json:"-"`
	AttachmentID *int64     `db:"attachment_id" json:"-"`
	SubmissionID *int64     `db:"tii_submission_id" json:"-"`
	Params       string     `db:"params" json:"-"`
	Nudged       bool       `db:"nudged" json:"-"`
	ProgressAt   clock.Time `db:"progress_at" json:"-"`
	Task         *string    `db:"task" json:"-"`
	File         *string    `db:"file" json:"-"`
	Person       *string    `db:"person" json:"-"`
}

// LogLine is something that happened to an action.
type LogLine struct {
	Date    clock.Time `db:"at" json:"date"`
	Message string     `db:"message" json:"message"`
}

const actionColumns = `a.id, a.type, a.unit_id, a.complete, a.retry, a.retries, a.last_run, a.next_run, a.error_code,
	a.error_message, a.updated_at, a.user_id, a.task_definition_id, a.attachment_id, a.tii_submission_id, a.params,
	a.nudged, a.progress_at, d.abbreviation AS task, coalesce(s.filename, g.filename) AS file,
	coalesce(p.username, o.username) AS person`

const actionsFrom = ` FROM tii_actions a LEFT JOIN tii_submissions s ON s.id = a.tii_submission_id
	LEFT JOIN tii_group_attachments g ON g.id = a.attachment_id
	LEFT JOIN submissions v ON v.id = s.submission_id LEFT JOIN tasks t ON t.id = v.task_id
	LEFT JOIN task_definitions d ON d.id = coalesce(a.task_definition_id, g.task_definition_id, t.task_definition_id)
	LEFT JOIN users p ON p.id = a.user_id LEFT JOIN users o ON o.id = s.owner_id`

// Filter picks actions.
type Filter struct {
	UnitID   int64 // 0: of all units, and of none
	Complete bool  // also those that are done
}

// List gives actions, the one that changed last first, and how many there are in all.
func List(ctx context.Context, q db.Q, f Filter, p db.Page) ([]Action, int64, error) {
	where, args := []string{"TRUE"}, []any{}
	if f.UnitID != 0 {
		args = append(args, f.UnitID)
		where = append(where, fmt.Sprintf("a.unit_id = $%d", len(args)))
	}
	if !f.Complete {
		where = append(where, "NOT a.complete")
	}
	condition := " WHERE " + strings.Join(where, " AND ")
	total, err := db.One[int64](ctx, q, `SELECT count(*) FROM tii_actions a`+condition, args...)
	if err != nil {
		return nil, 0, err
	}
	page := fmt.Sprintf(" ORDER BY a.updated_at DESC, a.id DESC LIMIT $%d OFFSET $%d", len(args)+1, len(args)+2)
	list, err := db.All[Action](ctx, q, `SELECT `+actionColumns+actionsFrom+condition+page,
		append(args, p.Limit(), p.Offset())...)
	if err != nil {
		return nil, 0, err
	}
	return list, *total, complete(ctx, q, list)
}

// ByID gives an action, or fault.Missing; of a unit where unitID is not 0.
func ByID(ctx context.Context, q db.Q, id, unitID int64) (*Action, error) {
	a, err := db.OneOf[Action](ctx, q, "action", `SELECT `+actionColumns+actionsFrom+` WHERE a.id = $1
		AND ($2 = 0 OR a.unit_id = $2)`, id, unitID)
	if err != nil {
		return nil, err
	}
	list := []Action{*a}
	return &list[0], complete(ctx, q, list)
}

// complete adds what stands elsewhere, by one statement, and the words.
func complete(ctx context.Context, q db.Q, list []Action) error {
	st, err := readState(ctx, q)
	if err != nil {
		return err
	}
	byID := map[int64]*Action{}
	ids := make([]int64, len(list))
	for i := range list {
		a := &list[i]
		a.Description = a.describe()
		a.Action, a.NextStep, a.Log = a.Description, a.next(st), []LogLine{}
		byID[a.ID], ids[i] = a, a.ID
	}
	type line struct {
		ActionID int64 `db:"action_id"`
		LogLine
	}
	in, args := db.In(nil, ids)
	for l, err := range db.Each[line](ctx, q, `SELECT action_id, at, message FROM tii_action_log WHERE action_id IN `+
		in+` ORDER BY id`, args...) {
		if err != nil {
			return err
		}
		byID[l.ActionID].Log = append(byID[l.ActionID].Log, l.LogLine)
	}
	return nil
}

// describe says what the action is for and what it is about.
func (a *Action) describe() string {
	text := descriptions[a.Type]
	var about []string
	for _, part := range []*string{a.Task, a.File, a.Person} {
		if part != nil {
			about = append(about, *part)
		}
	}
	if len(about) == 0 {
		return text
	}
	return text + ": " + strings.Join(about, ", ")
}

// next says what comes next.
func (a *Action) next(st *state) string {
	switch {
	case a.Complete:
		return "Nothing: it is done."
	case !a.Retry:
		return "It will not be tried again by itself: see to what is wrong, then retry it."
	case st.StoppedAt != nil:
		return "It waits: the similarity service refused Lectern's key. An administrator corrects the key, or " +
			"retries an action to lift the stop."
	case a.NextRun == nil:
		return "It runs as soon as its turn comes."
	}
	return "It is looked at again at " + a.NextRun.String() + ", or when the similarity service notifies Lectern."
}

// subject is what an action is about: one of the ids, or what is to be deleted.
type subject struct {
	unitID, userID, definitionID, attachmentID, submissionID int64
	params                                                   string
}

// key tells one subject from another.
func (s subject) key() string {
	switch {
	case s.submissionID != 0:
		return fmt.Sprintf("submission %d", s.submissionID)
	case s.attachmentID != 0:
		return fmt.Sprintf("attachment %d", s.attachmentID)
	case s.definitionID != 0:
		return fmt.Sprintf("definition %d", s.definitionID)
	case s.userID != 0:
		return fmt.Sprintf("user %d", s.userID)
	}
	return s.params
}

func orNull(id int64) any {
	if id == 0 {
		return nil
	}
	return id
}

// want has an action done: it is made, or the one there is begun anew, and gets its
// job.
func want(ctx context.Context, q db.Q, t Type, s subject) error {
	id, err := db.One[int64](ctx, q, `INSERT INTO tii_actions (type, subject, unit_id, user_id, task_definition_id,
			attachment_id, tii_submission_id, params, progress_at, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $9)
		ON CONFLICT (type, subject) DO UPDATE SET complete = FALSE, retry = TRUE, retries = 0, nudged = TRUE,
			error_code = NULL, error_message = NULL, next_run = NULL, progress_at = excluded.progress_at,
			updated_at = excluded.updated_at
		RETURNING id`, t, s.key(), orNull(s.unitID), orNull(s.userID), orNull(s.definitionID), orNull(s.attachmentID),
		orNull(s.submissionID), s.params, q.Now())
	if err != nil {
		return fmt.Errorf("add the action %s: %w", t, err)
	}
	return enqueue(ctx, q, *id)
}

// tell adds a line to an action's log.
func tell(ctx context.Context, q db.Q, id int64, message string) error {
	_, err := db.Exec(ctx, q, `INSERT INTO tii_action_log (action_id, at, message) VALUES ($1, $2, $3)`, id, q.Now(),
		message)
	return err
}

// Again has an action that was given up tried again; of a unit where unitID is not 0. With
// lifting, calls are made again even though the service refused our key. It is fault.Conflict
// while the action waits, and when it is done. It is for holders of policy.SteerOutside in the
// unit; only an Admin lifts a stop.
func (s *Service) Again(ctx context.Context, q db.Q, id, unitID int64, lifting bool) (*Action, error) {
	if err := db.Lock(ctx, q, "tii_actions", id); err != nil {
		return nil, err
	}
	a, err := ByID(ctx, q, id, unitID)
	switch {
	case err != nil:
		return nil, err
	case a.Complete:
		return nil, fault.New(fault.Conflict, "This action is complete, so there is nothing to retry.")
	case a.Retry:
		return nil, fault.New(fault.Conflict, "This action is still being tried. %s", a.NextStep)
	case !s.Enabled():
		return nil, fault.New(fault.Unavailable, "No similarity service is set up.")
	}
	if lifting {
		if err := lift(ctx, q); err != nil {
			return nil, err
		}
	}
	if _, err := db.Exec(ctx, q, `UPDATE tii_actions SET retry = TRUE, retries = 0, error_code = NULL,
		error_message = NULL, next_run = NULL, progress_at = $2, updated_at = $2 WHERE id = $1`, id, q.Now()); err != nil {
		return nil, err
	}
	if err := tell(ctx, q, id, "Somebody asked for another try."); err != nil {
		return nil, err
	}
	if err := enqueue(ctx, q, id); err != nil {
		return nil, err
	}
	entry := audit.Entry{Kind: audit.Job, Action: "tii_retried", RecordID: id}
	if a.UnitID != nil {
		entry.UnitID = *a.UnitID
	}
	if err := audit.Add(ctx, q, entry); err != nil {
		return nil, err
	}
	return ByID(ctx, q, id, unitID)
}
