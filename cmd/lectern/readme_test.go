package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"lectern/internal/platform/db/dbtest"
)

var update = flag.Bool("update", false, "write the settings into README.md anew")

const (
	readme = "../../README.md"
	begin  = "<!-- settings: made by go test ./cmd/lectern -run Readme -update -->\n"
	end    = "<!-- end of settings -->\n"
)

func TestReadmeListsTheSettings(t *testing.T) {
	b, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(b), begin)
	have, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("README.md has lost the marks around its settings")
	}
	want := settings()
	if *update {
		if err := os.WriteFile(readme, []byte(head+begin+want+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if have != want {
		t.Error("the settings in README.md are out of date; run: go test ./cmd/lectern -run Readme -update")
	}
}

// settings prints the flags of serve as a table.
func settings() string {
	k := kong.Must(&commands{}, kong.DefaultEnvars("LECTERN"))
	i := slices.IndexFunc(k.Model.Children, func(n *kong.Node) bool { return n.Name == "serve" })
	var b strings.Builder
	b.WriteString("| Flag | Variable | Default | What it does |\n|---|---|---|---|\n")
	for _, f := range k.Model.Children[i].Flags {
		if f.Name == "help" {
			continue
		}
		byDefault := ""
		if f.Default != "" {
			byDefault = "`" + f.Default + "`"
		}
		names := "`" + strings.Join(f.Envs, " ") + "`"
		if file := secretFile(f); file != "" {
			names += " or `" + file + "`"
		}
		fmt.Fprintf(&b, "| `--%s` | %s | %s | %s |\n", f.Name, names, byDefault, f.Help)
	}
	return b.String()
}

// The commands of the README's tour work as they are printed.
func TestReadmeTour(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		dbtest.Missing(t, "no curl: %v", err)
	}
	b, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "```sh\nAPI=http://127.0.0.1:3000/api\n")
	commands, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("README.md has no tour")
	}
	i := start(t, "--demo", "--data", t.TempDir())
	c := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", "API="+i.url+"/api\n"+commands)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{`"code":"COS10001"`, "Nicely done.", `"status":"discuss"`, `"due_date"`} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the tour does not show %s: %s", want, out)
		}
	}
	if strings.Contains(string(out), `"error"`) {
		t.Errorf("a step of the tour fails: %s", out)
	}
	i.stop()
}
