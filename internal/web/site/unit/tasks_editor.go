package unit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/grade"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/assess"
	"lectern/internal/teaching/enrol"
	"lectern/internal/teaching/similarity/engine"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/editing"
	"lectern/internal/web/site/page"
)

func (s *room) taskEditorRoutes() {
	page.Show(s.Site, links.TaskSetup+"/new", policy.SeeMaterial, "A new task of a unit", s.newTask, taskAsks)
	page.Form(s.Site, links.TaskSetup+"/new", policy.EditDefinitions, "Add a task to a unit", s.addTask, taskAsks,
		endpoint.Audited(audit.Definition))
	page.Show(s.Site, links.TaskEditor, policy.SeeMaterial, "A task of a unit, to be changed", s.editTask, taskAsks)
	page.Form(s.Site, links.TaskEditor, policy.EditDefinitions, "Change a task of a unit", s.changeTask, taskAsks,
		endpoint.Audited(audit.Definition))
}

// taskEditor is the fields of one task.
type taskEditor struct {
	ID         int64 // 0: it is new
	Definition *taskdef.Definition
	Typed      taskForm
	Saved      bool
	Before     *taskdef.Definition // the task before it by date; nil: there is none
	After      *taskdef.Definition
	seen       *taskForm // what the fields held when they were read; nil: as they are
	fill       bool      // the fields hold what the task has
	streams    []enrol.Stream
	sets       []enrol.GroupSet
	images     []assess.Image
	today      clock.Date
	unitID     int64
	words      *page.Language
	wrong      map[string]string
	clash      bool // somebody else changed what is wrong
}

// around reads what the fields choose from.
func (e *taskEditor) around(ctx context.Context, q db.Q, who *access.Caller, unitID int64) (err error) {
	if e.streams, err = enrol.StreamsOf(ctx, q, unitID); err != nil {
		return err
	}
	if e.sets, err = enrol.GroupSetsOf(ctx, q, unitID); err != nil {
		return err
	}
	if who.May(policy.ListImages) {
		e.images, err = assess.Images(ctx, q)
	}
	return err
}

// open finds the task among those of the list, and fills the fields where nobody typed yet.
func (e *taskEditor) open(s *room, v *tasksPage) error {
	e.words, e.unitID = s.Words, v.Unit.ID
	if e.ID == 0 {
		if e.fill {
			e.Typed = blankTask(v.Unit, e.today)
		}
		return nil
	}
	i := slices.IndexFunc(v.All, func(d taskdef.Definition) bool { return d.ID == e.ID })
	if i < 0 {
		return fault.New(fault.Missing, "This unit has no such task.")
	}
	e.Definition = &v.All[i]
	if i > 0 {
		e.Before = &v.All[i-1]
	}
	if i+1 < len(v.All) {
		e.After = &v.All[i+1]
	}
	if e.fill {
		e.Typed = formOfTask(e.Definition)
	}
	if e.seen == nil {
		now := formOfTask(e.Definition)
		e.seen = &now
	}
	return nil
}

type newTaskIn struct {
	ID int64 `path:"id" scope:"unit"`
}

// taskIn names the task that is edited.
type taskIn struct {
	UnitID       int64 `path:"unit_id" scope:"unit"`
	DefinitionID int64 `path:"task_definition_id" scope:"definition"`
}

func (in taskIn) path() string { return links.To(links.TaskEditor, in.UnitID, in.DefinitionID) }

func (s *room) newTask(ctx context.Context, who *access.Caller, in newTaskIn) (*page.Page, error) {
	return s.drawTask(ctx, who, in.ID, &taskEditor{fill: true, today: clock.Day(s.DB.Now().Time)})
}

func (s *room) editTask(ctx context.Context, who *access.Caller, in struct {
	taskIn
	Saved bool `param:"saved"`
}) (*page.Page, error) {
	return s.drawTask(ctx, who, in.UnitID, &taskEditor{ID: in.DefinitionID, fill: true, Saved: in.Saved})
}

// drawTask draws an editor beside the list.
func (s *room) drawTask(ctx context.Context, who *access.Caller, unitID int64, e *taskEditor) (*page.Page, error) {
	v, err := s.readTasks(ctx, who, unitID, tasksIn{}, e)
	if err != nil {
		return nil, err
	}
	p := s.tasksTitled(who, v)
	p.Title = e.Title()
	return p, nil
}

// taskSent is what the form of a task sends.
type taskSent struct {
	Task taskForm `param:"task"`
	Do   string   `param:"do"` // what to do to the files that are asked for; empty: save
}

type addTaskIn struct {
	newTaskIn
	taskSent
}

func (s *room) addTask(ctx context.Context, who *access.Caller, in addTaskIn) (endpoint.Drawing, error) {
	e := &taskEditor{Typed: in.Task}
	if in.Do != "" {
		e.Typed.rearrange(in.Do)
		return s.drawTask(ctx, who, in.ID, e)
	}
	e.Typed.tidy()
	c, err := e.Typed.read(nil)
	if err == nil {
		var d *taskdef.Definition
		if d, err = s.Usecases.AddDefinition(ctx, in.ID, c); err == nil {
			return endpoint.Redirect{To: links.To(links.TaskEditor, in.ID, d.ID) + "?saved=1"}, nil
		}
	}
	return s.taskAgain(ctx, who, in.ID, e, err)
}

