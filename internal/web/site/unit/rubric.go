package unit

import (
	"context"
	"errors"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/rubric"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/editing"
	"lectern/internal/web/site/page"
	"lectern/internal/web/site/taskpart"
)

func (s *room) rubricRoutes() {
	page.Show(s.Site, links.TaskRubric, policy.SeeMaterial, "The rubric of a task, to be changed", s.editRubric)
	page.Form(s.Site, links.TaskRubric, policy.EditDefinitions, "Change the rubric of a task", s.changeRubric,
		endpoint.Audited(audit.Definition))
	page.Show(s.Site, links.TaskRubric+"/remove", policy.SeeMaterial, "Ask before the rubric of a task is removed",
		s.askRemoveRubric)
	page.Form(s.Site, links.TaskRubric+"/remove", policy.EditDefinitions, "Remove the rubric of a task", s.removeRubric,
		endpoint.Audited(audit.Definition))
	s.rubricSheetRoutes()
}

// rubricPage is the rubric of a task with its fields.
type rubricPage struct {
	rubricForm
	Definition *taskdef.Definition
	Now        *rubric.Rubric // nil: the task has none
	Marked     int64          // tasks that have levels of it
	Done       string         // what was done just now: saved or removed
	Show       bool           // as students see it
	Focus      string         // the field or the button that has it
	Notes      []string       // what a colleague changed meanwhile that no field shows
	sources    []rubric.Source
	from       int64 // the task that was copied just now
	seen       *rubricSeen
	wrong      map[string]string
	both       map[string]string // what fields hold by now that a colleague changed, too
	words      *page.Language
}

// rubricIn is what the form of a rubric sends.
type rubricIn struct {
	taskIn
	rubricForm
	Do   string `param:"do"`   // what to do to the fields; empty: save
	From int64  `param:"from"` // a task to copy the rubric of
	Seen string `param:"seen"`
}

func (in taskIn) rubric() string { return links.To(links.TaskRubric, in.UnitID, in.DefinitionID) }

// readRubric reads the rubric of a task as it is.
func (s *room) readRubric(ctx context.Context, who *access.Caller, definitionID int64) (*rubricPage, error) {
	v := &rubricPage{words: s.Words}
	return v, s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Definition, err = taskdef.DefinitionByID(ctx, q, definitionID); err != nil {
			return err
		}
		if v.sources, err = rubric.Sources(ctx, q, definitionID, who.ID); err != nil {
			return err
		}
		if v.Now, err = rubric.Find(ctx, q, definitionID); err != nil || v.Now == nil {
			return err
		}
		v.Marked, err = v.Now.MarkedWith(ctx, q)
		return err
	})
}

// fill fills the fields with what the task has.
func (v *rubricPage) fill() {
	now := v.current()
	v.seen, v.Criteria = &now, now.Criteria
	v.Fit = v.Now == nil && v.Definition.MaxQualityPts == 0
}

// current is the rubric of now as whoever changes it reads it.
func (v *rubricPage) current() rubricSeen {
	if v.Now == nil {
		return rubricSeen{}
	}
	return rubricSeen{v.Now.ID, formOfCriteria(v.Now.Criteria)}
}

func (s *room) rubricTitled(who *access.Caller, v *rubricPage) *page.Page {
	p := s.Titled(who, "rubric-setup", s.Word("rubric-setup.title", v.Definition.Abbreviation), v)
	p.Within = &page.Crumb{Words: v.Definition.Abbreviation, Path: v.Task()}
	return p
}

func (s *room) editRubric(ctx context.Context, who *access.Caller, in struct {
	taskIn
	Done string `param:"done"`
}) (*page.Page, error) {
	v, err := s.readRubric(ctx, who, in.DefinitionID)
	if err != nil {
		return nil, err
	}
	if in.Done == "saved" || in.Done == "removed" {
		v.Done = in.Done
	}
	v.fill()
	return s.rubricTitled(who, v), nil
}

