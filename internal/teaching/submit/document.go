package submit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/blob"
	"lectern/internal/platform/db"
	"lectern/internal/platform/events"
	"lectern/internal/platform/files"
	"lectern/internal/platform/jobs"
	"lectern/internal/platform/pdf"
	"lectern/internal/teaching/work"
)

// DocumentArgs ask for the document of a submission.
type DocumentArgs struct {
	SubmissionID int64 `json:"submission_id"`
}

// Kind implements jobs.Args.
func (DocumentArgs) Kind() string { return "document" }

// JobLimits bound the making of a document. Units and students take turns.
var JobLimits = jobs.Limits{Timeout: 10 * time.Minute, Fair: true}

// enqueue adds the job that makes a submission's document. The files of a
// submission never change, so a job that is under way will do.
func enqueue(ctx context.Context, q db.Q, submissionID int64, whose jobs.For) error {
	job, err := jobs.Enqueue(ctx, q, DocumentArgs{submissionID},
		jobs.Options{Unique: fmt.Sprintf("document:%d", submissionID), For: whose})
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, q, `UPDATE submissions SET job_id = $2 WHERE id = $1`, submissionID, job)
	return err
}

// Ahead tells how many documents are begun before that of a submission which stands
// in line, as far as they are counted; 0 when it does not stand there.
func Ahead(ctx context.Context, q db.Q, submissionID int64) (int, error) {
	list, err := db.All[int64](ctx, q, `SELECT coalesce(job_id, 0) FROM submissions WHERE id = $1`, submissionID)
	if err != nil || len(list) == 0 {
		return 0, err
	}
	ahead, _, err := jobs.Position(ctx, q, list[0])
	return ahead, err
}

// Rebuild asks for the document of a task's latest submission to be made anew, and tells
// whether there is one. Until the new one is ready the old one stays. It is for holders of
// policy.Submit on the project.
func Rebuild(ctx context.Context, q db.Q, projectID, definitionID int64) (bool, error) {
	v, err := Latest(ctx, q, projectID, definitionID)
	if fault.Is(err, fault.Missing) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_, err = db.Exec(ctx, q, `UPDATE submissions SET state = 'queued', parts_done = 0, reason = NULL WHERE id = $1
		AND state IN ('ready', 'failed')`, v.ID)
	if err != nil {
		return false, err
	}
	whose, err := db.One[jobs.For](ctx, q, `SELECT unit_id, user_id FROM projects WHERE id = $1`, projectID)
	if err != nil {
		return false, err
	}
	if err := enqueue(ctx, q, v.ID, *whose); err != nil {
		return false, err
	}
	if err := audit.Add(ctx, q, audit.Entry{Kind: audit.Submission, Action: "document_asked", ProjectID: projectID,
		RecordID: v.ID}); err != nil {
		return false, err
	}
	return true, announce(ctx, q, v.ID)
}

// Documents makes the documents of submissions.
type Documents struct {
	DB          *db.DB
	Files       files.Store
	Institution string
	Fonts       []string // for letters our own fonts lack
	Limits      pdf.Limits
	// Made, if not nil, is called in the transaction that makes a document known.
	Made func(ctx context.Context, q db.Q, d Document) error
	// Failed, if not nil, is called in the transaction that gives one up, with
	// the tasks whose students should hear of it.
	Failed func(ctx context.Context, q db.Q, reason string, taskIDs ...int64) error
}

// Document is one that was just made.
type Document struct {
	SubmissionID int64
	TaskID       int64 // of the student it was handed in for
	File         files.Info
	Pages        int
}

// Make is the worker of DocumentArgs: it makes the PDF of a submission and marks
// it ready together with the job. Whatever is wrong with a file becomes a page
// that says so; what fails here is our own trouble and is tried again. At the
// last try the work is sent back with an explanation.
func (d *Documents) Make(ctx context.Context, job jobs.Job, a DocumentArgs) error {
	err := d.make(ctx, job, a.SubmissionID)
	if err == nil || !job.Last() || ctx.Err() != nil || errors.Is(err, jobs.ErrLost) {
		return err
	}
	if failed := d.DB.Tx(ctx, func(q db.Q) error {
		return d.GiveUp(ctx, q, a.SubmissionID,
			explain(err))
	}); failed != nil {
		return errors.Join(err, failed)
	}
	return err
}

