package api

import (
	"flag"
	"fmt"
	"os"
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

// permissions prints the table of rights with the endpoints that ask for each.
func permissions(s *Server) string {
	by := map[*policy.Right][]*endpoint.Info{}
	for _, i := range s.Sorted() {
		by[i.Right] = append(by[i.Right], i)
	}
	var b strings.Builder
	b.WriteString(header)
	for _, scope := range []policy.Scope{policy.System, policy.Unit, policy.Project, policy.Task} {
		fmt.Fprintf(&b, "\n## Rights that the %s decides\n\n| To | is for | at |\n|---|---|---|\n", scope)
		for _, r := range policy.All() {
			if r.Scope == scope {
				fmt.Fprintf(&b, "| %s | %s | %s |\n", r.Action, strings.Join(r.Who.Names(), ", "), endpoints(by[r]))
			}
		}
	}
	return b.String()
}

const header = `# Who may do what

Made from the table of rights in ` + "`internal/policy`" + `; do not edit it by hand.
An Admin has every right of staff in every unit. Whoever owns a project is there as its student only, so nobody marks their own work.
Rights without an endpoint are asked for inside others, for single parameters.
`

func endpoints(list []*endpoint.Info) string {
	var out []string
	for _, i := range list {
		out = append(out, "`"+i.Method+" "+i.Path+"`")
	}
	return strings.Join(out, " ")
}
