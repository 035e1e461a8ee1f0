package api

import (
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"lectern/internal/ground/clock"
)

const somePeriod = `{"teaching_period":{"period":"T9","year":2027,"start_date":"2027-03-01","end_date":"2027-05-28","active_until":"2027-06-11"}}`

var _ = rights(
	rightRow{"GET /api/teaching_periods", "", "everybody", nil},
	rightRow{"GET /api/teaching_periods/{id}", "/api/teaching_periods/{T1}", "everybody", nil},
	rightRow{"POST /api/teaching_periods", "", "admin", somePeriod},
	rightRow{"PUT /api/teaching_periods/{id}", "/api/teaching_periods/{T1}", "admin",
		`{"teaching_period":{"period":"T2"}}`},
	rightRow{"POST /api/teaching_periods/{id}/plan", "/api/teaching_periods/{T1}/plan", "admin",
		`{"teaching_period":{"period":"T2"}}`},
	rightRow{"GET /api/admin/teaching_periods", "", "admin", nil},
	rightRow{"DELETE /api/teaching_periods/{id}", "/api/teaching_periods/{T1}", "admin", nil},
	rightRow{"GET /api/teaching_periods/{teaching_period_id}/breaks", "/api/teaching_periods/{T1}/breaks", "users",
		nil},
	rightRow{"POST /api/teaching_periods/{teaching_period_id}/breaks", "/api/teaching_periods/{T1}/breaks", "admin",
		`{"start_date":"2027-03-01","number_of_weeks":1}`},
	rightRow{"PUT /api/teaching_periods/{teaching_period_id}/breaks/{id}", "/api/teaching_periods/{T1}/breaks/{break}",
		"admin",
		`{"number_of_weeks":2}`},
	rightRow{"DELETE /api/teaching_periods/{teaching_period_id}/breaks/{id}",
		"/api/teaching_periods/{T1}/breaks/{break}", "admin", nil},
)

var _ = lists(
	listRow{route: "GET /api/teaching_periods", fill: fill("teaching_periods", func(w *world, i int) row {
		at := clock.At(w.now)
		return row{"period": numbered("P", i), "year": 2027, "start_date": at, "end_date": at, "active_until": at}
	})},
	listRow{route: "GET /api/admin/teaching_periods", who: "admin", fill: fill("teaching_periods",
		func(w *world, i int) row {
			at := clock.At(w.now)
			return row{"period": numbered("P", i), "year": 2027, "start_date": at, "end_date": at, "active_until": at}
		})},
	listRow{route: "GET /api/teaching_periods/{id}", path: "/api/teaching_periods/{T1}", who: "tutor", member: "units",
		fill: fill("units", func(w *world, i int) row {
			at := clock.At(w.now)
			return row{"code": numbered("X", i), "name": "X", "description": "X", "teaching_period_id": w.id["T1"],
				"start_date": w.monday(), "end_date": w.monday(), "created_at": at, "updated_at": at}
		})},
	listRow{route: "GET /api/teaching_periods/{teaching_period_id}/breaks", path: "/api/teaching_periods/{T1}/breaks",
		who: "student",
		fill: fill("breaks", func(w *world, i int) row {
			return row{"teaching_period_id": w.id["T1"], "start_date": w.monday().AddDays(1000 + 7*i),
				"number_of_weeks": 1}
		})},
)

// period makes one that begins on a day and lasts 13 weeks less three days.
func (w *world) period(name string, start clock.Date) {
	end := start.AddDays(13*7 - 3)
	w.add(name, "teaching_periods", row{"period": name, "year": start.Year(), "start_date": clock.At(start.Time),
		"end_date": clock.At(end.Time), "active_until": clock.At(end.Time)})
}

