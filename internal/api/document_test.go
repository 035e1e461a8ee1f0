package api

import (
	"encoding/json"
	"lectern/internal/api/endpoint"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
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
		w.do("", "GET /api/openapi.json", nil).status(200).says("under its key (file0, file1, …); at most 10 MB each",
			`"a recording; at most 30 MB each"`)
	})
}
