package submit

import (
	"context"
	"fmt"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/blob"
	"lectern/internal/platform/db"
	"lectern/internal/platform/events"
	"lectern/internal/platform/files"
	"lectern/internal/platform/jobs"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/teaching/work"
)

// Request is work to be handed in. Its files are in the store already.
type Request struct {
	By            work.Mover
	ProjectID     int64
	DefinitionID  int64
	Trigger       string                   // what the student wants, read by status.OnUpload
	Contributions []work.Contribution      // of a group; equal when nil
	Alignments    *[]taskdef.TaskAlignment // replace the student's alignments; nil leaves them
	Files         []File
	Key           string // makes a repeated request the same submission; may be empty
	Accepts       *bool  // the agreement under which work is sent to others to be checked; nil: not said
}

// Result is the answer to whoever handed in.
type Result struct {
	TaskID         int64         `json:"task_id"`
	TaskStatus     status.Status `json:"task_status"`
	WeeksCanExtend int           `json:"weeks_can_extend"`
	CanApply       bool          `json:"can_apply_for_extension"`
	BeforeDue      bool          `json:"submitted_before_due"`
	SubmissionID   int64         `json:"submission_id"`
	SubmittedAt    clock.Time    `json:"submitted_at"`
	Receipt        *Receipt      `json:"receipt"`
	work.MovedTask
}

// Service hands work in: it records submissions with all that follows from one.
type Service struct {
	Files   files.Store
	Service string // its name, on receipts
	// Received, if not nil, is called in the transaction of a submission, for what
	// else follows from it.
	Received func(ctx context.Context, q db.Q, r Received) error
}

// Received is work that was just handed in.
type Received struct {
	SubmissionID, UnitID int64
	UserID               int64 // who sent it
	Files                []File
}

// HandIn records a submission with all that follows from it: the version with its files, the
// move of the task and of those of a group, alignments, the job that makes the document, the
// event and the receipt. The caller acknowledges it when the transaction is committed, not
// before. It is for holders of policy.Submit on the project. It refuses what work.HandIn
// refuses, and with fault.Conflict a key that was used for other work; the same again with the
// same key gives the first answer.
func (d *Service) HandIn(ctx context.Context, q db.Q, s *Signer, h Request) (*Result, error) {
	if before, err := h.claimKey(ctx, q); err != nil || before != nil {
		return before, err
	}
	infos := make([]files.Info, len(h.Files))
	for i, f := range h.Files {
		infos[i] = files.Info{Hash: f.Hash, Size: f.Size}
	}
	if err := blob.Keep(ctx, q, d.Files, infos...); err != nil {
		return nil, err
	}
	handed, err := work.HandIn(ctx, q, h.By, h.ProjectID, h.DefinitionID, work.Upload{Trigger: h.Trigger,
		Contributions: h.Contributions})
	if err != nil {
		return nil, err
	}
	if h.Alignments != nil {
		if err := taskdef.SetTaskAlignments(ctx, q, handed.UnitID, h.DefinitionID, handed.TaskID,
			*h.Alignments); err != nil {
			return nil, err
		}
	}
	now, err := h.taskBefore(ctx, q, handed)
	if err != nil {
		return nil, err
	}
	at := now.moment(q.Now())
	id, err := h.write(ctx, q, handed, at, now.Last == nil)
	if err != nil {
		return nil, err
	}
	if d.Received != nil {
		if err := d.Received(ctx, q, Received{id, handed.UnitID, h.By.UserID, h.Files}); err != nil {
			return nil, err
		}
	}
	if err := h.tell(ctx, q, id, handed); err != nil {
		return nil, err
	}
	body := h.receipt(id, at, handed, now)
	body.Service = d.Service
	receipt, err := issue(ctx, q, s, body, now.end)
	if err != nil {
		return nil, err
	}
	out := &Result{TaskID: handed.TaskID, TaskStatus: handed.Status, WeeksCanExtend: handed.Dates.WeeksCanExtend(),
		CanApply: handed.Dates.CanApply(), BeforeDue: handed.Dates.OnTime(at.Time), SubmissionID: id, SubmittedAt: at,
		Receipt: receipt, MovedTask: *handed.MovedTask}
	return out, h.keepAnswer(ctx, q, out)
}

// taskBefore is what stands before a submission: when the last one of its tasks was made,
// the names that its receipt needs, and the end of the unit's chain of receipts, which
// may move until it is held.
type taskBefore struct {
	Last    *clock.Time `db:"last_at"`
	Code    string      `db:"code"`
	Abbr    string      `db:"abbreviation"`
	Name    string      `db:"name"`
	Student string      `db:"student"`
	Sender  string      `db:"sender"`
	end
}

