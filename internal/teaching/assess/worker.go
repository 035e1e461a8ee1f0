package assess

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/blob"
	"lectern/internal/platform/container"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/platform/jobs"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/teaching/work"
)

// Worker works the jobs of automated assessment.
type Worker struct {
	DB     *db.DB
	Log    *slog.Logger
	Runner *Runner
	Limits taskdef.Limits // of the service

	outage outage
}

// Register gives the queue the kinds of jobs there are.
func (w *Worker) Register(qu *jobs.Queue) {
	longest := 2*time.Duration(w.Limits.Seconds)*time.Second + 15*time.Minute // with the judge and a pull
	jobs.Register(qu, w.Assess, jobs.Limits{Timeout: longest, Fair: true, Untrusted: true})
	jobs.Register(qu, w.Try, jobs.Limits{Timeout: longest, Fair: true, Untrusted: true})
	jobs.Register(qu, w.Preview, jobs.Limits{Timeout: longest, Concurrency: 1, Fair: true, Untrusted: true})
	jobs.Register(qu, w.Pull, jobs.Limits{Timeout: pullWithin, Outside: true})
}

// task is an assessment with all that is needed to run it.
type task struct {
	ID           int64                      `db:"id"`
	SubmissionID int64                      `db:"submission_id"`
	TaskID       int64                      `db:"task_id"`
	At           clock.Time                 `db:"at"`
	Asked        bool                       `db:"asked"`
	Status       State                      `db:"status"`
	On           bool                       `db:"runs"`
	Newest       bool                       `db:"newest"`
	Image        *string                    `db:"tag"`
	Package      *string                    `db:"assessment_hash"`
	Trusted      bool                       `db:"assessment_trusted"`
	Statuses     taskdef.AssessmentStatuses `db:"assessment_statuses"`
	Limits       taskdef.Limits             `db:"assessment_limits"`
}

func readTask(ctx context.Context, q db.Q, id int64) (*task, error) {
	return db.OneOf[task](ctx, q, "assessment", `SELECT a.id, a.submission_id, s.task_id, s.at, a.asked, a.status,
			`+runnable+` AS runs, i.tag, d.assessment_hash, d.assessment_trusted, d.assessment_statuses,
			d.assessment_limits, NOT EXISTS (SELECT 1 FROM submission_tasks l WHERE l.task_id = s.task_id
				AND l.at > s.at) AS newest
		FROM assessments a JOIN submissions s ON s.id = a.submission_id JOIN tasks t ON t.id = s.task_id
		JOIN task_definitions d ON d.id = t.task_definition_id JOIN units u ON u.id = d.unit_id
		LEFT JOIN overseer_images i ON i.id = coalesce(d.overseer_image_id, u.overseer_image_id) WHERE a.id = $1`, id)
}

// Assess is the worker of Args: it runs the tests of a submission and makes the
// result known together with the end of the job.
func (w *Worker) Assess(ctx context.Context, job jobs.Job, a Args) error {
	if err := w.checkEngine(ctx); err != nil {
		failed := w.DB.Tx(ctx, func(q db.Q) error { return stumble(ctx, q, a.AssessmentID, err) })
		return errors.Join(failed, w.wait(ctx, err))
	}
	t, idle, err := w.begin(ctx, job, a.AssessmentID)
	if err != nil || idle {
		return err
	}
	o, err := w.run(ctx, job, t)
	if err == nil {
		return w.DB.Tx(ctx, func(q db.Q) error { return w.finish(ctx, q, job, t, o) })
	}
	if errors.Is(context.Cause(ctx), jobs.ErrLost) {
		return err // it is another's now
	}
	end := context.WithoutCancel(ctx)
	if ctx.Err() != nil { // as when the service stops
		return errors.Join(err, w.DB.Tx(end, func(q db.Q) error { return setState(end, q, t.ID, Queued, "") }))
	}
	failed := w.DB.Tx(end, func(q db.Q) error {
		if err := stumble(end, q, t.ID, err); err != nil || !job.Last() {
			return err
		}
		return giveUp(end, q, t.ID, t.TaskID, troubled)
	})
	return errors.Join(failed, err)
}

