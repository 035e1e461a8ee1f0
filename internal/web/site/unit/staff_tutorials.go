package unit

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/ground/opt"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/teaching/enrol"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/editing"
	"lectern/internal/web/site/page"
)

func (s *room) tutorialRoutes() {
	at := links.StaffSetup + "/tutorials/new"
	page.Show(s.Site, at, policy.SeeStaff, "A new tutorial of a unit", s.newTutorial)
	page.Form(s.Site, at, policy.EditTutorials, "Add a tutorial to a unit", s.addTutorial,
		endpoint.Audited(audit.Tutorial))
	page.Show(s.Site, links.TutorialEditor, policy.SeeStaff, "A tutorial of a unit, to be changed", s.editTutorial)
	page.Form(s.Site, links.TutorialEditor, policy.EditTutorials, "Change a tutorial of a unit", s.changeTutorial,
		endpoint.Audited(audit.Tutorial))
	page.Show(s.Site, links.TutorialEditor+"/delete", policy.SeeStaff, "Ask before a tutorial of a unit is deleted",
		s.askDeleteTutorial)
	page.Form(s.Site, links.TutorialEditor+"/delete", policy.EditTutorials, "Delete a tutorial of a unit",
		s.deleteTutorial, endpoint.Audited(audit.Tutorial))
}

// tutorialForm is what the fields of a tutorial hold, as it is typed.
type tutorialForm struct {
	Code     string `param:"abbreviation"`
	Stream   string `param:"tutorial_stream_abbr"`
	Tutor    string `param:"tutor_id"`
	Day      string `param:"meeting_day"`
	Time     string `param:"meeting_time"`
	Place    string `param:"meeting_location"`
	Capacity string `param:"capacity"`
	Campus   string `param:"campus_id"`
}

func formOfTutorial(t *enrol.Tutorial) tutorialForm {
	f := tutorialForm{Code: t.Abbreviation, Stream: opt.Or(t.StreamAbbr, ""), Tutor: number(t.TutorID), Day: t.MeetingDay,
		Time: t.MeetingTime, Place: t.MeetingLocation, Campus: number(t.CampusID)}
	if t.Capacity > 0 {
		f.Capacity = number(&t.Capacity)
	}
	return f
}

// read gives the values of f in which it differs from other, or all without another.
func (f *tutorialForm) read(other *tutorialForm) (c enrol.TutorialChange, err error) {
	r := &editing.Difference{All: other == nil}
	if other == nil {
		other = &tutorialForm{}
	}
	r.Text(&c.Abbreviation, strings.TrimSpace(f.Code), other.Code)
	r.Text(&c.StreamAbbr, f.Stream, other.Stream)
	r.Text(&c.MeetingDay, strings.TrimSpace(f.Day), other.Day)
	r.Text(&c.MeetingTime, strings.TrimSpace(f.Time), other.Time)
	r.Text(&c.MeetingLocation, strings.TrimSpace(f.Place), other.Place)
	r.OrElse("tutor_id", &c.TutorID, 0, f.Tutor, other.Tutor)
	r.OrElse("capacity", &c.Capacity, -1, f.Capacity, other.Capacity)
	r.OrElse("campus_id", &c.CampusID, -1, f.Campus, other.Campus)
	return c, r.Wrong.Err(fault.Refused)
}

// tutorialEditor is the fields of one tutorial.
type tutorialEditor struct {
	ID      int64 // 0: it is new
	Name    string
	Typed   tutorialForm
	Saved   string        // in words, what was saved just now
	seen    *tutorialForm // what the fields held when they were read; nil: as they are
	fill    bool          // the fields hold what the tutorial has
	page    *staffPage
	wrong   map[string]string
	clash   bool // somebody else changed what is wrong
	current tutorialForm
}

// open finds the tutorial among those of the unit, and fills the fields where nobody typed yet.
func (e *tutorialEditor) open(v *staffPage) error {
	e.page = v
	if e.ID == 0 {
		if e.fill {
			e.blank()
		}
		return nil
	}
	i := slices.IndexFunc(v.all, func(t enrol.Tutorial) bool { return t.ID == e.ID })
	if i < 0 {
		return fault.New(fault.Missing, "This unit has no such tutorial.")
	}
	e.Name, e.current = v.all[i].Abbreviation, formOfTutorial(&v.all[i])
	if e.fill {
		e.Typed = e.current
	}
	if e.seen == nil {
		e.seen = &e.current
	}
	return nil
}

// blank is what a new tutorial begins with: the day and the stream that the last one has.
func (e *tutorialEditor) blank() {
	e.Typed.Day = time.Monday.String()
	if all := e.page.all; len(all) > 0 {
		last := formOfTutorial(&all[len(all)-1])
		e.Typed = tutorialForm{Stream: last.Stream, Day: last.Day, Time: last.Time, Place: last.Place,
			Capacity: last.Capacity, Campus: last.Campus}
	} else if len(e.page.Streams) > 0 {
		e.Typed.Stream = e.page.Streams[0].Abbreviation
	}
}

