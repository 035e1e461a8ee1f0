package api

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

const outcomeCSV = "unit_code,ilo_number,abbreviation,name,description\r\n"

var _ = rights(
	rightRow{"GET /api/units/{unit_id}/outcomes/csv", "/api/units/{unitA}/outcomes/csv", convenorsA, nil},
	rightRow{"POST /api/units/{unit_id}/outcomes/csv", "/api/units/{unitA}/outcomes/csv", convenorsA,
		upload{files: []part{{"file", "o.csv", outcomeCSV + "SIT10A,1,X,Name,Text\r\n"}}}},
	rightRow{"POST /api/units/{unit_id}/outcomes", "/api/units/{unitA}/outcomes", convenorsA,
		`{"name":"N","description":"D"}`},
	rightRow{"PUT /api/units/{unit_id}/outcomes/{id}", "/api/units/{unitA}/outcomes/{outcomeA}", convenorsA,
		`{"name":"N"}`},
	rightRow{"DELETE /api/units/{unit_id}/outcomes/{id}", "/api/units/{unitA}/outcomes/{outcomeA}", convenorsA, nil},
)

// outcomes gives unit A's as "1:ILO1 2:ILO2".
func (w *world) outcomes() string {
	w.Helper()
	var out []string
	for _, o := range w.do("convenor", "GET /api/units/{unitA}", nil).status(200).object()["ilos"].([]any) {
		o := o.(map[string]any)
		out = append(out, fmt.Sprint(o["ilo_number"], ":", o["abbreviation"]))
	}
	return strings.Join(out, " ")
}

func TestOutcomes(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		want := func(list string) {
			t.Helper()
			if got := w.outcomes(); got != list {
				t.Errorf("the outcomes are %q, want %q", got, list)
			}
		}
		add := func(body string) *answered { return w.do("convenor", "POST /api/units/{unitA}/outcomes", body) }
		put := func(name, body string) *answered {
			return w.do("convenor", "PUT /api/units/{unitA}/outcomes/{"+name+"}", body)
		}
		made := add(`{"name":" Build ","description":"Build well","abbreviation":" B "}`).status(201)
		w.id["B"] = int64(made.object()["id"].(float64))
		made.is(`{"id":«B»,"ilo_number":2,"abbreviation":"B","name":"Build","description":"Build well"}`)
		add(`{"name":"N","description":"D"}`).status(201).has(`{"ilo_number":3,"abbreviation":"ILO3"}`)
		add(`{"name":"N","description":"D","abbreviation":"ILO5"}`).status(201)
		add(`{"name":"N","description":"D","abbreviation":""}`).status(201).has(`{"ilo_number":5,"abbreviation":"ILO6"}`)
		want("1:ILO1 2:B 3:ILO3 4:ILO5 5:ILO6")

		add(`{"description":"D"}`).status(400).says("name")
		add(`{"name":"N","description":"D","abbreviation":"B"}`).status(409).says("B")
		add(`{"name":" ","description":"\n","abbreviation":"Z"}`).status(422).says("name", "description")
		add(fmt.Sprintf(`{"name":"N","description":"%s"}`, strings.Repeat("é", 4096))).status(422).says("4095")
		add(fmt.Sprintf(`{"name":"N","description":"%s","abbreviation":"L"}`, strings.Repeat("é", 4095))).status(201)

		put("B", `{}`).status(200).is(`{"id":«B»,"ilo_number":2,"abbreviation":"B","name":"Build","description":"Build well"}`)
		put("B", `{"ilo_number":"5","name":"Rebuild"}`).status(200).is(`{"id":«B»,"ilo_number":5,"abbreviation":"B","name":"Rebuild","description":"Build well"}`)
		want("1:ILO1 2:ILO3 3:ILO5 4:ILO6 5:B 6:L")
		put("B", `{"ilo_number":1}`).status(200)
		want("1:B 2:ILO1 3:ILO3 4:ILO5 5:ILO6 6:L")
		for _, n := range []string{"0", "7", "-1", "9223372036854775807"} {
			put("B", `{"name":"Moved","ilo_number":`+n+`}`).status(422).says("1 to 6")
		}
		put("B", `{"abbreviation":"L"}`).status(409)
		put("B", `{"abbreviation":" "}`).status(422)
		w.do("convenor", "DELETE /api/units/{unitA}/outcomes/{outcomeA}", nil).status(204)
		w.do("convenor", "DELETE /api/units/{unitA}/outcomes/{outcomeA}", nil).status(404)
		put("outcomeA", `{"name":"N"}`).status(404)
		want("1:B 2:ILO3 3:ILO5 4:ILO6 5:L")
		add(`{"name":"N","description":"D"}`).status(201).has(`{"ilo_number":6,"abbreviation":"ILO7"}`)
	})
}

