package page

import (
	"fmt"
	"slices"
	"strings"

	"lectern/internal/ground/links"
	"lectern/internal/people/policy"
	"lectern/internal/usecase"
)

// Place is a unit in the sidebar. The one that the page is about shows its sections.
type Place struct {
	usecase.Place
	Path     string // of its first section
	Current  bool
	Sections []Section
}

// Square is the class of the colour that marks the unit, one of four in turn.
func (p Place) Square() string { return fmt.Sprintf("u%d", p.Colour%4+1) }

// Square is the class of the colour that marks a unit that the person teaches.
func (p *Page) Square(unitID int64) string {
	for _, u := range p.Frame.Teaches {
		if u.UnitID == unitID {
			return Place{Place: u}.Square()
		}
	}
	return Place{}.Square()
}

// Section is one of the pages of a unit.
type Section struct {
	Path, Words string
	Icon        Icon
	Current     bool // the page is this one, or beneath it
	right       *policy.Right
}

// Crumb is a step on the way to a page. The last one is the page itself and leads nowhere.
type Crumb struct{ Words, Path string }

// Teaching are the units that somebody teaches, and Studying those they study.
func (p *Page) Teaching() []Place { return p.places(p.Frame.Teaches) }

// Studying are the units that somebody studies.
func (p *Page) Studying() []Place { return p.places(p.Frame.Studies) }

func (p *Page) places(list []usecase.Place) (out []Place) {
	for _, u := range list {
		at := Place{Place: u, Current: p.isHere(u)}
		sections := p.site.sections(u)
		at.Path = sections[0].Path
		if at.Current {
			at.Sections = p.allowed(sections)
		} else if p.inAdministration() {
			at.Sections = p.keptSections(u, sections)
		}
		out = append(out, at)
	}
	return out
}

// isHere tells whether the page is about a place as the person has it: their own project, or
// anything else of the unit.
func (p *Page) isHere(u usecase.Place) bool {
	return p.Frame.Here != nil && u.UnitID == p.Frame.Here.UnitID && u.ProjectID == p.Frame.Here.ProjectID
}

// sections are the pages of a unit for those who study it, or for its staff, each with the right
// that its page is declared with.
func (s *Site) sections(u usecase.Place) []Section {
	word, id := s.Word, u.ProjectID
	if id != 0 {
		return []Section{
			{Path: links.To(links.Project, id), Words: word("project.term"), Icon: Icon("layout-list"), right: policy.ReadProject},
			{Path: links.To(links.Plan, id), Words: word("plan.tab"), Icon: Icon("route"), right: policy.ReadProject},
			{Path: links.To(links.Portfolio, id), Words: word("portfolio.title"), Icon: Icon("book-open"),
				right: policy.ReadSubmission},
			{Path: links.To(links.Outcomes, id), Words: word("outcomes.title"), Icon: Icon("target"), right: policy.ReadProject},
			{Path: links.To(links.Tutorials, id), Words: word("tutorials.title"), Icon: Icon("presentation"),
				right: policy.ReadProject},
			{Path: links.To(links.Groups, id), Words: word("groups.title"), Icon: Icon("users-round"), right: policy.ReadProject},
		}
	}
	id = u.UnitID
	at := fmt.Sprintf("/units/%d/", id)
	return []Section{
		{Path: links.To(links.Unit, id), Words: word("overview.title"), Icon: Icon("layout-list"), right: policy.ReadStatistics},
		{Path: links.To(links.Inbox, id), Words: word("inbox.title"), Icon: Icon("inbox"), right: policy.GiveFeedback},
		{Path: links.To(links.Desk, id), Words: word("desk.tab"), Icon: Icon("pencil-line"), right: policy.GiveFeedback},
		{Path: links.To(links.UnitTasks, id), Words: word("unit-tasks.tab"), Icon: Icon("list-checks"),
			right: policy.ReadStatistics},
		{Path: links.To(links.Students, id), Words: word("students.tab"), Icon: Icon("users"), right: policy.ListStudents},
		{Path: links.To(links.Grades, id), Words: word("grades.tab"), Icon: Icon("scroll-text"), right: policy.ListStudents},
		{Path: links.To(links.Announcements, id), Words: word("announce.title"), Icon: Icon("send"),
			right: policy.SeeAnnouncements},
		{Path: at + "extensions", Words: word("extensions.tab"), Icon: Icon("calendar-clock"), right: policy.SeeExtensions},
		{Path: at + "reviews", Words: word("reviews.tab"), Icon: Icon("file-question-mark"), right: policy.SeeReviews},
		{Path: at + "promise", Words: word("promise.tab"), Icon: Icon("timer"), right: policy.ReadStatistics},
		{Path: links.To(links.Insight, id), Words: word("insight.title"), Icon: Icon("activity"), right: policy.ReadStatistics},
		{Path: links.To(links.Moderation, id), Words: word("moderation.title"), Icon: Icon("check-check"), right: policy.SecondMark},
		{Path: at + "offline", Words: word("offline.tab"), Icon: Icon("folder-down"), right: policy.GiveFeedback},
		{Path: at + "snippets", Words: word("snippets.title"), Icon: Icon("message-square-quote"), right: policy.UseSnippets},
		{Path: links.To(links.UnitSettings, id), Words: word("settings.title"), Icon: Icon("settings-2"),
			right: policy.SeeAccess},
	}
}

