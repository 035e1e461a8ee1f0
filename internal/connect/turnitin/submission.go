package turnitin

import (
	"context"
	"fmt"
	"path"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/platform/tca"
	"lectern/internal/teaching/similarity"
)

// Status is how far a document is. The words are part of the wire.
type Status string

// The states a document goes through, and those in which it ends.
const (
	Created            Status = "created"
	HasID              Status = "has_id"
	Uploaded           Status = "uploaded"
	SubmissionComplete Status = "submission_complete"
	ReportRequested    Status = "similarity_report_requested"
	ReportComplete     Status = "similarity_report_complete"
	PDFRequested       Status = "similarity_pdf_requested"
	PDFDownloaded      Status = "similarity_pdf_downloaded"
	LowSimilarity      Status = "complete_low_similarity"
	Declined           Status = "declined"
	Superseded         Status = "superseded"
	Deleted            Status = "deleted"
)

// document is one that goes to the service.
type document struct {
	ID           int64      `db:"id"`
	SubmissionID int64      `db:"submission_id"`
	DefinitionID int64      `db:"task_definition_id"`
	Position     int        `db:"position"`
	Key          string     `db:"key"`
	Filename     string     `db:"filename"`
	Threshold    int        `db:"threshold"`
	Status       Status     `db:"status"`
	RemoteID     *string    `db:"remote_id"`
	PDFID        *string    `db:"pdf_id"`
	Pct          *int       `db:"pct"`
	SenderID     int64      `db:"sender_id"`
	At           clock.Time `db:"at"`
	Hash         files.Hash `db:"hash"`
	Size         int64      `db:"size"`
	Newer        bool       `db:"newer"` // other work took its place

	Owner         string `db:"owner"`
	OwnerGiven    string `db:"owner_given"`
	OwnerFamily   string `db:"owner_family"`
	Sender        string `db:"sender"`
	SenderGiven   string `db:"sender_given"`
	SenderFamily  string `db:"sender_family"`
	SenderTeaches bool   `db:"sender_teaches"`
}

// documentByID reads a document with all that is told of it; errLost where the work or
// its task is gone.
func documentByID(ctx context.Context, q db.Q, id int64) (*document, error) {
	d, err := db.OneOf[document](ctx, q, "document", `SELECT d.id, d.submission_id, t.task_definition_id, d.position,
			d.key, d.filename, d.threshold, d.status, d.remote_id, d.pdf_id, d.pct, d.sender_id, v.at, f.hash, f.size,
			EXISTS (SELECT 1 FROM submission_tasks n WHERE n.task_id = v.task_id AND n.at > v.at) AS newer,
			o.username AS owner, o.first_name AS owner_given, o.last_name AS owner_family,
			b.username AS sender, b.first_name AS sender_given, b.last_name AS sender_family,
			EXISTS (SELECT 1 FROM unit_roles r WHERE r.unit_id = v.unit_id AND r.user_id = d.sender_id)
				AND d.sender_id <> d.owner_id AS sender_teaches
		FROM tii_submissions d JOIN submissions v ON v.id = d.submission_id JOIN tasks t ON t.id = v.task_id
		JOIN submission_files f ON f.submission_id = v.id AND f.position = d.position
		JOIN users o ON o.id = d.owner_id JOIN users b ON b.id = d.sender_id
		WHERE d.id = $1 AND NOT d.forget`, id)
	if fault.Is(err, fault.Missing) {
		return nil, errLost
	}
	return d, err
}

// stages are what is done with a document in each state. Each leads to the next state,
// or says why it does not.
var stages = map[Status]func(*Service, context.Context, *Action, *document) error{
	Created: (*Service).announceDocument, HasID: (*Service).sendFile, Uploaded: (*Service).awaitProcessing,
	SubmissionComplete: (*Service).requestReport, ReportRequested: (*Service).awaitReport,
	ReportComplete: (*Service).requestPDF, PDFRequested: (*Service).fetchPDF,
}

