package admin

import (
	"context"

	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/editing"
	"lectern/internal/web/site/page"
)

func (s *room) activityTypeRoutes() {
	const at, one = links.AdminKinds, links.AdminKind
	page.Show(s.Site, at, policy.SeeSetup, "The activity types", s.kinds)
	page.Show(s.Site, at+"/new", policy.SeeSetup, "A new activity type", s.newKind)
	page.Form(s.Site, at+"/new", policy.EditActivities, "Add an activity type", s.addKind,
		endpoint.Audited(audit.Setting))
	page.Show(s.Site, one, policy.SeeSetup, "An activity type, to be changed", s.editKind)
	page.Form(s.Site, one, policy.EditActivities, "Change an activity type", s.changeKind,
		endpoint.Audited(audit.Setting))
	page.Show(s.Site, one+"/delete", policy.SeeSetup, "Ask before an activity type is deleted", s.askDeleteKind)
	page.Form(s.Site, one+"/delete", policy.EditActivities, "Delete an activity type", s.deleteKind,
		endpoint.Audited(audit.Setting))
}

func (s *room) kinds(ctx context.Context, who *access.Caller, in doneIn) (*page.Page, error) {
	v, err := s.kindList(ctx)
	if err != nil {
		return nil, err
	}
	v.Done = s.done(in)
	return s.Titled(who, "admin-list", s.Word("admin-setup.kinds"), v), nil
}

func (s *room) kindList(ctx context.Context) (*setupList, error) {
	list, err := course.ActivityTypes(ctx, s.DB.Pool())
	v := &setupList{Tabs: s.setupTabs(links.AdminKinds), Path: links.AdminKinds, Icon: page.Icon("presentation"),
		Add: s.Word("kinds.add"), Hint: s.Word("kinds.hint"), Empty: s.Word("kinds.none"),
		Heads: []string{s.Word("kinds.kind"), s.Word("admin-setup.short")}}
	for _, k := range list {
		v.Rows = append(v.Rows, setupRow{ID: k.ID, Name: k.Name, Href: links.To(links.AdminKind, k.ID),
			Cells: []string{k.Abbreviation}})
	}
	return v, err
}

// kindForm is what the fields of an activity type hold, as it is typed.
type kindForm struct {
	Name string `param:"name"`
	Code string `param:"abbreviation"`
}

// read gives the values of f in which it differs from other.
func (f *kindForm) read(other *kindForm) (c course.ActivityTypeChange) {
	r := &editing.Difference{}
	r.Text(&c.Name, f.Name, other.Name)
	r.Text(&c.Abbreviation, f.Code, other.Code)
	return c
}

// kindPage puts the fields of an activity type on a page.
func (s *room) kindPage(e *editing.Record[kindForm], name string) (*recordPage, error) {
	v := &recordPage{Title: s.Word("kinds.add"), Path: links.AdminKinds + "/new", List: links.AdminKinds}
	if e.ID != 0 {
		v.Title, v.Path = name, links.To(links.AdminKind, e.ID)
	}
	v.Fields = []input{
		{Name: "name", Label: s.Word("admin-setup.name"), Value: e.Typed.Name, Need: true},
		{Name: "abbreviation", Label: s.Word("admin-setup.short"), Value: e.Typed.Code, Need: true},
	}
	return v, shown(e, v)
}

func (s *room) newKind(_ context.Context, who *access.Caller, _ struct{}) (*page.Page, error) {
	v, err := s.kindPage(&editing.Record[kindForm]{Words: s.Words}, "")
	if err != nil {
		return nil, err
	}
	return s.record(who, v), nil
}

type addKindIn struct {
	Kind kindForm `param:"record"`
}

func (s *room) addKind(ctx context.Context, who *access.Caller, in addKindIn) (endpoint.Drawing, error) {
	made, err := s.Usecases.AddActivityType(ctx, in.Kind.Name, in.Kind.Code)
	if err == nil {
		return led(links.AdminKinds, "added", made.Name), nil
	}
	return s.kindAgain(who, &editing.Record[kindForm]{Typed: in.Kind}, &course.ActivityType{}, err)
}

func (s *room) editKind(ctx context.Context, who *access.Caller, in oneIn) (*page.Page, error) {
	k, err := course.ActivityTypeByID(ctx, s.DB.Pool(), in.ID)
	if err != nil {
		return nil, err
	}
	e := &editing.Record[kindForm]{ID: in.ID, Fill: true, Words: s.Words}
	e.Hold(kindForm{k.Name, k.Abbreviation})
	v, err := s.kindPage(e, k.Name)
	if err != nil {
		return nil, err
	}
	return s.record(who, v), nil
}

type changeKindIn struct {
	oneIn
	Kind kindForm `param:"record"`
	Seen string   `param:"seen"` // what the fields held when they were read
}

func (s *room) changeKind(ctx context.Context, who *access.Caller, in changeKindIn) (endpoint.Drawing, error) {
	seen, err := editing.Parse[kindForm](in.Seen)
	if err != nil {
		return nil, err
	}
	c, was := in.Kind.read(seen), seen.read(&in.Kind)
	c.Seen = &was
	made, why := s.Usecases.ChangeActivityType(ctx, in.ID, c)
	if why == nil {
		return led(links.AdminKinds, "saved", made.Name), nil
	}
	now, err := course.ActivityTypeByID(ctx, s.DB.Pool(), in.ID)
	if err != nil {
		return nil, err
	}
	return s.kindAgain(who, &editing.Record[kindForm]{ID: in.ID, Typed: in.Kind, Before: seen}, now, why)
}

// kindAgain shows the fields as they were typed with what is wrong.
func (s *room) kindAgain(who *access.Caller, e *editing.Record[kindForm], is *course.ActivityType,
	why error) (endpoint.Drawing, error) {
	e.Words = s.Words
	e.Now = func(field string) string {
		if field == "name" {
			return is.Name
		}
		return is.Abbreviation
	}
	return again(s, who, e, why, kindForm{is.Name, is.Abbreviation},
		func() (*recordPage, error) { return s.kindPage(e, is.Name) })
}

// askDeleteKind asks, or says what uses the activity type.
func (s *room) askDeleteKind(ctx context.Context, who *access.Caller, in oneIn) (*page.Page, error) {
	var k *course.ActivityType
	var streams int64
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if k, err = course.ActivityTypeByID(ctx, q, in.ID); err != nil {
			return err
		}
		streams, err = course.ActivityTypeUses(ctx, q, in.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	if streams > 0 {
		return s.keeps(who, s.Word("kinds.used-title"), kept{About: k.Name, Back: links.AdminKinds, Go: s.Word("kinds.back"),
			Text: s.Word("kinds.used", streams)}), nil
	}
	return s.Ask(who, s.Word("kinds.delete"), page.Question{About: k.Name, Text: s.Word("kinds.ask"),
		Action: links.To(links.AdminKind, in.ID) + "/delete", Do: s.Word("kinds.delete"), Back: links.AdminKinds}), nil
}

func (s *room) deleteKind(ctx context.Context, who *access.Caller, in oneIn) (endpoint.Drawing, error) {
	k, err := course.ActivityTypeByID(ctx, s.DB.Pool(), in.ID)
	if err != nil {
		return nil, err
	}
	if why := s.Usecases.DeleteActivityType(ctx, in.ID); why != nil {
		v, err := s.kindList(ctx)
		if err != nil {
			return nil, err
		}
		return s.Again(s.Refusal(who, "admin-list", s.Word("admin-setup.kinds"), v), why)
	}
	return led(links.AdminKinds, "deleted", k.Name), nil
}
