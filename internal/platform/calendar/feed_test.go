package calendar

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/emersion/go-ical"
	"pgregory.net/rapid"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
)

var changed = time.Date(2026, 2, 20, 9, 30, 15, 123e6, time.UTC)

func sample() Feed {
	return Feed{
		Host: "lectern.example.edu", Name: "Due dates", Changed: changed,
		Tasks: []Task{
			{11, 7, "COS10001", "1.2P", "Arrays", clock.On(2026, 3, 2), clock.On(2026, 3, 16), changed.Add(time.Hour),
				"https://lectern.example.edu/projects/7"},
			{10, 7, "COS10001", "1.1P", "Hello World", clock.On(2026, 3, 2), clock.On(2026, 3, 9), changed, ""},
		},
	}
}

type failer interface {
	Helper()
	Fatalf(string, ...any)
	Errorf(string, ...any)
}

// decode reads a feed with a parser that has nothing to do with the writer,
// after checking the form of its lines, which that parser is lenient about.
func decode(t failer, feed []byte) *ical.Calendar {
	t.Helper()
	if !utf8.Valid(feed) {
		t.Fatalf("not UTF-8")
	}
	if !bytes.HasSuffix(feed, []byte("END:VCALENDAR\r\n")) {
		t.Fatalf("does not end with the calendar's last line")
	}
	for line := range bytes.SplitSeq(bytes.TrimSuffix(feed, []byte("\r\n")), []byte("\r\n")) {
		if len(line) == 0 || len(line) > 75 || !utf8.Valid(line) {
			t.Fatalf("a line of %d octets, or cut inside a character: %q", len(line), line)
		}
		if i := bytes.IndexFunc(line, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7F }); i >= 0 {
			t.Fatalf("a control character in %q", line)
		}
	}
	cal, err := ical.NewDecoder(bytes.NewReader(feed)).Decode()
	if err != nil {
		t.Fatalf("the feed cannot be read: %v\n%s", err, feed)
	}
	return cal
}

func text(t failer, c *ical.Component, name string) string {
	t.Helper()
	s, err := c.Props.Text(name)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return s
}

