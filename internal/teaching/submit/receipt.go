package submit

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"lectern/internal/ground/canonical"
	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

// Receipt proves what was handed in and when: Body, in its canonical form, is
// signed. Each names the hash of the one before it in the unit, so that none can
// be taken out, added or dated back without breaking the chain.
type Receipt struct {
	Body      json.RawMessage `json:"body"`
	Hash      string          `json:"hash"` // SHA-256 of the canonical body
	KeyID     string          `json:"key_id"`
	Signature string          `json:"signature"` // Ed25519, base64
}

// ReceiptBody is what a receipt says.
type ReceiptBody struct {
	Type         string        `json:"type"` // lectern-receipt-1
	Service      string        `json:"service"`
	Unit         ReceiptUnit   `json:"unit"`
	Task         ReceiptTask   `json:"task"`
	ProjectID    int64         `json:"project_id"`
	Student      string        `json:"student"`      // user name
	SubmittedBy  string        `json:"submitted_by"` // user name
	Group        []int64       `json:"group"`        // projects it was handed in for, when more than one
	SubmissionID int64         `json:"submission_id"`
	SubmittedAt  clock.Time    `json:"submitted_at"`
	Files        []ReceiptFile `json:"files"`
	Sequence     int64         `json:"sequence"` // in the unit, without gaps
	Previous     string        `json:"previous"` // hash of the receipt before; empty for the first
	Restart      *Restart      `json:"restart,omitempty"`
}

// Restart is said by the first receipt of a unit after the installation was restored from a
// backup: between the two moments others may have been given, under the same numbers as this one
// and those that follow it. The receipt before it is the last one that the backup holds.
type Restart struct {
	From       clock.Time `json:"backup_of"`
	RestoredAt clock.Time `json:"restored_at"`
}

// ReceiptUnit names the unit of a receipt.
type ReceiptUnit struct {
	ID   int64  `json:"id"`
	Code string `json:"code"`
}

// ReceiptTask names the task of a receipt.
type ReceiptTask struct {
	ID           int64  `json:"id"`
	DefinitionID int64  `json:"task_definition_id"`
	Abbreviation string `json:"abbreviation"`
	Name         string `json:"name"`
}

// ReceiptFile is a file that was handed in.
type ReceiptFile struct {
	Key    string `json:"key"`
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
}

const receiptType = "lectern-receipt-1"

// end is the last receipt of a unit; the zero value before the first.
type end struct {
	Sequence int64  `db:"sequence"`
	Hash     string `db:"hash"`
	// Both are set where nothing was issued yet since the installation was restored.
	RestoredFrom *clock.Time `db:"restored_from"`
	RestoredAt   *clock.Time `db:"restored_at"`
}

// issue adds a receipt to the unit's chain, whose end was last a moment ago. From here
// on the end is held until the transaction is over, so this comes last: others of the
// unit wait for it. What was signed is signed again where one of them came first.
func issue(ctx context.Context, q db.Q, s *Signer, b ReceiptBody, last end) (*Receipt, error) {
	r, err := s.extend(ctx, q, &b, last)
	if err == nil && r == nil {
		if last, err = heldEnd(ctx, q, b.Unit.ID); err == nil {
			r, err = s.extend(ctx, q, &b, last)
		}
	}
	if err == nil && r == nil {
		err = errors.New("its end moved while it was held")
	}
	if err != nil {
		return nil, fmt.Errorf("the chain of receipts: %w", err)
	}
	if _, err = db.Exec(ctx, q, `INSERT INTO receipts (unit_id, sequence, submission_id, body, hash, signature, key_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`, b.Unit.ID, b.Sequence, b.SubmissionID, string(r.Body), r.Hash,
		r.Signature, r.KeyID); err != nil {
		return nil, fmt.Errorf("write the receipt: %w", err)
	}
	return r, nil
}

// extend signs a receipt that follows last, and makes it the end of its chain; nil when
// the chain ends elsewhere by now.
func (s *Signer) extend(ctx context.Context, q db.Q, b *ReceiptBody, last end) (*Receipt, error) {
	b.Type, b.Sequence, b.Previous, b.Restart = receiptType, last.Sequence+1, last.Hash, nil
	if last.RestoredFrom != nil && last.RestoredAt != nil {
		b.Restart = &Restart{*last.RestoredFrom, *last.RestoredAt}
	}
	r, err := s.sign(*b)
	if err != nil {
		return nil, err
	}
	n, err := db.Exec(ctx, q, `INSERT INTO receipt_chains (unit_id, sequence, hash) VALUES ($1, $2, $3)
		ON CONFLICT (unit_id) DO UPDATE SET sequence = excluded.sequence, hash = excluded.hash,
			restored_from = NULL, restored_at = NULL
		WHERE receipt_chains.sequence = excluded.sequence - 1`, b.Unit.ID, b.Sequence, r.Hash)
	if err != nil || n == 0 {
		return nil, err
	}
	return r, nil
}

// heldEnd gives the end of a unit's chain and holds it.
func heldEnd(ctx context.Context, q db.Q, unitID int64) (end, error) {
	text := `SELECT sequence, hash, restored_from, restored_at FROM receipt_chains WHERE unit_id = $1`
	if q.Postgres() {
		text += ` FOR NO KEY UPDATE`
	}
	last, err := db.One[end](ctx, q, text, unitID)
	if err != nil {
		return end{}, err
	}
	return *last, nil
}

func (s *Signer) sign(b ReceiptBody) (*Receipt, error) {
	text, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	body, err := canonical.JSON(text)
	if err != nil {
		return nil, err
	}
	id, signature := s.Sign(body)
	return &Receipt{Body: body, Hash: hashOf(body), KeyID: id, Signature: signature}, nil
}

func hashOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// ErrForged says that a receipt was not signed as it stands.
var ErrForged = errors.New("the signature does not fit: the receipt was changed, or was never issued by this service")

// Verify checks a receipt, given as the JSON text the service answered with, or
// the whole answer of the submission, and gives what it says.
func Verify(data []byte, keys *KeySet) (*ReceiptBody, error) {
	r, err := parseReceipt(data)
	if err != nil {
		return nil, err
	}
	return r.check(keys)
}

func (r *Receipt) check(keys *KeySet) (*ReceiptBody, error) {
	body, err := canonical.JSON(r.Body)
	if err != nil {
		return nil, fmt.Errorf("the body of the receipt cannot be read: %w", err)
	}
	public, ok := keys.find(r.KeyID)
	if !ok {
		return nil, fmt.Errorf("the receipt names the key %.40q, which is not among the given ones; fetch "+
			"the published keys again", r.KeyID)
	}
	signature, err := base64.StdEncoding.DecodeString(r.Signature)
	if err != nil || !ed25519.Verify(public, body, signature) {
		return nil, ErrForged
	}
	if r.Hash != hashOf(body) {
		return nil, errors.New("the hash beside the receipt is not that of its body; the signature itself fits")
	}
	var b ReceiptBody
	if err := json.Unmarshal(body, &b); err != nil || b.Type != receiptType {
		return nil, fmt.Errorf("this is no receipt this program knows (type %.40q)", b.Type)
	}
	return &b, nil
}

// VerifyAll checks every receipt on record: its signature, its hash, and that it follows the one
// before it in its unit. It tells how many there are.
func VerifyAll(ctx context.Context, q db.Q, keys *KeySet) (n int64, err error) {
	type row struct {
		Unit      int64  `db:"unit_id"`
		Sequence  int64  `db:"sequence"`
		Body      string `db:"body"`
		Hash      string `db:"hash"`
		Signature string `db:"signature"`
		KeyID     string `db:"key_id"`
	}
	before := map[int64]end{}
	for r, err := range db.Each[row](ctx, q, `SELECT unit_id, sequence, body, hash, signature, key_id FROM receipts
		ORDER BY unit_id, sequence`) {
		if err != nil {
			return n, fmt.Errorf("read the receipts: %w", err)
		}
		body, err := (&Receipt{json.RawMessage(r.Body), r.Hash, r.KeyID, r.Signature}).check(keys)
		last := before[r.Unit]
		if err == nil && (body.Previous != last.Hash || body.Sequence != last.Sequence+1) {
			err = errors.New("it does not follow the one before it")
		}
		if err != nil {
			return n, fmt.Errorf("receipt %d of unit %d: %w", r.Sequence, r.Unit, err)
		}
		before[r.Unit] = end{Sequence: r.Sequence, Hash: r.Hash}
		n++
	}
	return n, nil
}

func parseReceipt(data []byte) (*Receipt, error) {
	var outer struct {
		Receipt
		Inner *Receipt `json:"receipt"`
	}
	if err := json.Unmarshal(data, &outer); err != nil {
		return nil, fmt.Errorf("the file is not JSON: %w", err)
	}
	if outer.Inner != nil {
		return outer.Inner, nil
	}
	if outer.Body == nil {
		return nil, errors.New("the file holds no receipt")
	}
	return &outer.Receipt, nil
}

// Words say what a receipt that was checked proves.
func (b *ReceiptBody) Words() string {
	var w strings.Builder
	fmt.Fprintf(&w, "%s states that on %s\n", b.Service, b.SubmittedAt.Format("Monday 2 January 2006 at 15:04:05.000 "+
		"UTC"))
	fmt.Fprintf(&w, "%s handed in task %s %q of unit %s (project %d, submission %d)", b.Student, b.Task.Abbreviation,
		b.Task.Name, b.Unit.Code, b.ProjectID, b.SubmissionID)
	if b.SubmittedBy != b.Student {
		fmt.Fprintf(&w, ", sent by %s", b.SubmittedBy)
	}
	if len(b.Group) > 1 {
		fmt.Fprintf(&w, ",\nfor a group of the projects %s", strings.Trim(fmt.Sprint(b.Group), "[]"))
	}
	fmt.Fprintf(&w, ".\nThe files were:\n")
	for _, f := range b.Files {
		fmt.Fprintf(&w, "  %s %q, %d bytes, SHA-256 %s\n", f.Key, f.Name, f.Size, f.SHA256)
	}
	if len(b.Files) == 0 {
		fmt.Fprintln(&w, "  none: the task asks for none.")
	}
	fmt.Fprintf(&w, "It is receipt number %d of the unit", b.Sequence)
	if b.Previous != "" {
		fmt.Fprintf(&w, " and follows the one with the hash %s", b.Previous)
	}
	w.WriteString(".\n")
	if r := b.Restart; r != nil {
		fmt.Fprintf(&w, "It is the first since the service was restored on %s from its backup of %s: receipts that it gave "+
			"in between are not in this chain.\n", r.RestoredAt.Format(restartLayout), r.From.Format(restartLayout))
	}
	return w.String()
}

const restartLayout = "2 January 2006 at 15:04 UTC"

// TellRestart sees to it that each unit's next receipt says that the installation was restored
// from a backup, where it was and nobody has done so yet. It is part of the start of
// the service.
func TellRestart(ctx context.Context, d *db.DB) error {
	return d.Tx(ctx, func(q db.Q) error {
		from, err := db.TakeRestored(ctx, q)
		if err != nil || from == nil {
			return err
		}
		_, err = db.Exec(ctx, q, `UPDATE receipt_chains SET restored_from = $1, restored_at = $2`, *from, q.Now())
		return err
	})
}
