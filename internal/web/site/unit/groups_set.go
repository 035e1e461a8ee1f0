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

func (s *room) groupSetRoutes() {
	page.Show(s.Site, links.GroupSetup+"/new", policy.ExportGroups, "A new set of groups", s.newSet, groupAsks)
	page.Form(s.Site, links.GroupSetup+"/new", policy.EditGroupSets, "Add a set of groups to a unit", s.addSet,
		groupAsks, endpoint.Audited(audit.Group))
	page.Show(s.Site, links.GroupSetEditor+"/edit", policy.ExportGroups, "A set of groups, to be changed", s.editSet,
		groupAsks)
	page.Form(s.Site, links.GroupSetEditor+"/edit", policy.EditGroupSets, "Change a set of groups", s.changeSet,
		groupAsks, endpoint.Audited(audit.Group))
	page.Show(s.Site, links.GroupSetEditor+"/delete", policy.ExportGroups, "Ask before a set of groups is deleted",
		s.askDeleteSet)
	page.Form(s.Site, links.GroupSetEditor+"/delete", policy.DeleteWork,
		"Delete a set of groups with all of them; it can be restored", s.deleteSet, endpoint.Audited(audit.Group))
	page.Form(s.Site, links.GroupSetup+"/restore", policy.DeleteWork, "Restore groups of a unit that were deleted",
		s.restoreGroups, groupAsks, endpoint.Audited(audit.Group, audit.Definition))
}

// setForm is what the fields of a set hold, as it is typed.
type setForm struct {
	Name     string `param:"name"`
	Create   bool   `param:"allow_students_to_create_groups"`
	Manage   bool   `param:"allow_students_to_manage_groups"`
	Keep     bool   `param:"keep_groups_in_same_class"`
	Capacity string `param:"capacity"`
	Locked   bool   `param:"locked"`
}

func formOfSet(g *enrol.GroupSet) setForm {
	return setForm{Name: g.Name, Create: g.StudentsCreateGroups, Manage: g.StudentsManageGroups,
		Keep: g.KeepGroupsInSameClass, Capacity: taskNumber(g.Capacity), Locked: g.Locked}
}

// read gives the values of f in which it differs from other; without another all.
func (f *setForm) read(other *setForm) (enrol.GroupSetChange, error) {
	r := &editing.Difference{All: other == nil}
	if other == nil {
		other = &setForm{}
	}
	var c enrol.GroupSetChange
	r.Text(&c.Name, f.Name, other.Name)
	r.Flag(&c.StudentsCreate, f.Create, other.Create)
	r.Flag(&c.StudentsManage, f.Manage, other.Manage)
	r.Flag(&c.KeepInClass, f.Keep, other.Keep)
	r.Flag(&c.Lock, f.Locked, other.Locked)
	if strings.TrimSpace(f.Capacity) == "" {
		if r.Differs("", other.Capacity) {
			c.Capacity = new(int64) // no limit
		}
	} else if r.Whole("capacity", &c.Capacity, f.Capacity, other.Capacity); c.Capacity != nil && *c.Capacity == 0 {
		r.Wrong.Add("capacity", "must be 2 or more; leave it empty for no limit")
	}
	return c, r.Wrong.Err(fault.Refused)
}

// setEditor is the fields of a set.
type setEditor struct {
	editing.Record[setForm]
	Delete string // asks before it is deleted
	path   string
}

func (e *setEditor) open(v *boardPage) {
	e.Words = v.words
	if e.ID == 0 {
		e.path = v.List() + "/new"
		e.Hold(setForm{Create: true, Manage: true})
		return
	}
	e.path, e.Delete = v.Path()+"/edit", v.Path()+"/delete"
	e.Now = func(name string) string { return e.value(v.Set, name) }
	e.Hold(formOfSet(v.Set))
}

// value tells what a set has of a field.
func (e *setEditor) value(g *enrol.GroupSet, name string) string {
	switch name {
	case "name":
		return g.Name
	case "capacity":
		if g.Capacity == nil {
			return e.Words.Word("group-setup.no-limit")
		}
		return taskNumber(g.Capacity)
	case "locked":
		return e.Flag(g.Locked)
	case "keep_groups_in_same_class":
		return e.Flag(g.KeepGroupsInSameClass)
	case "allow_students_to_create_groups":
		return e.Flag(g.StudentsCreateGroups)
	}
	return e.Flag(g.StudentsManageGroups)
}

// Path is where the form is sent to.
func (e *setEditor) Path() string { return e.path }

// Title is that of the fields.
func (e *setEditor) Title() string {
	if e.ID == 0 {
		return e.Words.Word("group-setup.new-set")
	}
	return e.Words.Word("group-setup.edit-set")
}

func (s *room) newSet(ctx context.Context, who *access.Caller, in unitSets) (*page.Page, error) {
	blank := &setEditor{Record: editing.Record[setForm]{Fill: true}}
	return s.showBoard(ctx, who, oneSet{UnitID: in.ID}, &boardPage{OfSet: blank})
}

