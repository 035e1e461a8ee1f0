package api

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"lectern/internal/people/policy"
)

var hole = regexp.MustCompile(`\{[^}]*\}`)

// TestContractIsServed holds the routes against the list of agreed ones: method,
// path, whether credentials are needed, success status.
func TestContractIsServed(t *testing.T) {
	served := map[string]struct {
		status int
		public bool
	}{}
	for _, i := range newWorld(t, "sqlite").api.Routes() {
		s := served[i.Method+" "+hole.ReplaceAllString(i.Path, "{}")]
		s.status, s.public = i.Status, i.Right.Allows(policy.Visitor)
		served[i.Method+" "+hole.ReplaceAllString(i.Path, "{}")] = s
	}
	b, err := os.ReadFile("testdata/contract.tsv")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(b)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		name := f[0] + " " + hole.ReplaceAllString(f[1], "{}")
		got, there := served[name]
		n++
		if want, _ := strconv.Atoi(f[3]); !there || got.status != want || got.public != (f[2] != "H") {
			t.Errorf("%s: served %v with %d, public %v; want %s, credentials %s", name, there, got.status, got.public,
				f[3], f[2])
		}
	}
	t.Logf("%d endpoints of the contract", n)
}
