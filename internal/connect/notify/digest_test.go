package notify

import (
	"strings"
	"testing"
	"time"

	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
	"lectern/internal/teaching/work"
)

// enqueue adds a job, runs all and gives the letters that went out.
func (c *campus) after(a jobs.Args) []arrived {
	c.Helper()
	c.tx(func(q db.Q) {
		if _, err := jobs.Enqueue(c.Context(), q, a, jobs.Options{}); err != nil {
			c.Fatal(err)
		}
	})
	c.run()
	return c.server.letters(c.T)
}

func (c *campus) place(student, abbr string) work.TaskRef {
	return work.TaskRef{ProjectID: c.id["project:"+student], DefinitionID: c.id["def:"+abbr]}
}

func (c *campus) reader(name string) work.Reader {
	return work.Reader{UserID: c.id[name], Staff: name == "tutor" || name == "convenor"}
}

func (c *campus) say(who, student, abbr, words string) {
	c.Helper()
	c.tx(func(q db.Q) {
		if _, err := work.Say(c.Context(), q, nil, c.reader(who), c.place(student, abbr),
			work.NewComment{Text: words}); err != nil {
			c.Fatal(err)
		}
	})
}

func (c *campus) open(who, student, abbr string) {
	c.Helper()
	c.tx(func(q db.Q) {
		talk, err := work.Comments(c.Context(), q, c.reader(who), c.place(student, abbr), db.Page{})
		if err == nil {
			err = work.MarkRead(c.Context(), q, c.reader(who), talk.Unread)
		}
		if err != nil {
			c.Fatal(err)
		}
	})
}

func TestDigests(t *testing.T) {
	each(t, func(t *testing.T, c *campus) {
		c.say("tutor", "eve", "1P", "before anybody sent digests")
		if got := c.after(digestArgs{}); len(got) != 0 {
			t.Fatalf("the past is no news: %s", names(got))
		}
		c.now = c.now.Add(time.Hour)
		c.say("tutor", "eve", "1P", "Look at line 4.\r\nBcc: x")
		c.say("tutor", "eve", "2P", "And here.")
		c.say("tutor", "mate", "1P", "You have read this.")
		c.open("mate", "mate", "1P")
		c.say("eve", "eve", "1P", "Which line 4?")
		c.say("lone", "lone", "1P", "Is anybody there?") // without a class: to the convenor
		got := c.after(digestArgs{})
		if names(got) != "convenor eve tutor" {
			t.Fatalf("letters to %s", names(got))
		}
		got[0].says(t, "Is anybody there?", "Lone Person writes")
		got[1].says(t, "Look at line 4.", "And here.", "SIT101 1P", "Tutor Person writes")
		if got[1].subject != "2 new comments" || strings.Contains(got[1].text, "before anybody") {
			t.Errorf("%s\n%s", got[1].subject, got[1].text)
		}
		got[2].says(t, "Which line 4?")
		c.now = c.now.Add(30 * time.Minute)
		c.say("tutor", "eve", "1P", "One more.")
		if got := c.after(digestArgs{}); len(got) != 0 {
			t.Errorf("a second letter within the hour to %s", names(got))
		}
		c.now = c.now.Add(30 * time.Minute)
		if got := c.after(digestArgs{}); names(got) != "eve" {
			t.Errorf("letters to %s", names(got))
		} else {
			got[0].says(t, "One more.")
			if strings.Contains(got[0].text, "And here.") {
				t.Error("told twice")
			}
		}
	})
}

func TestDigestsKeepToTheRules(t *testing.T) {
	each(t, func(t *testing.T, c *campus) {
		c.after(digestArgs{})
		for what, turn := range map[string][2]string{
			"the reader wants none": {`UPDATE users SET receive_task_notifications = FALSE`,
				`UPDATE users SET receive_task_notifications = TRUE`},
			"the unit sends none": {`UPDATE units SET send_notifications = FALSE`,
				`UPDATE units SET send_notifications = TRUE`},
			"the student has left": {`UPDATE projects SET enrolled = FALSE`, `UPDATE projects SET enrolled =
				TRUE`},
			"another has read for staff": {`UPDATE task_comments SET staff_read_at = created_at`,
				`UPDATE units SET active = TRUE`},
		} {
			c.now = c.now.Add(time.Hour)
			c.say("eve", "eve", "1P", what)
			c.set(turn[0])
			if got := c.after(digestArgs{}); len(got) != 0 {
				t.Errorf("%s: letters to %s", what, names(got))
			}
			c.set(turn[1])
		}
		c.now = c.now.Add(time.Hour)
		c.say("eve", "eve", "1P", "while nobody sent digests")
		c.now = c.now.Add(stale + time.Hour)
		if got := c.after(digestArgs{}); len(got) != 0 {
			t.Errorf("stale news to %s", names(got))
		}
	})
}

func TestDecidedExtensions(t *testing.T) {
	each(t, func(t *testing.T, c *campus) {
		c.after(digestArgs{})
		c.set(`UPDATE units SET auto_apply_extension_before_deadline = FALSE`)
		c.now = c.now.Add(time.Hour)
		ask := func(student string, granted bool) {
			c.tx(func(q db.Q) {
				x, err := work.RequestExtension(t.Context(), q, c.reader(student), c.place(student, "5P"),
					work.Wish{Reason: "I was ill", Weeks: 1})
				if err == nil && student != "lone" {
					_, err = work.AssessExtension(t.Context(), q, c.reader("tutor"), c.place(student, "5P"), x.ID,
						granted)
				}
				if err != nil {
					t.Fatal(err)
				}
			})
		}
		ask("eve", true)
		ask("mate", false)
		ask("lone", false) // undecided: news for the convenor
		got := c.after(digestArgs{})
		if names(got) != "convenor eve mate" {
			t.Fatalf("letters to %s", names(got))
		}
		got[0].says(t, "weeks: 1", "I was ill")
		got[1].says(t, "5P Task 5: granted, due Friday 15 May")
		got[2].says(t, "5P Task 5: not granted, due Friday 8 May")
		if got[1].subject != "1 extension decided" {
			t.Error(got[1].subject)
		}
	})
}

// TestDigestsCutShort lets every statement of the job fail in turn: whatever was
// done is undone, and the next run tells all, once.
func TestDigestsCutShort(t *testing.T) {
	each(t, func(t *testing.T, c *campus) {
		c.after(digestArgs{})
		c.now = c.now.Add(time.Hour)
		c.say("tutor", "eve", "1P", "Well done.")
		for n := int64(1); ; n++ {
			ctx, counter := db.Failing(t.Context(), n)
			err := c.mailer.digest(ctx, jobs.Job{}, digestArgs{})
			if err == nil && counter.N() < n {
				break
			}
			if err == nil || c.count("mails") != 0 {
				t.Fatalf("statement %d failed: %v, %d letters", n, err, c.count("mails"))
			}
		}
		if n := c.count("mails"); n != 1 {
			t.Errorf("%d letters", n)
		}
	})
}
