package unit

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/ground/opt"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/enrol"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/editing"
	"lectern/internal/web/site/page"
)

func (s *room) studentEditorRoutes() {
	at := links.StudentSetup + "/new"
	page.Show(s.Site, at, policy.ChangeEnrolments, "Enrol a student in a unit", s.newStudent)
	page.Form(s.Site, at, policy.ChangeEnrolments, "Enrol a student, who may get an account by it", s.enrolStudent,
		endpoint.Audited(audit.Enrolment, audit.Tutorial, audit.Account, audit.Role, audit.Password),
		endpoint.Asks(policy.ExceedCapacity))
	page.Show(s.Site, links.StudentEditor, policy.ChangeEnrolments, "Campus and tutorials of a student", s.editStudent)
	page.Form(s.Site, links.StudentEditor, policy.ChangeEnrolments, "Change campus and tutorials of a student",
		s.changeStudent, endpoint.Audited(audit.Enrolment, audit.Tutorial))
	page.Form(s.Site, links.StudentEditor+"/enrolment", policy.ChangeEnrolments,
		"Withdraw a student from a unit, or enrol them again", s.setEnrolment,
		endpoint.Audited(audit.Enrolment, audit.Tutorial))
}

// accountForm is what the fields of a new account hold.
type accountForm struct {
	Username  string `param:"username"`
	Email     string `param:"email"`
	FirstName string `param:"first_name"`
	LastName  string `param:"last_name"`
	StudentID string `param:"student_id"`
}

// studentForm is where a student is, as it is chosen.
type studentForm struct {
	Campus    string   `param:"campus"`
	Tutorials []string `param:"tutorials"` // of the streams; empty: none
}

// tutorials gives those that are chosen.
func (f *studentForm) tutorials() (out []int64) {
	for _, text := range f.Tutorials {
		if id := maybeID(text); id != nil {
			out = append(out, *id)
		}
	}
	return out
}

// streamField is the choice of a tutorial of a stream.
type streamField struct {
	ID, Label, Error string
	Options          []editing.Option
}

// studentEditor is the form of one student: one to be enrolled, or one who is there.
type studentEditor struct {
	*places
	Student string               // as typed: a user name, a number or an address
	Account accountForm          // of who has none yet
	Opened  bool                 // the fields of the account are shown
	Creates bool                 // the reader may make accounts
	Mails   bool                 // the service sends emails
	Mail    bool                 // who gets an account is emailed
	Typed   studentForm          //
	Seen    studentForm          // as it was read
	One     *enrol.ListedStudent // who is there; nil: one to be enrolled
	News    *studentNews         // who was enrolled just now
	Link    string               // by which they set a password; empty: they need none, or are emailed
	now     studentForm          // as it is
	wrong   map[string]string
}

type newStudentIn struct {
	ID    int64  `path:"id" scope:"unit"`
	About string `param:"about"` // who was enrolled just now
}

func (s *room) newStudent(ctx context.Context, who *access.Caller, in newStudentIn) (*page.Page, error) {
	v := &studentEditor{Mail: true}
	return s.newStudentPage(ctx, who, in, v)
}

