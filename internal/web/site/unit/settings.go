package unit

import (
	"context"
	"errors"
	"html/template"
	"slices"
	"strconv"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/editing"
	"lectern/internal/web/site/page"
)

func (s *room) settingsRoutes() {
	parts := endpoint.Asks(policy.ReadUnit, policy.ListStudents, policy.ListGroups)
	page.Show(s.Site, links.UnitSettings, policy.SeeAccess, "The settings of a unit, and who can see it",
		s.settings, parts)
	page.Form(s.Site, links.UnitSettings, policy.EditUnit, "Change the settings of a unit; what moves is shown first",
		s.changeSettings, endpoint.Audited(audit.Unit, audit.Role), parts, endpoint.Asks(policy.SeeAccess))
	page.Show(s.Site, links.UnitSettings+"/close", policy.SeeAccess, "Ask before a unit is closed", s.askClose)
	page.Form(s.Site, links.UnitSettings+"/close", policy.EditUnit, "Close a unit", s.closeUnit,
		endpoint.Audited(audit.Unit), parts)
	page.Form(s.Site, links.UnitSettings+"/reopen", policy.EditUnit, "Open a closed unit again", s.reopenUnit,
		endpoint.Audited(audit.Unit), parts)
}

type settingsIn struct {
	ID int64 `path:"id" scope:"unit"`
}

type showSettingsIn struct {
	settingsIn
	Saved bool `param:"saved"` // they were, just now
}

// settingsPage is the settings of a unit.
type settingsPage struct {
	Unit    *course.Unit
	Typed   settingsForm
	Seen    settingsForm // what the fields held when they were read
	Periods []course.TeachingPeriod
	Full    *usecase.FullUnit
	Access  *access.Access // nil: the reader may not see who has it
	Plan    *datesPlan     // what moves; nil: it was not asked for
	Saved   bool
	wrong   map[string]string
	words   *page.Language
}

func (s *room) settings(ctx context.Context, who *access.Caller, in showSettingsIn) (*page.Page, error) {
	v, err := s.readSettings(ctx, who, in.ID)
	if err != nil {
		return nil, err
	}
	v.Saved = in.Saved
	return s.Titled(who, "unit-settings", s.Word("settings.title"), v), nil
}

