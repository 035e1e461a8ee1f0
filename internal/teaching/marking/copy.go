package marking

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/opt"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/blob"
	"lectern/internal/platform/db"
	"lectern/internal/platform/events"
	"lectern/internal/platform/files"
	"lectern/internal/platform/sheet"
	"lectern/internal/platform/zipfile"
	"lectern/internal/teaching/taskdef"
)

// Copy is a document as the staff annotated it.
type Copy struct {
	Hash         string     `db:"hash"`
	At           clock.Time `db:"at"`
	Abbreviation string     `db:"abbreviation"`
}

// CopyOf gives the marked copy of the latest work of a task that has one, or
// fault.Missing.
func CopyOf(ctx context.Context, q db.Q, projectID, definitionID int64) (*Copy, error) {
	return db.OneOf[Copy](ctx, q, "marked copy: nobody has annotated this work yet",
		`SELECT k.hash, k.at, d.abbreviation FROM tasks t
		JOIN task_definitions d ON d.id = t.task_definition_id
		JOIN submission_tasks st ON st.task_id = t.id JOIN marked_copies k ON k.submission_id = st.submission_id
		WHERE t.project_id = $1 AND t.task_definition_id = $2 ORDER BY st.at DESC LIMIT 1`, projectID, definitionID)
}

// CopyOfVersion gives the marked copy of one submission, or nil where nobody annotated it. It is
// for holders of policy.ReadSubmission on a project the submission belongs to.
func CopyOfVersion(ctx context.Context, q db.Q, submissionID int64) (*Copy, error) {
	all, err := db.All[Copy](ctx, q, `SELECT k.hash, k.at FROM marked_copies k WHERE k.submission_id = $1`, submissionID)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return &all[0], nil
}

// takeDocument makes a document that comes back annotated the marked copy of
// its submission, and reports it. An error is trouble of our own.
func (t *taking) takeDocument(ctx context.Context, f *zip.File) error {
	line := sheet.Line{Row: f.Name}
	id := taskOf(f)
	if id == 0 {
		line.Message = "Only documents named as in the batch, TASK-NUMBER.pdf, are taken."
		t.report.Ignored = append(t.report.Ignored, line)
		return nil
	}
	err := t.annotate(ctx, f, id)
	why, ours := errors.AsType[*fault.Error](err)
	switch {
	case errors.Is(err, errSame):
		line.Message = "The document is not changed."
		t.report.Ignored = append(t.report.Ignored, line)
	case err == nil:
		line.Message = "Became the marked copy."
		t.report.Success = append(t.report.Success, line)
	case ours && why.Kind != fault.Internal:
		line.Message = why.Text
		t.report.Errors = append(t.report.Errors, line)
	default:
		return fmt.Errorf("take %.100s: %w", f.Name, err)
	}
	return nil
}

// errSame says that a document came back as it went out, or as it came before.
var errSame = errors.New("not changed")

func (t *taking) annotate(ctx context.Context, f *zip.File, taskID int64) error {
	at := t.byTask[taskID]
	if at == nil {
		return fault.New(fault.Refused, "No row of the sheet is about the task %d.", taskID)
	}
	if at.SubmissionID == nil {
		return fault.New(fault.Conflict, "There is no PDF for this task.")
	}
	if seen := t.known.byTask[taskID].SubmissionID; seen != nil && *seen != *at.SubmissionID {
		return fault.New(fault.Conflict, "The student submitted again after the batch was made. Read the new "+
			"submission first.")
	}
	if err := fit(f); err != nil {
		return err
	}
	info, err := t.storeCopy(ctx, f, at)
	if err != nil {
		return err
	}
	return t.tx(ctx, func(q db.Q) error { return t.keepCopy(ctx, q, at, info) })
}

// storeCopy unpacks a document into the spool, looks at it and stores it, cleaned
// of all that could act in the student's hands; annotations stay.
func (t *taking) storeCopy(ctx context.Context, f *zip.File, at *target) (files.Info, error) {
	tmp, err := os.CreateTemp(t.Spool, "marked-*")
	if err != nil {
		return files.Info{}, err
	}
	defer os.Remove(tmp.Name())
	defer tmp.Close()
	sum := sha256.New()
	size, err := zipfile.Copy(ctx, io.MultiWriter(tmp, sum), f, maxDocument)
	if err != nil {
		return files.Info{}, err
	}
	if hash := hex.EncodeToString(sum.Sum(nil)); hash == opt.Or(at.Document, "") || hash == opt.Or(at.Marked, "") {
		return files.Info{}, errSame
	}
	if err := taskdef.Document.Check(tmp, size); err != nil {
		return files.Info{}, err
	}
	if _, err := tmp.Seek(0, io.SeekStart); err != nil {
		return files.Info{}, err
	}
	info, err := blob.PutPDF(ctx, t.Files, tmp)
	if err == nil && string(info.Hash) == opt.Or(at.Marked, "") {
		err = errSame
	}
	return info, err
}

func (t *taking) keepCopy(ctx context.Context, q db.Q, at *target, info files.Info) error {
	if err := blob.Keep(ctx, q, t.Files, info); err != nil {
		return err
	}
	_, err := db.Exec(ctx, q, `INSERT INTO marked_copies (submission_id, hash, size, user_id, at)
		VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (submission_id) DO UPDATE SET hash = excluded.hash, size = excluded.size, user_id =
		excluded.user_id, at = excluded.at`,
		*at.SubmissionID, string(info.Hash), info.Size, t.by, q.Now())
	if err != nil {
		return err
	}
	if err := audit.Add(ctx, q, audit.Entry{Kind: audit.Grade, Action: "marked_copy", UnitID: t.unitID,
		ProjectID: at.ProjectID, TaskID: at.TaskID, RecordID: *at.SubmissionID}); err != nil {
		return err
	}
	return t.tell(ctx, q, *at.SubmissionID)
}

// copyEvent is what the event of a marked copy says beside its ids.
type copyEvent struct {
	DefinitionID int64 `json:"task_definition_id"`
	SubmissionID int64 `json:"submission_id"`
}

// tell writes an event for each student whose work was annotated.
func (t *taking) tell(ctx context.Context, q db.Q, submissionID int64) error {
	type row struct {
		TaskID       int64 `db:"id"`
		DefinitionID int64 `db:"task_definition_id"`
		ProjectID    int64 `db:"project_id"`
		OwnerID      int64 `db:"user_id"`
	}
	var list []events.Event
	for r, err := range db.Each[row](ctx, q, `SELECT t.id, t.task_definition_id, t.project_id, p.user_id
		FROM submission_tasks st
		JOIN tasks t ON t.id = st.task_id JOIN projects p ON p.id = t.project_id WHERE st.submission_id = $1
		ORDER BY t.id`, submissionID) {
		if err != nil {
			return err
		}
		list = append(list, events.Event{Kind: events.MarkedCopy, ActorID: t.by, UserID: r.OwnerID, UnitID: t.unitID,
			ProjectID: r.ProjectID,
			TaskID:    r.TaskID, Body: copyEvent{r.DefinitionID, submissionID}})
	}
	return events.Add(ctx, q, list...)
}
