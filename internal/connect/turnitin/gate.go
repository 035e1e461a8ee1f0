package turnitin

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/platform/tca"
)

// state is what all instances agree on about the service.
type state struct {
	StoppedAt   *clock.Time `db:"stopped_at"`
	StoppedKey  *string     `db:"stopped_key"`
	PausedUntil *clock.Time `db:"paused_until"`
	Failures    int         `db:"failures"`
	FreeAt      *clock.Time `db:"free_at"`
}

func readState(ctx context.Context, q db.Q) (*state, error) {
	list, err := db.All[state](ctx, q, `SELECT stopped_at, stopped_key, paused_until, failures, free_at
		FROM tii_service WHERE id = 1`)
	if err != nil || len(list) == 0 {
		return &state{}, err
	}
	return &list[0], nil
}

// ensure makes the row of the service if there is none, and holds it.
func ensure(ctx context.Context, q db.Q) error {
	if _, err := db.Exec(ctx, q, `INSERT INTO tii_service (id) VALUES (1) ON CONFLICT DO NOTHING`); err != nil {
		return err
	}
	return db.Lock(ctx, q, "tii_service", 1)
}

// closed says that no call may be made for now. It is no failure of whoever wanted one.
type closed struct {
	until time.Duration
	why   string
}

func (c *closed) Error() string { return c.why }

// Words for why no call is made.
const (
	whyStopped = "the similarity service refused Lectern's key, and no call is made until an administrator has seen to it"
	whyPaused  = "the similarity service is away or asked to wait, so no call is made for a moment"
	whyBusy    = "too many calls wait for their turn"
)

// restStopped is how often those who wait look whether a stop was lifted.
const restStopped = 10 * time.Minute

// shut tells why no call may be made now; nil: one may.
func (s *Service) shut(st *state, now time.Time) *closed {
	switch {
	case st.StoppedAt != nil && st.StoppedKey != nil && *st.StoppedKey == fingerprint(s.Key):
		return &closed{restStopped, whyStopped}
	case st.PausedUntil != nil && st.PausedUntil.After(now):
		return &closed{st.PausedUntil.Sub(now), whyPaused}
	}
	return nil
}

// fingerprint stands for a key without telling it.
func fingerprint(key string) string {
	h := sha256.Sum256([]byte("tii " + key))
	return hex.EncodeToString(h[:8])
}

const (
	burst    = 10              // calls that may come at once
	patience = 5 * time.Second // how long a call waits for its turn here
)

// turn waits until a call may be made: over all instances, calls are a Pace apart in
// the long run.
func (s *Service) turn(ctx context.Context) error {
	var at time.Duration
	err := s.DB.Brief(ctx, func(q db.Q) error {
		if err := ensure(ctx, q); err != nil {
			return err
		}
		st, err := readState(ctx, q)
		if err != nil {
			return err
		}
		if c := s.shut(st, q.Now().Time); c != nil {
			return c
		}
		if s.Pace < 0 {
			return nil
		}
		var free clock.Time
		if at, free = reserve(st.FreeAt, q.Now().Time, s.Pace); at > patience {
			return &closed{at, whyBusy}
		}
		_, err = db.Exec(ctx, q, `UPDATE tii_service SET free_at = $1 WHERE id = 1`, free)
		return err
	})
	if err != nil || at <= 0 {
		return err
	}
	select {
	case <-time.After(at):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// reserve tells in how long another call may be made, and when all calls with it are
// used up. Burst of them may come at once after a rest.
func reserve(free *clock.Time, now time.Time, pace time.Duration) (in time.Duration, next clock.Time) {
	at := now
	if free != nil && free.After(at) {
		at = free.Time
	}
	return at.Sub(now) - (burst-1)*pace, clock.At(at.Add(pace))
}

// call makes a call when its turn has come, and notes what it tells about the service.
func (s *Service) call(ctx context.Context, f func(ctx context.Context) error) error {
	if err := s.turn(ctx); err != nil {
		return err
	}
	err := f(ctx)
	if noted := s.note(context.WithoutCancel(ctx), err); noted != nil {
		return errors.Join(err, noted)
	}
	return err
}

// pauses after a service that was away, and when it asks us to wait.
const (
	firstPause   = 5 * time.Second
	longestPause = 5 * time.Minute
	pauseRate    = time.Minute
)

// note keeps what the result of a call says about the service as a whole.
func (s *Service) note(ctx context.Context, result error) error {
	failed, ok := errors.AsType[*tca.Error](result)
	if errors.Is(result, context.Canceled) {
		return nil // we gave up, not the service
	}
	return s.DB.Brief(ctx, func(q db.Q) error {
		st, err := readState(ctx, q)
		switch {
		case err != nil:
			return err
		case ok && (failed.Status == tca.KeyRefused || failed.Status == tca.Unauthorized):
			_, err = db.Exec(ctx, q, `UPDATE tii_service SET stopped_at = $1, stopped_key = $2 WHERE id = 1`, q.Now(),
				fingerprint(s.Key))
		case ok && failed.Status == tca.TooManyCalls:
			err = s.pause(ctx, q, max(failed.RetryAfter, pauseRate))
		case ok && failed.Unavailable():
			if err = s.pause(ctx, q, min(firstPause<<min(st.Failures, 10), longestPause)); err == nil {
				_, err = db.Exec(ctx, q, `UPDATE tii_service SET failures = failures + 1 WHERE id = 1`)
			}
		case st.Failures > 0:
			_, err = db.Exec(ctx, q, `UPDATE tii_service SET failures = 0 WHERE id = 1`)
		}
		return err
	})
}

// pause lets nobody call for a while; a pause that lasts longer stands.
func (s *Service) pause(ctx context.Context, q db.Q, d time.Duration) error {
	if s.Pace < 0 {
		return nil
	}
	_, err := db.Exec(ctx, q, `UPDATE tii_service SET paused_until = $1 WHERE id = 1
		AND (paused_until IS NULL OR paused_until < $1)`, clock.At(q.Now().Add(d)))
	return err
}

// lift lets calls be made again, whatever the service said before.
func lift(ctx context.Context, q db.Q) error {
	_, err := db.Exec(ctx, q, `UPDATE tii_service SET stopped_at = NULL, stopped_key = NULL, paused_until = NULL,
		failures = 0 WHERE id = 1`)
	return err
}
