package saml

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"time"
)

// keyName is where the installation keeps the key of requests.
const keyName = "saml request key"

// requestLife is how long somebody may take to sign in at the provider.
const requestLife = 30 * time.Minute

const (
	idEnd   = 8       // bytes of the time at which a request's id ends
	idFree  = 8 + 12  // with those that are random
	idPlain = 20 + 16 // with those of the browser
	idWhole = 36 + 16 // with the proof
)

// newRequestID gives the id of a request: the time it ends, chance, what the secret of
// the browser makes of both, and a proof that all are ours. An XML id begins with no digit.
func newRequestID(key []byte, now time.Time, browser string) string {
	b := binary.BigEndian.AppendUint64(nil, uint64(now.Add(requestLife).Unix()))
	b = append(b, make([]byte, idFree-idEnd)...)
	rand.Read(b[idEnd:]) //nolint:errcheck // it never fails
	b = append(b, idProof(key, "saml browser "+browser+" ", b)...)
	return "_" + hex.EncodeToString(append(b, idProof(key, "saml request ", b)...))
}

func idProof(key []byte, of string, plain []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(of))
	mac.Write(plain)
	return mac.Sum(nil)[:16]
}

// beganIn tells whether a request, which was read, was made for a browser.
func beganIn(key []byte, id, browser string) bool {
	b, err := hex.DecodeString(strings.TrimPrefix(id, "_"))
	return err == nil && len(b) == idWhole &&
		hmac.Equal(b[idFree:idPlain], idProof(key, "saml browser "+browser+" ", b[:idFree]))
}

// readRequestID refuses an id that is not ours or has ended, and tells its end.
func readRequestID(key []byte, id string, now time.Time) (end time.Time, err error) {
	text, marked := strings.CutPrefix(id, "_")
	b, err := hex.DecodeString(text)
	if !marked || err != nil || len(b) != idWhole || !hmac.Equal(b[idPlain:], idProof(key, "saml request ", b[:idPlain])) {
		return end, refuse("it answers no request of ours")
	}
	end = time.Unix(int64(binary.BigEndian.Uint64(b)), 0).UTC()
	if !end.After(now) {
		return end, saying(saysLate, "it answers a request that ended at %s", end.Format(time.RFC3339))
	}
	return end, nil
}