func (s *room) newStudentPage(ctx context.Context, who *access.Caller, in newStudentIn, v *studentEditor) (*page.Page,
	error) {
	v.Creates, v.Mails = policy.MayAppoint(who.Role, 0, policy.Student), s.Usecases.Mailer.Sends()
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.places, err = s.readPlaces(ctx, q, in.ID); err != nil {
			return err
		}
		id := maybeID(in.About)
		if id == nil {
			return nil
		}
		p, err := enrol.ListedByProject(ctx, q, in.ID, *id)
		if fault.Is(err, fault.Missing) {
			return nil
		}
		if err == nil {
			v.News = &studentNews{Text: s.Word("enrol.enrolled"), Name: p.FirstName + " " + p.LastName,
				Undo: links.To(links.StudentEditor, in.ID, *id) + "/enrolment"}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.Titled(who, "student-new", s.Word("enrol.add"), v), nil
}

type enrolStudentIn struct {
	newStudentIn
	Student string      `param:"student"`
	Account accountForm `param:"account"`
	studentForm
	Mail bool `param:"mail"`
	More bool `param:"more"` // another is enrolled after this one
}

// account is what an account is made of; nil: none is.
func (in *enrolStudentIn) account() *ident.NewUser {
	a := in.Account
	if strings.TrimSpace(a.Username+a.Email+a.FirstName+a.LastName) == "" {
		return nil
	}
	return &ident.NewUser{Username: strings.TrimSpace(a.Username), Email: strings.TrimSpace(a.Email),
		FirstName: strings.TrimSpace(a.FirstName), LastName: strings.TrimSpace(a.LastName),
		StudentID: strings.TrimSpace(a.StudentID)}
}

// enrolStudent enrols somebody. Whom nobody is named by may get an account: the form then asks for it.
func (s *room) enrolStudent(ctx context.Context, who *access.Caller, in enrolStudentIn) (endpoint.Drawing, error) {
	in.Student = strings.TrimSpace(in.Student)
	n := usecase.NewStudent{Name: in.Student, CampusID: opt.Or(maybeID(in.Campus), 0), Tutorials: in.tutorials()}
	var made *enrol.StudentEntry
	var token string
	err := fault.New(fault.Refused, "%s", s.Word("enrol.who"))
	if account := in.account(); account != nil {
		made, token, err = s.Usecases.EnrolNewStudent(ctx, who, in.ID, *account, n, in.Mail)
	} else if n.Name != "" {
		made, err = s.Usecases.EnrolStudent(ctx, who, in.ID, n)
	}
	if err != nil {
		return s.enrolAgain(ctx, who, in, err)
	}
	about := strconv.FormatInt(made.ID, 10)
	if token != "" { // it may stand in no address
		in.newStudentIn.About = about
		return s.newStudentPage(ctx, who, in.newStudentIn, &studentEditor{Mail: in.Mail, Link: s.Usecases.PublicURL +
			links.With(links.Password, token)})
	}
	if in.More {
		return endpoint.Redirect{To: links.To(links.StudentSetup, in.ID) + "/new?about=" + about}, nil
	}
	return endpoint.Redirect{To: links.To(links.StudentSetup, in.ID) + "?done=enrolled&about=" + about}, nil
}

// enrolAgain draws the form with what was wrong.
func (s *room) enrolAgain(ctx context.Context, who *access.Caller, in enrolStudentIn, why error) (endpoint.Drawing,
	error) {
	v := &studentEditor{Student: in.Student, Account: in.Account, Typed: in.studentForm, Mail: in.Mail,
		Opened: in.account() != nil}
	if e, told := errors.AsType[*fault.Error](why); told && v.Opened {
		v.wrong = e.Fields
	}
	p, err := s.newStudentPage(ctx, who, newStudentIn{ID: in.ID}, v)
	if err != nil {
		return nil, err
	}
	if fault.Is(why, fault.Missing) && !v.Opened {
		why = fault.New(fault.Refused, "%s", s.Word("enrol.nobody-ask", in.Student))
		if v.Creates {
			why = fault.New(fault.Refused, "%s", s.Word("enrol.nobody", in.Student))
			v.Opened = true
			if strings.Contains(in.Student, "@") {
				v.Account.Email = in.Student
			} else {
				v.Account.Username = in.Student
			}
			v.Student = ""
		}
	}
	p = s.Refusal(who, "student-new", p.Title, v)
	return s.Again(p, why)
}

// Error tells what is wrong with a field.
func (v *studentEditor) Error(name string) string { return editing.Sentence(v.wrong[name]) }

// CampusOptions are the campuses to choose from.
func (v *studentEditor) CampusOptions() []editing.Option {
	list := []editing.Option{editing.Named("", v.words.Word("enrol.no-campus"), v.Typed.Campus == "")}
	for _, c := range v.Campuses {
		if c.Active || strconv.FormatInt(c.ID, 10) == v.Typed.Campus {
			list = append(list, editing.Choice(c.ID, c.Name, v.Typed.Campus))
		}
	}
	return list
}

// StreamFields are the choices of tutorials: one of each stream, and one of those that have none.
func (v *studentEditor) StreamFields() (out []streamField) {
	for _, s := range append(slices.Clone(v.Streams), enrol.Stream{}) {
		all := v.streamOf(s.Abbreviation)
		if len(all) == 0 {
			continue
		}
		f := streamField{ID: "tutorial-" + strconv.FormatInt(s.ID, 10), Label: s.Name}
		if s.ID == 0 {
			f.Label = v.words.Word("students.tutorial")
		}
		f.Options = []editing.Option{editing.Named("", v.words.Word("students.no-tutorial"), true)}
		var is, was string
		for _, t := range all {
			id := strconv.FormatInt(t.ID, 10)
			on := slices.Contains(v.Typed.Tutorials, id)
			f.Options = append(f.Options, editing.Named(id, v.full(t), on))
			f.Options[0].On = f.Options[0].On && !on
			if slices.Contains(v.now.Tutorials, id) {
				is = t.Abbreviation
			}
			if slices.Contains(v.Seen.Tutorials, id) {
				was = t.Abbreviation
			}
		}
		if v.One != nil && v.wrong["tutorial_ids"] != "" && is != was {
			f.Error = v.words.Word("settings.clash", v.orNone(is))
		}
		out = append(out, f)
	}
	return out
}

func (v *studentEditor) orNone(name string) string {
	if name == "" {
		return v.words.Word("settings.nothing")
	}
	return name
}

type studentIn struct {
	UnitID    int64 `path:"unit_id" scope:"unit"`
	ProjectID int64 `path:"project_id" scope:"project"`
}

func (s *room) editStudent(ctx context.Context, who *access.Caller, in studentIn) (*page.Page, error) {
	v, err := s.readStudent(ctx, in)
	if err != nil {
		return nil, err
	}
	return s.Titled(who, "student-edit", v.One.FirstName+" "+v.One.LastName, v), nil
}

func (s *room) readStudent(ctx context.Context, in studentIn) (*studentEditor, error) {
	v := &studentEditor{}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.places, err = s.readPlaces(ctx, q, in.UnitID); err != nil {
			return err
		}
		v.One, err = enrol.ListedByProject(ctx, q, in.UnitID, in.ProjectID)
		return err
	})
	if err != nil {
		return nil, err
	}
	if v.One.CampusID != nil {
		v.now.Campus = strconv.FormatInt(*v.One.CampusID, 10)
	}
	for _, e := range v.One.Enrolments {
		v.now.Tutorials = append(v.now.Tutorials, strconv.FormatInt(e.TutorialID, 10))
	}
	v.Typed, v.Seen = v.now, v.now
	return v, nil
}

