package notify

import (
	"context"
	"fmt"

	"lectern/internal/ground/links"
	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
	"lectern/internal/platform/mail"
)

// announcementArgs ask for the emails of an announcement.
type announcementArgs struct {
	ID int64 `json:"announcement_id"`
}

// Kind implements jobs.Args.
func (announcementArgs) Kind() string { return "announcement_mails" }

// Announced has an announcement emailed to those who got it and want emails of the kind, by a job: how
// many they are does not keep its writer waiting.
func (m *Mailer) Announced(ctx context.Context, q db.Q, id int64) error {
	if !m.Sends() {
		return nil
	}
	_, err := jobs.Enqueue(ctx, q, announcementArgs{id}, jobs.Options{})
	return err
}

// announced is a copy of an announcement with whom it is for.
type announced struct {
	student
	Title   string `db:"title"`
	Text    string `db:"text"`
	Author  string `db:"author"`
	Replies string `db:"replies"` // the address of who wrote it; empty where they are not on the staff
}

// announcement writes the emails of an announcement, one to each person, some at a time. Their names
// hold which one it is and whose copy, so a job that was killed goes on where it was.
func (m *Mailer) announcement(ctx context.Context, job jobs.Job, a announcementArgs) error {
	if !m.Sends() {
		return nil
	}
	for last := int64(0); ; {
		some, err := db.All[announced](ctx, m.db.Pool(), `SELECT `+studentColumns+`, a.title, a.text,
				w.first_name || ' ' || w.last_name AS author, coalesce((SELECT w.email FROM unit_roles o
				WHERE o.unit_id = u.id AND o.user_id = w.id), '') AS replies
			FROM announcement_recipients g JOIN announcements a ON a.id = g.announcement_id
			JOIN users w ON w.id = a.user_id JOIN projects p ON p.id = g.project_id`+studentJoins+`
			WHERE g.announcement_id = $1 AND g.project_id > $2 AND s.`+flags[Announcement]+`
			ORDER BY g.project_id LIMIT $3`, a.ID, last, postAtOnce)
		if err != nil {
			return fmt.Errorf("read who gets the announcement %d: %w", a.ID, err)
		}
		err = m.db.Tx(ctx, func(q db.Q) error {
			if len(some) == 0 {
				return job.Done(ctx, q)
			}
			return m.post(ctx, q, m.copies(a.ID, some))
		})
		if err != nil || len(some) == 0 {
			return err
		}
		last = some[len(some)-1].ProjectID
	}
}

// copies are the emails to those who got an announcement.
func (m *Mailer) copies(id int64, some []announced) []email {
	list := make([]email, len(some))
	for i := range some {
		s := &some[i]
		list[i] = s.email(Announcement, mail.Announcement{
			Frame: m.toStudent(&s.student, Announcement, links.To(links.Copy, s.ProjectID, id)),
			Unit:  s.Unit, Title: s.Title, Text: s.Text, Author: s.Author})
		list[i].name = fmt.Sprintf("announcement-%d-%d", id, s.ProjectID)
		if s.Replies != "" {
			list[i].replyTo = s.Replies
		}
	}
	return list
}
