package endpoint

import (
	"cmp"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/people/policy"
	"lectern/internal/web/httpserver"
	"lectern/internal/web/params"
)

type object = map[string]any

const problemRef = "#/components/schemas/Problem"

// Document gives the OpenAPI description of every declared endpoint. It is of
// version 3.0, which every generator of clients reads.
func (s *Server) Document() any {
	d := newDocument(s.Config)
	d.nameTypes(s.routes)
	paths := object{}
	for _, i := range s.routes {
		item, _ := paths[i.Path].(object)
		if item == nil {
			item = object{}
			paths[i.Path] = item
		}
		i.guarded = s.tagged(i) != nil
		item[strings.ToLower(i.Method)] = d.operation(i)
	}
	d.forgetUnused(paths)
	return object{
		"openapi": "3.0.3",
		"info": object{"title": "Lectern", "version": cmp.Or(s.Version, "unknown"), "description": about,
			"license": object{"name": "Apache License 2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0"}},
		"servers": []object{{"url": "/"}},
		"tags":    d.tagList(),
		"paths":   paths,
		"components": object{"schemas": d.schemas, "securitySchemes": object{
			"sessionUser": object{"type": "apiKey", "in": "header", "name": "Username",
				"description": "The username of whoever is signed in."},
			"sessionToken": object{"type": "apiKey", "in": "header", "name": "Auth_Token",
				"description": "The auth_token that POST /api/auth gave. `Auth-Token` is the same header: use it " +
					"where a proxy on the way drops names with an underscore."},
		}},
	}
}

const about = "Units, tasks, submissions and feedback.\n\n" +
	"Every parameter may come in the query, a form, a multipart form or a JSON body, under the same name: " +
	"`unit[name]=x` in a form is `{\"unit\": {\"name\": \"x\"}}` in JSON. In an update, what is absent is left " +
	"alone; null clears what may be null by its schema, and leaves alone what may not be empty. Lists take `limit` and `offset`, and answer them with `X-Total-Count`.\n\n" +
	"An error is a `Problem`: a sentence for people, a word for programs and, where parameters are wrong, what " +
	"is wrong with each."

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

var problemSchema = object{"type": "object", "description": "what went wrong", "required": []string{"error", "code"},
	"properties": object{
		"error": object{"type": "string", "description": "a sentence a person can act on"},
		"code":  object{"type": "string", "description": "a stable word a program can rely on"},
		"fields": object{"type": "object", "description": "what is wrong with each parameter, by its name",
			"additionalProperties": object{"type": "string"}},
		"stands": object{"type": "object", "description": "what stands instead of what was asked for, where somebody " +
			"else was faster", "additionalProperties": true},
	}}

// document gathers the schemas the operations refer to.
type document struct {
	Config
	schemas object
	names   map[reflect.Type]string
	seen    map[reflect.Type]bool // the types that were named
	used    map[string]bool       // the tags
}

func newDocument(c Config) *document {
	return &document{Config: c, schemas: object{"Problem": problemSchema}, names: map[reflect.Type]string{},
		seen: map[reflect.Type]bool{}, used: map[string]bool{}}
}

