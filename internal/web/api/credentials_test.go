package api

import (
	"strings"
	"testing"
	"time"

	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

// TestOneStatementFindsWhoAsks counts what a request takes until it is known who asks
// and what they are on the record, and looks how it is found.
func TestOneStatementFindsWhoAsks(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, request := range []string{"GET /api/projects/{project:student}", "GET /api/units/{unitA}",
			"GET " + ownTask + "/comments", "GET /api/units/{unitA}/group_sets/{set}/groups/{group}/members"} {
			var texts []string
			r := w.request("tutor", request, nil)
			ctx, _ := db.Counting(r.Context(), func(text string) { texts = append(texts, text) })
			w.send(r.WithContext(ctx), request).status(200)
			if !strings.Contains(texts[0], "z.token_hash") || strings.Contains(texts[1], "unit_role,") {
				t.Errorf("%s begins with %q and %q", request, texts[0], texts[1])
			}
			text := argument.ReplaceAllString(strings.Replace(texts[0], "z.token_hash = $1", "z.token_hash = 'x'", 1), "1")
			if plan := dbtest.Plan(w, w.db, text); strings.Contains(plan, "SCAN ") || strings.Contains(plan, "Seq Scan") {
				t.Errorf("%s walks a table:\n%s\n%s", request, text, plan)
			}
		}
	})
}

// TestRefusalsKeepTheirOrder sends short bodies, which are read before it is known who
// sent them: what is wrong with them is told to nobody who may not know.
func TestRefusalsKeepTheirOrder(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const gone = "/api/projects/999999/task_def_id/1/comments"
		for _, c := range []struct {
			as, token, path, body string
			want                  int
		}{
			{"student", "wrong", gone, `{"comment":`, 401},
			{"student", "wrong", ownTask + "/comments", `{"comment":"Hello"}`, 401},
			{"student", "", gone, `{"comment":`, 400},
			{"student", "", gone, `{"comment":"Hello"}`, 404},
			{"outsider", "", ownTask + "/comments", `{"comment":`, 400},
			{"outsider", "", ownTask + "/comments", `{"comment":"Hello"}`, 403},
			{"student", "", ownTask + "/comments", `{"comment":"Hello"}`, 201},
		} {
			r := w.request(c.as, "POST "+c.path, c.body)
			if c.token != "" {
				r.Header.Set("Auth-Token", c.token)
				r.Header.Del("Auth_Token")
			}
			if got := w.send(r, c.as+" "+c.path); got.Code != c.want {
				t.Errorf("%s with the token %q sends %s to %s: %d, not %d", c.as, c.token, c.body, c.path, got.Code, c.want)
			}
		}
		w.now = w.now.Add(30 * 24 * time.Hour)
		for _, path := range []string{ownTask + "/comments", gone} {
			if got := w.do("student", "POST "+path, `{"comment":"Hello"}`).status(401).Body.String(); !strings.Contains(got,
				"session has ended") {
				t.Errorf("%s after the session's end: %s", path, got)
			}
		}
	})
}
