package api

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-ical"

	"lectern/internal/ground/clock"
)

var _ = rights(
	rightRow{"GET /api/webcal", "", "users", nil},
	rightRow{"PUT /api/webcal", "", "users", `{"webcal":{"enabled":true}}`},
	rightRow{"GET /api/webcal/{guid}", "/api/webcal/nobodyhasthis", "everybody", nil},
)

// webcal changes a person's feed and gives its settings.
func (w *world) webcal(who string, body any) map[string]any {
	w.Helper()
	return w.do(who, "PUT /api/webcal", body).status(200).object()
}

func TestUnitsToLeaveOutAreRefusedWhereThereAreNone(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		put := func(ids ...int64) *answered {
			return w.do("student", "PUT /api/webcal", map[string]any{"webcal": map[string]any{"unit_exclusions": ids}})
		}
		put(w.id["unitA"]).status(200)
		put(99998, w.id["unitA"], 99997, 99998).status(422).
			says("webcal[unit_exclusions] names units that do not exist: 99997, 99998.")
		if kept := fmt.Sprint(w.do("student", "GET /api/webcal", nil).object()["unit_exclusions"]); kept !=
			fmt.Sprint([]int64{w.id["unitA"]}) {
			t.Errorf("a refusal left %s", kept)
		}
		many := make([]int64, 70_000)
		for i := range many {
			many[i] = 100_000 + int64(i)
		}
		put(many...).status(422).says("100000, 100001, 100002, 100003, 100004.")

		// A unit that was closed since is given back as it was given out.
		w.set(`UPDATE units SET active = FALSE WHERE id = $1`, w.id["unitA"])
		put(w.id["unitA"]).status(200)
	})
}

func TestWebcalSettings(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const none = `{"enabled":false,"id":null,"user_id":«student»,"guid":null,"include_start_dates":false,
			"reminder":null,"unit_exclusions":[]}`
		w.do("student", "GET /api/webcal", nil).status(200).is(none)
		for _, nothing := range []string{`{}`, `{"webcal":{}}`} {
			w.do("student", "PUT /api/webcal", nothing).status(200).is(none)
		}

		made := w.webcal("student", `{"webcal":{"enabled":true}}`)
		guid := made["guid"].(string)
		if len(guid) < 26 {
			t.Errorf("the guid %q can be guessed", guid)
		}
		w.id["webcal"] = int64(made["id"].(float64))
		whole := func(more string) string {
			return `{"enabled":true,"id":«webcal»,"user_id":«student»,"guid":"` + guid + `",` + more + `}`
		}
		w.do("student", "GET /api/webcal", nil).status(200).is(whole(`"include_start_dates":false,"reminder":null,"unit_exclusions":[]`))

		// Only true gives another guid; a list holds only units the caller studies.
		w.do("student", "PUT /api/webcal", form{"webcal[should_change_guid]": "false",
			"webcal[include_start_dates]": "true",
			"webcal[reminder][time]":      "2", "webcal[reminder][unit]": "W", "webcal[unit_exclusions][]": fmt.Sprint(w.id["unitB"])}).
			status(200).is(whole(`"include_start_dates":true,"reminder":{"time":2,"unit":"W"},"unit_exclusions":[]`))
		w.do("student", "PUT /api/webcal", map[string]any{"webcal": map[string]any{"unit_exclusions": []int64{w.id["unitA"], w.id["unitB"], w.id["unitA"]}}}).
			status(200).is(whole(`"include_start_dates":true,"reminder":{"time":2,"unit":"W"},"unit_exclusions":[«unitA»]`))
		w.do("student", "PUT /api/webcal", `{"webcal":{"reminder":null}}`).
			status(200).is(whole(`"include_start_dates":true,"reminder":null,"unit_exclusions":[«unitA»]`))
		w.do("student", "PUT /api/webcal", `{"webcal":{"unit_exclusions":[]}}`).
			status(200).is(whole(`"include_start_dates":true,"reminder":null,"unit_exclusions":[]`))

		for body, says := range map[string]string{
			`{"webcal":{"reminder":{"time":1}}}`:               "webcal[reminder][unit]",
			`{"webcal":{"reminder":{"unit":"d"}}}`:             "webcal[reminder][time]",
			`{"webcal":{"reminder":{"time":1,"unit":"y"}}}`:    "w, d, h or m",
			`{"webcal":{"reminder":{"time":-1,"unit":"d"}}}`:   "webcal[reminder][time]",
			`{"webcal":{"reminder":{"time":9999,"unit":"w"}}}`: "webcal[reminder][time]",
			`{"webcal":{"unit_exclusions":["x"]}}`:             "unit_exclusions",
		} {
			w.do("student", "PUT /api/webcal", body).status(400).says(says)
		}

		fresh := w.webcal("student", `{"webcal":{"should_change_guid":true}}`)["guid"].(string)
		if fresh == guid {
			t.Error("the guid stayed")
		}
		w.do("", "GET /api/webcal/"+guid, nil).status(404)
		w.do("", "GET /api/webcal/"+fresh, nil).status(200)
		closed := w.webcal("student", `{"webcal":{"enabled":false}}`)
		if closed["enabled"] != false || closed["guid"] != fresh || closed["include_start_dates"] != true {
			t.Errorf("a closed feed is %v", closed)
		}
		w.do("", "GET /api/webcal/"+fresh, nil).status(404)
		w.webcal("student", `{"webcal":{"reminder":{"time":3,"unit":"H"}}}`)
		again := w.webcal("student", `{"webcal":{"enabled":true}}`)
		if again["guid"] != fresh || again["include_start_dates"] != true || again["reminder"] == nil {
			t.Errorf("a closed feed came back as %v", again)
		}
		w.do("", "GET /api/webcal/"+fresh, nil).status(200)
	})
}

