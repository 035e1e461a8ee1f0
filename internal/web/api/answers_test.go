package api

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"lectern/internal/web/endpoint"
)

// checkAnswer compares an answer with the OpenAPI document: its status and its
// type of content are declared, and JSON has no field that is unknown or missing.
// Every test sends its requests through here, so every answer they get is one
// that a generated client understands.
func (w *world) checkAnswer(r *http.Request, rec *httptest.ResponseRecorder) {
	w.Helper()
	i := routeOf(r)
	if _, bench := w.TB.(*testing.B); bench || i == nil || strayBody(r) {
		return
	}
	if wrong := contract().check(i, rec); wrong != "" {
		w.Errorf("the OpenAPI document is not true: %s %s answered %d with %s\n%s", i.Method, i.Path, rec.Code, wrong,
			firstBytes(rec.Body.String(), 600))
	}
}

// strayBody tells a request that the document does not know of: it has no body
// for GET and DELETE.
func strayBody(r *http.Request) bool {
	return r.ContentLength != 0 && (r.Method == http.MethodGet || r.Method == http.MethodDelete)
}

func firstBytes(s string, n int) string { return s[:min(len(s), n)] }

// promises are the answers the document declares, by operation and status.
type promises struct {
	sync.Mutex
	document map[string]any
	compiler *jsonschema.Compiler
	schemas  map[string]*jsonschema.Schema
	kept     sync.Map // the answers found true, by schema and bytes: the same are true again
}

type keptPromise struct {
	schema *jsonschema.Schema
	body   [sha256.Size]byte
}

var contract = sync.OnceValue(func() *promises {
	document, err := plainDocument()
	if err != nil {
		panic(err)
	}
	p := &promises{document: strict(document).(map[string]any), compiler: jsonschema.NewCompiler(),
		schemas: map[string]*jsonschema.Schema{}}
	p.compiler.AssertFormat()
	if err := p.compiler.AddResource("doc.json", p.document); err != nil {
		panic(err)
	}
	return p
})

// plainDocument is the document as anybody gets it.
func plainDocument() (any, error) {
	b, err := json.Marshal(New(Config{Config: endpoint.Config{HTTP: quiet(), Version: "test"}}).Document())
	if err != nil {
		return nil, err
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(b))
}

// strict makes JSON schemas of those of OpenAPI 3.0, and closes every record: a
// client may pass over fields it does not know, but we may not send any.
func strict(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = strict(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = strict(v[k])
		}
		if _, record := v["properties"].(map[string]any); record && v["additionalProperties"] == nil {
			v["additionalProperties"] = false
		}
		if v["nullable"] == true {
			delete(v, "nullable")
			if v["type"] == nil && v["allOf"] == nil {
				return map[string]any{"type": "null"}
			}
			return map[string]any{"anyOf": []any{v, map[string]any{"type": "null"}}}
		}
	}
	return v
}

// check says what of an answer the document does not declare; nothing where it
// declares all of it.
func (p *promises) check(i *endpoint.Info, rec *httptest.ResponseRecorder) string {
	at := []string{"paths", i.Path, strings.ToLower(i.Method), "responses", strconv.Itoa(rec.Code)}
	if rec.Code >= 500 {
		at[4] = "default"
	}
	answer, ok := p.find(at)
	if !ok {
		return "a status it does not declare; add endpoint.Also"
	}
	body, err := io.ReadAll(unpacked(rec))
	kind, _, _ := mime.ParseMediaType(rec.Header().Get("Content-Type"))
	content, _ := answer["content"].(map[string]any)
	switch {
	case err != nil || i.Method == http.MethodHead:
		return ""
	case content == nil && len(body) == 0:
		return ""
	case content == nil:
		return "a body where it declares none"
	}
	if content[kind] == nil {
		return strconv.Quote(kind) + ", a type it does not declare; add endpoint.Stored or endpoint.Made"
	}
	if kind != "application/json" {
		return ""
	}
	return p.validate(append(at, "content", kind, "schema"), body)
}

// unpacked gives the body of an answer as it was before it was compressed.
func unpacked(rec *httptest.ResponseRecorder) io.Reader {
	body := bytes.NewReader(rec.Body.Bytes())
	if rec.Header().Get("Content-Encoding") != "gzip" {
		return body
	}
	z, err := gzip.NewReader(body)
	if err != nil {
		return body
	}
	return z
}

func (p *promises) find(path []string) (map[string]any, bool) {
	var at any = p.document
	for _, name := range path {
		m, _ := at.(map[string]any)
		if at = m[name]; at == nil {
			return nil, false
		}
	}
	m, ok := at.(map[string]any)
	return m, ok
}

// validate holds JSON against the schema at a path of the document.
func (p *promises) validate(path []string, body []byte) string {
	s, err := p.schema(path)
	if err != nil {
		return err.Error()
	}
	this := keptPromise{s, sha256.Sum256(body)}
	if _, known := p.kept.Load(this); known {
		return ""
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return "no JSON: " + err.Error()
	}
	if err := s.Validate(v); err != nil {
		return err.Error()
	}
	p.kept.Store(this, true)
	return ""
}

var pointer = strings.NewReplacer("~", "~0", "/", "~1")

// schema compiles a schema at its first use.
func (p *promises) schema(path []string) (*jsonschema.Schema, error) {
	at := "doc.json#"
	for _, name := range path {
		at += "/" + pointer.Replace(name)
	}
	p.Lock()
	defer p.Unlock()
	if s := p.schemas[at]; s != nil {
		return s, nil
	}
	s, err := p.compiler.Compile(at)
	if err == nil {
		p.schemas[at] = s
	}
	return s, err
}

// TestAnAnswerIsHeldAgainstTheDocumentEachTime has what was found true once vouch for
// nothing but the same bytes.
func TestAnAnswerIsHeldAgainstTheDocumentEachTime(t *testing.T) {
	at := []string{"paths", "/api/campuses", "get", "responses", "200", "content", "application/json", "schema"}
	for range 2 {
		if wrong := contract().validate(at, []byte(`[]`)); wrong != "" {
			t.Error(wrong)
		}
		if contract().validate(at, []byte(`[{"colour":"red"}]`)) == "" {
			t.Error("a campus of nothing but a colour keeps the promise")
		}
	}
}
