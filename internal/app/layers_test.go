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
	{"internal/api", "internal/site"},
	{"internal/api/endpoint"},
	{"internal/httpserver", "internal/api/params", "internal/certs"},
	{"internal/demo", "internal/sso/saml"},
	{"internal/usecase", "internal/person"},
	{"internal/sso/oidc/oidctest"},
	{"internal/sso/ldap/ldaptest"},
	{"internal/sso/ldap", "internal/sso/oidc"},
	{"internal/insight", "internal/notify", "internal/webhook", "internal/sso"},
	{"internal/outside", "internal/deleted"},
	{"internal/portfolio", "internal/marking", "internal/assess", "internal/similarity"},
	{"internal/submit"},
	{"internal/work"},
	{"internal/taskdef"},
	{"internal/enrol"},
	{"internal/course"},
	{"internal/ident"},
	{"internal/access"},
	{"internal/stats", "internal/snippet", "internal/note", "internal/presence"},
	{"internal/events", "internal/audit", "internal/progress", "internal/chart"},
	{"internal/status"},
	{"internal/similar/bench"},
	{"internal/policy", "internal/week", "internal/due", "internal/similar", "internal/similar/corpus"},
	{"internal/blob", "internal/jobs"},
	{"internal/container/enginetest"},
	{"internal/db/dbtest", "internal/sso/saml/samltest"},
	{"internal/db", "internal/files", "internal/pdf", "internal/sheet",
		"internal/calendar", "internal/mail", "internal/archive", "internal/container", "internal/tii",
		"internal/tii/fake"},
	{"internal/fault", "internal/clock", "internal/oneline", "internal/grade", "internal/opt", "internal/size",
		"internal/totp", "internal/personal", "internal/canonical", "internal/links", "docs/assessment"},
}

// parts names the parts of the house by the floor each begins with.
var parts = []struct{ name, first string }{
	{"Start", "cmd/lectern"}, {"Faces", "internal/api"}, {"Domain", "internal/demo"},
	{"Pure rules", "internal/status"}, {"Adapters", "internal/blob"}, {"Ground", "internal/fault"},
}

// speakHTTP are the packages below the faces that may import net/http, and why.
var speakHTTP = map[string]string{
	"internal/container":            "it is a client: container engines are spoken to by HTTP",
	"internal/container/enginetest": "it is a registry of images for tests",
	"internal/sso/saml":             "it is a client: it fetches the metadata of the identity provider",
	"internal/sso/oidc":             "it is a client: it asks the OpenID provider",
	"internal/sso/oidc/oidctest":    "it runs an OpenID provider for tests",
	"internal/sso/saml/samltest":    "it runs an identity provider for tests",
	"internal/webhook":              "it is a client: it delivers events to the addresses of others",
	"internal/tii":                  "it is a client: it calls the outside similarity service",
	"internal/tii/fake":             "it stands in for the outside similarity service",
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
		if speakHTTP[r.name()] == "" && part(mine) >= part(floor("internal/demo")) &&
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