type changeTaskIn struct {
	taskIn
	taskSent
	Seen string `param:"seen"` // what the fields held when they were read
}

func (s *room) changeTask(ctx context.Context, who *access.Caller, in changeTaskIn) (endpoint.Drawing, error) {
	seen, err := editing.Parse[taskForm](in.Seen)
	if err != nil {
		return nil, err
	}
	e := &taskEditor{ID: in.DefinitionID, Typed: in.Task, seen: seen}
	if in.Do != "" {
		e.Typed.rearrange(in.Do)
		return s.drawTask(ctx, who, in.UnitID, e)
	}
	e.Typed.tidy()
	c, err := e.Typed.read(seen)
	if err == nil {
		// The fields were read on our own pages, so what is no value in them is no mistake of the reader.
		was, _ := seen.read(&e.Typed)
		c.Seen = &was
		if _, err = s.Usecases.ChangeDefinition(ctx, in.DefinitionID, c); err == nil {
			return endpoint.Redirect{To: in.path() + "?saved=1"}, nil
		}
	}
	return s.taskAgain(ctx, who, in.UnitID, e, err)
}

// taskAgain shows the fields as they were typed with what is wrong. A value that somebody else
// changed meanwhile is told with both, and saving once more takes what is typed.
func (s *room) taskAgain(ctx context.Context, who *access.Caller, unitID int64, e *taskEditor,
	why error) (endpoint.Drawing, error) {
	v, err := s.readTasks(ctx, who, unitID, tasksIn{}, e)
	if err != nil {
		return nil, err
	}
	p, err := s.Again(s.Refusal(who, "task-setup", e.Title(), v), why)
	if err != nil {
		return nil, err
	}
	if f, ok := errors.AsType[*fault.Error](why); ok {
		e.wrong = f.Fields
	}
	if len(e.wrong) > 0 {
		p.Wrong.Text = s.Word("task-setup.refused")
	}
	if e.clash = fault.Is(why, fault.Conflict) && len(e.wrong) > 0 && e.ID != 0; e.clash {
		now := formOfTask(e.Definition)
		e.Typed = editing.Onto(e.Typed, *e.seen, now)
		e.seen = &now
	}
	return p, nil
}

// Title is that of the editor.
func (e *taskEditor) Title() string {
	if e.Definition == nil {
		return e.words.Word("task-setup.new")
	}
	return e.Definition.Abbreviation + " " + e.Definition.Name
}

// Path is where the form is sent to.
func (e *taskEditor) Path() string {
	if e.ID == 0 {
		return links.To(links.TaskSetup, e.unitID) + "/new"
	}
	return taskIn{e.unitID, e.ID}.path()
}

// Seen is what the fields held when they were read, for the form to send back.
func (e *taskEditor) Seen() (string, error) { return editing.Pack(e.seen) }

// At is the editor of a task beside this one.
func (e *taskEditor) At(d *taskdef.Definition) string { return taskIn{e.unitID, d.ID}.path() }

// Error tells what is wrong with a field. Where somebody else changed it, that is told with their
// value.
func (e *taskEditor) Error(name string) string {
	why := e.wrong[name]
	switch {
	case why == "":
		return ""
	case e.clash:
		return e.words.Word("task-setup.clash", e.now(name))
	}
	for _, field := range []struct{ name, label string }{{"start_date", "start"}, {"target_date", "target"},
		{"due_date", "deadline"}} {
		why = strings.ReplaceAll(why, field.name, strings.ToLower(e.words.Word("task-setup."+field.label)))
	}
	return strings.ToUpper(why[:1]) + why[1:] + "."
}

// now tells what a field holds by now, in words.
func (e *taskEditor) now(name string) string {
	d, chosen := e.Definition, func(list []taskChoice) string {
		for _, c := range list {
			if c.On {
				return c.Text
			}
		}
		return ""
	}
	now := *e
	now.Typed = *e.seen
	day := func(d clock.Date) string { return e.words.Date("day-year", d.Time) }
	switch name {
	case "start_date":
		return day(d.StartDate)
	case "target_date":
		return day(d.TargetDate)
	case "due_date":
		return day(d.Due())
	case "target_grade":
		return e.words.Grade(d.TargetGrade)
	case "upload_requirements":
		return e.filesWords(d.Requirements)
	case "tutorial_stream_abbr":
		return chosen(now.StreamOptions())
	case "group_set_id":
		return chosen(now.GroupOptions())
	case "overseer_image_id":
		return chosen(now.ImageOptions())
	case "moss_language":
		return chosen(now.LanguageOptions())
	}
	return e.value(d, name)
}

