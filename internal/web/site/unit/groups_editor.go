package unit

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/enrol"
	"lectern/internal/teaching/trash"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/editing"
	"lectern/internal/web/site/page"
)

// aGroup is where a group of a set is changed.
const aGroup = links.GroupSetEditor + "/groups/{group_id}"

func (s *room) groupEditorRoutes() {
	audited := endpoint.Audited(audit.Group)
	page.Show(s.Site, links.GroupSetEditor+"/groups/new", policy.ExportGroups, "A new group of a set",
		s.newGroup, groupAsks)
	page.Form(s.Site, links.GroupSetEditor+"/groups/new", policy.EditGroupSets, "Add a group to a set", s.addGroup,
		groupAsks, audited)
	page.Show(s.Site, aGroup, policy.ExportGroups, "A group, to be changed", s.editGroup, groupAsks)
	page.Form(s.Site, aGroup, policy.EditGroupSets, "Change a group", s.changeGroup, groupAsks, audited)
	page.Form(s.Site, aGroup+"/lock", policy.EditGroupSets, "Lock a group, or unlock it", s.lockGroup, groupAsks, audited)
	page.Show(s.Site, aGroup+"/delete", policy.ExportGroups, "Ask before a group is deleted", s.askDeleteGroup)
	page.Form(s.Site, aGroup+"/delete", policy.DeleteWork, "Delete a group; it can be restored", s.deleteGroup,
		endpoint.Asks(policy.SteerGroup), audited)
}

// groupForm is what the fields of a group hold, as it is typed.
type groupForm struct {
	Name       string `param:"name"`
	Tutorial   string `param:"tutorial_id"`
	Adjustment string `param:"capacity_adjustment"`
	Locked     bool   `param:"locked"`
}

func formOfGroup(g *enrol.Group) groupForm {
	return groupForm{Name: g.Name, Tutorial: strconv.FormatInt(g.TutorialID, 10),
		Adjustment: strconv.FormatInt(g.CapacityAdjustment, 10), Locked: g.Locked}
}

// read gives the values of f in which it differs from other; without another all.
func (f *groupForm) read(other *groupForm) (enrol.GroupChange, error) {
	r := &editing.Difference{All: other == nil}
	if other == nil {
		other = &groupForm{}
	}
	var c enrol.GroupChange
	r.Text(&c.Name, f.Name, other.Name)
	r.Whole("tutorial_id", &c.TutorialID, f.Tutorial, other.Tutorial)
	r.Flag(&c.Locked, f.Locked, other.Locked)
	typed := f.Adjustment
	if strings.TrimSpace(typed) == "" {
		typed = "0"
	}
	r.Whole("capacity_adjustment", &c.CapacityAdjustment, typed, other.Adjustment)
	if n := c.CapacityAdjustment; n != nil && (*n < -1000 || *n > 1000) {
		r.Wrong.Add("capacity_adjustment", "must be from -1000 to 1000")
	}
	return c, r.Wrong.Err(fault.Refused)
}

// groupEditor is the fields of a group.
type groupEditor struct {
	editing.Record[groupForm]
	Set     *enrol.GroupSet
	group   *enrol.Group // nil: it is new
	path    string
	classes []enrol.ClassName
}

func (e *groupEditor) open(v *boardPage) error {
	e.Words, e.classes, e.Set = v.words, v.Classes, v.Set
	if e.ID == 0 {
		e.path = v.Path() + "/groups/new"
		first := v.Tutorial
		if first == "" && len(v.Classes) > 0 {
			first = strconv.FormatInt(v.Classes[0].ID, 10)
		}
		e.Hold(groupForm{Tutorial: first, Adjustment: "0"})
		return nil
	}
	e.path = v.Path() + "/groups/" + strconv.FormatInt(e.ID, 10)
	e.Now = func(name string) string { return e.value(e.group, name) }
	e.Hold(formOfGroup(e.group))
	return nil
}

// value tells what a group has of a field.
func (e *groupEditor) value(g *enrol.Group, name string) string {
	switch name {
	case "name":
		return g.Name
	case "tutorial_id":
		for _, c := range e.classes {
			if c.ID == g.TutorialID {
				return c.Abbreviation
			}
		}
	case "locked":
		return e.Flag(g.Locked)
	}
	return strconv.FormatInt(g.CapacityAdjustment, 10)
}

// TutorialOptions are the tutorials that a group may be in.
func (e *groupEditor) TutorialOptions() (list []taskChoice) {
	for _, c := range e.classes {
		list = append(list, taskOption(strconv.FormatInt(c.ID, 10), c.Abbreviation, e.Typed.Tutorial))
	}
	return list
}

// MovesHint says that members move with their group.
func (e *groupEditor) MovesHint() string {
	if e.ID == 0 || !e.Set.KeepGroupsInSameClass {
		return ""
	}
	return e.Words.Word("group-setup.moves-hint")
}

// PlacesHint says what the places are that are added to.
func (e *groupEditor) PlacesHint() string {
	if e.Set.Capacity == nil {
		return e.Words.Word("group-setup.adjustment-none")
	}
	return e.Words.Word("group-setup.adjustment-hint", *e.Set.Capacity)
}

// Path is where the form is sent to.
func (e *groupEditor) Path() string { return e.path }

// Title is that of the fields.
func (e *groupEditor) Title() string {
	if e.group == nil {
		return e.Words.Word("group-setup.new-group")
	}
	return e.group.Name
}

// oneGroup names a group of a set.
type oneGroup struct {
	oneSet
	GroupID int64 `path:"group_id" scope:"group"`
}

