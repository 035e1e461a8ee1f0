package submit

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"sync"

	"lectern/internal/ground/canonical"
)

// The digits of a receipt are the receipt as one long number: a QR code holds digits in less
// than half the room of other characters, and an address takes them as they are. The number's
// bytes are the form below, then the key, the signature and the body, packed. What the hash of
// a receipt is follows from its body.

// digitsForm is the first byte of the number. Another form of packing gets another byte:
// receipts are printed, and are to be read for good.
const digitsForm = 1

// digitsWords is what receipts say in common, which the packed form need not repeat. It is a
// part of the form and never changes.
const digitsWords = `{"body":{"files":[{"key":"file0","name":"main.pdf","sha256":"","size":1}],"group":[],` +
	`"previous":"","project_id":1,"sequence":1,"service":"Lectern","student":"","submission_id":1,` +
	`"submitted_at":"2026-01-01T00:00:00.000Z","submitted_by":"","task":{"abbreviation":"1.1P",` +
	`"id":1,"name":"","task_definition_id":1},"type":"lectern-receipt-1","unit":{"code":"",` +
	`"id":1}},"key_id":"","signature":""}`

// maxDigits bounds what a receipt may unpack to: that of twenty files with long names has a
// fifth of it.
const maxDigits = 64 << 10

// packed is a receipt without its hash.
type packed struct {
	Body      json.RawMessage `json:"body"`
	KeyID     string          `json:"key_id"`
	Signature string          `json:"signature"`
}

// packers make a receipt small. Making one takes longer than using it.
var packers = sync.Pool{New: func() any {
	w, _ := flate.NewWriterDict(io.Discard, flate.BestCompression, []byte(digitsWords)) // the level is one
	return w
}}

// Digits writes the receipt as one number.
func (r *Receipt) Digits() (string, error) {
	text, err := json.Marshal(packed{r.Body, r.KeyID, r.Signature})
	if err != nil {
		return "", err
	}
	out := bytes.NewBuffer([]byte{digitsForm})
	w := packers.Get().(*flate.Writer)
	defer packers.Put(w)
	w.Reset(out)
	if _, err := w.Write(text); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	return new(big.Int).SetBytes(out.Bytes()).String(), nil
}

var errNoDigits = errors.New("this is not the whole number of a receipt")

// FromDigits reads a receipt that was written as a number, for Verify: it may say anything.
func FromDigits(digits string) ([]byte, error) {
	n, ok := new(big.Int), len(digits) <= maxDigits
	if ok {
		_, ok = n.SetString(digits, 10)
	}
	data := n.Bytes()
	if !ok || n.Sign() < 0 || len(data) < 2 || data[0] != digitsForm {
		return nil, errNoDigits
	}
	r := flate.NewReaderDict(bytes.NewReader(data[1:]), []byte(digitsWords))
	text, err := io.ReadAll(io.LimitReader(r, maxDigits+1))
	var p packed
	if err != nil || len(text) > maxDigits || json.Unmarshal(text, &p) != nil || p.Body == nil {
		return nil, errNoDigits
	}
	body, err := canonical.JSON(p.Body)
	if err != nil {
		return nil, errNoDigits
	}
	out, err := json.Marshal(Receipt{body, hashOf(body), p.KeyID, p.Signature})
	if err != nil {
		return nil, fmt.Errorf("write the receipt: %w", err)
	}
	return out, nil
}
