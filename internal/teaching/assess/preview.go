package assess

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/container"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/platform/jobs"
	"lectern/internal/teaching/taskdef"
)

// Preview tells what the tests of a task would say of the latest submissions.
type Preview struct {
	ID        int64      `db:"id" json:"id"`
	Status    State      `db:"status" json:"status"`
	Reason    *string    `db:"reason" json:"reason"`
	Total     int        `db:"total" json:"total"`
	Done      int        `db:"done" json:"done"`
	Cached    int        `db:"cached" json:"cached"`
	CreatedAt clock.Time `db:"created_at" json:"created_at"`
	UpdatedAt clock.Time `db:"updated_at" json:"updated_at"`
}

// PreviewChange is a student whose result the tests would change.
type PreviewChange struct {
	ProjectID int64      `db:"project_id" json:"project_id"`
	TaskID    int64      `db:"task_id" json:"task_id"`
	At        clock.Time `db:"at" json:"submission_timestamp"`
	Before    string     `db:"before" json:"before" doc:"the result of the last assessment, or the status of the task"`
	After     string     `db:"after" json:"after"`
	Reason    *string    `db:"reason" json:"reason" doc:"why the run did not come to its end"`
}

// PreviewArgs ask for a preview to be gone on with.
type PreviewArgs struct {
	PreviewID int64 `json:"preview_id"`
}

// Kind implements jobs.Args.
func (PreviewArgs) Kind() string { return "assessment preview" }

// AskPreview has the tests of a definition run over the latest submission of every student,
// applying nothing. fault.Conflict where there is no package or image, or a preview is under
// way. It is for holders of policy.EditDefinitions in the unit.
func AskPreview(ctx context.Context, q db.Q, userID, definitionID int64) (*Preview, error) {
	if _, err := readRun(ctx, q, definitionID); err != nil {
		return nil, err
	}
	id, err := db.One[int64](ctx, q, `INSERT INTO assessment_previews (task_definition_id, user_id, status, created_at,
		updated_at) VALUES ($1, $2, 'queued', $3, $3) RETURNING id`, definitionID, userID, q.Now())
	if db.Duplicate(err) {
		return nil, fault.New(fault.Conflict, "A preview of this task is running. Wait until it ends.")
	}
	if err != nil {
		return nil, err
	}
	if _, err := db.Exec(ctx, q, `INSERT INTO assessment_preview_rows (preview_id, submission_id)
		SELECT DISTINCT CAST($1 AS BIGINT), l.submission_id FROM tasks t JOIN submission_tasks l ON l.task_id = t.id
		WHERE t.task_definition_id = $2 AND NOT EXISTS (SELECT 1 FROM submission_tasks n WHERE n.task_id = t.id
			AND n.at > l.at) AND EXISTS (SELECT 1 FROM submission_files f WHERE f.submission_id = l.submission_id)`,
		*id, definitionID); err != nil {
		return nil, err
	}
	unit, err := db.One[int64](ctx, q, `SELECT unit_id FROM task_definitions WHERE id = $1`, definitionID)
	if err != nil {
		return nil, err
	}
	job, err := jobs.Enqueue(ctx, q, PreviewArgs{*id}, jobs.Options{MaxAttempts: trialTries,
		For: jobs.For{Unit: *unit, Person: userID}})
	if err != nil {
		return nil, err
	}
	if _, err := db.Exec(ctx, q, `UPDATE assessment_previews SET job_id = $2 WHERE id = $1`, *id, job); err != nil {
		return nil, err
	}
	if err := audit.Add(ctx, q, audit.Entry{Kind: audit.Definition, Action: "assessment_previewed",
		RecordID: definitionID}); err != nil {
		return nil, err
	}
	return PreviewByID(ctx, q, definitionID, *id)
}

