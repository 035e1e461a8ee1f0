package unit

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"

	"lectern/internal/ground/links"
	"lectern/internal/ground/opt"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/enrol"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

func (s *room) staffRoutes() {
	page.Show(s.Site, links.StaffSetup, policy.SeeStaff, "The staff, streams and tutorials of a unit", s.staff)
	s.staffRoleRoutes()
	s.tutorialRoutes()
	s.streamRoutes()
	s.tutorialSheetRoutes()
}

// staffIn is what the address of the staff says.
type staffIn struct {
	ID    int64  `path:"id" scope:"unit"`
	Done  string `param:"done"`  // what was done just now
	About string `param:"about"` // to whom or what
}

// staffPage is the staff, streams and tutorials of a unit, and perhaps one of them that is edited.
type staffPage struct {
	Unit      *course.Unit
	Staff     []staffRow
	Groups    []tutorialGroup
	Tutorials int
	Streams   []enrol.Stream
	Campuses  []course.Campus
	Kinds     []course.ActivityType // of streams
	Done      string                // in words, what was done just now
	Tutorial  *tutorialEditor       // nil: none is edited
	Stream    *streamEditor         // nil: none is edited
	members   []course.StaffMember
	all       []enrol.Tutorial
	words     *page.Language
}

// staffRow is somebody on the staff, with what they teach.
type staffRow struct {
	ID        int64 // of their role
	Name      string
	Username  string
	Convenor  bool
	Main      bool
	Tutorials []string
	At        string // where their role is changed
}

// tutorialGroup is the tutorials of a stream, or those without any.
type tutorialGroup struct {
	Stream *enrol.Stream // nil: they have none
	Kind   string        // the activity type of it
	At     string        // where the stream is changed
	Rows   []tutorialLine
}

// tutorialLine is a tutorial as the table shows it.
type tutorialLine struct {
	ID            int64
	Code          string
	Tutor, Campus string // empty: none
	Meets, Place  string // when and where it meets
	Places        string // how many students are in it, and of how many where that is bounded
	At            string // where it is changed
	Here          bool   // it is edited
	Beside        bool   // something is edited beside the list, which only leads from one to another then
}

func (s *room) staff(ctx context.Context, who *access.Caller, in staffIn) (*page.Page, error) {
	v, err := s.readStaff(ctx, in.ID, nil, nil)
	if err != nil {
		return nil, err
	}
	v.Done = s.staffDone(in)
	return s.staffTitled(who, v), nil
}

func (s *room) staffTitled(who *access.Caller, v *staffPage) *page.Page {
	return s.Titled(who, "staff-setup", s.Word("staff-setup.title"), v)
}

// staffDone says what was done just now.
func (s *room) staffDone(in staffIn) string {
	switch in.Done {
	case "added":
		return s.Word("staff-setup.done-added", in.About)
	case "changed":
		return s.Word("staff-setup.done-changed", in.About)
	case "main":
		return s.Word("staff-setup.done-main", in.About)
	case "removed":
		return s.Word("staff-setup.done-removed", in.About)
	case "deleted":
		return s.Word("staff-setup.done-deleted", in.About)
	}
	return ""
}

// staffLed leads to the staff of a unit, where it says what was done.
func staffLed(unitID int64, done, about string) endpoint.Redirect {
	return endpoint.Redirect{To: links.To(links.StaffSetup, unitID) + "?" +
		url.Values{"done": {done}, "about": {about}}.Encode()}
}

// readStaff reads the staff, streams and tutorials of a unit, and for an editor what it chooses from.
func (s *room) readStaff(ctx context.Context, unitID int64, t *tutorialEditor, st *streamEditor) (*staffPage, error) {
	v := &staffPage{Tutorial: t, Stream: st, words: s.Words}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Unit, err = course.UnitByID(ctx, q, unitID); err != nil {
			return err
		}
		if v.members, err = course.StaffOf(ctx, q, unitID); err != nil {
			return err
		}
		if v.all, err = enrol.TutorialsOf(ctx, q, unitID); err != nil {
			return err
		}
		if v.Streams, err = enrol.StreamsOf(ctx, q, unitID); err != nil {
			return err
		}
		if v.Campuses, err = course.Campuses(ctx, q); err != nil {
			return err
		}
		v.Kinds, err = course.ActivityTypes(ctx, q)
		return err
	})
	if err != nil {
		return nil, err
	}
	v.arrange()
	if t != nil {
		err = t.open(v)
	}
	if st != nil {
		err = st.open(v)
	}
	return v, err
}

