package turnitin

import (
	"context"
	"encoding/json"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/platform/tca"
)

// MostNotice bounds a notification, in bytes.
const MostNotice = 1 << 20

// Signed tells whether a notification was signed by whoever has the key that is
// configured. Nobody has where none is.
func (s *Service) Signed(signature string, body []byte) bool {
	return s != nil && tca.Signed(s.SigningKey, signature, body)
}

// Notice takes a notification of the service: it has what it is about looked at now,
// and believes none of its figures, which are asked for. So one that comes twice, late
// or out of order does no harm. What is of an unknown kind, or about something unknown,
// is ignored. It is fault.Invalid where the body is no JSON object.
func (s *Service) Notice(ctx context.Context, q db.Q, event string, body []byte) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil || members == nil {
		return fault.New(fault.Invalid, "The body is not a JSON object.")
	}
	id, submission := text(members["id"]), text(members["submission_id"])
	if !s.Enabled() || id == "" && submission == "" {
		return nil
	}
	switch tca.Event(event) {
	case tca.SubmissionComplete, tca.SimilarityComplete, tca.PDFStatusChanged:
		return nudge(ctx, q, event, documentsAbout+` AND NOT a.complete`, id, submission)
	case tca.SimilarityUpdated:
		return reopen(ctx, q, event, id, submission)
	case tca.AttachmentComplete:
		return nudge(ctx, q, event, `SELECT a.id FROM tii_actions a JOIN tii_group_attachments g
			ON g.id = a.attachment_id WHERE g.remote_id IN ($1, $2) AND NOT a.complete`, id, submission)
	}
	return nil
}

// text reads a string; what is none names nothing.
func text(raw json.RawMessage) (out string) {
	_ = json.Unmarshal(raw, &out)
	if len(out) > 100 {
		return ""
	}
	return out
}

// documentsAbout are the actions of documents that one of two ids stands for: the
// service names submissions and PDFs in members that differ from event to event.
const documentsAbout = `SELECT a.id FROM tii_actions a WHERE a.tii_submission_id IN (
	SELECT d.id FROM tii_submissions d WHERE d.remote_id IN ($1, $2)
	UNION SELECT d.id FROM tii_submissions d WHERE d.pdf_id IN ($1, $2))`

// nudge has actions run now that a statement picks.
func nudge(ctx context.Context, q db.Q, event, pick string, args ...any) error {
	ids, err := db.All[int64](ctx, q, pick, args...)
	if err != nil {
		return err
	}
	for _, id := range ids { // an id stands for one thing
		if _, err := db.Exec(ctx, q, `UPDATE tii_actions SET nudged = TRUE, complete = FALSE, retry = TRUE, retries = 0,
			progress_at = $2, updated_at = $2 WHERE id = $1`, id, q.Now()); err != nil {
			return err
		}
		if err := log(ctx, q, id, "The similarity service notified Lectern: "+event+"."); err != nil {
			return err
		}
		if err := enqueue(ctx, q, id); err != nil {
			return err
		}
	}
	return nil
}

// reopen has a report read again that was made anew after all was done, and looks at
// one on its way.
func reopen(ctx context.Context, q db.Q, event, id, submission string) error {
	if _, err := db.Exec(ctx, q, `UPDATE tii_submissions SET status = $3 WHERE remote_id IN ($1, $2)
		AND status IN ($4, $5)`, id, submission, ReportRequested, PDFDownloaded, LowSimilarity); err != nil {
		return err
	}
	return nudge(ctx, q, event, documentsAbout, id, submission)
}
