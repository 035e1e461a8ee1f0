package api

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/events"
	"lectern/internal/platform/jobs"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/teaching/work"
	"lectern/internal/web/endpoint"
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

// TestDocumentNamesEveryFileOfASubmission: a generated client sends files under
// names, so each has one.
func TestDocumentNamesEveryFileOfASubmission(t *testing.T) {
	props := bodyOf(t, "submitWork", "multipart/form-data")
	for _, name := range []string{"file0", "file1", "file19"} {
		if f := asObject(props[name]); f["type"] != "string" || f["format"] != "binary" {
			t.Errorf("%s is %v, not a file", name, f)
		}
	}
	for name := range props {
		if strings.ContainsAny(name, "*[") {
			t.Errorf("%q is no name of a field", name)
		}
	}
	if c := asObject(props["contributions"]); c["type"] != "array" || asObject(c["items"])["type"] != "object" {
		t.Errorf("contributions are %v", c)
	}
}

// bodyOf gives the fields of an operation's body.
func bodyOf(t *testing.T, operation, kind string) (props map[string]any) {
	t.Helper()
	walkDocument(documentForTests(t), nil, func(_ []string, o map[string]any) {
		if o["operationId"] == operation {
			content := asObject(asObject(o["requestBody"])["content"])
			props = asObject(asObject(asObject(content[kind])["schema"])["properties"])
		}
	})
	if props == nil {
		t.Fatalf("%s takes no %s", operation, kind)
	}
	return props
}

// TestDocumentAsksForNoMoreThanTheService: what is required inside an object that
// may be absent is not required of a form.
func TestDocumentAsksForNoMoreThanTheService(t *testing.T) {
	walkDocument(documentForTests(t), nil, func(at []string, o map[string]any) {
		if required, ok := o["required"].([]any); ok && slices.Contains(required, any("webcal[reminder][time]")) {
			t.Error(at)
		}
	})
}

// TestDocumentNamesTheHeadersOfTheSpecification also wants the other spelling told.
func TestDocumentNamesTheHeadersOfTheSpecification(t *testing.T) {
	schemes := asObject(asObject(documentForTests(t)["components"])["securitySchemes"])
	user, token := asObject(schemes["sessionUser"]), asObject(schemes["sessionToken"])
	if user["name"] != "Username" || token["name"] != "Auth_Token" ||
		!strings.Contains(token["description"].(string), "`Auth-Token`") {
		t.Error(user, token)
	}
}

func TestDocumentSaysOfAnActionThatItIsToBeDone(t *testing.T) {
	schemas := asObject(asObject(documentForTests(t)["components"])["schemas"])
	for name := range schemas {
		if !strings.HasSuffix(name, "SimilarityAction") {
			continue
		}
		action := asObject(asObject(asObject(schemas[name])["properties"])["action"])
		if text := fmt.Sprint(action["description"]); !strings.Contains(text, "to be done at the similarity service") {
			t.Errorf("the action of %s is described as %q", name, text)
		}
	}
}

// TestClosedSetsAreListed wants the words of every closed set in the document,
// as the types that hold them list them.
func TestClosedSetsAreListed(t *testing.T) {
	schemas := asObject(asObject(documentForTests(t)["components"])["schemas"])
	for name, want := range map[string]interface{ Enum() []string }{"TaskStatus": status.Complete,
		"Role":     policy.Student,
		"RoleName": policy.RoleName(""), "CommentType": work.CommentType(""), "UploadKind": taskdef.UploadKind(""),
		"AuditKind": audit.Unit, "EventKind": events.Comment, "UploadTrigger": status.UploadTrigger(""),
		"CampusMode": course.CampusMode(""), "DocumentState": submit.Ready, "JobState": jobs.Dead,
		"ReasonToRead": access.Reason("")} {
		got := asObject(schemas[name])["enum"]
		if fmt.Sprint(got) != fmt.Sprint(want.Enum()) || len(want.Enum()) < 2 {
			t.Errorf("%s is one of %v; the document says %v", name, want.Enum(), got)
		}
	}
	if e := asObject(bodyOf(t, "changeTask", "application/json")["trigger"]); e["allOf"] == nil {
		t.Errorf("the trigger of a task is %v", e)
	}
}

// TestDownloadsNameTheirTypes wants no download of which nobody knows what it is, but
// for the files of deleted work: whatever a student once sent, to be saved.
func TestDownloadsNameTheirTypes(t *testing.T) {
	walkDocument(documentForTests(t), nil, func(at []string, o map[string]any) {
		if o["application/octet-stream"] != nil && at[1] != deletedFilePath+"/{file_id}" {
			t.Errorf("%v: add endpoint.Stored or endpoint.Made", at)
		}
	})
}

// TestSentencesHaveAJSONVariant: where a sentence is answered, so is a record.
func TestSentencesHaveAJSONVariant(t *testing.T) {
	walkDocument(documentForTests(t), nil, func(at []string, o map[string]any) {
		if o["text/plain"] == nil || at[len(at)-1] != "content" {
			return
		}
		schema := asObject(asObject(o["application/json"])["schema"])
		if asObject(asObject(schema["properties"])["message"])["type"] != "string" {
			t.Errorf("%v: %v", at, o)
		}
	})
}

// TestDocumentKeepsTheRulesOfLinters holds what `.ci/run` asks Redocly for, without it: every
// operation says who must sign in, null stands beside a type, and nothing is left over.
func TestDocumentKeepsTheRulesOfLinters(t *testing.T) {
	doc := documentForTests(t)
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	if asObject(asObject(doc["info"])["license"])["url"] == nil {
		t.Error("it names no licence")
	}
	for name := range asObject(asObject(doc["components"])["schemas"]) {
		if !strings.Contains(string(text), `"#/components/schemas/`+name+`"`) {
			t.Errorf("nothing leads to %s", name)
		}
	}
	walkDocument(doc, nil, func(at []string, o map[string]any) {
		if o["operationId"] != nil && o["security"] == nil {
			t.Errorf("%v does not say whether one must sign in", at)
		}
		if o["nullable"] == true && o["type"] == nil {
			t.Errorf("%v may be null beside no type", at)
		}
		if of, ok := o["allOf"].([]any); ok && len(of) == 1 && len(o) == 1 {
			t.Errorf("%v wraps one schema in nothing", at)
		}
	})
}
