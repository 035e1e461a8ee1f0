package api

import (
	"sync"
	"testing"
	"time"

	"lectern/internal/ident"
)

// Sign-ins with the old password come in beside its change: whatever session
// they opened before is over, and none begins afterwards.
func TestOldPasswordsOpenNothingAfterAChange(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.password("student")
		w.api.passwords = ident.NewPasswords(w.db, ident.Limits{Patience: time.Minute, PerAccount: 1000})
		var wg sync.WaitGroup
		for range 12 {
			wg.Go(func() {
				w.do("", "POST /api/auth", form{"username": "student", "password": secret}).status(201, 401)
			})
		}
		wg.Go(func() {
			w.do("student", "POST /api/auth/password", map[string]string{"old_password": secret,
				"password": "another secret"}).status(204)
		})
		wg.Wait()
		if n := w.count("sessions WHERE user_id = $1", w.id["student"]); n != 1 {
			t.Errorf("%d sessions, want only the one that changed the password", n)
		}
	})
}
