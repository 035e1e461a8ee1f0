// Package totp computes the codes of authenticator apps: six digits that a shared
// secret gives for every half minute (RFC 6238 over RFC 4226, with SHA-1, as all
// apps take it).
package totp

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1" //nolint:gosec // RFC 6238's default, and the only one that every app computes
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/url"
	"strings"
	"time"
)

const (
	period = 30 * time.Second
	// Digits is the length of a code.
	Digits = 6
	// drift is how many steps a clock may be off, either way.
	drift = 1
)

var encoding = base32.StdEncoding.WithPadding(base32.NoPadding)

// NewSecret gives a secret of 160 random bits, as people type it into an app.
func NewSecret() string {
	b := make([]byte, sha1.Size)
	rand.Read(b) //nolint:errcheck // never fails
	return encoding.EncodeToString(b)
}

// Step is the number of the half minute t lies in.
func Step(t time.Time) int64 { return t.Unix() / int64(period/time.Second) }

// Code gives the code of a step. It fails when the secret is none.
func Code(secret string, step int64) (string, error) {
	key, err := encoding.DecodeString(strings.ToUpper(secret))
	if err != nil {
		return "", fmt.Errorf("read the secret of a second factor: %w", err)
	}
	return code(key, step), nil
}

func code(key []byte, step int64) string {
	mac := hmac.New(sha1.New, key)
	_ = binary.Write(mac, binary.BigEndian, step) // a hash takes all
	sum := mac.Sum(nil)
	at := sum[len(sum)-1] & 0x0f
	return fmt.Sprintf("%0*d", Digits, binary.BigEndian.Uint32(sum[at:])&0x7fffffff%1_000_000)
}

// Match finds the step, around that of now and after the step last, whose code was
// given; 0 when there is none. It takes as long for a wrong code as for a right one.
func Match(secret, given string, now time.Time, last int64) (int64, error) {
	key, err := encoding.DecodeString(strings.ToUpper(secret))
	if err != nil {
		return 0, fmt.Errorf("read the secret of a second factor: %w", err)
	}
	var found int64
	for s := Step(now) - drift; s <= Step(now)+drift; s++ {
		if subtle.ConstantTimeCompare([]byte(code(key, s)), []byte(given)) == 1 && s > last {
			found = s
		}
	}
	return found, nil
}

// URI is what an app reads from a picture: the secret, with whose it is where.
func URI(issuer, account, secret string) string {
	v := url.Values{"secret": {secret}, "issuer": {issuer}, "algorithm": {"SHA1"}, "digits": {fmt.Sprint(Digits)},
		"period": {fmt.Sprint(int(period / time.Second))}}
	label := strings.ReplaceAll(issuer, ":", " ") + ":" + account
	// Apps read + as itself, so spaces go as %20.
	return "otpauth://totp/" + url.PathEscape(label) + "?" + strings.ReplaceAll(v.Encode(), "+", "%20")
}
