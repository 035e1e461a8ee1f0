package api

import (
	"context"
	"testing"

	"lectern/internal/db"
)

// The commonest writes take these many statements, credentials and rights
// included, on SQLite. docs/performance.md lists them: what raises one has to be
// worth it.
func TestWritesTakeFewStatements(t *testing.T) {
	w := newWorld(t, "sqlite")
	w.asks("code")
	count := func(as, request string, body any, status int) int64 {
		t.Helper()
		ctx, c := db.Counting(context.Background(), nil)
		r := w.request(as, request, body)
		w.send(r.WithContext(ctx), as+" "+request).status(status)
		return c.N()
	}
	got := map[string]int64{
		"a comment":           count("student", "POST "+ownTask+"/comments", form{"comment": "Hello"}, 201),
		"a move":              count("student", "PUT "+ownTask, form{"trigger": "need_help"}, 200),
		"reading what is new": count("tutor", "GET "+ownTask+"/comments", nil, 200),
		"reading nothing new": count("tutor", "GET "+ownTask+"/comments", nil, 200),
	}
	w.do("tutor", "POST "+ownTask+"/comments", form{"comment": "Indeed"}).status(201)
	got["reading one's answer"] = count("student", "GET "+ownTask+"/comments", nil, 200)
	got["a submission"] = count("student", "POST "+ownTask+"/submission", upload{files: []part{code}}, 201)
	for name, most := range map[string]int64{"a comment": 12, "a move": 15, "reading what is new": 8,
		"reading nothing new": 3, "reading one's answer": 6, "a submission": 35} {
		t.Logf("%s: %d statements", name, got[name])
		if got[name] > most {
			t.Errorf("%s takes %d statements, at most %d", name, got[name], most)
		}
	}
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
