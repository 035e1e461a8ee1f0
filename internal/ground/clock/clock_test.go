package clock

import (
	"encoding/json"
	"testing"
	"time"
)

func TestTimeReadsBackWhatItWrote(t *testing.T) {
	in := At(time.Date(2026, 3, 2, 15, 5, 6, 789_654_321, time.FixedZone("", 11*3600)))
	text, _ := in.Value()
	if text != "2026-03-02T04:05:06.789Z" {
		t.Fatalf("stored as %v", text)
	}
	var out Time
	if err := out.Scan(text); err != nil || out != in {
		t.Fatalf("read %v, %v", out, err)
	}
	if err := out.Scan(in.Time.In(time.FixedZone("", -5*3600))); err != nil || out != in {
		t.Fatalf("read %v, %v from a time in another zone", out, err)
	}
	b, _ := json.Marshal(in)
	if err := json.Unmarshal(b, &out); err != nil || out != in || string(b) != `"2026-03-02T04:05:06.789Z"` {
		t.Fatalf("JSON %s gave %v, %v", b, out, err)
	}
	if err := out.Scan(42); err == nil {
		t.Fatal("a number was taken for a time")
	}
}

func TestDateIsADay(t *testing.T) {
	d := Day(time.Date(2026, 2, 28, 23, 59, 0, 0, time.FixedZone("", -12*3600)))
	if d.String() != "2026-02-28" || d.AddDays(1).String() != "2026-03-01" || d.AddDays(1).DaysSince(d) != 1 {
		t.Fatalf("got %v", d)
	}
	if n := On(3000, 1, 1).DaysSince(On(2000, 1, 1)); n != 365243 {
		t.Errorf("a thousand years are %d days", n)
	}
	for _, src := range []any{"2026-02-28", []byte("2026-02-28"), time.Date(2026, 2, 28, 0, 0, 0, 0, time.UTC)} {
		var got Date
		if err := got.Scan(src); err != nil || got != d {
			t.Errorf("from %v: %v, %v", src, got, err)
		}
	}
	var got Date
	if err := json.Unmarshal([]byte(`"2026-02-30"`), &got); err == nil {
		t.Error("the 30th of February was accepted")
	}
}
