package api

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"sync"

	"lectern/internal/people/policy"
	"lectern/internal/web/endpoint"
)

// asked has every pair of an endpoint and a right it asked for in any test.
var asked sync.Map

type askedRight struct {
	route string
	right *policy.Right
}

// declared fails the test when a request is asked for a right that its endpoint
// does not declare: docs/permissions.md would not tell of it. Every world listens,
// so every test of an endpoint is a test of its declaration.
func (w *world) declared(i *endpoint.Info, r *policy.Right) {
	pair := askedRight{i.Method + " " + i.Path, r}
	_, known := asked.LoadOrStore(pair, true)
	if !known && !slices.Contains(i.Right.Rights(), r) && !slices.Contains(i.Inside, r) {
		w.Errorf("%s asks for the right to %s and does not declare it: add endpoint.Asks", pair.route, r.Action)
	}
}

// unasked looks, after all tests have run, for rights that endpoints declare and
// no test saw them ask for: either the declaration is stale or a test is missing.
func unasked(status int) int {
	if status != 0 || !wholeRun() {
		return status
	}
	for _, i := range New(Config{}).Routes() {
		for _, r := range slices.Concat(i.Right.Rights(), i.Inside) {
			if _, ok := asked.Load(askedRight{i.Method + " " + i.Path, r}); !ok {
				fmt.Fprintf(os.Stderr, "%s %s declares the right to %s, and no test saw it asked\n", i.Method, i.Path,
					r.Action)
				status = 1
			}
		}
	}
	return status
}

// wholeRun tells whether all tests were asked for.
func wholeRun() bool {
	return flag.Lookup("test.run").Value.String()+flag.Lookup("test.skip").Value.String()+
		flag.Lookup("test.list").Value.String() == ""
}
