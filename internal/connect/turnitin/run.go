package turnitin

import (
	"context"
	"errors"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
)

// steps do the work of each type. A step makes calls until its action is done, or says
// why it does not get on: errBusy, errLost, a failure, or the error of a call.
var steps = map[Type]func(*Service, context.Context, *Action) error{
	FetchFeatures: (*Service).fetchFeatures, FetchEULA: (*Service).fetchEULA,
	RegisterWebhook: (*Service).registerWebhook, AcceptEULA: (*Service).sendAcceptance,
	UpdateGroup: (*Service).updateGroup, UploadResources: (*Service).uploadAttachment,
	DeleteAttachment: (*Service).deleteAttachment, UploadSubmission: (*Service).uploadSubmission,
	DeleteSubmission: (*Service).deleteSubmission,
}

// run is the worker of runArgs.
func (s *Service) run(ctx context.Context, job jobs.Job, args runArgs) error {
	a, err := s.begin(ctx, job, args.ActionID)
	if c, ok := errors.AsType[*closed](err); ok {
		return jobs.Snooze(c.until)
	}
	if err != nil || a == nil {
		return err
	}
	err = steps[a.Type](s, ctx, a)
	if err != nil && stopping(ctx, err) {
		return err // the queue gives the job back
	}
	return s.settle(ctx, job, a, err)
}

// begin notes that an action is run. It gives none where there is nothing to do, which
// ends the job.
func (s *Service) begin(ctx context.Context, job jobs.Job, id int64) (a *Action, err error) {
	err = s.DB.Brief(ctx, func(q db.Q) error {
		a = nil
		if err := db.Lock(ctx, q, "tii_actions", id); err != nil {
			return err
		}
		found, err := ByID(ctx, q, id, 0)
		if fault.Is(err, fault.Missing) || err == nil && (found.Complete || !found.Retry || steps[found.Type] == nil) {
			return job.Done(ctx, q)
		}
		if err != nil {
			return err
		}
		st, err := readState(ctx, q)
		if err != nil {
			return err
		}
		if c := s.shut(st, q.Now().Time); c != nil {
			return c
		}
		_, err = db.Exec(ctx, q, `UPDATE tii_actions SET last_run = $2, next_run = NULL, nudged = FALSE, updated_at = $2
			WHERE id = $1`, id, q.Now())
		a = found
		return err
	})
	return a, err
}

// settle writes what became of a run, and ends the job together with the action.
func (s *Service) settle(ctx context.Context, job jobs.Job, a *Action, result error) error {
	if c, ok := errors.AsType[*closed](result); ok {
		return s.rest(ctx, job, a.ID, c.until)
	}
	if errors.Is(result, errLost) {
		return s.DB.Brief(ctx, func(q db.Q) error {
			if _, err := db.Exec(ctx, q, `DELETE FROM tii_actions WHERE id = $1`, a.ID); err != nil {
				return err
			}
			return job.Done(ctx, q)
		})
	}
	var f *failure
	switch {
	case result == nil:
		return s.finish(ctx, job, a.ID, nil)
	case errors.Is(result, errBusy):
		f = &failure{code: "", text: "", again: true}
	default:
		f = failureOf(result)
		s.Log.WarnContext(ctx, "an action at the similarity service failed", "action", a.ID, "type", a.Type, "err", result)
	}
	tries, err := s.tried(ctx, a.ID)
	if err != nil {
		return err
	}
	if f.again && tries > mostTries && s.DB.Now().Sub(a.ProgressAt.Time) > givenUpAfter {
		f = &failure{ExcessiveRetries, "It was tried for more than a day without getting on. " + f.text, false}
	}
	if !f.again {
		return s.finish(ctx, job, a.ID, f)
	}
	return s.later(ctx, job, a.ID, tries, f)
}

// An action is given up after so many tries when a day has passed, too.
const (
	mostTries    = 48
	givenUpAfter = 24 * time.Hour
)

// tried counts a run that came to nothing.
func (s *Service) tried(ctx context.Context, id int64) (n int, err error) {
	err = s.DB.Brief(ctx, func(q db.Q) error {
		list, err := db.All[int](ctx, q, `UPDATE tii_actions SET retries = retries + 1 WHERE id = $1 RETURNING retries`,
			id)
		if err == nil && len(list) > 0 {
			n = list[0]
		}
		return err
	})
	return n, err
}

