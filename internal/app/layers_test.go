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

// floors lists our packages from the roof down. A package may import what
// stands on a lower floor, never its own or a higher one.
var floors = [][]string{
	{"cmd/lectern"},
	{"internal/app"},
	{"internal/web/api", "internal/web/site"},
	{"internal/web/endpoint"},
	{"internal/web/httpserver", "internal/web/params", "internal/web/certs"},
	{"internal/usecase/demo", "internal/people/sso/saml"},
	{"internal/usecase", "internal/usecase/privacy"},
	{"internal/people/sso/oidc/oidctest"},
	{"internal/people/sso/ldap/ldaptest"},
	{"internal/people/sso/ldap", "internal/people/sso/oidc"},
	{"internal/teaching/insight", "internal/connect/notify", "internal/connect/webhook", "internal/people/sso"},
	{"internal/connect/turnitin", "internal/teaching/trash"},
	{"internal/teaching/portfolio", "internal/teaching/marking", "internal/teaching/assess", "internal/teaching/similarity"},
	{"internal/teaching/submit"},
	{"internal/teaching/work"},
	{"internal/teaching/taskdef"},
	{"internal/teaching/enrol"},
	{"internal/teaching/course"},
	{"internal/people/ident"},
	{"internal/people/access"},
	{"internal/teaching/stats", "internal/teaching/snippet", "internal/teaching/note", "internal/teaching/presence"},
	{"internal/platform/events", "internal/platform/audit", "internal/teaching/progress", "internal/teaching/chart"},
	{"internal/teaching/status"},
	{"internal/teaching/similarity/engine/bench"},
	{"internal/people/policy", "internal/teaching/week", "internal/teaching/due", "internal/teaching/similarity/engine", "internal/teaching/similarity/engine/corpus"},
	{"internal/platform/blob", "internal/platform/jobs"},
	{"internal/platform/container/enginetest"},
	{"internal/platform/db/dbtest", "internal/people/sso/saml/samltest"},
	{"internal/platform/db", "internal/platform/files", "internal/platform/pdf", "internal/platform/sheet",
		"internal/platform/calendar", "internal/platform/mail", "internal/platform/zipfile", "internal/platform/container", "internal/platform/tca",
		"internal/platform/tca/fake"},
	{"internal/ground/fault", "internal/ground/clock", "internal/ground/oneline", "internal/ground/grade", "internal/ground/opt", "internal/ground/bounds",
		"internal/ground/totp", "internal/ground/personaldata", "internal/ground/canonical", "internal/ground/links", "docs/assessment"},
}

// parts names the parts of the house by the floor each begins with.
var parts = []struct{ name, first string }{
	{"Start", "cmd/lectern"}, {"Faces", "internal/web/api"}, {"Domain", "internal/usecase/demo"},
	{"Pure rules", "internal/teaching/status"}, {"Adapters", "internal/platform/blob"}, {"Ground", "internal/ground/fault"},
}

// speakHTTP are the packages below the faces that may import net/http, and why.
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

func TestImportsGoDown(t *testing.T) {
	for _, r := range rooms(t) {
		mine := floor(r.ImportPath)
		if mine < 0 {
			t.Errorf("%s has no floor", r.name())
			continue
		}
		for _, i := range r.Imports {
			if strings.HasPrefix(i, "lectern/") && floor(i) <= mine {
				t.Errorf("%s imports %s, which does not stand below it", r.name(), i)
			}
		}
		if speakHTTP[r.name()] == "" && part(mine) >= part(floor("internal/usecase/demo")) &&
			slices.Contains(r.Imports, "net/http") {
			t.Errorf("%s imports net/http: only the faces do", r.name())
		}
	}
}

// TestAdaptersStandBelowTheDomain holds the parts in their order, so that going
// down keeps adapters from every word of the domain.
func TestAdaptersStandBelowTheDomain(t *testing.T) {
	for i, p := range parts {
		if f := floor(p.first); f < 0 || part(f) != i {
			t.Errorf("%s begins with %s on floor %d, out of order", p.name, p.first, f)
		}
	}
}

func floor(path string) int {
	name := strings.TrimPrefix(path, "lectern/")
	return slices.IndexFunc(floors, func(f []string) bool { return slices.Contains(f, name) })
}

// part gives the part a floor belongs to.
func part(floorNumber int) int {
	at := 0
	for i, p := range parts {
		if floor(p.first) <= floorNumber {
			at = i
		}
	}
	return at
}