func (s *room) readSettings(ctx context.Context, who *access.Caller, id int64) (*settingsPage, error) {
	v := &settingsPage{words: s.Words}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Full, err = usecase.UnitByID(ctx, q, who, id); err != nil {
			return err
		}
		if v.Periods, err = course.TeachingPeriods(ctx, q); err != nil || !who.May(policy.SeeAccess) {
			return err
		}
		v.Access, err = access.AccessTo(ctx, q, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	v.Unit = &v.Full.Unit
	v.Typed = formOf(v.Unit)
	v.Seen = v.Typed
	return v, nil
}

type changeSettingsIn struct {
	settingsIn
	Unit    settingsForm `param:"unit"`
	Seen    settingsForm `param:"seen"`
	Planned plannedDates `param:"planned"` // what moves with these was shown
}

// changeSettings saves what was changed. Where dates move, what moves with them is shown first, and
// again when they are others than those it was shown for.
func (s *room) changeSettings(ctx context.Context, who *access.Caller, in changeSettingsIn) (endpoint.Drawing, error) {
	c, err := in.Unit.read(in.Seen)
	if err == nil {
		// The fields were read on our own pages, so what is no value in them is no mistake of the reader.
		seen, _ := in.Seen.read(in.Unit)
		c.Seen = &seen
		if moves(c) && in.Planned != in.Unit.dates() {
			return s.planSettings(ctx, who, in, c)
		}
		_, err = s.Usecases.ChangeUnit(ctx, who, in.ID, c)
	}
	if err == nil {
		return endpoint.Redirect{To: links.To(links.UnitSettings, in.ID) + "?saved=1"}, nil
	}
	return s.settingsAgain(ctx, who, in, err)
}

// planSettings shows what a change of dates moves, with the fields as they were typed.
func (s *room) planSettings(ctx context.Context, who *access.Caller, in changeSettingsIn,
	c usecase.UnitChange) (endpoint.Drawing, error) {
	after, err := s.Usecases.PlanUnit(ctx, who, in.ID, c)
	if err != nil {
		return s.settingsAgain(ctx, who, in, err)
	}
	v, err := s.readSettings(ctx, who, in.ID)
	if err != nil {
		return nil, err
	}
	v.Typed, v.Seen, v.Plan = in.Unit, in.Seen, planOf(v.Full, after)
	return s.Titled(who, "unit-settings", s.Word("settings.title"), v), nil
}

// settingsAgain shows the fields as they were typed with what is wrong. A value that somebody
// else changed meanwhile is told with both, and saving once more takes what is typed.
func (s *room) settingsAgain(ctx context.Context, who *access.Caller, in changeSettingsIn, why error) (endpoint.Drawing,
	error) {
	v, err := s.readSettings(ctx, who, in.ID)
	if err != nil {
		return nil, err
	}
	v.Typed = in.Unit
	e, told := errors.AsType[*fault.Error](why)
	if told {
		v.wrong = e.Fields
	}
	if fault.Is(why, fault.Conflict) {
		v.Typed = editing.Onto(in.Unit, in.Seen, v.Seen)
		v.wrong = map[string]string{}
		for name := range e.Fields {
			v.wrong[name] = s.Word("settings.clash", v.now(name))
		}
	} else {
		v.Seen = in.Seen
	}
	p, err := s.Again(s.Refusal(who, "unit-settings", s.Word("settings.title"), v), why)
	if err == nil && len(v.wrong) > 0 {
		p.Wrong.Text = s.Word("settings.refused")
	}
	return p, err
}

// Error tells what is wrong with a field.
func (v *settingsPage) Error(name string) string { return editing.Sentence(v.wrong[name]) }

// now tells in words what a field holds as the unit is.
func (v *settingsPage) now(name string) string {
	is := v.Seen.value(name)
	choices := map[string]func() []editing.Option{"teaching_period_id": v.PeriodOptions,
		"main_convenor_id":         v.ConvenorOptions,
		"draft_task_definition_id": v.DraftOptions}
	if list := choices[name]; list != nil {
		options := list()
		if i := slices.IndexFunc(options, func(o editing.Option) bool { return o.Value == is }); i >= 0 {
			return options[i].Text
		}
	}
	if day, err := clock.ParseDate(is); err == nil {
		return v.words.Date("day-year", day.Time)
	}
	if is == "" {
		return v.words.Word("settings.nothing")
	}
	return v.words.Word("settings.quoted", is)
}

// PeriodOptions are the teaching periods to choose from.
func (v *settingsPage) PeriodOptions() []editing.Option {
	list := []editing.Option{editing.Named("", v.words.Word("settings.no-period"), v.Typed.Period == "")}
	for _, p := range v.Periods {
		list = append(list, editing.Choice(p.ID, p.Period+" "+strconv.FormatInt(p.Year, 10), v.Typed.Period))
	}
	return list
}

// ConvenorOptions are those of the staff who may be the main convenor.
func (v *settingsPage) ConvenorOptions() (list []editing.Option) {
	if v.Seen.Convenor == "" {
		list = append(list, editing.Named("", v.words.Word("settings.no-convenor"), v.Typed.Convenor == ""))
	}
	for _, m := range v.Full.Staff {
		if m.Role == policy.Convenor {
			list = append(list, editing.Choice(m.ID, m.FirstName+" "+m.LastName, v.Typed.Convenor))
		}
	}
	return list
}

// DraftOptions are the tasks that may be the draft of the learning summary.
func (v *settingsPage) DraftOptions() []editing.Option {
	list := []editing.Option{editing.Named("", v.words.Word("settings.no-draft"), v.Typed.Draft == "")}
	for _, d := range v.Full.TaskDefinitions {
		if d.Requirements.OneDocument() || strconv.FormatInt(d.ID, 10) == v.Typed.Draft {
			list = append(list, editing.Choice(d.ID, d.Abbreviation+" "+d.Name, v.Typed.Draft))
		}
	}
	return list
}

// ZoneOptions are the time zones to choose from.
func (v *settingsPage) ZoneOptions() template.HTML { return page.ZoneOptions(v.Typed.Zone) }

// Read lists what the fields held when they were read, for the form that changes them.
func (v *settingsPage) Read() []field { return v.Seen.fields("seen") }

// Why says why somebody sees the unit.
func (v *settingsPage) Why(r access.Reader) string {
	switch {
	case r.Reason != access.Employed:
		return v.words.Word("settings.why-admin")
	case r.Main:
		return v.words.Word("settings.why-main")
	case r.Role == policy.Convenor:
		return v.words.Word("settings.why-convenor")
	}
	return v.words.Word("settings.why-tutor")
}

// askClose asks before a unit is closed.
func (s *room) askClose(ctx context.Context, who *access.Caller, in settingsIn) (*page.Page, error) {
	u, err := course.UnitByID(ctx, s.DB.Pool(), in.ID)
	if err != nil {
		return nil, err
	}
	back := links.To(links.UnitSettings, in.ID)
	return s.Ask(who, s.Word("settings.close-title"), page.Question{About: u.Code + " " + u.Name,
		Text: s.Word("settings.close-ask"), Action: back + "/close", Do: s.Word("settings.close"), Back: back}), nil
}

func (s *room) closeUnit(ctx context.Context, who *access.Caller, in settingsIn) (endpoint.Drawing, error) {
	return s.setActive(ctx, who, in.ID, false)
}

func (s *room) reopenUnit(ctx context.Context, who *access.Caller, in settingsIn) (endpoint.Drawing, error) {
	return s.setActive(ctx, who, in.ID, true)
}

func (s *room) setActive(ctx context.Context, who *access.Caller, id int64, active bool) (endpoint.Drawing, error) {
	_, err := s.Usecases.ChangeUnit(ctx, who, id, usecase.UnitChange{UnitChange: course.UnitChange{Active: &active}})
	return endpoint.Redirect{To: links.To(links.UnitSettings, id) + "#closing"}, err
}
