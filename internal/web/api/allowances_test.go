package api

import (
	"regexp"
	"strconv"
	"testing"
	"time"

	"lectern/internal/web/endpoint"
)

// expensive are the routes that make or take in much at once: sheets, archives of
// a whole unit, the words of documents, rollovers and their plans, emails; and
// those that find people of the whole service.
var expensive = regexp.MustCompile(`csv|rollover(/plan)?$|^(GET|POST) /api/submission/assess$|` +
	`^GET /api/submission/unit|^GET .*/(grades|all_resources)$|^POST .*/task_pdfs$|` +
	`^GET .*/(download_submissions|student_pdfs|text|diff|commented|staff/candidates)$|^POST /api/users$|` +
	`^POST /api/users/\{id\}/(invitation|data_export)$`)

func TestExpensiveEndpointsAndNoOthersAreBounded(t *testing.T) {
	n := 0
	for _, i := range newWorld(t, "sqlite").api.Routes() {
		name := i.Method + " " + i.Path
		if want := expensive.MatchString(name); want != (i.Allowance != nil) {
			t.Errorf("%s: expensive %v, has an allowance %v", name, want, i.Allowance != nil)
		}
		if i.Allowance != nil {
			n++
		}
	}
	t.Logf("%d expensive endpoints", n)
}

func TestAProgramThatRunsWildIsStopped(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.resting = func() time.Time { return w.now }
		export := func(as string) *answered { return w.do(as, "GET /api/csv/units/{unitA}", nil) }
		w.do("student", "GET /api/csv/units/{unitA}", nil).status(403)
		for range endpoint.Exports.Most {
			export("tutor").status(200)
		}
		refused := export("tutor").status(429).says("exports", "Wait 5 seconds and try again.")
		if after := refused.Header().Get("Retry-After"); after != strconv.Itoa(int(endpoint.Exports.Every.Seconds())) {
			t.Errorf("Retry-After %q", after)
		}
		export("convenor").status(200) // others go on
		w.do("student", "GET /api/csv/units/{unitA}", nil).status(403)
		for range 2 * endpoint.Exports.Most { // what is not expensive has no bound
			w.do("tutor", "GET /api/units/{unitA}/tasks/inbox", nil).status(200)
		}
		w.now = w.now.Add(10 * time.Second)
		export("tutor").status(200)
	})
}

func TestAUsedUpAllowanceIsToldBeforeTheFileIsRead(t *testing.T) {
	w := newWorld(t, "sqlite")
	w.resting = func() time.Time { return w.now }
	sheet := upload{files: []part{{"file", "s.csv", "rubbish"}}}
	for range endpoint.Imports.Most {
		w.do("convenor", "POST /api/csv/units/{unitA}/withdraw", sheet).status(201, 400, 415, 422)
	}
	r := w.request("convenor", "POST /api/csv/units/{unitA}/withdraw", sheet)
	body := r.Body
	w.send(r, "one more").status(429)
	if first := make([]byte, 1); func() int { n, _ := body.Read(first); return n }() == 0 {
		t.Error("the body was read")
	}
}
