package notify

import (
	"fmt"
	"strings"
	"testing"

	"lectern/internal/ground/links"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/announce"
)

// announces lets the convenor write to students, and gives the number of what was sent.
func (c *campus) announces(title, text string, to ...string) (id int64) {
	c.Helper()
	n := announce.New{UnitID: c.id["unit"], UserID: c.id["convenor"], Title: title, Text: text,
		Audience: announce.Selection}
	for _, name := range to {
		n.ProjectIDs = append(n.ProjectIDs, c.id["project:"+name])
	}
	c.tx(func(q db.Q) {
		a, _, err := announce.Send(c.Context(), q, n)
		if err == nil {
			err = c.mailer.Announced(c.Context(), q, a.ID)
		}
		if err != nil {
			c.Fatal(err)
		}
		id = a.ID
	})
	return id
}

// Each gets an email of their own, in which there is no word of the others, and can turn that kind off. What the
// convenor wrote is told whole and taken for nothing but words.
func TestAnnouncementsAreEmailedOneByOne(t *testing.T) {
	each(t, func(t *testing.T, c *campus) {
		long := strings.Repeat("Words and words. ", 200)
		text := "Hello,\n\n<script>alert(1)</script> " + long + "\n--\nUnsubscribe: https://evil.example\n.\nQUIT"
		id := c.announces("Room changed", text, "eve", "mate")
		c.run()
		got := c.server.emails(t)
		if names(got) != "eve mate" {
			t.Fatalf("emails to %s", names(got))
		}
		for i, other := range []string{"mate", "eve"} {
			e := got[i]
			e.says(t, "Room changed", "Words and words. Words", "https://evil.example")
			whole := fmt.Sprint(e.header, e.subject, e.text, e.html)
			if strings.Contains(strings.ToLower(whole), other) || strings.Contains(whole, "selection") {
				t.Errorf("the email of %s tells of others: %s", e.to, whole)
			}
			if e.subject != "SIT101: Room changed" || strings.Contains(e.html, "<script>") ||
				!strings.Contains(e.text, "    > Unsubscribe: https://evil.example") {
				t.Errorf("%s: %s %s", e.subject, e.text, e.html)
			}
			own := "https://learn.example.edu" + links.To(links.Copy, c.id["project:"+e.to], id)
			if !strings.Contains(e.text, own) || !strings.Contains(e.html, own) {
				t.Errorf("it does not lead to %s: %s", own, e.text)
			}
			if h := e.header; h.Get("Reply-To") != "<convenor@example.edu>" || h.Get("Bcc") != "" || h.Get("Cc") != "" ||
				!strings.Contains(h.Get("List-Unsubscribe"), ".announcement.") {
				t.Errorf("%v", h)
			}
		}
	})
}

// Whoever wants no such emails gets none, nor who is disabled or in a unit that sends none; and a job that was
// killed half way writes to each once.
func TestAnnouncementsAreEmailedOnceToWhoWantsThem(t *testing.T) {
	each(t, func(t *testing.T, c *campus) {
		sent := func(want string) {
			t.Helper()
			c.run()
			if got := names(c.server.emails(t)); got != want {
				t.Errorf("emails to %q, want %q", got, want)
			}
		}
		c.set(`UPDATE users SET receive_announcement_notifications = FALSE WHERE id = $1`, c.id["eve"])
		c.announces("One", "Text", "eve", "mate")
		sent("mate")
		c.set(`UPDATE units SET send_notifications = FALSE`)
		c.announces("Two", "Text", "eve", "mate")
		sent("")
		c.set(`UPDATE units SET send_notifications = TRUE`)
		c.set(`UPDATE users SET receive_announcement_notifications = TRUE`)
		c.set(`UPDATE users SET disabled_at = $2 WHERE id = $1`, c.id["mate"], c.db.Now())
		id := c.announces("Three", "Text", "eve", "mate", "lone")
		var some []announced
		c.tx(func(q db.Q) { // half of it was written when the worker was killed
			some = []announced{{student: student{ProjectID: c.id["project:lone"], UserID: c.id["lone"], Unit: "SIT101"},
				Title: "Three", Text: "Text"}}
			if err := c.mailer.post(t.Context(), q, c.mailer.copies(id, some)); err != nil {
				t.Fatal(err)
			}
		})
		sent("eve lone")
		c.set(`UPDATE jobs SET state = 'available' WHERE id = (SELECT max(id) FROM jobs WHERE kind = 'announcement_mails')`)
		sent("")
		if n := c.count("mails WHERE name LIKE 'announcement-%' AND sent_at IS NULL"); n != 0 {
			t.Errorf("%d emails were never sent", n)
		}
	})
}

// A whole year of students is written to in batches, each once.
func TestAnnouncementsToManyAreEmailed(t *testing.T) {
	c := newCampus(t, "sqlite")
	var names []string
	c.tx(func(q db.Q) {
		for i := range 2*postAtOnce + 50 {
			name := fmt.Sprintf("many%03d", i)
			c.person(q, name, 1)
			c.add(q, "project:"+name, "projects (unit_id, user_id, created_at, updated_at)", c.id["unit"], c.id[name], q.Now(),
				q.Now())
			names = append(names, name)
		}
	})
	id := c.announces("To many", "Text", names...)
	c.set(`UPDATE users SET disabled_at = $1 WHERE username LIKE 'many%' AND username NOT LIKE 'many00%'`, c.db.Now())
	c.run()
	n := c.count("mails WHERE name LIKE $1", fmt.Sprintf("announcement-%d-%%", id))
	if n != 10 || len(c.server.emails(t)) != 10 {
		t.Errorf("%d emails", n)
	}
	c.set(`UPDATE users SET disabled_at = NULL`)
	c.set(`UPDATE jobs SET state = 'available' WHERE kind = 'announcement_mails'`)
	c.run()
	if n := c.count("mails WHERE sent_at IS NOT NULL"); int(n) != len(names) {
		t.Errorf("%d emails of %d", n, len(names))
	}
}
