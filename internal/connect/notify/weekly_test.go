package notify

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
)

func TestWeeklyEmails(t *testing.T) {
	each(t, func(t *testing.T, c *campus) {
		c.task("eve", "3P", "complete")
		waiting := c.task("mate", "1P", "ready_for_feedback")
		c.set(`UPDATE tasks SET submission_date = $2 WHERE id = $1`, waiting, "2026-04-28T10:00:00.000Z")
		c.say("tutor", "eve", "1P", "one")
		c.say("eve", "eve", "1P", "two")
		c.say("eve", "eve", "2P", "three")
		c.set(`INSERT INTO task_history (task_id, at, actor_id, from_status, to_status, assessed)
			VALUES ($1, $2, $3, 'not_started', 'complete', TRUE)`,
			c.id["task:eve3P"], "2026-05-01T00:00:00.000Z", c.id["tutor"])
		c.set(`INSERT INTO task_history (task_id, at, actor_id, from_status, to_status, assessed)
			VALUES ($1, $2, $3, 'not_started', 'redo', TRUE)`,
			waiting, "2026-04-01T00:00:00.000Z", c.id["tutor"]) // not this week
		got := c.after(weeklyArgs{})
		if names(got) != "convenor eve lone mate tutor" {
			t.Fatalf("emails to %s", names(got))
		}
		// Overdue first, by grade: 7D is beyond her aim, 3P is done; then what is
		// due within the week, then the rest.
		got[1].says(t, "1P Task 1 (Not started) overdue, was due 7 weeks ago, Mon 9 Mar, 23:59 anywhere on Earth; "+
			"late submissions until Sun 7 Jun, 23:59 * 2P Task 2 (Not started) overdue, was due 6 weeks ago, Mon 16 Mar",
			"* 4C Task 4 (Not started) overdue, was due", "* 5P Task 5 (Not started) due in 5 days, Fri 8 May, 23:59",
			"* 6P Task 6 (Not started) due in 4 weeks, Sun 31 May, 23:59", "New feedback * 3P Task 3: Complete",
			"1 of 6 tasks complete, of those up to Credit. 3 overdue.",
			"got 1 comment and wrote 2 comments", "1 task changed status")
		if got[1].subject != "SIT101: your week, 1 task due" {
			t.Error(got[1].subject)
		}
		if strings.Contains(got[1].text, "not in a tutorial") || strings.Contains(got[1].text, "for a Pass") {
			t.Errorf("%s", got[1].text)
		}
		got[2].says(t, "You are not in a tutorial yet", "3 tasks for a Pass are overdue")
		got[4].says(t, "1 task in SIT101 is waiting for your feedback", "1P Task 1 of Mate Person, since Tue 28 Apr, "+
			"6 days ago", "You have 2 students",
			"marked 1 task, got 2 comments and wrote 1 comment")
		got[0].says(t, "Nothing in SIT101 is waiting", "Tutor Person: 2 students, 1 waiting, 1 marked",
			"1 student is not in a tutorial", "1 student aims for more than a Pass")
		if strings.Contains(got[4].text, "not in a tutorial") {
			t.Error("a tutor hears what is the convenor's")
		}
		if n := c.count("projects WHERE target_grade = 1"); n != 3 {
			t.Error("the emails changed a target grade")
		}
		if got := c.after(weeklyArgs{}); len(got) != 0 {
			t.Errorf("the same week again to %s", names(got))
		}
		c.now = c.now.AddDate(0, 0, 7)
		if got := c.after(weeklyArgs{}); len(got) != 5 {
			t.Errorf("a week later to %s", names(got))
		}
	})
}

