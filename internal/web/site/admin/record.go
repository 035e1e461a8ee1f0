package admin

import (
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/editing"
	"lectern/internal/web/site/page"
)

// tab is one of the pages on what the service is set up with.
type tab struct {
	Text, Href string
	Current    bool
	Count      int    // beside it; 0: none
	Colour     string // of the count
}

// setupList is a list of what the service is set up with: campuses, activity types or container images.
type setupList struct {
	Tabs      []tab
	Path      string // where the list stands
	Add       string // in words
	Hint      string
	Empty     string // in words, that there are none
	Icon      page.Icon
	Done      string // in words, what was done just now
	Heads     []string
	Rows      []setupRow
	Wrong     string // that nothing can be pulled, in words
	Following bool   // a row is followed by a script
}

// setupRow is a record in such a list.
type setupRow struct {
	ID         int64
	Name, Href string
	Short      string
	Cells      []string
	Off        string    // in words, that it is not offered any more
	Image      *imageRow // how far the pull of an image is
}

// setupTabs are the lists of what the service is set up with.
func (s *room) setupTabs(at string) []tab {
	return []tab{
		{Text: s.Word("admin-setup.campuses"), Href: links.AdminCampuses, Current: at == links.AdminCampuses},
		{Text: s.Word("admin-setup.kinds"), Href: links.AdminKinds, Current: at == links.AdminKinds},
		{Text: s.Word("admin-setup.images"), Href: links.AdminImages, Current: at == links.AdminImages},
	}
}

// doneIn is what was done just now, and to what.
type doneIn struct {
	Done  string `param:"done"`
	About string `param:"about"`
}

// done says what was done just now.
func (s *room) done(in doneIn) string {
	switch in.Done {
	case "added":
		return s.Word("admin-setup.added", in.About)
	case "saved":
		return s.Word("admin-setup.saved", in.About)
	case "deleted":
		return s.Word("admin-setup.deleted", in.About)
	}
	return ""
}

// input is a field of a record.
type input struct {
	Name, Label, Value, Type, Help, Error string
	Options                               []editing.Option
	Need, Switch, On                      bool
}

// recordPage is the fields of one record, as they are typed.
type recordPage struct {
	Title, About string // what is edited
	Path         string // where the form is sent to
	List         string // where the record stands among others
	New          bool
	Fields       []input
	Seen         string // what they held when they were read
	Hint         string // before the fields
	Said         string // what the engine said of the pull of an image
}

// shown puts the fields of a record on its page.
func shown[T any](e *editing.Record[T], v *recordPage) (err error) {
	if v.New = e.ID == 0; !v.New {
		v.Seen, err = e.Seen()
	}
	for i := range v.Fields {
		v.Fields[i].Error = e.Error(v.Fields[i].Name)
	}
	return err
}

// record draws the fields of a record.
func (s *room) record(who *access.Caller, v *recordPage) *page.Page {
	return s.Titled(who, "admin-record", v.Title, v)
}

// again draws the fields of a record once more with what is wrong with them.
func again[T any](s *room, who *access.Caller, e *editing.Record[T], why error, now T,
	draw func() (*recordPage, error)) (endpoint.Drawing, error) {
	p, err := editing.Again(s.Site, s.Refusal(who, "admin-record", "", nil), e, why, now)
	if err != nil {
		return nil, err
	}
	v, err := draw()
	if err != nil {
		return nil, err
	}
	p.Title, p.Data = v.Title, v
	return p, nil
}

// kept is a record that cannot be deleted: About names it, Text says what uses it, and Go what is done instead.
type kept struct{ About, Text, Back, Go string }

// keeps says why something is not deleted.
func (s *room) keeps(who *access.Caller, title string, k kept) *page.Page {
	return s.Titled(who, "admin-kept", title, k)
}
