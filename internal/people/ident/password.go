package ident

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/bcrypt"
)

// cost is the work of an Argon2id hash.
type cost struct {
	memory, time uint32 // KiB, rounds
	threads      uint8
}

// present is what new passwords are hashed with; stored ones of another cost
// are hashed anew when their owner signs in.
var present = cost{memory: 19 << 10, time: 2, threads: 1}

const (
	saltSize = 16
	keySize  = 32
	// maxBcrypt bounds the work an imported hash can ask for: each step doubles it.
	maxBcrypt = 14
	maxMemory = 256 << 10
)

// derive is Argon2id; tests count its runs.
type derive func(password, salt []byte, c cost) []byte

func argon(password, salt []byte, c cost) []byte {
	return argon2.IDKey(password, salt, c.time, c.memory, c.threads, keySize)
}

// seal gives the text a password is stored as: a PHC string.
func (d derive) seal(password string) string {
	salt := make([]byte, saltSize)
	rand.Read(salt) //nolint:errcheck // never fails
	key := d([]byte(password), salt, present)
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, present.memory, present.time,
		present.threads,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(key))
}

// dummy is a seal no password opens. Whoever has no password, or no account, is
// checked against it, so that the answer takes as long as for anybody else.
var dummy = sealed{cost: present, salt: make([]byte, saltSize), key: make([]byte, keySize)}

// opens tells whether password is the one stored, and whether the stored text
// should be replaced by a new seal. Nil is nobody's password.
func (d derive) opens(stored *string, password string) (ok, stale bool) {
	if stored != nil && strings.HasPrefix(*stored, "$2") {
		return d.opensBcrypt(*stored, password)
	}
	s, known := dummy, false
	if stored != nil {
		if parsed, ok := parseSeal(*stored); ok {
			s, known = parsed, true
		}
	}
	equal := subtle.ConstantTimeCompare(d([]byte(password), s.salt, s.cost), s.key) == 1
	return equal && known, s.cost != present
}

// opensBcrypt serves accounts that came from elsewhere. An unreasonable cost is
// taken for no password at all.
func (d derive) opensBcrypt(stored, password string) (ok, stale bool) {
	if n, err := bcrypt.Cost([]byte(stored)); err != nil || n > maxBcrypt {
		return d.opens(nil, password)
	}
	return bcrypt.CompareHashAndPassword([]byte(stored), []byte(password)) == nil, true
}

// sealed is a stored password, taken apart.
type sealed struct {
	cost      cost
	salt, key []byte
}

func parseSeal(text string) (s sealed, ok bool) {
	parts := strings.Split(text, "$")
	if len(parts) != 6 || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return s, false
	}
	c := &s.cost
	if n, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &c.memory, &c.time, &c.threads); err != nil || n != 3 {
		return s, false
	}
	var errSalt, errKey error
	s.salt, errSalt = base64.RawStdEncoding.DecodeString(parts[4])
	s.key, errKey = base64.RawStdEncoding.DecodeString(parts[5])
	sane := c.memory <= maxMemory && c.time > 0 && c.time <= 10 && c.threads > 0
	return s, sane && errSalt == nil && errKey == nil && len(s.key) == keySize
}
