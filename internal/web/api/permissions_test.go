package api

import (
	"flag"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"lectern/internal/people/policy"
	"lectern/internal/web/site"
)

var update = flag.Bool("update", false, "write docs/permissions.md anew")

const permissionsFile = "../../../docs/permissions.md"

// everything is the permissions of all endpoints and pages.
func everything() []Permission { return AllPermissions(site.New(site.Config{}).Sorted()) }

func TestPermissionsAreDocumented(t *testing.T) {
	var b strings.Builder
	if err := WritePermissions(&b, everything(), "markdown"); err != nil {
		t.Fatal(err)
	}
	want := b.String()
	if *update {
		if err := os.WriteFile(permissionsFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(permissionsFile)
	if err != nil || string(got) != want {
		t.Errorf("docs/permissions.md is out of date (%v); run: go test ./internal/web/api -run Permissions -update", err)
	}
}

func TestEveryRightIsAskedSomewhere(t *testing.T) {
	declared := map[*policy.Right]bool{}
	for _, i := range New(Config{}).Routes() {
		for _, r := range slices.Concat(i.Right.Rights(), i.Inside) {
			declared[r] = true
		}
	}
	for _, r := range policy.All() {
		if !declared[r] {
			t.Errorf("no endpoint asks for the right to %s", r.Action)
		}
	}
}

func TestReadingIsNotRefusedAsAChange(t *testing.T) {
	for _, p := range everything() {
		verb, _, _ := strings.Cut(p.Action, " ")
		for _, route := range p.Routes {
			if route == "GET /units/new" { // which is there for nothing else
				continue
			}
			if strings.HasPrefix(route, "GET ") && slices.Contains([]string{"change", "create", "import", "delete"}, verb) {
				t.Errorf("%s is refused with %q", route, p.right.Refusal())
			}
		}
	}
}

func TestPermissionsAreNarrowed(t *testing.T) {
	routes := func(role, route string) (out []string) {
		list, err := Narrow(everything(), role, route)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range list {
			out = append(out, p.Routes...)
		}
		return out
	}
	for _, c := range []struct {
		role, route string
		want        bool
	}{
		{"", "GET /api/csv/users", true}, {"Admin", "get /api/csv/users", true}, {"Convenor", "GET /api/csv/users",
			false},
		{"visitor", "POST /api/auth", true}, {"visitor", "GET /api/units", false}, {"student", "GET /api/units", true},
		{"Student", "assess_extension", false}, {"tutor", "assess_extension", true},
	} {
		if got := len(routes(c.role, c.route)) > 0; got != c.want {
			t.Errorf("%q at %q: got %v, want %v", c.role, c.route, got, c.want)
		}
	}
	if _, err := Narrow(nil, "Dean", ""); err == nil {
		t.Error("a role that does not exist was taken")
	}
}

// Every endpoint stands in every format.
func TestPermissionsAreWritten(t *testing.T) {
	list := everything()
	for format := range permissionFormats {
		var b strings.Builder
		if err := WritePermissions(&b, list, format); err != nil {
			t.Fatal(err)
		}
		for _, i := range New(Config{}).Routes() {
			if !strings.Contains(b.String(), i.Method+" "+i.Path) {
				t.Errorf("%s is missing in %s", i.Path, format)
			}
		}
	}
	if err := WritePermissions(io.Discard, list, "xml"); err == nil {
		t.Error("an unknown format was taken")
	}
}
