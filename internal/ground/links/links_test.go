package links

import (
	"net/http"
	"testing"
)

func TestPathsAreThoseOfTheirPages(t *testing.T) {
	mux := http.NewServeMux()
	for _, p := range All {
		mux.HandleFunc("GET "+p, func(http.ResponseWriter, *http.Request) {})
	}
	for path, want := range map[string]string{To(Home): Home, To(Project, 7): Project, To(Task, 7, 9): Task,
		To(Inbox, 3): Inbox, With(Password, "A B"): Password, To(Portfolio, 7): Portfolio, To(Deleted, 7): Deleted} {
		r, err := http.NewRequest("GET", path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, got := mux.Handler(r); got != "GET "+want {
			t.Errorf("%s leads to %q, not to %s", path, got, want)
		}
	}
	if got := To(Task, 7, 9); got != "/projects/7/tasks/9" {
		t.Error(got)
	}
}

func TestPathsAskForAllTheirValues(t *testing.T) {
	for _, wrong := range []func(){func() { To(Task, 1) }, func() { To(Home, 1) }} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("made a path of too many or too few values")
				}
			}()
			wrong()
		}()
	}
}