func TestWhoGetsWeeklyEmails(t *testing.T) {
	each(t, func(t *testing.T, c *campus) {
		week := 0
		for _, s := range []struct{ what, turn, back, want string }{
			{"all", `UPDATE units SET active = TRUE`, ``, "convenor eve lone mate tutor"},
			{"not active", `UPDATE units SET active = FALSE`, `UPDATE units SET active = TRUE`, ""},
			{"no mails", `UPDATE units SET send_notifications = FALSE`, `UPDATE units SET send_notifications = TRUE`,
				""},
			{"not wanted", `UPDATE users SET receive_feedback_notifications = FALSE
				WHERE username IN ('eve', 'tutor')`, `UPDATE users SET receive_feedback_notifications = TRUE`,
				"convenor lone mate"},
			{"withdrawn", `UPDATE projects SET enrolled = FALSE WHERE user_id = (SELECT id FROM users
				WHERE username = 'eve')`, `UPDATE projects SET enrolled = TRUE`, "convenor lone mate tutor"},
			{"just begun", `UPDATE units SET start_date = '2026-05-01'`, `UPDATE units SET start_date = '2026-03-02'`,
				""},
			{"begun", `UPDATE units SET start_date = '2026-04-30'`, `UPDATE units SET start_date = '2026-03-02'`,
				"convenor eve lone mate tutor"},
			{"over", `UPDATE units SET end_date = '2026-05-03'`, `UPDATE units SET end_date = '2026-06-07'`, ""},
			{"last day", `UPDATE units SET end_date = '2026-05-04'`, `UPDATE units SET end_date = '2026-06-07'`,
				"convenor eve lone mate tutor"},
		} {
			c.set(s.turn)
			if got := names(c.after(weeklyArgs{})); got != s.want {
				t.Errorf("%s: emails to %q, want %q", s.what, got, s.want)
			}
			if s.back != "" {
				c.set(s.back)
			}
			week++
			c.set(`UPDATE mails SET name = name || $1`, fmt.Sprintf(" of week %d", week))
		}
		// A portfolio silences the emails but in the midst of the unit.
		c.set(`INSERT INTO blobs (hash, size, touched_at) VALUES ('h', 1, '2026-01-01T00:00:00.000Z')`)
		c.set(`UPDATE projects SET portfolio_hash = 'h'`)
		if got := names(c.after(weeklyArgs{})); got != "convenor eve lone mate tutor" {
			t.Errorf("mid-unit: %s", got)
		}
		c.now = c.now.AddDate(0, 0, 28)
		if got := names(c.after(weeklyArgs{})); got != "convenor tutor" {
			t.Errorf("near the end: %s", got)
		}
	})
}

// TestWeeklyEmailsTakeFewStatements counts for ten students and for a thousand.
func TestWeeklyEmailsTakeFewStatements(t *testing.T) {
	each(t, func(t *testing.T, c *campus) {
		grow := func(from, to int) {
			c.tx(func(q db.Q) {
				var users, projects [][]any
				for i := from; i < to; i++ {
					n := fmt.Sprintf("s%d", i)
					users = append(users, []any{100_000 + i, n, n, n + "@example.edu", n + "@example.edu", n, "x", 1,
						q.Now(), q.Now()})
					projects = append(projects, []any{c.id["unit"], 100_000 + i, q.Now(), q.Now()})
				}
				err := db.Insert(t.Context(), q, "users (id, username, username_key, email, email_key, first_name, "+
					"last_name, role, created_at, updated_at)", "", users)
				if err == nil {
					err = db.Insert(t.Context(), q, "projects (unit_id, user_id, created_at, updated_at)", "", projects)
				}
				if err != nil {
					t.Fatal(err)
				}
			})
		}
		reads := func() int64 {
			ctx, n := db.Counting(t.Context(), nil)
			err := c.db.View(ctx, func(q db.Q) error { _, err := readWeek(ctx, q, c.id["unit"]); return err })
			if err != nil {
				t.Fatal(err)
			}
			return n.N()
		}
		grow(0, 10)
		few := reads()
		grow(10, 1000)
		if many := reads(); many != few || many > 12 {
			t.Errorf("%d statements for ten students, %d for a thousand", few, many)
		}
		ctx, n := db.Counting(t.Context(), nil)
		start := time.Now()
		if err := c.mailer.unitWeek(ctx, jobs.Job{}, unitWeekArgs{UnitID: c.id["unit"]}); err != nil {
			t.Fatal(err)
		}
		t.Logf("1,005 emails: %d statements in %v", n.N(), time.Since(start))
		if got := c.count("mails"); got != 1005 || n.N() > 50 {
			t.Errorf("%d emails with %d statements", got, n.N())
		}
	})
}