func TestTeachingPeriods(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		made := w.do("admin", "POST /api/teaching_periods", form{"teaching_period[period]": "T2",
			"teaching_period[year]":       "2018",
			"teaching_period[start_date]": "2018-07-09", "teaching_period[end_date]": "2018-09-28T13:00:00+11:00",
			"teaching_period[active_until]": "2018-10-12T00:00:00.5Z"}).status(201)
		w.id["T2"] = int64(made.object()["id"].(float64))
		const stored = `{"id":«T2»,"period":"T2","year":2018,"start_date":"2018-07-09T00:00:00.000Z","end_date":"2018-09-28T02:00:00.000Z",
			"active_until":"2018-10-12T00:00:00.500Z","active":false`
		made.is(stored + `}`)
		if got := made.Header().Get("Location"); got != w.path("/api/teaching_periods/{T2}") {
			t.Errorf("Location %q", got)
		}
		w.do("", "GET /api/teaching_periods/{T2}", nil).status(200).is(stored + `,"breaks":[],"units":[]}`)
		list := w.do("", "GET /api/teaching_periods", nil).status(200).list()
		if len(list) != 2 || list[0]["period"] != "T2" || list[1]["active"] != true {
			t.Errorf("got %v", list)
		}
		w.do("admin", "PUT /api/teaching_periods/{T2}", nil).status(200).is(stored + `}`)
		changed := w.do("admin", "PUT /api/teaching_periods/{T2}",
			`{"teaching_period":{"period":"T3","year":"2019","active_until":"2999-01-01"}}`).status(200).object()
		if changed["period"] != "T3" || changed["year"] != 2019.0 || changed["active"] != true ||
			changed["start_date"] != "2018-07-09T00:00:00.000Z" {
			t.Errorf("got %v", changed)
		}
		w.do("admin", "DELETE /api/teaching_periods/{T2}", nil).status(204)
		w.do("admin", "DELETE /api/teaching_periods/{T2}", nil).status(404)
		w.do("admin", "PUT /api/teaching_periods/{T2}", nil).status(404)
		w.do("", "GET /api/teaching_periods/{T2}", nil).status(404)
	})
}

func TestTeachingPeriodsRefuse(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("admin", "POST /api/teaching_periods", `{}`).status(400).
			says("teaching_period[period]", "teaching_period[year]", "teaching_period[start_date]",
				"teaching_period[end_date]", "teaching_period[active_until]")
		w.do("admin", "POST /api/teaching_periods", somePeriod).status(201)
		w.do("admin", "POST /api/teaching_periods", somePeriod).status(409).says("T9", "2027")
		for _, c := range []struct {
			old, new string
			status   int
			says     []string
		}{
			{`"T9"`, `"123456789012345678901"`, 422, []string{"teaching_period[period]"}},
			{`"T9"`, `"äääääääääääääääääääää"`, 422, []string{"teaching_period[period]"}},
			{`"T9"`, `" "`, 422, []string{"teaching_period[period]"}},
			{`"T9"`, `null`, 400, []string{"teaching_period[period]"}},
			{`2027,`, `1999,`, 400, []string{"teaching_period[year]"}},
			{`2027,`, `3000,`, 400, []string{"teaching_period[year]"}},
			{`2027,`, `9223372036854775807,`, 400, []string{"teaching_period[year]"}},
			{`2027,`, `"soon",`, 400, []string{"teaching_period[year]"}},
			{`"2027-03-01"`, `"first Monday"`, 400, []string{"teaching_period[start_date]"}},
			{`"2027-03-01"`, `"2027-02-30"`, 400, []string{"teaching_period[start_date]"}},
			{`"2027-03-01"`, `"2027-05-29"`, 422, []string{"teaching_period[end_date]"}},
			{`"2027-03-01"`, `"1066-10-14"`, 422, []string{"teaching_period[start_date]"}},
			{`"2027-06-11"`, `"2027-05-27"`, 422, []string{"teaching_period[active_until]"}},
			{`"2027-06-11"`, `"9999-12-31"`, 422, []string{"teaching_period[active_until]"}},
			{`"2027-05-28"`, `"2026-01-01"`, 422, []string{"teaching_period[end_date]"}},
		} {
			body := strings.Replace(somePeriod, c.old, c.new, 1)
			w.do("admin", "POST /api/teaching_periods", body).status(c.status).says(c.says...)
		}
		w.do("admin", "POST /api/teaching_periods", strings.Replace(somePeriod, `"T9"`, `"ääääääääääääääääääää"`,
			1)).status(201)
		w.do("admin", "PUT /api/teaching_periods/{T1}",
			`{"teaching_period":{"end_date":"2001-01-01"}}`).status(422).says("teaching_period[end_date]")
		w.do("admin", "PUT /api/teaching_periods/{T1}",
			`{"teaching_period":{"active_until":"2001-01-01"}}`).status(422).says("teaching_period[active_until]")
		w.do("admin", "PUT /api/teaching_periods/{T1}", `{"teaching_period":{"period":"T9","year":2027}}`).status(409)
		w.do("admin", "DELETE /api/teaching_periods/{T1}", nil).status(409).says("2 units")
		if n := w.count("breaks"); n != 1 {
			t.Errorf("%d breaks are left", n)
		}
	})
}

