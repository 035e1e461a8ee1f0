package backup

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
)

// State tells how the backups of an installation are doing.
type State struct {
	Name    string      `json:"name" doc:"of the last backup; empty where none was made yet"`
	Made    *clock.Time `json:"made_at" doc:"the moment that it holds"`
	Seconds float64     `json:"seconds" doc:"how long it took"`
	Records int64       `json:"records" doc:"how many rows it holds"`
	Files   int64       `json:"files" doc:"how many files it holds"`
	Bytes   int64       `json:"bytes" doc:"size of its records and files"`
	Age     *int64      `json:"age_seconds" doc:"how long ago it was made"`

	FailedAt *clock.Time `json:"failed_at" doc:"when the last try failed, where none succeeded since"`
	Error    *string     `json:"error" doc:"why it failed"`

	Every *int64 `json:"every_seconds" doc:"how often the service makes one by itself; null: never"`
}

// stateName is the row of the installation that keeps the state.
const stateName = "state of backups"

// StateOf tells how the backups are doing.
func StateOf(ctx context.Context, q db.Q) (*State, error) {
	s := &State{}
	text, err := db.One[string](ctx, q, `SELECT value FROM installation WHERE name = $1`, stateName)
	switch {
	case err == nil:
		err = json.Unmarshal([]byte(*text), s)
	case fault.Is(err, fault.Missing):
		err = nil
	}
	if err != nil {
		return nil, fmt.Errorf("read how the backups are doing: %w", err)
	}
	s.Age = nil
	if s.Made != nil {
		age := int64(q.Now().Sub(s.Made.Time) / time.Second)
		s.Age = &age
	}
	return s, nil
}

// Record notes how a backup that began at a moment went. What it says of an error is for
// administrators.
func Record(ctx context.Context, d *db.DB, began time.Time, name string, made *Manifest, failed error) error {
	return change(ctx, d, func(q db.Q, s *State) {
		if made != nil {
			*s = State{Name: name, Made: &made.Made, Seconds: d.Now().Sub(began).Seconds(), Files: made.FileCount,
				Bytes: made.FileBytes + made.Records.Size, Every: s.Every}
			for _, t := range made.Tables {
				s.Records += t.Rows
			}
		}
		if failed != nil {
			at, text := q.Now(), failed.Error()
			s.FailedAt, s.Error = &at, &text
		}
	})
}

// Plan notes how often the service makes backups by itself; 0 for never.
func Plan(ctx context.Context, d *db.DB, every time.Duration) error {
	return change(ctx, d, func(_ db.Q, s *State) {
		if s.Every = nil; every > 0 {
			seconds := int64(every / time.Second)
			s.Every = &seconds
		}
	})
}

func change(ctx context.Context, d *db.DB, f func(db.Q, *State)) error {
	return d.Tx(ctx, func(q db.Q) error {
		if err := db.LockName(ctx, q, stateName); err != nil {
			return err
		}
		s, err := StateOf(ctx, q)
		if err != nil {
			return err
		}
		f(q, s)
		s.Age = nil // by when it is read
		text, err := json.Marshal(s)
		if err != nil {
			return err
		}
		return db.SetInstallation(ctx, q, stateName, string(text))
	})
}
