// Package verdict knows what staff say of a task in one piece, with its marks and a comment: giving
// it on one task or on many at once, undoing it, and the marking session it belongs to.
package verdict

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/grade"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/rubric"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/work"
)

// Verdict is what staff say of a task in one piece: where it goes, its marks, and a
// comment with it.
type Verdict struct {
	Trigger *string      // a status, in any of its words
	Grade   *grade.Grade // as in Change
	Quality *int         // as in Change
	Comment string       // none when empty
	Version *int64       // of the task that was looked at; 0 for one that nothing is written of
	Key     string       // makes a repeated request the same verdict; none when empty
	// Pointed are comments with a place in the work that come with it, in their order; on one task only.
	Pointed []work.NewComment
	// Rubric are the levels of the task's rubric that come with it, in the place of those it was given before; nil:
	// those stay. What they add up to is the quality of the task where Quality says no other.
	Rubric *rubric.Pick

	picked *rubric.Picked // Rubric, looked up
	unfit  error          // why it cannot be picked
}

// Given is a verdict that stands.
type Given struct {
	ID        int64           `json:"id" doc:"the number of the verdict, to undo it by"`
	At        clock.Time      `json:"date" doc:"when it was given"`
	From      status.Status   `json:"from_status" doc:"the status before it"`
	Version   int64           `json:"version" doc:"of the task, after it"`
	CommentID *int64          `json:"comment_id" doc:"the number of the comment that came with it; null: none did"`
	Pointed   []int64         `json:"pointed_ids" doc:"the numbers of the comments with a place that came with it, as they were sent"`
	Task      *work.MovedTask `json:"task" doc:"the task after it"`
	Rubric    *rubric.Mark    `json:"rubric" doc:"the levels it gave the task; null where it gave none, and those before stay"`

	Repeated bool `json:"-"` // its key was sent before: nothing was changed
}

// mostKey is how long a key may be.
const mostKey = 255

// check trims what was said and refuses what needs no task to be refused.
func (v *Verdict) check() (err error) {
	if v.Trigger != nil && strings.TrimSpace(*v.Trigger) == "" {
		v.Trigger = nil
	}
	if v.Comment, err = work.TrimComment(v.Comment); err != nil {
		return err
	}
	if err := v.checkPointed(); err != nil {
		return err
	}
	switch {
	case !v.change().Marks():
		return fault.Field(fault.Invalid, "trigger", "is required unless there is a grade, or there are quality "+
			"points or levels of a rubric: to write without setting a status, comment on the task")
	case len(v.Key) > mostKey:
		return fault.Field(fault.Invalid, "key", "has %d characters: the limit is %d", len(v.Key), mostKey)
	}
	return nil
}

// change is what the verdict asks of the task.
func (v Verdict) change() work.Change {
	c := work.Change{Trigger: v.Trigger, Grade: v.Grade, Quality: v.Quality, Levels: v.Rubric != nil}
	if c.Quality == nil && v.picked != nil {
		c.Quality = v.picked.Sum
	}
	return c
}

