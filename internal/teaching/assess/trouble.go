package assess

import (
	"context"
	"errors"
	"regexp"
	"sync"
	"time"

	"lectern/internal/platform/container"
	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
)

// What students read when the tests cannot be run: the service says it, and not what is wrong.
const (
	stumbled = "The service cannot run the tests at the moment. It will try again by itself."
	troubled = "The service failed to run the tests, several times. Its operators have to look into it."
)

// Backoff is the pause after a failed try: like jobs.Backoff, but never long after the engine
// was mended, as students wait.
func Backoff(attempt int) time.Duration { return min(jobs.Backoff(attempt), 15*time.Minute) }

// outage knows since when an engine has not answered. The zero value is none.
type outage struct {
	mu    sync.Mutex
	since time.Time
}

func (o *outage) over() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.since = time.Time{}
}

// pause is how long to wait before the engine is asked again: the longer it has not answered,
// the longer, up to a minute.
func (o *outage) pause(now time.Time) time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.since.IsZero() {
		o.since = now
	}
	return min(max(now.Sub(o.since)/2, 5*time.Second), time.Minute)
}

// checkEngine tells whether the engine answers.
func (w *Worker) checkEngine(ctx context.Context) error {
	err := w.Runner.Engine.Check(ctx)
	if err == nil {
		w.outage.over()
	}
	return err
}

// wait lets a job wait for an engine that does not answer, for as long as it takes.
func (w *Worker) wait(ctx context.Context, err error) error {
	if !errors.Is(err, container.ErrUnavailable) {
		return err
	}
	w.Log.WarnContext(ctx, "assessments wait for the container engine", "err", err)
	return jobs.Snooze(w.outage.pause(time.Now()))
}

// stumble puts an assessment back in line that could not be run, with a sentence for the
// student, and for the staff what the engine says. While that stays the same, nothing is told
// again.
func stumble(ctx context.Context, q db.Q, id int64, why error) error {
	n, err := db.Exec(ctx, q, `UPDATE assessments SET status = 'queued', reason = $2, trouble = $3, updated_at = $4
		WHERE id = $1 AND (status <> 'queued' OR trouble IS DISTINCT FROM $3)`, id, stumbled, troubleOf(why), q.Now())
	if err != nil || n == 0 {
		return err
	}
	return announce(ctx, q, id)
}

// tellStaff notes at a trial or a preview why it could not be run, and gives err.
func (w *Worker) tellStaff(ctx context.Context, table string, id int64, err error) error {
	text := troubleOf(err)
	if text == nil || ctx.Err() != nil {
		return err
	}
	return errors.Join(err, w.DB.Tx(ctx, func(q db.Q) error {
		_, err := db.Exec(ctx, q, `UPDATE `+table+` SET status = 'queued', reason = $2, updated_at = $3
			WHERE id = $1 AND status IN ('queued', 'running')`, id, "The tests cannot be run: "+*text, q.Now())
		return err
	}))
}

// troubleOf is what the engine says of its trouble; nil where the trouble is not the engine's.
func troubleOf(err error) *string {
	_, refused := errors.AsType[*container.Refused](err)
	if !refused && !errors.Is(err, container.ErrUnavailable) && !errors.Is(err, container.ErrNoImage) {
		return nil
	}
	text := engineText(err)
	return &text
}

// mostTrouble is how many characters of what an engine says are kept.
const mostTrouble = 500

// engineText says what went wrong at the engine, for the staff: in its own words, without the
// paths of its machine and of ours, which are in the log.
func engineText(err error) string {
	text := err.Error()
	if errors.Is(err, container.ErrUnavailable) {
		text = "The container engine does not answer."
	} else if no, ok := errors.AsType[*container.Refused](err); ok {
		text = no.Text
	}
	return clean(firstRunes(withoutPaths(text), mostTrouble))
}

// serverPath finds absolute paths, and what stands before them. References of images and
// addresses of the web have no such beginning.
var serverPath = regexp.MustCompile(`(^|[^\w./:-]|:|\b(?:unix|file)://)(/[^\s/"'` + "`" + `,;:()\[\]<>+][^\s"'` + "`" +
	`,;:()\[\]<>+]*)`)

// shell is in the image, and whoever made that should know when it is not.
const shell = "/bin/sh"

func withoutPaths(text string) string {
	return serverPath.ReplaceAllStringFunc(text, func(found string) string {
		m := serverPath.FindStringSubmatch(found)
		if m[2] == shell {
			return found
		}
		return m[1] + "…"
	})
}