// uploadSubmission is the step of UploadSubmission: it takes a document from state to
// state until there is nothing left to do.
func (s *Service) uploadSubmission(ctx context.Context, a *Action) error {
	for {
		d, err := documentByID(ctx, s.DB.Pool(), *a.SubmissionID)
		if err != nil {
			return err
		}
		stage := stages[d.Status]
		if stage == nil {
			return nil
		}
		if err := stage(s, ctx, a, d); err != nil {
			return err
		}
	}
}

// to moves a document on, and sets further columns with it.
func (s *Service) to(ctx context.Context, a *Action, d *document, next Status, message, set string,
	args ...any) error {
	return s.advance(ctx, a, message, func(q db.Q) error {
		_, err := db.Exec(ctx, q, `UPDATE tii_submissions SET status = $2`+set+` WHERE id = $1 AND status <> 'deleted'`,
			append([]any{d.ID, next}, args...)...)
		return err
	})
}

// announceDocument makes the submission at the service, which then awaits the file.
func (s *Service) announceDocument(ctx context.Context, a *Action, d *document) error {
	if d.Newer {
		return s.to(ctx, a, d, Superseded, "Newer work took its place before it was sent: it is not sent.", "")
	}
	if d.Size > tca.MostFile {
		return &failure{TooLarge, "The file is larger than the similarity service takes.", false}
	}
	pool := s.DB.Pool()
	t, err := taskByID(ctx, pool, d.DefinitionID)
	if err != nil {
		return err
	}
	agreement, err := s.agreementOf(ctx, pool, d)
	if err != nil {
		return err
	}
	if err := s.ensureGroup(ctx, a, t); err != nil {
		return err
	}
	var id string
	err = s.call(ctx, func(ctx context.Context) (err error) {
		id, err = s.Client.AddSubmission(ctx, s.announcement(t, d, agreement))
		return err
	})
	if err != nil {
		return err
	}
	return s.advance(ctx, a, "The similarity service awaits the file.", func(q db.Q) error {
		if agreement != nil {
			if err := confirm(ctx, q, d.SenderID, agreement.Version); err != nil {
				return err
			}
		}
		_, err := db.Exec(ctx, q, `UPDATE tii_submissions SET status = $2, remote_id = $3, service = $4 WHERE id = $1`,
			d.ID, HasID, id, s.Client.Host())
		return err
	})
}

// agreementOf gives the sender's acceptance where the service need be told of it. It is
// a failure where there is none and one is required.
func (s *Service) agreementOf(ctx context.Context, q db.Q, d *document) (*tca.Acceptance, error) {
	t, err := readTerms(ctx, q)
	if err != nil {
		return nil, err
	}
	got, err := agreed(ctx, q, d.SenderID)
	switch {
	case err != nil:
		return nil, err
	case got == nil && t.Required:
		return nil, &failure{NoAgreement, "Whoever submitted the work has not accepted the version of the agreement " +
			"that is in force. Retry this once they have.", false}
	case got == nil || got.Confirmed != nil:
		return nil, nil
	}
	return tca.NewAcceptance(got.Username, got.Version, got.At.Time), nil
}

// announcement is what the service is told of a document: as little as it needs. No
// mail address goes there, and of a group only whoever handed in.
func (s *Service) announcement(t *task, d *document, agreement *tca.Acceptance) *tca.Submission {
	permissions := tca.Learner
	if d.SenderTeaches {
		permissions = tca.Instructor
	}
	g := s.group(t)
	return &tca.Submission{Owner: d.Owner, OwnerPermissions: tca.Learner,
		Title:     cut(fmt.Sprintf("%s - %s for %s", t.Abbreviation, d.Filename, d.Owner)),
		Submitter: d.Sender, SubmitterPermission: permissions, EULA: agreement,
		Metadata: &tca.Metadata{Submitter: &tca.User{ID: d.Sender, GivenName: d.SenderGiven, FamilyName: d.SenderFamily},
			Owners: []tca.User{{ID: d.Owner, GivenName: d.OwnerGiven, FamilyName: d.OwnerFamily}},
			Group:  &tca.Group{ID: g.ID, Name: g.Name, Type: g.Type}, Context: g.Context}}
}

