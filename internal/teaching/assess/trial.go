package assess

import (
	"context"
	"errors"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/blob"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/platform/jobs"
	"lectern/internal/teaching/taskdef"
)

// Trial is a run by which a convenor tries a package out, for no student.
type Trial struct {
	ID        int64      `db:"id" json:"id"`
	Status    State      `db:"status" json:"status"`
	Reason    *string    `db:"reason" json:"reason"`
	CreatedAt clock.Time `db:"created_at" json:"created_at"`
	UpdatedAt clock.Time `db:"updated_at" json:"updated_at"`

	ReportHash *string `db:"report_hash" json:"-"`
}

// TrialArgs ask for a trial to be run.
type TrialArgs struct {
	TrialID int64 `json:"trial_id"`
}

// Kind implements jobs.Args.
func (TrialArgs) Kind() string { return "assessment trial" }

// Try has the package of a definition run over files, or over none, and gives the id under
// which to find the result. fault.Conflict where there is no package or image. It is for
// holders of policy.EditDefinitions in the unit.
func Try(ctx context.Context, q db.Q, store files.Store, userID, definitionID int64, list []Submitted) (int64, error) {
	if _, err := readRun(ctx, q, definitionID); err != nil {
		return 0, err
	}
	infos := make([]files.Info, len(list))
	for i, f := range list {
		infos[i] = files.Info{Hash: f.Hash, Size: f.Size}
	}
	if err := blob.Keep(ctx, q, store, infos...); err != nil {
		return 0, err
	}
	id, err := db.One[int64](ctx, q, `INSERT INTO assessment_trials (task_definition_id, user_id, status, created_at,
		updated_at) VALUES ($1, $2, 'queued', $3, $3) RETURNING id`, definitionID, userID, q.Now())
	if err != nil {
		return 0, err
	}
	rows := make([][]any, len(list))
	for i, f := range list {
		rows[i] = []any{*id, i, f.Name, f.Path, string(f.Hash), f.Size}
	}
	if err := db.Insert(ctx, q, `assessment_trial_files (trial_id, position, title, path, hash, size)`, "",
		rows); err != nil {
		return 0, err
	}
	unit, err := db.One[int64](ctx, q, `SELECT unit_id FROM task_definitions WHERE id = $1`, definitionID)
	if err != nil {
		return 0, err
	}
	job, err := jobs.Enqueue(ctx, q, TrialArgs{*id}, jobs.Options{MaxAttempts: trialTries,
		For: jobs.For{Unit: *unit, Person: userID}})
	if err != nil {
		return 0, err
	}
	if _, err := db.Exec(ctx, q, `UPDATE assessment_trials SET job_id = $2 WHERE id = $1`, *id, job); err != nil {
		return 0, err
	}
	return *id, audit.Add(ctx, q, audit.Entry{Kind: audit.Definition, Action: "assessment_tried",
		RecordID: definitionID})
}

// runOf is what the package of a definition is run with.
type runOf struct {
	Image   *string        `db:"tag"`
	Package *string        `db:"assessment_hash"`
	Trusted bool           `db:"assessment_trusted"`
	Limits  taskdef.Limits `db:"assessment_limits"`
}

// readRun reads what the package of a definition is run with, or fault.Conflict.
func readRun(ctx context.Context, q db.Q, definitionID int64) (*runOf, error) {
	r, err := db.OneOf[runOf](ctx, q, "task definition", `SELECT i.tag, d.assessment_hash, d.assessment_trusted,
			d.assessment_limits
		FROM task_definitions d JOIN units u ON u.id = d.unit_id
		LEFT JOIN overseer_images i ON i.id = coalesce(d.overseer_image_id, u.overseer_image_id)
		WHERE d.id = $1`, definitionID)
	switch {
	case err != nil:
		return nil, err
	case r.Package == nil:
		return nil, fault.New(fault.Conflict, "This task has no assessment resources to run. Upload them first.")
	case r.Image == nil:
		return nil, fault.New(fault.Conflict, "Neither this task nor its unit has a container image. Choose one "+
			"first.")
	}
	return r, nil
}

// TrialByID gives a trial of a definition, or fault.Missing.
func TrialByID(ctx context.Context, q db.Q, definitionID, id int64) (*Trial, error) {
	return db.OneOf[Trial](ctx, q, "trial of this task", `SELECT id, status, reason, created_at, updated_at, report_hash
		FROM assessment_trials WHERE id = $1 AND task_definition_id = $2`, id, definitionID)
}

