package turnitin

import (
	"context"
	"fmt"
	"os"
	"path"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/platform/tca"
	"lectern/internal/platform/zipfile"
)

// Attachment is a document of a task's resources, which the service does not hold
// against those who use it.
type Attachment struct {
	ID       int64            `db:"id" json:"id"`
	RemoteID *string          `db:"remote_id" json:"group_attachment_id"`
	Name     string           `json:"name"`
	Filename string           `db:"filename" json:"filename"`
	Status   AttachmentStatus `db:"status" json:"status"`

	DefinitionID *int64 `db:"task_definition_id" json:"-"`
	GroupID      string `db:"group_id" json:"-"`
	Digest       string `db:"digest" json:"-"`
	Removed      bool   `db:"removed" json:"-"`
}

// AttachmentStatus is how far an attachment is. The words are part of the wire.
type AttachmentStatus string

// The states.
const (
	AttachmentPending  AttachmentStatus = "pending"
	AttachmentHasID    AttachmentStatus = "has_id"
	AttachmentUploaded AttachmentStatus = "uploaded"
	AttachmentComplete AttachmentStatus = "complete"
)

const selectAttachments = `SELECT id, remote_id, filename, status, task_definition_id, group_id, digest, removed
	FROM tii_group_attachments`

// Attachments lists those of a task by name; none where the service is not configured.
func (s *Service) Attachments(ctx context.Context, q db.Q, definitionID int64) ([]Attachment, error) {
	if !s.Enabled() {
		return []Attachment{}, nil
	}
	list, err := db.All[Attachment](ctx, q, selectAttachments+` WHERE task_definition_id = $1 AND NOT removed
		ORDER BY filename, id`, definitionID)
	for i := range list {
		list[i].Name = list[i].Filename
	}
	return list, err
}

// AttachmentByID gives an attachment of a task, or fault.Missing.
func AttachmentByID(ctx context.Context, q db.Q, definitionID, id int64) (*Attachment, error) {
	a, err := db.OneOf[Attachment](ctx, q, "group attachment", selectAttachments+` WHERE id = $1
		AND task_definition_id = $2 AND NOT removed`, id, definitionID)
	if err == nil {
		a.Name = a.Filename
	}
	return a, err
}

// SendAttachment has an attachment sent, or sent again. It is for holders of
// policy.EditDefinitions. One of another task is fault.Missing; without a service it is
// fault.Unavailable.
func (s *Service) SendAttachment(ctx context.Context, q db.Q, unitID, definitionID, id int64) (*Attachment, error) {
	a, err := AttachmentByID(ctx, q, definitionID, id)
	if err != nil {
		return nil, err
	}
	if !s.Enabled() {
		return nil, fault.New(fault.Unavailable, "No similarity service is set up.")
	}
	if a.RemoteID != nil {
		a.Status = AttachmentHasID
	}
	if _, err := db.Exec(ctx, q, `UPDATE tii_group_attachments SET status = $2 WHERE id = $1`, id,
		a.Status); err != nil {
		return nil, err
	}
	if err := audit.Add(ctx, q, audit.Entry{Kind: audit.Definition, Action: "attachment_sent", UnitID: unitID,
		RecordID: definitionID}); err != nil {
		return nil, err
	}
	return a, want(ctx, q, UploadResources, subject{unitID: unitID, attachmentID: id})
}

// RemoveAttachment takes an attachment away, here and at the service. It comes back when its
// content in the resources changes. It is for holders of policy.EditDefinitions. One of another
// task is fault.Missing.
func RemoveAttachment(ctx context.Context, q db.Q, unitID, definitionID, id int64) error {
	a, err := AttachmentByID(ctx, q, definitionID, id)
	if err != nil {
		return err
	}
	if err := a.forget(ctx, q); err != nil {
		return err
	}
	if _, err := db.Exec(ctx, q, `DELETE FROM tii_actions WHERE attachment_id = $1`, id); err != nil {
		return err
	}
	if _, err := db.Exec(ctx, q, `UPDATE tii_group_attachments SET removed = TRUE, remote_id = NULL,
		status = 'pending' WHERE id = $1`, id); err != nil {
		return err
	}
	return audit.Add(ctx, q, audit.Entry{Kind: audit.Definition, Action: "attachment_removed", UnitID: unitID,
		RecordID: definitionID})
}

// forget has an attachment deleted at the service, if it is there.
func (a *Attachment) forget(ctx context.Context, q db.Q) error {
	if a.RemoteID == nil {
		return nil
	}
	return want(ctx, q, DeleteAttachment, subject{params: a.GroupID + " " + *a.RemoteID})
}

// deleteAttachment is the step of DeleteAttachment.
func (s *Service) deleteAttachment(ctx context.Context, a *Action) error {
	group, id, _ := strings.Cut(a.Params, " ")
	err := s.call(ctx, func(ctx context.Context) error { return s.Client.DeleteAttachment(ctx, group, id) })
	if tca.StatusOf(err) == tca.NotFound {
		return nil // it is not there, which is what was wanted
	}
	return err
}

// uploadAttachment is the step of UploadResources: it takes an attachment from state to
// state until the service has it.
func (s *Service) uploadAttachment(ctx context.Context, a *Action) error {
	for {
		at, err := db.One[Attachment](ctx, s.DB.Pool(), selectAttachments+` WHERE id = $1`, *a.AttachmentID)
		if fault.Is(err, fault.Missing) || err == nil && (at.DefinitionID == nil || at.Removed) {
			return errLost
		}
		if err != nil || at.Status == AttachmentComplete {
			return err
		}
		if err := s.attachmentOn(ctx, a, at); err != nil {
			return err
		}
	}
}

