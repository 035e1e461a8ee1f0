package insight

import (
	"testing"
	"time"
)

func TestMeetingTimesAreRead(t *testing.T) {
	for text, want := range map[string][2]int{"10:00": {600, 660}, "9.30-11": {570, 660}, "2 pm to 4 pm": {840, 960},
		"2-4pm": {840, 960}, "12am": {0, 60}, "14h15": {855, 915}, " 08:00 – 10:00 ": {480, 600}} {
		from, to, ok := parseTimes(text)
		if !ok || from != want[0] || to != want[1] {
			t.Errorf("%q is %d to %d, %v", text, from, to, ok)
		}
	}
	for _, text := range []string{"", "99:99", "after lunch", "13pm", "12:00-10:00", "10:00 sharp"} {
		if _, _, ok := parseTimes(text); ok {
			t.Errorf("%q was read as a time", text)
		}
	}
}

func TestMeetingDaysAreRead(t *testing.T) {
	for text, want := range map[string]time.Weekday{"Monday": 1, "wed": 3, "Sundays": 0, " FRI ": 5} {
		if got, ok := parseDay(text); !ok || got != want {
			t.Errorf("%q is %s, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "Blursday", "m", "online"} {
		if _, ok := parseDay(text); ok {
			t.Errorf("%q was read as a day", text)
		}
	}
}
