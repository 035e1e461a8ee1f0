package turnitin

import (
	"context"
	"slices"

	"lectern/internal/platform/db"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/taskdef"
)

// HandIn is work that was just handed in.
type HandIn struct {
	SubmissionID int64
	SenderID     int64
	Accepted     *bool // what the sender said of the agreement with it; nil: nothing
	Requirements taskdef.Requirements
	Files        []submit.File
}

// defaultThreshold is the share above which a document is to be looked at where its
// requirement sets none.
const defaultThreshold = 35

// HandedIn notes the documents of a submission that the outside service is to check, in the
// transaction that hands it in. They are sent if whoever handed in agreed, and for somebody
// else, if that student did; otherwise they stay here, and staff see why. It is part of handing
// in and refuses nothing.
func (s *Service) HandedIn(ctx context.Context, q db.Q, h HandIn) error {
	checked := h.checked()
	if !s.Enabled() || len(checked) == 0 {
		return nil
	}
	w, err := whose(ctx, q, h)
	if err != nil {
		return err
	}
	status, err := s.consent(ctx, q, h, w.OwnerID)
	if err != nil {
		return err
	}
	rows := make([][]any, 0, len(checked))
	for _, c := range checked {
		rows = append(rows, []any{h.SubmissionID, c.Position, c.Key, c.Name, c.threshold, w.OwnerID, h.SenderID,
			s.Client.Host(), status, q.Now()})
	}
	if err := db.Insert(ctx, q, `tii_submissions (submission_id, position, key, filename, threshold, owner_id,
		sender_id, service, status, created_at)`, `ON CONFLICT (submission_id, position) DO NOTHING`, rows); err != nil {
		return err
	}
	// A repeated request finds its documents with actions, and leaves them alone.
	ids, err := db.All[int64](ctx, q, `SELECT d.id FROM tii_submissions d WHERE d.submission_id = $1
		AND d.status = 'created' AND NOT EXISTS (SELECT 1 FROM tii_actions a WHERE a.tii_submission_id = d.id)
		ORDER BY d.id`, h.SubmissionID)
	if err != nil {
		return err
	}
	for _, id := range ids { // at most as many as a task asks for
		if err := want(ctx, q, UploadSubmission, subject{unitID: w.UnitID, submissionID: id}); err != nil {
			return err
		}
	}
	return nil
}

// checkedFile is a file that is to be checked.
type checkedFile struct {
	submit.File
	threshold int
}

func (h *HandIn) checked() (list []checkedFile) {
	for _, r := range h.Requirements {
		if !checks(r) {
			continue
		}
		for _, f := range h.Files {
			if f.Key != r.Key {
				continue
			}
			c := checkedFile{f, defaultThreshold}
			if r.TiiPct != nil {
				c.threshold = int(*r.TiiPct)
			}
			list = append(list, c)
		}
	}
	return list
}

// checks tells whether files for a requirement go to the outside service.
func checks(r taskdef.Requirement) bool {
	return r.Type == taskdef.Document && r.TiiCheck != nil && *r.TiiCheck
}

// Sends tells whether any of the files a task asks for goes to the outside service.
func Sends(list taskdef.Requirements) bool { return slices.ContainsFunc(list, checks) }

// owner is whose work a submission is.
type owner struct {
	OwnerID int64 `db:"owner_id"`
	UnitID  int64 `db:"unit_id"`
}

// whose tells whose work it is: the sender's where they are among those it was handed
// in for, as in a group, and otherwise that of the student it was handed in for.
func whose(ctx context.Context, q db.Q, h HandIn) (*owner, error) {
	return db.One[owner](ctx, q, `SELECT p.user_id AS owner_id, v.unit_id FROM submissions v
		JOIN submission_tasks l ON l.submission_id = v.id JOIN tasks t ON t.id = l.task_id
		JOIN projects p ON p.id = t.project_id WHERE v.id = $1
		ORDER BY CASE WHEN p.user_id = $2 THEN 0 WHEN t.id = v.task_id THEN 1 ELSE 2 END LIMIT 1`, h.SubmissionID,
		h.SenderID)
}

// consent gives the state documents begin in. What the sender says with the work counts
// as their word.
func (s *Service) consent(ctx context.Context, q db.Q, h HandIn, ownerID int64) (Status, error) {
	if h.Accepted != nil && !*h.Accepted {
		return Declined, nil
	}
	t, err := readTerms(ctx, q)
	if err != nil {
		return "", err
	}
	if h.Accepted != nil && t.Version != nil {
		if err := s.Accept(ctx, q, h.SenderID); err != nil {
			return "", err
		}
	}
	if !t.Required {
		return Created, nil
	}
	people := []int64{h.SenderID}
	if ownerID != h.SenderID {
		people = append(people, ownerID)
	}
	for _, id := range people { // two at most
		got, err := agreed(ctx, q, id)
		if err != nil {
			return "", err
		}
		if got == nil {
			return Declined, nil
		}
	}
	return Created, nil
}
