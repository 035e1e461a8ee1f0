package usecase

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
	"lectern/internal/teaching/submit"
)

// Verification tells how far a look at the whole audit log is, or what it found.
type Verification struct {
	AskedAt    *clock.Time `json:"asked_at" doc:"when it was asked for; null: never"`
	FinishedAt *clock.Time `json:"finished_at" doc:"when it ended; null: it has not"`
	Read       int64       `json:"read" doc:"how many entries were read so far"`
	Total      int64       `json:"total" doc:"how many there were when it was asked for"`
	Sound      *bool       `json:"sound" doc:"whether nothing is wrong; null while that is not known"`
	Head       string      `json:"head" doc:"number and hash of the last entry, to be noted elsewhere; empty while it is not known"`
	Sealed     int64       `json:"sealed" doc:"number of the last entry that a signed checkpoint holds"`
	Problems   []string    `json:"problems" doc:"what is wrong, the first twenty"`
	More       int64       `json:"more" doc:"how many problems are not in the list"`
}

// verification is the name of the row of the installation that keeps it, and of its job.
const verification = "verification of the audit log"

// verifyArgs ask for a look at the whole audit log.
type verifyArgs struct{}

// Kind implements jobs.Args.
func (verifyArgs) Kind() string { return "audit verification" }

// AuditVerification tells how far the last look at the whole audit log is, for whoever holds
// policy.ReadAudit.
func AuditVerification(ctx context.Context, q db.Q) (*Verification, error) {
	v := &Verification{Problems: []string{}}
	text, err := db.One[string](ctx, q, `SELECT value FROM installation WHERE name = $1`, verification)
	switch {
	case fault.Is(err, fault.Missing):
		return v, nil
	case err == nil:
		err = json.Unmarshal([]byte(*text), v)
	}
	if err != nil {
		return nil, fmt.Errorf("read how far the verification is: %w", err)
	}
	return v, nil
}

func (v *Verification) write(ctx context.Context, q db.Q) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return db.SetInstallation(ctx, q, verification, string(text))
}

// VerifyAudit has the whole audit log looked at by a job, as lectern audit verify does, for whoever holds
// policy.VerifyAudit. One that is under way goes on.
func (s *Service) VerifyAudit(ctx context.Context) (*Verification, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*Verification, error) {
		if err := db.LockName(ctx, q, verification); err != nil {
			return nil, err
		}
		v, err := AuditVerification(ctx, q)
		if err != nil || v.AskedAt != nil && v.FinishedAt == nil {
			return v, err
		}
		total, err := db.One[int64](ctx, q, `SELECT coalesce((SELECT max(seq) FROM audit_entries), 0)
			- coalesce((SELECT min(seq) FROM audit_entries), 1) + 1`)
		if err != nil {
			return nil, err
		}
		now := q.Now()
		v = &Verification{AskedAt: &now, Total: max(*total, 0), Problems: []string{}}
		if _, err := jobs.Enqueue(ctx, q, verifyArgs{}, jobs.Options{Unique: verification, MaxAttempts: 3}); err != nil {
			return nil, err
		}
		if err := audit.Add(ctx, q, audit.Entry{Kind: audit.Job, Action: "audit_verification"}); err != nil {
			return nil, err
		}
		return v, v.write(ctx, q)
	})
}

// RegisterVerification makes the service the worker of its job.
func (s *Service) RegisterVerification(qu *jobs.Queue, l jobs.Limits) {
	jobs.Register(qu, s.verifyAudit, l)
}

// verifyAudit reads the whole log and writes down what it found, and now and then how far it is.
func (s *Service) verifyAudit(ctx context.Context, job jobs.Job, _ verifyArgs) error {
	v, err := AuditVerification(ctx, s.DB.Pool())
	if err != nil {
		return err
	}
	keys, err := submit.PublicKeys(ctx, s.DB.Pool())
	if err != nil {
		return err
	}
	found, err := audit.Verify(ctx, s.DB, keys.Check, nil, func(n int64) {
		v.Read = n
		// How far it is concerns only who waits: what it finds is written below.
		_ = s.DB.Brief(ctx, func(q db.Q) error { return v.write(ctx, q) })
	})
	if err != nil {
		return s.gaveUp(ctx, job, v, err)
	}
	return s.DB.Tx(ctx, func(q db.Q) error {
		now, sound := q.Now(), found.Sound()
		v.FinishedAt, v.Sound, v.Sealed, v.More = &now, &sound, found.Sealed, found.More
		v.Problems = append([]string{}, found.Problems...)
		if v.Read = 0; found.Last > 0 {
			v.Read = found.Last - found.First + 1
		}
		if found.Head != "" {
			v.Head = fmt.Sprintf("%d:%s", found.Last, found.Head)
		}
		if err := v.write(ctx, q); err != nil {
			return err
		}
		return job.Done(ctx, q)
	})
}

// gaveUp tells of a look that failed for the last time, so that another can be asked for.
func (s *Service) gaveUp(ctx context.Context, job jobs.Job, v *Verification, err error) error {
	if !job.Last() {
		return err
	}
	now := s.DB.Now()
	v.FinishedAt, v.Problems = &now, []string{"The log could not be read: " + err.Error()}
	return errors.Join(err, s.DB.Brief(context.WithoutCancel(ctx), func(q db.Q) error { return v.write(ctx, q) }))
}
