package account

import (
	"context"
	"slices"

	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/search"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

func (s *room) searchRoutes() {
	asks := endpoint.Asks(policy.FindPeople, policy.ListStudents)
	page.Show(s.Site, links.Search, policy.SignedIn, "Find units, tasks, people, pages and actions", s.search, asks)
	page.Show(s.Site, links.Search+"/found", policy.SignedIn, "What is found, for the palette of every page",
		s.searchFound, asks)
	page.Show(s.Site, links.ProjectSearch, policy.ReadProject, "Find tasks and pages of a project's unit",
		s.searchProject, endpoint.Asks(policy.ListStudents))
}

// searchIn is what somebody looks for. It stands in no log: the address does, without it.
type searchIn struct {
	Text string `param:"text" text:"any"`
}

// searchPage is what was found, by kinds.
type searchPage struct {
	Text  string
	To    string // where the form leads
	Kinds []searchKind
}

// searchKind is what was found of one kind.
type searchKind struct {
	Words string
	Hits  []hit
}

// hit is a line of what was found. It leads somewhere, does something, or only tells.
type hit struct {
	Words  string
	Pieces []search.Piece // the words, with what was asked for
	Note   string         // where it is, or who
	Path   string         // where it leads
	Post   string         // what a button sends to
	Form   string         // the form of the frame that a button sends
	Icon   page.Icon      // in front of it, if it is no person
}

// add puts a kind on the page, if there is something of it.
func (v *searchPage) add(words string, hits []hit) {
	for i := range hits {
		hits[i].Pieces = search.Pieces(hits[i].Words, v.Text)
	}
	if len(hits) > 0 {
		v.Kinds = append(v.Kinds, searchKind{words, hits})
	}
}

// called gives the hits that the text names.
func (v *searchPage) called(list []hit) []hit {
	return search.Called(list, v.Text, func(h hit) (string, string, string) { return h.Words, "", h.Note })
}

func (s *room) search(ctx context.Context, who *access.Caller, in searchIn) (*page.Page, error) {
	v, err := s.searched(ctx, who, in.Text)
	if err != nil {
		return nil, err
	}
	return s.Page(who, "search", v), nil
}

// searchFound is the part of the page that a script puts into the palette.
func (s *room) searchFound(ctx context.Context, who *access.Caller, in searchIn) (*page.Page, error) {
	v, err := s.searched(ctx, who, in.Text)
	if err != nil {
		return nil, err
	}
	return s.Fragment(who, "search", "found", v), nil
}

// searched finds what somebody looks for in all that is theirs.
func (s *room) searched(ctx context.Context, who *access.Caller, text string) (*searchPage, error) {
	var found *search.Found
	var mine []search.Unit
	var as map[int64]policy.Who
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if found, err = search.Do(ctx, q, who, text); err != nil {
			return err
		}
		if mine, err = search.UnitsOf(ctx, q, who); err != nil {
			return err
		}
		units := make([]int64, 0, len(mine)+1)
		for _, u := range mine {
			units = append(units, u.ID)
		}
		if p := firstStudent(who, found.People); p != nil {
			units = append(units, *p.UnitID)
		}
		as, err = access.AsStaff(ctx, q, who, units)
		return err
	})
	if err != nil {
		return nil, err
	}
	v := &searchPage{Text: text, To: links.Search}
	s.addFound(v, found)
	v.add(s.Word("search.pages"), v.called(s.pagesOf(mine, as, text != "")))
	v.add(s.Word("search.actions"), s.actionsOf(v, who, found.People, mine, as))
	return v, nil
}

// searchProject finds what somebody looks for in the unit of a project: whoever sees the project
// as its student does finds what the student would.
func (s *room) searchProject(ctx context.Context, who *access.Caller, in struct {
	ID int64 `path:"id" scope:"project"`
	searchIn
}) (*page.Page, error) {
	var found *search.Found
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		found, err = search.InUnit(ctx, q, who, in.Text)
		return err
	})
	if err != nil {
		return nil, err
	}
	v := &searchPage{Text: in.Text, To: links.To(links.ProjectSearch, in.ID)}
	s.addFound(v, found)
	at := usecase.Place{UnitID: who.UnitID}
	if who.OwnerID == who.ID {
		at.ProjectID = who.ProjectID
	}
	v.add(s.Word("search.pages"), v.called(sectionHits(s.SectionsOf(at, who.Who), "")))
	return s.Page(who, "search", v), nil
}