func TestFeed(t *testing.T) {
	cal := decode(t, sample().Bytes())
	for name, want := range map[string]string{"VERSION": "2.0", "METHOD": "PUBLISH",
		"PRODID":          "-//Lectern//Due dates//EN",
		"X-PUBLISHED-TTL": "P1D", "X-WR-CALNAME": "Due dates"} {
		if got := cal.Props.Get(name); got == nil || got.Value != want {
			t.Errorf("%s is %v, want %s", name, got, want)
		}
	}
	if p := cal.Props.Get("REFRESH-INTERVAL"); p.Value != "P1D" || !slices.Equal(p.Params["VALUE"],
		[]string{"DURATION"}) {
		t.Errorf("REFRESH-INTERVAL is %v", p)
	}
	events := cal.Events()
	if len(events) != 2 {
		t.Fatalf("%d events, want 2", len(events))
	}
	first := events[0]
	for name, want := range map[string]string{"SUMMARY": "COS10001: 1.1P: Hello World",
		"UID":    "due-10-7@lectern.example.edu",
		"STATUS": "CONFIRMED", "TRANSP": "TRANSPARENT", "CATEGORIES": "COS10001"} {
		if got := text(t, first.Component, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string]string{"DTSTART": "20260309", "DTEND": "20260310"} {
		if p := first.Props.Get(name); p.Value != want || p.Params.Get("VALUE") != "DATE" {
			t.Errorf("%s is %v, want the date %s", name, p, want)
		}
	}
	for _, name := range []string{"DTSTAMP", "LAST-MODIFIED"} {
		if got := first.Props.Get(name).Value; got != "20260220T093015Z" {
			t.Errorf("%s is %s", name, got)
		}
	}
	if got := events[1].Props.Get("URL").Value; got != "https://lectern.example.edu/projects/7" {
		t.Errorf("URL is %s", got)
	}
}

func TestStartDates(t *testing.T) {
	f := sample()
	f.StartDates = true
	f.Tasks[0].Start = clock.Date{}
	var got []string
	for _, e := range decode(t, f.Bytes()).Events() {
		got = append(got, e.Props.Get("DTSTART").Value+" "+text(t, e.Component, "SUMMARY")+" "+text(t, e.Component,
			"UID"))
	}
	want := []string{
		"20260302 Start: COS10001: 1.1P: Hello World start-10-7@lectern.example.edu",
		"20260309 End: COS10001: 1.1P: Hello World due-10-7@lectern.example.edu",
		"20260316 End: COS10001: 1.2P: Arrays due-11-7@lectern.example.edu",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestReminders(t *testing.T) {
	for _, c := range []struct {
		time   int
		unit   string
		want   string
		before time.Duration
	}{
		{2, "w", "-P2W", 14 * 24 * time.Hour},
		{3, "D", "-P3D", 72 * time.Hour},
		{4, "h", "-PT4H", 4 * time.Hour},
		{5, "M", "-PT5M", 5 * time.Minute},
		{0, "m", "-PT0M", 0},
	} {
		r, err := NewReminder(c.time, c.unit)
		if err != nil {
			t.Fatal(err)
		}
		f := sample()
		f.Reminder = &r
		for _, e := range decode(t, f.Bytes()).Events() {
			if len(e.Children) != 1 || e.Children[0].Name != "VALARM" {
				t.Fatalf("no alarm for %d%s", c.time, c.unit)
			}
			alarm := e.Children[0]
			trigger := alarm.Props.Get("TRIGGER")
			before, err := trigger.Duration()
			if err != nil || trigger.Value != c.want || before != -c.before {
				t.Errorf("trigger %s (%v, %v), want %s", trigger.Value, before, err, c.want)
			}
			if text(t, alarm, "ACTION") != "DISPLAY" || text(t, alarm, "DESCRIPTION") != text(t, e.Component,
				"SUMMARY") {
				t.Error("the alarm does not show the event's words")
			}
		}
	}
}

func TestRemindersRefused(t *testing.T) {
	for _, c := range []struct {
		time int
		unit string
	}{{1, ""}, {1, "y"}, {1, "ww"}, {-1, "d"}, {53, "w"}, {1 << 40, "m"}} {
		if _, err := NewReminder(c.time, c.unit); !fault.Is(err, fault.Invalid) {
			t.Errorf("%d%s: %v, want a fault the user hears", c.time, c.unit, err)
		}
	}
	f := sample()
	f.Reminder = &Reminder{Time: 1, Unit: "x"}
	if bytes.Contains(f.Bytes(), []byte("VALARM")) {
		t.Error("an alarm without a valid trigger")
	}
}

func TestUIDsAreUnique(t *testing.T) {
	f := big()
	f.StartDates = true
	seen := map[string]bool{}
	for _, e := range decode(t, f.Bytes()).Events() {
		uid := text(t, e.Component, "UID")
		if seen[uid] {
			t.Fatalf("%s occurs twice", uid)
		}
		seen[uid] = true
	}
	if len(seen) != 8*60*2 {
		t.Errorf("%d events, want %d", len(seen), 8*60*2)
	}
}

func TestETagAndModified(t *testing.T) {
	f := sample()
	first := f.Bytes()
	slices.Reverse(f.Tasks)
	if ETag(first) != ETag(f.Bytes()) {
		t.Error("the order of the tasks changes the feed")
	}
	if want := changed.Add(time.Hour).Truncate(time.Second); !f.Modified().Equal(want) {
		t.Errorf("modified %v, want that of the newest task, %v", f.Modified(), want)
	}
	f.Tasks[0].Due = clock.On(2026, 4, 1)
	if ETag(first) == ETag(f.Bytes()) {
		t.Error("a moved due date keeps the ETag")
	}
	if tag := ETag(first); len(tag) != 34 || tag[0] != '"' || tag[33] != '"' {
		t.Errorf("%s is no strong ETag", tag)
	}
	f.Changed = changed.Add(48 * time.Hour)
	if !f.Modified().Equal(f.Changed.Truncate(time.Second)) {
		t.Error("changed settings do not make the feed newer")
	}
}

func TestHostileNames(t *testing.T) {
	name := "x\r\nEND:VEVENT\r\nBEGIN:VEVENT\nATTACH:http://evil\x00\u2028; a, b\\n \"q\" 👩‍🎓🇦🇺 \xff\xfe"
	f := Feed{Host: "h\r\nX:1", Name: name, Tasks: []Task{{1, 2, name, name, name, clock.Date{}, clock.On(2026, 1, 1),
		time.Time{}, "https://x/\r\nX-EVIL:1"}}}
	cal := decode(t, f.Bytes())
	events := cal.Events()
	if len(events) != 1 || events[0].Props.Get("ATTACH") != nil || events[0].Props.Get("X-EVIL") != nil ||
		cal.Props.Get("X") != nil {
		t.Fatalf("a name became a part of the calendar:\n%s", f.Bytes())
	}
	want := "x END:VEVENT BEGIN:VEVENT ATTACH:http://evil ; a, b\\n \"q\" 👩‍🎓🇦🇺 \uFFFD"
	if got := text(t, events[0].Component, "SUMMARY"); got != want+": "+want+": "+want {
		t.Errorf("summary %q", got)
	}
}

func TestAnyTextComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SampledFrom([]string{",", ";", "\\", "\\n", "\r\n ", "\n", "\t", ":", "\"", "👩‍🎓", "é", "\xff",
			"\x00", " ", "<a> b", "BEGIN:VEVENT"})
		words := rapid.Map(rapid.SliceOfN(rapid.OneOf(rapid.String(), pieces), 0, 40),
			func(s []string) string { return strings.Join(s, "") })
		task := Task{rapid.Int64().Draw(t, "definition"), rapid.Int64().Draw(t, "project"), words.Draw(t, "code"),
			words.Draw(t, "abbr"),
			words.Draw(t, "name"), clock.On(2026, 1, 1), clock.On(2026, 1, rapid.IntRange(1, 3000).Draw(t, "day")),
			changed, words.Draw(t, "url")}
		f := Feed{Host: words.Draw(t, "host"), Name: words.Draw(t, "calendar"), StartDates: true,
			Reminder: &Reminder{rapid.IntRange(0, 50).Draw(t, "time"),
				rapid.SampledFrom([]string{"w", "d", "h", "m"}).Draw(t, "unit")},
			Tasks: []Task{task}}
		events := decode(t, f.Bytes()).Events()
		if len(events) != 2 {
			t.Fatalf("%d events, want 2", len(events))
		}
		due := events[slices.IndexFunc(events, func(e ical.Event) bool {
			return strings.HasPrefix(text(t, e.Component,
				"UID"), "due")
		})]
		want := fmt.Sprintf("End: %s: %s: %s", line(task.UnitCode), line(task.Abbreviation), line(task.Name))
		if got := text(t, due.Component, "SUMMARY"); got != want {
			t.Fatalf("summary came back as %q, want %q", got, want)
		}
		start, err := due.Props.Get("DTSTART").DateTime(time.UTC)
		if err != nil || !start.Equal(task.Due.Time) {
			t.Fatalf("the day came back as %v (%v), want %v", start, err, task.Due)
		}
	})
}

// big is a student in 8 units of 60 definitions.
func big() Feed {
	f := sample()
	f.Tasks = nil
	f.Reminder = &Reminder{1, "d"}
	for u := range int64(8) {
		for d := range int64(60) {
			f.Tasks = append(f.Tasks, Task{u*60 + d, 100 + u, fmt.Sprintf("COS1000%d", u), fmt.Sprintf("%d.%dP", d/4,
				d%4),
				"A custom project of your own choice, in groups", clock.On(2026, 3, int(d)),
				clock.On(2026, 3, int(d)+7), changed,
				fmt.Sprintf("https://lectern.example.edu/projects/%d/tasks/%d", u, d)})
		}
	}
	return f
}

func BenchmarkFeed(b *testing.B) {
	f := big()
	b.ReportAllocs()
	for b.Loop() {
		ETag(f.Bytes())
	}
}
