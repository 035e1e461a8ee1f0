package oidc

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"time"
)

// stateLife is how long somebody may take to sign in at the provider.
const stateLife = 10 * time.Minute

const (
	stateEnd   = 8      // bytes of the time at which a state ends
	statePlain = 8 + 16 // with those that are random
	stateProof = 32
	mostNext   = 512 // bytes of where somebody goes on to, which stands between both
)

// begun is a sign-in on its way: what goes through the provider and back, with where the
// browser goes on to afterwards. All of it
// follows from the state and the browser's own secret, so that nothing is written
// down, and a state that another browser brings is worth nothing.
type begun struct {
	state, nonce, verifier string
	next                   string
	end                    time.Time
}

// begin begins a sign-in for the browser with a secret.
func begin(key []byte, browser, next string, now time.Time) begun {
	b := binary.BigEndian.AppendUint64(nil, uint64(now.Add(stateLife).Unix()))
	b = append(b, make([]byte, statePlain-stateEnd)...)
	rand.Read(b[stateEnd:]) //nolint:errcheck // it never fails
	if len(next) <= mostNext {
		b = append(b, next...)
	}
	return derive(key, browser, b)
}

// resume gives the sign-in that a state belongs to; not ok where it is not ours, has
// ended, or is another browser's.
func resume(key []byte, browser, state string, now time.Time) (s begun, ok bool) {
	b, err := base64.RawURLEncoding.DecodeString(state)
	if err != nil || len(b) < statePlain+stateProof || len(b) > statePlain+mostNext+stateProof || browser == "" {
		return s, false
	}
	s = derive(key, browser, b[:len(b)-stateProof])
	return s, subtle.ConstantTimeCompare([]byte(s.state), []byte(state)) == 1 && s.end.After(now)
}

func derive(key []byte, browser string, plain []byte) begun {
	prove := func(what string) []byte {
		mac := hmac.New(sha256.New, key)
		for _, part := range [][]byte{[]byte(what), plain, []byte(browser)} {
			mac.Write(binary.BigEndian.AppendUint32(nil, uint32(len(part))))
			mac.Write(part)
		}
		return mac.Sum(nil)
	}
	text := base64.RawURLEncoding.EncodeToString
	return begun{state: text(append(append([]byte(nil), plain...), prove("oidc state")...)),
		nonce: text(prove("oidc nonce")), verifier: text(prove("oidc verifier")),
		next: string(plain[statePlain:]), end: time.Unix(int64(binary.BigEndian.Uint64(plain)), 0).UTC()}
}
