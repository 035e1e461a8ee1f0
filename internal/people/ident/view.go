package ident

import (
	"context"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
)

// ViewLife is how long somebody may look at a project as its student does before they
// have to begin anew.
const ViewLife = 30 * time.Minute

// StudentView is a look at a project as its student sees it.
type StudentView struct {
	ID        int64      `db:"id" json:"id"`
	UnitID    int64      `db:"unit_id" json:"unit_id"`
	ProjectID int64      `db:"project_id" json:"project_id"`
	UserID    int64      `db:"user_id" json:"user_id"` // the student
	Username  string     `db:"username" json:"username"`
	FirstName string     `db:"first_name" json:"first_name"`
	LastName  string     `db:"last_name" json:"last_name"`
	StartedAt clock.Time `db:"started_at" json:"started_at"`
	ExpiresAt clock.Time `db:"expires_at" json:"expires_at"`
}

// StartView lets who, one of the staff resolved on a project, look at it as its student does,
// in this session only. It is written to the audit log. It is for holders of
// policy.SeeAsStudent on the project.
func StartView(ctx context.Context, q db.Q, who *access.Caller, projectID int64) (*StudentView, error) {
	id, err := db.One[int64](ctx, q, `INSERT INTO student_views (session_id, project_id, started_at, expires_at)
		VALUES ($1, $2, $3, $4) RETURNING id`, who.SessionID, projectID, q.Now(), clock.At(q.Now().Add(ViewLife)))
	if err != nil {
		return nil, err
	}
	if err := audit.Add(ctx, q, audit.Entry{Kind: audit.SeeAs, Action: audit.Created, UserID: who.OwnerID,
		UnitID: who.UnitID, ProjectID: projectID, RecordID: *id}); err != nil {
		return nil, err
	}
	return ViewByID(ctx, q, who, *id)
}

// ViewByID reads a look that was begun in the caller's session and lasts. Any other
// is fault.Missing.
func ViewByID(ctx context.Context, q db.Q, who *access.Caller, id int64) (*StudentView, error) {
	return db.OneOf[StudentView](ctx, q, "view of yours, or it has ended", `SELECT v.id, p.unit_id, v.project_id,
			p.user_id, s.username, s.first_name, s.last_name, v.started_at, v.expires_at
		FROM student_views v JOIN projects p ON p.id = v.project_id JOIN users s ON s.id = p.user_id
		WHERE v.id = $1 AND v.session_id = $2 AND v.expires_at > $3`, id, who.SessionID, q.Now())
}

// EndView ends a look of the caller's session, which is written to the audit log. One that has
// ended already is fault.Missing. It is for the session that began it.
func EndView(ctx context.Context, q db.Q, who *access.Caller, id int64) (*StudentView, error) {
	v, err := ViewByID(ctx, q, who, id)
	if err != nil {
		return nil, err
	}
	if _, err := db.Exec(ctx, q, `DELETE FROM student_views WHERE id = $1`, id); err != nil {
		return nil, err
	}
	return v, audit.Add(ctx, q, audit.Entry{Kind: audit.SeeAs, Action: audit.Deleted, UserID: v.UserID,
		UnitID: v.UnitID, ProjectID: v.ProjectID, RecordID: v.ID})
}

// Look gives the caller as whom somebody looks: the student, for reading one project.
// The session stays that of who looks, so whatever asks for it to be the student's
// refuses. A look that has ended is fault.Denied.
func Look(ctx context.Context, q db.Q, who *access.Caller, id int64) (*access.Caller, error) {
	v, err := ViewByID(ctx, q, who, id)
	if fault.Is(err, fault.Missing) {
		return nil, fault.New(fault.Denied, "Your view as the student has ended. Start another on the student's "+
			"page.")
	}
	if err != nil {
		return nil, err
	}
	return &access.Caller{ID: v.UserID, Username: v.Username, Role: policy.Student, SessionID: who.SessionID,
		Enrolling: who.Enrolling, RequestID: who.RequestID, From: who.From, Agent: who.Agent, Asked: who.Asked,
		View: &access.View{ID: v.ID, UnitID: v.UnitID, ProjectID: v.ProjectID, FirstName: v.FirstName,
			LastName: v.LastName, ExpiresAt: v.ExpiresAt, ViewerID: who.ID, ViewerRole: who.Role}}, nil
}
