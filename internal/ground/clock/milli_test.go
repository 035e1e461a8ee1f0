package clock

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// What columns hold is read as package time reads it, and so is what they cannot hold.
func TestMillisAreReadAsTimesAre(t *testing.T) {
	same := func(t rapid.TB, text string) {
		want, wrong := time.Parse(time.RFC3339Nano, text)
		got, err := ParseMilli(text)
		if (err == nil) != (wrong == nil) || err == nil && got != Milli(want.UnixMilli()) {
			t.Errorf("%q is read as %d (%v), want %d (%v)", text, got, err, want.UnixMilli(), wrong)
		}
	}
	for _, text := range []string{"2024-02-29T23:59:59.999Z", "2023-02-29T00:00:00.000Z", "2026-00-10T00:00:00.000Z",
		"2026-13-10T00:00:00.000Z", "2026-04-31T00:00:00.000Z", "2026-04-00T00:00:00.000Z", "2026-04-30T24:00:00.000Z",
		"2026-04-30T23:60:00.000Z", "2026-04-30T23:00:60.000Z", "2026-04-30 23:00:00.000Z", "2026-04-30T23:00:00.00xZ",
		"2026-04-30T23:00:00+01:0", "0000-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"} {
		same(t, text)
	}
	rapid.Check(t, func(t *rapid.T) {
		same(t, At(time.UnixMilli(rapid.Int64Range(-62e12, 253e12).Draw(t, "instant"))).String())
	})
}
