package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"lectern/internal/platform/db/dbtest"
)

// verdictOn is a verdict that a tutor has written and must not lose.
type verdictOn struct {
	path, body, words string
	acknowledged      bool
}

// TestVerdictsSurviveAKill has tutors mark while the program is killed again and again,
// and send what was not acknowledged again with the same key: each verdict stands once.
func TestVerdictsSurviveAKill(t *testing.T) {
	dbtest.Long(t)
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			place := storage(t, engine)
			args := append(slices.Clone(place), "--demo")
			i := start(t, args...)
			definition, class := classroom(i, 6, "[]")
			tutor := i.signIn("aadmin", "password")
			var all []*verdictOn
			for round := range 6 {
				if round > 0 {
					i = start(t, args...)
				}
				list := i.verdictsFor(class, definition, round, tutor)
				all = append(all, list...)
				i.markUntilKilled(list, tutor)
				<-i.done
				verifyAudit(t, place...)
				i = start(t, args...)
				i.standOnce(class, definition, tutor, all, false)
				for _, v := range list {
					if status, err := i.call("POST", v.path, "aadmin", tutor, v.body, nil); err != nil || status != 200 {
						t.Errorf("sent again, %s gets %d: %v", v.words, status, err)
					}
				}
				i.standOnce(class, definition, tutor, all, true)
				i.stop()
			}
		})
	}
}

// verdictsFor writes one verdict on the task of each student, at its present version.
func (i *instance) verdictsFor(class []student, definition int64, round int, tutor string) (list []*verdictOn) {
	i.t.Helper()
	for _, p := range class {
		path := fmt.Sprintf("/api/projects/%d/task_def_id/%d/verdict", p.project, definition)
		v := verdictOn{path: path, words: fmt.Sprintf("Round %d for %s", round, p.name)}
		body := map[string]any{"trigger": "redo", "version": -1, "comment": v.words, "key": v.words}
		var problem struct{ Stands struct{ Version int64 } } // a wrong version tells the right one
		text, _ := json.Marshal(body)
		if status, err := i.call("POST", path, "aadmin", tutor, string(text), &problem); err != nil || status != 409 {
			i.t.Fatalf("ask for the version: %d %v", status, err)
		}
		body["version"] = problem.Stands.Version
		text, _ = json.Marshal(body)
		v.body = string(text)
		list = append(list, &v)
	}
	return list
}

// markUntilKilled sends verdicts, all at once, while the program is killed under them.
func (i *instance) markUntilKilled(list []*verdictOn, tutor string) {
	time.AfterFunc(time.Duration(rand.IntN(40))*time.Millisecond, func() { _ = i.Process.Kill() })
	var wg sync.WaitGroup
	for _, v := range list {
		wg.Go(func() {
			status, err := i.call("POST", v.path, "aadmin", tutor, v.body, nil)
			v.acknowledged = err == nil && status == 200
		})
	}
	wg.Wait()
}

// standOnce compares what stands with what was said: whatever was acknowledged is there
// once, with its move; all else once or not at all. With all, everything is there.
func (i *instance) standOnce(class []student, definition int64, tutor string, all []*verdictOn, every bool) {
	i.t.Helper()
	words, moves := map[string]int{}, 0
	for _, p := range class {
		base := fmt.Sprintf("/api/projects/%d/task_def_id/%d", p.project, definition)
		var comments []struct{ Comment, Type string }
		if _, err := i.call("GET", base+"/comments", "aadmin", tutor, "", &comments); err != nil {
			i.t.Fatal(err)
		}
		for _, c := range comments {
			if c.Type == "text" {
				words[c.Comment]++
			}
		}
		var history []struct {
			To string `json:"to_status"`
		}
		if _, err := i.call("GET", base+"/history", "aadmin", tutor, "", &history); err != nil {
			i.t.Fatal(err)
		}
		moves += len(history)
	}
	said := 0
	for _, v := range all {
		n := words[v.words]
		said += n
		if n > 1 || n == 0 && (v.acknowledged || every) {
			i.t.Errorf("%q stands %d times; acknowledged: %t", v.words, n, v.acknowledged)
		}
	}
	if said != moves {
		i.t.Errorf("%d comments came with verdicts, but %d moves", said, moves)
	}
}
