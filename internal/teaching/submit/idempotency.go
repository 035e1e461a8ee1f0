package submit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
)

// keyLife is how long the answer to a request with a key is kept.
const keyLife = 24 * time.Hour

var plainKey = regexp.MustCompile(`^[!-~]{1,255}$`)

// CheckKey refuses a key that is not 1 to 255 visible ASCII characters; none at
// all is fine.
func CheckKey(key string) error {
	if key != "" && !plainKey.MatchString(key) {
		return fault.Field(fault.Invalid, "Idempotency-Key", "must be 1 to 255 visible ASCII characters")
	}
	return nil
}

// claimKey takes the key for this request, or gives what the earlier request
// with it was answered. A request that comes while the earlier one is under way
// waits for its end. fault.Conflict when the earlier one asked for something
// else.
func (h *Request) claimKey(ctx context.Context, q db.Q) (*Result, error) {
	if h.Key == "" {
		return nil, nil //nolint:nilnil // nothing to claim
	}
	hash, err := h.hash()
	if err != nil {
		return nil, err
	}
	args := []any{h.By.UserID, h.ProjectID, h.DefinitionID, h.Key}
	const mine = `user_id = $1 AND project_id = $2 AND task_definition_id = $3 AND key = $4`
	if _, err := db.Exec(ctx, q, `DELETE FROM idempotency_keys WHERE `+mine+` AND created_at < $5`,
		append(args, outdated(q.Now()))...); err != nil {
		return nil, err
	}
	n, err := db.Exec(ctx, q, `INSERT INTO idempotency_keys (user_id, project_id, task_definition_id, key,
		request_hash, answer, created_at)
		VALUES ($1, $2, $3, $4, $5, '', $6) ON CONFLICT DO NOTHING`, append(args, hash, q.Now())...)
	if err != nil || n > 0 {
		return nil, err
	}
	type earlier struct {
		Hash   string `db:"request_hash"`
		Answer string `db:"answer"`
	}
	e, err := db.One[earlier](ctx, q, `SELECT request_hash, answer FROM idempotency_keys WHERE `+mine, args...)
	if err != nil {
		return nil, err
	}
	if e.Hash != hash {
		return nil, fault.New(fault.Conflict, "This Idempotency-Key was used for another upload to this task. Send "+
			"the new upload with a new key.")
	}
	var out Result
	return &out, json.Unmarshal([]byte(e.Answer), &out)
}

// hash stands for all that the request asks for.
func (h *Request) hash() (string, error) {
	asked := *h
	asked.Key = ""
	text, err := json.Marshal(asked)
	if err != nil {
		return "", fmt.Errorf("hash the request: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// keepAnswer remembers the answer under the key.
func (h *Request) keepAnswer(ctx context.Context, q db.Q, r *Result) error {
	if h.Key == "" {
		return nil
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, q, `UPDATE idempotency_keys SET answer = $5
		WHERE user_id = $1 AND project_id = $2 AND task_definition_id = $3 AND key = $4`,
		h.By.UserID, h.ProjectID, h.DefinitionID, h.Key, string(text))
	return err
}

func outdated(now clock.Time) clock.Time { return clock.At(now.Add(-keyLife)) }

// pruneAtOnce keeps the transactions that delete short.
const pruneAtOnce = 1000

// Prune forgets some of the keys of requests that nobody repeats any more, and tells how many.
// It is for the job that cleans up.
func Prune(ctx context.Context, q db.Q) (int64, error) {
	return db.Exec(ctx, q, `DELETE FROM idempotency_keys WHERE (user_id, project_id, task_definition_id, key) IN
		(SELECT user_id, project_id, task_definition_id, key FROM idempotency_keys WHERE created_at < $1
		ORDER BY created_at LIMIT $2)`,
		outdated(q.Now()), pruneAtOnce)
}
