package main

import (
	"encoding/json"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTheBillOfMaterialsIsComplete compares what the program says it is made of
// with the modules its packages come from, and sees that CycloneDX's required
// members are there.
func TestTheBillOfMaterialsIsComplete(t *testing.T) {
	out, err := run(t, "version", "--sbom")
	if err != nil {
		t.Fatal(err, out)
	}
	var b bom
	d := json.NewDecoder(strings.NewReader(out))
	d.DisallowUnknownFields()
	if err := d.Decode(&b); err != nil {
		t.Fatal(err)
	}
	uuid := regexp.MustCompile(`^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	if b.Format != "CycloneDX" || b.SpecVersion != "1.5" || b.Version != 1 || !uuid.MatchString(b.SerialNumber) {
		t.Errorf("%s %s %d %s", b.Format, b.SpecVersion, b.Version, b.SerialNumber)
	}
	if c := b.Metadata.Component; c.Type != "application" || c.Name != "lectern" || c.Version == "" || c.Ref == "" {
		t.Errorf("%+v", c)
	}
	var got []string
	for _, c := range b.Components {
		if c.Type != "library" || c.Name == "" || c.Version == "" || c.PURL != "pkg:golang/"+c.Name+"@"+c.Version ||
			c.Ref != c.PURL {
			t.Errorf("%+v", c)
		}
		got = append(got, c.Name+" "+c.Version)
	}
	if len(b.Dependencies) != 1 || len(b.Dependencies[0].DependsOn) != len(b.Components) {
		t.Errorf("%+v", b.Dependencies)
	}
	if want := linked(t); !slices.Equal(got[1:], want) || !strings.HasPrefix(got[0], "std 1.") {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if again, _ := run(t, "version", "--sbom"); again != out {
		t.Error("the same program gives another bill")
	}
}

// linked lists the modules that the program's packages come from.
func linked(t *testing.T) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f",
		"{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	modules := strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' })
	slices.Sort(modules)
	return slices.Compact(modules)
}