// hash stands for what a verdict says of what. The version is no part of it: whoever
// sends a verdict again may have seen meanwhile what it did.
func (v Verdict) hash(about ...any) (string, error) {
	for _, c := range v.Pointed { // the place stands in front of the words
		about = append(about, c.Place.SubmissionID, c.Place.Position, c.Place.X, c.Place.Y, c.Text)
	}
	if v.Rubric != nil {
		about = append(about, v.Rubric)
	}
	text, err := json.Marshal([]any{v.Trigger, v.Grade, v.Quality, v.Comment, about})
	if err != nil {
		return "", fmt.Errorf("hash a verdict: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// decision is a verdict on one task that may be given.
type decision struct {
	*work.Decision
	around  []*work.HeldTask
	changes []work.TaskChange
	hash    string
	id      int64
	comment *int64
	pointed []int64
	version int64                   // after it
	reached map[int64]int64         // the versions of all tasks it reached, after it
	were    map[int64]status.Status // of the tasks around, before it
	picked  *rubric.Picked          // the levels it gives the tasks it reaches; nil: none
}

// Give moves, marks and comments on the task of a project for a definition, and in a group
// those of the others as Move does, all or nothing. It fails as Move and Say do, and with
// fault.Conflict, which carries the TaskNow, when the task is no longer of the version that was
// looked at; group members are not asked for theirs, as in a group the last word counts for
// all. The same key again gives the first answer and changes nothing; with another verdict it
// is fault.Conflict. It is for holders of policy.ChangeTask and policy.GradeTask, and of
// policy.Comment where there is a comment; what the giver has a part in is fault.Denied.
func Give(ctx context.Context, q db.Q, by work.Mover, at work.TaskRef, v Verdict) (*Given, error) {
	if err := v.check(); err != nil {
		return nil, err
	}
	if v.Version == nil {
		return nil, fault.Field(fault.Invalid, "version", "is required: it tells which version of the task you "+
			"marked")
	}
	own, around, err := lockTalk(ctx, q, at)
	if err != nil {
		return nil, err
	}
	hash, err := v.hash(own.ID)
	if err != nil {
		return nil, err
	}
	if first, err := v.repeated(ctx, q, by, hash); first != nil || err != nil {
		return first, err
	}
	echo, err := v.echoes(ctx, q, by, own.ID)
	if err != nil {
		return nil, err
	}
	if err := v.pick(ctx, q, own.DefinitionID); err != nil {
		return nil, err
	}
	r, err := v.checkOn(ctx, q, by, own, *v.Version, echo[own.ID])
	if err != nil {
		return nil, err
	}
	r.around, r.hash = around, hash
	if err := v.write(ctx, q, by, []*decision{r}, nil); err != nil {
		return nil, err
	}
	return v.answer(ctx, q, r)
}

// lockTalk holds a task that is to be marked, and all whose conversation is the same:
// those of its group, or of who handed in with a student who has left theirs.
func lockTalk(ctx context.Context, q db.Q, at work.TaskRef) (own *work.HeldTask, around []*work.HeldTask, err error) {
	own, around, err = work.LockTask(ctx, q, at.ProjectID, at.DefinitionID, true)
	if err == nil && own.GroupID == nil && own.SubmissionID != nil {
		around, err = work.LockTasks(ctx, q, `t.group_submission_id = $1 AND t.id <> $2`, *own.SubmissionID, own.ID)
	}
	return own, around, err
}

// repeated gives what the verdict with this key was answered, if there is one. It is
// asked while the task is held, so a repeat that comes at the same time waits.
func (v Verdict) repeated(ctx context.Context, q db.Q, by work.Mover, hash string) (*Given, error) {
	if v.Key == "" {
		return nil, nil //nolint:nilnil // there is none
	}
	text, err := firstAnswer(ctx, q, "verdicts", by.UserID, v.Key, hash)
	if err != nil || text == "" {
		return nil, err
	}
	out := Given{Repeated: true, Pointed: []int64{}}
	return &out, json.Unmarshal([]byte(text), &out)
}

// firstAnswer gives what a request with a key was answered before; "" where there was
// none. It is fault.Conflict when that one asked for something else.
func firstAnswer(ctx context.Context, q db.Q, table string, userID int64, key, hash string) (string, error) {
	type row struct {
		Hash   string `db:"request_hash"`
		Answer string `db:"answer"`
	}
	first, err := db.All[row](ctx, q, `SELECT request_hash, answer FROM `+table+` WHERE user_id = $1 AND key = $2`,
		userID, key)
	if err != nil || len(first) == 0 {
		return "", err
	}
	if first[0].Hash != hash {
		return "", errKeyUsed()
	}
	return first[0].Answer, nil
}

func errKeyUsed() error {
	return fault.New(fault.Conflict, "This key was used to mark another task or with other values. Send the new "+
		"request with a new key.")
}

// checkOn tells whether the verdict may be given on a held task, and what comes of it. It
// writes nothing.
func (v Verdict) checkOn(ctx context.Context, q db.Q, by work.Mover, own *work.HeldTask, version int64,
	echo bool) (*decision, error) {
	if version != own.Version && (version != 0 || own.Version != 1) { // 1 is a row that nobody has changed yet
		return nil, conflict(ctx, q, own.ID)
	}
	if echo {
		return nil, work.ErrRepeated()
	}
	if err := v.fits(own); err != nil {
		return nil, err
	}
	d, err := v.change().Decide(ctx, q, by, own)
	if err != nil {
		return nil, err
	}
	return &decision{Decision: d, picked: v.picked}, nil
}

// TaskNow is what a task is after somebody acted on it meanwhile, and their part in it.
type TaskNow struct {
	Status    status.Status `db:"status" json:"status"`
	Grade     *grade.Grade  `db:"grade" json:"grade"`
	Quality   *int          `db:"quality_pts" json:"quality_pts"`
	Version   int64         `db:"version" json:"version"`
	UpdatedAt clock.Time    `db:"updated_at" json:"updated_at"`
	At        *clock.Time   `db:"at" json:"date"` // of the last move or mark; null while there was none
	UserID    *int64        `db:"user_id" json:"user_id"`
	FirstName *string       `db:"first_name" json:"first_name"`
	LastName  *string       `db:"last_name" json:"last_name"`
	Comment   *string       `db:"comment" json:"comment"` // what they said with it
}

// taskNow reads what a task is, with the last words whoever moved it last said
// since the move before.
const taskNow = `SELECT t.status, t.grade, CASE WHEN t.quality_pts >= 0 THEN t.quality_pts END AS quality_pts,
		t.version, t.updated_at, h.at, h.actor_id AS user_id, u.first_name, u.last_name,
		(SELECT c.comment FROM task_comments c WHERE c.task_id = t.id AND c.user_id = h.actor_id AND c.type = 'text'
			AND NOT EXISTS (SELECT 1 FROM task_history e WHERE e.task_id = t.id AND e.at < h.at AND e.at >= c.created_at)
			ORDER BY c.created_at DESC, c.id DESC LIMIT 1) AS comment
	FROM tasks t LEFT JOIN task_history h ON h.id = (SELECT x.id FROM task_history x WHERE x.task_id = t.id
		ORDER BY x.at DESC, x.id DESC LIMIT 1) LEFT JOIN users u ON u.id = h.actor_id WHERE t.id = $1`

// conflict is the refusal of a verdict on a task that has changed since it was looked
// at, with what stands now.
func conflict(ctx context.Context, q db.Q, taskID int64) error {
	now, err := db.OneOf[TaskNow](ctx, q, "task", taskNow, taskID)
	if err != nil {
		return err
	}
	return &fault.Error{Kind: fault.Conflict, Code: "overtaken", Text: "This task " + now.since() + ". Your changes " +
		"are not saved: compare both, and save yours again if you still want to.", Stands: now}
}

// answer tells what became of the task, and keeps it for a repeat.
func (v Verdict) answer(ctx context.Context, q db.Q, r *decision) (*Given, error) {
	m, err := work.ShowMoved(ctx, q, r.Own, r.changes[1:])
	if err != nil {
		return nil, err
	}
	out := &Given{ID: r.id, At: q.Now(), From: r.Before.Status, Version: r.version, CommentID: r.comment,
		Pointed: append([]int64{}, r.pointed...), Task: m}
	if out.Rubric, err = r.given(ctx, q); err != nil {
		return nil, err
	}
	if v.Key == "" {
		return out, nil
	}
	text, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	_, err = db.Exec(ctx, q, `UPDATE verdicts SET answer = $2 WHERE id = $1`, r.id, string(text))
	return out, err
}