// finish ends an action and its job: done, or given up for a reason. One that was asked
// for anew meanwhile is run again.
func (s *Service) finish(ctx context.Context, job jobs.Job, id int64, f *failure) error {
	return s.DB.Brief(ctx, func(q db.Q) error {
		news, err := nudged(ctx, q, id)
		if err != nil {
			return err
		}
		if news {
			return job.Later(ctx, q, 0)
		}
		if err := conclude(ctx, q, id, f); err != nil {
			return err
		}
		return job.Done(ctx, q)
	})
}

func conclude(ctx context.Context, q db.Q, id int64, f *failure) error {
	if f == nil {
		if _, err := db.Exec(ctx, q, `UPDATE tii_actions SET complete = TRUE, retry = FALSE, error_code = NULL,
			error_message = NULL, next_run = NULL, progress_at = $2, updated_at = $2 WHERE id = $1`, id,
			q.Now()); err != nil {
			return err
		}
		return log(ctx, q, id, "Done.")
	}
	if _, err := db.Exec(ctx, q, `UPDATE tii_actions SET retry = FALSE, error_code = $2, error_message = $3,
		next_run = NULL, updated_at = $4 WHERE id = $1`, id, f.code, f.text, q.Now()); err != nil {
		return err
	}
	return log(ctx, q, id, f.text+" It is given up until somebody retries it.")
}

// later notes why an action did not get on, and when it is looked at again.
func (s *Service) later(ctx context.Context, job jobs.Job, id int64, tries int, f *failure) error {
	d := s.Wait(tries)
	var code, text any
	if f.code != "" {
		code, text = f.code, f.text
	}
	err := s.DB.Brief(ctx, func(q db.Q) error {
		if _, err := db.Exec(ctx, q, `UPDATE tii_actions SET error_code = $2, error_message = $3 WHERE id = $1`, id,
			code, text); err != nil {
			return err
		}
		if f.code == "" {
			return nil
		}
		return log(ctx, q, id, f.text+" It will be tried again.")
	})
	if err != nil {
		return err
	}
	return s.rest(ctx, job, id, d)
}

// rest gives the job back for a while, unless there is news already.
func (s *Service) rest(ctx context.Context, job jobs.Job, id int64, d time.Duration) error {
	return s.DB.Brief(ctx, func(q db.Q) error {
		news, err := nudged(ctx, q, id)
		if err != nil {
			return err
		}
		wait := d
		if news {
			wait = 0
		}
		if _, err = db.Exec(ctx, q, `UPDATE tii_actions SET next_run = $2, updated_at = $3 WHERE id = $1`, id,
			clock.At(q.Now().Add(wait)), q.Now()); err != nil {
			return err
		}
		return job.Later(ctx, q, wait)
	})
}

// nudged tells whether there was news of an action since its run began, and holds the
// action: whoever brings news from now on finds its job settled.
func nudged(ctx context.Context, q db.Q, id int64) (bool, error) {
	if err := db.Lock(ctx, q, "tii_actions", id); err != nil {
		return false, err
	}
	list, err := db.All[bool](ctx, q, `SELECT nudged FROM tii_actions WHERE id = $1`, id)
	return len(list) > 0 && list[0], err
}

// mostLines is how much of an action's log is kept.
const mostLines = 60

// log adds a line to an action's log and lets the oldest go.
func log(ctx context.Context, q db.Q, id int64, message string) error {
	if err := tell(ctx, q, id, message); err != nil {
		return err
	}
	_, err := db.Exec(ctx, q, `DELETE FROM tii_action_log WHERE action_id = $1 AND id < (SELECT min(id) FROM
		(SELECT id FROM tii_action_log WHERE action_id = $1 ORDER BY id DESC LIMIT $2) AS kept)`, id, mostLines)
	return err
}

// advance notes that an action got on, with what f writes.
func (s *Service) advance(ctx context.Context, a *Action, message string, f func(q db.Q) error) error {
	return s.DB.Brief(context.WithoutCancel(ctx), func(q db.Q) error {
		if err := f(q); err != nil {
			return err
		}
		if _, err := db.Exec(ctx, q, `UPDATE tii_actions SET retries = 0, progress_at = $2, error_code = NULL,
			error_message = NULL, updated_at = $2 WHERE id = $1`, a.ID, q.Now()); err != nil {
			return err
		}
		a.ProgressAt = q.Now()
		return log(ctx, q, a.ID, message)
	})
}
