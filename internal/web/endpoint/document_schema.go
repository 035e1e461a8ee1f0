package endpoint

import (
	"cmp"
	"encoding/json"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"lectern/internal/ground/clock"
)

// instant tells the types that hold a time or a day.
func instant(t reflect.Type) bool {
	switch t {
	case reflect.TypeFor[time.Time](), reflect.TypeFor[clock.Time](), reflect.TypeFor[clock.Date]():
		return true
	}
	return false
}

// enum is a type with a closed set of values, which it lists itself.
type enum interface{ Enum() []string }

func enumerated(t reflect.Type) bool { return t.Implements(reflect.TypeFor[enum]()) }

// schema describes a type as it is encoded. Structs and closed sets of words
// become components.
func (d *document) schema(t reflect.Type) object {
	if e, ok := reflect.Zero(t).Interface().(streamer); ok && t.Kind() == reflect.Struct {
		return object{"type": "array", "items": d.schema(solid(e.element()))}
	}
	switch t {
	case reflect.TypeFor[time.Time](), reflect.TypeFor[clock.Time]():
		return object{"type": "string", "format": "date-time", "example": "2026-03-02T04:05:06.789Z"}
	case reflect.TypeFor[clock.Date]():
		return object{"type": "string", "format": "date", "example": "2026-03-02"}
	case reflect.TypeFor[json.RawMessage]():
		return object{"type": "object"}
	case reflect.TypeFor[Null]():
		// 3.0 has no type for it: a string that is none but null.
		return object{"type": "string", "nullable": true, "enum": []any{nil}, "description": "always null"}
	}
	if enumerated(t) && t.Kind() != reflect.Pointer {
		return d.component(t)
	}
	switch t.Kind() {
	case reflect.Pointer:
		return d.nullable(d.schema(t.Elem()))
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int32, reflect.Int64:
		return object{"type": "integer", "format": "int64"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Slice, reflect.Array:
		return object{"type": "array", "items": d.schema(solid(t.Elem()))}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": d.schema(solid(t.Elem()))}
	case reflect.Struct:
		return d.component(t)
	}
	return object{}
}

const componentRef = "#/components/schemas/"

// nullable lets a value be null beside what it is. That says nothing without a type, so
// the one of a reference is told again.
func (d *document) nullable(s object) object {
	if name, ok := s["$ref"].(string); ok {
		of := d.schemas[strings.TrimPrefix(name, componentRef)].(object)
		s = object{"allOf": []object{s}, "type": of["type"]}
	}
	s["nullable"] = true
	return s
}

var referred = regexp.MustCompile(regexp.QuoteMeta(componentRef) + `([^"]+)`)

// forgetUnused leaves out the schemas that no operation leads to: of a record that is told
// in a sentence only, the members stand where the sentence does.
func (d *document) forgetUnused(paths object) {
	used := map[string]bool{"Problem": true}
	var follow func(v any)
	follow = func(v any) {
		text, err := json.Marshal(v)
		if err != nil {
			panic("endpoint: " + err.Error()) // the document itself could not be sent either
		}
		for _, m := range referred.FindAllSubmatch(text, -1) {
			if name := string(m[1]); !used[name] {
				used[name] = true
				follow(d.schemas[name])
			}
		}
	}
	follow(paths)
	maps.DeleteFunc(d.schemas, func(name string, _ any) bool { return !used[name] })
}

// described adds what a value is. Nothing may stand beside a reference, so that
// is wrapped.
func described(s object, doc string) object {
	if doc == "" {
		return s
	}
	if s["$ref"] != nil {
		s = object{"allOf": []object{s}}
	}
	s["description"] = doc
	return s
}

// component writes a type's schema once and refers to it after that.
func (d *document) component(t reflect.Type) object {
	d.seen[t] = true
	name := d.names[t]
	if name == "" {
		name = t.PkgPath() + "." + t.Name()
	}
	if d.schemas[name] == nil {
		s := object{}
		d.schemas[name] = s
		d.complete(s, name, t)
	}
	return object{"$ref": componentRef + name}
}

func (d *document) complete(s object, name string, t reflect.Type) {
	if doc := d.Words[name]; doc != "" {
		s["description"] = doc
	}
	if e, ok := reflect.Zero(t).Interface().(enum); ok {
		s["type"], s["enum"] = "string", e.Enum()
		return
	}
	props := object{}
	s["type"], s["properties"] = "object", props
	if required := d.members(name, t, props, false); len(required) > 0 {
		slices.Sort(required)
		s["required"] = slices.Compact(required)
	}
}

// members describes the fields of a struct and gives the names of those that are
// always there.
func (d *document) members(name string, t reflect.Type, props object, perhaps bool) (required []string) {
	for f := range t.Fields() {
		field, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && field == "":
			pointer := f.Type.Kind() == reflect.Pointer // what it leads to may not be there
			required = append(required, d.members(name, solid(f.Type), props, perhaps || pointer)...)
		case field == "" || field == "-":
		default:
			sometimes := strings.Contains(opts, "omit")
			s := d.field(f.Type, sometimes)
			props[field] = described(s, d.describe(f.Tag.Get("doc"), name+"."+field, field))
			if !sometimes && !perhaps {
				required = append(required, field)
			}
		}
	}
	return required
}

// field describes a field; one that is left out when it is empty is never null.
func (d *document) field(t reflect.Type, sometimes bool) object {
	if sometimes {
		t = solid(t)
	}
	return d.schema(t)
}

// sentenceSchema describes the JSON of a sentence: the record it is about, with the
// sentence in it.
func (d *document) sentenceSchema(record reflect.Type) object {
	message := object{"type": "string", "description": "the sentence"}
	if record == nil {
		return object{"type": "object", "required": []string{"message"}, "properties": object{"message": message}}
	}
	record = solid(record)
	d.component(record)
	name := strings.TrimPrefix(d.component(record)["$ref"].(string), componentRef)
	of := d.schemas[name].(object)
	props := maps.Clone(of["properties"].(object))
	props["message"] = message
	required, _ := of["required"].([]string)
	return object{"type": "object", "properties": props, "required": append(slices.Clone(required), "message")}
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9]+`)

// nameTypes gives every type that becomes a component its name: the one it was
// given, or else those of its package and its own.
func (d *document) nameTypes(routes []*Info) {
	first := newDocument(d.Config)
	for _, i := range routes {
		first.operation(i)
	}
	for t := range first.seen {
		pkg, name := typeName(t)
		d.names[t] = cmp.Or(d.Schemas[pkg+"."+name], exported(pkg)+exported(name))
	}
}

// typeName gives the last part of the package of a type, and its name.
func typeName(t reflect.Type) (pkg, name string) {
	return t.PkgPath()[strings.LastIndex(t.PkgPath(), "/")+1:], notInNames.ReplaceAllString(t.Name(), "_")
}

func exported(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// SchemaNames gives the names of the schemas by package and type, such as
// work.Comment.
func (s *Server) SchemaNames() map[string]string {
	d := newDocument(s.Config)
	d.nameTypes(s.routes)
	out := map[string]string{}
	for t, schema := range d.names {
		pkg, name := typeName(t)
		out[pkg+"."+name] = schema
	}
	return out
}