func (h *Request) taskBefore(ctx context.Context, q db.Q, handed *work.HandedIn) (*taskBefore, error) {
	ids := make([]int64, len(handed.Tasks))
	for i, t := range handed.Tasks {
		ids[i] = t.TaskID
	}
	in, args := db.In([]any{h.DefinitionID, handed.OwnerID, h.By.UserID}, ids)
	return db.One[taskBefore](ctx, q, `SELECT u.code, d.abbreviation, d.name, s.username AS student, b.username AS sender,
			(SELECT l.at FROM submission_tasks l WHERE l.task_id IN `+in+` ORDER BY l.at DESC LIMIT 1) AS last_at,
			coalesce(c.sequence, 0) AS sequence, coalesce(c.hash, '') AS hash, c.restored_from, c.restored_at
		FROM task_definitions d JOIN units u ON u.id = d.unit_id JOIN users s ON s.id = $2 JOIN users b ON b.id = $3
		LEFT JOIN receipt_chains c ON c.unit_id = u.id WHERE d.id = $1`, args...)
}

// moment is when the submission counts as handed in: now, or where one of the
// tasks already has a version of this very millisecond, the next free one.
func (s *taskBefore) moment(now clock.Time) clock.Time {
	if s.Last == nil || s.Last.Before(now.Time) {
		return now
	}
	return clock.At(s.Last.Add(time.Millisecond))
}

// write makes the version: its row, its files, its tasks, and the job. First says that
// none of the tasks has a version yet.
func (h *Request) write(ctx context.Context, q db.Q, handed *work.HandedIn, at clock.Time, first bool) (int64, error) {
	id, err := db.One[int64](ctx, q, `INSERT INTO submissions (unit_id, task_id, user_id, at, parts)
		VALUES ($1, $2, $3, $4, $5) RETURNING id`,
		handed.UnitID, handed.TaskID, h.By.UserID, at, len(h.Files))
	if err != nil {
		return 0, fmt.Errorf("write the submission: %w", err)
	}
	rows := make([][]any, len(h.Files))
	for i, f := range h.Files {
		rows[i] = []any{*id, f.Position, f.Key, f.Title, f.Kind, f.Name, string(f.Hash), f.Size, f.Zipped}
	}
	if err := db.Insert(ctx, q, `submission_files (submission_id, position, key, title, kind, name, hash, size,
		zipped)`, "",
		rows); err != nil {
		return 0, fmt.Errorf("write the files of the submission: %w", err)
	}
	rows = nil
	for _, t := range handed.Tasks {
		rows = append(rows, []any{t.TaskID, at, *id, t.Pct, t.Pts})
	}
	if err := db.Insert(ctx, q, `submission_tasks (task_id, at, submission_id, pct, pts)`, "", rows); err != nil {
		return 0, fmt.Errorf("write the tasks of the submission: %w", err)
	}
	if !first {
		if err := supersede(ctx, q, *id); err != nil {
			return 0, err
		}
	}
	return *id, enqueue(ctx, q, *id, jobs.For{Unit: handed.UnitID, Person: handed.OwnerID})
}

// submissionEvent is what the event of a submission says beside its ids.
type submissionEvent struct {
	SubmissionID int64         `json:"submission_id"`
	DefinitionID int64         `json:"task_definition_id"`
	Status       status.Status `json:"status"`
}

// tell writes the events of the moves, and one of the submission for each student; the
// staff hear of it once.
func (h *Request) tell(ctx context.Context, q db.Q, id int64, handed *work.HandedIn) error {
	list := handed.Events
	for i, t := range handed.Tasks {
		e := events.Event{Kind: events.Submission, ActorID: h.By.UserID, UserID: t.OwnerID, ProjectID: t.ProjectID,
			TaskID: t.TaskID,
			Body:   submissionEvent{id, h.DefinitionID, handed.Status}}
		if i == 0 {
			e.UnitID = handed.UnitID
		}
		list = append(list, e)
	}
	return events.Add(ctx, q, list...)
}

// receipt puts together what the receipt will say.
func (h *Request) receipt(id int64, at clock.Time, handed *work.HandedIn, n *taskBefore) ReceiptBody {
	b := ReceiptBody{Unit: ReceiptUnit{handed.UnitID, n.Code}, Task: ReceiptTask{handed.TaskID, h.DefinitionID, n.Abbr,
		n.Name},
		ProjectID: h.ProjectID, Student: n.Student, SubmittedBy: n.Sender, SubmissionID: id, SubmittedAt: at,
		Group: []int64{}, Files: []ReceiptFile{}}
	if len(handed.Tasks) > 1 {
		for _, t := range handed.Tasks {
			b.Group = append(b.Group, t.ProjectID)
		}
	}
	for _, f := range h.Files {
		b.Files = append(b.Files, ReceiptFile{f.Key, f.Name, string(f.Hash), f.Size})
	}
	return b
}
