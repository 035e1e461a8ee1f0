package admin

import (
	"context"
	"strconv"
	"strings"
	"unicode"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/teaching/course"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

// sentence makes what is wrong with a field one that stands for itself.
func sentence(why string) string {
	if why == "" {
		return ""
	}
	r := []rune(strings.TrimSuffix(why, "."))
	r[0] = unicode.ToUpper(r[0])
	return string(r) + "."
}

// step is one of the steps of the first start, as they stand across its pages.
type step struct {
	Text, Href, Word string
	Done, Current    bool
}

// bareSteps are the steps before the administrator is in: none leads anywhere yet.
func (s *room) bareSteps() []step { return s.steps("administrator", nil) }

// steps are those of the first start, with what is done by now; nil: nothing is.
func (s *room) steps(at string, done *usecase.SetupState) []step {
	if done == nil {
		done = &usecase.SetupState{}
	}
	list := []step{
		{Text: s.Word("first.administrator"), Done: done.Administrator, Current: at == "administrator"},
		{Text: s.Word("first.institution"), Href: institution.at(true), Done: done.Address, Current: at == institution.name},
		{Text: s.Word("first.sign-in"), Href: signIn.at(true), Done: done.SignIn, Current: at == signIn.name},
		{Text: s.Word("first.email"), Href: email.at(true), Done: done.Mail, Current: at == email.name},
		{Text: s.Word("first.unit"), Href: firstUnit, Done: done.Units, Current: at == "unit"},
	}
	for i := range list {
		if !done.Administrator || list[i].Current {
			list[i].Href = ""
		}
		if list[i].Done && list[i].Current {
			list[i].Done = false // the number says where one is
		}
		if list[i].Done {
			list[i].Word = s.Word("first.is-done")
		}
	}
	return list
}

// firstPeriod is what is typed for the first teaching period.
type firstPeriod struct {
	Period string `param:"period"`
	Year   string `param:"year"`
	Start  string `param:"start_date"`
	End    string `param:"end_date"`
}

// unitPage is the last step of the first start: when there is teaching, and what is taught.
type unitPage struct {
	Steps   []step
	State   *usecase.SetupState
	Periods []course.TeachingPeriod
	Typed   firstPeriod
	Back    string
	Next    string
	wrong   map[string]string
}

// Error tells what is wrong with a field.
func (v *unitPage) Error(name string) string { return sentence(v.wrong[name]) }

func (s *room) unitPage(ctx context.Context, who *access.Caller) (*page.Page, *unitPage, error) {
	v := &unitPage{Back: email.at(true), Next: firstDone}
	var err error
	if v.State, err = s.Usecases.Setup(ctx, who); err != nil {
		return nil, nil, err
	}
	if v.Periods, err = course.TeachingPeriods(ctx, s.DB.Pool()); err != nil {
		return nil, nil, err
	}
	v.Typed.Year = strconv.Itoa(s.Now().Year())
	v.Steps = s.steps("unit", v.State)
	return s.firstCard(who, "first-unit", s.Word("first.unit-title"), v), v, nil
}

func (s *room) firstUnit(ctx context.Context, who *access.Caller, _ struct{}) (*page.Page, error) {
	p, _, err := s.unitPage(ctx, who)
	return p, err
}

// makePeriod makes the first teaching period, and leads on to the unit.
func (s *room) makePeriod(ctx context.Context, who *access.Caller, in firstPeriod) (endpoint.Drawing, error) {
	made, err := in.period()
	if err == nil {
		_, err = s.Usecases.AddPeriod(ctx, made)
	}
	if err == nil {
		return endpoint.Redirect{To: links.NewUnit + "?blank=true"}, nil
	}
	p, v, drawn := s.unitPage(ctx, who)
	if drawn != nil {
		return nil, drawn
	}
	v.Typed, v.wrong = in, fieldsOf(err)
	return s.Again(p, err)
}

// period reads what was typed. The period is there for its units until four weeks after its end.
func (f *firstPeriod) period() (p course.TeachingPeriod, err error) {
	var wrong fault.Fields
	year, bad := strconv.ParseInt(strings.TrimSpace(f.Year), 10, 64)
	wrong.When(bad != nil || year < 2000 || year > 2200, "year", "must be a year")
	start, bad := clock.ParseDate(f.Start)
	wrong.When(bad != nil, "start_date", "must be a date")
	end, bad := clock.ParseDate(f.End)
	wrong.When(bad != nil, "end_date", "must be a date")
	wrong.When(strings.TrimSpace(f.Period) == "", "period", "must be filled in")
	p = course.TeachingPeriod{Period: strings.TrimSpace(f.Period), Year: year, StartDate: clock.At(start.Time),
		EndDate: clock.At(end.Time), ActiveUntil: clock.At(end.AddDate(0, 0, afterwards))}
	return p, wrong.Err(fault.Refused)
}

const afterwards = 28 // days

// donePage is what is left to do after the first start.
type donePage struct {
	Steps    []step
	State    *usecase.SetupState
	Left     []left
	Pending  []string
	Settings string
}

// left is something that nobody has done yet.
type left struct{ Text, Why, Href, Do string }

func (s *room) firstDone(ctx context.Context, who *access.Caller, _ struct{}) (*page.Page, error) {
	state, err := s.Usecases.Setup(ctx, who)
	if err != nil {
		return nil, err
	}
	v := &donePage{Steps: s.steps("", state), State: state, Pending: state.Pending, Settings: links.AdminSettings}
	add := func(done bool, text, why, href, do string) {
		if !done {
			v.Left = append(v.Left, left{text, why, href, do})
		}
	}
	add(state.Factor, s.Word("first.left-factor"), s.Word("first.left-factor-why"), firstFactor, s.Word("first.do"))
	add(state.Address, s.Word("first.left-address"), s.Word("first.left-address-why"), institution.at(true),
		s.Word("first.do"))
	add(state.SignIn, s.Word("first.left-sign-in"), s.Word("first.left-sign-in-why"), signIn.at(true), s.Word("first.do"))
	add(state.Mail, s.Word("first.left-mail"), s.Word("first.left-mail-why"), email.at(true), s.Word("first.do"))
	add(state.Units, s.Word("first.left-unit"), s.Word("first.left-unit-why"), firstUnit, s.Word("first.do"))
	add(state.People, s.Word("first.left-people"), s.Word("first.left-people-why"), links.People+"/import",
		s.Word("first.left-people-do"))
	add(state.Backups, s.Word("first.left-backups"), s.Word("first.left-backups-why"), "", "")
	return s.firstCard(who, "first-done", s.Word("first.done-title"), v), nil
}
