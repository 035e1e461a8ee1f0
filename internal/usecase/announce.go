package usecase

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/announce"
)

// PlanAnnouncement says whom an announcement would go to, with the names of a part of them, and sends
// nothing, for whoever holds policy.Announce in the unit. It refuses an audience that is not of the
// unit.
func (s *Service) PlanAnnouncement(ctx context.Context, n announce.New, page db.Page) (*announce.Plan, error) {
	return view(ctx, s.DB, func(q db.Q) (*announce.Plan, error) { return n.Count(ctx, q, page) })
}

// Announce sends an announcement, whose writer is the caller, to students of a unit: one copy a person,
// as a notification and, where they want it, by email. It is for whoever holds policy.Announce in the
// unit, and refuses what announce.Send does; a repeated key is the first one, which nobody is sent again.
func (s *Service) Announce(ctx context.Context, who *access.Caller, n announce.New) (*announce.Announcement, error) {
	n.UserID = who.ID
	return changeAlone(ctx, s.DB, func(q db.Q) (*announce.Announcement, error) {
		a, again, err := announce.Send(ctx, q, n)
		if err != nil || again {
			return a, err
		}
		return a, s.Mailer.Announced(ctx, q, a.ID)
	})
}

// AnnouncementReader is the caller as a reader of the announcements of a unit, of whose staff they are.
func AnnouncementReader(who *access.Caller) announce.Reader {
	return announce.Reader{UserID: who.ID, All: who.May(policy.SeeRecipients)}
}

// MaySeeRecipients tells whether the caller may see who got an announcement: its writer may, and
// whoever holds policy.SeeRecipients.
func MaySeeRecipients(who *access.Caller, a *announce.Announcement) bool {
	return a.UserID == who.ID || who.May(policy.SeeRecipients)
}

// CopyReader is the caller as a reader of what the student of a project was written: nil for the
// student. Whoever looks as the student does still sees no more than on the staff: an announcement to a
// selection is between its writer, the convenors and each who got it.
func CopyReader(ctx context.Context, q db.Q, who *access.Caller) (*announce.Reader, error) {
	if who.View == nil && who.OwnerID == who.ID {
		return nil, nil
	}
	as := who
	if v := who.View; v != nil {
		var err error
		as, err = access.Resolve(ctx, q, access.Caller{ID: v.ViewerID, Role: v.ViewerRole, Asked: who.Asked},
			access.Scope{Project: v.ProjectID})
		if err != nil {
			return nil, err
		}
	}
	by := AnnouncementReader(as)
	return &by, nil
}
