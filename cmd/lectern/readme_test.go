package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
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