// gone is the failure of a document that the service no longer has; a retry sends it
// anew.
func (s *Service) gone(ctx context.Context, a *Action, d *document, err error) error {
	if tca.StatusOf(err) != tca.NotFound {
		return err
	}
	err = s.advance(ctx, a, "The similarity service does not know the document any more.", func(q db.Q) error {
		if err := similarity.DropOutside(ctx, q, *d.RemoteID); err != nil {
			return err
		}
		_, err := db.Exec(ctx, q, `UPDATE tii_submissions SET status = $2, remote_id = NULL, pdf_id = NULL, pct = NULL
			WHERE id = $1 AND status <> 'deleted'`, d.ID, Created)
		return err
	})
	if err != nil {
		return err
	}
	return &failure{NoSubmission, "The similarity service does not know the document any more. A retry sends it anew.",
		false}
}

// sendFile sends the document. That the service has it already is no failure: the
// answer to an earlier try was lost.
func (s *Service) sendFile(ctx context.Context, a *Action, d *document) error {
	file, err := s.Files.Open(ctx, d.Hash)
	if err != nil {
		return err
	}
	defer file.Close()
	name := fmt.Sprintf("%03d-document%s", d.Position, strings.ToLower(path.Ext(d.Filename)))
	err = s.call(ctx, func(ctx context.Context) error {
		return s.Client.UploadSubmission(ctx, *d.RemoteID, name, file, file.Size())
	})
	if err != nil && tca.StatusOf(err) != tca.Conflict {
		return s.gone(ctx, a, d, err)
	}
	return s.to(ctx, a, d, Uploaded, "The file was sent.", `, sent_at = $3`, s.DB.Now())
}

// awaitProcessing asks whether the service has read the file.
func (s *Service) awaitProcessing(ctx context.Context, a *Action, d *document) error {
	var p *tca.Processed
	err := s.call(ctx, func(ctx context.Context) (err error) {
		p, err = s.Client.Submission(ctx, *d.RemoteID)
		return err
	})
	if err != nil {
		return s.gone(ctx, a, d, err)
	}
	switch p.Status {
	case "CREATED":
		return s.to(ctx, a, d, HasID, "The file did not arrive; it is sent again.", "")
	case "PROCESSING":
		return errBusy
	case "COMPLETE":
		return s.to(ctx, a, d, SubmissionComplete, "The similarity service has read the file.", "")
	}
	return &failure{Other, "The similarity service could not use the file: " + unreadable(p) + ".", false}
}

// unreadable says why a file could not be used.
func unreadable(p *tca.Processed) string {
	words := map[string]string{"UNSUPPORTED_FILETYPE": "it does not take files of this kind",
		"CANNOT_EXTRACT_TEXT": "no text could be found in it", "TOO_LITTLE_TEXT": "it holds too little text",
		"TOO_MUCH_TEXT": "it holds too much text", "TOO_MANY_PAGES": "it has too many pages",
		"FILE_LOCKED": "it is protected by a password", "CORRUPT_FILE": "it is damaged"}[p.ErrorCode]
	if words == "" {
		return strings.ToLower(strings.TrimSpace(cut(p.Status + " " + p.ErrorCode)))
	}
	return words
}

// requestReport asks for the report. That one is being made already is no failure.
func (s *Service) requestReport(ctx context.Context, a *Action, d *document) error {
	t, err := readTerms(ctx, s.DB.Pool())
	if err != nil {
		return err
	}
	w := tca.ReportRequest{Index: s.Index, Repositories: []string{"INTERNET", "SUBMITTED_WORK", "PUBLICATION", "CROSSREF",
		"CROSSREF_POSTED_CONTENT"}}
	if t.Repositories != nil && *t.Repositories != "" {
		w.Repositories = strings.Split(*t.Repositories, ",")
	}
	err = s.call(ctx, func(ctx context.Context) error { return s.Client.RequestReport(ctx, *d.RemoteID, w) })
	if err != nil && tca.StatusOf(err) != tca.Conflict {
		return s.gone(ctx, a, d, err)
	}
	return s.to(ctx, a, d, ReportRequested, "The report was asked for.", "")
}
