package notify

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
)

func (c *campus) feedback(tasks ...int64) {
	c.Helper()
	c.tx(func(q db.Q) {
		if err := c.mailer.FeedbackReady(c.Context(), q, tasks...); err != nil {
			c.Fatal(err)
		}
	})
}

func TestOneEmailAProjectAndNoHeaderSmuggledIn(t *testing.T) {
	each(t, func(t *testing.T, c *campus) {
		c.set(`UPDATE users SET first_name = $2, last_name = $3, nickname = $4 WHERE id = $1`, c.id["eve"],
			"Eve\r\nBcc: spy@example.com", "Ünder\n<b>", "\r\nX-Evil: 1")
		c.set(`UPDATE units SET code = $1`, "SIT\r\nBcc: spy@example.com\r\n\r\nbody")
		c.set(`UPDATE task_definitions SET name = $1 WHERE abbreviation = '1P'`, "<script>alert(1)</script>")
		c.feedback(c.task("eve", "1P", "complete"), c.task("eve", "2P", "redo"), c.task("mate", "1P", "discuss"))
		c.run()
		got := c.server.emails(t)
		if names(got) != "eve mate" {
			t.Fatalf("emails to %s", names(got))
		}
		got[0].says(t, "1P", "Complete", "2P", "Redo")
		h := got[0].header
		if h.Get("Bcc") != "" || h.Get("X-Evil") != "" || strings.Contains(got[0].html, "<script>") {
			t.Errorf("smuggled: %v\n%s", h, got[0].html)
		}
		if h.Get("Reply-To") != "<convenor@example.edu>" || !strings.Contains(h.Get("From"), "lectern@example.edu") ||
			!strings.HasSuffix(h.Get("Message-Id"), "@example.edu>") ||
			h.Get("List-Unsubscribe-Post") != "List-Unsubscribe=One-Click" ||
			!strings.HasPrefix(h.Get("List-Unsubscribe"), "<https://learn.example.edu/api/unsubscribe/") {
			t.Errorf("%v", h)
		}
		if n := c.count("mails WHERE sent_at IS NOT NULL AND body_text = '' AND body_html = ''"); n != 2 {
			t.Errorf("%d emails are marked sent and emptied", n)
		}
		c.set(`UPDATE jobs SET state = 'available'`) // as if a worker had lost its memory
		c.run()
		if got := c.server.emails(t); len(got) != 0 {
			t.Errorf("sent again: %s", names(got))
		}
	})
}

