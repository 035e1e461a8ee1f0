package site_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
)

func init() {
	pages["GET /calendar"] = [4]int{303, 200, 200, 200}
	pages["GET /calendar/feed"] = [4]int{303, 200, 200, 200}
	pages["POST /calendar/feed"] = [4]int{401, 400, 400, 400} // nothing to do is named
	pages["POST /calendar/settings"] = [4]int{401, 303, 303, 303}
}

// A month shows due dates with links, and the address leads to the months beside it.
func TestTheCalendarOnAPage(t *testing.T) {
	each(t, func(w *world) {
		w.term()
		ann := w.as("ann")
		now := w.db.Now().Time
		ann.do("/calendar", nil).status(200).says(now.Format("January 2006")).says(`aria-current="date"`)
		start := now.AddDate(0, 0, -70) // T00 and T01 are due then
		then := ann.do("/calendar?month="+start.Format("2006-01"), nil).status(200).says("T00</bdi></strong>").
			says(`class="ev green"`).says("Complete</span>").
			says(`href="?month=` + start.AddDate(0, 0, 1-start.Day()).AddDate(0, 1, 0).Format("2006-01") + `" rel="next"`)
		ann.sound("/calendar", then)
		ann.sound("/calendar", ann.do("/calendar?view=agenda", nil).status(200).says(`class="card month agenda"`).
			says(`href="/calendar/feed"`))
		ann.do("/calendar?month=nonsense", nil).status(200).says(now.Format("January 2006"))
		if strings.Contains(w.as("eve").do("/calendar?month="+start.Format("2006-01"), nil).status(200).text(), "T00") {
			t.Error("somebody else's tasks are shown")
		}
		w.as("tom").do("/calendar?month="+start.Format("2006-01"), nil).status(200).says("T00")
		ann.do("/calendar?month=9999-12", nil).status(200)
	})
}

// The feed is opened, changed, given another address and closed by forms.
func TestTheFeedOnAPage(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		ann := w.as("ann")
		ann.do("/calendar/feed", nil).status(200).says(`name="do" value="open"`)
		address := func() string {
			page := ann.do("/calendar/feed", nil).status(200).Body.String()
			return regexp.MustCompile(`http://lectern.test(/api/webcal/\w+)`).FindString(page)
		}
		ann.do("/calendar/feed", url.Values{"do": {"open"}}).leadsTo("/calendar/feed")
		first := address()
		feed := strings.TrimPrefix(first, "http://lectern.test")
		ann.do(feed, nil).status(200).says("BEGIN:VCALENDAR")
		unit := regexp.MustCompile(`name="leave_out" type="checkbox" value="(\d+)"`).
			FindStringSubmatch(ann.do("/calendar/feed", nil).Body.String())[1]
		ann.do("/calendar/settings", url.Values{"time": {"3"}, "unit": {"d"}, "start_dates": {"true"},
			"leave_out": {unit}}).leadsTo("/calendar/feed")
		ann.do("/calendar/feed", nil).says(`value="3"`).says(`<option value="d" selected>`).says(`value="` + unit + `" checked`)
		ann.do("/calendar/settings", url.Values{"time": {"-3"}, "unit": {"d"}}).status(400).says(`role="alert"`)
		ann.do("/calendar/settings", url.Values{"time": {"1"}, "unit": {""}}).leadsTo("/calendar/feed")
		if strings.Contains(ann.do("/calendar/feed", nil).text(), ` checked`) {
			t.Error("a unit is still left out")
		}
		ann.do("/calendar/feed", url.Values{"do": {"renew"}}).leadsTo("/calendar/feed")
		if second := address(); second == first || second == "" {
			t.Errorf("the address is still %q", second)
		}
		ann.do(feed, nil).status(404)
		ann.do("/calendar/feed", url.Values{"do": {"close"}}).leadsTo("/calendar/feed")
		ann.do("/calendar/feed", nil).says(`name="do" value="open"`)
		ann.do("/calendar/feed", url.Values{"do": {"nonsense"}}).status(400)
		ann.sound("/calendar/feed", ann.do("/calendar/feed", nil))
	})
}
