package unit

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strconv"

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

// aMember is where a student is put into a group of a set, or taken out.
const aMember = links.GroupSetEditor + "/members/{project_id}"

func (s *room) groupMemberRoutes() {
	page.Show(s.Site, aMember, policy.ExportGroups, "Choose the group of a student", s.chooseGroup, groupAsks)
	page.Form(s.Site, aMember, policy.EditGroupSets, "Put a student into a group, into another, or out of theirs",
		s.moveMember, groupAsks, endpoint.Audited(audit.Group))
}

type oneMember struct {
	oneSet
	ProjectID int64 `path:"project_id" scope:"project"`
}

func (in oneMember) path() string {
	return in.oneSet.path() + "/members/" + strconv.FormatInt(in.ProjectID, 10)
}

// groupChoicePage is where the group of a student is chosen.
type groupChoicePage struct {
	Student *enrol.Placed
	Set     enrol.SetChoice
	Groups  []taskChoice
	At      string // where the form is sent to
	Back    string
	Classed bool // groups of tutorials that the student is not in are left out
}

func (s *room) chooseGroup(ctx context.Context, who *access.Caller, in struct {
	oneMember
	boardIn
}) (*page.Page, error) {
	in.clean()
	v := &groupChoicePage{At: taskAddress(in.path(), in.query()), Back: in.at(in.boardIn, nil)}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Student, err = enrol.PlaceOf(ctx, q, in.UnitID, in.SetID, in.ProjectID); err != nil {
			return err
		}
		sets, err := enrol.GroupChoicesOf(ctx, q, in.UnitID, in.ProjectID, true)
		if i := slices.IndexFunc(sets, func(c enrol.SetChoice) bool { return c.ID == in.SetID }); i >= 0 {
			v.Set = sets[i]
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	v.choose(s)
	return s.Titled(who, "group-move", s.Word("group-setup.move-title", v.Student.Name()), v), nil
}

// choose lists the groups that take the student, those of a tutorial beside each other.
func (v *groupChoicePage) choose(s *room) {
	list := slices.Clone(v.Set.Groups)
	slices.SortStableFunc(list, func(a, b enrol.GroupChoice) int { return cmp.Compare(a.Tutorial, b.Tutorial) })
	for _, g := range list {
		if g.Why != nil {
			v.Classed = v.Classed || fault.Is(g.Why, fault.Refused)
			continue
		}
		text := s.Word("group-setup.option", g.Name, g.Tutorial, g.StudentCount)
		if g.Places != nil {
			text = s.Word("group-setup.option-of", g.Name, g.Tutorial, g.StudentCount, *g.Places)
		}
		v.Groups = append(v.Groups, taskChoice{Value: strconv.FormatInt(g.ID, 10), Text: text})
	}
}

// moveIn is what a drag, a key or the form of a student sends.
type moveIn struct {
	oneMember
	boardIn
	Group  int64 `param:"group_id"` // 0: in none
	Seen   int64 `param:"seen"`     // the group the student was seen in, 0: in none
	Exceed bool  `param:"exceed"`   // a full group takes them, too
}

// fullGroup is a group that had no place for a student.
type fullGroup struct{ ProjectID, GroupID, Seen int64 }

func (s *room) moveMember(ctx context.Context, who *access.Caller, in moveIn) (endpoint.Drawing, error) {
	in.clean()
	v := &boardPage{boardIn: in.boardIn}
	err := s.putInto(ctx, who, in)
	if err == nil {
		return endpoint.Redirect{To: in.at(in.boardIn, url.Values{"done": {"moved"},
			"about": {strconv.FormatInt(in.ProjectID, 10)}, "from": {strconv.FormatInt(in.Seen, 10)}})}, nil
	}
	if enrol.Full(err) {
		v.Full = &fullGroup{in.ProjectID, in.Group, in.Seen}
	}
	return s.boardAgain(ctx, who, in.oneSet, v, err)
}

// putInto changes the group of a student.
func (s *room) putInto(ctx context.Context, who *access.Caller, in moveIn) error {
	m := usecase.Membership{SetID: in.SetID, GroupID: in.Group, ProjectID: in.ProjectID, Within: !in.Exceed,
		Seen: &in.Seen}
	if in.Group == 0 {
		m.GroupID = in.Seen
		return s.Usecases.LeaveGroup(ctx, m)
	}
	_, err := s.Usecases.JoinGroup(ctx, who, m)
	return err
}
