package ident

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lectern/internal/ground/fault"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
)

func (h *house) firstLink() (token string) {
	h.tx(func(q db.Q) (err error) { token, err = NewFirstLink(h.Context(), q); return err })
	return token
}

func (h *house) useFirst(d *Passwords, token, username string) (*SignedIn, error) {
	return d.UseFirstLink(h.Context(), token, NewUser{Username: username, Email: username + "@example.edu",
		FirstName: "Ada", LastName: "Min"}, "correct horse battery", Entry{})
}

// Many bring good links at once, on several instances: one of them becomes the administrator.
func TestFirstLinkRaced(t *testing.T) {
	each(t, Limits{}, func(h *house) {
		light := h.light()
		links := []string{h.firstLink(), h.firstLink()} // as two instances print them
		var won atomic.Int64
		var wg sync.WaitGroup
		for i := range 6 {
			instance := NewPasswords(h.db, Limits{})
			instance.derive = light
			wg.Go(func() {
				switch _, err := h.useFirst(instance, links[i%2], "ada"+string(rune('a'+i))); {
				case err == nil:
					won.Add(1)
				case !fault.Is(err, fault.Missing):
					h.Errorf("the %d. is refused with %v", i, err)
				}
			})
		}
		wg.Wait()
		if won.Load() != 1 {
			h.Fatalf("%d administrators", won.Load())
		}
		all, err := Administrators(h.Context(), h.db.Pool())
		if err != nil || len(all) != 1 {
			h.Errorf("%v, %v", all, err)
		}
		for _, link := range links {
			if err := CheckFirstLink(h.Context(), h.db.Pool(), link); !fault.Is(err, fault.Missing) {
				h.Errorf("a link is good still: %v", err)
			}
		}
		err = h.db.Tx(h.Context(), func(q db.Q) error { _, err := NewFirstLink(h.Context(), q); return err })
		if !fault.Is(err, fault.Conflict) {
			h.Errorf("another link: %v", err)
		}
	})
}

// An administrator whom a command makes while a link is used ends the link, whoever is first.
func TestFirstLinkBesideACommand(t *testing.T) {
	each(t, Limits{}, func(h *house) {
		h.light()
		link := h.firstLink()
		var wg sync.WaitGroup
		var by error
		wg.Go(func() { _, by = h.useFirst(h.Passwords, link, "ada") })
		h.tx(func(q db.Q) error {
			_, err := Add(h.Context(), q, NewUser{Username: "bob", Email: "bob@example.edu", FirstName: "Bob",
				LastName: "Min", Role: policy.Admin})
			return err
		})
		wg.Wait()
		if by != nil && !fault.Is(by, fault.Missing) {
			h.Errorf("got %v", by)
		}
		if _, err := h.useFirst(h.Passwords, link, "eve"); !fault.Is(err, fault.Missing) {
			h.Errorf("the link is good still: %v", err)
		}
	})
}

func TestFirstLinkEnds(t *testing.T) {
	each(t, Limits{}, func(h *house) {
		h.light()
		link := h.firstLink()
		for _, guess := range []string{"", "x", link + "x", HashToken(link)} {
			if _, err := h.useFirst(h.Passwords, guess, "eve"); !fault.Is(err, fault.Missing) {
				h.Errorf("%q: %v", guess, err)
			}
		}
		if _, err := h.UseFirstLink(h.Context(), link, NewUser{Username: "ada", Email: "ada@example.edu",
			FirstName: "Ada", LastName: "Min"}, "password", Entry{}); !fault.Is(err, fault.Refused) {
			h.Errorf("a weak password: %v", err)
		}
		h.now = h.now.Add(FirstLinkLife)
		if _, err := h.useFirst(h.Passwords, link, "ada"); !fault.Is(err, fault.Missing) {
			h.Errorf("after an hour: %v", err)
		}
		link = h.firstLink()
		h.now = h.now.Add(FirstLinkLife - time.Second)
		in, err := h.useFirst(h.Passwords, link, "ada")
		if err != nil || in.User.Role != policy.Admin || !in.Enrolling {
			h.Fatalf("%+v, %v", in, err)
		}
		if _, err := h.useFirst(h.Passwords, link, "eve"); !fault.Is(err, fault.Missing) {
			h.Errorf("used twice: %v", err)
		}
		who, err := Authenticate(h.Context(), h.db.Pool(), "ADA", in.Token)
		if err != nil || !who.Enrolling {
			h.Errorf("without a second factor they may %+v, %v", who, err)
		}
		if err := h.try("ada", "correct horse battery"); err != nil {
			h.Error(err)
		}
	})
}
