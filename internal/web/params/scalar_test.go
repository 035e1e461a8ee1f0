package params_test

import (
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/clock"

	"lectern/internal/web/params"
)

// one is a struct of a single optional parameter.
type one[T any] struct {
	X params.Opt[T] `param:"x"`
}

// read decodes x from JSON and, when the value is a string, from a form too.
func read[T any](t *testing.T, value string) (got params.Opt[T], ok bool) {
	t.Helper()
	in, err := decode[one[T]](t, request("", "application/json", `{"x":`+value+`}`))
	text, quoted := strings.CutPrefix(value, `"`)
	if !quoted {
		return in.X, err == nil
	}
	text = strings.TrimSuffix(text, `"`)
	fromForm, formErr := decode[one[T]](t, request(urlencode([]pair{{"x", text}}), "", ""))
	if !reflect.DeepEqual(in, fromForm) || (err == nil) != (formErr == nil) {
		t.Errorf("%s: JSON gives %+v, %v; the query %+v, %v", value, in, err, fromForm, formErr)
	}
	return in.X, err == nil
}

func value[T any](v T) params.Opt[T] { return params.Opt[T]{V: v, Set: true} }

func null[T any]() params.Opt[T] { return params.Opt[T]{Set: true, Null: true} }

func check[T any](t *testing.T, good map[string]params.Opt[T], bad []string) {
	t.Helper()
	for in, want := range good {
		if got, ok := read[T](t, in); !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v; want %+v", in, got, ok, want)
		}
	}
	for _, in := range bad {
		if got, ok := read[T](t, in); ok {
			t.Errorf("%s: taken as %+v", in, got)
		}
	}
}

func TestIntegers(t *testing.T) {
	check(t, map[string]params.Opt[int64]{
		"0": value[int64](0), "-7": value[int64](-7), `"42"`: value[int64](42), `"007"`: value[int64](7),
		"-0":                     value[int64](0),
		"9223372036854775807":    value[int64](9223372036854775807),
		`"-9223372036854775808"`: value[int64](-9223372036854775808),
		"null":                   null[int64](), `""`: null[int64](),
	}, []string{"1e3", "1.5", "1.0", "99999999999999999999", `"99999999999999999999"`, "9223372036854775808", `"0x10"`,
		`"1_000"`,
		`"+1"`, `" 1"`, `"-"`, `"١"`, "true", "[1]", "{}", `"1.0"`})
}

func TestNumbers(t *testing.T) {
	check(t, map[string]params.Opt[float64]{
		"1.5": value(1.5), "1e3": value(1000.0), `"-2.25"`: value(-2.25), "0": value(0.0), `""`: null[float64](),
	}, []string{`"NaN"`, `"inf"`, `"0x1p-2"`, `"1_0"`, "1e999", `"-"`, `"e"`, "true", `"1,5"`})
}

func TestBooleans(t *testing.T) {
	good := map[string]params.Opt[bool]{"1": value(true), "0": value(false), "true": value(true), "false": value(false),
		"null": null[bool](), `""`: null[bool]()}
	for _, w := range strings.Fields("true TRUE True t T 1 yes Yes y Y on ON") {
		good[strconv.Quote(w)] = value(true)
	}
	for _, w := range strings.Fields("false FALSE f F 0 no NO n N off Off") {
		good[strconv.Quote(w)] = value(false)
	}
	check(t, good, []string{"2", "1.0", `"maybe"`, `"01"`, "[true]", `" true"`})
}

func TestStrings(t *testing.T) {
	check(t, map[string]params.Opt[string]{
		`""`: value(""), `" a "`: value(" a "), `"日本"`: value("日本"), "null": null[string](), "5": value("5"),
		"1.50": value("1.50"),
		"true": value("true"),
	}, []string{"[]", "{}", `["a"]`})
}

