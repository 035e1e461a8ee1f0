package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// secret writes a secret to a file and gives the variable that names it.
func secret(t *testing.T, name, value string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte("\n"+value+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return "LECTERN_" + name + "_FILE=" + path
}

// TestSecretsComeFromFilesAndAreNeverShown gives every secret by a file, and then
// sees that neither the doctor nor a start that fails tells any.
func TestSecretsComeFromFilesAndAreNeverShown(t *testing.T) {
	for _, c := range []struct {
		what             string
		says             []string
		db, files, mails string
	}{
		{"servers that do not answer", []string{"FIX  database", "FIX  files", "links"},
			"postgres://lectern:hush1@127.0.0.1:1/lectern", "s3://key:hush2@127.0.0.1:1/bucket?insecure=true",
			"smtp://lectern:hush3@127.0.0.1:1"},
		{"addresses of another kind", []string{"--database-url", "--smtp-url"},
			"mysql://lectern:hush1@localhost", "ftp://key:hush2@localhost", "imap://lectern:hush3@localhost"},
		{"addresses that do not parse", []string{"smtp://user:password@host"},
			"postgres://lectern:hush1@%zz", "s3://key:hush2@%zz", "smtp://lectern:hush3@%zz"},
	} {
		env := []string{secret(t, "DATABASE_URL", c.db), secret(t, "FILES_URL", c.files),
			secret(t, "SMTP_URL", c.mails)}
		for _, args := range [][]string{{"doctor"}, {"serve", "--log-level", "debug", "--addr", "127.0.0.1:0"}} {
			cmd := command(t, append(args, "--data", t.TempDir(), "--mail-from", "lectern@example.edu")...)
			cmd.Env, cmd.Dir = append(cmd.Env, env...), t.TempDir()
			out, err := cmd.CombinedOutput()
			if err == nil || strings.Contains(string(out), "hush") {
				t.Errorf("%s, %s: %v\n%s", c.what, args[0], err, out)
			}
			if made, err := os.ReadDir(cmd.Dir); err != nil || len(made) > 0 {
				t.Errorf("%s, %s: an address was taken for a path: %v %v", c.what, args[0], made, err)
			}
			for _, word := range c.says {
				if args[0] == "doctor" && !strings.Contains(string(out), word) {
					t.Errorf("%s: %q is not spoken of:\n%s", c.what, word, out)
				}
			}
		}
	}
}

func TestSecretFilesThatCannotBeRight(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for want, env := range map[string][]string{
		"no such file": {"LECTERN_SMTP_URL_FILE=/nowhere"},
		"is empty":     {"LECTERN_SMTP_URL_FILE=" + empty},
		"choose one":   {"LECTERN_SMTP_URL_FILE=" + empty, "LECTERN_SMTP_URL=smtp://a:hush@mail.example.edu"},
		"no setting":   {"LECTERN_ADDR_FILE=" + empty},
	} {
		cmd := command(t, "doctor", "--data", t.TempDir())
		cmd.Env = append(cmd.Env, env...)
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) || strings.Contains(string(out), "hush") {
			t.Errorf("want a word about %q: %v\n%s", want, err, out)
		}
	}
}