type newTutorialIn struct {
	ID    int64  `path:"id" scope:"unit"`
	Added string `param:"added"` // that was, just now
}

// tutorialIn names the tutorial that is edited.
type tutorialIn struct {
	UnitID     int64 `path:"unit_id" scope:"unit"`
	TutorialID int64 `path:"tutorial_id" scope:"tutorial"`
}

func (in tutorialIn) path() string { return links.To(links.TutorialEditor, in.UnitID, in.TutorialID) }

func (s *room) newTutorial(ctx context.Context, who *access.Caller, in newTutorialIn) (*page.Page, error) {
	e := &tutorialEditor{fill: true}
	if in.Added != "" {
		e.Saved = s.Word("staff-setup.tutorial-added", in.Added)
	}
	return s.drawTutorial(ctx, who, in.ID, e)
}

func (s *room) editTutorial(ctx context.Context, who *access.Caller, in struct {
	tutorialIn
	Saved bool `param:"saved"`
}) (*page.Page, error) {
	e := &tutorialEditor{ID: in.TutorialID, fill: true}
	if in.Saved {
		e.Saved = s.Word("staff-setup.saved")
	}
	return s.drawTutorial(ctx, who, in.UnitID, e)
}

// drawTutorial draws an editor beside the list.
func (s *room) drawTutorial(ctx context.Context, who *access.Caller, unitID int64, e *tutorialEditor) (*page.Page,
	error) {
	v, err := s.readStaff(ctx, unitID, e, nil)
	if err != nil {
		return nil, err
	}
	p := s.staffTitled(who, v)
	p.Title = e.Title()
	return p, nil
}

type addTutorialIn struct {
	ID       int64        `path:"id" scope:"unit"`
	Tutorial tutorialForm `param:"tutorial"`
	Next     bool         `param:"next"` // another one is to be added
}

func (s *room) addTutorial(ctx context.Context, who *access.Caller, in addTutorialIn) (endpoint.Drawing, error) {
	c, err := in.Tutorial.read(nil)
	if err == nil {
		var t *enrol.Tutorial
		if t, err = s.Usecases.AddTutorial(ctx, in.ID, c); err == nil {
			if in.Next {
				return endpoint.Redirect{To: links.To(links.StaffSetup, in.ID) + "/tutorials/new?" +
					values("added", t.Abbreviation)}, nil
			}
			return staffLed(in.ID, "added", t.Abbreviation), nil
		}
	}
	return s.tutorialAgain(ctx, who, in.ID, &tutorialEditor{Typed: in.Tutorial}, err)
}

type changeTutorialIn struct {
	tutorialIn
	Tutorial tutorialForm `param:"tutorial"`
	Seen     string       `param:"seen"` // what the fields held when they were read
}

func (s *room) changeTutorial(ctx context.Context, who *access.Caller, in changeTutorialIn) (endpoint.Drawing, error) {
	seen := &tutorialForm{}
	if err := unsealed(in.Seen, seen); err != nil {
		return nil, err
	}
	c, err := in.Tutorial.read(seen)
	if err == nil {
		// The fields were read on our own pages, so what is no value in them is no mistake of the reader.
		was, _ := seen.read(&in.Tutorial)
		c.Seen = &was
		if _, err = s.Usecases.ChangeTutorial(ctx, in.TutorialID, c); err == nil {
			return endpoint.Redirect{To: in.path() + "?saved=1"}, nil
		}
	}
	return s.tutorialAgain(ctx, who, in.UnitID, &tutorialEditor{ID: in.TutorialID, Typed: in.Tutorial, seen: seen}, err)
}

// tutorialAgain shows the fields as they were typed with what is wrong. A value that somebody else
// changed meanwhile is told with both, and saving once more takes what is typed.
func (s *room) tutorialAgain(ctx context.Context, who *access.Caller, unitID int64, e *tutorialEditor,
	why error) (endpoint.Drawing, error) {
	v, err := s.readStaff(ctx, unitID, e, nil)
	if err != nil {
		return nil, err
	}
	p, err := s.Again(s.Refusal(who, "staff-setup", e.Title(), v), why)
	if err != nil {
		return nil, err
	}
	if f, ok := errors.AsType[*fault.Error](why); ok {
		e.wrong = f.Fields
	}
	if len(e.wrong) > 0 {
		p.Wrong.Text = s.Word("staff-setup.refused")
	}
	if e.clash = fault.Is(why, fault.Conflict) && len(e.wrong) > 0 && e.ID != 0; e.clash {
		e.Typed = editing.Onto(e.Typed, *e.seen, e.current)
		e.seen = &e.current
	}
	return p, nil
}

