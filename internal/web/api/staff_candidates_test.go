package api

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"lectern/internal/web/endpoint"
)

const candidatePath = "/api/units/{unitA}/staff/candidates"

var _ = rights(rightRow{"GET /api/units/{unit_id}/staff/candidates", candidatePath + "?text=tut", convenorsA, nil})

// candidates are those whom a convenor finds by a text.
func (w *world) candidates(text string) string {
	w.Helper()
	var out []string
	for _, p := range w.do("convenor", "GET "+candidatePath+"?text="+url.QueryEscape(text), nil).status(200).
		object()["people"].([]any) {
		out = append(out, fmt.Sprint(p.(map[string]any)["username"]))
	}
	return strings.Join(out, " ")
}

// A convenor finds those who may teach anywhere, by three letters, with their names alone; no student,
// and nobody who cannot sign in.
func TestFindThoseWhoMayTeach(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.findable()
		w.do("convenor", "GET "+candidatePath+"?text=tutorB", nil).status(200).
			is(`{"people":[{"user_id":«tutorB»,"username":"tutorB","first_name":"Tutorb","last_name":"Person"}]}`)
		for text, want := range map[string]string{"tut": "tutor tutorB", "CON": "convenor convenorB",
			"person tutorb": "tutorB", "stu": "", "nobody here": "", "adm": "admin"} {
			if got := w.candidates(text); got != want {
				t.Errorf("%q finds %q, not %q", text, got, want)
			}
		}
		for _, text := range []string{"", "tu", "t u", "--- !"} {
			w.do("convenor", "GET "+candidatePath+"?text="+url.QueryEscape(text), nil).status(400, 422).says("text")
		}
		w.set(`UPDATE users SET disabled_at = $2 WHERE id = $1`, w.id["tutorB"], w.db.Now())
		if got := w.candidates("tutorb"); got != "" {
			t.Errorf("who cannot sign in is found: %s", got)
		}
	})
}

// At most 20 are found, and whoever asks too often waits.
func TestSearchesForThoseWhoTeachAreBounded(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for i := range 25 {
			name := fmt.Sprintf("teach%02d", i)
			w.add("", "users", row{"username": name, "username_key": name, "email": name + "@example.edu",
				"email_key": name + "@example.edu", "first_name": "Teach", "last_name": fmt.Sprint(i), "role": 2,
				"created_at": w.db.Now(), "updated_at": w.db.Now()})
		}
		w.findable()
		if got := strings.Fields(w.candidates("teach")); len(got) != 20 {
			t.Errorf("%d are found", len(got))
		}
		w.resting = func() time.Time { return w.now }
		for range endpoint.Lookups.Most {
			w.candidates("nobody")
		}
		w.do("convenor", "GET "+candidatePath+"?text=nobody", nil).status(429).says("searches for people")
		w.do("admin", "GET "+candidatePath+"?text=nobody", nil).status(200)
	})
}