// explain gives the reason people are told: our own trouble only in general.
func explain(err error) string {
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Kind != fault.Internal {
		return f.Text
	}
	return "the service failed to put it together, several times"
}

func (d *Documents) make(ctx context.Context, job jobs.Job, id int64) error {
	s, err := d.begin(ctx, id)
	if fault.Is(err, fault.Missing) {
		return nil // its task is gone, and the submission with it
	}
	if err != nil {
		return err
	}
	info, res, err := d.render(ctx, s)
	if err != nil {
		return fmt.Errorf("make the document of submission %d: %w", id, err)
	}
	return d.DB.Tx(ctx, func(q db.Q) error { return d.finish(ctx, q, job, s, info, res) })
}

// begin marks the submission as processing and reads what goes on the cover.
func (d *Documents) begin(ctx context.Context, id int64) (s *coverData, err error) {
	err = d.DB.Tx(ctx, func(q db.Q) error {
		n, err := db.Exec(ctx, q, `UPDATE submissions SET state = 'processing', parts_done = 0 WHERE id = $1`, id)
		if err != nil {
			return err
		}
		if n == 0 {
			return fault.New(fault.Missing, "there is no submission %d", id)
		}
		if err := announce(ctx, q, id); err != nil {
			return err
		}
		s, err = readSheet(ctx, q, id)
		return err
	})
	return s, err
}

// render writes the PDF straight into the store.
func (d *Documents) render(ctx context.Context, s *coverData) (files.Info, pdf.Result, error) {
	doc := s.document(d.Institution)
	doc.Fonts = d.Fonts
	for i, f := range s.Files {
		doc.Sections[1+i].File.Open = func() (io.ReadCloser, error) { return d.Files.Open(ctx, f.Hash) }
	}
	doc.Progress = d.progress(ctx, s.ID)
	r, w := io.Pipe()
	var res pdf.Result
	done := make(chan struct{})
	go func() {
		defer close(done)
		var err error
		res, err = pdf.Render(ctx, doc, w, d.Limits)
		w.CloseWithError(err)
	}()
	info, err := d.Files.Put(ctx, r)
	r.CloseWithError(err)
	<-done
	return info, res, err
}

// slow is how long a document takes before its progress is told: for a quick one
// that would be more work than the document.
const slow = 400 * time.Millisecond

// progress tells how many files were read, now and then. That it cannot be told
// is no reason to stop.
func (d *Documents) progress(ctx context.Context, id int64) func(done, of int) {
	last := time.Now()
	return func(done, _ int) {
		if time.Since(last) < slow {
			return
		}
		last = time.Now()
		_ = d.DB.Tx(ctx, func(q db.Q) error {
			if _, err := db.Exec(ctx, q, `UPDATE submissions SET parts_done = $2 WHERE id = $1`, id, done); err != nil {
				return err
			}
			return announce(ctx, q, id)
		})
	}
}

// finish makes the document known: all of it, or with the job none of it.
func (d *Documents) finish(ctx context.Context, q db.Q, job jobs.Job, s *coverData, info files.Info,
	res pdf.Result) error {
	if err := blob.Keep(ctx, q, d.Files, info); err != nil {
		return err
	}
	_, err := db.Exec(ctx, q, `UPDATE submissions SET state = 'ready', parts_done = parts, reason = $2, document_hash =
		$3, document_size = $4,
		pages = $5, document_at = $6, tutor_id = $7 WHERE id = $1`, s.ID, remarks(s.worth(res.Notes)), string(info.Hash), info.Size,
		res.Pages, q.Now(), s.TutorID)
	if err != nil {
		return err
	}
	if d.Made != nil {
		if err := d.Made(ctx, q, Document{s.ID, s.TaskID, info, res.Pages}); err != nil {
			return err
		}
	}
	if err := announce(ctx, q, s.ID); err != nil {
		return err
	}
	return job.Done(ctx, q)
}

const mostRemarks = 2000