// TestOutcomesAtOnce adds, moves and deletes from several sides at once.
func TestOutcomesAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		var all sync.WaitGroup
		for i := range 4 {
			all.Go(func() {
				for j := range 5 {
					a := w.do("convenor", "POST /api/units/{unitA}/outcomes", `{"name":"N","description":"D"}`)
					id := int64(a.object()["id"].(float64))
					at := fmt.Sprintf("/api/units/%d/outcomes/%d", w.id["unitA"], id)
					if j%2 == i%2 {
						w.do("convenor", "PUT "+at, `{"ilo_number":1}`)
					} else {
						w.do("convenor", "DELETE "+at, nil)
					}
				}
			})
		}
		all.Wait()
		var numbers []string
		for i, o := range strings.Fields(w.outcomes()) {
			if !strings.HasPrefix(o, fmt.Sprint(i+1, ":")) {
				t.Errorf("the outcomes are %s", w.outcomes())
			}
			numbers = append(numbers, o)
		}
		if len(numbers) != 11 {
			t.Errorf("%d outcomes, want 11: %v", len(numbers), numbers)
		}
	})
}

func TestOutcomeSheets(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		get := w.do("convenor", "GET /api/units/{unitA}/outcomes/csv", nil).status(200)
		if got, want := get.Body.String(), "\ufeff"+outcomeCSV+"SIT10A,1,ILO1,Think,Think well\r\n"; got != want {
			t.Errorf("exported %q, want %q", got, want)
		}
		if got := get.Header().Get("Content-Disposition"); got != `attachment; filename=SIT10A-LearningOutcomes.csv` {
			t.Errorf("Content-Disposition %q", got)
		}
		send := func(query, content string) *answered {
			return w.do("convenor", "POST /api/units/{unitA}/outcomes/csv"+query,
				upload{files: []part{{"file", "o.csv", content}}})
		}
		sheet := outcomeCSV + "SIT10A,2,ILO1,Think,Think better\r\n" + // moves and changes
			"sit10a,1,NEW,New,\"With \"\"quotes\"\"\nand lines\"\r\n" +
			"SIT999,1,X,Name,Text\r\n" + // another unit's
			"SIT10A,1,Y,,Text\r\n" + // no name
			"SIT10A,zero,Z,Name,Text\r\n" +
			"SIT10A,3,NEW,Again,Text\r\n"
		var reports []string
		for _, query := range []string{"?dry_run=true", ""} {
			got := send(query, sheet).status(201)
			reports = append(reports, got.Body.String())
			var r map[string][]struct{ Message string }
			got.into(&r)
			if len(r["success"]) != 2 || len(r["ignored"]) != 1 || len(r["errors"]) != 3 {
				t.Errorf("reported %s", got.Body)
			}
			want := map[bool]string{true: "1:ILO1", false: "1:NEW 2:ILO1"}[query != ""]
			if list := w.outcomes(); list != want {
				t.Errorf("the outcomes are %q after %q, want %q", list, query, want)
			}
		}
		if reports[0] != reports[1] {
			t.Errorf("the dry run told %s, the import %s", reports[0], reports[1])
		}
		again := send("", w.do("convenor", "GET /api/units/{unitA}/outcomes/csv",
			nil).Body.String()).status(201).object()
		if len(again["ignored"].([]any)) != 2 || len(again["success"].([]any)) != 0 {
			t.Errorf("an import of what is there reports %v", again)
		}

		send("", "abbreviation,name\r\nA,B\r\n").status(400).says("unit_code", "description")
		send("", "").status(400)
		send("", "%PDF-1.7 no sheet\x00").status(415)
		send("", outcomeCSV+strings.Repeat("x", 21<<20)).status(413)
		w.do("convenor", "POST /api/units/{unitA}/outcomes/csv", upload{}).status(400).says("file")
		w.do("convenor", "POST /api/units/{unitA}/outcomes/csv", form{"file": "text"}).status(400).says("file")
	})
}
