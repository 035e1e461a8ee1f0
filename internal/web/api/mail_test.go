package api

import (
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/usecase"
)

var _ = rights(
	rightRow{"GET /api/admin/mail", "", "admin", nil},
	rightRow{"POST /api/admin/mail/send", "", "admin", nil},
)

// Administrators see how many emails went to how many people, and what failed, never what they say; and
// have them sent that a broken mail server kept.
func TestEmailsAreLookedAfter(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at, later := clock.At(w.now), clock.At(w.now.Add(4*time.Hour))
		w.set(`DELETE FROM jobs`)
		w.set(`INSERT INTO mails (name, user_id, preference, reply_to, subject, body_text, body_html, created_at, sent_at)
			SELECT username, id, 'feedback', '', 'The subject', 'The body', 'The body', $1,
			NULL FROM users WHERE username IN ('student', 'mate')`, at)
		w.set(`UPDATE mails SET sent_at = $1 WHERE name = 'student'`, at)
		w.set(`INSERT INTO jobs (kind, args, state, max_attempts, run_at, created_at, error)
			SELECT 'mail', '{"mail_id":' || id || '}', 'dead', 1, $1, $1, '550 [address]' FROM mails WHERE sent_at IS NULL`, at)
		w.set(`INSERT INTO jobs (kind, args, state, max_attempts, run_at, created_at) VALUES
			('mail', '{}', 'available', 9, $2, $1), ('document', '{}', 'available', 9, $2, $1)`, at, later)
		answer := w.do("admin", "GET /api/admin/mail", nil).status(200)
		for _, kept := range []string{"The body", "The subject", "@example.edu"} {
			if strings.Contains(answer.Body.String(), kept) {
				t.Errorf("%q is told: %s", kept, answer.Body)
			}
		}
		var m usecase.Mail
		answer.into(&m)
		if !m.Sends || m.Figures.Sent != 1 || m.Figures.Failed != 1 || m.Figures.Waiting != 1 {
			t.Errorf("figures: %+v", m.Figures)
		}
		if len(m.Days) != 1 || m.Days[0].Written != 2 || m.Days[0].Sent != 1 || m.Days[0].People != 2 ||
			m.Days[0].About != "feedback" {
			t.Errorf("days: %+v", m.Days)
		}
		if len(m.Failed) != 1 || m.Failed[0].UserID != w.id["mate"] || m.Failed[0].Error != "550 [address]" {
			t.Errorf("failed: %+v", m.Failed)
		}
		done := w.do("admin", "POST /api/admin/mail/send", nil).status(200).object()
		if done["hastened"] != 1.0 || done["retried"] != 1.0 {
			t.Errorf("sent: %v", done)
		}
		done = w.do("admin", "POST /api/admin/mail/send", nil).status(200).object()
		if done["hastened"] != 0.0 || done["retried"] != 0.0 {
			t.Errorf("sent again: %v", done)
		}
		if list := w.do("admin", "GET /api/admin/jobs?kind=document", nil).status(200).list(); list[0]["run_at"] != later.String() {
			t.Errorf("another job was hastened: %v", list)
		}
	})
}
