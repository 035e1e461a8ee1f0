// Package backup copies an installation, its records and its files, to another place and brings
// it back. The copy has a form of its own, the same for both databases, so that a backup of one
// can be restored into the other.
//
// A place for backups is a directory, or a part of a bucket:
//
//	lectern-backups.json     which installation it belongs to
//	files/ab/abcd…           every stored file once, by its hash, for all backups together
//	erased/…                 what was erased since the oldest backup, by its id
//	sets/20261117T081500Z/   one backup: records, settings, list of files, and last its manifest
//
// A set without a manifest was never finished, and is no backup. Everything gets its name when it
// is whole and safe, and not before. With a key all is encrypted by age (age-encryption.org), so that
// whoever keeps the copy cannot read it, but for the first file, the ids of erased people and the lists
// of files: these say no more than the names of the files, and whoever removes old backups, without the
// key that reads them, must know which files are still of use.
package backup

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"time"

	"lectern/internal/ground/clock"
)

// format is the number of the form described above. A program reads what has this number.
const format = 1

const (
	placeName    = "lectern-backups.json"
	recordsName  = "records"
	filesName    = "files"
	settingsName = "settings"
	manifestName = "manifest"
)

// Place says whose backups a place holds.
type Place struct {
	Format       int    `json:"format"`
	Installation string `json:"installation"`
	Encrypted    bool   `json:"encrypted"`
}

// Manifest says what a backup holds. It is written last.
type Manifest struct {
	Format       int        `json:"format"`
	Installation string     `json:"installation"`
	Made         clock.Time `json:"made"`    // the moment of the snapshot
	Newest       *time.Time `json:"newest"`  // the newest entry of the audit log, or work handed in
	Program      string     `json:"program"` // that made it
	Schema       int64      `json:"schema"`
	Tables       []Counted  `json:"tables"`
	Records      Part       `json:"records"`
	Files        Part       `json:"files"`
	FileCount    int64      `json:"file_count"`
	FileBytes    int64      `json:"file_bytes"`
	Settings     *Part      `json:"settings,omitempty"` // small files of the installation's own
	Audit        *Head      `json:"audit"`              // the end of the audit log
	Receipts     []Chain    `json:"receipts"`           // the end of each unit's receipts
}

// Counted is how many rows a table had.
type Counted struct {
	Table string `json:"table"`
	Rows  int64  `json:"rows"`
}

// Part is a file of a backup as it was before it was encrypted.
type Part struct {
	Size int64  `json:"size"`
	Hash string `json:"hash"`
}

// Head is the end of a chain.
type Head struct {
	Number int64  `json:"number" db:"number"`
	Hash   string `json:"hash" db:"hash"`
}

// Chain is the end of the receipts of a unit.
type Chain struct {
	Unit int64 `json:"unit" db:"unit"`
	Head
}

// setNames are those that a set may have: the moment of its snapshot.
var setNames = regexp.MustCompile(`^\d{8}T\d{6}Z$`)

const setLayout = "20060102T150405Z"

// seal writes a manifest with the hash of its text before it, so that a changed letter shows.
func (m *Manifest) seal() ([]byte, error) {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	return append([]byte(hex.EncodeToString(sum[:])+"\n"), text...), nil
}

// errDamaged is what is said of a part that is not what was written.
var errDamaged = errors.New("the backup is damaged")

// unseal reads what seal wrote.
func unseal(data []byte) (*Manifest, error) {
	const digits = 2 * sha256.Size
	if len(data) <= digits || data[digits] != '\n' {
		return nil, fmt.Errorf("%w: its manifest is cut off", errDamaged)
	}
	if sum := sha256.Sum256(data[digits+1:]); hex.EncodeToString(sum[:]) != string(data[:digits]) {
		return nil, fmt.Errorf("%w: its manifest was changed", errDamaged)
	}
	var m Manifest
	if err := json.Unmarshal(data[digits+1:], &m); err != nil {
		return nil, fmt.Errorf("%w: its manifest cannot be read: %w", errDamaged, err)
	}
	if m.Format != format {
		return nil, fmt.Errorf("the backup has form %d, of a newer Lectern; this program knows form %d", m.Format,
			format)
	}
	return &m, nil
}
