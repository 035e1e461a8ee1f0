// Package links is the table of the pages that people are sent to: emails,
// calendars, commands and answers of the API link to them, and the pages stand at
// them. It knows paths only; whoever links puts the service's public address in
// front.
package links

import (
	"fmt"
	"net/url"
	"strings"
)

// The pages, as patterns of http.ServeMux.
const (
	Home           = "/home"
	News           = "/news"
	Profile        = "/profile"
	ProfileEmail   = "/profile/email" // with the choice of mails
	Password       = "/password"
	ConfirmAddress = "/confirm-address"
	Unsubscribe    = "/unsubscribe"
	Project        = "/projects/{id}"
	Task           = "/projects/{id}/tasks/{task_definition_id}"
	Calendar       = "/calendar"
	Search         = "/search"
	ProjectSearch  = "/projects/{id}/search"
	Plan           = "/projects/{id}/plan"
	Portfolio      = "/projects/{id}/portfolio"
	Outcomes       = "/projects/{id}/outcomes"
	Tutorials      = "/projects/{id}/tutorials"
	Groups         = "/projects/{id}/groups"
	Deleted        = "/projects/{id}/deleted"
	Copies         = "/projects/{id}/announcements"
	Copy           = "/projects/{id}/announcements/{announcement_id}"
	Admin          = "/admin"
	AdminJobs      = "/admin/jobs"
	AdminJob       = "/admin/jobs/{id}"
	AdminMail      = "/admin/mail"
	AdminWebhooks  = "/admin/webhooks"
	AdminWebhook   = "/admin/webhooks/{id}"
	AdminEvents    = "/admin/events"
	AdminAudit     = "/admin/audit"
	AdminUnits     = "/admin/units"
	AdminPeriods   = "/admin/periods"
	AdminPeriod    = "/admin/periods/{id}"
	AdminBreak     = "/admin/periods/{teaching_period_id}/breaks/{id}"
	AdminCampuses  = "/admin/campuses"
	AdminCampus    = "/admin/campuses/{id}"
	AdminKinds     = "/admin/activity-types"
	AdminKind      = "/admin/activity-types/{id}"
	AdminImages    = "/admin/images"
	AdminImage     = "/admin/images/{id}"
	People         = "/admin/people"
	Person         = "/admin/people/{id}"
	PersonExport   = "/admin/exports"
	AdminSettings  = "/admin/settings"
	FirstStart     = "/first-start" // with the token of the first link
	Unit           = "/units/{id}"
	UnitSettings   = "/units/{id}/settings"
	NewUnit        = "/units/new"
	Rollover       = "/units/{id}/rollover"
	Inbox          = "/units/{id}/inbox"
	Desk           = "/units/{id}/desk"
	Students       = "/units/{id}/students"
	Student        = "/units/{unit_id}/students/{project_id}"
	Grades         = "/units/{id}/grades"
	GradeOf        = "/units/{unit_id}/grades/{project_id}"
	UnitTasks      = "/units/{id}/tasks"
	UnitTask       = "/units/{unit_id}/tasks/{task_definition_id}"
	Announcements  = "/units/{id}/announcements"
	NewAnnounce    = "/units/{id}/announcements/new"
	Announcement   = "/units/{unit_id}/announcements/{announcement_id}"
	Insight        = "/units/{id}/insight"
	InsightMore    = Insight + "/progress"
	InsightRubrics = Insight + "/rubrics"
	InsightRows    = Insight + "/rows"
	AtRisk         = Insight + "/risk"
	TaskSetup      = "/units/{id}/settings/tasks"
	TaskEditor     = "/units/{unit_id}/settings/tasks/{task_definition_id}"
	TaskPreview    = TaskEditor + "/preview"
	TaskRubric     = TaskEditor + "/rubric"
	StudentSetup   = "/units/{id}/settings/students"
	StudentEditor  = "/units/{unit_id}/settings/students/{project_id}"
	StaffSetup     = "/units/{id}/settings/staff"
	StaffRole      = "/units/{unit_id}/settings/staff/roles/{unit_role_id}"
	TutorialEditor = "/units/{unit_id}/settings/staff/tutorials/{tutorial_id}"
	StreamEditor   = "/units/{unit_id}/settings/staff/streams/{stream_id}"
	GroupSetup     = "/units/{id}/settings/groups"
	GroupSetEditor = "/units/{unit_id}/settings/groups/{group_set_id}"
	OutcomeSetup   = "/units/{id}/settings/outcomes"
	OutcomeEditor  = "/units/{unit_id}/settings/outcomes/{outcome_id}"
	DeletedWork    = "/units/{id}/settings/deleted"
	Retirement     = "/units/{id}/settings/retire"
	UnitSimilarity = "/units/{id}/tasks/similarity"
	Moderation     = "/units/{id}/moderation"
)

// All lists the pages, for whoever serves them.
var All = []string{Home, News, Profile, ProfileEmail, Password, ConfirmAddress, Unsubscribe, Calendar, Search, Project,
	Plan, Task, Portfolio,
	Deleted, Unit, UnitSettings, Inbox, Desk, Outcomes, Tutorials, Groups, Students, Student, UnitTasks, UnitTask,
	TaskSetup, TaskEditor, TaskPreview, StudentSetup, StudentEditor, StaffSetup, StaffRole, TutorialEditor, StreamEditor,
	GroupSetup, GroupSetEditor, OutcomeSetup, OutcomeEditor, NewUnit, Rollover, ProjectSearch, Copies, Copy, Announcements,
	NewAnnounce, Announcement, Insight, InsightMore, InsightRubrics, InsightRows, AtRisk, People, Person, PersonExport,
	DeletedWork, Grades, GradeOf, Retirement, UnitSimilarity, TaskRubric, Moderation}

// To is the path of a page with the values of its pattern in their order. It
// panics where there are more or fewer than the pattern has.
func To(page string, values ...int64) string {
	var b strings.Builder
	for _, v := range values {
		head, rest, found := strings.Cut(page, "{")
		_, tail, _ := strings.Cut(rest, "}")
		if !found {
			panic("links: more values than the page has")
		}
		fmt.Fprintf(&b, "%s%d", head, v)
		page = tail
	}
	if strings.Contains(page, "{") {
		panic("links: fewer values than the page has")
	}
	return b.String() + page
}

// With is the path of a page that takes a one-time token.
func With(page, token string) string { return page + "?token=" + url.QueryEscape(token) }

// DeskAt is the path of a task on the marking desk of its unit.
func DeskAt(unitID, taskID int64) string { return To(Desk, unitID) + "?at=" + fmt.Sprint(taskID) }
