package saml

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

// spend notes that an assertion, and the request it answers, have been used. On any
// instance and at any time the first wins.
func spend(ctx context.Context, q db.Q, p *Proof) error {
	for _, s := range p.once { // two at most
		sum := sha256.Sum256([]byte(s.name))
		n, err := db.Exec(ctx, q, `INSERT INTO spent_proofs (name, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
			hex.EncodeToString(sum[:]), clock.At(s.until))
		if err != nil {
			return err
		}
		if n == 0 {
			return saying(saysUsed, "it was used before: %s", s.name)
		}
	}
	return nil
}

// single is something that is good once, until the time at which it is good no more.
type single struct {
	name  string
	until time.Time
}

// pruneAtOnce bounds how long a prune holds the writer.
const pruneAtOnce = 5000

// Prune forgets what is too old to be used again, a bounded number at a time. It
// tells how many rows went: call it again, in a new transaction, until that is 0.
func Prune(ctx context.Context, q db.Q) (int64, error) {
	return db.Exec(ctx, q, `DELETE FROM spent_proofs WHERE name IN
		(SELECT name FROM spent_proofs WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)`, q.Now(), pruneAtOnce)
}
