package api

import (
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// tagOf asks for the tag that a GET answers with.
func (w *world) tagOf(who, path string, headers ...string) string {
	w.Helper()
	a := w.do(who, "GET "+path, nil, headers...).status(200)
	tag := a.Header().Get("ETag")
	if !strings.HasPrefix(tag, `"`) {
		w.Fatalf("%s has the tag %s, which is not strong", path, tag)
	}
	return tag
}

func TestAChangeOfAnotherVersionIsRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for path, change := range map[string]func(n int) form{
			"/api/units/{unitA}":              func(n int) form { return form{"unit[name]": fmt.Sprint("Name ", n)} },
			"/api/projects/{project:student}": func(n int) form { return form{"target_grade": fmt.Sprint(n % 4)} },
		} {
			tag := w.tagOf("convenor", path)
			put := func(n, status int, match string) *answered {
				w.Helper()
				return w.do("convenor", "PUT "+path, change(n), "If-Match", match).status(status)
			}
			put(2, 200, tag)
			now := w.do("convenor", "GET "+path, nil).Body.String()
			put(3, 412, tag).says("has changed since you loaded it")
			put(3, 412, `"x"`)
			put(3, 412, "nonsense")
			put(3, 412, "W/"+w.tagOf("convenor", path))
			if again := w.do("convenor", "GET "+path, nil).Body.String(); again != now {
				t.Errorf("%s was changed by what was refused", path)
			}
			put(3, 200, `"x", `+w.tagOf("convenor", path))
			put(2, 200, "*")
			put(3, 200, "")
			w.do("convenor", "PUT "+path, change(2), "If-None-Match", "*").status(412)
			w.do("convenor", "PUT "+path, change(2), "If-None-Match", `"x"`).status(200)
			w.do("outsider", "PUT "+path, change(1), "If-Match", `"x"`).status(403)
			w.do("", "PUT "+path, change(1), "If-Match", `"x"`).status(401)
		}
		w.do("convenor", "PUT /api/units/999999", form{"unit[name]": "N"}, "If-Match", `"x"`).status(404)
	})
}

func TestAFileIsDeletedOnlyInTheVersionThatIsNamed(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const path = defA + "/{defA1}/task_resources"
		upload := func(content string) string {
			w.do("convenor", "POST "+path, aFile("a.zip", zipOf(t, "a.txt", content))).status(200)
			return w.tagOf("convenor", path)
		}
		old := upload("one")
		tag := upload("two")
		w.do("convenor", "DELETE "+path, nil, "If-Match", old).status(412)
		w.do("convenor", "GET "+path, nil).status(200)
		w.do("convenor", "DELETE "+path, nil, "If-Match", tag).status(204)
		w.do("convenor", "DELETE "+path, nil, "If-Match", tag).status(412)
		w.do("convenor", "DELETE "+path, nil, "If-Match", "*").status(412)
		w.do("convenor", "DELETE "+path, nil).status(204)
	})
}

func TestEachCodingHasATagAndIfMatchTakesAny(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const path = "/api/units/{unitA}"
		w.set(`UPDATE task_definitions SET description = $1`, strings.Repeat("A long description. ", 1000))
		plain, packed := w.tagOf("convenor", path), w.tagOf("convenor", path, "Accept-Encoding", "gzip")
		if plain == packed {
			t.Fatalf("both codings have the tag %s", plain)
		}
		for _, tag := range []string{plain, packed} {
			for _, accept := range []string{"", "gzip"} {
				a := w.do("convenor", "GET "+path, nil, "If-None-Match", tag, "Accept-Encoding", accept).status(304)
				if got := a.Header().Get("ETag"); got != tag {
					t.Errorf("who has %s is told of %s", tag, got)
				}
			}
			w.do("convenor", "PUT "+path, form{}, "If-Match", tag).status(200)
		}
		if got := w.do("convenor", "GET "+path, nil, "If-None-Match", "*", "Accept-Encoding", "gzip").status(304).Header().
			Get("ETag"); got != packed {
			t.Errorf("whoever has anything is told of %s", got)
		}
	})
}

func TestIfNoneMatchOfAnythingIsNotModified(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("convenor", "POST "+defA+"/{defA1}/task_sheet", aFile("a.pdf", aPDF)).status(200)
		for _, path := range []string{"/api/units/{unitA}", "/api/projects/{project:student}", "/api/units/{unitA}/tasks/inbox",
			defA + "/{defA1}/task_pdf"} {
			for range 2 { // from what was made just now, and from what is known
				if a := w.do("convenor", "GET "+path, nil, "If-None-Match", "*").status(304); a.Body.Len() > 0 ||
					a.Header().Get("ETag") == "" {
					t.Errorf("%s: %v with %d bytes", path, a.Header(), a.Body.Len())
				}
				w.do("convenor", "GET "+path, nil, "If-None-Match", `"x"`).status(200)
			}
		}
	})
}

// The tag is compared in the transaction that writes, so of any number who read the same
// version one changes it.
func TestOfManyChangesOfOneVersionOneIsMade(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const path = "/api/units/{unitA}"
		tag := w.tagOf("convenor", path)
		var all sync.WaitGroup
		codes := make([]int, 8)
		for i := range codes {
			r := w.request("convenor", "PUT "+path, form{"unit[name]": fmt.Sprint("Name ", i)}, "If-Match", tag)
			all.Go(func() {
				rec := httptest.NewRecorder()
				w.api.ServeHTTP(rec, r)
				codes[i] = rec.Code
			})
		}
		all.Wait()
		slices.Sort(codes)
		if want := []int{200, 412, 412, 412, 412, 412, 412, 412}; !slices.Equal(codes, want) {
			t.Errorf("got %v", codes)
		}
	})
}