// staffAgain draws the page with what was wrong.
func (s *room) staffAgain(ctx context.Context, who *access.Caller, unitID int64, why error) (endpoint.Drawing, error) {
	v, err := s.readStaff(ctx, unitID, nil, nil)
	if err != nil {
		return nil, err
	}
	return s.Again(s.Refusal(who, "staff-setup", s.Word("staff-setup.title"), v), why)
}

// arrange puts people by role and name, and tutorials under their streams by abbreviation.
func (v *staffPage) arrange() {
	taught, named := map[int64][]string{}, map[int64]string{}
	for _, t := range v.all {
		if t.TutorID != nil {
			taught[*t.TutorID] = append(taught[*t.TutorID], t.Abbreviation)
		}
	}
	for _, m := range v.members {
		named[m.UserID] = fullName(m)
		slices.Sort(taught[m.UserID])
		v.Staff = append(v.Staff, staffRow{ID: m.ID, Name: fullName(m), Username: m.Username,
			Convenor: m.Role == policy.Convenor, Main: opt.Or(v.Unit.MainConvenorID, 0) == m.ID,
			Tutorials: taught[m.UserID], At: links.To(links.StaffRole, v.Unit.ID, m.ID)})
	}
	slices.SortStableFunc(v.Staff, func(a, b staffRow) int {
		return cmp.Or(-compareBool(a.Main, b.Main), -compareBool(a.Convenor, b.Convenor), cmp.Compare(a.Name, b.Name))
	})
	v.group(named)
}

// group puts tutorials under their streams; those without one come last.
func (v *staffPage) group(named map[int64]string) {
	campus := map[int64]string{}
	for _, c := range v.Campuses {
		campus[c.ID] = c.Name
	}
	by := map[string][]tutorialLine{}
	for i := range v.all {
		t := &v.all[i]
		key := opt.Or(t.StreamAbbr, "")
		by[key] = append(by[key], tutorialLine{ID: t.ID, Code: t.Abbreviation, Tutor: named[opt.Or(t.TutorID, 0)],
			Campus: campus[opt.Or(t.CampusID, 0)], At: links.To(links.TutorialEditor, v.Unit.ID, t.ID),
			Meets: strings.TrimSpace(t.MeetingDay + " " + t.MeetingTime), Place: t.MeetingLocation, Places: v.places(t),
			Here: v.Tutorial != nil && v.Tutorial.ID == t.ID, Beside: v.Edits()})
	}
	for _, list := range by {
		slices.SortFunc(list, func(a, b tutorialLine) int { return cmp.Compare(a.Code, b.Code) })
	}
	kind := map[string]string{}
	for _, k := range v.Kinds {
		kind[k.Abbreviation] = k.Name
	}
	for i := range v.Streams {
		st := &v.Streams[i]
		v.Groups = append(v.Groups, tutorialGroup{Stream: st, Kind: kind[st.ActivityType],
			At: links.To(links.StreamEditor, v.Unit.ID, st.ID), Rows: by[st.Abbreviation]})
	}
	if rest := by[""]; len(rest) > 0 {
		v.Groups = append(v.Groups, tutorialGroup{Rows: rest})
	}
	v.Tutorials = len(v.all)
}

func fullName(m course.StaffMember) string { return strings.TrimSpace(m.FirstName + " " + m.LastName) }

// compareBool puts false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// Path is where the page stands.
func (v *staffPage) Path() string { return links.To(links.StaffSetup, v.Unit.ID) }

// Edits tells whether a drawer is open.
func (v *staffPage) Edits() bool { return v.Tutorial != nil || v.Stream != nil }

// places says how many students are in a tutorial, and of how many.
func (v *staffPage) places(t *enrol.Tutorial) string {
	if t.Capacity > 0 {
		return v.words.Word("staff-setup.of-places", t.NumStudents, t.Capacity)
	}
	return number(&t.NumStudents)
}