func (d *document) operation(i *Info) object {
	op := object{
		"summary":     i.Summary,
		"description": whoMay(i.Right),
		"operationId": d.operationID(i),
		"tags":        []string{d.tag(i.Path)},
		"responses":   d.responses(i),
	}
	op["security"] = []object{} // open to everybody
	if !i.Right.Allows(policy.Visitor) {
		op["security"] = []object{{"sessionUser": []string{}, "sessionToken": []string{}}}
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

func (d *document) responses(i *Info) object {
	out := object{strconv.Itoa(i.Status): d.success(i)}
	for status, what := range i.otherAnswers() {
		out[strconv.Itoa(status)] = i.problem(what)
		if status < http.StatusBadRequest {
			out[strconv.Itoa(status)] = object{"description": what}
		}
	}
	if i.kept {
		content := d.success(i)["content"]
		out["206"] = object{"description": "the part that Range asks for", "content": content}
		out["304"] = object{"description": "the file is the one that If-None-Match or If-Modified-Since names"}
	}
	out["default"] = i.problem("the service itself failed (500), an outside service did (502), or something it needs " +
		"is away or not set up (503)")
	return out
}

func (i *Info) problem(what string) object {
	content := object{"application/json": object{"schema": object{"$ref": problemRef}}}
	if i.forBrowsers {
		content["text/html"] = plainText
	}
	return object{"description": what, "content": content}
}

// otherAnswers are the errors an endpoint declares, and those that follow from
// what it takes and whom it lets in.
func (i *Info) otherAnswers() map[int]string {
	out := maps.Clone(i.Extra)
	if out == nil {
		out = map[int]string{}
	}
	add := func(when bool, status int, what string) {
		if when && out[status] == "" && status != i.Status {
			out[status] = what
		}
	}
	closed := !i.Right.Allows(policy.Visitor)
	body := i.Method != http.MethodGet && i.Method != http.MethodDelete
	add(true, 400, "a parameter is missing or cannot be used")
	add(closed, 401, "no, wrong or expired credentials")
	add(closed, 403, "signed in, but not permitted; of code second_factor_enrolment while the role needs a second "+
		"factor and there is none")
	add(i.Method != http.MethodGet && !i.forBrowsers, 403, "sent by a page of another site")
	add(strings.Contains(i.Path, "{") || len(i.scope) > 0, 404, "no such record, or not under that parent")
	add(i.guarded, 412, "If-Match names none of the present tags, or If-None-Match one of them")
	add(body, 413, "larger than the service takes")
	add(body, 415, "not a type of content that is accepted")
	add(body && i.takesValues(), 422, "well-formed, but a rule refuses it")
	add(i.kept, 416, "the file does not have the part that Range asks for")
	return out
}

// takesValues tells whether the endpoint takes anything beside its path.
func (i *Info) takesValues() bool {
	return slices.ContainsFunc(params.Fields(i.In), func(f params.Field) bool { return f.In != "path" })
}

// success describes the answer of a request that worked.
func (d *document) success(i *Info) object {
	if i.Out == reflect.TypeFor[Redirect]() {
		return object{"description": "the browser is sent on; no body"}
	}
	if i.Status == http.StatusNoContent || i.Out == reflect.TypeFor[NoContent]() {
		return object{"description": "done; no body"}
	}
	out := object{"description": http.StatusText(i.Status), "content": d.content(i)}
	headers := object{}
	if i.location != "" {
		headers["Location"] = headerDoc("where the record is found", "string")
	}
	if _, ok := reflect.Zero(i.Out).Interface().(streamer); ok {
		headers["X-Total-Count"] = headerDoc("how many there are in all, where limit or offset was given", "integer")
	}
	if i.present != nil {
		headers["ETag"] = headerDoc("what If-Match and If-None-Match name this answer by", "string")
	}
	if len(headers) > 0 {
		out["headers"] = headers
	}
	return out
}

func headerDoc(what, kind string) object {
	return object{"description": what, "schema": object{"type": kind}}
}

var (
	plainText = object{"schema": object{"type": "string"}}
	binary    = object{"schema": object{"type": "string", "format": "binary"}}
)

// content describes a body in each of the types it can have.
func (d *document) content(i *Info) object {
	zero := reflect.Zero(i.Out).Interface()
	if t, ok := zero.(text); ok {
		return object{"text/plain": plainText, "application/json": object{"schema": d.sentenceSchema(t.record())}}
	}
	if p, ok := zero.(drawn); ok {
		return object{"application/json": object{"schema": d.schema(p.data())}, svg: plainText}
	}
	if o, ok := zero.(sentOn); ok {
		return object{"application/json": object{"schema": d.schema(solid(o.data()))}}
	}
	switch i.Out {
	case reflect.TypeFor[*File]():
		out := object{}
		for _, kind := range i.kinds() {
			out[kind] = binary
		}
		return out
	case reflect.TypeFor[HTML]():
		return object{"text/html": plainText, "application/json": object{"schema": d.nullable(object{"type": "string"})}}
	case reflect.TypeFor[Live]():
		return object{"text/event-stream": plainText}
	case reflect.TypeFor[Picture]():
		return object{svg: plainText}
	}
	out := object{"application/json": object{"schema": d.schema(solid(i.Out))}}
	if _, ok := zero.(tabled); ok {
		out["text/csv"] = plainText
	}
	return out
}

// solid is what an endpoint answers: the record a pointer leads to, as success
// is never null.
func solid(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// kinds are the types of content of a download.
func (i *Info) kinds() []string {
	if len(i.sends) == 0 {
		return []string{"application/octet-stream"}
	}
	return i.sends
}

// Sorted gives the endpoints by path and method, for lists people read.
func (s *Server) Sorted() []*Info {
	out := slices.Clone(s.routes)
	slices.SortFunc(out, func(a, b *Info) int {
		return strings.Compare(a.Path+" "+a.Method, b.Path+" "+b.Method)
	})
	return out
}