// attachmentOn takes an attachment one state further.
func (s *Service) attachmentOn(ctx context.Context, a *Action, at *Attachment) error {
	switch at.Status {
	case AttachmentPending:
		return s.announceAttachment(ctx, a, at)
	case AttachmentHasID:
		return s.sendAttachment(ctx, a, at)
	case AttachmentUploaded, AttachmentComplete:
	}
	var seen *tca.Attachment
	err := s.call(ctx, func(ctx context.Context) (err error) {
		seen, err = s.Client.Attachment(ctx, at.GroupID, *at.RemoteID)
		return err
	})
	if err != nil {
		return s.attachmentGone(ctx, a, at, err)
	}
	switch seen.Status {
	case "COMPLETE":
		return s.attachmentTo(ctx, a, at, AttachmentComplete, "The similarity service has read the file.")
	case "PROCESSING":
		return errBusy
	case "CREATED":
		return s.attachmentTo(ctx, a, at, AttachmentHasID, "The file did not arrive; it is sent again.")
	}
	return &failure{Other, fmt.Sprintf("The similarity service could not use the file: %s.",
		strings.ToLower(cut(seen.Status+" "+seen.ErrorCode))), false}
}

func (s *Service) attachmentTo(ctx context.Context, a *Action, at *Attachment, next AttachmentStatus,
	message string) error {
	return s.advance(ctx, a, message, func(q db.Q) error {
		_, err := db.Exec(ctx, q, `UPDATE tii_group_attachments SET status = $2 WHERE id = $1 AND NOT removed`, at.ID,
			next)
		return err
	})
}

// attachmentGone has an attachment that the service does not know made anew by a retry.
func (s *Service) attachmentGone(ctx context.Context, a *Action, at *Attachment, err error) error {
	if tca.StatusOf(err) != tca.NotFound {
		return err
	}
	const text = "The similarity service does not know the attachment any more. A retry sends it anew."
	if err := s.advance(ctx, a, text, func(q db.Q) error {
		_, err := db.Exec(ctx, q, `UPDATE tii_group_attachments SET status = 'pending', remote_id = NULL WHERE id = $1`,
			at.ID)
		return err
	}); err != nil {
		return err
	}
	return &failure{NoGroup, text, false}
}

// announceAttachment makes the attachment at the service. One of the same title that
// awaits its file there is ours: the answer to an earlier try was lost.
func (s *Service) announceAttachment(ctx context.Context, a *Action, at *Attachment) error {
	t, err := taskByID(ctx, s.DB.Pool(), *at.DefinitionID)
	if err != nil {
		return err
	}
	if err := s.ensureGroup(ctx, a, t); err != nil {
		return err
	}
	title, id := cut(at.Filename), ""
	if a.LastRun != nil {
		var list []tca.Attachment
		if err := s.call(ctx, func(ctx context.Context) (err error) {
			list, err = s.Client.Attachments(ctx, at.GroupID)
			return err
		}); err != nil {
			return err
		}
		for _, other := range list {
			if other.Title == title && other.Status == "CREATED" {
				id = other.ID
			}
		}
	}
	if id == "" {
		if err := s.call(ctx, func(ctx context.Context) (err error) {
			id, err = s.Client.AddAttachment(ctx, at.GroupID, title)
			return err
		}); err != nil {
			return err
		}
	}
	return s.advance(ctx, a, "The similarity service awaits the file.", func(q db.Q) error {
		_, err := db.Exec(ctx, q, `UPDATE tii_group_attachments SET status = 'has_id', remote_id = $2 WHERE id = $1
			AND NOT removed`, at.ID, id)
		return err
	})
}

// sendAttachment unpacks the document and sends it.
func (s *Service) sendAttachment(ctx context.Context, a *Action, at *Attachment) error {
	hash, err := db.One[*files.Hash](ctx, s.DB.Pool(), `SELECT resources_hash FROM task_definitions WHERE id = $1`,
		*at.DefinitionID)
	if err != nil {
		return err
	}
	if *hash == nil {
		return errLost
	}
	tmp, err := os.CreateTemp("", "attachment-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	defer tmp.Close()
	size, err := s.unpack(ctx, **hash, at, tmp)
	if err != nil {
		return err
	}
	name := "attachment" + strings.ToLower(path.Ext(at.Filename))
	err = s.call(ctx, func(ctx context.Context) error {
		return s.Client.UploadAttachment(ctx, at.GroupID, *at.RemoteID, name, tmp, size)
	})
	if err != nil && tca.StatusOf(err) != tca.Conflict {
		return s.attachmentGone(ctx, a, at, err)
	}
	return s.attachmentTo(ctx, a, at, AttachmentUploaded, "The file was sent.")
}

// unpack writes a document of the resources to tmp, ready to be read. It is errLost
// where the resources no longer hold it as it was.
func (s *Service) unpack(ctx context.Context, hash files.Hash, at *Attachment, tmp *os.File) (int64, error) {
	f, err := s.Files.Open(ctx, hash)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	z, err := zipfile.Open(f, f.Size(), resourceLimits)
	if err != nil {
		return 0, err
	}
	for _, entry := range z.File {
		if entry.Name != at.Filename {
			continue
		}
		size, err := zipfile.Copy(ctx, tmp, entry, tca.MostFile)
		if ctx.Err() != nil {
			return 0, ctx.Err() // the document is not to blame
		}
		if err != nil {
			return 0, &failure{Other, "The document cannot be unpacked from the resources.", false}
		}
		_, err = tmp.Seek(0, 0)
		return size, err
	}
	return 0, errLost
}
