package api

import (
	"context"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/usecase"
	"lectern/internal/usecase/privacy"
	"lectern/internal/web/endpoint"
)

// mostPeople is how many people a list has that names no limit.
const mostPeople = 100

func (s *Server) peopleRoutes() {
	endpoint.Route(s.Server, "GET /api/admin/people", 200, policy.SeeAccounts,
		"Find people by the beginnings of words of their name, numbers or address, with how their accounts stand",
		s.listPeople)
	endpoint.Route(s.Server, "GET /api/admin/people/counts", 200, policy.SeeAccounts,
		"Count the accounts by how they stand", s.countPeople)
	endpoint.Route(s.Server, "GET /api/admin/people/{id}", 200, policy.SeeAccounts,
		"Get one person: account, units, ways to sign in, invitation and an erasure that waits", s.getPerson)
	endpoint.Route(s.Server, "GET /api/users/{id}/sessions", 200, policy.SeeAccounts, "List the sessions of a user",
		s.sessionsOf)
	endpoint.Route(s.Server, "DELETE /api/users/{id}/sessions", 204, policy.ManageAccounts, "Sign a user out everywhere",
		s.endSessionsOf, endpoint.Audited(audit.SignOut))
	endpoint.Route(s.Server, "DELETE /api/users/{id}/sessions/{session_id}", 204, policy.ManageAccounts,
		"Sign one session of a user out", s.endSessionOf, endpoint.Audited(audit.SignOut),
		endpoint.Also(404, "the user has no such session"))
	endpoint.Route(s.Server, "POST /api/users/{id}/unlock", 204, policy.ManageAccounts,
		"Let whoever failed too often to sign in as a user try again at once", s.unlockUser, endpoint.Audited(audit.Account))
	endpoint.Route(s.Server, "POST /api/users/{id}/invitation", 204, policy.ManageAccounts,
		"Send the invitation of a user who has not come in once more", s.inviteAgain, endpoint.Audited(audit.Password),
		endpoint.Also(409, "the account was opened or is disabled, or the invitation waits already"),
		endpoint.Also(503, "the service sends no mails"), endpoint.Costs(endpoint.Emails))
	endpoint.Route(s.Server, "POST /api/users/{id}/login_id", 200, policy.ManageAccounts,
		"Move the login id of a user to another account; sessions of the first end", s.moveLoginID,
		endpoint.Audited(audit.Account),
		endpoint.Also(409, "there is no login id to move, or the other account has one or is disabled"))
	s.personDataRoutes()
}

func (s *Server) personDataRoutes() {
	sure := endpoint.Also(403, "the sign-in is older than ten minutes")
	endpoint.Route(s.Server, "GET /api/users/{id}/data", 200, policy.SeeAccounts,
		"Tell what an export of a user's data holds and what an erasure does, and whether you could ask for it",
		s.planData)
	endpoint.Route(s.Server, "POST /api/users/{id}/data_export", 201, policy.ExportData,
		"Export the data of a user: get a link to the archive, for you alone, good once and for an hour", s.exportPerson,
		endpoint.Audited(audit.Export), endpoint.Costs(endpoint.Exports), sure,
		endpoint.Also(409, "you have no second factor, or the user was erased"), endpoint.Also(422, "the code is wrong"),
		endpoint.Also(429, "too many wrong codes"))
	endpoint.Route(s.Server, "GET /api/admin/exports/{token}", 200, policy.SeeAccounts,
		"See how far the archive of a user is that you asked for", s.seeExport,
		endpoint.Also(404, "the link was used, has expired or is somebody else's"))
	endpoint.Route(s.Server, "POST /api/admin/exports/{token}", 200, policy.ExportData,
		"Take the archive of a user that you asked for, which uses the link up", s.takeExport, sendsStoredArchive,
		endpoint.Audited(audit.Export), endpoint.Also(404, "the link was used, has expired or is somebody else's"),
		endpoint.Also(409, "the archive is not ready"))
	endpoint.Route(s.Server, "GET /api/admin/erasures", 200, policy.SeeAccounts, "List the erasures that wait",
		s.listErasures)
	endpoint.Route(s.Server, "POST /api/users/{id}/erasure", 200, policy.EraseData,
		"Erase a user after 24 hours; an erasure that waits already is it", s.eraseUser,
		endpoint.Audited(audit.Account), sure,
		endpoint.Also(409, "you have no second factor, or it is you, the last Admin or somebody who was erased"),
		endpoint.Also(422, "the code is wrong"), endpoint.Also(429, "too many wrong codes"))
	endpoint.Route(s.Server, "DELETE /api/users/{id}/erasure", 204, policy.EraseData, "Cancel an erasure that waits",
		s.cancelErasure, endpoint.Audited(audit.Account), endpoint.Also(404, "none waits: it was cancelled or is done"))
}

type peopleIn struct {
	paging
	Text   string             `param:"text" doc:"each word begins one of the name, a number or the address"`
	Role   policy.RoleName    `param:"system_role" doc:"only those of this role"`
	State  ident.AccountState `param:"state" enum:"" doc:"only accounts that stand so; all but erased ones without it"`
	UnitID int64              `param:"unit_id" doc:"only those who teach or study in this unit"`

	NoFactor bool              `param:"without_second_factor" doc:"only those who may teach or more and have none"`
	Erasing  bool              `param:"erasure" doc:"only those whose erasure waits"`
	Sort     ident.PeopleOrder `param:"sort" enum:"" doc:"by name without it; with a minus the other way round"`
}