func TestDates(t *testing.T) {
	day := func(y, m, d int) params.Opt[clock.Date] {
		return value(clock.Date{Time: time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)})
	}
	check(t, map[string]params.Opt[clock.Date]{
		`"2026-03-02"`: day(2026, 3, 2), `"2024-02-29"`: day(2024, 2, 29), `"0001-01-01"`: day(1, 1, 1),
		`"9999-12-31"`:               day(9999, 12, 31),
		`"2026-03-02T23:59:59.999Z"`: day(2026, 3, 2), `"2026-03-02T23:00:00-11:00"`: day(2026, 3, 2),
		`"2026-03-02T01:00:00+11:00"`: day(2026, 3, 2),
		`""`:                          null[clock.Date](), "null": null[clock.Date](),
	}, []string{`"2026-02-29"`, `"2026-3-2"`, `"0000-01-01"`, `"10000-01-01"`, `"02/03/2026"`, `"2026-03-02T"`,
		`"2026-03-02T99:00:00Z"`,
		"20260302", `"2026-03-02 "`, "true", `"today"`})
}

func TestDateTimesTakeSmallTAndZAndNeedSeconds(t *testing.T) {
	short := []string{`"2026-03-02T04:05Z"`, `"2026-03-02t04:05z"`, `"2026-03-02T04:05"`, `"2026-03-02t04:05:06"`}
	at := time.Date(2026, 3, 2, 4, 5, 6, 0, time.UTC)
	check(t, map[string]params.Opt[time.Time]{`"2026-03-02t04:05:06z"`: value(at), `"2026-03-02T04:05:06z"`: value(at),
		`"2026-03-02t14:35:06+10:30"`: value(at), `"2026-03-02t04:05:06.5Z"`: value(at.Add(time.Second / 2))}, short)
	check(t, map[string]params.Opt[clock.Date]{`"2026-03-02t23:59:59z"`: value(clock.On(2026, 3, 2))}, short)
}

func TestDateTimes(t *testing.T) {
	at := func(s string) params.Opt[time.Time] {
		v, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			t.Fatal(err)
		}
		return value(v.UTC())
	}
	check(t, map[string]params.Opt[time.Time]{
		`"2026-03-02"`: at("2026-03-02T00:00:00Z"), `"2026-03-02T04:05:06Z"`: at("2026-03-02T04:05:06Z"),
		`"2026-03-02T04:05:06.789+10:30"`: at("2026-03-01T17:35:06.789Z"), `""`: null[time.Time](),
	}, []string{`"2026-03-02T04:05:06"`, `"2026-03-02T4:05:06.00Z"`, `"2026-03-02 04:05:06Z"`, `"0000-12-31T00:00:00Z"`,
		`"0001-01-01T00:00:00+05:00"`, `"9999-12-31T23:59:59-05:00"`, "1772424306", `"2026-03-02T25:00:00Z"`})
	check(t, map[string]params.Opt[clock.Time]{
		`"2026-03-02"`: value(clock.At(at("2026-03-02T00:00:00Z").V)), `""`: null[clock.Time](),
		`"2026-03-02T04:05:06.789123+10:30"`: value(clock.At(at("2026-03-01T17:35:06.789Z").V)),
	}, []string{`"2026-03-02T04:05:06"`, "1772424306", `{"Time":"2026-03-02"}`})
}

