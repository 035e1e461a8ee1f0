package due

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the zones must be there wherever the tests run

	"pgregory.net/rapid"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
)

var today = clock.On(2026, 3, 11)

func in(days int) clock.Date { return today.AddDays(days) }

func TestDates(t *testing.T) {
	for _, c := range []struct {
		about            string
		target, deadline int // days from today
		extensions       int
		due, room        int
		apply            bool
	}{
		{"a week over, a week to go", -7, 7, 0, -7, 2, true},
		{"the same with all weeks granted", -7, 7, 2, 7, 0, false},
		{"a day either side", -1, 1, 0, -1, 1, true},
		{"a day either side, granted", -1, 1, 1, 1, 0, false},
		{"due on the deadline", 3, 3, 0, 3, 0, false},
		{"eight days are two weeks", 0, 8, 0, 0, 2, true},
		{"eight days, one granted", 0, 8, 1, 7, 1, true},
		{"eight days, both granted", 0, 8, 2, 8, 0, false},
		{"target past its deadline", 5, 2, 0, 2, 0, false},
		{"target weeks past its deadline", 16, 2, 0, 2, -2, false},
	} {
		d := Dates{Target: in(c.target), Deadline: in(c.deadline), Extensions: c.extensions}
		if d.Due() != in(c.due) || d.WeeksCanExtend() != c.room || d.CanApply() != c.apply {
			t.Errorf("%s: due %v, %d weeks, %v", c.about, d.Due(), d.WeeksCanExtend(), d.CanApply())
		}
	}
}

func TestDeadlineFallsBackToTheUnitsEndOrALaterTarget(t *testing.T) {
	own := in(3)
	if Deadline(&own, in(9), in(1)) != own || Deadline(nil, in(9), in(1)) != in(9) ||
		Deadline(nil, in(9), in(12)) != in(12) {
		t.Error("wrong deadline")
	}
}

func TestAllow(t *testing.T) {
	d := Dates{Target: in(-1), Deadline: in(13)}
	for asked, want := range map[int]int{1: 1, 2: 2, 5: 2} {
		if got, err := d.Allow(asked); err != nil || got != want {
			t.Errorf("asked %d: got %d, %v", asked, got, err)
		}
	}
	for _, asked := range []int{-1, 0, 53, 1_000_000_000} {
		if _, err := d.Allow(asked); !fault.Is(err, fault.Invalid) {
			t.Errorf("%d weeks: %v", asked, err)
		}
	}
	d.Extensions = 2
	if _, err := d.Allow(5); !fault.Is(err, fault.Conflict) {
		t.Errorf("no room: %v", err)
	}
}

// An extension that ends before it is asked for helps nobody: only so many weeks do that reach
// the moment that counts, and none once the deadline is over.
func TestLeastWeeksReachTheMoment(t *testing.T) {
	now := today.Add(10 * time.Hour)
	for _, c := range []struct {
		about                        string
		target, deadline, extensions int
		least                        int
		over                         bool
	}{
		{"not due yet", 3, 30, 0, 1, false},
		{"due a while ago", -16, 30, 0, 3, false},
		{"a part of it is granted", -16, 30, 1, 2, false},
		{"the last part of a week", -16, 1, 0, 3, false},
		{"the deadline is today", -16, 0, 0, 3, false},
		{"the deadline is over", -30, -14, 0, 0, true},
		{"no room", 3, 3, 0, 0, false},
	} {
		d := Dates{Target: in(c.target), Deadline: in(c.deadline), Extensions: c.extensions}
		if got := d.LeastWeeks(now); got != c.least || d.Over(now) != c.over {
			t.Errorf("%s: %d weeks, want %d; over %t", c.about, got, c.least, d.Over(now))
		}
	}
}

func TestOnResubmit(t *testing.T) {
	now := today.Add(10 * time.Hour)
	for _, c := range []struct {
		about                          string
		target, deadline, given, gains int
	}{
		{"due tomorrow", 1, 22, 2, 2},
		{"past", -20, 22, 1, 1},
		{"only part of the gift fits", 1, 5, 3, 1},
		{"no room", 1, 1, 1, 0},
		{"the unit gives none", 1, 22, 0, 0},
		{"a week left", 7, 22, 1, 0},
		{"a little less than a week left", 6, 22, 1, 0}, // 6 days 14 hours to UTC's end, 12 more anywhere on earth
		{"less than a week left", 5, 22, 1, 1},
	} {
		d := Dates{Target: in(c.target), Deadline: in(c.deadline)}
		if got := d.OnResubmit(now, c.given); got != c.gains {
			t.Errorf("%s: %d weeks, want %d", c.about, got, c.gains)
		}
	}
	d := Dates{Target: in(1), Deadline: in(22)}
	d.Extensions += d.OnResubmit(now, 2)
	if d.WeeksCanExtend() != 1 {
		t.Errorf("%d weeks left, want 1", d.WeeksCanExtend())
	}
}

