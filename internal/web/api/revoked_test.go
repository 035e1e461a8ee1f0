package api

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"lectern/internal/ground/clock"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/web/endpoint"
)

// revocations are the ways in which somebody loses what a request of theirs was
// begun with, each with the statements that do it to the user $1.
var revocations = map[string]struct {
	want int
	do   []string
}{
	"signed out": {401, []string{`DELETE FROM sessions WHERE user_id = $1`}},
	"disabled":   {401, []string{`UPDATE users SET disabled_at = created_at WHERE id = $1`}},
	"expired":    {401, []string{`UPDATE sessions SET expires_at = created_at WHERE user_id = $1`}},
	"demoted": {403, []string{`UPDATE users SET role = 1 WHERE id = $1`,
		`UPDATE unit_roles SET user_id = (SELECT id FROM users WHERE username = 'outsider') WHERE user_id = $1`,
		`UPDATE projects SET enrolled = FALSE WHERE user_id = $1`}},
}

func (w *world) revoke(how, who string) {
	w.Helper()
	ctx := context.Background()
	if err := w.db.Tx(ctx, func(q db.Q) error {
		for _, text := range revocations[how].do {
			if _, err := db.Exec(ctx, q, text, w.id[who]); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		w.Fatal(err)
	}
}

// restore gives somebody back what revoke took, but for the unit, in which the
// admin who is demoted has no place.
func (w *world) restore(how, who, token string) {
	w.Helper()
	ctx := context.Background()
	err := w.db.Tx(ctx, func(q db.Q) error {
		_, err := db.Exec(ctx, q, `UPDATE users SET disabled_at = NULL, role = $2 WHERE id = $1`, w.id[who],
			int64(people[who]))
		if err != nil || how == "disabled" || how == "demoted" {
			return err
		}
		if _, err = db.Exec(ctx, q, `DELETE FROM sessions WHERE user_id = $1`, w.id[who]); err != nil {
			return err
		}
		w.insert(ctx, q, "", "sessions", row{"user_id": w.id[who], "token_hash": token, "created_at": q.Now(),
			"expires_at": clock.At(q.Now().AddDate(0, 0, 1))})
		return nil
	})
	if err != nil {
		w.Fatal(err)
	}
}

// allRows is the content of all tables, as text.
func (w *world) allRows() string {
	w.Helper()
	if w.allTables == "" {
		w.allTables = w.readAllTables()
	}
	lines, err := db.All[string](context.Background(), w.db.Pool(), w.allTables)
	if err != nil {
		w.Fatal(err)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// readAllTables is the statement that gives all rows of all tables, each as a line.
func (w *world) readAllTables() string {
	w.Helper()
	list := `SELECT m.name || '|' || group_concat('quote("' || c.name || '")', '||' ORDER BY c.cid)
		FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' GROUP BY m.name ORDER BY m.name`
	if w.db.Postgres() {
		list = `SELECT table_name || '|' || '"' || table_name || '"::text' FROM information_schema.tables
			WHERE table_schema = 'public' ORDER BY 1`
	}
	tables, err := db.All[string](context.Background(), w.db.Pool(), list)
	if err != nil {
		w.Fatal(err)
	}
	var parts []string
	for _, t := range tables {
		name, columns, _ := strings.Cut(t, "|")
		parts = append(parts, `SELECT '`+name+`' || `+columns+` AS line FROM "`+name+`"`)
	}
	return strings.Join(parts, " UNION ALL ")
}

// inHalves sends a request of which the second half comes only after between has
// run, which is once the server has begun to read.
func (w *world) inHalves(as, request string, body any, between func()) *answered {
	w.Helper()
	if body == nil {
		body = `{ }`
	}
	r := w.request(as, request, body)
	all, err := io.ReadAll(r.Body)
	if err != nil {
		w.Fatal(err)
	}
	in, out := io.Pipe()
	r.Body, r.ContentLength = in, -1
	go func() {
		half := len(all) / 2
		_, _ = out.Write(all[:half])
		between()
		_, _ = io.Copy(out, bytes.NewReader(all[half:]))
		out.Close()
	}()
	a := w.send(r, as+" "+request)
	in.Close() // lets go of the sender of a body that nobody reads to its end
	return a
}

// TestNobodyFinishesWhatTheyMayNoLongerDo sends the first half of every writing
// request while the caller may do it, takes the right away, and sends the rest.
func TestNobodyFinishesWhatTheyMayNoLongerDo(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, r := range rightRows {
			if strings.HasPrefix(r.route, http.MethodGet) || r.who == "everybody" {
				continue
			}
			for _, how := range sortedKeys(revocations) {
				who := "admin"
				if !r.allows(who) {
					who = strings.Fields(r.who)[0]
				}
				if how == "demoted" && (r.who == "users" || who != "admin") {
					continue // there is nothing to lose; TestAStandingLostOnTheWay has the others
				}
				w.finishLate(r, how, who)
			}
		}
	})
}

func (w *world) finishLate(r rightRow, how, who string) {
	w.Helper()
	token, err := db.One[string](context.Background(), w.db.Pool(), `SELECT token_hash FROM sessions
		WHERE user_id = $1`, w.id[who])
	if err != nil {
		w.Fatal(err)
	}
	var before string
	a := w.inHalves(who, r.request(), r.body, func() {
		w.revoke(how, who)
		before = w.allRows()
	})
	if a.Code != revocations[how].want {
		w.Errorf("%s as %s, %s halfway: got %d, want %d: %s", r.request(), who, how, a.Code, revocations[how].want,
			a.Body)
	}
	if after := w.allRows(); after != before {
		w.Errorf("%s as %s, %s halfway, wrote something", r.request(), who, how)
	}
	w.restore(how, who, *token)
}

// TestAStandingLostOnTheWay takes a standing on the record away between the
// halves: from staff, from the student, and from one of a group.
func TestAStandingLostOnTheWay(t *testing.T) {
	for _, c := range []struct{ who, request, body string }{
		{"tutor", "PUT " + ownTask, `{"trigger":"complete"}`},
		{"convenor", "PUT /api/units/{unitA}", `{"unit":{"name":"Mine"}}`},
		{"student", "POST " + ownTask + "/comments", `{"comment":"still here"}`},
		{"student", "PUT /api/projects/{project:student}", `{"target_grade":3}`},
		{"student", "PUT " + ownTask + "/comments/1/done", `{"done":true}`},
		{"tutor", "PUT " + ownTask + "/comments/1/done", `{"done":false}`},
	} {
		each(t, func(t *testing.T, w *world) {
			var before string
			w.inHalves(c.who, c.request, c.body, func() {
				w.revoke("demoted", c.who)
				before = w.allRows()
			}).status(403)
			if w.allRows() != before {
				t.Errorf("%s as %s wrote something", c.request, c.who)
			}
		})
	}
}

// TestTheTransactionThatWritesAsksAgain takes the right away at the last moment:
// the handler runs already, and every transaction it begins is refused.
func TestTheTransactionThatWritesAsksAgain(t *testing.T) {
	type in struct {
		UnitID int64 `path:"unit_id" scope:"unit"`
	}
	each(t, func(t *testing.T, w *world) {
		var how string
		write := func(q db.Q) error {
			_, err := db.Exec(context.Background(), q, `UPDATE units SET name = 'taken over'`)
			return err
		}
		late := func(run func(context.Context, func(db.Q) error) error) func(context.Context, *access.Caller,
			in) (endpoint.NoContent, error) {
			return func(ctx context.Context, _ *access.Caller, _ in) (none endpoint.NoContent, err error) {
				w.revoke(how, "convenor")
				return none, run(ctx, write)
			}
		}
		endpoint.Route(w.api.Server, "POST /api/late/{unit_id}/tx", 204, policy.EditUnit, "Try", late(w.db.Tx))
		endpoint.Route(w.api.Server, "POST /api/late/{unit_id}/brief", 204, policy.EditUnit, "Try",
			late(w.db.Brief))
		for _, how = range sortedKeys(revocations) {
			for _, request := range []string{"POST /api/late/{unitA}/tx", "POST /api/late/{unitA}/brief"} {
				token, err := db.One[string](t.Context(), w.db.Pool(), `SELECT token_hash FROM sessions
					WHERE user_id = $1`, w.id["convenor"])
				if err != nil {
					t.Fatal(err)
				}
				w.do("convenor", request, `{}`).status(revocations[how].want)
				w.restore(how, "convenor", *token)
				if err := w.db.Tx(t.Context(), func(q db.Q) error {
					_, err := db.Exec(t.Context(), q, `UPDATE unit_roles SET user_id = $1 WHERE user_id = $2`,
						w.id["convenor"], w.id["outsider"])
					return err
				}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if n := w.count(`units WHERE name = 'taken over'`); n != 0 {
			t.Errorf("%d units were written", n)
		}
	})
}

// TestASignOutWaitsForWhatIsBeingWritten: on PostgreSQL, where writers run beside
// each other, a session does not end in the middle of what it writes.
func TestASignOutWaitsForWhatIsBeingWritten(t *testing.T) {
	w := newWorld(t, "postgres")
	who := &access.Caller{ID: w.id["student"], Role: policy.Student}
	id, err := db.One[int64](t.Context(), w.db.Pool(), `SELECT id FROM sessions WHERE user_id = $1`, who.ID)
	if err != nil {
		t.Fatal(err)
	}
	who.SessionID = *id
	who.Who = access.System(who.Role)
	out := make(chan int, 1)
	ctx := access.Guarded(t.Context(), who, access.Scope{}, policy.SignedIn)
	if err := w.db.Tx(ctx, func(q db.Q) error {
		go func() { out <- w.do("student", "DELETE /api/auth", nil).Code }()
		for w.count(`pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`) == 0 {
			if len(out) > 0 {
				t.Fatal("the sign-out did not wait")
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if code := <-out; code != 204 {
		t.Errorf("sign-out: %d", code)
	}
}