// PreviewByID gives a preview of a definition, or fault.Missing.
func PreviewByID(ctx context.Context, q db.Q, definitionID, id int64) (*Preview, error) {
	return db.OneOf[Preview](ctx, q, "preview of this task", `SELECT p.id, p.status, p.reason, p.created_at, p.updated_at,
			(SELECT count(*) FROM assessment_preview_rows r WHERE r.preview_id = p.id) AS total,
			(SELECT count(*) FROM assessment_preview_rows r WHERE r.preview_id = p.id AND r.done) AS done,
			(SELECT count(*) FROM assessment_preview_rows r WHERE r.preview_id = p.id AND r.cached) AS cached
		FROM assessment_previews p WHERE p.id = $1 AND p.task_definition_id = $2`, id, definitionID)
}

// ChangesOf lists the students of a preview whose result would change.
func ChangesOf(ctx context.Context, q db.Q, id int64) ([]PreviewChange, error) {
	return db.All[PreviewChange](ctx, q, `SELECT t.project_id, t.id AS task_id, l.at, r.result_status AS after,
			coalesce(a.result_status, t.status) AS before, r.reason
		FROM assessment_preview_rows r JOIN submission_tasks l ON l.submission_id = r.submission_id
		JOIN tasks t ON t.id = l.task_id LEFT JOIN assessments a ON a.submission_id = r.submission_id
		WHERE r.preview_id = $1 AND r.result_status <> coalesce(a.result_status, t.status)
		ORDER BY t.project_id`, id)
}

// turn is how long a preview goes on before others have theirs.
const turn = 5 * time.Second

// Preview is the worker of PreviewArgs. It runs for a while, and then lets others
// have their turn before it goes on.
func (w *Worker) Preview(ctx context.Context, job jobs.Job, a PreviewArgs) error {
	if err := w.checkEngine(ctx); err != nil {
		return w.wait(ctx, w.tellStaff(ctx, "assessment_previews", a.PreviewID, err))
	}
	p, err := w.openPreview(ctx, job, a.PreviewID)
	if err != nil || p == nil {
		return err
	}
	for begin := time.Now(); ; {
		next, err := db.All[int64](ctx, w.DB.Pool(), `SELECT submission_id FROM assessment_preview_rows
			WHERE preview_id = $1 AND NOT done ORDER BY submission_id LIMIT 1`, p.ID)
		if err != nil {
			return err
		}
		if len(next) == 0 {
			return w.closePreview(ctx, job, p.ID, Done, "")
		}
		if time.Since(begin) > turn {
			return jobs.Snooze(time.Millisecond)
		}
		if err := w.previewOne(ctx, job, p, next[0]); err != nil {
			return w.tellStaff(ctx, "assessment_previews", p.ID, err)
		}
	}
}

// preview is one under way, with what it runs.
type preview struct {
	ID           int64                      `db:"id"`
	DefinitionID int64                      `db:"task_definition_id"`
	Statuses     taskdef.AssessmentStatuses `db:"assessment_statuses"`
	run          *runOf
	digest       string // of the image
	tests        string // of the package and its limits
}

// openPreview reads what a preview runs and marks it as running; nil when there is
// nothing to do.
func (w *Worker) openPreview(ctx context.Context, job jobs.Job, id int64) (*preview, error) {
	p, err := db.OneOf[preview](ctx, w.DB.Pool(), "preview", `SELECT p.id, p.task_definition_id, d.assessment_statuses
		FROM assessment_previews p JOIN task_definitions d ON d.id = p.task_definition_id
		WHERE p.id = $1 AND p.status IN ('queued', 'running')`, id)
	if fault.Is(err, fault.Missing) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	p.run, err = readRun(ctx, w.DB.Pool(), p.DefinitionID)
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Kind == fault.Conflict { // taken away meanwhile
		return nil, w.closePreview(ctx, job, id, Failed, f.Text)
	}
	if err == nil {
		p.digest, err = w.digestOf(ctx, *p.run.Image)
	}
	if err != nil {
		return nil, w.tellStaff(ctx, "assessment_previews", id, err)
	}
	limits := w.Limits.Under(p.run.Limits)
	p.tests = sum(*p.run.Package, fmt.Sprint(limits))
	return p, w.DB.Tx(ctx, func(q db.Q) error {
		_, err := db.Exec(ctx, q, `UPDATE assessment_previews SET status = 'running', reason = NULL, updated_at = $2
			WHERE id = $1`, id, q.Now())
		return err
	})
}