// D5: settings of a feed that never was are kept until it is opened.
func TestSettingsAreKeptWhileTheFeedIsClosed(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		o := w.webcal("student", `{"webcal":{"include_start_dates":true}}`)
		if o["enabled"] != false || o["include_start_dates"] != true {
			t.Errorf("got %v", o)
		}
		w.do("", "GET /api/webcal/"+o["guid"].(string), nil).status(404)
		if o = w.webcal("student", `{"webcal":{"enabled":true}}`); o["include_start_dates"] != true {
			t.Errorf("opened: %v", o)
		}
	})
}

// BUG 1: the unit of a reminder comes back in the letter it came in.
func TestTheRemindersUnitKeepsItsLetter(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for letter, alarm := range map[string]string{"W": "-P1W", "w": "-P1W", "D": "-P1D", "h": "-PT1H",
			"M": "-PT1M"} {
			o := w.webcal("student", form{"webcal[enabled]": "true", "webcal[reminder][time]": "1",
				"webcal[reminder][unit]": letter})
			if got := o["reminder"].(map[string]any)["unit"]; got != letter {
				t.Errorf("sent %s, got %v", letter, got)
			}
			if got := w.events(o["guid"].(string)); !strings.HasSuffix(got[0], alarm) {
				t.Errorf("%s: %v", letter, got)
			}
		}
	})
}

// T6: the calendar of a tutor holds their classes and the due dates of their units.
func TestATutorsCalendarHoldsClassesAndDueDates(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		o := w.webcal("tutor", `{"webcal":{"enabled":true}}`)
		got := w.events(o["guid"].(string))
		start := w.monday().AddDays(-56)
		// 14 weeks, of which the break takes one; the class is on Mondays.
		var classes, dates int
		for _, e := range got {
			switch {
			case strings.HasSuffix(e, "T100000 SIT10A: LA1"):
				classes++
			case strings.Contains(e, "SIT10A: 1."):
				dates++
			default:
				t.Errorf("what is %s?", e)
			}
		}
		if classes != 13 || dates != 2 {
			t.Errorf("%d classes, %d due dates in %v", classes, dates, got)
		}
		if pause := start.AddDays(70).Format("20060102"); strings.Contains(strings.Join(got, "\n"), pause+"T") {
			t.Error("a class in the break")
		}
		w.set(`UPDATE units SET time_zone = 'Asia/Kathmandu' WHERE id = $1`, w.id["unitA"])
		if got := w.events(o["guid"].(string)); !strings.Contains(strings.Join(got, "\n"), "T041500Z SIT10A: LA1") {
			t.Errorf("in a zone: %v", got)
		}
		w.set(`UPDATE tutorials SET meeting_time = 'after lunch'`)
		if got := strings.Join(w.events(o["guid"].(string)), "\n"); !strings.Contains(got, "SIT10A: LA1, after lunch") {
			t.Errorf("at no time: %s", got)
		}
		o = w.webcal("tutor", map[string]any{"webcal": map[string]any{"unit_exclusions": []int64{w.id["unitA"]}}})
		if got := w.events(o["guid"].(string)); len(got) != 0 {
			t.Errorf("left out, but there: %v", got)
		}
	})
}

