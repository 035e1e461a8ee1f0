package submit

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"sync"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

// PublicKey is a key that receipts can be checked with.
type PublicKey struct {
	ID        string      `db:"id" json:"id"`
	Algorithm string      `json:"algorithm"`                  // Ed25519
	Key       string      `db:"public_key" json:"public_key"` // base64 of its 32 bytes
	From      clock.Time  `db:"created_at" json:"from"`
	Until     *clock.Time `db:"retired_at" json:"until"` // null while it signs
}

// KeySet is what the service publishes, and what a receipt is checked with.
type KeySet struct {
	Current *PublicKey  `json:"current"` // null before the first submission
	Former  []PublicKey `json:"former"`
}

// PublicKeys gives all keys receipts were ever signed with.
func PublicKeys(ctx context.Context, q db.Q) (*KeySet, error) {
	set := &KeySet{Former: []PublicKey{}}
	for k, err := range db.Each[PublicKey](ctx, q, `SELECT id, public_key, created_at, retired_at
		FROM signing_keys ORDER BY created_at DESC, id`) {
		if err != nil {
			return nil, fmt.Errorf("read signing keys: %w", err)
		}
		k.Algorithm = "Ed25519"
		if k.Until == nil {
			set.Current = &k
		} else {
			set.Former = append(set.Former, k)
		}
	}
	return set, nil
}

// find gives the key of an id.
func (s *KeySet) find(id string) (ed25519.PublicKey, bool) {
	all := s.Former
	if s.Current != nil {
		all = append([]PublicKey{*s.Current}, all...)
	}
	for _, k := range all {
		if raw, err := base64.StdEncoding.DecodeString(k.Key); err == nil && len(raw) == ed25519.PublicKeySize &&
			keyID(raw) == id {
			return raw, true
		}
	}
	return nil, false
}

// ParseKeys reads a file of public keys: the set the service publishes, or one
// key in PEM.
func ParseKeys(data []byte) (*KeySet, error) {
	if block, _ := pem.Decode(data); block != nil {
		k, err := x509.ParsePKIXPublicKey(block.Bytes)
		public, ok := k.(ed25519.PublicKey)
		if err != nil || !ok {
			return nil, errors.New("the key file holds no Ed25519 public key")
		}
		return &KeySet{Current: &PublicKey{ID: keyID(public), Key: base64.StdEncoding.EncodeToString(public)}}, nil
	}
	var set KeySet
	if err := json.Unmarshal(data, &set); err != nil || set.Current == nil && len(set.Former) == 0 {
		return nil, errors.New("the key file is neither the published set of keys nor a public key in PEM")
	}
	return &set, nil
}

// ParsePrivateKey reads an Ed25519 private key in PEM, as
// openssl genpkey -algorithm ed25519 writes it.
func ParsePrivateKey(data []byte) (ed25519.PrivateKey, error) {
	block, _ := pem.Decode(data)
	if block == nil {
		return nil, errors.New("the receipt key is not in PEM; make one with: openssl genpkey -algorithm ed25519")
	}
	k, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	private, ok := k.(ed25519.PrivateKey)
	if err != nil || !ok {
		return nil, errors.New("the receipt key is not an Ed25519 private key; make one with: openssl genpkey " +
			"-algorithm ed25519")
	}
	return private, nil
}

func keyID(public ed25519.PublicKey) string {
	sum := sha256.Sum256(public)
	return hex.EncodeToString(sum[:8])
}

// Signer is the key that signs, under its id.
type Signer struct {
	id  string
	key ed25519.PrivateKey
}

// Sign gives the id of the key and its signature of a text, in base64.
func (s *Signer) Sign(text []byte) (keyID, signature string) {
	return s.id, base64.StdEncoding.EncodeToString(ed25519.Sign(s.key, text))
}

// Check tells whether a signature of a text, in base64, is one of the key of an
// id, which must be in the set.
func (s *KeySet) Check(keyID string, text []byte, signature string) error {
	public, ok := s.find(keyID)
	if !ok {
		return fmt.Errorf("its key %.40q is not among the given ones", keyID)
	}
	raw, err := base64.StdEncoding.DecodeString(signature)
	if err != nil || !ed25519.Verify(public, text, raw) {
		return errors.New("the signature does not fit")
	}
	return nil
}

// Keys holds the key that signs receipts: the one given, or one the database
// keeps. It is looked up at the first use.
type Keys struct {
	db     *db.DB
	given  ed25519.PrivateKey
	mu     sync.Mutex
	signer *Signer
}

// NewKeys prepares the signing with a given key; nil for the database's own.
func NewKeys(d *db.DB, given ed25519.PrivateKey) *Keys { return &Keys{db: d, given: given} }

// Signer gives the key that signs. Several instances that ask for it at once,
// for the first time, get the same one.
func (k *Keys) Signer(ctx context.Context) (*Signer, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.signer != nil {
		return k.signer, nil
	}
	var s *Signer
	err := k.db.Tx(ctx, func(q db.Q) (err error) {
		s, err = currentSigner(ctx, q, k.given)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("the key of receipts: %w", err)
	}
	k.signer = s
	return s, nil
}

// currentSigner finds or makes the current key. A given key that is not the
// current one takes its place, as does a new one where the given one is gone.
func currentSigner(ctx context.Context, q db.Q, given ed25519.PrivateKey) (*Signer, error) {
	if err := db.LockName(ctx, q, "receipt key"); err != nil {
		return nil, err
	}
	type row struct {
		ID   string  `db:"id"`
		Seed *string `db:"seed"`
	}
	now, err := db.All[row](ctx, q, `SELECT id, seed FROM signing_keys WHERE current`)
	if err != nil {
		return nil, err
	}
	switch {
	case given != nil && len(now) > 0 && now[0].ID == keyID(given.Public().(ed25519.PublicKey)):
		return &Signer{now[0].ID, given}, nil
	case given == nil && len(now) > 0 && now[0].Seed != nil:
		seed, err := base64.StdEncoding.DecodeString(*now[0].Seed)
		if err != nil || len(seed) != ed25519.SeedSize {
			return nil, errors.New("the stored key is damaged")
		}
		return &Signer{now[0].ID, ed25519.NewKeyFromSeed(seed)}, nil
	}
	return replaceKey(ctx, q, given)
}

// replaceKey retires the current key, if any, and makes another the current.
func replaceKey(ctx context.Context, q db.Q, given ed25519.PrivateKey) (*Signer, error) {
	var seed any
	key := given
	if key == nil {
		_, made, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			return nil, err
		}
		key, seed = made, base64.StdEncoding.EncodeToString(made.Seed())
	}
	public := key.Public().(ed25519.PublicKey)
	if _, err := db.Exec(ctx, q, `UPDATE signing_keys SET current = FALSE, retired_at = $1 WHERE current`,
		q.Now()); err != nil {
		return nil, err
	}
	_, err := db.Exec(ctx, q, `INSERT INTO signing_keys (id, public_key, seed, current, created_at)
		VALUES ($1, $2, $3, TRUE, $4)
		ON CONFLICT (id) DO UPDATE SET current = TRUE, retired_at = NULL`,
		keyID(public), base64.StdEncoding.EncodeToString(public), seed, q.Now())
	return &Signer{keyID(public), key}, err
}
