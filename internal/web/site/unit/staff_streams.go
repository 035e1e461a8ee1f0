package unit

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/enrol"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/editing"
	"lectern/internal/web/site/page"
)

func (s *room) streamRoutes() {
	at := links.StaffSetup + "/streams/new"
	page.Show(s.Site, at, policy.SeeStaff, "A new stream of tutorials of a unit", s.newStream)
	page.Form(s.Site, at, policy.EditTutorials, "Add a stream of tutorials to a unit", s.addStream,
		endpoint.Audited(audit.Tutorial))
	page.Show(s.Site, links.StreamEditor, policy.SeeStaff, "A stream of tutorials of a unit, to be changed", s.editStream)
	page.Form(s.Site, links.StreamEditor, policy.EditTutorials, "Change a stream of tutorials of a unit", s.changeStream,
		endpoint.Audited(audit.Tutorial))
	page.Show(s.Site, links.StreamEditor+"/delete", policy.SeeStaff, "Ask before a stream of tutorials is deleted",
		s.askDeleteStream)
	page.Form(s.Site, links.StreamEditor+"/delete", policy.EditTutorials, "Delete a stream of tutorials of a unit",
		s.deleteStream, endpoint.Audited(audit.Tutorial))
}

// values writes one value of an address.
func values(name, value string) string { return url.Values{name: {value}}.Encode() }

// streamForm is what the fields of a stream hold, as it is typed.
type streamForm struct {
	Name string `param:"name"`
	Code string `param:"abbreviation"`
	Kind string `param:"activity_type_abbr"`
}

func formOfStream(s *enrol.Stream) streamForm {
	return streamForm{s.Name, s.Abbreviation, s.ActivityType}
}

// read gives the values of f in which it differs from other.
func (f *streamForm) read(other *streamForm) (c enrol.StreamChange) {
	r := &editing.Difference{}
	r.Text(&c.Name, strings.TrimSpace(f.Name), other.Name)
	r.Text(&c.Abbreviation, strings.TrimSpace(f.Code), other.Code)
	r.Text(&c.ActivityType, f.Kind, other.Kind)
	return c
}

// streamEditor is the fields of one stream.
type streamEditor struct {
	ID      int64 // 0: it is new
	Name    string
	Typed   streamForm
	Saved   bool
	seen    *streamForm // what the fields held when they were read; nil: as they are
	fill    bool        // the fields hold what the stream has
	page    *staffPage
	wrong   map[string]string
	clash   bool
	current streamForm
}

// open finds the stream among those of the unit, and fills the fields where nobody typed yet.
func (e *streamEditor) open(v *staffPage) error {
	e.page = v
	if e.ID == 0 {
		return nil
	}
	i := slices.IndexFunc(v.Streams, func(s enrol.Stream) bool { return s.ID == e.ID })
	if i < 0 {
		return noStream()
	}
	e.Name, e.current = v.Streams[i].Name, formOfStream(&v.Streams[i])
	if e.fill {
		e.Typed = e.current
	}
	if e.seen == nil {
		e.seen = &e.current
	}
	return nil
}

func noStream() error { return fault.New(fault.Missing, "This unit has no such stream.") }

type newStreamIn struct {
	ID int64 `path:"id" scope:"unit"`
}

// streamIn names the stream that is edited.
type streamIn struct {
	UnitID   int64 `path:"unit_id" scope:"unit"`
	StreamID int64 `path:"stream_id"`
}

func (in streamIn) path() string { return links.To(links.StreamEditor, in.UnitID, in.StreamID) }

// named gives the stream among those of the unit.
func (in streamIn) named(list []enrol.Stream) (*enrol.Stream, error) {
	i := slices.IndexFunc(list, func(s enrol.Stream) bool { return s.ID == in.StreamID })
	if i < 0 {
		return nil, noStream()
	}
	return &list[i], nil
}

// stream reads the stream.
func (s *room) stream(ctx context.Context, in streamIn) (*enrol.Stream, error) {
	list, err := enrol.StreamsOf(ctx, s.DB.Pool(), in.UnitID)
	if err != nil {
		return nil, err
	}
	return in.named(list)
}

func (s *room) newStream(ctx context.Context, who *access.Caller, in newStreamIn) (*page.Page, error) {
	return s.drawStream(ctx, who, in.ID, &streamEditor{})
}

func (s *room) editStream(ctx context.Context, who *access.Caller, in struct {
	streamIn
	Saved bool `param:"saved"`
}) (*page.Page, error) {
	return s.drawStream(ctx, who, in.UnitID, &streamEditor{ID: in.StreamID, fill: true, Saved: in.Saved})
}

func (s *room) drawStream(ctx context.Context, who *access.Caller, unitID int64, e *streamEditor) (*page.Page, error) {
	v, err := s.readStaff(ctx, unitID, nil, e)
	if err != nil {
		return nil, err
	}
	p := s.staffTitled(who, v)
	p.Title = e.Title()
	return p, nil
}

type addStreamIn struct {
	newStreamIn
	Stream streamForm `param:"stream"`
}