type changeStudentIn struct {
	studentIn
	studentForm
	Seen studentForm `param:"seen"`
}

// change is what is different from what was seen.
func (in *changeStudentIn) change() enrol.Move {
	before, after := in.Seen.tutorials(), in.tutorials()
	m := enrol.Move{Projects: []int64{in.ProjectID}, Exceed: true,
		Seen:  &enrol.Places{CampusID: maybeID(in.Seen.Campus), Tutorials: before},
		Join:  slices.DeleteFunc(slices.Clone(after), func(id int64) bool { return slices.Contains(before, id) }),
		Leave: slices.DeleteFunc(slices.Clone(before), func(id int64) bool { return slices.Contains(after, id) })}
	if in.Campus != in.Seen.Campus {
		m.CampusID = new(opt.Or(maybeID(in.Campus), -1))
	}
	return m
}

// changeStudent saves what was changed of where a student is. What a colleague changed meanwhile is told with
// both values, and saving once more takes what is chosen.
func (s *room) changeStudent(ctx context.Context, who *access.Caller, in changeStudentIn) (endpoint.Drawing, error) {
	done := endpoint.Redirect{To: links.To(links.StudentSetup, in.UnitID) + "?done=saved&about=" +
		strconv.FormatInt(in.ProjectID, 10)}
	m := in.change()
	if m.CampusID == nil && len(m.Join)+len(m.Leave) == 0 {
		return done, nil
	}
	moved, err := s.Usecases.MoveStudents(ctx, who, in.UnitID, m)
	if err == nil && moved.Students[0].Outcome == enrol.Refused {
		err = fault.New(fault.Refused, "%s", moved.Students[0].Message)
	}
	if err == nil {
		return done, nil
	}
	v, failed := s.readStudent(ctx, in.studentIn)
	if failed != nil {
		return nil, failed
	}
	v.Typed, v.Seen = in.studentForm, in.Seen
	p := s.Refusal(who, "student-edit", v.One.FirstName+" "+v.One.LastName, v)
	if e, told := errors.AsType[*fault.Error](err); told && fault.Is(err, fault.Conflict) && len(e.Fields) > 0 {
		v.wrong = map[string]string{"tutorial_ids": e.Fields["tutorial_ids"]}
		if e.Fields["campus_id"] != "" {
			v.wrong["campus"] = s.Word("settings.clash", v.orNone(v.CampusName(v.One.CampusID)))
		}
		err = fault.New(fault.Conflict, "%s", s.Word("settings.refused"))
	}
	return s.Again(p, err)
}

// Read lists what was seen, for the form that changes it. After a clash that is what is there now.
func (v *studentEditor) Read() studentForm {
	if len(v.wrong) > 0 {
		return v.now
	}
	return v.Seen
}

// setEnrolment withdraws a student or enrols them again, at once: the list then offers the way back.
func (s *room) setEnrolment(ctx context.Context, who *access.Caller, in struct {
	studentIn
	Enrolled bool `param:"enrolled"`
}) (endpoint.Drawing, error) {
	_, err := s.Usecases.MoveStudents(ctx, who, in.UnitID, enrol.Move{Projects: []int64{in.ProjectID},
		Enrolled: &in.Enrolled, Exceed: true})
	if err != nil {
		return nil, err
	}
	done := "withdrawn"
	if in.Enrolled {
		done = "again"
	}
	return endpoint.Redirect{To: links.To(links.StudentSetup, in.UnitID) + "?done=" + done + "&about=" +
		strconv.FormatInt(in.ProjectID, 10)}, nil
}