func TestPeriodShowsTheCallersRoles(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		roles := func(a *answered) string {
			var out []string
			for _, u := range a.status(200).object()["units"].([]any) {
				role, _ := u.(map[string]any)["my_role"].(string)
				out = append(out, role)
			}
			return strings.Join(out, ",")
		}
		w.add("", "unit_roles", row{"unit_id": w.id["unitB"], "user_id": w.id["admin"], "role": 2,
			"created_at": clock.At(w.now), "updated_at": clock.At(w.now)})
		for who, want := range map[string]string{"": ",", "outsider": ",", "student": "Student,", "withdrawn": ",",
			"both":  "Tutor,",
			"tutor": "Tutor,", "convenor": "Convenor,", "convenorB": ",Convenor", "studentB": ",Student",
			"admin": "Admin,Tutor"} {
			if got := roles(w.do(who, "GET /api/teaching_periods/{T1}", nil)); got != want {
				t.Errorf("%q sees %q, want %q", who, got, want)
			}
		}
		for _, token := range []string{"", "wrong"} {
			if got := roles(w.do("", "GET /api/teaching_periods/{T1}", nil, "Username", "admin", "Auth_Token",
				token)); got != "," {
				t.Errorf("a bare user name with token %q sees %q", token, got)
			}
		}
		start := w.monday().AddDays(-56)
		detail := w.do("student", "GET /api/teaching_periods/{T1}", nil).object()
		unit := detail["units"].([]any)[0].(map[string]any)
		want := map[string]any{"code": "SIT10A", "id": float64(w.id["unitA"]), "name": "Unit A", "my_role": "Student",
			"main_convenor_user_id": float64(w.id["convenor"]), "description": "About A",
			"teaching_period_id": float64(w.id["T1"]),
			"start_date":         start.String(), "end_date": start.AddDays(95).String(), "active": true}
		if len(unit) != len(want) {
			t.Errorf("got %v", unit)
		}
		for k, v := range want {
			if unit[k] != v {
				t.Errorf("%s is %v, want %v", k, unit[k], v)
			}
		}
	})
}

func TestBreaks(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.period("2018", clock.On(2018, 7, 9))
		w.period("2019", clock.On(2019, 7, 8))
		const breaks = "/api/teaching_periods/{2018}/breaks"
		made := w.do("admin", "POST "+breaks, form{"start_date": "2018-08-13T10:00:00Z",
			"number_of_weeks": "1"}).status(200)
		w.id["b"] = int64(made.object()["id"].(float64))
		made.is(`{"id":«b»,"start_date":"2018-08-13","number_of_weeks":1}`)
		if got := made.Header().Get("Location"); got != w.path(breaks+"/{b}") {
			t.Errorf("Location %q", got)
		}
		w.do("student", "GET "+breaks, nil).status(200).is(`[{"id":«b»,"start_date":"2018-08-13","number_of_weeks":1}]`)
		w.do("student", "GET /api/teaching_periods/{2019}/breaks", nil).status(200).is(`[]`)
		w.do("admin", "PUT "+breaks+"/{b}", `{"number_of_weeks":2}`).status(200).is(`{"id":«b»,"start_date":"2018-08-13","number_of_weeks":2}`)
		w.do("admin", "PUT "+breaks+"/{b}", nil).status(200).is(`{"id":«b»,"start_date":"2018-08-13","number_of_weeks":2}`)
		w.do("admin", "POST "+breaks, `{"start_date":"2018-08-27","number_of_weeks":1}`).status(200) // right after the other
		w.do("admin", "PUT "+breaks+"/{b}", `{"number_of_weeks":3}`).status(422).says("Mon 27 Aug 2018")
		w.do("admin", "PUT "+breaks+"/{b}", `{"start_date":"2018-08-06"}`).status(200)

		for body, says := range map[string]string{
			`{"start_date":"2018-08-07","number_of_weeks":1}`:                        "same week",
			`{"start_date":"2018-08-13","number_of_weeks":1}`:                        "same week",
			`{"start_date":"2018-07-08","number_of_weeks":1}`:                        "before the teaching period",
			`{"start_date":"2018-10-01","number_of_weeks":1}`:                        "after the teaching period",
			`{"start_date":"2018-09-10","number_of_weeks":0}`:                        "number_of_weeks",
			`{"start_date":"2018-09-10","number_of_weeks":-1}`:                       "number_of_weeks",
			`{"start_date":"2018-09-10","number_of_weeks":9223372036854775807}`:      "number_of_weeks",
			`{"start_date":"9999-12-31","number_of_weeks":1}`:                        "after the teaching period",
			`{"start_date":"0001-01-01","number_of_weeks":1,"teaching_period_id":1}`: "before the teaching period",
		} {
			want := 422
			if says == "number_of_weeks" {
				want = 400
			}
			w.do("admin", "POST "+breaks, body).status(want).says(says)
		}
		w.do("admin", "POST "+breaks, `{}`).status(400).says("start_date", "number_of_weeks")
		w.do("admin", "POST "+breaks, `{"start_date":"Easter","number_of_weeks":"one"}`).status(400).says("start_date",
			"number_of_weeks")
		if n := w.count("breaks WHERE teaching_period_id = $1", w.id["2018"]); n != 2 {
			t.Errorf("%d breaks", n)
		}

		for _, p := range []string{"{2019}", "999999", "0"} {
			w.do("admin", "PUT /api/teaching_periods/"+p+"/breaks/{b}", `{"number_of_weeks":1}`).status(404)
			w.do("admin", "DELETE /api/teaching_periods/"+p+"/breaks/{b}", nil).status(404)
		}
		w.do("admin", "GET /api/teaching_periods/999999/breaks", nil).status(404)
		w.do("admin", "POST /api/teaching_periods/999999/breaks",
			`{"start_date":"2018-08-13","number_of_weeks":1}`).status(404)
		w.do("admin", "DELETE "+breaks+"/{b}", nil).status(204)
		w.do("admin", "DELETE "+breaks+"/{b}", nil).status(404)
		w.do("admin", "DELETE /api/teaching_periods/{2018}", nil).status(204)
		if n := w.count("breaks"); n != 1 {
			t.Errorf("%d breaks are left, want the seed's", n)
		}
	})
}

