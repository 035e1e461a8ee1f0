package api

import (
	"fmt"
	"testing"

	"lectern/internal/ground/clock"
)

var _ = rights(rightRow{"GET /api/admin/units", "", "admin", nil})

var _ = lists(listRow{route: "GET /api/admin/units", path: "/api/admin/units?limit=2000", who: "admin",
	fill: fill("units", func(w *world, i int) row {
		at := clock.At(w.now)
		return row{"code": numbered("X", i), "name": "X", "description": "X", "teaching_period_id": w.id["T1"],
			"start_date": w.monday(), "end_date": w.monday(), "created_at": at, "updated_at": at}
	})})

// All units are listed by period, the newest first, and are found closed or open, by period and by the
// beginnings of words.
func TestAllUnits(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.secondPeriod("T2", 140)
		at := clock.At(w.now)
		add := func(code, name string, period any, active bool) {
			w.add(code, "units", row{"code": code, "name": name, "description": name, "teaching_period_id": period,
				"start_date": w.monday(), "end_date": w.monday().AddDays(7), "active": active, "created_at": at,
				"updated_at": at})
		}
		add("ZOO1", "Über die Tiere", w.id["T2"], true)
		add("OLD1", "Closed long ago", nil, false)
		codes := func(query string, total int) (out string) {
			t.Helper()
			a := w.do("admin", "GET /api/admin/units"+query, nil).status(200)
			for _, u := range a.list() {
				out += u["code"].(string) + " "
			}
			if got := a.Header().Get("X-Total-Count"); got != fmt.Sprint(total) {
				t.Errorf("%s: X-Total-Count %q, want %d", query, got, total)
			}
			return out
		}
		all := codes("", 4)
		if len(all) == 0 || all[:5] != "ZOO1 " || all[len(all)-5:] != "OLD1 " {
			t.Errorf("got %q", all)
		}
		for query, want := range map[string]string{
			"?active=false": "OLD1 ", "?teaching_period_id=0": "OLD1 ", "?text=uber": "ZOO1 ", "?text=tier%20zoo": "ZOO1 ",
			"?text=iere": "", "?teaching_period_id=" + fmt.Sprint(w.id["T2"]): "ZOO1 ", "?text=long&active=true": "",
			"?text=closed&active=false": "OLD1 ",
		} {
			n := 0
			if want != "" {
				n = 1
			}
			if got := codes(query, n); got != want {
				t.Errorf("%s: got %q, want %q", query, got, want)
			}
		}
		if got := codes("?limit=1&offset=3", 4); got != "OLD1 " {
			t.Errorf("the last page has %q", got)
		}
		if got := codes("?text=l&limit=1&offset=9", 1); got != "" {
			t.Errorf("past the end there is %q", got)
		}
		w.do("admin", "GET /api/admin/units?text=unit", nil).status(200)
		one := w.do("admin", "GET /api/admin/units?teaching_period_id="+fmt.Sprint(w.id["T1"]), nil).list()[0]
		if one["main_convenor_name"] == nil || one["staff"].(float64) == 0 || one["students"].(float64) == 0 {
			t.Errorf("got %v", one)
		}
		w.do("admin", "GET /api/admin/units?limit=-1", nil).status(400)
		w.do("admin", "GET /api/admin/units?active=perhaps", nil).status(400)
	})
}