func (in oneGroup) path() string {
	return in.oneSet.path() + "/groups/" + strconv.FormatInt(in.GroupID, 10)
}

// onBoard is the board that something is done on.
type onBoard struct {
	oneSet
	boardIn
}

func (s *room) newGroup(ctx context.Context, who *access.Caller, in onBoard) (*page.Page, error) {
	return s.showBoard(ctx, who, in.oneSet, &boardPage{boardIn: in.boardIn,
		OfGroup: &groupEditor{Record: editing.Record[groupForm]{Fill: true}}})
}

func (s *room) editGroup(ctx context.Context, who *access.Caller, in struct {
	oneGroup
	boardIn
}) (*page.Page, error) {
	g, err := enrol.GroupByID(ctx, s.DB.Pool(), in.GroupID)
	if err != nil {
		return nil, err
	}
	return s.showBoard(ctx, who, in.oneSet, &boardPage{boardIn: in.boardIn,
		OfGroup: &groupEditor{group: g, Record: editing.Record[groupForm]{ID: in.GroupID, Fill: true}}})
}

func (s *room) addGroup(ctx context.Context, who *access.Caller, in struct {
	onBoard
	Group groupForm `param:"group"`
}) (endpoint.Drawing, error) {
	c, err := in.Group.read(nil)
	if err == nil {
		var g *enrol.Group
		if g, err = s.Usecases.CreateGroup(ctx, who, in.SetID, enrol.NewGroup{Name: *c.Name, TutorialID: *c.TutorialID,
			CapacityAdjustment: *c.CapacityAdjustment}); err == nil {
			return endpoint.Redirect{To: in.at(in.boardIn, url.Values{"done": {"saved"}}) + "#group-" +
				strconv.FormatInt(g.ID, 10)}, nil
		}
	}
	return s.groupAgain(ctx, who, in.onBoard, &groupEditor{Record: editing.Record[groupForm]{Typed: in.Group}}, err)
}

func (s *room) changeGroup(ctx context.Context, who *access.Caller, in struct {
	oneGroup
	boardIn
	Group groupForm `param:"group"`
	Seen  string    `param:"seen"`
}) (endpoint.Drawing, error) {
	seen, err := editing.Parse[groupForm](in.Seen)
	if err != nil {
		return nil, err
	}
	c, err := in.Group.read(seen)
	if err == nil {
		// The fields were read on our own pages, so what is no value in them is no mistake of the reader.
		was, _ := seen.read(&in.Group)
		c.Seen = &was
		if _, err = s.Usecases.ChangeGroup(ctx, who, in.SetID, in.GroupID, c); err == nil {
			return endpoint.Redirect{To: in.at(in.boardIn, url.Values{"done": {"saved"}}) + "#group-" +
				strconv.FormatInt(in.GroupID, 10)}, nil
		}
	}
	return s.groupAgain(ctx, who, onBoard{in.oneSet, in.boardIn},
		&groupEditor{Record: editing.Record[groupForm]{ID: in.GroupID, Typed: in.Group, Before: seen}}, err)
}

func (s *room) groupAgain(ctx context.Context, who *access.Caller, in onBoard, e *groupEditor,
	why error) (endpoint.Drawing, error) {
	var now groupForm
	if e.ID != 0 {
		g, err := enrol.GroupByID(ctx, s.DB.Pool(), e.ID)
		if err != nil {
			return nil, err
		}
		e.group, now = g, formOfGroup(g)
	}
	v := &boardPage{boardIn: in.boardIn, OfGroup: e}
	if err := s.readBoard(ctx, who, in.oneSet, v); err != nil {
		return nil, err
	}
	return editing.Again(s.Site, s.Refusal(who, "group-setup", e.Title(), v), &e.Record, why, now)
}

func (s *room) lockGroup(ctx context.Context, who *access.Caller, in struct {
	oneGroup
	boardIn
	Locked bool `param:"locked"`
}) (endpoint.Drawing, error) {
	_, err := s.Usecases.ChangeGroup(ctx, who, in.SetID, in.GroupID, enrol.GroupChange{Locked: &in.Locked})
	if err != nil {
		return nil, err
	}
	return endpoint.Redirect{To: in.at(in.boardIn, nil) + "#group-" + strconv.FormatInt(in.GroupID, 10)}, nil
}

// askDeleteGroup says what goes with a group.
func (s *room) askDeleteGroup(ctx context.Context, who *access.Caller, in oneGroup) (*page.Page, error) {
	var g *enrol.Group
	var work *trash.Work
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if g, err = enrol.GroupByID(ctx, q, in.GroupID); err == nil {
			work, err = trash.WorkOf(ctx, q, trash.Thing{Kind: trash.Group, ID: in.GroupID})
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	text := []string{s.Word("group-setup.delete-members", g.StudentCount)}
	if work.Students > 0 {
		text = append(text, s.Word("group-setup.delete-work", work.Students))
	}
	text = append(text, s.Word("group-setup.delete-kept"))
	return s.Ask(who, s.Word("group-setup.delete-group"), page.Question{About: g.Name, Text: strings.Join(text, " "),
		Action: in.path() + "/delete", Do: s.Word("group-setup.delete-group"), Back: in.oneSet.path()}), nil
}

func (s *room) deleteGroup(ctx context.Context, who *access.Caller, in oneGroup) (endpoint.Drawing, error) {
	if err := s.Usecases.DeleteGroup(ctx, who, in.SetID, in.GroupID, true); err != nil {
		return nil, err
	}
	return endpoint.Redirect{To: in.at(boardIn{}, url.Values{"done": {"deleted"},
		"about": {strconv.FormatInt(in.GroupID, 10)}})}, nil
}
