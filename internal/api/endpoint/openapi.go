package endpoint

import (
	"encoding/json"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"lectern/internal/api/params"
	"lectern/internal/clock"
	"lectern/internal/httpserver"
	"lectern/internal/policy"
	"lectern/internal/size"
)

type object = map[string]any

// Document gives the OpenAPI 3.1 description of every declared endpoint.
func (s *Server) Document() any {
	d := document{schemas: object{"Problem": problemSchema}, names: map[reflect.Type]string{}}
	paths := object{}
	for _, i := range s.routes {
		item, _ := paths[i.Path].(object)
		if item == nil {
			item = object{}
			paths[i.Path] = item
		}
		item[strings.ToLower(i.Method)] = d.operation(i)
	}
	return object{
		"openapi": "3.1.0",
		"info": object{"title": "Lectern", "version": s.Version,
			"description": "Units, tasks, submissions and feedback. Every parameter may come by query, form, " +
				"multipart or JSON under the same name."},
		"paths": paths,
		"components": object{"schemas": d.schemas, "securitySchemes": object{
			"username": object{"type": "apiKey", "in": "header", "name": "Username"},
			"token":    object{"type": "apiKey", "in": "header", "name": "Auth-Token"},
		}},
	}
}

// Describe serves the document and the explorer, whose assets are in the binary.
func (s *Server) Describe() {
	s.HTTP.Handle("GET /api/openapi.json", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "no-cache")
		httpserver.JSON(w, http.StatusOK, s.Document())
	}))
	explorer := explorer()
	s.HTTP.Handle("GET /api/docs", explorer)
	s.HTTP.Handle("GET /api/docs/", explorer)
}

var problemSchema = object{"type": "object", "required": []string{"error", "code"}, "properties": object{
	"error":  object{"type": "string", "description": "a sentence a person can act on"},
	"code":   object{"type": "string", "description": "a stable word a program can rely on"},
	"fields": object{"type": "object", "additionalProperties": object{"type": "string"}},
}}

// document gathers the schemas the operations refer to.
type document struct {
	schemas object
	names   map[reflect.Type]string
}

func (d *document) operation(i *Info) object {
	op := object{
		"summary":     i.Summary,
		"description": whoMay(i.Right),
		"operationId": operationID(i),
		"tags":        []string{tag(i.Path)},
		"responses":   d.responses(i),
	}
	if !i.Right.Allows(policy.Visitor) {
		op["security"] = []object{{"username": []string{}, "token": []string{}}}
	}
	d.inputs(i, op)
	return op
}

// whoMay says in words who holds the rights of a rule.
func whoMay(rule policy.Rule) string {
	rights := rule.Rights()
	if len(rights) == 1 {
		return "Who may: " + strings.Join(rights[0].Who.Names(), "; ") + "."
	}
	var out []string
	for _, r := range rights {
		out = append(out, "Who may "+r.Action+": "+strings.Join(r.Who.Names(), "; ")+".")
	}
	return strings.Join(out, " ")
}

var braces = regexp.MustCompile(`[{}./]+`)

func operationID(i *Info) string {
	return strings.ToLower(i.Method) + strings.TrimSuffix(braces.ReplaceAllString(strings.TrimPrefix(i.Path, "/api"),
		"_"), "_")
}

// tag groups the operations in the explorer by the first word of the path.
func tag(path string) string {
	head, _, _ := strings.Cut(strings.TrimPrefix(path, "/api/"), "/")
	return head
}

func (d *document) responses(i *Info) object {
	out := object{strconv.Itoa(i.Status): d.success(i)}
	add := func(status, what string) {
		if out[status] == nil {
			out[status] = object{"description": what, "content": object{"application/json": object{"schema": object{"$ref": "#/components/schemas/Problem"}}}}
		}
	}
	add("400", "a parameter is missing or cannot be used")
	if !i.Right.Allows(policy.Visitor) {
		add("401", "no, wrong or expired credentials")
		if !i.Right.Allows(policy.User) {
			add("403", "signed in, but not permitted")
		}
	}
	if strings.Contains(i.Path, "{") || len(i.scope) > 0 {
		add("404", "no such record, or not under that parent")
	}
	if i.limits.File > 0 {
		add("413", "larger than the service takes")
		add("415", "not an accepted type of content")
	}
	for status, what := range i.Extra {
		add(strconv.Itoa(status), what)
	}
	return out
}