// begin marks an assessment as running, unless there is nothing left to do.
func (w *Worker) begin(ctx context.Context, job jobs.Job, id int64) (t *task, idle bool, err error) {
	err = w.DB.Tx(ctx, func(q db.Q) error {
		if t, err = readTask(ctx, q, id); fault.Is(err, fault.Missing) {
			idle = true // its submission is gone
			return job.Done(ctx, q)
		}
		if err != nil {
			return err
		}
		why := t.needless()
		if why == "" {
			return setState(ctx, q, id, Running, "")
		}
		idle = true
		if err := giveUp(ctx, q, id, t.TaskID, why); err != nil {
			return err
		}
		return job.Done(ctx, q)
	})
	return t, idle, err
}

// needless tells why an assessment need not be run any more.
func (t *task) needless() string {
	switch {
	case !t.Newest && !t.Asked:
		return "Newer work took the place of this submission before it was assessed."
	case !t.On || t.Package == nil || t.Image == nil:
		return "Automated assessment was turned off for this task before this submission was assessed."
	}
	return ""
}

// run runs the tests.
func (w *Worker) run(ctx context.Context, job jobs.Job, t *task) (*Outcome, error) {
	list, err := db.All[Submitted](ctx, w.DB.Pool(), `SELECT `+submittedColumns+` FROM submission_files
		WHERE submission_id = $1 ORDER BY position`, t.SubmissionID)
	if err != nil {
		return nil, err
	}
	if job.Attempt > 1 { // a worker before may have died and left its container
		if err := w.removeStrays(ctx); err != nil {
			return nil, err
		}
	}
	return w.Runner.Run(ctx, Work{Image: *t.Image, Package: files.Hash(*t.Package), Files: list,
		Limits: w.Limits.Under(t.Limits), Labels: labels(job)})
}

// finish makes an outcome known: all of it, or with the job none of it.
func (w *Worker) finish(ctx context.Context, q db.Q, job jobs.Job, t *task, o *Outcome) error {
	hash, err := w.keep(ctx, q, o)
	if err != nil {
		return err
	}
	ids, err := db.All[int64](ctx, q, `SELECT l.task_id FROM submission_tasks l WHERE l.submission_id = $1
			AND NOT EXISTS (SELECT 1 FROM submission_tasks n WHERE n.task_id = l.task_id AND n.at > l.at)
		ORDER BY CASE WHEN l.task_id = $2 THEN 0 ELSE 1 END, l.task_id`, t.SubmissionID, t.TaskID)
	if err != nil {
		return err
	}
	result, err := t.move(ctx, q, ids, o.verdict(t.Trusted))
	if err != nil {
		return err
	}
	var reason any
	if o.Reason != "" {
		reason = o.Reason
	}
	if _, err := db.Exec(ctx, q, `UPDATE assessments SET status = $2, reason = $3, result_status = $4, report_hash = $5,
		trouble = NULL, updated_at = $6 WHERE id = $1`, t.ID, o.state(), reason, result, hash, q.Now()); err != nil {
		return err
	}
	if err := work.UpdateAssessment(ctx, q, t.TaskID, t.ID, o.words(), false); err != nil {
		return err
	}
	if err := announce(ctx, q, t.ID); err != nil {
		return err
	}
	return job.Done(ctx, q)
}

// state is done for a run of which the scripts came to their end, well or not.
func (o *Outcome) state() State {
	if o.Reason != "" {
		return Failed
	}
	return Done
}

// move moves the tasks where the verdict sends them, if it may, and gives the
// status to record: the verdict, or without one where the task is.
func (t *task) move(ctx context.Context, q db.Q, ids []int64, to status.Status) (any, error) {
	if to != "" && t.Statuses.Has(to) && len(ids) > 0 {
		if _, _, err := work.MoveByAssessment(ctx, q, ids, t.At, to); err != nil {
			return nil, err
		}
		return to, nil
	}
	now, err := db.One[string](ctx, q, `SELECT status FROM tasks WHERE id = $1`, t.TaskID)
	if err != nil {
		return nil, err
	}
	return *now, nil
}