// changeRubric saves the fields, or does something to them and draws them again, which saves nothing.
func (s *room) changeRubric(ctx context.Context, who *access.Caller, in rubricIn) (endpoint.Drawing, error) {
	seen, err := editing.Parse[rubricSeen](in.Seen)
	if err != nil {
		return nil, err
	}
	in.oneLine()
	if in.Do != "" {
		return s.redrawRubric(ctx, who, in, seen)
	}
	in.tidy()
	list, err := in.read()
	if err == nil {
		_, err = s.Usecases.SaveRubric(ctx, who, in.DefinitionID, rubric.Change{Criteria: list, Fits: in.Fit, Seen: &seen.ID})
	}
	if err == nil {
		return endpoint.Redirect{To: in.rubric() + "?done=saved"}, nil
	}
	return s.rubricAgain(ctx, who, in, seen, err)
}

// redrawRubric does something to the fields that saves nothing.
func (s *room) redrawRubric(ctx context.Context, who *access.Caller, in rubricIn, seen *rubricSeen) (endpoint.Drawing,
	error) {
	v, err := s.readRubric(ctx, who, in.DefinitionID)
	if err != nil {
		return nil, err
	}
	v.rubricForm, v.seen = in.rubricForm, seen
	p := s.rubricTitled(who, v)
	switch in.Do {
	case "show":
		v.Show, v.Focus = true, "rubric-edit"
	case "edit":
		v.Focus = "rubric-show"
	case "copy":
		list, err := s.Usecases.CriteriaOf(ctx, who, in.From)
		if err != nil {
			return s.Again(p, err)
		}
		v.Criteria, v.from = formOfCriteria(list), in.From
		v.Focus = criterionID(0, "title")
	default:
		v.Focus = v.rearrange(in.Do, []string{s.Word("rubric-setup.excellent"), s.Word("rubric-setup.good"),
			s.Word("rubric-setup.developing"), s.Word("rubric-setup.missing")})
	}
	return p, nil
}

// rubricAgain shows the fields as they were typed with what is wrong. What a colleague changed meanwhile is told with
// both values, and saving once more takes what is typed.
func (s *room) rubricAgain(ctx context.Context, who *access.Caller, in rubricIn, seen *rubricSeen,
	why error) (endpoint.Drawing, error) {
	v, err := s.readRubric(ctx, who, in.DefinitionID)
	if err != nil {
		return nil, err
	}
	v.rubricForm, v.seen = in.rubricForm, seen
	p, err := s.Again(s.rubricTitled(who, v), why)
	if err != nil {
		return nil, err
	}
	if f, ok := errors.AsType[*fault.Error](why); ok {
		v.wrong = f.Fields
	}
	if v.marked() {
		p.Wrong.Text = s.Word("task-setup.refused")
	}
	if fault.Is(why, fault.Conflict) {
		v.merge()
	}
	return p, nil
}

// marked tells whether what is wrong stands beside its field. A task that is wrong by itself is told of in one
// sentence.
func (v *rubricPage) marked() bool {
	for name := range v.wrong {
		if name != "max_quality_pts" && !strings.HasPrefix(name, "criteria") {
			return false
		}
	}
	return len(v.wrong) > 0
}

// merge brings what is typed onto the rubric of now.
func (v *rubricPage) merge() {
	now := v.current()
	var list rubric.Criteria
	if v.Now != nil {
		list = v.Now.Criteria
	}
	if v.Now == nil { // all of it is new then, though nobody typed
		for i := range v.Criteria {
			v.Criteria[i].renew()
		}
	} else {
		k := v.onto(v.seen.Criteria, list)
		v.both = k.both
		if k.added > 0 {
			v.Notes = append(v.Notes, v.words.Word("rubric-setup.added", k.added))
		}
		for _, title := range k.gone {
			v.Notes = append(v.Notes, v.words.Word("rubric-setup.removed-meanwhile", title))
		}
	}
	v.seen = &now
}

// Path is where the form is sent to, and Task where the task itself is changed.
func (v *rubricPage) Path() string {
	return taskIn{v.Definition.UnitID, v.Definition.ID}.rubric()
}

// Task is where the task itself is changed.
func (v *rubricPage) Task() string { return taskIn{v.Definition.UnitID, v.Definition.ID}.path() }

// taskTab is one of the pages of a task's settings.
type taskTab struct {
	Text, Href    string
	Current       bool
	Count, Colour string // of a badge, which none has
}

