package api

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"lectern/internal/api/endpoint"
	"lectern/internal/policy"
)

var update = flag.Bool("update", false, "write docs/permissions.md anew")

const permissionsFile = "../../docs/permissions.md"

func TestPermissionsAreDocumented(t *testing.T) {
	want := permissions(New(Config{Config: endpoint.Config{Version: "test"}}))
	if *update {
		if err := os.WriteFile(permissionsFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(permissionsFile)
	if err != nil || string(got) != want {
		t.Errorf("docs/permissions.md is out of date (%v); run: go test ./internal/api -run Permissions -update", err)
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

// permissions prints the table of rights with the endpoints that ask for each.
func permissions(s *Server) string {
	by, inside := map[*policy.Right][]*endpoint.Info{}, map[*policy.Right][]*endpoint.Info{}
	for _, i := range s.Sorted() {
		for _, r := range i.Right.Rights() {
			by[r] = append(by[r], i)
		}
		for _, r := range i.Inside {
			inside[r] = append(inside[r], i)
		}
	}
	var b strings.Builder
	b.WriteString(header)
	for _, scope := range []policy.Scope{policy.System, policy.Unit, policy.Project, policy.Task} {
		fmt.Fprintf(&b, "\n## Rights that the %s decides\n\n", scope)
		b.WriteString("| To | is for | at | in part at |\n|---|---|---|---|\n")
		for _, r := range policy.All() {
			if r.Scope == scope {
				fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.Action, holders(r), endpoints(by[r]), endpoints(inside[r]))
			}
		}
	}
	return b.String()
}

const header = `# Who may do what

Made from the table of rights in ` + "`internal/policy`" + `; do not edit it by hand.
An Admin has every right of staff in every unit. Whoever owns a project is there as its student only, so nobody marks their own work.
An endpoint that stands with two rights asks for the one on the project where the request names one,
else for the one on the unit. A right that an endpoint asks for in part is needed for single parameters
or decides what the answer shows; whoever lacks it can use the rest.
`

func holders(r *policy.Right) string {
	out := strings.Join(r.Who.Names(), ", ")
	if r.Limit != "" {
		out += " (" + r.Limit + ")"
	}
	return out
}

func endpoints(list []*endpoint.Info) string {
	var out []string
	for _, i := range list {
		out = append(out, "`"+i.Method+" "+i.Path+"`")
	}
	return strings.Join(out, " ")
}
