package site

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// needsEval is what of htmx the policy of pages refuses, as it runs text.
var needsEval = regexp.MustCompile(`hx-on|hx-vars|js:|javascript:|hx-trigger="[^"]*\[|data-hx-`)

func TestPagesNeedNoEval(t *testing.T) {
	err := fs.WalkDir(templateFiles, "templates", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := templateFiles.ReadFile(name)
		if bad := needsEval.Find(text); bad != nil {
			t.Errorf("%s has %s", name, bad)
		}
		uses := strings.Contains(string(text), " hx-")
		if loads := strings.Contains(string(text), `{{template "htmx"`); uses != loads {
			t.Errorf("%s loads htmx without using it, or uses it without loading it", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

var vendored = regexp.MustCompile("\\| `internal/web/site/(assets/[^`]+)` .*\\| `([0-9a-f]{64})` \\|")

// The scripts of others are those that docs/dependencies.md names.
func TestScriptsOfOthersAreUnchanged(t *testing.T) {
	text, err := os.ReadFile("../../docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	list := vendored.FindAllStringSubmatch(string(text), -1)
	if len(list) == 0 {
		t.Fatal("the document names none")
	}
	for _, m := range list {
		data, err := assetFiles.ReadFile(m[1])
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != m[2] {
			t.Errorf("%s is not the file that the document names: %x", m[1], sum)
		}
	}
}