func (s *room) editSet(ctx context.Context, who *access.Caller, in oneSet) (*page.Page, error) {
	e := &setEditor{Record: editing.Record[setForm]{ID: in.SetID, Fill: true}}
	return s.showBoard(ctx, who, in, &boardPage{OfSet: e})
}

func (s *room) addSet(ctx context.Context, who *access.Caller, in struct {
	unitSets
	Set setForm `param:"group_set"`
}) (endpoint.Drawing, error) {
	c, err := in.Set.read(nil)
	if err == nil {
		var g *enrol.GroupSet
		if g, err = s.Usecases.AddGroupSet(ctx, in.ID, c); err == nil {
			return endpoint.Redirect{To: links.To(links.GroupSetEditor, in.ID, g.ID) + "?done=saved"}, nil
		}
	}
	return s.setAgain(ctx, who, oneSet{UnitID: in.ID}, &setEditor{Record: editing.Record[setForm]{Typed: in.Set}}, err)
}

func (s *room) changeSet(ctx context.Context, who *access.Caller, in struct {
	oneSet
	Set  setForm `param:"group_set"`
	Seen string  `param:"seen"`
}) (endpoint.Drawing, error) {
	seen, err := editing.Parse[setForm](in.Seen)
	if err != nil {
		return nil, err
	}
	c, err := in.Set.read(seen)
	if err == nil {
		// The fields were read on our own pages, so what is no value in them is no mistake of the reader.
		was, _ := seen.read(&in.Set)
		c.Seen = &was
		if _, err = s.Usecases.ChangeGroupSet(ctx, in.SetID, c); err == nil {
			return endpoint.Redirect{To: in.path() + "?done=saved"}, nil
		}
	}
	return s.setAgain(ctx, who, in.oneSet,
		&setEditor{Record: editing.Record[setForm]{ID: in.SetID, Typed: in.Set, Before: seen}},
		err)
}

func (s *room) setAgain(ctx context.Context, who *access.Caller, in oneSet, e *setEditor,
	why error) (endpoint.Drawing, error) {
	v := &boardPage{OfSet: e}
	if err := s.readBoard(ctx, who, in, v); err != nil {
		return nil, err
	}
	var now setForm
	if e.ID != 0 {
		now = formOfSet(v.Set)
	}
	return editing.Again(s.Site, s.Refusal(who, "group-setup", e.Title(), v), &e.Record, why, now)
}

// askDeleteSet says what goes with a set.
func (s *room) askDeleteSet(ctx context.Context, who *access.Caller, in oneSet) (*page.Page, error) {
	var set *enrol.GroupSet
	var holds *enrol.SetContent
	var work *trash.Work
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if set, err = enrol.GroupSetByID(ctx, q, in.SetID); err != nil {
			return err
		}
		if holds, err = enrol.ContentOf(ctx, q, in.SetID); err != nil {
			return err
		}
		work, err = trash.WorkOf(ctx, q, trash.Thing{Kind: trash.GroupSet, ID: in.SetID})
		return err
	})
	if err != nil {
		return nil, err
	}
	text := []string{s.Word("group-setup.delete-groups", holds.Groups),
		s.Word("group-setup.delete-members", holds.Members)}
	if len(holds.Tasks) > 0 {
		text = append(text, s.Word("group-setup.delete-tasks", strings.Join(holds.Tasks, ", ")))
	}
	if work.Students > 0 {
		text = append(text, s.Word("group-setup.delete-work", work.Students))
	}
	text = append(text, s.Word("group-setup.delete-kept"))
	return s.Ask(who, s.Word("group-setup.delete-set"), page.Question{About: set.Name, Text: strings.Join(text, " "),
		Action: in.path() + "/delete", Do: s.Word("group-setup.delete-set"), Back: in.path()}), nil
}

func (s *room) deleteSet(ctx context.Context, who *access.Caller, in oneSet) (endpoint.Drawing, error) {
	if err := s.Usecases.DeleteGroupSet(ctx, who, in.SetID, true); err != nil {
		return nil, err
	}
	return endpoint.Redirect{To: links.To(links.GroupSetup, in.UnitID) + "?" + url.Values{"done": {"deleted"},
		"about": {strconv.FormatInt(in.SetID, 10)}}.Encode()}, nil
}

func (s *room) restoreGroups(ctx context.Context, who *access.Caller, in struct {
	unitSets
	Deletion int64 `param:"deletion"`
}) (endpoint.Drawing, error) {
	d, err := s.Usecases.RestoreDeleted(ctx, who, in.ID, in.Deletion)
	if err != nil {
		return s.boardAgain(ctx, who, oneSet{UnitID: in.ID}, &boardPage{}, err)
	}
	to := links.To(links.GroupSetup, in.ID)
	switch d.Kind {
	case trash.GroupSet:
		to = links.To(links.GroupSetEditor, in.ID, d.RecordID)
	case trash.Group:
		g, err := enrol.GroupByID(ctx, s.DB.Pool(), d.RecordID)
		if err != nil {
			return nil, err
		}
		to = links.To(links.GroupSetEditor, in.ID, g.GroupSetID)
	}
	return endpoint.Redirect{To: to + "?done=restored"}, nil
}
