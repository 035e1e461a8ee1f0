package unit

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/opt"
	"lectern/internal/teaching/course"
	"lectern/internal/usecase"
	"lectern/internal/web/site/editing"
)

// settingsForm is what the fields of a unit's settings hold, as it is typed.
type settingsForm struct {
	Code           string `param:"code"`
	Name           string `param:"name"`
	Description    string `param:"description" text:"lines"`
	Period         string `param:"teaching_period_id"`
	Convenor       string `param:"main_convenor_id"`
	Start          string `param:"start_date"`
	End            string `param:"end_date"`
	Zone           string `param:"time_zone"`
	Portfolio      string `param:"portfolio_auto_generation_date"`
	Draft          string `param:"draft_task_definition_id"`
	Days           string `param:"feedback_days"`
	Weeks          string `param:"extension_weeks_on_resubmit_request"`
	Requests       bool   `param:"allow_student_extension_requests"`
	AutoExtend     bool   `param:"auto_apply_extension_before_deadline"`
	ChangeTutorial bool   `param:"allow_student_change_tutorial"`
	Reviews        bool   `param:"allow_review_requests"`
	Notifications  bool   `param:"send_notifications"`
	Assessment     bool   `param:"assessment_enabled"`
}

// formOf fills the fields with what a unit has.
func formOf(u *course.Unit) settingsForm {
	return settingsForm{Code: u.Code, Name: u.Name, Description: u.Description, Period: number(u.TeachingPeriodID),
		Convenor: number(u.MainConvenorID), Start: u.StartDate.String(), End: u.EndDate.String(),
		Zone: opt.Or(u.TimeZone, ""), Portfolio: day(u.PortfolioDate), Draft: number(u.DraftTaskDefinitionID),
		Days: number(u.FeedbackDays), Weeks: number(&u.ResubmitWeeks), Requests: u.AllowStudentExtensionRequests,
		AutoExtend: u.AutoExtend, ChangeTutorial: u.AllowStudentChangeTutorial, Reviews: u.AllowReviewRequests,
		Notifications: u.SendNotifications, Assessment: u.AssessmentEnabled}
}

func number(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}

func day(d *clock.Date) string {
	if d == nil {
		return ""
	}
	return d.String()
}

// reading makes a change of the fields of one form that differ from another's.
type reading struct {
	editing.Difference
	change usecase.UnitChange
}

// read gives the values of f in which it differs from other: what somebody changed, or what it
// was before they did. What was not touched is left alone, whatever became of it meanwhile.
func (f settingsForm) read(other settingsForm) (usecase.UnitChange, error) {
	r := &reading{}
	c := &r.change
	r.Text(&c.Code, f.Code, other.Code)
	r.Text(&c.Name, f.Name, other.Name)
	r.Text(&c.Description, f.Description, other.Description)
	r.id("teaching_period_id", &c.TeachingPeriodID, f.Period, other.Period)
	r.id("draft_task_definition_id", &c.DraftDefinitionID, f.Draft, other.Draft)
	r.id("feedback_days", &c.FeedbackDays, f.Days, other.Days)
	r.Day("start_date", &c.StartDate, f.Start, other.Start)
	r.Day("end_date", &c.EndDate, f.End, other.End)
	if f.Zone != other.Zone {
		c.TimeZone = course.Setting[string]{Set: true, To: some(f.Zone)}
	}
	if f.Portfolio != other.Portfolio {
		c.PortfolioDate.Set = true
		if f.Portfolio != "" {
			r.Day("portfolio_auto_generation_date", &c.PortfolioDate.To, f.Portfolio, "")
		}
	}
	r.Whole("main_convenor_id", &c.MainConvenorID, f.Convenor, other.Convenor)
	r.Whole("extension_weeks_on_resubmit_request", &c.ResubmitWeeks, f.Weeks, other.Weeks)
	r.Flag(&c.AllowStudentExtensionRequests, f.Requests, other.Requests)
	r.Flag(&c.AutoExtend, f.AutoExtend, other.AutoExtend)
	r.Flag(&c.AllowStudentChangeTutorial, f.ChangeTutorial, other.ChangeTutorial)
	r.Flag(&c.AllowReviewRequests, f.Reviews, other.Reviews)
	r.Flag(&c.SendNotifications, f.Notifications, other.Notifications)
	r.Flag(&c.AssessmentEnabled, f.Assessment, other.Assessment)
	return r.change, r.Wrong.Err(fault.Refused)
}

// plannedDates are the fields by which dates of tasks move.
type plannedDates struct {
	Period string `param:"teaching_period_id"`
	Start  string `param:"start_date"`
	End    string `param:"end_date"`
}

func (f settingsForm) dates() plannedDates { return plannedDates{f.Period, f.Start, f.End} }

// value is what the field of a name holds; empty where there is no such field.
func (f settingsForm) value(name string) string {
	v := reflect.ValueOf(f)
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get("param") == name {
			return fmt.Sprint(v.Field(i).Interface())
		}
	}
	return ""
}

// field is a hidden field of a form.
type field struct{ Name, Value string }

// fields lists what the fields hold, each by the name that a form sends it by.
func (f settingsForm) fields(of string) (list []field) {
	v := reflect.ValueOf(f)
	for i := range v.NumField() {
		name := v.Type().Field(i).Tag.Get("param")
		list = append(list, field{of + "[" + name + "]", fmt.Sprint(v.Field(i).Interface())})
	}
	return list
}

// some is a text, nil where it is empty.
func some(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// id takes a number that may be none.
func (r *reading) id(name string, to *course.Setting[int64], now, other string) {
	if now == other {
		return
	}
	to.Set = true
	if strings.TrimSpace(now) != "" {
		r.Whole(name, &to.To, now, "")
	}
}
