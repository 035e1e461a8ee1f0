package notify

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

// newcomers makes n accounts that nobody has opened.
func (c *campus) newcomers(n int) (ids []int64) {
	c.tx(func(q db.Q) {
		for i := range n {
			name := fmt.Sprintf("new%03d", i)
			c.person(q, name, 1)
			ids = append(ids, c.id[name])
		}
	})
	return ids
}

// invite asks for invitations of those who hold none, and tells how many.
func (c *campus) invite(users []int64) (n int) {
	c.Helper()
	c.tx(func(q db.Q) {
		some, err := c.mailer.Uninvited(c.Context(), q, users)
		if err == nil {
			err = c.mailer.Invite(c.Context(), q, some)
		}
		if err != nil {
			c.Fatal(err)
		}
		n = len(some)
	})
	return n
}

// soFar is how far the invitations are, as waiting, sending, sent, unsure, failed, needless.
func (c *campus) soFar() string {
	c.Helper()
	p, err := InvitationsSoFar(c.Context(), c.db.Pool())
	if err != nil {
		c.Fatal(err)
	}
	return fmt.Sprint(p.Waiting, p.Sending, p.Sent, p.Unsure, p.Failed, p.Needless)
}

// is fails the test unless the invitations are so far.
func (c *campus) is(want string) {
	c.Helper()
	if got := c.soFar(); got != want {
		c.Fatalf("waiting, sending, sent, unsure, failed, needless: %s, want %s", got, want)
	}
}

// Each run is another worker, as after a restart.
func TestInvitationsGoOutAtTheirPaceOverRestarts(t *testing.T) {
	each(t, func(t *testing.T, c *campus) {
		ids := c.newcomers(45)
		if n := c.invite(ids[:25]); n != 25 {
			t.Fatalf("%d are invited", n)
		}
		seen := map[string]int{}
		step := func(after time.Duration, want int) {
			t.Helper()
			c.now = c.now.Add(after)
			c.run()
			got := c.server.emails(t)
			for _, l := range got {
				seen[l.to]++
				l.says(t, "https://learn.example.edu/password?token=", "7 days")
			}
			if len(got) != want {
				t.Fatalf("after %s: %d emails, want %d", after, len(got), want)
			}
		}
		step(0, 10) // 60 a minute are 10 in any 10 seconds
		step(9*time.Second, 0)
		c.is("15 0 10 0 0 0")
		step(time.Second, 10)
		c.mailer.pace = 6
		step(9*time.Second, 0)
		step(time.Second, 1)
		step(9*time.Second, 0)
		step(time.Hour, 1) // nothing is made up for
		c.mailer.pace = 600
		if n := c.invite(ids); n != 20 {
			t.Errorf("%d are invited, though 25 were", n)
		}
		step(10*time.Second, 23)
		c.is("0 0 45 0 0 0")
		for _, id := range ids {
			if name := fmt.Sprintf("new%03d", id-ids[0]); seen[name] != 1 {
				t.Errorf("%s got %d emails", name, seen[name])
			}
		}
		if n := c.count("jobs WHERE kind = 'invitations' AND state <> 'done'"); n != 0 {
			t.Error("the job goes on for nobody")
		}
	})
}

func TestWhoHasComeInMeanwhileIsNotInvited(t *testing.T) {
	each(t, func(t *testing.T, c *campus) {
		ids := c.newcomers(5)
		c.set(`UPDATE users SET disabled_at = created_at WHERE id = $1`, ids[4])
		if n := c.invite(ids); n != 4 {
			t.Errorf("%d are invited, a disabled one among them", n)
		}
		c.set(`UPDATE users SET password_hash = 'x' WHERE id = $1`, ids[0])
		c.set(`UPDATE users SET opened_at = created_at WHERE id = $1`, ids[1])
		c.set(`UPDATE users SET disabled_at = created_at WHERE id = $1`, ids[2])
		c.run()
		if got := names(c.server.emails(t)); got != "new003" {
			t.Errorf("emails to %s", got)
		}
		c.is("0 0 1 0 0 3")
		c.set(`UPDATE users SET disabled_at = NULL`)
		if n := c.invite(ids); n != 2 {
			t.Errorf("%d are invited; those who were disabled and have no email yet are two", n)
		}
		c.run()
		if got := names(c.server.emails(t)); got != "new002 new004" {
			t.Errorf("emails to %s", got)
		}
	})
}