var pictured = object{svg: object{"schema": object{"type": "string"}}}

func (d *document) success(i *Info) object {
	text := object{"text/plain": object{"schema": object{"type": "string"}}}
	var content object
	switch {
	case i.Out == reflect.TypeFor[Redirect]():
		return object{"description": "the browser is sent on; no body"}
	case i.Out == reflect.TypeFor[NoContent](), i.Status == http.StatusNoContent:
		return object{"description": "done; no body"}
	case i.Out == reflect.TypeFor[Text]():
		content = text
	case i.Out == reflect.TypeFor[*File]():
		content = object{"application/octet-stream": object{"schema": object{"type": "string", "format": "binary"}}}
	case i.Out == reflect.TypeFor[Live]():
		content = object{"text/event-stream": object{"schema": object{"type": "string"}}}
	case i.Out == reflect.TypeFor[Picture]():
		content = pictured
	default:
		content = object{"application/json": object{"schema": d.schema(i.Out)}}
	}
	if p, ok := reflect.Zero(i.Out).Interface().(drawn); ok {
		content = object{"application/json": object{"schema": d.schema(p.data())}, svg: pictured[svg]}
	}
	return object{"description": http.StatusText(i.Status), "content": content}
}

// inputs describes the path, and the rest as query or as body.
func (d *document) inputs(i *Info, op object) {
	list := []any{}
	nested, flat, files := newBody(), newBody(), false
	for _, f := range params.Fields(i.In) {
		switch {
		case f.In == "path":
			list = append(list, object{"name": f.Name, "in": "path", "required": true, "schema": d.input(f)})
		case f.In == "header":
			list = append(list, object{"name": f.Name, "in": "header", "required": false, "description": f.Doc,
				"schema": d.schema(f.Elem)})
		default:
			if f.In == "file" {
				files = true
				f.Doc = strings.TrimPrefix(f.Doc+"; at most "+size.Text(i.limits.File)+" each", "; ")
			}
			nested.add(f.Name, d.input(f), f.Required)
			d.flatten(flat, "", f)
		}
	}
	if i.Method == http.MethodGet || i.Method == http.MethodDelete {
		for _, name := range flat.order {
			list = append(list, object{"name": name, "in": "query", "required": flat.required[name],
				"schema": flat.props[name]})
		}
	} else if len(flat.order) > 0 {
		op["requestBody"] = object{"required": len(flat.required) > 0, "content": contents(nested, flat, files)}
	}
	if len(list) > 0 {
		op["parameters"] = list
	}
}

func contents(nested, flat *body, files bool) object {
	if files {
		return object{"multipart/form-data": object{"schema": flat.schema()}}
	}
	return object{
		"application/json":                  object{"schema": nested.schema()},
		"application/x-www-form-urlencoded": object{"schema": flat.schema()},
		"multipart/form-data":               object{"schema": flat.schema()},
	}
}