// setup are the tabs of a unit's settings, in their order. The sidebar has their first alone; the
// search finds the others as well.
func (s *Site) setup(id int64) []Section {
	return []Section{
		{Path: links.To(links.UnitSettings, id), Words: s.Word("settings.general"), Icon: Icon("settings-2"),
			right: policy.SeeAccess},
		{Path: links.To(links.TaskSetup, id), Words: s.Word("task-setup.title"), Icon: Icon("settings-2"),
			right: policy.SeeMaterial},
		{Path: links.To(links.StudentSetup, id), Words: s.Word("students.title"), Icon: Icon("settings-2"),
			right: policy.ChangeEnrolments},
		{Path: links.To(links.StaffSetup, id), Words: s.Word("staff-setup.title"), Icon: Icon("settings-2"),
			right: policy.SeeStaff},
		{Path: links.To(links.GroupSetup, id), Words: s.Word("group-setup.title"), Icon: Icon("settings-2"),
			right: policy.ExportGroups},
		{Path: links.To(links.OutcomeSetup, id), Words: s.Word("outcome-setup.title"), Icon: Icon("settings-2"),
			right: policy.ExportOutcomes},
		{Path: links.To(links.DeletedWork, id), Words: s.Word("deleted-work.title"), Icon: Icon("settings-2"),
			right: policy.SeeDeleted},
	}
}

// Setup are the tabs of the settings that the page is in.
func (p *Page) Setup() []Section { return p.allowed(p.site.setup(p.Me.UnitID)) }

// SectionsOf are the pages of a unit that somebody may open who has a standing there.
func (s *Site) SectionsOf(u usecase.Place, as policy.Who) []Section {
	all := s.sections(u)
	if u.ProjectID == 0 {
		for _, tab := range s.setup(u.UnitID)[1:] {
			tab.Words = s.Word("settings.tab", tab.Words)
			all = append(all, tab)
		}
	}
	return slices.DeleteFunc(all, func(one Section) bool { return !one.right.Allows(as) })
}

// General are the pages that everybody who is signed in has.
func (s *Site) General() []Section {
	return []Section{
		{Path: links.Home, Words: s.Word("home.title"), Icon: Icon("house")},
		{Path: links.Calendar, Words: s.Word("calendar.title"), Icon: Icon("calendar")},
		{Path: links.News, Words: s.Word("news.title"), Icon: Icon("bell")},
		{Path: links.Profile, Words: s.Word("profile.title"), Icon: Icon("user")},
		{Path: HelpPath, Words: s.Word("help.title"), Icon: Icon("life-buoy")},
	}
}

// administration are the pages of those who run the service, in the order of the sidebar, each
// with the right that its page is declared with.
func (s *Site) administration() []Section {
	return []Section{
		{Path: links.People, Words: s.Word("people.title"), Icon: Icon("users"), right: policy.SeeAccounts},
		{Path: links.AdminUnits, Words: s.Word("admin-units.title"), Icon: Icon("layers"), right: policy.SeeAllUnits},
		{Path: links.AdminPeriods, Words: s.Word("periods.title"), Icon: Icon("calendar-range"), right: policy.SeeSetup},
		{Path: links.AdminCampuses, Words: s.Word("admin-setup.campuses"), Icon: Icon("map-pin"), right: policy.SeeSetup},
		{Path: links.AdminAudit, Words: s.Word("audit.title"), Icon: Icon("scroll-text"), right: policy.ReadAudit},
		{Path: links.Admin, Words: s.Word("health.title"), Icon: Icon("activity"), right: policy.SeeService},
		{Path: links.AdminSettings, Words: s.Word("service-settings.title"), Icon: Icon("settings-2"),
			right: policy.SeeSettings},
	}
}

