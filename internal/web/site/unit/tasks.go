package unit

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/assess"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/teaching/trash"
	"lectern/internal/teaching/week"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

// taskAsks are the rights that decide what a convenor sees beside the tasks themselves.
var taskAsks = endpoint.Asks(policy.SeeDeleted, policy.ListImages)

func (s *room) taskRoutes() {
	page.Show(s.Site, links.TaskSetup, policy.SeeMaterial, "The tasks of a unit by week, for those who set it up",
		s.taskList, taskAsks)
	s.taskEditorRoutes()
	s.taskDeleteRoutes()
	s.taskFileRoutes()
	s.taskMoveRoutes()
	s.taskSheetRoutes()
	s.taskBundleRoutes()
	s.taskTrialRoutes()
	s.rubricRoutes()
}

// tasksIn is what the address of the list says.
type tasksIn struct {
	Text  string `param:"text"`
	Grade string `param:"grade"`
	Show  string `param:"show"` // with problems, or with one of them; empty: all
	Sort  string `param:"sort"`
	Done  string `param:"done"`  // what was done just now
	About string `param:"about"` // to which task
	Weeks string `param:"weeks"` // by how many it moved
}

// withProblems shows the tasks that have any.
const withProblems = "problems"

// clean replaces what the address says wrongly by what is usual: all tasks, by week.
func (in *tasksIn) clean() {
	if g, err := strconv.Atoi(in.Grade); err != nil || !grade.Grade(g).Target() {
		in.Grade = ""
	}
	if in.Show != withProblems && !slices.Contains(usecase.TaskChecks, usecase.CheckName(in.Show)) {
		in.Show = ""
	}
	if !slices.Contains(taskOrders, in.Sort) {
		in.Sort = taskOrders[0]
	}
	if !slices.Contains(tasksDone, in.Done) {
		in.Done = ""
	}
}

// taskOrders are the ways to sort the list, and tasksDone what it says that was done.
var (
	taskOrders = []string{"week", "code", "grade", "deadline"}
	tasksDone  = []string{"deleted", "restored", "moved", "shifted"}
)

// tasksPage is the tasks of a unit, and perhaps the one that is edited.
type tasksPage struct {
	tasksIn
	Unit     *course.Unit
	Groups   []taskGroup
	All      []taskdef.Definition
	Shown    int // tasks in the list
	Problems int // tasks that have any
	Deleted  []trash.Deletion
	Editor   *taskEditor // nil: none is edited
	weeks    week.Calendar
	words    *page.Language
}

// taskGroup is the tasks whose target date is in one week, or all where they are not by week.
type taskGroup struct {
	Words    string  // of the week
	Number   float64 // of it among the teaching weeks; that of a break lies between two
	From, To clock.Date
	Tasks    []taskRow
}

// taskRow is a task with what is wrong with it.
type taskRow struct {
	*taskdef.Definition // its fields cost a template more than those below, which are read many times
	ID, UnitID          int64
	At, Code            string // where its editor is, and its abbreviation
	Due                 clock.Date
	Problems            []string // in words
	Here                bool     // it is edited
	Beside              bool     // one is edited beside the list, which only leads from task to task then
}

func (s *room) taskList(ctx context.Context, who *access.Caller, in struct {
	ID int64 `path:"id" scope:"unit"`
	tasksIn
}) (*page.Page, error) {
	v, err := s.readTasks(ctx, who, in.ID, in.tasksIn, nil)
	if err != nil {
		return nil, err
	}
	return s.tasksTitled(who, v), nil
}

func (s *room) tasksTitled(who *access.Caller, v *tasksPage) *page.Page {
	return s.Titled(who, "task-setup", s.Word("task-setup.title"), v)
}

// readTasks reads the tasks of a unit for the list, and for the editor what it says.
func (s *room) readTasks(ctx context.Context, who *access.Caller, unitID int64, in tasksIn,
	editor *taskEditor) (*tasksPage, error) {
	in.clean()
	v := &tasksPage{tasksIn: in, Editor: editor, words: s.Words}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Unit, err = course.UnitByID(ctx, q, unitID); err != nil {
			return err
		}
		if v.All, err = taskdef.DefinitionsOf(ctx, q, unitID); err != nil {
			return err
		}
		weeks, err := course.Calendars(ctx, q, unitID)
		if err != nil {
			return err
		}
		v.weeks = weeks[unitID]
		if who.May(policy.SeeDeleted) {
			if v.Deleted, err = trash.Of(ctx, q, unitID); err != nil {
				return err
			}
			v.Deleted = slices.DeleteFunc(v.Deleted, func(d trash.Deletion) bool { return d.Kind != trash.Definition })
		}
		if editor == nil {
			return nil
		}
		return editor.around(ctx, q, who, unitID)
	})
	if err != nil {
		return nil, err
	}
	v.arrange()
	if editor != nil {
		err = editor.open(s, v)
	}
	return v, err
}