// addStream adds a stream, which is named after its activity type, and leads to where it gets another
// name.
func (s *room) addStream(ctx context.Context, who *access.Caller, in addStreamIn) (endpoint.Drawing, error) {
	st, err := s.Usecases.AddStream(ctx, in.ID, in.Stream.Kind)
	if err != nil {
		return s.streamAgain(ctx, who, in.ID, &streamEditor{Typed: in.Stream}, err)
	}
	return endpoint.Redirect{To: links.To(links.StreamEditor, in.ID, st.ID) + "?saved=1"}, nil
}

type changeStreamIn struct {
	streamIn
	Stream streamForm `param:"stream"`
	Seen   string     `param:"seen"` // what the fields held when they were read
}

func (s *room) changeStream(ctx context.Context, who *access.Caller, in changeStreamIn) (endpoint.Drawing, error) {
	seen := &streamForm{}
	if err := unsealed(in.Seen, seen); err != nil {
		return nil, err
	}
	st, err := s.stream(ctx, in.streamIn)
	if err != nil {
		return nil, err
	}
	c := in.Stream.read(seen)
	was := seen.read(&in.Stream)
	c.Seen = &was
	if _, err := s.Usecases.ChangeStream(ctx, in.UnitID, st.Abbreviation, c); err != nil {
		return s.streamAgain(ctx, who, in.UnitID, &streamEditor{ID: in.StreamID, Typed: in.Stream, seen: seen}, err)
	}
	return endpoint.Redirect{To: in.path() + "?saved=1"}, nil
}

// streamAgain shows the fields as they were typed with what is wrong, as tutorialAgain does.
func (s *room) streamAgain(ctx context.Context, who *access.Caller, unitID int64, e *streamEditor,
	why error) (endpoint.Drawing, error) {
	v, err := s.readStaff(ctx, unitID, nil, e)
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

// askDeleteStream says what goes with a stream, and where its tasks go.
func (s *room) askDeleteStream(ctx context.Context, who *access.Caller, in streamIn) (*page.Page, error) {
	var st *enrol.Stream
	var streams []enrol.Stream
	tutorials, tasks := 0, 0
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if streams, err = enrol.StreamsOf(ctx, q, in.UnitID); err != nil {
			return err
		}
		if st, err = in.named(streams); err != nil {
			return err
		}
		list, err := enrol.TutorialsOf(ctx, q, in.UnitID)
		if err != nil {
			return err
		}
		tutorials = len(slices.DeleteFunc(list, func(t enrol.Tutorial) bool { return !of(t.StreamAbbr, st) }))
		all, err := taskdef.DefinitionsOf(ctx, q, in.UnitID)
		tasks = len(slices.DeleteFunc(all, func(d taskdef.Definition) bool { return !of(d.StreamAbbr, st) }))
		return err
	})
	if err != nil {
		return nil, err
	}
	text := s.Word("staff-setup.stream-ask", tutorials)
	switch {
	case tasks == 0:
	case len(streams) == 1:
		text += " " + s.Word("staff-setup.stream-last", tasks)
	case len(streams) == 2:
		text += " " + s.Word("staff-setup.stream-other", tasks)
	default:
		text = s.Word("staff-setup.stream-used", tasks)
	}
	return s.Ask(who, s.Word("staff-setup.stream-delete"), page.Question{About: st.Name, Text: text,
		Action: in.path() + "/delete", Do: s.Word("staff-setup.stream-delete"),
		Back: links.To(links.StaffSetup, in.UnitID)}), nil
}

// of tells whether an abbreviation is that of a stream.
func of(abbreviation *string, s *enrol.Stream) bool {
	return abbreviation != nil && *abbreviation == s.Abbreviation
}

func (s *room) deleteStream(ctx context.Context, who *access.Caller, in streamIn) (endpoint.Drawing, error) {
	st, err := s.stream(ctx, in)
	if err != nil {
		return nil, err
	}
	if err := s.Usecases.RemoveStream(ctx, in.UnitID, st.Abbreviation); err != nil {
		return s.staffAgain(ctx, who, in.UnitID, err)
	}
	return staffLed(in.UnitID, "deleted", st.Name), nil
}

// Title is that of the editor.
func (e *streamEditor) Title() string {
	if e.ID == 0 {
		return e.page.words.Word("staff-setup.new-stream")
	}
	return e.Name
}

// Path is where the form is sent to.
func (e *streamEditor) Path() string {
	if e.ID == 0 {
		return e.page.Path() + "/streams/new"
	}
	return streamIn{e.page.Unit.ID, e.ID}.path()
}

// Seen is what the fields held when they were read, for the form to send back.
func (e *streamEditor) Seen() (string, error) { return sealed(e.seen) }

// Error tells what is wrong with a field, with the value that somebody else gave it.
func (e *streamEditor) Error(name string) string {
	if !e.clash || e.wrong[name] == "" {
		return editing.Sentence(e.wrong[name])
	}
	now := map[string]string{"name": e.current.Name, "abbreviation": e.current.Code}[name]
	for _, k := range e.page.Kinds {
		if name == "activity_type_abbr" && k.Abbreviation == e.current.Kind {
			now = k.Name
		}
	}
	return e.page.words.Word("staff-setup.clash", now)
}

// KindOptions are the activity types.
func (e *streamEditor) KindOptions() (list []editing.Option) {
	for _, k := range e.page.Kinds {
		list = append(list, editing.Named(k.Abbreviation, k.Name, k.Abbreviation == e.Typed.Kind))
	}
	return list
}