// value tells what a task has of what is no date and no choice.
func (e *taskEditor) value(d *taskdef.Definition, name string) string {
	flag := func(on bool) string {
		if on {
			return e.words.Word("task-setup.on")
		}
		return e.words.Word("task-setup.off")
	}
	switch name {
	case "restrict_status_updates":
		return flag(d.RestrictStatus)
	case "is_graded":
		return flag(d.IsGraded)
	case "assessment_enabled":
		return flag(d.AssessmentEnabled)
	case "assessment_trusted":
		return flag(d.AssessmentTrusted)
	case "assessment_statuses":
		var names []string
		for _, st := range d.AssessmentStatuses {
			names = append(names, e.words.Status(st))
		}
		return strings.Join(names, ", ")
	}
	return fmt.Sprint(map[string]any{"name": d.Name, "abbreviation": d.Abbreviation, "description": d.Description,
		"weighting": d.Weighting, "max_quality_pts": d.MaxQualityPts, "plagiarism_warn_pct": d.WarnPct,
		"assessment_limits": e.words.Word("task-setup.limits-changed")}[name])
}

// filesWords names the files that a task asks for.
func (e *taskEditor) filesWords(list taskdef.Requirements) string {
	names := make([]string, len(list))
	for i, one := range list {
		names[i] = one.Name
	}
	if len(names) == 0 {
		return e.words.Word("task-setup.no-file")
	}
	return strings.Join(names, ", ")
}

// taskOption is one of a choice, chosen where its value is that of the field.
func taskOption(value, text, chosen string) taskChoice {
	return taskChoice{Value: value, Text: text, On: value == chosen}
}

// GradeOptions are the grades that a task may be for.
func (e *taskEditor) GradeOptions() (list []taskChoice) {
	for _, g := range grade.Targets {
		list = append(list, taskOption(strconv.Itoa(int(g)), e.words.Grade(g), e.Typed.Grade))
	}
	return list
}

// StreamOptions are the streams of the unit; a unit that has some needs one of them.
func (e *taskEditor) StreamOptions() (list []taskChoice) {
	for _, st := range e.streams {
		list = append(list, taskOption(st.Abbreviation, st.Name, e.Typed.Stream))
	}
	return list
}

// GroupOptions are the group sets of the unit, and none.
func (e *taskEditor) GroupOptions() []taskChoice {
	list := []taskChoice{taskOption("", e.words.Word("task-setup.no-group"), e.Typed.GroupSet)}
	for _, set := range e.sets {
		list = append(list, taskOption(strconv.FormatInt(set.ID, 10), set.Name, e.Typed.GroupSet))
	}
	return list
}

// ImageOptions are the container images, and that of the unit.
func (e *taskEditor) ImageOptions() []taskChoice {
	list := []taskChoice{taskOption("", e.words.Word("task-setup.image-unit"), e.Typed.Image)}
	for _, i := range e.images {
		list = append(list, taskOption(strconv.FormatInt(i.ID, 10), i.Name, e.Typed.Image))
	}
	return list
}

// taskLanguages are the languages that code is compared as, with their names.
var taskLanguages = []struct {
	language engine.Language
	name     string
}{{engine.C, "C"}, {engine.CPP, "C++"}, {engine.CSharp, "C#"}, {engine.Java, "Java"}, {engine.JavaScript, "JavaScript"},
	{engine.Python, "Python"}, {engine.TypeScript, "TypeScript"}}

// LanguageOptions are the languages to choose from, and the one that the names of the files tell.
func (e *taskEditor) LanguageOptions() []taskChoice {
	own := e.Typed.Language
	list := []taskChoice{taskOption("", e.words.Word("task-setup.language-any"), own)}
	for _, l := range taskLanguages {
		value := l.language.String()
		if own == "moss "+value {
			value = own
		}
		list = append(list, taskOption(value, l.name, own))
	}
	if !slices.ContainsFunc(list, func(c taskChoice) bool { return c.On }) {
		list = append(list, taskOption(own, own, own))
	}
	return list
}

// KindOptions are the kinds of files to ask for.
func (e *taskEditor) KindOptions(chosen string) []taskChoice {
	kinds := []taskChoice{taskOption(string(taskdef.Document), e.words.Word("task-setup.kind-document"), chosen),
		taskOption(string(taskdef.Code), e.words.Word("task-setup.kind-code"), chosen),
		taskOption(string(taskdef.Image), e.words.Word("task-setup.kind-image"), chosen)}
	return kinds
}

// StatusOptions are the statuses that tests may give.
func (e *taskEditor) StatusOptions() (list []taskChoice) {
	for _, st := range status.Automatable {
		list = append(list, taskChoice{Value: string(st), Text: e.words.Status(st),
			On: slices.Contains(e.Typed.Statuses, string(st))})
	}
	return list
}

// taskLimit is a field of a limit.
type taskLimit struct{ Name, Label, Value string }

// LimitFields are the limits of the tests.
func (e *taskEditor) LimitFields() (list []taskLimit) {
	for i, value := range e.Typed.Limits.list() {
		list = append(list, taskLimit{limitNames[i], e.words.Word("task-setup." + limitNames[i]), *value})
	}
	return list
}
