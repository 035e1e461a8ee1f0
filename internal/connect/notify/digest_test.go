package notify

import (
	"strings"
	"testing"
	"time"

	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
	"lectern/internal/platform/mail"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/work"
)

// enqueue adds a job, runs all and gives the emails that went out.
func (c *campus) after(a jobs.Args) []arrived {
	c.Helper()
	c.tx(func(q db.Q) {
		if _, err := jobs.Enqueue(c.Context(), q, a, jobs.Options{}); err != nil {
			c.Fatal(err)
		}
	})
	c.run()
	return c.server.emails(c.T)
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
			t.Fatalf("emails to %s", names(got))
		}
		got[0].says(t, "Is anybody there?", "Lone Person, Mon 4 May, 08:00 UTC")
		got[1].says(t, "Look at line 4.", "And here.", "SIT101 1P", "Tutor Person, Mon 4 May")
		if got[1].subject != "2 new comments" || strings.Contains(got[1].text, "before anybody") {
			t.Errorf("%s\n%s", got[1].subject, got[1].text)
		}
		got[2].says(t, "Which line 4?")
		c.now = c.now.Add(30 * time.Minute)
		c.say("tutor", "eve", "1P", "One more.")
		if got := c.after(digestArgs{}); len(got) != 0 {
			t.Errorf("a second email within the hour to %s", names(got))
		}
		c.now = c.now.Add(30 * time.Minute)
		if got := c.after(digestArgs{}); names(got) != "eve" {
			t.Errorf("emails to %s", names(got))
		} else {
			got[0].says(t, "One more.")
			if strings.Contains(got[0].text, "And here.") {
				t.Error("told twice")
			}
		}
	})
}

// What the service itself says in a conversation is not told as the tutor's words.
func TestDigestsTellWhatTheServiceSaysInItsOwnName(t *testing.T) {
	each(t, func(t *testing.T, c *campus) {
		c.after(digestArgs{})
		c.now = c.now.Add(time.Hour)
		c.say("tutor", "eve", "1P", "The tests could not be run.")
		c.set(`UPDATE task_comments SET type = 'assessment', by_service = TRUE`)
		got := c.after(digestArgs{})
		if names(got) != "eve" {
			t.Fatalf("emails to %s", names(got))
		}
		got[0].says(t, "The tests could not be run.", "Automated assessment, Mon 4 May")
		if strings.Contains(got[0].text, "Tutor Person") {
			t.Error(got[0].text)
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
				t.Errorf("%s: emails to %s", what, names(got))
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
					work.ExtensionRequest{Reason: "I was ill", Weeks: 1})
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
			t.Fatalf("emails to %s", names(got))
		}
		got[0].says(t, "Requested an extension of 1 week. I was ill")
		got[1].says(t, "5P Task 5: extension granted, due in 12 days, Fri 15 May, 23:59 anywhere on Earth; "+
			"late submissions until Sun 7 Jun, 23:59")
		got[2].says(t, "5P Task 5: extension declined, due in 5 days, Fri 8 May, 23:59 anywhere on Earth; "+
			"late submissions until")
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
				t.Fatalf("statement %d failed: %v, %d emails", n, err, c.count("mails"))
			}
		}
		if n := c.count("mails"); n != 1 {
			t.Errorf("%d emails", n)
		}
	})
}

// Members of a group hear that somebody asks for an extension; why, only the student and who
// answers them.
func TestDigestsKeepTheReasonOfAnExtension(t *testing.T) {
	weeks := 2
	i := item{Type: "extension", Weeks: &weeks, Text: "I was ill", OwnerID: 1, RecipientID: 2}
	for reader, want := range map[int64]string{1: "Requested an extension of 2 weeks. I was ill",
		2: "Requested an extension of 2 weeks. I was ill", 3: "Requested an extension of 2 weeks."} {
		if got := i.words(mail.Spoken, reader); got != want {
			t.Errorf("to %d: %q", reader, got)
		}
	}
}

