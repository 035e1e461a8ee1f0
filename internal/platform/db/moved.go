package db

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
)

// An installation that was moved elsewhere is used there and no more here; one that is still on
// its way is used nowhere but where it comes from. Each database says of itself which it is.

// Moved says where an installation went.
type Moved struct {
	At       clock.Time `json:"at"`
	Database string     `json:"database"` // without its password
	Files    string     `json:"files"`
}

// Arriving says which installation is on its way here.
type Arriving struct {
	Installation string `json:"installation"`
	Records      string `json:"records"` // the sum of its records, when they are here
}

const (
	movedName    = "moved to"
	arrivingName = "arriving"
)

// OfMove tells whether a row of the installation is a mark of a move, which is of one place alone.
func OfMove(name string) bool { return name == movedName || name == arrivingName }

// MovedTo tells where the installation went; nil when it is here.
func MovedTo(ctx context.Context, q Q) (*Moved, error) { return mark[Moved](ctx, q, movedName) }

// ArrivingFrom tells which installation is on its way here; nil when none is.
func ArrivingFrom(ctx context.Context, q Q) (*Arriving, error) {
	return mark[Arriving](ctx, q, arrivingName)
}

// MarkMoved notes that the installation is used elsewhere from now on.
func MarkMoved(ctx context.Context, q Q, m Moved) error { return setMark(ctx, q, movedName, m) }

// MarkArriving notes that an installation is on its way here.
func MarkArriving(ctx context.Context, q Q, a Arriving) error {
	return setMark(ctx, q, arrivingName, a)
}

// EndMove takes both marks away: the installation is used here.
func EndMove(ctx context.Context, q Q) error {
	_, err := Exec(ctx, q, `DELETE FROM installation WHERE name IN ($1, $2)`, movedName, arrivingName)
	return err
}

func mark[T any](ctx context.Context, q Q, name string) (*T, error) {
	text, err := One[string](ctx, q, `SELECT value FROM installation WHERE name = $1`, name)
	if fault.Is(err, fault.Missing) || noTable(err) {
		return nil, nil //nolint:nilnil // most installations never move
	}
	var v T
	if err == nil {
		err = json.NewDecoder(strings.NewReader(*text)).Decode(&v)
	}
	if err != nil {
		return nil, fmt.Errorf("ask whether the installation was moved: %w", err)
	}
	return &v, nil
}

func setMark(ctx context.Context, q Q, name string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return SetInstallation(ctx, q, name, string(text))
}

// Here refuses a database whose installation is used elsewhere: what is written here would be lost.
func (d *DB) Here(ctx context.Context) error {
	to, err := MovedTo(ctx, d.Pool())
	if err != nil {
		return err
	}
	if to != nil {
		return fmt.Errorf("this installation was moved on %s and is used there now: --database-url %s --files-url %s "+
			"(with their passwords). To use it here again, as it was then and without what was done there since, stop "+
			"it there and give lectern move --take-back", to.At.Format("2 January 2006, 15:04 UTC"), to.Database,
			to.Files)
	}
	from, err := ArrivingFrom(ctx, d.Pool())
	if err == nil && from != nil {
		err = errors.New("an installation is on its way here and has not arrived: give the same lectern move again, " +
			"which goes on where it was")
	}
	return err
}
