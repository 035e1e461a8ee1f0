package endpoint

import (
	"errors"
	"testing"
	"time"

	"lectern/internal/ground/fault"
)

func TestAllowancesRunOutAndComeBack(t *testing.T) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	l := newLedger(func() time.Time { return now })
	a, b := &Allowance{"imports", 3, 10 * time.Second}, &Allowance{"exports", 1, time.Second}
	for range 3 {
		if err := errors.Join(l.check(7, a), l.spend(7, a)); err != nil {
			t.Fatal(err)
		}
	}
	e, ok := errors.AsType[*fault.Error](l.spend(7, a))
	if !ok || e.Kind != fault.Throttled || e.Wait != 10*time.Second || l.check(7, a) == nil {
		t.Fatalf("%+v", e)
	}
	if err := errors.Join(l.spend(8, a), l.spend(7, b), l.spend(7, nil)); err != nil {
		t.Errorf("another person or another allowance pays: %v", err)
	}
	now = now.Add(10 * time.Second)
	if err := l.spend(7, a); err != nil {
		t.Errorf("nothing came back: %v", err)
	}
	if l.spend(7, a) == nil {
		t.Error("more came back than had time to")
	}
	now = now.Add(time.Hour)
	for range 3 {
		if err := l.spend(7, a); err != nil {
			t.Error(err)
		}
	}
	if l.spend(7, a) == nil {
		t.Error("a long rest made the allowance grow")
	}
}

func TestSettledAccountsAreForgotten(t *testing.T) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	l := newLedger(func() time.Time { return now })
	for user := range int64(100_000) {
		if err := l.spend(user, Exports); err != nil {
			t.Fatal(err)
		}
		now = now.Add(10 * time.Millisecond) // 500 are not settled at any time
	}
	if len(l.paid) > 3000 {
		t.Errorf("%d accounts are kept", len(l.paid))
	}
}