// events reads a feed with a parser that has nothing to do with its writer and
// gives "day summary alarm" of each event.
func (w *world) events(guid string) (out []string) {
	w.Helper()
	a := w.do("", "GET /api/webcal/"+guid, nil, "Accept", "text/calendar").status(200)
	if got := a.Header().Get("Content-Type"); got != "text/calendar; charset=utf-8" {
		w.Errorf("the feed is a %s", got)
	}
	cal, err := ical.NewDecoder(a.Body).Decode()
	if err != nil {
		w.Fatal(err)
	}
	for _, e := range cal.Events() {
		summary, err := e.Props.Text("SUMMARY")
		if err != nil {
			w.Fatal(err)
		}
		line := e.Props.Get("DTSTART").Value + " " + summary
		for _, alarm := range e.Children {
			line += " " + alarm.Props.Get("TRIGGER").Value
		}
		if uid := e.Props.Get("UID").Value; !strings.HasSuffix(uid, "@learn.example.edu") {
			w.Errorf("the uid %s is not of this service", uid)
		}
		out = append(out, line)
	}
	return out
}

func TestWebcalFeed(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		guid := w.webcal("student", `{"webcal":{"enabled":true}}`)["guid"].(string)
		start := w.monday().AddDays(-56)
		day := func(n int) string { return start.AddDays(n).Format("20060102") }
		shows := func(why string, want ...string) {
			t.Helper()
			if got := w.events(guid); !slices.Equal(got, want) {
				t.Errorf("%s: the feed shows\n%s\nwant\n%s", why, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
		first, second := day(63)+" SIT10A: 1.1P: Task 1.1P", day(70)+" SIT10A: 1.2C: Task 1.2C"
		shows("as enrolled", first, second)
		w.set(`UPDATE tasks SET extensions = 2 WHERE id = $1`, w.id["task"])
		extended := day(77) + " SIT10A: 1.1P: Task 1.1P"
		shows("extended by two weeks", second, extended)
		w.set(`UPDATE tasks SET extensions = 9 WHERE id = $1`, w.id["task"])
		shows("extended past the deadline", second, day(84)+" SIT10A: 1.1P: Task 1.1P")
		w.set(`UPDATE tasks SET extensions = 0 WHERE id = $1`, w.id["task"])

		w.webcal("student", `{"webcal":{"include_start_dates":true,"reminder":{"time":3,"unit":"D"}}}`)
		shows("with starts and reminders", day(0)+" Start: SIT10A: 1.1P: Task 1.1P -P3D",
			day(0)+" Start: SIT10A: 1.2C: Task 1.2C -P3D",
			day(63)+" End: SIT10A: 1.1P: Task 1.1P -P3D", day(70)+" End: SIT10A: 1.2C: Task 1.2C -P3D")
		w.webcal("student", `{"webcal":{"include_start_dates":false,"reminder":null}}`)

		w.set(`UPDATE projects SET target_grade = 0 WHERE id = $1`, w.id["project:student"])
		shows("for a Pass", first)
		w.set(`UPDATE projects SET enrolled = FALSE WHERE id = $1`, w.id["project:student"])
		shows("withdrawn")
		w.set(`UPDATE projects SET enrolled = TRUE WHERE id = $1`, w.id["project:student"])
		w.set(`UPDATE units SET active = FALSE`)
		shows("when the unit is inactive")
		w.set(`UPDATE units SET active = TRUE`)
		w.webcal("student", map[string]any{"webcal": map[string]any{"unit_exclusions": []int64{w.id["unitA"]}}})
		shows("when the unit is left out")
		w.webcal("student", `{"webcal":{"unit_exclusions":[]}}`)
		now := w.now
		w.now = start.AddDays(14*7 - 2).Add(13 * time.Hour)
		shows("when the unit is over everywhere")
		w.now = start.AddDays(14*7 - 2).Add(11 * time.Hour)
		shows("on the last evening of the last time zone", first)
		w.now = now
		w.set(`UPDATE users SET disabled_at = $2 WHERE id = $1`, w.id["student"], clock.At(w.now))
		w.do("", "GET /api/webcal/"+guid, nil).status(404)
	})
}

func TestWebcalPollsCostNothing(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		guid := w.webcal("student", `{"webcal":{"enabled":true}}`)["guid"].(string)
		path := "GET /api/webcal/" + guid
		a := w.do("", path, nil).status(200)
		tag, modified := a.Header().Get("ETag"), a.Header().Get("Last-Modified")
		if cache := a.Header().Get("Cache-Control"); cache != "private, no-cache" || tag == "" || modified == "" {
			t.Fatalf("cache %q, tag %q, modified %q", cache, tag, modified)
		}
		for _, h := range [][2]string{{"If-None-Match", tag}, {"If-Modified-Since", modified}} {
			if same := w.do("", path, nil, h[0], h[1]).status(304); same.Body.Len() != 0 {
				t.Errorf("%s: a body came: %s", h[0], same.Body)
			}
		}
		w.do("", path, nil, "If-None-Match", `"another"`).status(200)

		// Whatever changes the feed makes it newer, for either validator.
		for what, change := range map[string]func(){
			"a task is renamed": func() {
				w.do("convenor", "PUT /api/units/{unitA}/task_definitions/{defA1}",
					`{"task_def":{"name":"Renamed"}}`).status(200)
			},
			"a task goes": func() {
				w.do("convenor", "DELETE /api/units/{unitA}/task_definitions/{defA2}",
					nil).status(204)
			},
			"the student aims lower": func() {
				w.do("student", "PUT /api/projects/{project:student}", `{"target_grade":0}`).status(200)
			},
			"a reminder": func() { w.webcal("student", `{"webcal":{"reminder":{"time":1,"unit":"h"}}}`) },
		} {
			before := w.do("", path, nil).status(200).Header()
			w.now = w.now.Add(5 * time.Second)
			change()
			w.do("", path, nil, "If-Modified-Since", before.Get("Last-Modified")).status(200)
			if what != "the student aims lower" { // whose other task may be gone already
				w.do("", path, nil, "If-None-Match", before.Get("ETag")).status(200)
			}
		}
		last := w.do("", path, nil).status(200).Header().Get("Last-Modified")
		w.now = w.monday().AddDays(70).Time // the unit is over
		w.do("", path, nil, "If-Modified-Since", last).status(200)
	})
}

func TestGuessedFeedsAreThrottled(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		guid := w.webcal("student", `{"webcal":{"enabled":true}}`)["guid"].(string)
		for i := range 100 {
			if got := w.do("", "GET /api/webcal/guess"+strconv.Itoa(i), nil); got.Code != http.StatusNotFound {
				t.Fatalf("guess %d: got %d", i, got.Code)
			}
		}
		a := w.do("", "GET /api/webcal/onemore", nil).status(429)
		if a.Header().Get("Retry-After") == "" {
			t.Error("nobody says when to try again")
		}
		w.do("", "GET /api/webcal/"+guid, nil).status(200) // neighbours behind the same address go on
		w.now = w.now.Add(2 * time.Hour)
		w.do("", "GET /api/webcal/onemore", nil).status(404)
	})
}
