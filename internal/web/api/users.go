package api

import (
	"cmp"
	"context"
	"io"
	"iter"

	"lectern/internal/connect/notify"
	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/sheet"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

func (s *Server) userRoutes() {
	taken := endpoint.Also(409, "the username, email, student_id or login_id is taken, or a value is no longer what was seen")
	endpoint.Route(s.Server, "GET /api/users", 200, policy.ListUsers, "List the users", s.listUsers(0))
	endpoint.Route(s.Server, "GET /api/users/tutors", 200, policy.ListUsers, "List those who may teach",
		s.listUsers(policy.Tutor))
	endpoint.Route(s.Server, "GET /api/users/convenors", 200, policy.ListUsers, "List those who may convene",
		s.listUsers(policy.Convenor))
	endpoint.Route(s.Server, "GET /api/users/invitations", 200, policy.SeeInvitations,
		"Tell how far the invitations of imported users are", s.getInvitations)
	endpoint.Route(s.Server, "GET /api/users/{id}", 200, policy.ReadUser, "Get a user", s.getUser)
	endpoint.Route(s.Server, "POST /api/users", 201, policy.CreateUsers, "Create a user", s.addUser,
		endpoint.Audited(audit.Account, audit.Role, audit.Password),
		endpoint.Location("/api/users/{.id}"), taken, endpoint.Also(422, "a name is blank or the email is none"),
		endpoint.Costs(endpoint.Emails))
	endpoint.Route(s.Server, "PUT /api/users/{id}", 200, policy.EditUser, "Change a user", s.changeUser,
		endpoint.Audited(audit.Account, audit.Role),
		taken, endpoint.Also(401, "the old_password is wrong"),
		endpoint.Also(403, "not yours to change, or your own email without the password or a recent sign-in"),
		endpoint.Also(422, "a name is blank or the email is none"),
		endpoint.Asks(policy.ManageAccounts))
	endpoint.Route(s.Server, "POST /api/users/{id}/password_link", 201, policy.ManageAccounts,
		"Make a link by which a user sets a password", s.addPasswordLink,
		endpoint.Audited(audit.Password), endpoint.Also(409, "the account is disabled"))
	endpoint.Route(s.Server, "GET /api/csv/users", 200, policy.ExportUsers, "Export the users as CSV",
		exported(s, "users", s.exportUsers),
		endpoint.Audited(audit.Export), endpoint.Costs(endpoint.Exports), sendsSheet)
	endpoint.Route(s.Server, "POST /api/csv/users", 201, policy.ImportUsers, "Import users from CSV or Excel",
		s.importUsers, endpoint.Also(503, "the service sends no mails, with send_mail"),
		endpoint.Audited(audit.Account, audit.Role),
		endpoint.Uploads(1, sheet.DefaultMaxBytes), endpoint.Costs(endpoint.Imports))
}

func (s *Server) listUsers(atLeast policy.Role) func(context.Context, *access.Caller,
	paging) (endpoint.List[*ident.User], error) {
	return func(ctx context.Context, who *access.Caller, in paging) (l endpoint.List[*ident.User], err error) {
		p, err := in.page()
		if err != nil {
			return l, err
		}
		l.Total = -1
		if p.Asked() {
			if l.Total, err = ident.Count(ctx, s.db.Pool(), atLeast); err != nil {
				return l, err
			}
		}
		l.Rows = seenBy(who, ident.List(ctx, s.db.Pool(), ident.Selection{AtLeast: atLeast, Limit: p.Limit(),
			Offset: p.Offset()}))
		return l, nil
	}
}

func seenBy(who *access.Caller, users iter.Seq2[ident.User, error]) iter.Seq2[*ident.User, error] {
	return func(yield func(*ident.User, error) bool) {
		for u, err := range users {
			if !yield(u.For(who.ID, who.Role), err) {
				return
			}
		}
	}
}

type aboutUser struct {
	ID int64 `path:"id" scope:"user"`
}

func (s *Server) getUser(ctx context.Context, who *access.Caller, in aboutUser) (*ident.User, error) {
	u, err := ident.ByID(ctx, s.db.Pool(), in.ID)
	if err != nil {
		return nil, err
	}
	return s.withTerms(ctx, u.For(who.ID, who.Role))
}

// withTerms adds whether the user has accepted the agreement of the outside similarity
// service.
func (s *Server) withTerms(ctx context.Context, u *ident.User) (_ *ident.User, err error) {
	u.AcceptedTerms, err = s.usecases.Outside.Accepted(ctx, s.db.Pool(), u.ID)
	return u, err
}

type addUserIn struct {
	User struct {
		FirstName  string          `param:"first_name,required"`
		LastName   string          `param:"last_name,required"`
		Email      string          `param:"email,required"`
		Username   string          `param:"username,required"`
		Nickname   string          `param:"nickname,required" doc:"may be empty"`
		SystemRole policy.RoleName `param:"system_role,required" doc:"Student, Tutor, Convenor or Admin"`
		StudentID  string          `param:"student_id"`
		LoginID    string          `param:"login_id" doc:"for administrators; see docs"`
	} `param:"user,required"`
	SendMail bool `param:"send_mail" doc:"also mail them a link by which they set a password"`
}

// addedUser is a new user with the link by which they set a password, which is
// shown only now.
type addedUser struct {
	ident.User
	PasswordLink string `json:"password_link"`
}

func (s *Server) addUser(ctx context.Context, who *access.Caller, in addUserIn) (*addedUser, error) {
	u := in.User
	role, err := parseRole(string(u.SystemRole))
	if err != nil {
		return nil, err
	}
	made, err := s.usecases.AddUser(ctx, who, ident.NewUser{Username: u.Username, Email: u.Email,
		FirstName: u.FirstName, LastName: u.LastName, Nickname: u.Nickname, StudentID: u.StudentID,
		LoginID: u.LoginID, Role: role}, in.SendMail)
	if err != nil {
		return nil, err
	}
	return &addedUser{*made.User, s.passwordLink(made.Token)}, nil
}

func parseRole(name string) (policy.Role, error) {
	r, ok := policy.ParseRole(name)
	if !ok {
		return 0, fault.Field(fault.Invalid, "user[system_role]", "must be Student, Tutor, Convenor or Admin")
	}
	return r, nil
}

type changeUserIn struct {
	ID          int64  `path:"id" scope:"user"`
	OldPassword string `param:"old_password" text:"any" doc:"to change your email 10 minutes after signing in"`
	User        struct {
		FirstName                     params.Opt[string]          `param:"first_name"`
		LastName                      params.Opt[string]          `param:"last_name"`
		Email                         params.Opt[string]          `param:"email" doc:"your own once it confirms"`
		OldPassword                   string                      `param:"old_password" text:"any" doc:"as above"`
		StudentID                     params.Opt[string]          `param:"student_id" null:"clears" doc:"for staff only"`
		LoginID                       params.Opt[string]          `param:"login_id" null:"clears" doc:"for administrators; see docs"`
		Nickname                      params.Opt[string]          `param:"nickname" null:"clears"`
		Pronouns                      params.Opt[string]          `param:"pronouns" null:"clears"`
		SystemRole                    params.Opt[policy.RoleName] `param:"system_role" doc:"passed over on yourself"`
		ReceiveTaskNotifications      params.Opt[bool]            `param:"receive_task_notifications"`
		ReceivePortfolioNotifications params.Opt[bool]            `param:"receive_portfolio_notifications"`
		ReceiveFeedbackNotifications  params.Opt[bool]            `param:"receive_feedback_notifications"`
		OptInToResearch               params.Opt[bool]            `param:"opt_in_to_research" null:"clears"`
		HasRunFirstTimeSetup          params.Opt[bool]            `param:"has_run_first_time_setup"`
		Disabled                      params.Opt[bool]            `param:"disabled" doc:"for administrators; ends sessions"`
	} `param:"user"`
	Seen struct {
		FirstName  params.Opt[string]          `param:"first_name"`
		LastName   params.Opt[string]          `param:"last_name"`
		Email      params.Opt[string]          `param:"email"`
		StudentID  params.Opt[string]          `param:"student_id" null:"clears"`
		LoginID    params.Opt[string]          `param:"login_id" null:"clears"`
		Nickname   params.Opt[string]          `param:"nickname" null:"clears"`
		SystemRole params.Opt[policy.RoleName] `param:"system_role"`
	} `param:"seen" faults:"none" doc:"the user as you saw them; what somebody else changed meanwhile is refused"`
}

func (s *Server) changeUser(ctx context.Context, who *access.Caller, in changeUserIn) (*ident.User, error) {
	c, err := in.change()
	if err != nil {
		return nil, err
	}
	u, err := s.usecases.ChangeAccount(ctx, who, in.ID, c, cmp.Or(in.OldPassword, in.User.OldPassword))
	if err != nil {
		return nil, err
	}
	return s.withTerms(ctx, u.For(who.ID, who.Role))
}

func (in *changeUserIn) change() (ident.Change, error) {
	u := &in.User
	c := ident.Change{FirstName: u.FirstName.Ptr(), LastName: u.LastName.Ptr(), Email: u.Email.Ptr(),
		StudentID: orNone(u.StudentID, ""), LoginID: orNone(u.LoginID, ""), Nickname: orNone(u.Nickname, ""),
		Pronouns:                      orNone(u.Pronouns, ""),
		ReceiveTaskNotifications:      u.ReceiveTaskNotifications.Ptr(),
		ReceivePortfolioNotifications: u.ReceivePortfolioNotifications.Ptr(),
		ReceiveFeedbackNotifications:  u.ReceiveFeedbackNotifications.Ptr(),
		HasRunFirstTimeSetup:          u.HasRunFirstTimeSetup.Ptr(), Disabled: u.Disabled.Ptr()}
	if u.OptInToResearch.Set {
		v := u.OptInToResearch.Ptr()
		c.OptInToResearch = &v
	}
	c.Seen = in.seen()
	if u.SystemRole.Has() {
		r, err := parseRole(string(u.SystemRole.V))
		c.Role = &r
		return c, err
	}
	return c, nil
}

func (in *changeUserIn) seen() *ident.Change {
	s := &in.Seen
	c := &ident.Change{FirstName: s.FirstName.Ptr(), LastName: s.LastName.Ptr(), Email: s.Email.Ptr(),
		StudentID: orNone(s.StudentID, ""), LoginID: orNone(s.LoginID, ""), Nickname: orNone(s.Nickname, "")}
	if r, ok := policy.ParseRole(string(s.SystemRole.V)); ok {
		c.Role = &r
	}
	return c
}

func (s *Server) addPasswordLink(ctx context.Context, _ *access.Caller, in aboutUser) (*linkOut, error) {
	token, until, err := s.usecases.PasswordLink(ctx, in.ID)
	return &linkOut{s.passwordLink(token), until}, err
}

func (s *Server) exportUsers(ctx context.Context, _ *access.Caller, _ none) (*endpoint.File, error) {
	return &endpoint.File{Name: "users.csv", Type: "text/csv; charset=utf-8", Attachment: true,
		Write: func(w io.Writer) error { return ident.Export(ctx, s.db.Pool(), w) }}, nil
}

type importUsersIn struct {
	File   *params.Upload `param:"file,required" doc:"a sheet of users; login_id is for administrators"`
	DryRun bool           `param:"dry_run" doc:"only tell what would happen"`

	SendMail bool `param:"send_mail" doc:"also invite by an email who has not come in yet"`
}

func (s *Server) importUsers(ctx context.Context, who *access.Caller, in importUsersIn) (*ident.Imported, error) {
	return s.withLinks(s.usecases.ImportUsers(ctx, who, importIn{in.File, in.DryRun}.sheet(), in.SendMail))
}

func (s *Server) getInvitations(ctx context.Context, _ *access.Caller, _ none) (*notify.Invitations, error) {
	return notify.InvitationsSoFar(ctx, s.db.Pool())
}
