package student

import (
	"context"
	"fmt"
	"slices"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/enrol"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

func (s *room) groupRoutes() {
	const set = "/projects/{project_id}/groups/{group_set_id}"
	asks := endpoint.Asks(policy.ReadUnit, policy.ListGroups, policy.ListStudents, policy.OverfillGroup,
		policy.CreateGroups, policy.ChangeGroup, policy.EditGroup, policy.ReadMembers, policy.SteerGroup)
	audited := endpoint.Audited(audit.Group)
	page.Show(s.Site, links.Groups, policy.ReadProject, "Groups", s.groups, asks)
	page.Form(s.Site, set, policy.CreateGroups, "Make a group", s.createGroup, asks, audited)
	page.Form(s.Site, set+"/{group_id}/join", policy.ChangeGroup, "Join a group", s.joinGroup, asks, audited)
	page.Show(s.Site, set+"/{group_id}/leave", policy.ChangeGroup, "Ask whether to leave a group", s.askToLeave, asks)
	page.Form(s.Site, set+"/{group_id}/leave", policy.ChangeGroup, "Leave a group", s.leaveGroup, asks, audited)
	page.Form(s.Site, set+"/{group_id}/rename", policy.EditGroup, "Rename a group", s.renameGroup, asks, audited)
}

// groupsPage shows the sets of groups of a unit and what a student can do in them.
type groupsPage struct {
	Project *enrol.ProjectDetail
	Path    string
	Sets    []usecase.GroupSetChoice
	IsOwner bool  // the caller is the student, who joins the group they make
	In      int64 // the set whose form was refused
	Name    string
}

type groupsIn struct {
	ID int64 `path:"id" scope:"project"`
}

func (s *room) groups(ctx context.Context, who *access.Caller, in groupsIn) (*page.Page, error) {
	v := &groupsPage{Path: links.To(links.Groups, in.ID), IsOwner: who.ID == who.OwnerID}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Project, err = usecase.ProjectRecord(ctx, q, who, in.ID); err == nil {
			v.Sets, err = usecase.GroupChoices(ctx, q, who, in.ID)
		}
		return err
	})
	return s.Page(who, "groups", v), err
}

type inSet struct {
	ProjectID int64  `path:"project_id" scope:"project"`
	SetID     int64  `path:"group_set_id" scope:"group_set"`
	Name      string `param:"name"`
}

// groupChanged leads back to the page, or draws it with what was wrong and what was
// typed.
func (s *room) groupChanged(ctx context.Context, who *access.Caller, in inSet, err error) (endpoint.Drawing, error) {
	if err == nil {
		return endpoint.Redirect{To: links.To(links.Groups, in.ProjectID)}, nil
	}
	p, drawn := s.groups(ctx, who, groupsIn{in.ProjectID})
	if drawn != nil {
		return nil, drawn
	}
	v := p.Data.(*groupsPage)
	v.In, v.Name = in.SetID, in.Name
	return s.Again(p, err)
}

func (s *room) createGroup(ctx context.Context, who *access.Caller, in struct {
	inSet
	TutorialID int64 `param:"tutorial_id,required"`
}) (endpoint.Drawing, error) {
	_, err := s.Usecases.CreateGroup(ctx, who, in.SetID, enrol.NewGroup{Name: in.Name, TutorialID: in.TutorialID})
	return s.groupChanged(ctx, who, in.inSet, err)
}

type inGroup struct {
	inSet
	GroupID int64 `path:"group_id" scope:"group"`
}

func (in inGroup) membership() usecase.Membership {
	return usecase.Membership{SetID: in.SetID, GroupID: in.GroupID, ProjectID: in.ProjectID}
}

func (s *room) joinGroup(ctx context.Context, who *access.Caller, in inGroup) (endpoint.Drawing, error) {
	_, err := s.Usecases.JoinGroup(ctx, who, in.membership())
	return s.groupChanged(ctx, who, in.inSet, err)
}

// askToLeave is what stands between a student and the loss of their place.
func (s *room) askToLeave(ctx context.Context, who *access.Caller, in inGroup) (*page.Page, error) {
	var sets []usecase.GroupSetChoice
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		sets, err = usecase.GroupChoices(ctx, q, who, in.ProjectID)
		return err
	})
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(sets, func(c usecase.GroupSetChoice) bool { return c.Own != nil && c.Own.ID == in.GroupID })
	if at < 0 {
		return nil, fault.New(fault.Missing, "the student is not in this group")
	}
	back := links.To(links.Groups, in.ProjectID)
	return s.Ask(who, s.Word("groups.leave-ask"), page.Question{About: sets[at].Own.Name,
		Text: s.Word("groups.leave-about"), Do: s.Word("groups.leave"), Back: back,
		Action: fmt.Sprintf("%s/%d/%d/leave", back, in.SetID, in.GroupID)}), nil
}

func (s *room) leaveGroup(ctx context.Context, who *access.Caller, in inGroup) (endpoint.Drawing, error) {
	return s.groupChanged(ctx, who, in.inSet, s.Usecases.LeaveGroup(ctx, in.membership()))
}

func (s *room) renameGroup(ctx context.Context, who *access.Caller, in inGroup) (endpoint.Drawing, error) {
	_, err := s.Usecases.ChangeGroup(ctx, who, in.SetID, in.GroupID, enrol.GroupChange{Name: &in.Name})
	return s.groupChanged(ctx, who, in.inSet, err)
}