func (in peopleIn) search() (s ident.PeopleSearch, err error) {
	s = ident.PeopleSearch{Text: in.Text, State: in.State, UnitID: in.UnitID, NoFactor: in.NoFactor, Erasing: in.Erasing,
		Order: in.Sort}
	if s.Page, err = in.bounded(mostPeople); err != nil {
		return s, err
	}
	if in.Role != "" {
		role, ok := policy.ParseRole(string(in.Role))
		if !ok {
			return s, fault.Field(fault.Invalid, "system_role", "must be Student, Tutor, Convenor or Admin")
		}
		s.Role = role
	}
	return s, nil
}

func (s *Server) listPeople(ctx context.Context, _ *access.Caller, in peopleIn) (l endpoint.List[ident.Person], err error) {
	search, err := in.search()
	if err != nil {
		return l, err
	}
	return view(ctx, s.db, func(q db.Q) (endpoint.List[ident.Person], error) {
		list, total, err := ident.People(ctx, q, search)
		return endpoint.Listed(list, total), err
	})
}

func (s *Server) countPeople(ctx context.Context, _ *access.Caller, _ none) (*ident.PeopleCounts, error) {
	return view(ctx, s.db, func(q db.Q) (*ident.PeopleCounts, error) { return ident.CountPeople(ctx, q) })
}

func (s *Server) getPerson(ctx context.Context, _ *access.Caller, in byID) (*usecase.PersonDetail, error) {
	return s.usecases.Person(ctx, in.ID)
}

func (s *Server) sessionsOf(ctx context.Context, who *access.Caller, in struct {
	byID
	paging
}) (endpoint.List[ident.Session], error) {
	list, err := s.usecases.SessionsOf(ctx, who, in.ID)
	return short(in.paging, list, err)
}

func (s *Server) endSessionsOf(ctx context.Context, who *access.Caller, in byID) (endpoint.NoContent, error) {
	return endpoint.NoContent{}, s.usecases.EndSessionsOf(ctx, who, in.ID)
}

func (s *Server) endSessionOf(ctx context.Context, _ *access.Caller, in struct {
	byID
	SessionID int64 `path:"session_id"`
}) (endpoint.NoContent, error) {
	return endpoint.NoContent{}, s.usecases.EndSessionOf(ctx, in.ID, in.SessionID)
}

func (s *Server) unlockUser(ctx context.Context, _ *access.Caller, in byID) (endpoint.NoContent, error) {
	return endpoint.NoContent{}, s.usecases.UnlockAccount(ctx, in.ID)
}

func (s *Server) inviteAgain(ctx context.Context, _ *access.Caller, in byID) (endpoint.NoContent, error) {
	return endpoint.NoContent{}, s.usecases.InviteAgain(ctx, in.ID)
}

// movedLogin is a login id that moved.
type movedLogin struct {
	LoginID string `json:"login_id"`
	From    int64  `json:"from_user_id" doc:"who had it"`
	To      int64  `json:"to_user_id" doc:"who has it now, or would have it"`
}

func (s *Server) moveLoginID(ctx context.Context, who *access.Caller, in struct {
	byID
	To     int64 `param:"to_user_id,required" doc:"the account that gets it"`
	DryRun bool  `param:"dry_run" doc:"only tell whether it can be"`
}) (*movedLogin, error) {
	moved, err := s.usecases.MoveLoginID(ctx, who, in.ID, in.To, in.DryRun)
	return &movedLogin{moved, in.ID, in.To}, err
}

func (s *Server) planData(ctx context.Context, who *access.Caller, in byID) (*usecase.DataPlan, error) {
	return s.usecases.PlanData(ctx, who, in.ID)
}

// exportLink is where an administrator takes an archive.
type exportLink struct {
	Token     string     `json:"token" doc:"of the link, shown only now"`
	Link      string     `json:"link" doc:"the page that the link leads to"`
	ExpiresAt clock.Time `json:"expires_at" doc:"until when it is good"`
}

func (s *Server) exportPerson(ctx context.Context, who *access.Caller, in struct {
	byID
	codeIn
}) (*exportLink, error) {
	l, err := s.usecases.AskExport(ctx, who, in.ID, in.OTP)
	if err != nil {
		return nil, err
	}
	return &exportLink{l.Token, s.usecases.PublicURL + links.With(links.PersonExport, l.Token), l.ExpiresAt}, nil
}

type exportToken struct {
	Token string `path:"token"`
}

func (s *Server) seeExport(ctx context.Context, who *access.Caller, in exportToken) (*privacy.PersonExport, error) {
	return s.usecases.SeeExport(ctx, who, in.Token)
}

func (s *Server) takeExport(ctx context.Context, who *access.Caller, in exportToken) (*endpoint.File, error) {
	x, err := s.usecases.TakeExport(ctx, who, in.Token)
	if err != nil {
		return nil, err
	}
	return endpoint.FromStore(ctx, s.usecases.Files, x.File(), endpoint.File{Name: x.Username + "-data.zip",
		Type: "application/zip", Attachment: true})
}

func (s *Server) listErasures(ctx context.Context, _ *access.Caller, in paging) (endpoint.List[privacy.Erasure], error) {
	return listed(ctx, s.db, in, func(q db.Q, p db.Page) ([]privacy.Erasure, int64, error) {
		return privacy.Erasures(ctx, q, p)
	})
}

func (s *Server) eraseUser(ctx context.Context, who *access.Caller, in struct {
	byID
	codeIn
	Files bool `param:"files" doc:"also remove what the person uploaded"`
}) (*privacy.Erasure, error) {
	return s.usecases.AskErasure(ctx, who, in.ID, in.Files, in.OTP)
}

func (s *Server) cancelErasure(ctx context.Context, _ *access.Caller, in byID) (endpoint.NoContent, error) {
	return endpoint.NoContent{}, s.usecases.CancelErasure(ctx, in.ID)
}
