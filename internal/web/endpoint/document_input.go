package endpoint

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"

	"lectern/internal/ground/bounds"
	"lectern/internal/web/params"
)

// inputs describes the path, the headers, and the rest as query or as body.
func (d *document) inputs(i *Info, op object) {
	list := []any{}
	b := newBodies(d, i)
	for _, f := range params.Fields(i.In) {
		switch f.In {
		case "path":
			list = append(list, d.parameter(i, f, "path", pathWords(i.Path, f.Name)))
		case "header":
			list = append(list, d.parameter(i, f, "header", f.Name))
		case "body":
			op["requestBody"] = object{"required": true, "description": f.Doc, "content": object{
				"application/json": object{"schema": object{"type": "object"}}}}
		default:
			b.add(f)
		}
	}
	if i.guarded {
		list = append(list, object{"name": "If-Match", "in": "header", "required": false,
			"description": "an ETag that GET answered: 412 where it is not the present one",
			"schema":      object{"type": "string"}})
	}
	if i.Method == http.MethodGet || i.Method == http.MethodDelete {
		list = append(list, b.query()...)
	} else if len(b.flat.order) > 0 {
		op["requestBody"] = object{"required": len(b.flat.required) > 0, "content": b.contents()}
	}
	if len(list) > 0 {
		op["parameters"] = list
	}
}

func (d *document) parameter(i *Info, f params.Field, in string, words ...string) object {
	return object{"name": f.Name, "in": in, "required": f.Required, "description": d.describe(f.Doc, words...),
		"schema": d.value(i, f.Name, f)}
}

// pathWords is what the words call a value of a path: by the part before it,
// since many are just called id.
func pathWords(path, name string) string {
	before, _, _ := strings.Cut(path, "/{"+name+"}")
	return before[strings.LastIndex(before, "/")+1:] + "/{" + name + "}"
}

// bodies describes what a request takes beside path and headers: nested, as JSON
// has it, and flat, as forms name it.
type bodies struct {
	*document
	info         *Info
	nested, flat *body
	files        bool
}

func newBodies(d *document, i *Info) *bodies {
	return &bodies{document: d, info: i, nested: newBody(), flat: newBody()}
}

func (b *bodies) add(f params.Field) {
	if f.In == "file" {
		b.addFiles(f)
		return
	}
	b.nested.add(f.Name, b.member(f.Name, f), f.Required)
	b.flatten(f.Name, f, f.Required)
}

// addFiles describes files as fields of their own: file0, file1 and so on where a
// task says how many it wants.
func (b *bodies) addFiles(f params.Field) {
	b.files = true
	doc := strings.TrimPrefix(f.Doc+"; at most "+bounds.SizeText(b.info.limits.File)+" each", "; ")
	one := object{"type": "string", "format": "binary", "description": doc}
	switch {
	case f.Type.Kind() == reflect.Map:
		for n := range b.info.limits.Files {
			b.flat.add(fmt.Sprintf("file%d", n), one, false)
		}
	case f.Type.Kind() == reflect.Slice:
		b.flat.add(f.Name+"[]", object{"type": "array", "description": doc,
			"items": object{"type": "string", "format": "binary"}}, f.Required)
	default:
		b.flat.add(f.Name, one, f.Required)
	}
}

// contents gives the body in each encoding. Where files come it is a multipart
// form; otherwise JSON or a form.
func (b *bodies) contents() object {
	if b.files {
		return object{"multipart/form-data": b.form()}
	}
	asJSON := object{"schema": b.nested.schema()}
	if example := b.Examples[b.operationID(b.info)]; example != nil {
		asJSON["example"] = example
	}
	return object{"application/json": asJSON, "application/x-www-form-urlencoded": b.form()}
}

func (b *bodies) form() object {
	out := object{"schema": b.flat.schema()}
	if len(b.flat.json) > 0 {
		encoding := object{}
		for _, name := range b.flat.json {
			encoding[name] = object{"contentType": "application/json"}
		}
		out["encoding"] = encoding
	}
	return out
}

func (b *bodies) query() (list []any) {
	for _, name := range b.flat.order {
		s := b.flat.props[name].(object)
		doc := s["description"]
		delete(s, "description")
		if of, ok := s["allOf"].([]object); ok && len(s) == 1 {
			s = of[0] // the description stands beside the schema here, so nothing needs to be wrapped
		}
		list = append(list, object{"name": name, "in": "query", "required": b.flat.required[name],
			"description": doc, "schema": s})
	}
	return list
}

// body is a set of named values.
type body struct {
	props    object
	required map[string]bool
	order    []string
	json     []string // the names of those that are JSON text in a form
}

func newBody() *body { return &body{props: object{}, required: map[string]bool{}} }

func (b *body) add(name string, schema object, required bool) {
	b.props[name] = schema
	b.order = append(b.order, name)
	if required {
		b.required[name] = true
	}
}

func (b *body) schema() object {
	s := object{"type": "object", "properties": b.props}
	var names []string
	for _, n := range b.order {
		if b.required[n] {
			names = append(names, n)
		}
	}
	if names != nil {
		s["required"] = names
	}
	return s
}

// member describes a value in JSON. In an update it may be null only where that clears it.
func (b *bodies) member(name string, f params.Field) object {
	s := b.value(b.info, name, f)
	if f.Clears || b.info.Method != http.MethodPut && f.Type != f.Elem && !f.Required {
		s = b.nullable(s)
	}
	return described(s, b.describe(f.Doc, name, f.Name))
}

// value gives the schema of a parameter, the members of a nested one inside.
func (d *document) value(i *Info, name string, f params.Field) object {
	b := bodies{document: d, info: i}
	if t := i.shapes[name]; t != nil {
		return d.schema(t)
	}
	switch {
	case nested(f.Elem):
		out := newBody()
		for _, m := range params.Fields(f.Elem) {
			out.add(m.Name, b.member(name+"["+m.Name+"]", m), m.Required)
		}
		return out.schema()
	case f.Elem.Kind() == reflect.Slice && nested(f.Elem.Elem()):
		return object{"type": "array", "items": d.value(i, name+"[]", params.Field{Elem: f.Elem.Elem()})}
	case f.Enum != nil && f.Elem.Kind() == reflect.String && !enumerated(f.Elem):
		return object{"type": "string", "enum": f.Enum}
	}
	return d.schema(f.Elem)
}

// nested tells a struct of named members from the structs that are one value.
func nested(t reflect.Type) bool { return t.Kind() == reflect.Struct && !instant(t) }

// flatten gives form names such as webcal[reminder][time]. A member is required
// only where all that it stands in is.
func (b *bodies) flatten(name string, f params.Field, required bool) {
	if nested(f.Elem) {
		for _, m := range params.Fields(f.Elem) {
			b.flatten(name+"["+m.Name+"]", m, required && m.Required)
		}
		return
	}
	s := described(b.value(b.info, name, f), b.describe(f.Doc, name, f.Name))
	switch {
	case f.JSON():
		b.flat.json = append(b.flat.json, name)
	case f.Elem.Kind() == reflect.Slice && f.Elem != reflect.TypeFor[json.RawMessage]():
		name += "[]"
	}
	b.flat.add(name, s, required)
}
