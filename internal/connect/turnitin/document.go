package turnitin

import (
	"context"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

// Document is one that was handed in and that the outside service is to check, as the
// staff see it.
type Document struct {
	ID           int64       `db:"id" json:"id"`
	SubmissionID int64       `db:"submission_id" json:"submission_id"`
	SubmittedAt  clock.Time  `db:"at" json:"submitted_at"`
	File         string      `db:"key" json:"file"`
	Filename     string      `db:"filename" json:"filename"`
	Status       Status      `db:"status" json:"status"`
	Message      string      `json:"message"` // how far it is, or why it was not sent
	Pct          *int        `db:"pct" json:"pct"`
	Service      string      `db:"service" json:"service"`
	SentAt       *clock.Time `db:"sent_at" json:"sent_at"` // null: nothing was sent

	Error *string `db:"error_message" json:"-"`
}

// Documents lists those of a task, of the newest version first.
func Documents(ctx context.Context, q db.Q, taskID int64) ([]Document, error) {
	list, err := db.All[Document](ctx, q, `SELECT d.id, d.submission_id, l.at, d.key, d.filename, d.status, d.pct,
			d.service, d.sent_at, a.error_message
		FROM submission_tasks l JOIN tii_submissions d ON d.submission_id = l.submission_id
		LEFT JOIN tii_actions a ON a.tii_submission_id = d.id
		WHERE l.task_id = $1 ORDER BY l.at DESC, d.position`, taskID)
	for i := range list {
		list[i].Message = list[i].say()
	}
	return list, err
}

var saying = map[Status]string{
	Created:            "It waits to be sent.",
	HasID:              "It is being sent.",
	Uploaded:           "It was sent; the service reads it.",
	SubmissionComplete: "It was sent and read; the report is to be asked for.",
	ReportRequested:    "It was sent; the service makes the report.",
	ReportComplete:     "The report found more than the task lets pass; it is to be fetched.",
	PDFRequested:       "The report found more than the task lets pass; it is being fetched.",
	PDFDownloaded:      "The report found more than the task lets pass.",
	LowSimilarity:      "The report found no more than the task lets pass.",
	Declined: "It was not sent: whoever submitted it, or whose work it is, has not accepted the agreement of the " +
		"service or declined it.",
	Superseded: "It was not sent: newer work took its place.",
	Deleted:    "It is deleted at the service.",
}

func (d *Document) say() string {
	text := saying[d.Status]
	if d.Error != nil {
		text += " " + *d.Error
	}
	return text
}