// arrange puts the tasks that the address asks for into their order.
func (v *tasksPage) arrange() {
	var rows []taskRow
	for i := range v.All {
		d := &v.All[i]
		problems := usecase.TaskProblems(d, v.Unit.StartDate, v.Unit.EndDate, v.weeks)
		if len(problems) > 0 {
			v.Problems++
		}
		if !v.asksFor(d, problems) {
			continue
		}
		row := taskRow{Definition: d, ID: d.ID, UnitID: d.UnitID, At: links.To(links.TaskEditor, d.UnitID, d.ID),
			Code: d.Abbreviation, Due: d.Due(), Beside: v.Editor != nil, Here: v.Editor != nil && v.Editor.ID == d.ID}
		for _, name := range problems {
			row.Problems = append(row.Problems, v.words.Word("task-setup.problem-"+string(name)))
		}
		rows = append(rows, row)
	}
	v.Shown = len(rows)
	slices.SortStableFunc(rows, v.order())
	if v.Sort != taskOrders[0] && len(rows) > 0 {
		v.Groups = []taskGroup{{Tasks: rows}}
		return
	}
	for _, row := range rows {
		v.intoWeek(row)
	}
	if len(rows) > 0 && v.Editor == nil {
		v.addEmptyWeeks()
	}
}

// mostEmptyWeeks is how long a unit may be whose weeks without a task can be dragged to: those of years
// would be a long page.
const mostEmptyWeeks = 60

// addEmptyWeeks adds the teaching weeks that have no task, for one that is dragged there.
func (v *tasksPage) addEmptyWeeks() {
	has := map[clock.Date]bool{}
	for _, g := range v.Groups {
		has[g.From] = true
	}
	for n := 1; n <= v.weeks.Weeks() && v.weeks.Weeks() <= mostEmptyWeeks; n++ {
		day, err := v.weeks.Date(week.Position{Week: n, Day: time.Monday})
		if err == nil && !has[week.MondayOf(day)] {
			v.Groups = append(v.Groups, v.weekOf(day))
		}
	}
	slices.SortFunc(v.Groups, func(a, b taskGroup) int { return a.From.Compare(b.From.Time) })
}

// weekOf is the week of a day, without tasks.
func (v *tasksPage) weekOf(day clock.Date) taskGroup {
	from := week.MondayOf(day)
	return taskGroup{Words: v.weekWords(day), Number: v.weekNumber(day), From: from, To: from.AddDays(6)}
}

// asksFor tells whether the address asks for a task with these problems.
func (v *tasksPage) asksFor(d *taskdef.Definition, problems []usecase.CheckName) bool {
	if v.Grade != "" && v.Grade != strconv.Itoa(int(d.TargetGrade)) {
		return false
	}
	if v.Show == withProblems && len(problems) == 0 ||
		v.Show != "" && v.Show != withProblems && !slices.Contains(problems, usecase.CheckName(v.Show)) {
		return false
	}
	text := strings.ToLower(strings.TrimSpace(v.Text))
	return strings.Contains(strings.ToLower(d.Abbreviation+" "+d.Name), text)
}

// order compares rows by what the address asks for, and by date and code where that is the same.
func (v *tasksPage) order() func(a, b taskRow) int {
	return func(a, b taskRow) int {
		first := 0
		switch v.Sort {
		case "code":
			first = cmp.Compare(a.Abbreviation, b.Abbreviation)
		case "grade":
			first = cmp.Compare(a.TargetGrade, b.TargetGrade)
		case "deadline":
			first = a.Due.Compare(b.Due.Time)
		}
		return cmp.Or(first, a.TargetDate.Compare(b.TargetDate.Time), cmp.Compare(a.Abbreviation, b.Abbreviation))
	}
}

// intoWeek adds a row to the week of its target date; rows come in the order of that.
func (v *tasksPage) intoWeek(row taskRow) {
	from := week.MondayOf(row.TargetDate)
	if n := len(v.Groups); n == 0 || v.Groups[n-1].From != from {
		v.Groups = append(v.Groups, v.weekOf(row.TargetDate))
	}
	last := &v.Groups[len(v.Groups)-1]
	last.Tasks = append(last.Tasks, row)
}

