package turnitin

import (
	"context"
	"fmt"
	"io"
	"time"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/platform/tca"
	"lectern/internal/teaching/similarity"
)

// awaitReport asks what the report found, and makes that known to the staff. Where it is
// what was found before, nothing changes.
func (s *Service) awaitReport(ctx context.Context, a *Action, d *document) error {
	var r *tca.Report
	err := s.call(ctx, func(ctx context.Context) (err error) {
		r, err = s.Client.Report(ctx, *d.RemoteID)
		return err
	})
	if err != nil {
		return s.gone(ctx, a, d, err)
	}
	if r.Status != "COMPLETE" {
		return errBusy
	}
	pct := int(*r.Pct)
	next, pdf := LowSimilarity, `, pdf_id = NULL`
	switch {
	case pct > d.Threshold && d.Pct != nil && *d.Pct == pct && d.PDFID != nil:
		next, pdf = PDFDownloaded, ""
	case pct > d.Threshold:
		next = ReportComplete
	}
	return s.advance(ctx, a, fmt.Sprintf("The report found %d%%.", pct), func(q db.Q) error {
		if err := s.save(ctx, q, d, pct, nil); err != nil {
			return err
		}
		_, err := db.Exec(ctx, q, `UPDATE tii_submissions SET status = $2, pct = $3`+pdf+` WHERE id = $1
			AND status <> 'deleted'`, d.ID, next, pct)
		return err
	})
}

// requestPDF asks for the report as a PDF.
func (s *Service) requestPDF(ctx context.Context, a *Action, d *document) error {
	var id string
	err := s.call(ctx, func(ctx context.Context) (err error) {
		id, err = s.Client.RequestPDF(ctx, *d.RemoteID)
		return err
	})
	if tca.StatusOf(err) == tca.Conflict {
		return errBusy // the report is being made anew
	}
	if err != nil {
		return s.gone(ctx, a, d, err)
	}
	return s.to(ctx, a, d, PDFRequested, "The report was asked for as a PDF.", `, pdf_id = $3`, id)
}

// fetchPDF downloads the report when it is ready. One that could not be made is asked
// for anew by a retry.
func (s *Service) fetchPDF(ctx context.Context, a *Action, d *document) error {
	var state string
	err := s.call(ctx, func(ctx context.Context) (err error) {
		state, err = s.Client.PDFStatus(ctx, *d.RemoteID, *d.PDFID)
		return err
	})
	switch {
	case tca.StatusOf(err) == tca.NotFound || err == nil && state == "FAILED":
		if err := s.to(ctx, a, d, ReportComplete, "The report could not be made a PDF.", `, pdf_id = NULL`); err != nil {
			return err
		}
		return &failure{GenerationFailed, "The similarity service could not make a PDF of the report. A retry asks " +
			"for it anew.", false}
	case err != nil:
		return err
	case state != "SUCCESS":
		return errBusy
	}
	var info files.Info
	err = s.call(ctx, func(ctx context.Context) error {
		return s.Client.DownloadPDF(ctx, *d.RemoteID, *d.PDFID, func(r io.Reader) (err error) {
			info, err = s.Files.Put(ctx, r)
			return err
		})
	})
	if err != nil {
		return err
	}
	return s.advance(ctx, a, "The report is here.", func(q db.Q) error {
		if err := s.save(ctx, q, d, *d.Pct, &info); err != nil {
			return err
		}
		_, err := db.Exec(ctx, q, `UPDATE tii_submissions SET status = $2 WHERE id = $1 AND status <> 'deleted'`, d.ID,
			PDFDownloaded)
		return err
	})
}

// save makes known to the staff what a report found. More than the threshold is to be
// looked at.
func (s *Service) save(ctx context.Context, q db.Q, d *document, pct int, report *files.Info) error {
	return similarity.SaveOutside(ctx, q, s.Files, similarity.OutsideReport{SubmissionID: d.SubmissionID, Key: d.Key,
		OutsideID: *d.RemoteID, Pct: &pct, Threshold: d.Threshold + 1, Report: report})
}

// viewable are the states in which a report can be looked at.
var viewable = db.Literals(ReportComplete, PDFRequested, PDFDownloaded, LowSimilarity)

// viewWithin is how long somebody waits for the address of a report.
const viewWithin = 5 * time.Second

// ViewerURL asks the service for an address at which somebody of the staff can look at a
// report; remoteID is the document's there. It is fault.Conflict before there is a report, and
// fault.Upstream when the service fails or takes too long. It is for holders of
// policy.SeeSimilarities on the task.
func (s *Service) ViewerURL(ctx context.Context, userID int64, remoteID string) (string, error) {
	if !s.Enabled() {
		return "", fault.New(fault.Unavailable, "No outside similarity service is set up.")
	}
	pool := s.DB.Pool()
	ready, err := db.One[int64](ctx, pool, `SELECT count(*) FROM tii_submissions WHERE remote_id = $1
		AND status IN `+viewable, remoteID)
	if err != nil {
		return "", err
	}
	if *ready == 0 {
		return "", fault.New(fault.Conflict, "There is no report to open, or it was deleted.")
	}
	name, err := db.One[string](ctx, pool, `SELECT username FROM users WHERE id = $1`, userID)
	if err != nil {
		return "", err
	}
	v := &tca.Viewer{UserID: *name, Locale: "en-US", Permissions: tca.Instructor}
	if got, err := agreed(ctx, pool, userID); err != nil {
		return "", err
	} else if got != nil && got.Confirmed == nil {
		v.EULA = tca.NewAcceptance("", got.Version, got.At.Time)
	}
	ctx, stop := context.WithTimeout(ctx, viewWithin)
	defer stop()
	var address string
	err = s.call(ctx, func(ctx context.Context) (err error) {
		address, err = s.Client.ViewerURL(ctx, remoteID, v)
		return err
	})
	if err != nil {
		return "", &fault.Error{Kind: fault.Upstream, Err: err,
			Text: "The similarity service did not open the report. Try again in a few minutes."}
	}
	return address, nil
}

// deleteSubmission is the step of DeleteSubmission.
func (s *Service) deleteSubmission(ctx context.Context, a *Action) error {
	err := s.call(ctx, func(ctx context.Context) error { return s.Client.DeleteSubmission(ctx, a.Params) })
	if tca.StatusOf(err) == tca.NotFound {
		return nil // it is not there, which is what was wanted
	}
	return err
}
