package site_test

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lectern/internal/platform/events"
)

var (
	liveScript = regexp.MustCompile(`src="(/assets/[^"]+/live\.js)"`)
	givenKinds = regexp.MustCompile(`^export const kinds = (\[.*\]);\n$`)
)

// The script that keeps pages up to date listens to each kind it is given, and it is given
// every kind of event that there is, whoever added it: no script lists them.
func TestPagesListenToEveryKindOfEvent(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	ann := w.as("ann")
	script := liveScript.FindStringSubmatch(ann.do("/home", nil).status(200).Body.String())
	if script == nil {
		t.Fatal("the page loads no live.js")
	}
	ann.do(script[1], nil).status(200).says(`import { kinds } from './live-kinds.js';`).says(`for (const kind of kinds) {`)
	made := ann.do(path.Dir(script[1])+"/live-kinds.js", nil).status(200)
	if got := made.Header().Get("Content-Type"); !strings.HasPrefix(got, "text/javascript") {
		t.Errorf("browsers run no module of the type %q", got)
	}
	list := givenKinds.FindSubmatch(made.Body.Bytes())
	if list == nil {
		t.Fatalf("no list of kinds: %s", made.Body)
	}
	var kinds []string
	if err := json.Unmarshal(list[1], &kinds); err != nil {
		t.Fatal(err)
	}
	for _, kind := range events.Kinds() {
		if !slices.Contains(kinds, string(kind)) {
			t.Errorf("pages do not listen to events of the kind %q", kind)
		}
	}
	for _, kind := range []string{"presence", "queue"} {
		if !slices.Contains(kinds, kind) {
			t.Errorf("pages do not listen to %q", kind)
		}
	}
}
