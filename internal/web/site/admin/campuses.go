package admin

import (
	"context"
	"net/url"

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

func (s *room) campusRoutes() {
	const at, one = links.AdminCampuses, links.AdminCampus
	page.Show(s.Site, at, policy.SeeSetup, "The campuses", s.campuses)
	page.Show(s.Site, at+"/new", policy.SeeSetup, "A new campus", s.newCampus)
	page.Form(s.Site, at+"/new", policy.EditCampuses, "Add a campus", s.addCampus, endpoint.Audited(audit.Setting))
	page.Show(s.Site, one, policy.SeeSetup, "A campus, to be changed", s.editCampus)
	page.Form(s.Site, one, policy.EditCampuses, "Change a campus", s.changeCampus, endpoint.Audited(audit.Setting))
	page.Show(s.Site, one+"/delete", policy.SeeSetup, "Ask before a campus is deleted", s.askDeleteCampus)
	page.Form(s.Site, one+"/delete", policy.EditCampuses, "Delete a campus", s.deleteCampus,
		endpoint.Audited(audit.Setting))
}

type oneIn struct {
	ID int64 `path:"id"`
}

// led leads to a list and says there what was done.
func led(list, done, about string) endpoint.Redirect {
	return endpoint.Redirect{To: list + "?" + url.Values{"done": {done}, "about": {about}}.Encode()}
}

func (s *room) campuses(ctx context.Context, who *access.Caller, in doneIn) (*page.Page, error) {
	v, err := s.campusList(ctx)
	if err != nil {
		return nil, err
	}
	v.Done = s.done(in)
	return s.Titled(who, "admin-list", s.Word("admin-setup.campuses"), v), nil
}

func (s *room) campusList(ctx context.Context) (*setupList, error) {
	list, err := course.Campuses(ctx, s.DB.Pool())
	v := &setupList{Tabs: s.setupTabs(links.AdminCampuses), Path: links.AdminCampuses, Icon: page.Icon("map-pin"),
		Add: s.Word("campuses.add"), Hint: s.Word("campuses.hint"), Empty: s.Word("campuses.none"),
		Heads: []string{s.Word("campuses.campus"), s.Word("campuses.mode")}}
	for _, c := range list {
		row := setupRow{ID: c.ID, Name: c.Name, Href: links.To(links.AdminCampus, c.ID), Short: c.Abbreviation,
			Cells: []string{s.campusMode(c.Mode)}}
		if !c.Active {
			row.Off = s.Word("campuses.inactive")
		}
		v.Rows = append(v.Rows, row)
	}
	return v, err
}

// campusMode says how students get their tutorials at a campus.
func (s *room) campusMode(m course.CampusMode) string {
	switch m {
	case "timetable":
		return s.Word("campuses.timetable")
	case "automatic":
		return s.Word("campuses.automatic")
	}
	return s.Word("campuses.manual")
}

// campusForm is what the fields of a campus hold, as it is typed.
type campusForm struct {
	Name   string `param:"name"`
	Code   string `param:"abbreviation"`
	Mode   string `param:"mode"`
	Active bool   `param:"active"`
}

func formOfCampus(c *course.Campus) campusForm {
	return campusForm{c.Name, c.Abbreviation, string(c.Mode), c.Active}
}

// read gives the values of f in which it differs from other.
func (f *campusForm) read(other *campusForm) (c course.CampusChange) {
	r := &editing.Difference{}
	r.Text(&c.Name, f.Name, other.Name)
	r.Text(&c.Abbreviation, f.Code, other.Code)
	var mode *string
	if r.Text(&mode, f.Mode, other.Mode); mode != nil {
		c.Mode = (*course.CampusMode)(mode)
	}
	r.Flag(&c.Active, f.Active, other.Active)
	return c
}

// campusPage puts the fields of a campus on a page.
func (s *room) campusPage(e *editing.Record[campusForm], name string) (*recordPage, error) {
	f := &e.Typed
	v := &recordPage{Title: s.Word("campuses.add"), About: name, Path: links.AdminCampuses + "/new",
		List: links.AdminCampuses}
	if e.ID != 0 {
		v.Title, v.Path = name, links.To(links.AdminCampus, e.ID)
	}
	modes := []editing.Option{}
	for _, m := range course.CampusMode("").Enum() {
		modes = append(modes, editing.Named(m, s.campusMode(course.CampusMode(m)), f.Mode == m))
	}
	v.Fields = []input{
		{Name: "name", Label: s.Word("admin-setup.name"), Value: f.Name, Need: true},
		{Name: "abbreviation", Label: s.Word("admin-setup.short"), Value: f.Code, Need: true},
		{Name: "mode", Label: s.Word("campuses.mode"), Options: modes, Help: s.Word("campuses.mode-hint")},
		{Name: "active", Label: s.Word("campuses.active"), Switch: true, On: f.Active, Help: s.Word("campuses.active-hint")},
	}
	return v, shown(e, v)
}

func (s *room) newCampus(_ context.Context, who *access.Caller, _ struct{}) (*page.Page, error) {
	e := &editing.Record[campusForm]{Words: s.Words, Typed: campusForm{Mode: "manual", Active: true}}
	v, err := s.campusPage(e, "")
	if err != nil {
		return nil, err
	}
	return s.record(who, v), nil
}

type addCampusIn struct {
	Campus campusForm `param:"record"`
}

func (s *room) addCampus(ctx context.Context, who *access.Caller, in addCampusIn) (endpoint.Drawing, error) {
	f := &in.Campus
	made, err := s.Usecases.AddCampus(ctx, course.Campus{Name: f.Name, Mode: f.mode(), Abbreviation: f.Code,
		Active: f.Active})
	if err == nil {
		return led(links.AdminCampuses, "added", made.Name), nil
	}
	return s.campusAgain(who, &editing.Record[campusForm]{Typed: in.Campus}, nil, err)
}

// mode is one that there is: the field offers no other.
func (f *campusForm) mode() course.CampusMode {
	for _, m := range course.CampusMode("").Enum() {
		if m == f.Mode {
			return course.CampusMode(m)
		}
	}
	return "manual"
}

func (s *room) editCampus(ctx context.Context, who *access.Caller, in oneIn) (*page.Page, error) {
	c, err := course.CampusByID(ctx, s.DB.Pool(), in.ID)
	if err != nil {
		return nil, err
	}
	e := &editing.Record[campusForm]{ID: in.ID, Fill: true, Words: s.Words}
	e.Hold(formOfCampus(c))
	v, err := s.campusPage(e, c.Name)
	if err != nil {
		return nil, err
	}
	return s.record(who, v), nil
}

type changeCampusIn struct {
	oneIn
	Campus campusForm `param:"record"`
	Seen   string     `param:"seen"` // what the fields held when they were read
}

func (s *room) changeCampus(ctx context.Context, who *access.Caller, in changeCampusIn) (endpoint.Drawing, error) {
	seen, err := editing.Parse[campusForm](in.Seen)
	if err != nil {
		return nil, err
	}
	in.Campus.Mode = string(in.Campus.mode())
	c, was := in.Campus.read(seen), seen.read(&in.Campus)
	c.Seen = &was
	made, why := s.Usecases.ChangeCampus(ctx, in.ID, c)
	if why == nil {
		return led(links.AdminCampuses, "saved", made.Name), nil
	}
	now, err := course.CampusByID(ctx, s.DB.Pool(), in.ID)
	if err != nil {
		return nil, err
	}
	return s.campusAgain(who, &editing.Record[campusForm]{ID: in.ID, Typed: in.Campus, Before: seen}, now, why)
}

// campusAgain shows the fields as they were typed with what is wrong.
func (s *room) campusAgain(who *access.Caller, e *editing.Record[campusForm], is *course.Campus,
	why error) (endpoint.Drawing, error) {
	now, name := campusForm{}, ""
	if is != nil {
		now, name = formOfCampus(is), is.Name
	}
	e.Words = s.Words
	e.Now = func(field string) string {
		switch field {
		case "name":
			return now.Name
		case "abbreviation":
			return now.Code
		case "mode":
			return s.campusMode(course.CampusMode(now.Mode))
		}
		return e.Flag(now.Active)
	}
	return again(s, who, e, why, now, func() (*recordPage, error) { return s.campusPage(e, name) })
}

// askDeleteCampus asks, or says what uses the campus.
func (s *room) askDeleteCampus(ctx context.Context, who *access.Caller, in oneIn) (*page.Page, error) {
	var c *course.Campus
	var students, tutorials int64
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if c, err = course.CampusByID(ctx, q, in.ID); err != nil {
			return err
		}
		students, tutorials, err = course.CampusUses(ctx, q, in.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	at := links.To(links.AdminCampus, in.ID)
	if students+tutorials > 0 {
		return s.keeps(who, s.Word("campuses.used-title"), kept{About: c.Name, Back: at, Go: s.Word("campuses.edit"),
			Text: s.Word("campuses.used-students", students) + " " + s.Word("campuses.used-tutorials", tutorials) + " " +
				s.Word("campuses.used")}), nil
	}
	return s.Ask(who, s.Word("campuses.delete"), page.Question{About: c.Name, Text: s.Word("campuses.ask"),
		Action: at + "/delete", Do: s.Word("campuses.delete"), Back: links.AdminCampuses}), nil
}

func (s *room) deleteCampus(ctx context.Context, who *access.Caller, in oneIn) (endpoint.Drawing, error) {
	c, err := course.CampusByID(ctx, s.DB.Pool(), in.ID)
	if err != nil {
		return nil, err
	}
	if why := s.Usecases.DeleteCampus(ctx, in.ID); why != nil {
		v, err := s.campusList(ctx)
		if err != nil {
			return nil, err
		}
		return s.Again(s.Refusal(who, "admin-list", s.Word("admin-setup.campuses"), v), why)
	}
	return led(links.AdminCampuses, "deleted", c.Name), nil
}