// addFound adds people, units and tasks.
func (s *room) addFound(v *searchPage, found *search.Found) {
	var people, units, tasks []hit
	for _, p := range found.People {
		h := hit{Words: p.FirstName + " " + p.LastName, Note: p.Username + " · " + s.Word(roleKey(p.Role))}
		if p.UnitCode != nil {
			h.Note += " · " + *p.UnitCode
		}
		if p.ProjectID != nil {
			h.Path = links.To(links.Student, *p.UnitID, *p.ProjectID)
		}
		people = append(people, h)
	}
	for _, u := range found.Units {
		h := hit{Words: u.Code + " " + u.Name, Path: links.To(links.Inbox, u.ID), Icon: page.Icon("book-open")}
		if u.Role == policy.Student {
			h.Path = links.To(links.Project, *u.ProjectID)
		}
		units = append(units, h)
	}
	for _, t := range found.Tasks {
		h := hit{Words: t.Abbreviation + " " + t.Name, Note: t.UnitCode, Icon: page.Icon("list-checks"),
			Path: links.To(links.UnitTask, t.UnitID, t.ID)}
		if t.ProjectID != nil {
			h.Path = links.To(links.Task, *t.ProjectID, t.ID)
		}
		tasks = append(tasks, h)
	}
	v.add(s.Word("search.people"), people)
	v.add(s.Word("search.units"), units)
	v.add(s.Word("search.tasks"), tasks)
}

// roleKey is the word for what somebody is in a unit, or in the system.
func roleKey(role policy.RoleName) string { return "search.role-" + string(role) }

// pagesOf are the pages that somebody may open: those of everybody, and those of the units they
// teach or study; each unit by its first page where not all are asked for.
func (s *room) pagesOf(mine []search.Unit, as map[int64]policy.Who, all bool) []hit {
	out := sectionHits(s.General(), "")
	for _, u := range mine {
		var sections []page.Section
		at := usecase.Place{UnitID: u.ID}
		if u.Role != policy.Student {
			sections = s.SectionsOf(at, as[u.ID])
		}
		if u.ProjectID != nil {
			at.ProjectID = *u.ProjectID
			sections = append(sections, s.SectionsOf(at, policy.User|policy.Owner|policy.UnitStudent)...)
		}
		if !u.Active {
			continue
		}
		if !all {
			sections = sections[:min(1, len(sections))]
		}
		out = append(out, sectionHits(sections, u.Code+" "+u.Name)...)
	}
	return out
}

func sectionHits(list []page.Section, note string) (out []hit) {
	for _, one := range list {
		out = append(out, hit{Words: one.Words, Note: note, Path: one.Path, Icon: one.Icon})
	}
	return out
}

// actionsOf are what somebody can do from anywhere and the text names, and what they can do with
// the first student that was found.
func (s *room) actionsOf(v *searchPage, who *access.Caller, people []search.Person, mine []search.Unit,
	as map[int64]policy.Who) (out []hit) {
	if p := firstStudent(who, people); p != nil && policy.SeeAsStudent.Allows(as[*p.UnitID]) {
		out = append(out, hit{Words: s.Word("search.view-as", *p.UnitCode, p.FirstName+" "+p.LastName),
			Icon: page.Icon("eye"), Post: links.To(links.Student, *p.UnitID, *p.ProjectID) + "/view"})
	}
	var list []hit
	for _, u := range mine {
		if u.Active && policy.GiveFeedback.Allows(as[u.ID]) {
			list = append(list, hit{Words: s.Word("search.mark"), Note: u.Code, Path: links.To(links.Desk, u.ID),
				Icon: page.Icon("pencil-line")})
		}
	}
	list = append(list,
		hit{Words: s.Word("search.theme"), Path: looksTab.path, Icon: page.Icon("moon")},
		hit{Words: s.Word("help.keys"), Path: keysHelp.path, Icon: page.Icon("keyboard")},
		hit{Words: s.Word("frame.sign-out"), Form: "sign-out", Icon: page.Icon("log-out")})
	return append(out, v.called(list)...)
}

// firstStudent is the first student who was found in a unit and is somebody else; nil: there is none.
func firstStudent(who *access.Caller, people []search.Person) *search.Person {
	i := slices.IndexFunc(people, func(p search.Person) bool { return p.ProjectID != nil && p.UserID != who.ID })
	if i < 0 {
		return nil
	}
	return &people[i]
}