// Who attached something hears what it is told as: every kind that a comment can have says its own.
func TestDigestsTellTheKindOfAnAttachment(t *testing.T) {
	two := 2
	for kind, want := range map[string]string{"image": "Attached an image.", "audio": "Attached a recording.",
		"video": "Attached a video.", "pdf": "Attached a PDF.", "discussion": "Discussion: 2 questions",
		"text": "Attached a file.", "assessment": "Attached a file."} {
		i := item{Type: kind, Prompts: &two}
		if got := i.words(mail.Spoken, 1); got != want {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
		if i.Text = "Look here."; kind != "discussion" && i.words(mail.Spoken, 1) != i.Text {
			t.Errorf("%s: %q for what somebody wrote", kind, i.words(mail.Spoken, 1))
		}
	}
	for _, kind := range work.CommentType("").Enum() {
		own := item{Type: kind}
		if media := work.MediaTypes(kind + "/"); len(media) > 0 && own.words(mail.Spoken, 1) == mail.Spoken.Word("comment.file") {
			t.Errorf("a comment of the type %s has no words of its own", kind)
		}
	}
}

// A comment that is only an attachment is told by its kind, from what is kept of it to the email.
func TestDigestsOfAttachments(t *testing.T) {
	each(t, func(t *testing.T, c *campus) {
		c.after(digestArgs{})
		for kind, want := range map[string]string{"image": "Attached an image.", "audio": "Attached a recording.",
			"video": "Attached a video.", "pdf": "Attached a PDF.", "discussion": "Discussion: 1 question"} {
			c.now = c.now.Add(time.Hour)
			c.say("tutor", "eve", "1P", kind)
			c.set(`UPDATE task_comments SET type = $1, comment = '', number_of_prompts = CASE WHEN $1 = 'discussion' THEN 1 END
				WHERE comment = $1`, kind)
			if got := c.after(digestArgs{}); names(got) != "eve" {
				t.Errorf("%s: emails to %s", kind, names(got))
			} else {
				got[0].says(t, "> "+want)
			}
		}
	})
}

// gives has the tutor say of a task that it is in that status.
func (c *campus) gives(student, abbr, word string) {
	c.Helper()
	c.tx(func(q db.Q) {
		at := c.place(student, abbr)
		if _, err := work.Move(c.Context(), q, work.Mover{UserID: c.id["tutor"], As: status.Staff}, at.ProjectID,
			at.DefinitionID, work.Change{Trigger: &word}); err != nil {
			c.Fatal(err)
		}
	})
}

// asksReview has a student ask for a review of what the tutor said of a task.
func (c *campus) asksReview(student, abbr string) {
	c.Helper()
	c.tx(func(q db.Q) {
		if _, err := work.AskReview(c.Context(), q, c.id[student], c.place(student, abbr),
			work.ReviewRequest{Reason: "The second test passes here."}); err != nil {
			c.Fatal(err)
		}
	})
}

// A review that a student asks for is told to who answers them: their tutor, or whoever leads the
// unit where they have no class. What they write of it stays in the service, and what was answered
// meanwhile is no news.
func TestDigestsTellTheStaffOfReviews(t *testing.T) {
	each(t, func(t *testing.T, c *campus) {
		c.after(digestArgs{})
		c.now = c.now.Add(time.Hour)
		for _, student := range []string{"eve", "mate", "lone"} {
			c.gives(student, "1P", "fix_and_resubmit")
			c.asksReview(student, "1P")
		}
		c.gives("mate", "1P", "complete") // that answers it
		got := c.after(digestArgs{})
		if names(got) != "convenor mate tutor" {
			t.Fatalf("emails to %s", names(got))
		}
		got[0].says(t, "Lone Person requests a review", "SIT101 1P")
		got[1].says(t, "Your review request was answered")
		got[2].says(t, "Eve Person requests a review", "SIT101 1P")
		if got[2].subject != "1 review request" || strings.Contains(got[2].text, "second test") {
			t.Errorf("%s\n%s", got[2].subject, got[2].text)
		}
		c.now = c.now.Add(2 * time.Hour)
		if again := c.after(digestArgs{}); len(again) != 0 {
			t.Errorf("told twice to %s", names(again))
		}
	})
}
