package api

import (
	"testing"

	"lectern/internal/platform/db"
	"lectern/internal/teaching/work"
)

// TestNewsAreCountedRightBesideAReader: on PostgreSQL, where writers run beside each other,
// what is new is counted after a reader at the same moment, not from before.
func TestNewsAreCountedRightBesideAReader(t *testing.T) {
	for _, request := range []string{"DELETE " + ownTask + "/comments/{first}", "POST " + ownTask + "/comments/{first}"} {
		t.Run(request, func(t *testing.T) {
			w := newWorld(t, "postgres")
			w.comment("first", "student", ownTask, "A question")
			w.comment("middle", "tutor", ownTask, "An answer")
			w.comment("last", "tutor", ownTask, "More of it")
			at := work.TaskRef{ProjectID: w.id["project:student"], DefinitionID: w.id["defA1"]}
			by := work.Reader{UserID: w.id["student"]}
			done := make(chan int, 1)
			if err := w.db.Tx(t.Context(), func(q db.Q) error {
				v, err := work.Comments(t.Context(), q, by, at, db.Page{})
				if err != nil || v.Unread.None() {
					t.Fatal("nothing is new", err)
				}
				if err := work.MarkRead(t.Context(), q, by, v.Unread); err != nil {
					return err
				}
				go func() { done <- w.do("convenor", request, nil).Code }()
				for w.count(`pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`) == 0 {
					if len(done) > 0 {
						t.Fatal("the other did not wait")
					}
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if code := <-done; code >= 300 {
				t.Errorf("answered %d", code)
			}
			if err := work.CheckNews(t.Context(), w.db); err != nil {
				t.Error(err)
			}
		})
	}
}
