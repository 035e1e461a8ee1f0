package api

import (
	"context"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"lectern/internal/platform/db"
	"lectern/internal/web/endpoint"
)

// A listRow names a list whose endpoint must take as many statements for a
// thousand entries as for ten.
type listRow struct {
	route  string // as declared
	path   string // with {names} of the world's records; the route's own when empty
	who    string // one person who may read it
	member string // of the answer that holds the list; the answer itself when empty
	most   int    // entries shown at most; no limit when 0
	// fill adds the entries numbered from..to-1, each shown as one of the list.
	fill func(w *world, from, to int)
}

var listRows []listRow

// lists adds rows; each resource's test file has its own.
func lists(rows ...listRow) bool {
	listRows = append(listRows, rows...)
	return true
}

func TestEveryListCountsItsStatements(t *testing.T) {
	rows := map[string]bool{}
	for _, r := range listRows {
		rows[r.route] = true
	}
	for _, i := range newWorld(t, "sqlite").api.Routes() {
		if route := i.Method + " " + i.Path; i.Method == "GET" && isList(i.Out) && !rows[route] {
			t.Errorf("%s answers a list and has no row in the table of lists", route)
		}
	}
}

// isList tells whether an endpoint's answer is a list, whole or in batches.
func isList(out reflect.Type) bool {
	if out.Kind() == reflect.Slice {
		return out.Elem().Kind() != reflect.Uint8
	}
	return out.PkgPath() == reflect.TypeFor[endpoint.NoContent]().PkgPath() && strings.HasPrefix(out.Name(), "List[")
}

func TestListsTakeAConstantNumberOfStatements(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		for _, r := range listRows {
			t.Run(engine+" "+strings.ReplaceAll(r.route, "/", "_"), func(t *testing.T) {
				t.Parallel()
				r.grow(newWorld(t, engine))
			})
		}
	}
}

// grow reads the list with ten entries more than the seed has, then with a
// thousand.
func (r listRow) grow(w *world) {
	w.Helper()
	r.fill(w, 0, 10)
	few, short := r.read(w)
	r.fill(w, 10, 1000)
	many, long := r.read(w)
	if r.most > 0 && long != r.most {
		w.Errorf("the list shows %d entries, not %d", long, r.most)
	} else if r.most == 0 && long-short != 990 {
		w.Errorf("the list grew from %d to %d entries, not by 990", short, long)
	}
	if len(few) != len(many) {
		w.Errorf("%d statements for %d entries:\n%s\nbut %d for %d:\n%s", len(few), short, strings.Join(few, "\n"),
			len(many), long, strings.Join(many[:min(len(many), 20)], "\n"))
	}
}

// read gives the statements of one request and the length of the list it
// answered.
func (r listRow) read(w *world) (texts []string, length int) {
	w.Helper()
	request := r.route
	if r.path != "" {
		request = "GET " + r.path
	}
	req := w.request(r.who, request, nil)
	ctx, _ := db.Counting(req.Context(), func(text string) { texts = append(texts, text) })
	a := w.send(req.WithContext(ctx), r.who+" "+request).status(200)
	if r.member == "" {
		var list []any
		a.into(&list)
		return texts, len(list)
	}
	list, _ := a.object()[r.member].([]any)
	return texts, len(list)
}

// fill makes the fill of a listRow whose entries are rows of one table.
func fill(table string, one func(w *world, i int) row) func(w *world, from, to int) {
	return func(w *world, from, to int) { w.fill(table, from, to, func(i int) row { return one(w, i) }) }
}

// fill writes the rows from..to-1 of a table in bulk.
func (w *world) fill(table string, from, to int, one func(i int) row) {
	w.Helper()
	cols := sortedKeys(one(from))
	var rows [][]any
	for i := from; i < to; i++ {
		r, values := one(i), []any{}
		for _, c := range cols {
			values = append(values, r[c])
		}
		rows = append(rows, values)
	}
	err := w.db.Tx(context.Background(), func(q db.Q) error {
		return db.Insert(context.Background(), q, table+" ("+strings.Join(cols, ", ")+")", "", rows)
	})
	if err != nil {
		w.Fatalf("fill %s: %v", table, err)
	}
}

// numbered gives a text that is unique by its number.
func numbered(text string, i int) string { return text + " " + strconv.Itoa(i) }

// statementsOf gives the texts of the statements a request takes.
func (w *world) statementsOf(as, request string) (texts []string) {
	r := w.request(as, request, nil)
	ctx, _ := db.Counting(r.Context(), func(text string) { texts = append(texts, text) })
	w.send(r.WithContext(ctx), request).status(200)
	return texts
}
