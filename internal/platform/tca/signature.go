package tca

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

// Sign gives the signature of a notification: the HMAC-SHA256 of its bytes, in
// lower-case hex.
func Sign(key string, body []byte) string { return hex.EncodeToString(mac(key, body)) }

// Signed tells in constant time whether a signature is that of the bytes. Nothing is
// signed with an empty key.
func Signed(key, signature string, body []byte) bool {
	got, err := hex.DecodeString(signature)
	return key != "" && err == nil && hmac.Equal(got, mac(key, body))
}

func mac(key string, body []byte) []byte {
	m := hmac.New(sha256.New, []byte(key))
	m.Write(body)
	return m.Sum(nil)
}
