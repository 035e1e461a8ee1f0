package main

import (
	"archive/zip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A person's data is written to a file, and the person forgotten once somebody
// agreed.
func TestUserDataCommands(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			do := userCommand(t, storage(t, engine))
			expect := func(fails bool, says, input string, words ...string) {
				t.Helper()
				if out, err := do(input, words...); (err != nil) != fails || !strings.Contains(out, says) {
					t.Errorf("%v: %v %s", words, err, out)
				}
			}
			for name, role := range map[string]string{"sam": "Student", "ada": "Admin"} {
				expect(false, "Created", "", "add", name, "--email", name+"@example.edu", "--first-name", "Jo",
					"--last-name", "Doe", "--role", role)
			}
			out := filepath.Join(t.TempDir(), "sam.zip")
			expect(false, "index.json", "", "export", "sam", "-o", out)
			expect(true, "exists already", "", "export", "sam", "-o", out)
			expect(true, "no such user", "", "export", "nobody", "-o", out+"2")
			z, err := zip.OpenReader(out)
			if err != nil || z.File[0].Name != "users.json" {
				t.Fatalf("%v %v", err, z)
			}
			z.Close()
			if info, err := os.Stat(out); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("others may read the export: %v %v", err, info)
			}
			expect(true, "nothing was changed", "no\n", "erase", "sam")
			expect(true, "nothing was changed", "", "erase", "sam", "--files")
			expect(false, "sam@example.edu", "", "list")
			expect(false, "the account is now erased-", "sam\n", "erase", "sam")
			expect(true, "no such user", "", "erase", "sam", "--yes")
			expect(true, "last Admin", "", "erase", "ada", "--yes")
			if list, err := do("", "list"); err != nil || strings.Contains(list, "sam") {
				t.Errorf("%v %s", err, list)
			}
		})
	}
}

func TestPermissionsCommand(t *testing.T) {
	out, err := run(t, "permissions", "--role", "Student", "--route", "GET /api/units")
	if err != nil || !strings.Contains(out, "GET /api/units/{id} ") || strings.Contains(out, "/access") {
		t.Errorf("%v %s", err, out)
	}
	if out, err := run(t, "permissions", "--role", "Dean"); err == nil || !strings.Contains(out, "no role") {
		t.Errorf("%v %s", err, out)
	}
}
