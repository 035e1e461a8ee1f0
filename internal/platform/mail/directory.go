package mail

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Directory is a Sender that writes each message to a file of its own, to be
// looked at with any mail program. A message sent again replaces its file.
type Directory struct{ path string }

// NewDirectory makes the directory if it is not there.
func NewDirectory(path string) (*Directory, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory for mail: %w", err)
	}
	return &Directory{path}, nil
}

// Send writes the message under a temporary name first, so that a file with
// the ending .eml is always whole.
func (d *Directory) Send(ctx context.Context, m Message) (err error) {
	msg, err := m.build()
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	f, err := os.CreateTemp(d.path, ".mail-*")
	if err != nil {
		return fmt.Errorf("write mail: %w", err)
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	_, err = msg.WriteTo(f)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("write mail: %w", err)
	}
	return os.Rename(f.Name(), filepath.Join(d.path, fileName(m.ID)))
}

// fileName is made of the id's harmless characters, and of a hash of all of
// it so that two ids never share a file.
func fileName(id string) string {
	safe := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '@' {
			return r
		}
		return '_'
	}, id)
	sum := sha256.Sum256([]byte(id))
	return safe[:min(len(safe), 100)] + "-" + hex.EncodeToString(sum[:4]) + ".eml"
}