// worth gives the notes that a person should read: that a file of a zip is empty is as its sender meant it.
func (s *coverData) worth(notes []pdf.Note) []pdf.Note {
	empty := map[string]bool{}
	for _, f := range s.Files {
		empty[f.Name] = empty[f.Name] || f.Zipped && f.Size == 0
	}
	return slices.DeleteFunc(slices.Clone(notes), func(n pdf.Note) bool { return empty[n.Name] })
}

// remarks puts together what a person should know of the files.
func remarks(notes []pdf.Note) any {
	var lines []string
	for _, n := range notes {
		if n.Failed && n.Name != "" {
			lines = append(lines, fmt.Sprintf("%s is not shown: %s", n.Name, n.Text))
		}
	}
	if lines == nil {
		return nil
	}
	text := []rune(strings.Join(lines, "\n"))
	return string(text[:min(len(text), mostRemarks)])
}

// GiveUp marks the document as failed, asks for the work again and tells the student why. It is
// for the job that makes documents.
func (d *Documents) GiveUp(ctx context.Context, q db.Q, id int64, why string) error {
	n, err := db.Exec(ctx, q, `UPDATE submissions SET state = 'failed', reason = $2 WHERE id = $1
		AND state <> 'failed'`, id, why)
	if err != nil || n == 0 {
		return err
	}
	type link struct {
		TaskID int64      `db:"task_id"`
		At     clock.Time `db:"at"`
	}
	links, err := db.All[link](ctx, q, `SELECT l.task_id, l.at FROM submission_tasks l
		JOIN submissions s ON s.id = l.submission_id
		WHERE l.submission_id = $1 AND NOT EXISTS (SELECT 1 FROM submission_tasks n WHERE n.task_id = l.task_id
		AND n.at > l.at)
		ORDER BY CASE WHEN l.task_id = s.task_id THEN 0 ELSE 1 END, l.task_id`, id)
	if err != nil {
		return err
	}
	if len(links) == 0 { // newer work took its place
		return announce(ctx, q, id)
	}
	var ids []int64
	for _, l := range links {
		ids = append(ids, l.TaskID)
	}
	text := "Your files arrived and are kept, but no PDF could be made of them: " + why +
		".\nCheck that they open, and submit them again; if it happens again, talk to your tutor."
	if err := work.SendBack(ctx, q, ids, links[0].At, text); err != nil {
		return err
	}
	if d.Failed != nil {
		if err := d.Failed(ctx, q, why, ids...); err != nil {
			return err
		}
	}
	return announce(ctx, q, id)
}

// GiveUpDead gives up the documents whose job died without a word, as when the
// machine went down in the middle of the last try.
func (d *Documents) GiveUpDead(ctx context.Context) error {
	ids, err := db.All[int64](ctx, d.DB.Pool(), `SELECT s.id FROM submissions s JOIN jobs j ON j.id = s.job_id
		WHERE s.state IN ('queued', 'processing') AND j.state = 'dead' ORDER BY s.id LIMIT 100`)
	if err != nil {
		return err
	}
	for _, id := range ids {
		err := d.DB.Tx(ctx, func(q db.Q) error {
			return d.GiveUp(ctx, q, id, "the service was cut short while it put it together, several times")
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// documentState is what the event of a document says.
type documentState struct {
	SubmissionID int64    `db:"id" json:"submission_id"`
	DefinitionID int64    `db:"task_definition_id" json:"task_definition_id"`
	State        State    `db:"state" json:"state"`
	Progress     Progress `json:"progress"`
	Reason       *string  `db:"reason" json:"reason"`
}

// announce writes the events that tell how far a document is: to each student,
// and once to the staff.
func announce(ctx context.Context, q db.Q, id int64) error {
	type row struct {
		documentState
		Done  int `db:"parts_done"`
		Parts int `db:"parts"`
		Concerned
	}
	var list []events.Event
	for r, err := range db.Each[row](ctx, q, `SELECT s.id, t.task_definition_id, s.state, s.reason, s.parts_done,
		s.parts, `+ConcernedColumns+` FROM submissions s`+JoinConcerned+` WHERE s.id = $1 ORDER BY t.id`, id) {
		if err != nil {
			return err
		}
		r.Progress = Progress{r.Done, r.Parts}
		list = append(list, r.Event(events.Document, r.documentState))
	}
	return events.Add(ctx, q, list...)
}
