package params_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/fault"
	"lectern/internal/web/params"
)

func TestTheSpoolIsBounded(t *testing.T) {
	room := &params.Spool{All: 3 * bounds.MB, Each: 2 * bounds.MB}
	dir := t.TempDir()
	half := strings.Repeat("x", bounds.MB)
	send := func(sender int64, n int) (*params.Set, error) {
		lim := params.Limits{File: bounds.MB, Files: 9, Spool: room, Sender: sender}
		var pieces []piece
		for range n {
			pieces = append(pieces, piece{"more[]", "a", half})
		}
		return params.Read(nil, upload(t, pieces...), lim, dir, nil)
	}
	mine, err := send(1, 2)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := send(1, 1); !fault.Is(err, fault.Throttled) {
		t.Errorf("a third file of one sender: %v", err)
	}
	other, err := send(2, 1)
	if err != nil {
		t.Fatal(err)
	}
	_, err = send(3, 1)
	if e, ok := errors.AsType[*fault.Error](err); !ok || e.Kind != fault.Unavailable || e.Wait == 0 {
		t.Errorf("a file beyond the room of all: %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 3 {
		t.Errorf("%d files in the spool, not 3", len(left))
	}
	mine.Close()
	mine.Close()
	other.Close()
	for range 3 {
		again, err := send(3, 2)
		if err != nil {
			t.Fatalf("room was not given back: %v", err)
		}
		again.Close()
	}
}

func TestAFileIsRefusedByItsNameBeforeItIsStored(t *testing.T) {
	dir := t.TempDir()
	lim := small
	lim.Accept = func(field string) error {
		if left, _ := os.ReadDir(dir); field == "other" && len(left) != 1 {
			t.Errorf("%d files were stored before", len(left))
		}
		if field == "other" {
			return fault.Field(fault.Invalid, field, "is not asked for")
		}
		return nil
	}
	r := upload(t, piece{"file", "a", "1"}, piece{"other", "b", "2"})
	if _, err := params.Read(nil, r, lim, dir, nil); !fault.Is(err, fault.Invalid) {
		t.Errorf("got %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("%d files are left", len(left))
	}
}
