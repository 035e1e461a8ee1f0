package webhook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// sign proves that a delivery comes from whoever knows the secret, and when it
// was made: the receiver computes HMAC-SHA256 over the timestamp, a dot and the
// body, compares, and refuses timestamps that are old.
func sign(secret string, timestamp int64, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(strconv.FormatInt(timestamp, 10) + "."))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// newSecret makes a secret nobody can guess.
func newSecret() string { return rand.Text() + rand.Text() }
