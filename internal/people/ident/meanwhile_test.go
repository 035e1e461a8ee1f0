package ident

import (
	"context"
	"net/netip"
	"sync"
	"testing"
	"time"

	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
)

// Sign-ins that proved the old password wait while it is changed, or the
// account disabled: none of them opens a session afterwards.
func TestSignInsAroundAChange(t *testing.T) {
	ways := map[string]func(h *house, other *Passwords, u *User) error{
		"changed": func(h *house, other *Passwords, u *User) error {
			who := &access.Caller{ID: u.ID, Username: "ann", Role: policy.Student}
			return other.ChangePassword(context.Background(), who, "correct horse",
				"another horse", netip.Addr{})
		},
		"reset by a link": func(h *house, other *Passwords, u *User) error {
			var link string
			h.tx(func(q db.Q) (err error) { link, _, err = NewLink(h.Context(), q, u.ID); return err })
			return other.UseLink(context.Background(), link, "another horse")
		},
		"disabled": func(h *house, other *Passwords, u *User) error {
			admin := &access.Caller{ID: -1, Role: policy.Admin, Who: access.System(policy.Admin)}
			off := true
			return h.db.Tx(h.Context(), func(q db.Q) error {
				_, _, err := Update(h.Context(), q, admin, u.ID, Change{Disabled: &off})
				return err
			})
		},
	}
	for name, end := range ways {
		t.Run(name, func(t *testing.T) {
			each(t, Limits{Patience: time.Minute, PerAccount: 1000}, func(h *house) { h.aroundAChange(end) })
		})
	}
}

func (h *house) aroundAChange(end func(h *house, other *Passwords, u *User) error) {
	u := h.person("ann", h.light().seal("correct horse"))
	proving, goOn := make(chan struct{}, 100), make(chan struct{})
	light := h.derive
	other := NewPasswords(h.db, Limits{}) // of another instance
	other.derive = light
	h.derive = func(password, salt []byte, c cost) []byte {
		key := light(password, salt, c)
		proving <- struct{}{}
		<-goOn
		return key
	}
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			if err := h.try("ann", "correct horse"); !fault.Is(err, fault.Unknown) {
				h.Errorf("got %v", err)
			}
		})
	}
	<-proving // at least one has read the old seal and opened it; the others wait for their turn
	if err := end(h, other, u); err != nil {
		h.Error(err)
	}
	close(goOn)
	wg.Wait()
	n, err := db.One[int64](h.Context(), h.db.Pool(), `SELECT count(*) FROM sessions WHERE user_id = $1`, u.ID)
	if err != nil || *n != 0 {
		h.Errorf("%d sessions of the old password go on, %v", *n, err)
	}
}

// An old seal is replaced by the first of several who bring the same password;
// the others get in all the same.
func TestSignInsWhileASealIsReplaced(t *testing.T) {
	each(t, Limits{Patience: time.Minute}, func(h *house) {
		old := "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
		h.person("ann", old)
		var wg sync.WaitGroup
		for range 3 {
			instance := NewPasswords(h.db, Limits{Patience: time.Minute})
			wg.Go(func() {
				if _, err := instance.SignIn(h.Context(), Credentials{Username: "ann", Password: "password"}); err != nil {
					h.Error(err)
				}
			})
		}
		wg.Wait()
	})
}