// Try is the worker of TrialArgs.
func (w *Worker) Try(ctx context.Context, job jobs.Job, a TrialArgs) error {
	if err := w.checkEngine(ctx); err != nil {
		return w.wait(ctx, w.tellStaff(ctx, "assessment_trials", a.TrialID, err))
	}
	definition, err := db.OneOf[int64](ctx, w.DB.Pool(), "trial", `SELECT task_definition_id FROM assessment_trials
		WHERE id = $1`, a.TrialID)
	if fault.Is(err, fault.Missing) {
		return nil
	}
	if err != nil {
		return err
	}
	o, err := w.runTrial(ctx, job, a.TrialID, *definition)
	if err != nil { // what is dead is given up by Tidy
		return w.tellStaff(ctx, "assessment_trials", a.TrialID, err)
	}
	return w.DB.Tx(ctx, func(q db.Q) error {
		hash, err := w.keep(ctx, q, o)
		if err != nil {
			return err
		}
		if err := setTrial(ctx, q, a.TrialID, o.state(), o.Reason, &hash); err != nil {
			return err
		}
		return job.Done(ctx, q)
	})
}

func (w *Worker) runTrial(ctx context.Context, job jobs.Job, id, definitionID int64) (*Outcome, error) {
	var r *runOf
	err := w.DB.Tx(ctx, func(q db.Q) (err error) {
		if r, err = readRun(ctx, q, definitionID); err != nil {
			return err
		}
		return setTrial(ctx, q, id, Running, "", nil)
	})
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Kind == fault.Conflict { // taken away meanwhile
		return &Outcome{Reason: f.Text}, nil
	}
	if err != nil {
		return nil, err
	}
	list, err := db.All[Submitted](ctx, w.DB.Pool(), `SELECT title AS name, path, hash, size FROM assessment_trial_files
		WHERE trial_id = $1 ORDER BY position`, id)
	if err != nil {
		return nil, err
	}
	return w.Runner.Run(ctx, Work{Image: *r.Image, Package: files.Hash(*r.Package), Files: list,
		Limits: w.Limits.Under(r.Limits), Labels: labels(job)})
}

func setTrial(ctx context.Context, q db.Q, id int64, s State, reason string, report *string) error {
	var why any
	if reason != "" {
		why = reason
	}
	_, err := db.Exec(ctx, q, `UPDATE assessment_trials SET status = $2, reason = $3, report_hash = $4, updated_at = $5
		WHERE id = $1`, id, s, why, report, q.Now())
	return err
}

// giveUpDead marks the trials or previews as failed whose job died; what the engine said of
// the last try stays.
func giveUpDead(ctx context.Context, q db.Q, table string) error {
	_, err := db.Exec(ctx, q, `UPDATE `+table+` SET status = 'failed', reason = coalesce(reason, $1), updated_at = $2
		WHERE status IN ('queued', 'running') AND job_id IN (SELECT id FROM jobs WHERE state = 'dead')`, troubled,
		q.Now())
	return err
}

// How long trials, previews and results for them are kept, and how many go at a
// time.
const (
	keepTrials  = 30 * 24 * time.Hour
	keepResults = 180 * 24 * time.Hour
	pruneBatch  = 500
)

// Prune removes old trials, previews and results, and what was noted of who asked for
// assessments again, a bounded number at a time, and tells how many. It is for the job that
// cleans up.
func Prune(ctx context.Context, q db.Q) (int64, error) {
	var total int64
	for _, old := range []struct {
		text  string
		after time.Duration
	}{
		{`DELETE FROM assessment_requests WHERE id IN (SELECT id FROM assessment_requests WHERE at < $1
			ORDER BY id LIMIT $2)`, requestWindow},
		{`DELETE FROM assessment_trials WHERE id IN (SELECT id FROM assessment_trials WHERE created_at < $1
			ORDER BY id LIMIT $2)`, keepTrials},
		{`DELETE FROM assessment_previews WHERE id IN (SELECT id FROM assessment_previews WHERE created_at < $1
			ORDER BY id LIMIT $2)`, keepTrials},
		{`DELETE FROM assessment_results WHERE (image_digest, tests_hash, submission_hash) IN (SELECT image_digest,
			tests_hash, submission_hash FROM assessment_results WHERE created_at < $1 LIMIT $2)`, keepResults},
	} {
		n, err := db.Exec(ctx, q, old.text, clock.At(q.Now().Add(-old.after)), pruneBatch)
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}
