package unit

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/editing"
	"lectern/internal/web/site/page"
)

func (s *room) newRoutes() {
	page.Show(s.Site, links.NewUnit, policy.CreateUnits, "Start a unit, blank or from an earlier one", s.newUnit)
	page.Form(s.Site, links.NewUnit, policy.CreateUnits, "Create a blank unit", s.createUnit,
		endpoint.Audited(audit.Unit, audit.Role),
		endpoint.Asks(policy.ReadUnit, policy.ListStudents, policy.ListGroups))
}

// mostEarlier is how many earlier units are offered at once: the newest, or those that a search finds.
const mostEarlier = 20

type newUnitIn struct {
	Text  string `param:"text"`
	Blank bool   `param:"blank"`
}

// newForm is what the fields of a blank unit hold, as it is typed.
type newForm struct {
	Code     string `param:"code"`
	Name     string `param:"name"`
	Period   string `param:"teaching_period_id"`
	Convenor string `param:"main_convenor"` // a user name
}

// newPage is where a unit begins.
type newPage struct {
	Blank   bool // from nothing; else from an earlier unit
	Text    string
	Earlier []earlier
	More    int // earlier units that are not listed
	Periods []course.TeachingPeriod
	Typed   newForm
	wrong   map[string]string
}

// earlier is a unit that a new one may begin from.
type earlier struct {
	course.UnitSummary
	Period string // that it was taught in; empty: none
}

func (s *room) newUnit(ctx context.Context, who *access.Caller, in newUnitIn) (*page.Page, error) {
	v, err := s.readNew(ctx, who, in)
	if err != nil {
		return nil, err
	}
	return s.Titled(who, "unit-new", s.Word("new.title"), v), nil
}

// readNew reads what a unit may begin from. Whoever has no earlier unit begins with nothing.
func (s *room) readNew(ctx context.Context, who *access.Caller, in newUnitIn) (*newPage, error) {
	v := &newPage{Blank: in.Blank, Text: strings.TrimSpace(in.Text)}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Periods, err = course.TeachingPeriods(ctx, q); err != nil {
			return err
		}
		units, err := course.UnitsFor(ctx, q, who.ID, who.Role, true)
		if err != nil {
			return err
		}
		v.offer(units)
		v.Blank = v.Blank || len(units) == 0
		me, err := ident.ByID(ctx, q, who.ID)
		if err == nil {
			v.Typed = newForm{Period: nextPeriod(v.Periods, q.Now()), Convenor: me.Username}
		}
		return err
	})
	return v, err
}

// offer lists the units that the reader convenes, or as an administrator all, the newest first.
func (v *newPage) offer(units []course.UnitSummary) {
	slices.SortStableFunc(units, func(a, b course.UnitSummary) int { return b.StartDate.Compare(a.StartDate.Time) })
	names := map[int64]string{}
	for _, p := range v.Periods {
		names[p.ID] = periodName(p)
	}
	for _, u := range units {
		if u.MyRole == nil || *u.MyRole != policy.Convenor.Name() && *u.MyRole != policy.Admin.Name() ||
			!strings.Contains(strings.ToLower(u.Code+" "+u.Name), strings.ToLower(v.Text)) {
			continue
		}
		if len(v.Earlier) == mostEarlier {
			v.More++
			continue
		}
		one := earlier{UnitSummary: u}
		if u.TeachingPeriodID != nil {
			one.Period = names[*u.TeachingPeriodID]
		}
		v.Earlier = append(v.Earlier, one)
	}
}

func periodName(p course.TeachingPeriod) string {
	return p.Period + " " + strconv.FormatInt(p.Year, 10)
}

// nextPeriod is the number of the first teaching period that is still to come, else of the last one.
func nextPeriod(all []course.TeachingPeriod, now clock.Time) string {
	for _, p := range all {
		if p.StartDate.After(now.Time) {
			return strconv.FormatInt(p.ID, 10)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return strconv.FormatInt(all[len(all)-1].ID, 10)
}

// periodOptions are the teaching periods to choose from, the newest first.
func periodOptions(all []course.TeachingPeriod, chosen string) (list []editing.Option) {
	for _, p := range slices.Backward(all) {
		list = append(list, editing.Choice(p.ID, periodName(p), chosen))
	}
	return list
}

// PeriodOptions are the teaching periods to choose from.
func (v *newPage) PeriodOptions() []editing.Option { return periodOptions(v.Periods, v.Typed.Period) }

// Error tells what is wrong with a field.
func (v *newPage) Error(name string) string { return editing.Sentence(v.wrong[name]) }

type createUnitIn struct {
	Unit newForm `param:"unit"`
}

// createUnit makes a blank unit. Whoever has a part in it is led there.
func (s *room) createUnit(ctx context.Context, who *access.Caller, in createUnitIn) (endpoint.Drawing, error) {
	c, convenor, err := s.readBlank(ctx, in.Unit)
	if err == nil {
		made, failed := s.Usecases.CreateUnit(ctx, who, c, convenor)
		if err = failed; err == nil {
			if made.MyRole == nil {
				return endpoint.Redirect{To: links.Home}, nil
			}
			return endpoint.Redirect{To: links.To(links.Unit, made.ID)}, nil
		}
	}
	v, failed := s.readNew(ctx, who, newUnitIn{Blank: true})
	if failed != nil {
		return nil, failed
	}
	v.Typed = in.Unit
	if e, told := errors.AsType[*fault.Error](err); told {
		v.wrong = map[string]string{}
		for name, why := range e.Fields {
			v.wrong[strings.TrimSuffix(name, "_user_id")] = why
		}
	}
	p, err := s.Again(s.Refusal(who, "unit-new", s.Word("new.title"), v), err)
	if err == nil && len(v.wrong) > 0 {
		p.Wrong.Text = s.Word("new.refused")
	}
	return p, err
}

// readBlank makes the values of a unit, and who convenes it, of what was typed.
func (s *room) readBlank(ctx context.Context, f newForm) (c course.UnitChange, convenor int64, err error) {
	active := true
	c = course.UnitChange{Code: &f.Code, Name: &f.Name, Active: &active}
	var wrong fault.Fields
	period, bad := strconv.ParseInt(f.Period, 10, 64)
	wrong.When(bad != nil, "teaching_period_id", "must be chosen")
	c.TeachingPeriodID = course.Setting[int64]{Set: true, To: &period}
	person, err := ident.ByUsername(ctx, s.DB.Pool(), strings.TrimSpace(f.Convenor))
	switch {
	case fault.Is(err, fault.Missing):
		wrong.Add("main_convenor", "must be the username of somebody who may convene")
	case err != nil:
		return c, 0, err
	default:
		convenor = person.ID
	}
	return c, convenor, wrong.Err(fault.Refused)
}
