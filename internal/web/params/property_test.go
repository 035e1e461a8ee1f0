package params_test

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"testing"
	"time"
	"unicode"

	"lectern/internal/ground/clock"

	"pgregory.net/rapid"

	"lectern/internal/web/params"
)

type leafs struct {
	S string                 `param:"s"`
	N params.Opt[int64]      `param:"n"`
	B *bool                  `param:"b"`
	F params.Opt[float64]    `param:"f"`
	D params.Opt[clock.Date] `param:"d"`
	T time.Time              `param:"t"`
	L params.Opt[[]string]   `param:"l"`
}

type branches struct {
	leafs
	Inner params.Opt[struct {
		leafs
		Rows []leafs `param:"rows"`
	}] `param:"inner"`
	Rows []leafs              `param:"rows"`
	Text params.JSON[[]leafs] `param:"text"`
}

// both is one input, as a JSON value and as the pairs of a form.
type both struct {
	json  map[string]any
	pairs []pair
}

func (b *both) add(name, key string, value any, text string) {
	b.json[name] = value
	b.pairs = append(b.pairs, pair{key, text})
}

var word = rapid.StringOf(rapid.RuneFrom(nil, unicode.L, unicode.Nd, unicode.P, unicode.Zs, unicode.So))

// drawLeafs gives some of the members of leafs, under names made by key.
func drawLeafs(t *rapid.T, b *both, key func(string) string) {
	chance := func(label string) bool { return rapid.Bool().Draw(t, label) }
	if chance("s") {
		s := word.Draw(t, "text")
		b.add("s", key("s"), s, s)
	}
	if chance("n") {
		n := rapid.Int64().Draw(t, "int")
		b.add("n", key("n"), n, strconv.FormatInt(n, 10))
	} else if chance("null n") {
		b.add("n", key("n"), nil, "")
	}
	if chance("b") {
		on := chance("bool")
		b.add("b", key("b"), on, strconv.FormatBool(on))
	}
	if chance("f") {
		f := rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64).Draw(t, "float")
		text, _ := json.Marshal(f)
		b.add("f", key("f"), f, string(text))
	}
	at := time.Unix(rapid.Int64Range(-62135596800+86400, 253402300799-86400).Draw(t, "unix"), 0)
	if chance("d") {
		b.add("d", key("d"), at.UTC().Format(time.DateOnly), at.UTC().Format(time.RFC3339))
	}
	if chance("t") {
		zone := time.FixedZone("", 60*rapid.IntRange(-14*60, 14*60).Draw(t, "zone"))
		b.add("t", key("t"), at.UTC().Format(time.RFC3339), at.In(zone).Format(time.RFC3339))
	}
	if chance("l") {
		drawList(t, b, key("l"))
	}
}

func drawList(t *rapid.T, b *both, key string) {
	list := rapid.SliceOfN(word, 0, 4).Draw(t, "list")
	if len(list) == 1 && list[0] == "" {
		list = []string{} // a form has no other way to say that a list is empty
	}
	b.json["l"] = list
	if len(list) == 0 {
		b.pairs = append(b.pairs, pair{key + "[]", ""})
	}
	for _, s := range list {
		b.pairs = append(b.pairs, pair{key + "[]", s})
	}
}

func under(prefix string) func(string) string {
	return func(name string) string { return prefix + "[" + name + "]" }
}

// drawRows gives a list of objects, each of which holds something: a form
// cannot name an empty one.
func drawRows(t *rapid.T, b *both, prefix string) {
	var rows []any
	for i := range rapid.IntRange(0, 3).Draw(t, "rows") {
		row := both{json: map[string]any{}}
		drawLeafs(t, &row, under(fmt.Sprintf("%s[%d]", prefix, i)))
		if len(row.json) == 0 {
			row.add("n", fmt.Sprintf("%s[%d][n]", prefix, i), 1, "1")
		}
		rows, b.pairs = append(rows, row.json), append(b.pairs, row.pairs...)
	}
	if rows != nil {
		b.json["rows"] = rows
	}
}

func drawBranches(t *rapid.T) both {
	b := both{json: map[string]any{}}
	drawLeafs(t, &b, func(name string) string { return name })
	drawRows(t, &b, "rows")
	inner := both{json: map[string]any{}}
	drawLeafs(t, &inner, under("inner"))
	drawRows(t, &inner, "inner[rows]")
	if len(inner.json) > 0 {
		b.json["inner"], b.pairs = inner.json, append(b.pairs, inner.pairs...)
	}
	if rapid.Bool().Draw(t, "as text") {
		row := both{json: map[string]any{}}
		drawLeafs(t, &row, under("-"))
		text, err := json.Marshal([]any{row.json})
		if err != nil {
			t.Fatal(err)
		}
		b.add("text", "text", []any{row.json}, string(text))
	}
	return b
}

func TestEncodingsAgree(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := drawBranches(rt)
		pairs := b.pairs
		if len(pairs) > 1 && rapid.Bool().Draw(rt, "turn") {
			pairs = append([]pair{{"unknown[x]", "y"}}, pairs...)
		}
		body, err := json.Marshal(b.json)
		if err != nil {
			rt.Fatal(err)
		}
		want, err := decode[branches](t, request("", "application/json", string(body)))
		if err != nil {
			rt.Fatalf("JSON %s: %v", body, err)
		}
		kind, parts := multiparts(t, pairs)
		for name, r := range map[string]func() (branches, error){
			"query":      func() (branches, error) { return decode[branches](t, request(urlencode(pairs), "", "")) },
			"urlencoded": func() (branches, error) { return decode[branches](t, request("", form, urlencode(pairs))) },
			"multipart":  func() (branches, error) { return decode[branches](t, request("", kind, parts)) },
		} {
			if got, err := r(); err != nil || !reflect.DeepEqual(got, want) {
				rt.Fatalf("%s: got %+v, %v\nJSON gives %+v", name, got, err, want)
			}
		}
	})
}

func TestJSONReaderAgreesWithTheStandardOne(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := rapid.String().Draw(rt, "s")
		quoted, err := json.Marshal(map[string]string{"x": s})
		if err != nil {
			rt.Fatal(err)
		}
		var std anyText
		var plain struct{ X string }
		if err := json.Unmarshal(quoted, &plain); err != nil {
			rt.Fatal(err)
		}
		got, err := decode[anyText](t, request("", "application/json", string(quoted)))
		std.X = value(plain.X)
		for _, r := range plain.X {
			if r == 0 {
				if err == nil {
					rt.Fatal("NUL taken")
				}
				return
			}
		}
		if err != nil || got != std {
			rt.Fatalf("%s: got %+v, %v", quoted, got, err)
		}
	})
}

// anyText takes every character, as a password does.
type anyText struct {
	X params.Opt[string] `param:"x" text:"any"`
}