func TestLists(t *testing.T) {
	type input struct {
		N params.Opt[[]int64]  `param:"n"`
		S params.Opt[[]string] `param:"s"`
		P []*int64             `param:"p"`
	}
	five := int64(5)
	tests := map[string]struct {
		query, json string
		want        input
	}{
		"absent": {"", `{}`, input{}},
		"null":   {"n=&s=", `{"n":null,"s":""}`, input{N: null[[]int64](), S: null[[]string]()}},
		"empty":  {"n[]=&s[]=", `{"n":[],"s":[]}`, input{N: value([]int64{}), S: value([]string{})}},
		"one": {"n[]=1&s[]=a", `{"n":[1],"s":["a"]}`, input{N: value([]int64{1}),
			S: value([]string{"a"})}},
		"repeated": {"n=1&n=2&s=a&s=", `{"n":[1,2],"s":["a",""]}`, input{N: value([]int64{1, 2}),
			S: value([]string{"a", ""})}},
		"numbered":          {"n[1]=2&n[0]=1&n[10]=3", `{"n":[1,2,3]}`, input{N: value([]int64{1, 2, 3})}},
		"hidden field":      {"n[]=&n[]=1", `{"n":[1]}`, input{N: value([]int64{1})}},
		"nullable elements": {"p[0]=5&p[1]=", `{"p":[5,null]}`, input{P: []*int64{&five, nil}}},
		"a single value in a form": {"n=1&s=a", `{"n":[1],"s":["a"]}`, input{N: value([]int64{1}),
			S: value([]string{"a"})}},
	}
	for name, c := range tests {
		got, err := decode[input](t, request(c.query, "", ""))
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: the query gives %+v, %v; want %+v", name, got, err, c.want)
		}
		got, err = decode[input](t, request("", "application/json", c.json))
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: JSON gives %+v, %v; want %+v", name, got, err, c.want)
		}
	}
	for body, want := range map[string]map[string]string{
		`{"n":[1,null]}`:     {"n[1]": "must not be null"},
		`{"n":1}`:            {"n": "must be a list"},
		`{"n":{"0":1}}`:      {"n": "must be a list"},
		`{"n":[[1]]}`:        {"n[0]": "must be a single value"},
		`{"s":["a",{}]}`:     {"s[1]": "must be a single value"},
		`{"n":["","x"]}`:     {"n[0]": "must not be null", "n[1]": "must be a whole number"},
		`{"s":"one","n":[]}`: {"s": "must be a list"},
	} {
		_, err := decode[input](t, request("", "application/json", body))
		wantFields(t, err, want)
	}
	for _, query := range []string{"n[a]=1", "n[01]=1", "n[-1]=1"} {
		_, err := decode[input](t, request(query, "", ""))
		wantFields(t, err, map[string]string{"n": "must be a list"})
	}
}

func TestRepeatedScalarTakesTheLast(t *testing.T) {
	in, err := decode[one[int64]](t, request("x=1&x=2", "", ""))
	if err != nil || in.X.V != 2 {
		t.Errorf("got %+v, %v", in, err)
	}
}

func TestJSONText(t *testing.T) {
	type input struct {
		C params.JSON[[]contribution] `param:"c"`
	}
	rows := []contribution{{ProjectID: 1, Pct: 2}}
	for _, r := range []struct{ query, body string }{
		{`c=[{"project_id":1,"pct":2}]`, ""}, {"", `{"c":[{"project_id":1,"pct":2}]}`},
		{"", `{"c":"[{\"project_id\":1,\"pct\":2}]"}`}, {"c[0][project_id]=1&c[0][pct]=2", ""},
	} {
		got, err := decode[input](t, request(r.query, "application/json", r.body))
		if err != nil || !got.C.Has() || !reflect.DeepEqual(got.C.V, rows) {
			t.Errorf("%v: got %+v, %v", r, got, err)
		}
	}
	if got, err := decode[input](t, request("", "", "")); err != nil || got.C.Set || got.C.V != nil {
		t.Errorf("absent: got %+v, %v", got, err)
	}
	for _, text := range []string{"", "null", " "} {
		if got, err := decode[input](t, request(urlencode([]pair{{"c", text}}), "", "")); err != nil || !got.C.Set ||
			!got.C.Null {
			t.Errorf("%q: got %+v, %v", text, got, err)
		}
	}
	for text, want := range map[string]map[string]string{
		`[{"project_id":1}`:                 {"c": "is not valid JSON: a comma or ] is expected at byte 18"},
		`[{"project_id":1,"project_id":2}]`: {"c[0][project_id]": "is given twice"},
		`{"project_id":1}`:                  {"c": "must be a list"},
		strings.Repeat("[", 33):             {"c": "cannot be used: the JSON is nested more than 32 deep"},
		`[{"project_id":1,"pct":"\u0000"}]`: {"c[0][pct]": "must not hold a NUL character"},
		`[{"project_id":1}] [`: {"c": "is not valid JSON: text after the end of the JSON value at byte " +
			"20"},
	} {
		_, err := decode[input](t, request(urlencode([]pair{{"c", text}}), "", ""))
		wantFields(t, err, want)
	}
}
