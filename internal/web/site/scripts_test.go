package site

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"regexp"
	"strings"
	"testing"
)

// needsEval is what of htmx the policy of pages refuses, as it runs text.
var needsEval = regexp.MustCompile(`hx-on|hx-vars|js:|javascript:|hx-trigger="[^"]*\[|data-hx-`)

func TestPagesNeedNoEval(t *testing.T) {
	for _, pattern := range []string{"templates/*.html", "components/*.html"} {
		eachFile(t, pattern, func(name, text string) {
			if bad := needsEval.FindString(text); bad != "" {
				t.Errorf("%s has %s", name, bad)
			}
			uses := strings.Contains(text, " hx-")
			if loads := strings.Contains(text, `{{template "htmx"`); uses != loads {
				t.Errorf("%s loads htmx without using it, or uses it without loading it", name)
			}
		})
	}
}

var vendored = regexp.MustCompile("\\| `internal/web/site/(page/[^`]+)` .*\\| `([0-9a-f]{64})` \\|")

// The scripts of others are those that docs/dependencies.md names.
func TestScriptsOfOthersAreUnchanged(t *testing.T) {
	text, err := os.ReadFile("../../../docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	list := vendored.FindAllStringSubmatch(string(text), -1)
	if len(list) == 0 {
		t.Fatal("the document names none")
	}
	for _, m := range list {
		data, err := os.ReadFile(m[1])
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != m[2] {
			t.Errorf("%s is not the file that the document names: %x", m[1], sum)
		}
	}
}