// Tabs are the pages of a task's settings.
func (v *rubricPage) Tabs() []taskTab {
	return []taskTab{{Text: v.words.Word("rubric-setup.details"), Href: v.Task()},
		{Text: v.words.Word("desk.rubric"), Href: v.Path(), Current: true},
		{Text: v.words.Word("task-setup.preview"), Href: v.Task() + "/preview"}}
}

// Seen is the rubric as it was read, for the form to send back.
func (v *rubricPage) Seen() (string, error) { return editing.Pack(v.seen) }

// Error tells what is wrong with a field, and what it holds by now where a colleague changed it.
func (v *rubricPage) Error(name string) string {
	if now, both := v.both[name]; both {
		return v.words.Word("task-setup.clash", now)
	}
	why := v.wrong[name]
	switch {
	case name == "criteria" && why != "":
		why = v.words.Word("rubric-setup.wrong-criteria", why)
	case strings.HasSuffix(name, "[levels]") && why != "":
		why = v.words.Word("rubric-setup.wrong-levels", why)
	}
	return editing.Sentence(why)
}

// CriterionError and LevelError are those of a field of a criterion, or of a level.
func (v *rubricPage) CriterionError(i int, name string) string {
	return v.Error(criterionField(i, name))
}

// LevelError is that of a field of a level.
func (v *rubricPage) LevelError(i, j int, name string) string { return v.Error(levelField(i, j, name)) }

// rubricSum is what the best levels add up to, beside the quality points of the task.
type rubricSum struct {
	Best, Most int64
	Points     bool // any level has some
	Fits       bool
}

// Sum is that of what is typed.
func (v *rubricPage) Sum() rubricSum {
	best, points := v.best()
	return rubricSum{best, v.Definition.MaxQualityPts, points, best == v.Definition.MaxQualityPts}
}

// AsShown is what students would see of what is typed.
func (v *rubricPage) AsShown() *taskpart.Rubric {
	r := &rubric.Rubric{Criteria: v.shown()}
	if sum := v.Sum(); sum.Points {
		r.Points = &sum.Best
	}
	return &taskpart.Rubric{Rubric: r}
}

// Most tells whether another criterion may be added.
func (v *rubricPage) Most() bool { return len(v.Criteria) >= rubric.MostCriteria }

// Sources are the tasks whose rubric can be copied.
func (v *rubricPage) Sources() (list []taskChoice) {
	for _, one := range v.sources {
		text := one.Abbreviation + " " + one.Name
		if one.UnitID != v.Definition.UnitID {
			text = one.UnitCode + ": " + text
		}
		list = append(list, taskOption(taskNumber(&one.ID), text, taskNumber(&v.from)))
	}
	return list
}

// Next is the version that a change makes.
func (v *rubricPage) Next() int64 { return v.Now.Version + 1 }

// askRemoveRubric says what stays of a rubric that is removed.
func (s *room) askRemoveRubric(ctx context.Context, who *access.Caller, in taskIn) (*page.Page, error) {
	v, err := s.readRubric(ctx, who, in.DefinitionID)
	if err != nil {
		return nil, err
	}
	if v.Now == nil {
		return nil, fault.New(fault.Missing, "This task has no rubric.")
	}
	q := page.Question{About: v.Definition.Abbreviation + " " + v.Definition.Name, Text: s.Word("rubric-setup.remove-ask"),
		Action: in.rubric() + "/remove?seen=" + taskNumber(&v.Now.ID), Do: s.Word("rubric-setup.remove"), Back: in.rubric()}
	if v.Marked > 0 {
		q.Text += " " + s.Word("rubric-setup.remove-marked", v.Marked)
	}
	return s.Ask(who, q.Do, q), nil
}

// removeRubric leaves the task without a rubric. One that was changed since the question was asked stays.
func (s *room) removeRubric(ctx context.Context, who *access.Caller, in struct {
	taskIn
	Seen int64 `param:"seen"`
}) (endpoint.Drawing, error) {
	err := s.Usecases.RemoveRubric(ctx, in.DefinitionID, &in.Seen)
	if err == nil {
		return endpoint.Redirect{To: in.rubric() + "?done=removed"}, nil
	}
	v, read := s.readRubric(ctx, who, in.DefinitionID)
	if read != nil {
		return nil, read
	}
	v.fill()
	return s.Again(s.rubricTitled(who, v), err)
}
