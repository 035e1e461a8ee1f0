package api

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lectern/internal/people/ident"
	"lectern/internal/teaching/trash"
)

// Pseudonyms are nobody: no list, count, sheet or search of people has them.
func TestPseudonymsAreNobody(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.fillWork()
		w.over()
		lists := func() (out []string) {
			for _, path := range []string{"/api/users", "/api/users?limit=1", "/api/csv/users", "/api/admin/people?limit=100",
				"/api/admin/people?state=erased", "/api/admin/people?state=disabled", "/api/admin/people?text=anonymous",
				"/api/admin/people?text=Student", "/api/admin/people/counts", "/api/search?text=anonymous-student-1",
				"/api/search?text=Student+1"} {
				a := w.do("admin", "GET "+path, nil).status(200)
				out = append(out, path+" "+a.Body.String()+a.Header().Get("X-Total-Count"))
			}
			return out
		}
		w.findable()
		before := lists()
		w.retires("anonymise")
		if n := w.count(`users WHERE username LIKE 'anonymous-student-%'`); n == 0 {
			t.Fatal("there are no pseudonyms")
		}
		if err := ident.FillWords(w.Context(), w.db); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, lists()); diff != "" {
			t.Errorf("lists of people changed\n%s", diff)
		}
		// Those of the unit are not enrolled in it.
		if list := w.do("admin", "GET /api/units/{unitA}/students", nil).status(200).Body.String(); strings.Contains(list,
			"anonymous-student") {
			t.Errorf("pseudonyms are enrolled: %s", list)
		}
	})
}

// Somebody may be called like a pseudonym, or have its address: they stay who they are, and their number is left out.
func TestAPersonCalledLikeAPseudonym(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.fillWork()
		w.over()
		w.set(`UPDATE users SET username = 'anonymous-student-1', username_key = 'anonymous-student-1' WHERE id = $1`,
			w.id["other"])
		w.set(`UPDATE users SET email = $2, email_key = $2 WHERE id = $1`, w.id["mate"], "anonymous-student-3@erased.invalid")
		before := w.text(`SELECT first_name || last_name FROM users WHERE id = $1`, w.id["other"])
		w.retires("anonymise")
		for _, number := range []string{"1", "3"} {
			if n := w.count(`users WHERE username = $1 AND erased_at IS NOT NULL`, "anonymous-student-"+number); n != 0 {
				t.Errorf("pseudonym %s was made", number)
			}
		}
		w.now = w.now.Add(trash.Lasts + time.Hour)
		w.prunes()
		// Free again, the number is given to the next who needs one.
		w.set(`UPDATE users SET username = 'quokka', username_key = 'quokka' WHERE id = $1`, w.id["other"])
		w.signInAgain("convenor")
		w.add("", "task_comments", row{"task_id": w.id["task:other"], "unit_id": w.id["unitA"], "user_id": w.id["other"],
			"recipient_id": w.id["tutor"], "type": "text", "comment": "Once more", "created_at": w.db.Now()})
		w.retires("anonymise")
		w.sound()
		if n := w.count(`users WHERE username = 'anonymous-student-1' AND erased_at IS NOT NULL`); n != 1 {
			t.Errorf("the number that became free was given %d times", n)
		}
		if got := w.text(`SELECT first_name || last_name FROM users WHERE id = $1`, w.id["other"]); got != before {
			t.Errorf("other is called %s", got)
		}
	})
}