type body struct {
	props    object
	required map[string]bool
	order    []string
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

// input gives the schema of one parameter, members of a nested one inside.
func (d *document) input(f params.Field) object {
	var s object
	switch {
	case f.In == "file":
		s = object{"type": "string", "format": "binary"}
	case f.Elem.Kind() == reflect.Struct && !scalar(f.Elem):
		b := newBody()
		for _, m := range params.Fields(f.Elem) {
			b.add(m.Name, d.input(m), m.Required)
		}
		s = b.schema()
	case f.Elem.Kind() == reflect.Slice && f.Elem.Elem().Kind() == reflect.Struct && !scalar(f.Elem.Elem()):
		s = object{"type": "array", "items": d.input(params.Field{Elem: f.Elem.Elem()})}
	default:
		s = d.schema(f.Elem)
	}
	if f.Doc != "" {
		s["description"] = f.Doc
	}
	if f.Enum != nil {
		s["enum"] = f.Enum
	}
	return s
}

// flatten gives form names such as webcal[reminder][time].
func (d *document) flatten(to *body, prefix string, f params.Field) {
	name := f.Name
	if prefix != "" {
		name = prefix + "[" + f.Name + "]"
	}
	if f.In == "file" || f.Elem.Kind() != reflect.Struct || scalar(f.Elem) {
		if f.Elem.Kind() == reflect.Slice && f.In != "file" {
			name += "[]"
		}
		to.add(name, d.input(f), f.Required)
		return
	}
	for _, m := range params.Fields(f.Elem) {
		d.flatten(to, name, m)
	}
}

func scalar(t reflect.Type) bool {
	switch t {
	case reflect.TypeFor[time.Time](), reflect.TypeFor[clock.Time](), reflect.TypeFor[clock.Date]():
		return true
	}
	return false
}

// schema describes a type as it is encoded. Structs become components.
func (d *document) schema(t reflect.Type) object {
	if e, ok := reflect.Zero(t).Interface().(streamer); ok && t.Kind() == reflect.Struct {
		return object{"type": "array", "items": d.schema(e.element())}
	}
	switch t {
	case reflect.TypeFor[time.Time](), reflect.TypeFor[clock.Time]():
		return object{"type": "string", "format": "date-time"}
	case reflect.TypeFor[clock.Date]():
		return object{"type": "string", "format": "date"}
	case reflect.TypeFor[policy.Role]():
		return object{"type": "string", "enum": []string{"Student", "Tutor", "Convenor", "Admin"}}
	case reflect.TypeFor[json.RawMessage]():
		return object{}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return nullable(d.schema(t.Elem()))
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int32, reflect.Int64:
		return object{"type": "integer"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.String:
		if e, ok := reflect.Zero(t).Interface().(interface{ Enum() []string }); ok {
			return object{"type": "string", "enum": e.Enum()}
		}
		return object{"type": "string"}
	case reflect.Slice, reflect.Array:
		return object{"type": "array", "items": d.schema(t.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": d.schema(t.Elem())}
	case reflect.Struct:
		return d.component(t)
	}
	return object{}
}

func nullable(s object) object {
	if kind, ok := s["type"].(string); ok {
		s["type"] = []string{kind, "null"}
		return s
	}
	if s["$ref"] != nil {
		return object{"oneOf": []object{s, {"type": "null"}}}
	}
	return s
}

// component writes a struct's schema once and refers to it after that.
func (d *document) component(t reflect.Type) object {
	name, ok := d.names[t]
	if !ok {
		name = d.name(t)
		d.names[t] = name
		props := object{}
		d.schemas[name] = object{"type": "object", "properties": props}
		d.members(t, props)
	}
	return object{"$ref": "#/components/schemas/" + name}
}

func (d *document) members(t reflect.Type, props object) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			if e := f.Type; e.Kind() == reflect.Struct {
				d.members(e, props)
			} else if e.Kind() == reflect.Pointer {
				d.members(e.Elem(), props)
			}
		case name != "" && name != "-":
			props[name] = d.schema(f.Type)
			if doc := f.Tag.Get("doc"); doc != "" {
				props[name].(object)["description"] = doc
			}
		}
	}
}

var letters = regexp.MustCompile(`[^A-Za-z0-9]+`)

// name makes a component name that no other type has.
func (d *document) name(t reflect.Type) string {
	base := letters.ReplaceAllString(t.Name(), "_")
	if base == "" {
		base = "Record"
	}
	base = strings.ToUpper(base[:1]) + base[1:]
	name := base
	for n := 2; d.taken(name); n++ {
		name = base + strconv.Itoa(n)
	}
	return name
}

func (d *document) taken(name string) bool {
	if d.schemas[name] != nil {
		return true
	}
	for _, n := range d.names {
		if n == name {
			return true
		}
	}
	return false
}

// Sorted gives the endpoints by path and method, for lists people read.
func (s *Server) Sorted() []*Info {
	out := slices.Clone(s.routes)
	slices.SortFunc(out, func(a, b *Info) int {
		return strings.Compare(a.Path+" "+a.Method, b.Path+" "+b.Method)
	})
	return out
}