func TestEndsByTheClockThatCounts(t *testing.T) {
	for _, c := range []struct{ zone, day, ends string }{
		{"", "2026-03-11", "2026-03-12T11:59:59Z"},
		{"UTC", "2026-03-11", "2026-03-11T23:59:59Z"},
		{"Australia/Melbourne", "2026-03-11", "2026-03-11T12:59:59Z"}, // summer time
		{"Australia/Melbourne", "2026-06-11", "2026-06-11T13:59:59Z"},
		{"Pacific/Kiritimati", "2026-03-11", "2026-03-11T09:59:59Z"},
		{"Pacific/Pago_Pago", "2026-03-11", "2026-03-12T10:59:59Z"},
		{"America/Nuuk", "2026-03-28", "2026-03-29T00:59:59Z"}, // clocks jump from 23:00 to midnight
		{"America/Nuuk", "2026-10-24", "2026-10-25T01:59:59Z"}, // the last hour comes twice
		{"Africa/Cairo", "2026-04-23", "2026-04-23T21:59:59Z"}, // midnight does not exist
		{"Pacific/Apia", "2011-12-30", "2011-12-30T09:59:59Z"}, // the day does not exist
	} {
		var zone *time.Location
		if c.zone != "" {
			var err error
			if zone, err = time.LoadLocation(c.zone); err != nil {
				t.Fatal(err)
			}
		}
		day, _ := clock.ParseDate(c.day)
		if got := Ends(day, zone).UTC().Format(time.RFC3339); got != c.ends {
			t.Errorf("%s in %q ends %s, want %s", c.day, c.zone, got, c.ends)
		}
	}
}

func TestOnTimeCountsTheLastSecondInFull(t *testing.T) {
	d := Dates{Target: today, Deadline: in(30)}
	last := time.Date(2026, 3, 12, 11, 59, 59, 999_000_000, time.UTC)
	if !d.OnTime(last) || d.OnTime(last.Add(time.Millisecond)) {
		t.Error("the end is not where it should be")
	}
}

func TestExplain(t *testing.T) {
	e := Dates{Target: in(-7), Deadline: in(6), Extensions: 2}.Explain()
	got, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"target_date":"2026-03-04","extensions":2,"extended_date":"2026-03-18","deadline":"2026-03-17",` +
		`"capped_by_deadline":true,"due_date":"2026-03-17","time_zone":"anywhere on earth (UTC-12)",` +
		`"ends_at":"2026-03-18T11:59:59.000Z","can_apply_for_extension":false,"weeks_can_extend":0,"explanation":`
	if !strings.HasPrefix(string(got), want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for extensions, words := range map[int]string{1: "1 week moves it to 2026-03-11. The task",
		2: "2 weeks move it to 2026-03-18. The deadline"} {
		if e := (Dates{Target: in(-7), Deadline: in(6), Extensions: extensions}).Explain(); !strings.Contains(e.Text,
			words) {
			t.Errorf("%q does not say %q", e.Text, words)
		}
	}
}

var zones = rapid.SampledFrom([]*time.Location{nil, time.UTC, time.FixedZone("east", 14*3600), load("Europe/Berlin"),
	load("America/Havana")})

func load(name string) *time.Location {
	z, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return z
}

var dates = rapid.Custom(func(t *rapid.T) Dates {
	target := in(rapid.IntRange(-400, 400).Draw(t, "target"))
	return Dates{
		Target:     target,
		Deadline:   target.AddDays(rapid.IntRange(-30, 100).Draw(t, "deadline")),
		Extensions: rapid.IntRange(0, 20).Draw(t, "extensions"),
		Zone:       zones.Draw(t, "zone"),
	}
})

func TestDueNeverPassesTheDeadline(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := dates.Draw(t, "dates")
		if d.Due().After(d.Deadline) {
			t.Fatalf("due %v", d.Due())
		}
		more := d
		more.Extensions++
		if more.Due().Before(d.Due()) {
			t.Fatal("an extension brought the due date forward")
		}
		if d.CanApply() != more.Due().After(d.Due()) {
			t.Fatal("an extension is possible exactly when it moves the due date")
		}
		if d.CanApply() != (d.WeeksCanExtend() > 0) {
			t.Fatalf("can apply: %v, weeks: %d", d.CanApply(), d.WeeksCanExtend())
		}
	})
}

func TestCheckAllowsExactlyWhatStaysWithinAWeekOfTheDeadline(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := dates.Draw(t, "dates")
		far := !d.Extended().Before(d.Deadline.AddDays(7))
		if err := d.Check(); (err != nil) != (far && d.Extensions > 0) {
			t.Fatalf("%d weeks from %v to %v: %v", d.Extensions, d.Target, d.Deadline, err)
		}
		if d.Check() != nil {
			return
		}
		d.Extensions += d.OnResubmit(d.Target.Add(time.Duration(rapid.IntRange(-1000, 1000).Draw(t,
			"hours"))*time.Hour), 3)
		if weeks, err := d.Allow(rapid.IntRange(1, 30).Draw(t, "asked")); err == nil {
			d.Extensions += weeks
		}
		if err := d.Check(); err != nil {
			t.Fatalf("granted too much: %v", err)
		}
	})
	if err := (Dates{Target: today, Deadline: in(70), Extensions: -1}).Check(); !fault.Is(err, fault.Refused) {
		t.Errorf("negative: %v", err)
	}
}

func TestOnTimeIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := dates.Draw(t, "dates")
		at := d.Due().Add(time.Duration(rapid.IntRange(-200_000_000, 200_000_000).Draw(t, "ms")) * time.Millisecond)
		earlier := at.Add(-time.Duration(rapid.IntRange(0, 1_000_000).Draw(t, "earlier")) * time.Millisecond)
		if d.OnTime(at) && !d.OnTime(earlier) {
			t.Fatal("earlier is later")
		}
		more := d
		more.Extensions++
		if d.OnTime(at) && !more.OnTime(at) {
			t.Fatal("an extension made it late")
		}
		zone := d.Zone
		if zone == nil {
			zone = AnywhereOnEarth
		}
		if shown := clock.Day(at.In(zone)); d.OnTime(at) != !shown.After(d.Due()) {
			t.Fatalf("at %v the clock shows %v, due %v: on time %v", at, shown, d.Due(), d.OnTime(at))
		}
	})
}
