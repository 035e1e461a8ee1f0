package similarity

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/submit"
)

// Validity is how long the address of a page is good.
const Validity = 60 * time.Second

// Ticket is what the address of a page holds: which page, and for whom. It is
// signed, and whoever has it sees what its holder may still see.
type Ticket struct {
	For       string     `json:"for"` // this and nothing else that the same key signs
	ID        int64      `json:"id"`
	TaskID    int64      `json:"task"`
	UserID    int64      `json:"user"`
	SessionID int64      `json:"session"`
	Until     clock.Time `json:"until"`
}

const purpose = "similarity page"

// Seal makes the address of a record's page for a caller.
func Seal(s *submit.Signer, who *access.Caller, taskID, id int64, now clock.Time) (string, error) {
	body, err := json.Marshal(Ticket{purpose, id, taskID, who.ID, who.SessionID, clock.At(now.Add(Validity))})
	if err != nil {
		return "", err
	}
	key, signature := s.Sign(body)
	raw, err := base64.StdEncoding.DecodeString(signature)
	if err != nil {
		return "", err
	}
	return strings.Join([]string{key, encode(body), encode(raw)}, "."), nil
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// Open gives what an address made by Seal is for. It is fault.Missing where the
// address is not ours or its time is over.
func Open(ctx context.Context, q db.Q, token string) (*Ticket, error) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return nil, errStale()
	}
	body, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return nil, errStale()
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil {
		return nil, errStale()
	}
	keys, err := submit.PublicKeys(ctx, q)
	if err != nil {
		return nil, err
	}
	var t Ticket
	if keys.Check(parts[0], body, base64.StdEncoding.EncodeToString(signature)) != nil ||
		json.Unmarshal(body, &t) != nil || t.For != purpose || !t.Until.After(q.Now().Time) {
		return nil, errStale()
	}
	return &t, nil
}

func errStale() error {
	return fault.New(fault.Missing, "This link is wrong or has expired. Open the comparison from the task again.")
}
