package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"lectern/internal/teaching/submit"
)

// verifyCmd checks a receipt with nothing but files: no service, no database.
type verifyCmd struct {
	Receipt string   `arg:"" type:"existingfile" help:"The receipt, or the whole answer of the submission, as JSON."`
	Files   []string `arg:"" optional:"" type:"existingfile" help:"Files that are said to be the ones handed in."`
	Key     string   `required:"" placeholder:"FILE" type:"existingfile" help:"Public keys: what /api/receipt_key answers, or one key in PEM."`
}

func (c *verifyCmd) Run() error {
	keys, err := os.ReadFile(c.Key)
	if err != nil {
		return err
	}
	set, err := submit.ParseKeys(keys)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Key, err)
	}
	text, err := os.ReadFile(c.Receipt)
	if err != nil {
		return err
	}
	body, err := submit.Verify(text, set)
	if err != nil {
		return fmt.Errorf("NOT PROVEN: %w", err)
	}
	fmt.Print("The receipt is genuine: its signature fits the key, and nothing in it was changed.\n\n" + body.Words())
	return c.compare(body)
}

// compare tells which of the given files are those of the receipt.
func (c *verifyCmd) compare(body *submit.ReceiptBody) error {
	var strange error
	for _, path := range c.Files {
		sum, err := sumOf(path)
		if err != nil {
			return err
		}
		if key := keyOf(body, sum); key != "" {
			fmt.Printf("%s is byte for byte what was handed in as %s.\n", filepath.Base(path), key)
			continue
		}
		strange = errors.Join(strange, fmt.Errorf("%s is NOT one of the files that were handed in",
			filepath.Base(path)))
	}
	return strange
}

func keyOf(body *submit.ReceiptBody, sum string) string {
	for _, f := range body.Files {
		if f.SHA256 == sum {
			return f.Key
		}
	}
	return ""
}

func sumOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
