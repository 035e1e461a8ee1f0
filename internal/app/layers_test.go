package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// folders are the first-level folders of internal from the roof down. What each may import
// stands in its own doc.go, in a line that begins with "May import:".
var folders = []string{"app", "web", "usecase", "connect", "teaching", "people", "platform", "ground"}

// speakHTTP are the packages below web that may import net/http, and why.
var speakHTTP = map[string]string{
	"internal/platform/container":            "it is a client: container engines are spoken to by HTTP",
	"internal/platform/container/enginetest": "it is a registry of images for tests",
	"internal/people/sso/saml":               "it is a client: it fetches the metadata of the identity provider",
	"internal/people/sso/oidc":               "it is a client: it asks the OpenID provider",
	"internal/people/sso/oidc/oidctest":      "it runs an OpenID provider for tests",
	"internal/people/sso/saml/samltest":      "it runs an identity provider for tests",
	"internal/connect/webhook":               "it is a client: it delivers events to the addresses of others",
	"internal/platform/tca":                  "it is a client: it calls the outside similarity service",
	"internal/platform/tca/fake":             "it stands in for the outside similarity service",
}

// room is a package as go list tells of it.
type room struct {
	ImportPath, Doc, Dir string
	Imports              []string
}

func (r room) name() string { return strings.TrimPrefix(r.ImportPath, "lectern/") }

// rooms gives our packages but the benchmarks, which nobody imports.
func rooms(t *testing.T) []room {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Doc,Dir,Imports", "lectern/cmd/...",
		"lectern/internal/...", "lectern/docs/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []room
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var r room
		if err := d.Decode(&r); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
}

// TestFoldersImportWhatTheirDocAllows reads what each first-level folder may import and holds
// every package to it. Inside a folder the compiler forbids circles.
func TestFoldersImportWhatTheirDocAllows(t *testing.T) {
	for _, r := range rooms(t) {
		from := folder(r.ImportPath)
		if from == "" {
			continue
		}
		if !slices.Contains(folders, from) {
			t.Errorf("internal/%s is no folder of the architecture", from)
			continue
		}
		allowed := mayImport(t, from)
		for _, i := range r.Imports {
			if to := folder(i); to != "" && to != from && !slices.Contains(allowed, to) {
				t.Errorf("%s imports %s: internal/%s may not import internal/%s (internal/%s/doc.go)",
					r.name(), strings.TrimPrefix(i, "lectern/"), from, to, from)
			}
		}
	}
}

// TestFoldersImportDownwards keeps the lists themselves honest: a folder may be allowed
// only what stands below it.
func TestFoldersImportDownwards(t *testing.T) {
	for i, from := range folders {
		for _, to := range mayImport(t, from) {
			if j := slices.Index(folders, to); j <= i {
				t.Errorf("internal/%s/doc.go allows %s, which does not stand below it", from, to)
			}
		}
	}
}

func TestOnlyWebSpeaksHTTP(t *testing.T) {
	for _, r := range rooms(t) {
		from := folder(r.ImportPath)
		if from == "" || from == "app" || from == "web" {
			continue
		}
		if speakHTTP[r.name()] == "" && slices.Contains(r.Imports, "net/http") {
			t.Errorf("%s imports net/http: only internal/web does", r.name())
		}
	}
}

// folder is the first-level folder a package of ours lies in, "" elsewhere.
func folder(importPath string) string {
	inside, ok := strings.CutPrefix(importPath, "lectern/internal/")
	if !ok {
		return ""
	}
	first, _, _ := strings.Cut(inside, "/")
	return first
}
