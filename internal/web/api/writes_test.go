package api

import (
	"context"
	"testing"

	"lectern/internal/platform/db"
)

// The commonest writes take these many statements, credentials and rights
// included. docs/performance.md lists them: what raises one has to be worth it.
// PostgreSQL needs some more, to hold what SQLite's one writer need not.
func TestWritesTakeFewStatements(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code")
		count := func(as, request string, body any, status int) int64 {
			t.Helper()
			ctx, c := db.Counting(context.Background(), nil)
			r := w.request(as, request, body)
			w.send(r.WithContext(ctx), as+" "+request).status(status)
			return c.N()
		}
		for _, step := range []struct {
			name, as, request string
			body              any
			status            int
			most, locks       int64
		}{
			{"a comment", "student", "POST " + ownTask + "/comments", form{"comment": "Hello"}, 201, 8, 0},
			{"a move", "student", "PUT " + ownTask, form{"trigger": "need_help"}, 200, 11, 1},
			{"reading what is new", "tutor", "GET " + ownTask + "/comments", nil, 200, 5, 1},
			{"reading nothing new", "tutor", "GET " + ownTask + "/comments", nil, 200, 2, 0},
			{"a comment of the tutor", "tutor", "POST " + ownTask + "/comments", form{"comment": "Indeed"}, 201, 7, 0},
			{"reading one's answer", "student", "GET " + ownTask + "/comments", nil, 200, 4, 1},
			{"the first submission of a process", "student", "POST " + ownTask + "/submission",
				upload{files: []part{code}}, 201, 28, 2},
			{"the first comment on a task", "mate", "POST " + memberTask + "/comments", form{"comment": "Hello"}, 201, 11, 0},
			{"a submission", "mate", "POST " + memberTask + "/submission", upload{files: []part{{"file0", "bye.py", "print(1)\n"}}}, 201, 24, 1},
			{"a move by the tutor", "tutor", "PUT " + ownTask, form{"trigger": "discuss"}, 200, 11, 1},
		} {
			if w.db.Postgres() {
				step.most += step.locks
			}
			got := count(step.as, step.request, step.body, step.status)
			t.Logf("%s: %d statements", step.name, got)
			if got > step.most {
				t.Errorf("%s takes %d statements, at most %d", step.name, got, step.most)
			}
		}
	})
}

// Reading a conversation in which nothing is new must not wait for a writer.
func TestReadingNothingNewDoesNotWrite(t *testing.T) {
	w := newWorld(t, "sqlite")
	w.do("student", "POST "+ownTask+"/comments", form{"comment": "Hello"}).status(201)
	w.do("tutor", "GET "+ownTask+"/comments", nil).status(200)
	err := w.db.Tx(t.Context(), func(db.Q) error { // who asked for the writer now would wait for ever
		w.do("tutor", "GET "+ownTask+"/comments", nil).status(200)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
