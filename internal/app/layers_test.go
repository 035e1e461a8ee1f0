package app

import (
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
	{"internal/api"},
	{"internal/api/endpoint"},
	{"internal/httpserver"},
	{"internal/demo"},
	{"internal/usecase"},
	{"internal/insight", "internal/notify", "internal/webhook"},
	{"internal/portfolio", "internal/marking"},
	{"internal/submit"},
	{"internal/work"},
	{"internal/taskdef"},
	{"internal/enrol"},
	{"internal/course"},
	{"internal/ident"},
	{"internal/access"},
	{"internal/stats"},
	{"internal/events", "internal/progress"},
	{"internal/status"},
	{"internal/policy", "internal/week", "internal/due"},
	{"internal/blob", "internal/jobs"},
	{"internal/db/dbtest"},
	{"internal/api/params", "internal/db", "internal/files", "internal/pdf", "internal/sheet", "internal/chart",
		"internal/calendar", "internal/mail", "internal/archive"},
	{"internal/fault", "internal/clock", "internal/grade", "internal/opt", "internal/size"},
}

func TestImportsGoDown(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", "lectern/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		checkImports(t, p.ImportPath, p.Imports)
	}
}

func checkImports(t *testing.T, path string, imports []string) {
	mine := floor(path)
	if mine < 0 && !strings.HasPrefix(path, "lectern/bench") {
		t.Errorf("%s has no floor", path)
	}
	for _, i := range imports {
		if strings.HasPrefix(i, "lectern/") && mine >= 0 && floor(i) <= mine {
			t.Errorf("%s imports %s, which does not stand below it", path, i)
		}
	}
}

func floor(path string) int {
	name := strings.TrimPrefix(path, "lectern/")
	return slices.IndexFunc(floors, func(f []string) bool { return slices.Contains(f, name) })
}