// weekNumber is the teaching week of a day, and of one in a break what lies between those around it.
func (v *tasksPage) weekNumber(day clock.Date) float64 {
	if p := v.weeks.Position(day); p.Break == 0 {
		return float64(p.Week)
	}
	return float64(v.weeks.Position(v.weeks.Shift(day, 1)).Week) - 0.5
}

// weekWords names the week of a day, also outside the unit's dates.
func (v *tasksPage) weekWords(day clock.Date) string {
	switch p := v.weeks.Position(day); {
	case p.Break != 0:
		return v.words.Word("project.break")
	case p.Week < 1:
		return v.words.Word("task-setup.before")
	case p.Week > v.weeks.Weeks():
		return v.words.Word("task-setup.after")
	default:
		return v.words.Word("project.week", p.Week)
	}
}

// Path is where the list stands.
func (v *tasksPage) Path() string { return links.To(links.TaskSetup, v.Unit.ID) }

// With is the address of the list with another value of one of its filters.
func (v *tasksPage) With(name, value string) string {
	q := v.query()
	q.Set(name, value)
	return taskAddress(v.Path(), q)
}

func (v *tasksPage) query() url.Values {
	sort := v.Sort
	if sort == taskOrders[0] {
		sort = ""
	}
	return url.Values{"text": {v.Text}, "grade": {v.Grade}, "show": {v.Show}, "sort": {sort}}
}

// taskAddress is a path with those of the values that are not empty.
func taskAddress(path string, q url.Values) string {
	for name, values := range q {
		if values[0] == "" {
			q.Del(name)
		}
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// Kept is what a search keeps of the list.
func (v *tasksPage) Kept() (list []taskValue) {
	for name, values := range v.query() {
		if name != "text" && values[0] != "" {
			list = append(list, taskValue{name, values[0]})
		}
	}
	slices.SortFunc(list, func(a, b taskValue) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// taskValue is a hidden field of a form.
type taskValue struct{ Name, Value string }

// Filtered tells whether the address leaves some tasks out.
func (v *tasksPage) Filtered() bool { return v.Text != "" || v.Grade != "" || v.Show != "" }

// ProblemsHref leads to the tasks with problems, or back to all.
func (v *tasksPage) ProblemsHref() string {
	if v.Show != "" {
		return v.With("show", "")
	}
	return v.With("show", withProblems)
}

// taskChoice is one of those to choose from, in a menu or a field.
type taskChoice struct {
	Value, Text, Href string
	Current, On       bool
}

// GradeWords is what the chip of the grades says.
func (v *tasksPage) GradeWords() string {
	if n, err := strconv.Atoi(v.Grade); err == nil {
		return v.words.Grade(grade.Grade(n))
	}
	return v.words.Word("task-setup.grade")
}

// Grades are the grades that the list can be narrowed to.
func (v *tasksPage) Grades() []taskChoice {
	list := []taskChoice{{Text: v.words.Word("task-setup.any-grade"), Href: v.With("grade", ""), Current: v.Grade == ""}}
	for _, g := range grade.Targets {
		n := strconv.Itoa(int(g))
		list = append(list, taskChoice{Text: v.words.Grade(g), Href: v.With("grade", n), Current: v.Grade == n})
	}
	return list
}

// Way tells whether the list is in this order.
func (v *tasksPage) Way(sort string) string {
	if v.Sort == sort {
		return "ascending"
	}
	return ""
}

// Undo is the deletion that was made just now; nil: none was, or it is gone.
func (v *tasksPage) Undo() *trash.Deletion {
	for i, d := range v.Deleted {
		if v.Done == "deleted" && strconv.FormatInt(d.RecordID, 10) == v.About {
			return &v.Deleted[i]
		}
	}
	return nil
}

// taskKeys are those of words that are put together.
func taskKeys() (list []string) {
	for _, name := range usecase.TaskChecks {
		list = append(list, "task-setup.problem-"+string(name))
	}
	for _, a := range attachments {
		list = append(list, "task-setup.attached-"+a.name, "task-setup.attached-"+a.name+"-hint")
	}
	for _, state := range []assess.State{assess.Queued, assess.Running, assess.Done, assess.Failed} {
		list = append(list, "tests."+string(state))
	}
	for _, l := range limitNames {
		list = append(list, "task-setup."+l)
	}
	return list
}