// service are the tabs of the service's health, in their order.
func (s *Site) service() []Section {
	return []Section{
		{Path: links.Admin, Words: s.Word("health.tab"), Icon: Icon("activity"), right: policy.SeeService},
		{Path: links.AdminJobs, Words: s.Word("jobs.title"), Icon: Icon("activity"), right: policy.SeeJobs},
		{Path: links.AdminMail, Words: s.Word("mail.title"), Icon: Icon("activity"), right: policy.SeeMail},
		{Path: links.AdminWebhooks, Words: s.Word("webhooks.title"), Icon: Icon("activity"), right: policy.SeeWebhooks},
		{Path: links.AdminEvents, Words: s.Word("events.title"), Icon: Icon("activity"), right: policy.SeeWebhooks},
	}
}

// Service are the tabs on how the service is doing.
func (p *Page) Service() []Section { return p.allowed(p.site.service()) }

// Administration are the pages of the service that the person may open.
func (p *Page) Administration() []Section {
	if p.View() != nil {
		return nil // they look as a student does, and leave the view first
	}
	return p.keptAdministration(p.allowed(p.site.administration()))
}

// allowed leaves the sections that the person may open, and marks the one the page is in: the
// longest path that leads to it. A student's own pages are under the students of the unit for others.
func (p *Page) allowed(sections []Section) (out []Section) {
	path, best := p.path, -1
	if p.Frame.Student != "" && strings.HasPrefix(path, "/projects/") {
		path = links.To(links.Student, p.Me.UnitID, p.Me.ProjectID)
	}
	for _, s := range sections {
		if !s.right.Allows(p.Me.Who) {
			continue
		}
		if s.Path == path || strings.HasPrefix(path, s.Path+"/") {
			if best < 0 || len(s.Path) > len(out[best].Path) {
				best = len(out)
			}
		}
		out = append(out, s)
	}
	if best >= 0 {
		out[best].Current = true
	}
	return out
}

// current is the place that the page is about; nil: it is about none.
func (p *Page) current() *Place {
	for _, list := range [][]Place{p.Teaching(), p.Studying()} {
		for i := range list {
			if list[i].Current {
				return &list[i]
			}
		}
	}
	return nil
}

// Crumbs are the way to the page: its unit, the section, whose work it is, what the page is a part of, and the page.
func (p *Page) Crumbs() (way []Crumb) {
	last := Crumb{Words: p.Title}
	if strings.HasPrefix(p.path, links.Admin+"/") {
		way = append(way, Crumb{p.site.Word("admin.title"), links.Admin})
	}
	if at := p.current(); at != nil {
		way = append(way, Crumb{at.Code, at.Path})
		for _, s := range at.Sections {
			switch {
			case s.Current && s.Path == p.path:
				last.Words = s.Words
			case s.Current:
				way = append(way, Crumb{s.Words, s.Path})
			}
		}
		if p.Frame.Student != "" && strings.HasPrefix(p.path, "/projects/") {
			way = append(way, Crumb{p.Frame.Student, links.To(links.Student, p.Me.UnitID, p.Me.ProjectID)})
		}
	}
	if p.Within != nil {
		way = append(way, *p.Within)
	}
	return append(way, last)
}

// Visits tells whether somebody looks at the project of another person, whose pages the sidebar
// does not list.
func (p *Page) Visits() bool { return p.Frame.Student != "" }

// Bottom are the places of the bar at the bottom of a phone, between Home and the notifications:
// what the unit at hand, or the first one, has most use for, and on the pages of the service what those who run it
// have.
func (p *Page) Bottom() (out []Section) {
	at := p.current()
	if at == nil {
		if list := append(p.Teaching(), p.Studying()...); len(list) > 0 {
			at = &list[0]
		}
	}
	switch {
	case at == nil || strings.HasPrefix(p.path, links.Admin):
		for _, s := range p.Administration() {
			if s.Path == links.People || s.Path == links.Admin {
				out = append(out, s)
			}
		}
	case at.ProjectID != 0:
		return p.site.sections(at.Place)[:1]
	default:
		for _, s := range p.site.sections(at.Place) {
			if s.Path == links.To(links.Inbox, at.UnitID) || s.Path == links.To(links.Students, at.UnitID) {
				out = append(out, s)
			}
		}
	}
	return out
}

// HelpPath is where the help begins.
const HelpPath = "/help"

// StatementPath is where a statement of the institution stands in the help.
func StatementPath(m usecase.Matter) string { return HelpPath + "/" + string(m) }