// keep puts an outcome into the store.
func (w *Worker) keep(ctx context.Context, q db.Q, o *Outcome) (string, error) {
	text, err := o.encode()
	if err != nil {
		return "", err
	}
	info, err := w.Runner.Files.Put(ctx, bytes.NewReader(text))
	if err != nil {
		return "", err
	}
	return string(info.Hash), blob.Keep(ctx, q, w.Runner.Files, info)
}

// setState marks an assessment and tells of it.
func setState(ctx context.Context, q db.Q, id int64, s State, reason string) error {
	var why any
	if reason != "" {
		why = reason
	}
	if _, err := db.Exec(ctx, q, `UPDATE assessments SET status = $2, reason = $3, updated_at = $4 WHERE id = $1`, id, s,
		why, q.Now()); err != nil {
		return err
	}
	return announce(ctx, q, id)
}

// giveUp marks an assessment as failed and tells the student why, in words of the service.
func giveUp(ctx context.Context, q db.Q, id, taskID int64, why string) error {
	if err := setState(ctx, q, id, Failed, why); err != nil {
		return err
	}
	return work.UpdateAssessment(ctx, q, taskID, id, why, true)
}

// The labels by which the containers of a job are known.
const (
	jobLabel     = "lectern.job"
	attemptLabel = "lectern.attempt"
)

func labels(job jobs.Job) map[string]string {
	return map[string]string{jobLabel: strconv.FormatInt(job.ID, 10), attemptLabel: strconv.Itoa(job.Attempt)}
}

// removeStrays removes the containers of jobs that nobody works any more.
func (w *Worker) removeStrays(ctx context.Context) error {
	type lease struct {
		ID      int64 `db:"id"`
		Attempt int   `db:"attempt"`
	}
	held, err := db.All[lease](ctx, w.DB.Pool(), `SELECT id, attempt FROM jobs WHERE state = 'running'
		AND lease_until > $1`, w.DB.Now())
	if err != nil {
		return err
	}
	alive := map[string]bool{}
	for _, l := range held {
		alive[fmt.Sprintf("%d/%d", l.ID, l.Attempt)] = true
	}
	n, err := w.Runner.Engine.RemoveStrays(ctx, func(l map[string]string) bool {
		return alive[l[jobLabel]+"/"+l[attemptLabel]]
	})
	if n > 0 {
		w.Log.InfoContext(ctx, "removed the containers of workers that died", "containers", n)
	}
	return err
}

// Watch tidies up at once and every minute until ctx ends. Every process that
// works assessments does, as each may have an engine of its own.
func (w *Worker) Watch(ctx context.Context) {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		if err := w.Tidy(ctx); err != nil && ctx.Err() == nil {
			w.Log.WarnContext(ctx, "cannot look after the assessments; will try again", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Tidy removes the containers that dead workers left and gives up the assessments
// and trials whose job died without a word.
func (w *Worker) Tidy(ctx context.Context) error {
	type dead struct {
		ID     int64 `db:"id"`
		TaskID int64 `db:"task_id"`
	}
	list, err := db.All[dead](ctx, w.DB.Pool(), `SELECT a.id, s.task_id FROM assessments a
		JOIN submissions s ON s.id = a.submission_id JOIN jobs j ON j.id = a.job_id
		WHERE a.status IN ('queued', 'running') AND j.state = 'dead' ORDER BY a.id LIMIT 100`)
	if err != nil {
		return err
	}
	for _, d := range list {
		if err := w.DB.Tx(ctx, func(q db.Q) error { return giveUp(ctx, q, d.ID, d.TaskID, troubled) }); err != nil {
			return err
		}
	}
	if err := w.DB.Tx(ctx, func(q db.Q) error {
		return errors.Join(giveUpDead(ctx, q, "assessment_trials"), giveUpDead(ctx, q, "assessment_previews"))
	}); err != nil {
		return err
	}
	if err := w.removeStrays(ctx); err != nil && !errors.Is(err, container.ErrUnavailable) {
		return err
	}
	return nil
}
