package api

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// walkDocument calls f for every object of the document, with the names on the
// way to it.
func walkDocument(v any, at []string, f func(at []string, o map[string]any)) {
	switch v := v.(type) {
	case []any:
		for i, e := range v {
			walkDocument(e, append(slices.Clone(at), strconv.Itoa(i)), f)
		}
	case map[string]any:
		f(at, v)
		for _, k := range slices.Sorted(maps.Keys(v)) {
			walkDocument(v[k], append(slices.Clone(at), k), f)
		}
	}
}

func documentForTests(t *testing.T) map[string]any {
	t.Helper()
	d, err := plainDocument()
	if err != nil {
		t.Fatal(err)
	}
	return d.(map[string]any)
}

// TestEveryParameterAndFieldIsDescribed looks at every parameter and at every
// property of every schema, those inside others included.
func TestEveryParameterAndFieldIsDescribed(t *testing.T) {
	n := 0
	walkDocument(documentForTests(t), nil, func(at []string, o map[string]any) {
		props, _ := o["properties"].(map[string]any)
		for name, p := range props {
			if n++; p.(map[string]any)["description"] == nil {
				t.Errorf("%s: %s is not described: give it a doc tag, or a line in words.txt",
					strings.Join(at, " "), name)
			}
		}
		if o["in"] == nil || o["name"] == nil {
			return
		}
		if n++; o["description"] == nil || o["description"] == "" {
			t.Errorf("%s: %s is not described: give it a doc tag, or a line in words.txt",
				strings.Join(at, " "), o["name"])
		}
	})
	t.Logf("%d parameters and fields", n)
}

// TestEveryWordIsUsed finds lines of words.txt about names that are gone.
func TestEveryWordIsUsed(t *testing.T) {
	names := map[string]bool{}
	walkDocument(documentForTests(t), nil, func(at []string, o map[string]any) {
		if len(at) == 2 && at[0] == "paths" {
			notePath(names, at[1])
		}
		if name, ok := o["name"].(string); ok {
			names[name] = true
		}
		for name := range asObject(o["properties"]) {
			names[name], names[at[len(at)-1]+"."+name] = true, true
			for _, part := range strings.FieldsFunc(name, func(r rune) bool { return r == '[' || r == ']' }) {
				names[part] = true
			}
		}
	})
	for word, meaning := range words() {
		if !names[word] {
			t.Errorf("words.txt tells of %s, which is nowhere", word)
		}
		if strings.HasSuffix(meaning, ".") {
			t.Errorf("words.txt: %s ends with a full stop", word)
		}
	}
}

func asObject(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// notePath notes the values of a path by the parts before them.
func notePath(names map[string]bool, path string) {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		if strings.HasPrefix(p, "{") {
			names[parts[i-1]+"/"+p] = true
		}
	}
}

var operationName = regexp.MustCompile(`^[a-z][A-Za-z]{3,39}$`)

// TestEveryOperationHasAName holds operations.txt against the endpoints. A name
// that changed breaks every generated client, so it is written down.
func TestEveryOperationHasAName(t *testing.T) {
	names, taken := operations(), map[string]string{}
	for _, i := range New(Config{}).Routes() {
		route := i.Method + " " + i.Path
		name := names[route]
		delete(names, route)
		if !operationName.MatchString(name) || taken[name] != "" {
			t.Errorf("operations.txt needs a short name of its own for %s; it has %q, and %q has that too", route, name,
				taken[name])
		}
		taken[name] = route
	}
	for route := range names {
		t.Errorf("operations.txt names %s, which is not served", route)
	}
}

// TestInputsSayWhatTheyHold wants no input of which only the handler knows the
// shape.
func TestInputsSayWhatTheyHold(t *testing.T) {
	for _, i := range New(Config{}).Routes() {
		if unshaped := i.Unshaped(); len(unshaped) > 0 {
			t.Errorf("%s %s takes %v in any shape: add endpoint.Shaped", i.Method, i.Path, unshaped)
		}
	}
}

// TestExamplesAreValid holds every example in the document against the schema it
// stands in or beside.
func TestExamplesAreValid(t *testing.T) {
	p, n := contract(), 0
	walkDocument(documentForTests(t), nil, func(at []string, o map[string]any) {
		example, ok := o["example"]
		if !ok || slices.Contains(at, "example") {
			return
		}
		if n++; asObject(o["schema"]) != nil {
			at = append(at, "schema")
		}
		text, err := json.Marshal(example)
		if err != nil {
			t.Fatal(err)
		}
		if wrong := p.validate(at, text); wrong != "" {
			t.Errorf("%v: %s", at, wrong)
		}
	})
	known := operations()
	for name := range examples() {
		if !slices.Contains(slices.Collect(maps.Values(known)), name) {
			t.Errorf("examples.json has a body for %s, which is no operation", name)
		}
	}
	t.Logf("%d examples", n)
}

// TestEveryRecordHasAName holds schemas.txt against the types that are answered.
func TestEveryRecordHasAName(t *testing.T) {
	listed, taken := schemas(), map[string]string{}
	for kind, name := range New(Config{}).SchemaNames() {
		if listed[kind] == "" || taken[name] != "" {
			t.Errorf("schemas.txt needs a name of its own for %s; it has %q, and %q has that too", kind, listed[kind],
				taken[name])
		}
		delete(listed, kind)
		taken[name] = kind
	}
	for kind := range listed {
		t.Errorf("schemas.txt names %s, which is in no answer", kind)
	}
}

// TestEveryOperationHasATag wants each endpoint in a group with a description.
func TestEveryOperationHasATag(t *testing.T) {
	d := documentForTests(t)
	known := map[string]bool{}
	for _, tag := range d["tags"].([]any) {
		known[asObject(tag)["name"].(string)] = true
	}
	for path, item := range asObject(d["paths"]) {
		for method, op := range asObject(item) {
			if tag := asObject(op)["tags"].([]any)[0].(string); !known[tag] {
				t.Errorf("%s %s has the tag %q, which nobody described: see tags in describing.go", method, path, tag)
			}
		}
	}
}
