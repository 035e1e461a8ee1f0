package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"lectern/internal/ground/canonical"
	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

// Signer signs checkpoints, with a key known by an id.
type Signer interface {
	Sign(text []byte) (keyID, signature string)
}

// Checkpoint is a signed statement that the entry of a number has a hash. Whoever
// removes the end of the chain, or writes it anew, contradicts it.
type Checkpoint struct {
	Seq       int64      `db:"seq"`
	Hash      string     `db:"hash"`
	At        clock.Time `db:"at"`
	Start     bool       `db:"start"` // the entries up to this one were removed
	KeyID     string     `db:"key_id"`
	Signature string     `db:"signature"`
}

const checkpointColumns = `seq, hash, at, start, key_id, signature`

// text is what is signed.
func (c *Checkpoint) text() ([]byte, error) {
	text, err := json.Marshal(map[string]any{"type": "lectern-audit-1", "seq": c.Seq, "hash": c.Hash, "at": c.At,
		"start": c.Start})
	if err != nil {
		return nil, err
	}
	return canonical.JSON(text)
}

// write signs and stores the checkpoint, in the place of one of the same number.
func (c *Checkpoint) write(ctx context.Context, q db.Q, s Signer) error {
	text, err := c.text()
	if err != nil {
		return err
	}
	c.KeyID, c.Signature = s.Sign(text)
	_, err = db.Exec(ctx, q, `INSERT INTO audit_checkpoints (`+checkpointColumns+`) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (seq) DO UPDATE SET hash = excluded.hash, at = excluded.at, start = excluded.start,
			key_id = excluded.key_id, signature = excluded.signature`,
		c.Seq, c.Hash, c.At, c.Start, c.KeyID, c.Signature)
	return err
}

// Seal writes a checkpoint at the end of the chain and gives it; nil when the end
// has one. It fails with ErrShort when an earlier checkpoint lies behind the end.
func Seal(ctx context.Context, d *db.DB, s Signer) (made *Checkpoint, err error) {
	err = d.Brief(ctx, func(q db.Q) error {
		made = nil
		if err := lock(ctx, q); err != nil {
			return err
		}
		last, err := endOf(ctx, q)
		if err != nil {
			return err
		}
		before, err := db.One[int64](ctx, q, `SELECT coalesce(max(seq), 0) FROM audit_checkpoints`)
		switch {
		case err != nil:
			return err
		case *before > last.Seq:
			return ErrShort
		case *before == last.Seq:
			return nil
		}
		made = &Checkpoint{Seq: last.Seq, Hash: last.Hash, At: q.Now()}
		return made.write(ctx, q, s)
	})
	if err != nil {
		return nil, fmt.Errorf("seal the audit chain: %w", err)
	}
	return made, nil
}

// ErrShort says that the chain ends before a checkpoint that was signed.
var ErrShort = fmt.Errorf("entries are missing at the end of the audit log; look closer with: lectern audit verify")

// removeAtOnce keeps the transactions that remove entries short.
const removeAtOnce = 2000

// Prune removes the entries older than keep and tells how many. A signed
// checkpoint takes their place, so that the rest of the chain still verifies; the
// last entry always stays. What it does is an entry, too.
func Prune(ctx context.Context, d *db.DB, s Signer, keep time.Duration) (total int64, err error) {
	old := clock.At(d.Now().Add(-keep))
	for {
		var n int64
		if err := d.Tx(ctx, func(q db.Q) (err error) {
			n, err = prune(ctx, q, s, old)
			return err
		}); err != nil {
			return total, fmt.Errorf("remove old audit entries: %w", err)
		}
		if total += n; n == 0 {
			return total, nil
		}
	}
}

func prune(ctx context.Context, q db.Q, s Signer, old clock.Time) (int64, error) {
	if err := lock(ctx, q); err != nil {
		return 0, err
	}
	// The last entry of the first few that is older than all that stay.
	found, err := db.All[end](ctx, q, `SELECT seq, hash FROM audit_entries WHERE seq = (
		SELECT max(seq) FROM (SELECT seq FROM audit_entries ORDER BY seq LIMIT $2) AS few
		WHERE seq < (SELECT coalesce(min(seq), (SELECT max(seq) FROM audit_entries)) FROM audit_entries
			WHERE at >= $1))`, old, removeAtOnce)
	if err != nil || len(found) == 0 {
		return 0, err
	}
	start := Checkpoint{Seq: found[0].Seq, Hash: found[0].Hash, At: q.Now(), Start: true}
	if _, err := db.Exec(ctx, q, `DELETE FROM audit_checkpoints WHERE seq < $1`, start.Seq); err != nil {
		return 0, err
	}
	if err := start.write(ctx, q, s); err != nil {
		return 0, err
	}
	n, err := db.Exec(ctx, q, `DELETE FROM audit_entries WHERE seq <= $1`, start.Seq)
	if err != nil {
		return 0, err
	}
	return n, Add(ctx, q, Entry{Kind: Retention, Action: Deleted, RecordID: start.Seq})
}

// Forget removes the network addresses of entries older than keep and tells how
// many. They stand beside the chain, which stays as it is.
func Forget(ctx context.Context, d *db.DB, keep time.Duration) (total int64, err error) {
	old := clock.At(d.Now().Add(-keep))
	for {
		var n int64
		if err := d.Tx(ctx, func(q db.Q) (err error) {
			n, err = db.Exec(ctx, q, `UPDATE audit_entries SET address = NULL WHERE seq IN (
				SELECT seq FROM audit_entries WHERE address IS NOT NULL AND at < $1 ORDER BY at LIMIT $2)`,
				old, removeAtOnce)
			return err
		}); err != nil {
			return total, fmt.Errorf("forget old network addresses: %w", err)
		}
		if total += n; n < removeAtOnce {
			return total, nil
		}
	}
}