// What a killed worker was about to send may have arrived.
func TestAnInvitationThatWasBrokenOffIsSentAgainOnlyWhenAskedFor(t *testing.T) {
	each(t, func(t *testing.T, c *campus) {
		ids := c.newcomers(3)
		c.invite(ids)
		c.set(`UPDATE invitations SET state = 'sending', tries = 1, begun_at = $2 WHERE user_id = $1`, ids[0],
			clock.At(c.now))
		c.run()
		if got := names(c.server.emails(t)); got != "new001 new002" {
			t.Errorf("emails to %s", got)
		}
		c.is("0 0 2 1 0 0")
		p, err := InvitationsSoFar(t.Context(), c.db.Pool())
		if err != nil || len(p.Troubled) != 1 || p.Troubled[0].Username != "new000" || p.Troubled[0].State != Unsure ||
			!strings.Contains(p.Troubled[0].Error, "interrupted") || p.LastAt == nil || !p.LastAt.Equal(c.now) {
			t.Errorf("%+v %v", p, err)
		}
		if n := c.invite(ids); n != 1 {
			t.Errorf("%d are invited", n)
		}
		c.run()
		if got := names(c.server.emails(t)); got != "new000" {
			t.Errorf("emails to %s", got)
		}
		c.is("0 0 3 0 0 0")
	})
}

// A worker that was only held up says what became of its email all the same.
func TestAnInvitationTakenWhileItsWorkerWasHeldUpIsNotUnsure(t *testing.T) {
	each(t, func(t *testing.T, c *campus) {
		ids := c.newcomers(1)
		c.invite(ids)
		c.server.Answer(nil, func() { c.set(`UPDATE invitations SET state = 'unsure'`) })
		c.run()
		c.is("0 0 1 0 0 0")
	})
}

func TestInvitationsThatAreRefusedAreToldAndHoldNobodyUp(t *testing.T) {
	each(t, func(t *testing.T, c *campus) {
		ids := c.newcomers(2)
		c.invite(ids[:1])
		c.server.Answer(&smtp.SMTPError{Code: 451, Message: "later, new000@example.edu"}, nil)
		c.run()
		c.is("1 0 0 0 0 0")
		if n := c.count("invitations WHERE error LIKE '%later%' AND error NOT LIKE '%new000@%'"); n != 1 {
			t.Error("why it waits is not written down, or tells the address")
		}
		c.server.Answer(nil, nil)
		c.invite(ids)
		c.now = c.now.Add(29 * time.Second)
		c.run()
		if got := names(c.server.emails(t)); got != "new001" {
			t.Errorf("emails to %s", got)
		}
		c.now = c.now.Add(time.Second)
		c.server.Answer(&smtp.SMTPError{Code: 550, Message: "nobody of that name"}, nil)
		c.run()
		c.is("0 0 1 0 1 0")
		c.server.Answer(nil, nil)
		if n := c.invite(ids); n != 1 {
			t.Errorf("%d are invited", n)
		}
		c.now = c.now.Add(time.Minute)
		c.run()
		c.is("0 0 2 0 0 0")
	})
}

func TestAnInvitationIsGivenUpAfterTenTries(t *testing.T) {
	each(t, func(t *testing.T, c *campus) {
		c.invite(c.newcomers(1))
		c.server.Answer(&smtp.SMTPError{Code: 451, Message: "later"}, nil)
		for range 9 {
			c.run()
			c.is("1 0 0 0 0 0")
			c.now = c.now.Add(3 * time.Hour)
		}
		c.run()
		c.is("0 0 0 0 1 0")
	})
}

func TestInvitationsWaitWhileNoMailsAreSent(t *testing.T) {
	each(t, func(t *testing.T, c *campus) {
		c.invite(c.newcomers(2))
		sends := c.mailer
		c.mailer = Disabled()
		c.run()
		c.is("2 0 0 0 0 0")
		c.mailer, c.now = sends, c.now.Add(time.Hour)
		c.run()
		c.is("0 0 2 0 0 0")
	})
}

func TestOldInvitationsAreForgotten(t *testing.T) {
	each(t, func(t *testing.T, c *campus) {
		c.invite(c.newcomers(2))
		c.set(`UPDATE invitations SET state = 'sent' WHERE user_id = $1`, c.id["new000"])
		for _, after := range []time.Duration{keep - time.Hour, 2 * time.Hour} {
			c.now = c.now.Add(after)
			c.tx(func(q db.Q) {
				if _, err := PruneInvitations(c.Context(), q); err != nil {
					t.Fatal(err)
				}
			})
			if want := map[bool]string{true: "1 0 1 0 0 0", false: "1 0 0 0 0 0"}[after > 2*time.Hour]; c.soFar() != want {
				t.Errorf("after %s: %s, want %s", after, c.soFar(), want)
			}
		}
	})
}
