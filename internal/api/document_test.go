package api

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"lectern/internal/api/endpoint"
)

func TestDocumentIsValidOpenAPI(t *testing.T) {
	b, err := json.Marshal(New(Config{Config: endpoint.Config{Version: "test"}}).Document())
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(b)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestExplorerIsServedFromTheBinary(t *testing.T) {
	w := newWorld(t, "sqlite")
	w.do("", "GET /api/docs", nil).status(200)
	w.do("", "GET /api/openapi.json", nil).status(200)
}

// TestDocumentTellsTheLimitsOfUploads holds the document to the settings.
func TestDocumentTellsTheLimitsOfUploads(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		text := w.do("", "GET /api/openapi.json", nil).status(200).Body.String()
		for _, limit := range []string{"under its key (file0, file1, …); at most 10 MB each",
			`"a recording; at most 30 MB each"`} {
			if !strings.Contains(text, limit) {
				t.Errorf("the document does not say %q", limit)
			}
		}
	})
}