// together runs n requests at once and counts the statuses.
func (w *world) together(n int, make func(i int) (request string, body any)) map[int]int {
	var mu sync.Mutex
	var wg sync.WaitGroup
	got := map[int]int{}
	for i := range n {
		request, body := make(i)
		r := w.request("admin", request, body)
		wg.Go(func() {
			rec := httptest.NewRecorder()
			w.api.ServeHTTP(rec, r)
			mu.Lock()
			defer mu.Unlock()
			got[rec.Code]++
		})
	}
	wg.Wait()
	return got
}

func TestBreaksAtOnceDoNotOverlap(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.period("2018", clock.On(2018, 7, 9))
		// Each begins on another day, so that no unique constraint helps.
		got := w.together(20, func(i int) (string, any) {
			return "POST /api/teaching_periods/{2018}/breaks", row{"start_date": clock.On(2018, 7, 30).AddDays(i),
				"number_of_weeks": 4}
		})
		if got[200] != 1 || got[422] != 19 {
			t.Errorf("got %v", got)
		}
		if n := w.count("breaks WHERE teaching_period_id = $1", w.id["2018"]); n != 1 {
			t.Errorf("%d breaks", n)
		}
	})
}

func TestPeriodsAtOnceAreUnique(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		got := w.together(20, func(int) (string, any) { return "POST /api/teaching_periods", somePeriod })
		if got[201] != 1 || got[409] != 19 {
			t.Errorf("got %v", got)
		}
	})
}

// A period cannot move away from a break that is being placed in it.
func TestBreakAndMoveAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.period("2018", clock.On(2018, 7, 9))
		got := w.together(20, func(i int) (string, any) {
			if i%2 == 0 {
				return "PUT /api/teaching_periods/{2018}", `{"teaching_period":{"start_date":"2018-08-27"}}`
			}
			return "POST /api/teaching_periods/{2018}/breaks",
				row{"start_date": clock.On(2018, 7, 16).AddDays(7 * (i / 2 % 4)), "number_of_weeks": 1}
		})
		if got[200] == 0 || got[200]+got[409]+got[422] != 20 {
			t.Errorf("got %v", got)
		}
		if n := w.count("breaks b JOIN teaching_periods p ON p.id = b.teaching_period_id WHERE b.start_date < "+
			"'2018-08-27' AND p.start_date > $1",
			clock.At(clock.On(2018, 8, 1).Time)); n != 0 {
			t.Errorf("%d breaks lie before their period", n)
		}
	})
}

func TestMovingAPeriod(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		start := w.monday().AddDays(-56)
		move := func(days int) *answered {
			return w.do("admin", "PUT /api/teaching_periods/{T1}", map[string]any{"teaching_period": map[string]any{
				"start_date": start.AddDays(days), "end_date": start.AddDays(95 + days),
				"active_until": start.AddDays(200 + days)}})
		}
		move(7).status(200)
		units := w.do("tutor", "GET /api/teaching_periods/{T1}", nil).object()["units"].([]any)
		for _, u := range units {
			if got := u.(map[string]any)["start_date"]; got != start.AddDays(7).String() {
				t.Errorf("the unit starts on %v", got)
			}
		}
		if n := w.count("task_definitions WHERE start_date = $1", start.AddDays(7)); n != 4 {
			t.Errorf("%d of 4 definitions moved", n)
		}
		move(300).status(409).says("break")
		move(7).status(200)
		w.do("admin", "DELETE /api/teaching_periods/{T1}/breaks/{break}", nil).status(204)
		move(300).status(200)
	})
}