// digestOf tells what an image is by its content, and pulls one that is not there.
func (w *Worker) digestOf(ctx context.Context, ref string) (string, error) {
	digest, err := w.Runner.Engine.ImageID(ctx, ref)
	if !errors.Is(err, container.ErrNoImage) {
		return digest, err
	}
	if err := w.Runner.Engine.Pull(ctx, ref, func(string) {}); err != nil {
		return "", err
	}
	return w.Runner.Engine.ImageID(ctx, ref)
}

func sum(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d %s\n", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// previewOne finds the result of a submission, by running the tests where it is not
// known from before.
func (w *Worker) previewOne(ctx context.Context, job jobs.Job, p *preview, submissionID int64) error {
	list, err := db.All[Submitted](ctx, w.DB.Pool(), `SELECT `+submittedColumns+` FROM submission_files
		WHERE submission_id = $1 ORDER BY position`, submissionID)
	if err != nil {
		return err
	}
	parts := make([]string, 0, 2*len(list))
	for _, f := range list {
		parts = append(parts, f.Name, string(f.Hash))
		if f.Path != "" {
			parts = append(parts, f.Path)
		}
	}
	key := sum(parts...)
	o, err := p.known(ctx, w.DB.Pool(), key)
	if err != nil {
		return err
	}
	cached := o != nil
	if !cached {
		if o, err = w.Runner.Run(ctx, Work{Image: *p.run.Image, Package: files.Hash(*p.run.Package), Files: list,
			Limits: w.Limits.Under(p.run.Limits), Labels: labels(job)}); err != nil {
			return err
		}
	}
	return w.DB.Tx(ctx, func(q db.Q) error { return p.note(ctx, q, submissionID, key, o, cached) })
}

// known looks for the result of the same tests over the same files, nil where
// there is none.
func (p *preview) known(ctx context.Context, q db.Q, key string) (*Outcome, error) {
	type row struct {
		Claimed  string `db:"claimed"`
		Judged   string `db:"judged"`
		HasJudge bool   `db:"has_judge"`
		Reason   string `db:"reason"`
	}
	found, err := db.All[row](ctx, q, `SELECT claimed, judged, has_judge, reason FROM assessment_results
		WHERE image_digest = $1 AND tests_hash = $2 AND submission_hash = $3`, p.digest, p.tests, key)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	r := found[0]
	return &Outcome{Claimed: r.Claimed, Judged: r.Judged, HasJudge: r.HasJudge, Reason: r.Reason}, nil
}

// note writes a result down, and keeps it for the next time.
func (p *preview) note(ctx context.Context, q db.Q, submissionID int64, key string, o *Outcome, cached bool) error {
	if !cached {
		if _, err := db.Exec(ctx, q, `INSERT INTO assessment_results (image_digest, tests_hash, submission_hash, claimed,
			judged, has_judge, reason, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
			ON CONFLICT (image_digest, tests_hash, submission_hash) DO NOTHING`, p.digest, p.tests, key, o.Claimed,
			o.Judged, o.HasJudge, o.Reason, q.Now()); err != nil {
			return err
		}
	}
	var result, reason any
	if to := o.verdict(p.run.Trusted); p.Statuses.Has(to) {
		result = to
	}
	if o.Reason != "" {
		reason = o.Reason
	}
	_, err := db.Exec(ctx, q, `UPDATE assessment_preview_rows SET done = TRUE, cached = $3, result_status = $4, reason = $5
		WHERE preview_id = $1 AND submission_id = $2`, p.ID, submissionID, cached, result, reason)
	return err
}

// closePreview ends a preview together with its job.
func (w *Worker) closePreview(ctx context.Context, job jobs.Job, id int64, s State, reason string) error {
	var why any
	if reason != "" {
		why = reason
	}
	return w.DB.Tx(ctx, func(q db.Q) error {
		if _, err := db.Exec(ctx, q, `UPDATE assessment_previews SET status = $2, reason = $3, updated_at = $4
			WHERE id = $1`, id, s, why, q.Now()); err != nil {
			return err
		}
		return job.Done(ctx, q)
	})
}
