package student

import (
	"errors"
	"fmt"
	"sync"
	"testing"
)

// A code is drawn once while it is among those that were looked at last, and no more than those
// are kept; what could not be drawn is tried again.
func TestCodesAreDrawnOnce(t *testing.T) {
	var d drawnCodes
	drawn := 0
	ask := func(n int) *qrCode {
		t.Helper()
		c, err := d.of(fmt.Sprint(n), func() (*qrCode, error) {
			drawn++
			return newQR("https://lectern.test/receipts/check?r=", fmt.Sprint(n))
		})
		if err != nil || c == nil {
			t.Fatal(err)
		}
		return c
	}
	if _, err := d.of("0", func() (*qrCode, error) { return nil, errors.New("no ink") }); err == nil {
		t.Error("nothing was wrong")
	}
	if a, b := ask(0), ask(0); a != b || drawn != 1 {
		t.Errorf("drawn %d times", drawn)
	}
	if a, b := ask(0), ask(1); a.Path == b.Path {
		t.Error("two receipts have one code")
	}
	for n := range 3 * mostCodes {
		ask(n)
	}
	if len(d.by) != mostCodes {
		t.Errorf("%d are kept", len(d.by))
	}
	if drawn = 0; ask(0) == nil || drawn != 1 {
		t.Error("the oldest is kept still")
	}
}

// Many who look at once do no harm.
func TestCodesAreDrawnForMany(t *testing.T) {
	var d drawnCodes
	var wg sync.WaitGroup
	for n := range 300 {
		wg.Go(func() {
			if _, err := d.of(fmt.Sprint(n%150), func() (*qrCode, error) { return &qrCode{Size: n % 150}, nil }); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if len(d.by) > mostCodes {
		t.Errorf("%d are kept", len(d.by))
	}
	for hash, c := range d.by {
		if hash != fmt.Sprint(c.Size) {
			t.Errorf("%s has the code of %d", hash, c.Size)
		}
	}
}