// askDeleteTutorial says what a tutorial is used by.
func (s *room) askDeleteTutorial(ctx context.Context, who *access.Caller, in tutorialIn) (*page.Page, error) {
	t, err := enrol.TutorialByID(ctx, s.DB.Pool(), in.TutorialID)
	if err != nil {
		return nil, err
	}
	q := page.Question{About: t.Abbreviation, Text: s.Word("staff-setup.delete-ask"), Action: in.path() + "/delete",
		Do: s.Word("staff-setup.delete"), Back: links.To(links.StaffSetup, in.UnitID)}
	if t.NumStudents > 0 {
		q.Text = s.Word("staff-setup.delete-students", t.NumStudents)
	}
	return s.Ask(who, q.Do, q), nil
}

func (s *room) deleteTutorial(ctx context.Context, who *access.Caller, in tutorialIn) (endpoint.Drawing, error) {
	t, err := enrol.TutorialByID(ctx, s.DB.Pool(), in.TutorialID)
	if err != nil {
		return nil, err
	}
	if err := s.Usecases.DeleteTutorial(ctx, in.TutorialID); err != nil {
		return s.staffAgain(ctx, who, in.UnitID, err)
	}
	return staffLed(in.UnitID, "deleted", t.Abbreviation), nil
}

// Title is that of the editor.
func (e *tutorialEditor) Title() string {
	if e.ID == 0 {
		return e.page.words.Word("staff-setup.new-tutorial")
	}
	return e.Name
}

// Path is where the form is sent to.
func (e *tutorialEditor) Path() string {
	if e.ID == 0 {
		return e.page.Path() + "/tutorials/new"
	}
	return tutorialIn{e.page.Unit.ID, e.ID}.path()
}

// Seen is what the fields held when they were read, for the form to send back.
func (e *tutorialEditor) Seen() (string, error) { return sealed(e.seen) }

// sealed writes the fields of a form as one line that a form carries, whatever people wrote.
func sealed(form any) (string, error) {
	text, err := json.Marshal(form)
	return base64.RawURLEncoding.EncodeToString(text), err
}

// unsealed reads what sealed wrote.
func unsealed(text string, form any) error {
	plain, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(plain, form)
	}
	if err != nil {
		return fault.New(fault.Invalid, "The form is not complete. Open the page again.")
	}
	return nil
}

// Error tells what is wrong with a field. Where somebody else changed it, that is told with their
// value.
func (e *tutorialEditor) Error(name string) string {
	if e.clash && e.wrong[name] != "" {
		return e.page.words.Word("staff-setup.clash", e.now(name))
	}
	return editing.Sentence(e.wrong[name])
}

// now tells what a field holds by now, in words.
func (e *tutorialEditor) now(name string) string {
	is := *e
	is.Typed = e.current
	lists := map[string]func() []editing.Option{"tutor_id": is.TutorOptions, "campus_id": is.CampusOptions,
		"tutorial_stream_abbr": is.StreamOptions, "meeting_day": is.DayOptions}
	if list := lists[name]; list != nil {
		for _, o := range list() {
			if o.On {
				return o.Text
			}
		}
	}
	text := map[string]string{"abbreviation": e.current.Code, "meeting_time": e.current.Time,
		"meeting_location": e.current.Place, "capacity": e.current.Capacity}[name]
	if text == "" {
		return e.page.words.Word("staff-setup.nothing")
	}
	return text
}

// TutorOptions are the staff, and nobody.
func (e *tutorialEditor) TutorOptions() []editing.Option {
	list := []editing.Option{editing.Named("", e.page.words.Word("staff-setup.no-tutor"), e.Typed.Tutor == "")}
	for _, m := range e.page.members {
		list = append(list, editing.Choice(m.UserID, fullName(m), e.Typed.Tutor))
	}
	return list
}

// CampusOptions are the campuses that are in use, and any.
func (e *tutorialEditor) CampusOptions() []editing.Option {
	list := []editing.Option{editing.Named("", e.page.words.Word("staff-setup.any-campus"), e.Typed.Campus == "")}
	for _, c := range e.page.Campuses {
		if c.Active || strconv.FormatInt(c.ID, 10) == e.Typed.Campus {
			list = append(list, editing.Choice(c.ID, c.Name, e.Typed.Campus))
		}
	}
	return list
}

// StreamOptions are the streams of the unit, and none.
func (e *tutorialEditor) StreamOptions() []editing.Option {
	list := []editing.Option{editing.Named("", e.page.words.Word("staff-setup.no-stream"), e.Typed.Stream == "")}
	for _, st := range e.page.Streams {
		list = append(list, editing.Named(st.Abbreviation, st.Name, st.Abbreviation == e.Typed.Stream))
	}
	return list
}

// DayOptions are the days of the week, and what else a tutorial has for one.
func (e *tutorialEditor) DayOptions() (list []editing.Option) {
	monday := time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 7 {
		day := monday.AddDate(0, 0, i)
		value := day.Weekday().String()
		list = append(list, editing.Named(value, e.page.words.Date("weekday", day), value == e.Typed.Day))
	}
	if !slices.ContainsFunc(list, func(o editing.Option) bool { return o.On }) {
		text := e.Typed.Day
		if text == "" {
			text = e.page.words.Word("staff-setup.nothing")
		}
		list = append(list, editing.Named(e.Typed.Day, text, true))
	}
	return list
}