// TestACrashAfterTheServerTookAnEmail takes the job away from its worker at the
// moment the server has the email: the email goes out again, and the receiver
// can tell by its id.
func TestACrashAfterTheServerTookAnEmail(t *testing.T) {
	each(t, func(t *testing.T, c *campus) {
		c.feedback(c.task("eve", "1P", "complete"))
		c.server.Answer(nil, func() {
			err := c.db.Tx(t.Context(), func(q db.Q) error {
				_, err := db.Exec(t.Context(), q, `UPDATE jobs SET worker = 'another', state = 'dead'`)
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
		c.run()
		if n := c.count("mails WHERE sent_at IS NOT NULL"); n != 0 {
			t.Fatal("marked sent by a worker that had lost the job")
		}
		c.server.Answer(nil, nil)
		c.set(`UPDATE jobs SET state = 'available'`)
		c.run()
		got := c.server.emails(t)
		if len(got) != 2 || got[0].header.Get("Message-Id") != got[1].header.Get("Message-Id") {
			t.Errorf("%d emails: %v", len(got), got)
		}
	})
}

func TestRefusals(t *testing.T) {
	each(t, func(t *testing.T, c *campus) {
		c.server.Answer(&smtp.SMTPError{Code: 451, Message: "later"}, nil)
		c.feedback(c.task("eve", "1P", "complete"))
		c.run()
		if n := c.count("jobs WHERE kind = 'mail' AND state = 'available' AND attempt = 1"); n != 1 {
			t.Errorf("%d emails wait for another try", n)
		}
		c.server.Answer(nil, nil)
		c.now = c.now.Add(2 * time.Hour)
		c.run()
		if got := c.server.emails(t); names(got) != "eve" {
			t.Errorf("emails to %s", names(got))
		}
		c.server.Answer(&smtp.SMTPError{Code: 550, Message: "no such person"}, nil)
		c.feedback(c.id["task:eve1P"])
		c.run()
		if n := c.count("jobs WHERE kind = 'mail' AND state = 'dead' AND error LIKE '%no such person%'"); n != 1 {
			t.Errorf("%d emails are given up", n)
		}
	})
}

func TestWhoWantsNoEmails(t *testing.T) {
	each(t, func(t *testing.T, c *campus) {
		task := c.task("eve", "1P", "complete")
		all := func() {
			c.Helper()
			c.feedback(task)
			c.tx(func(q db.Q) {
				err := errors.Join(c.mailer.PDFFailed(t.Context(), q, "it is empty", task),
					c.mailer.PortfolioReady(t.Context(), q, c.id["project:eve"], true),
					c.mailer.PortfolioFailed(t.Context(), q, c.id["project:eve"], "a file is broken"))
				if err != nil {
					t.Fatal(err)
				}
			})
		}
		all()
		c.run()
		got := c.server.emails(t)
		if len(got) != 4 {
			t.Fatalf("%d emails", len(got))
		}
		for column, left := range map[string]int{flags[Feedback]: 3, flags[Task]: 3, flags[Portfolio]: 2, "": 0} {
			undo := `UPDATE users SET disabled_at = NULL, receive_task_notifications = TRUE,
				receive_portfolio_notifications = TRUE, receive_feedback_notifications = TRUE`
			turnOff := func() {
				if column == "" {
					c.set(`UPDATE users SET disabled_at = $1`, "2026-01-01T00:00:00.000Z")
				} else {
					c.set(`UPDATE users SET ` + column + ` = FALSE`)
				}
			}
			turnOff()
			all()
			c.run()
			if got := c.server.emails(t); len(got) != left {
				t.Errorf("%s off: %d emails, want %d", column, len(got), left)
			}
			c.set(undo)
			all() // written before it is turned off, sent after
			turnOff()
			c.run()
			if got := c.server.emails(t); len(got) != left {
				t.Errorf("%s off meanwhile: %d emails, want %d", column, len(got), left)
			}
			c.set(undo)
		}
		for _, text := range []string{`UPDATE units SET send_notifications = FALSE`, `UPDATE projects SET enrolled =
			FALSE`} {
			c.set(text)
			all()
			c.run()
			if got := c.server.emails(t); len(got) != 0 {
				t.Errorf("%s: %d emails", text, len(got))
			}
			c.set(`UPDATE units SET send_notifications = TRUE`)
		}
	})
}

func TestOffMeansOff(t *testing.T) {
	each(t, func(t *testing.T, c *campus) {
		task := c.task("eve", "1P", "complete")
		off := Disabled()
		c.tx(func(q db.Q) {
			ctx := t.Context()
			err := errors.Join(off.FeedbackReady(ctx, q, task), off.PDFFailed(ctx, q, "", task),
				off.PortfolioReady(ctx, q, 1, false),
				off.PortfolioFailed(ctx, q, 1, ""), off.Welcome(ctx, q, c.id["eve"]),
				off.Forgotten(ctx, q, c.id["eve"]))
			if err != nil {
				t.Fatal(err)
			}
		})
		if n := c.count("jobs") + c.count("mails"); n != 0 {
			t.Errorf("%d rows", n)
		}
		c.feedback(task) // mails are turned off while an email waits
		c.mailer = Disabled()
		c.run()
		if n := c.count("jobs WHERE state = 'done'"); n != 1 {
			t.Errorf("%d jobs let go", n)
		}
	})
}

func TestPasswordEmails(t *testing.T) {
	each(t, func(t *testing.T, c *campus) {
		c.tx(func(q db.Q) {
			ctx := t.Context()
			err := errors.Join(c.mailer.Welcome(ctx, q, c.id["eve"]), c.mailer.Forgotten(ctx, q, c.id["mate"]),
				c.mailer.Forgotten(ctx, q, c.id["lone"]), c.mailer.Forgotten(ctx, q, 0))
			if err != nil {
				t.Fatal(err)
			}
		})
		c.set(`UPDATE users SET disabled_at = $2 WHERE id = $1`, c.id["lone"], "2026-01-01T00:00:00.000Z")
		c.run()
		got := c.server.emails(t)
		if names(got) != "eve mate" {
			t.Fatalf("emails to %s", names(got))
		}
		got[0].says(t, "Welcome", "7 days", "/password?token=")
		got[1].says(t, "2 hours", "/password?token=")
		if got[1].header.Get("List-Unsubscribe") != "" {
			t.Error("one can unsubscribe from what one asked for")
		}
		if n := c.count("jobs WHERE args LIKE '%token%'") + c.count("mails"); n != 0 || c.count("password_links") != 2 {
			t.Error("a token waits in the database")
		}
	})
}

func TestUnsubscribe(t *testing.T) {
	each(t, func(t *testing.T, c *campus) {
		ctx := t.Context()
		good := token(c.mailer.key, c.id["eve"], Feedback)
		for _, bad := range []string{"", "x", "..", good + "x", good[:len(good)-2], strings.Replace(good, "feedback",
			"task", 1),
			strings.Replace(good, "feedback", "", 1), "9" + good, token([]byte("another key"), c.id["eve"], Feedback)} {
			c.tx(func(q db.Q) {
				if _, err := Unsubscribe(ctx, q, bad); !fault.Is(err, fault.Missing) {
					t.Errorf("%q: %v", bad, err)
				}
			})
		}
		if n := c.count("users WHERE NOT receive_feedback_notifications OR NOT receive_task_notifications"); n != 0 {
			t.Fatal("a forged token took effect")
		}
		for range 2 {
			c.tx(func(q db.Q) {
				if p, err := Unsubscribe(ctx, q, good); err != nil || p != Feedback {
					t.Errorf("%s, %v", p, err)
				}
			})
		}
		if c.count("users WHERE NOT receive_feedback_notifications") != 1 ||
			c.count("users WHERE NOT receive_task_notifications") != 0 {
			t.Error("not just this kind of this person")
		}
	})
}

func TestOldEmailsAreForgotten(t *testing.T) {
	c := newCampus(t, "sqlite")
	c.feedback(c.task("eve", "1P", "complete"))
	c.now = c.now.Add(keep + time.Hour)
	c.tx(func(q db.Q) {
		if n, err := Prune(t.Context(), q); n != 1 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	})
	c.run()
	if got := c.server.emails(t); len(got) != 0 {
		t.Error("sent although forgotten")
	}
}
