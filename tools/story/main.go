//go:build story

// Command story drives a running service through a term in small, with nothing but
// the client that was generated from its OpenAPI document: people sign in, students
// come by CSV, a group hands in two files with their contributions, the staff read
// the PDF and mark it, and the class leaves as CSV. It ends with 1 at the first
// answer the client does not understand or the story does not expect.
//
// The package client is no file of the tree: a test generates it and lays it over.
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	ht "github.com/ogen-go/ogen/http"

	"lectern/tools/story/client"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: story ADDRESS ADMIN PASSWORD")
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	s := &story{ctx: ctx, address: os.Args[1]}
	s.tell(os.Args[2], os.Args[3])
	fmt.Println("The story has come to its end.")
}

// story is what is known so far.
type story struct {
	ctx              context.Context
	address          string
	visitor          *client.Client
	admin, convenor  *client.Client
	unit, tutorial   int64
	period, campus   int64
	convenorID, task int64
	names            []string
	students         []*client.Client
	projects         []int64
}

const password = "a long way to the sea"

func (s *story) tell(admin, secret string) {
	s.visitor = s.as("", "")
	s.admin = s.signIn(admin, secret)
	s.openTheTerm()
	s.hireAConvenor()
	s.openAUnit()
	s.enrolByCSV()
	s.setAGroupTask()
	s.handIn()
	s.readThePDF()
	s.mark()
	s.leaveByCSV()
	s.beRefused()
}

// expect gives the answer of the type that is expected, and ends the story where
// another came.
func expect[T any](what string) func(answer any, err error) T {
	return func(answer any, err error) T {
		got, ok := answer.(T)
		if err != nil || !ok {
			fmt.Fprintf(os.Stderr, "%s: got %T %+v, %v\n", what, answer, answer, err)
			os.Exit(1)
		}
		return got
	}
}

func insist(ok bool, what string, args ...any) {
	if !ok {
		fmt.Fprintf(os.Stderr, what+"\n", args...)
		os.Exit(1)
	}
}

// session signs requests the way the document says.
type session struct{ username, token string }

func (s session) SessionUser(context.Context, client.OperationName) (client.SessionUser, error) {
	return client.SessionUser{APIKey: s.username}, nil
}

func (s session) SessionToken(context.Context, client.OperationName) (client.SessionToken, error) {
	return client.SessionToken{APIKey: s.token}, nil
}

// asksForJSON has sentences answered as records.
type asksForJSON struct{}

func (asksForJSON) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Accept", "application/json")
	return http.DefaultTransport.RoundTrip(r)
}

func (s *story) as(username, token string) *client.Client {
	c, err := client.NewClient(s.address, session{username, token},
		client.WithClient(&http.Client{Transport: asksForJSON{}}))
	insist(err == nil, "make a client: %v", err)
	return c
}

func (s *story) signIn(username, secret string) *client.Client {
	in := expect[*client.SignIn]("sign in")(s.visitor.SignIn(s.ctx,
		&client.SignInReqApplicationJSON{Username: username, Password: client.NewOptString(secret)}))
	insist(in.User.Username == username, "signed in as %q", in.User.Username)
	return s.as(username, in.AuthToken)
}

// follow sets a password by a one-time link, and signs in with it.
func (s *story) follow(link, username string) *client.Client {
	_, token, ok := strings.Cut(link, "token=")
	insist(ok, "no token in %q", link)
	token, err := url.QueryUnescape(token)
	insist(err == nil, "%v", err)
	expect[*client.SetPasswordNoContent]("set a password")(s.visitor.SetPassword(s.ctx,
		&client.SetPasswordReqApplicationJSON{Token: client.NewOptString(token), Password: password}))
	return s.signIn(username, password)
}

func (s *story) openTheTerm() {
	now := time.Now().UTC()
	p := expect[*client.TeachingPeriodHeaders]("create a teaching period")(s.admin.CreateTeachingPeriod(s.ctx,
		&client.CreateTeachingPeriodReqApplicationJSON{
			TeachingPeriod: client.CreateTeachingPeriodReqApplicationJSONTeachingPeriod{Period: "T9",
				Year: int64(now.Year()), StartDate: now.AddDate(0, 0, -28), EndDate: now.AddDate(0, 0, 70),
				ActiveUntil: now.AddDate(0, 0, 90)}}))
	s.period = p.Response.ID
	c := expect[*client.CampusHeaders]("create a campus")(s.admin.CreateCampus(s.ctx,
		&client.CreateCampusReqApplicationJSON{Campus: client.CreateCampusReqApplicationJSONCampus{
			Name: "Story Hill", Abbreviation: "SH", Mode: client.CampusModeManual, Active: true}}))
	s.campus = c.Response.ID
}

func (s *story) hireAConvenor() {
	u := expect[*client.NewUserHeaders]("create a user")(s.admin.CreateUser(s.ctx,
		&client.CreateUserReqApplicationJSON{User: client.CreateUserReqApplicationJSONUser{FirstName: "Ada",
			LastName: "Convenor", Email: "ada.story@example.edu", Username: "ada.story", Nickname: "Ada",
			SystemRole: client.RoleNameConvenor}}))
	s.convenorID = u.Response.ID
	s.convenor = s.follow(u.Response.PasswordLink, "ada.story")
}

func (s *story) openAUnit() {
	u := expect[*client.UnitHeaders]("create a unit")(s.admin.CreateUnit(s.ctx,
		&client.CreateUnitReqApplicationJSON{Unit: client.CreateUnitReqApplicationJSONUnit{Name: "Stories",
			Code: "STORY1", Active: true, TeachingPeriodID: s.period, MainConvenorUserID: s.convenorID}}))
	s.unit = u.Response.ID
	t := expect[*client.CreateTutorialCreatedApplicationJSONHeaders]("create a tutorial")(s.convenor.CreateTutorial(
		s.ctx, &client.CreateTutorialReqApplicationJSON{Tutorial: client.CreateTutorialReqApplicationJSONTutorial{
			UnitID: s.unit, TutorID: s.convenorID, Capacity: 20, Abbreviation: "LA1", MeetingLocation: "Hall",
			MeetingDay: "Monday", MeetingTime: "10:00"}}))
	insist(t.Response.Message != "" && t.Location.Value != "", "no sentence, or no address: %+v", t)
	s.tutorial = t.Response.ID
}

func (s *story) enrolByCSV() {
	s.names = []string{"bea.story", "cem.story"}
	sheet := "unit_code,campus,username,student_id,preferred_name,first_name,last_name,email,tutorial\r\n"
	for i, name := range s.names {
		sheet += fmt.Sprintf("STORY1,SH,%s,90%d,,First%d,Last%d,%s@example.edu,LA1\r\n", name, i, i, i, name)
	}
	in := expect[*client.ImportedStudents]("import students")(s.convenor.ImportStudents(s.ctx,
		&client.ImportStudentsReq{File: file("class.csv", sheet)}, client.ImportStudentsParams{ID: s.unit}))
	insist(len(in.Success) == 2 && len(in.Errors) == 0, "the import says %+v", in)
	for i, row := range in.Success {
		s.students = append(s.students, s.follow(row.Link.Value, s.names[i]))
	}
	list := expect[*client.ListStudentsOKHeaders]("list the students")(s.convenor.ListStudents(s.ctx,
		client.ListStudentsParams{UnitID: s.unit, Limit: client.NewOptInt64(10)}))
	insist(list.XTotalCount.Value == 2, "%d students in all", list.XTotalCount.Value)
	for _, e := range list.Response {
		s.projects = append(s.projects, e.ID)
	}
}

func file(name, content string) ht.MultipartFile {
	return ht.MultipartFile{Name: name, File: strings.NewReader(content), Size: int64(len(content))}
}

func (s *story) setAGroupTask() {
	set := expect[*client.GroupSetHeaders]("create a group set")(s.convenor.CreateGroupSet(s.ctx,
		&client.CreateGroupSetReqApplicationJSON{GroupSet: client.CreateGroupSetReqApplicationJSONGroupSet{
			Name: "Pairs"}}, client.CreateGroupSetParams{UnitID: s.unit}))
	group := expect[*client.GroupHeaders]("create a group")(s.convenor.CreateGroup(s.ctx,
		&client.CreateGroupReqApplicationJSON{Group: client.CreateGroupReqApplicationJSONGroup{
			Name: client.NewOptString("Red"), TutorialID: s.tutorial}},
		client.CreateGroupParams{UnitID: s.unit, GroupSetID: set.Response.ID}))
	for _, p := range s.projects {
		expect[*client.GroupMemberHeaders]("put a student into a group")(s.convenor.AddGroupMember(s.ctx,
			&client.AddGroupMemberReqApplicationJSON{}, client.AddGroupMemberParams{UnitID: s.unit,
				GroupSetID: set.Response.ID, GroupID: group.Response.ID, ProjectID: p}))
	}
	now := time.Now().UTC()
	asked := []client.UploadRequirement{{Key: "file0", Name: "Program", Type: client.UploadKindCode},
		{Key: "file1", Name: "Notes", Type: client.UploadKindCode}}
	def := client.CreateTaskDefinitionReqApplicationJSONTaskDef{Name: "Write a story", Abbreviation: "1.1P",
		Description: "Together", Weighting: 4, StartDate: now.AddDate(0, 0, -7), TargetDate: now.AddDate(0, 0, 14),
		PlagiarismWarnPct: 50, MaxQualityPts: 5, GroupSetID: client.NewOptNilInt64(set.Response.ID),
		UploadRequirements: client.NewOptNilUploadRequirementArray(asked)}
	made, err := s.convenor.CreateTaskDefinition(s.ctx,
		&client.CreateTaskDefinitionReqApplicationJSON{TaskDef: def}, client.CreateTaskDefinitionParams{UnitID: s.unit})
	s.task = expect[*client.TaskDefinitionHeaders]("create a task definition")(made, err).Response.ID
}

func (s *story) handIn() {
	shares := []client.SubmitWorkReqContributionsItem{{ProjectID: s.projects[0], Pct: 60},
		{ProjectID: s.projects[1], Pct: 40, Pts: client.NewOptNilInt64(2)}}
	work := client.SubmitWorkReq{Contributions: shares,
		File0: client.NewOptMultipartFile(file("main.py", "print('once upon a time')\n")),
		File1: client.NewOptMultipartFile(file("notes.txt", "We wrote it together.\n"))}
	out := expect[*client.SubmissionResultHeaders]("hand in")(s.students[0].SubmitWork(s.ctx,
		client.NewOptSubmitWorkReq(work), client.SubmitWorkParams{ID: s.projects[0], TaskDefinitionID: s.task}))
	insist(out.Response.TaskStatus == client.TaskStatusReadyForFeedback, "after handing in: %s",
		out.Response.TaskStatus)
	inbox := expect[*client.ListInboxOKHeaders]("read the inbox")(s.convenor.ListInbox(s.ctx,
		client.ListInboxParams{ID: s.unit}))
	insist(len(inbox.Response) > 0, "the inbox is empty")
}

func (s *story) readThePDF() {
	for {
		d := expect[*client.SubmissionDetails]("see how far the document is")(s.convenor.GetSubmissionDetails(s.ctx,
			client.GetSubmissionDetailsParams{ID: s.projects[1], TaskDefinitionID: s.task}))
		insist(d.State.Value != client.DocumentStateFailed, "no document: %s", d.Reason.Value)
		if d.HasPdf {
			break
		}
		time.Sleep(50 * time.Millisecond) // between looks; the context bounds them
	}
	pdf := expect[*client.GetSubmissionPDFOKHeaders]("read the PDF")(s.convenor.GetSubmissionPDF(s.ctx,
		client.GetSubmissionPDFParams{ID: s.projects[0], TaskDefinitionID: s.task}))
	content := read(pdf.Response)
	insist(strings.HasPrefix(content, "%PDF-"), "no PDF: %.20q", content)
}

func read(r io.Reader) string {
	b, err := io.ReadAll(r)
	insist(err == nil, "read: %v", err)
	return string(b)
}

func (s *story) mark() {
	t := expect[*client.ChangedTask]("mark")(s.convenor.ChangeTask(s.ctx,
		&client.ChangeTaskReqApplicationJSON{Trigger: client.NewOptTaskStatus(client.TaskStatusComplete),
			QualityPts: client.NewOptInt64(4)},
		client.ChangeTaskParams{ID: s.projects[0], TaskDefinitionID: s.task}))
	insist(t.Status == client.TaskStatusComplete && t.QualityPts == 4, "marked as %s with %d", t.Status, t.QualityPts)
	insist(!t.CompletionDate.Null, "it was completed on no day")
}

func (s *story) leaveByCSV() {
	out := expect[*client.ExportStudentsOK]("export the students")(s.convenor.ExportStudents(s.ctx,
		client.ExportStudentsParams{ID: s.unit}))
	sheet := read(out)
	for _, name := range s.names {
		insist(strings.Contains(sheet, name), "%s is not in %s", name, sheet)
	}
	back := expect[*client.ImportedStudents]("import what was exported")(s.convenor.ImportStudents(s.ctx,
		&client.ImportStudentsReq{File: file("again.csv", sheet)}, client.ImportStudentsParams{ID: s.unit}))
	insist(len(back.Errors) == 0, "what was exported is refused: %+v", back.Errors)
}

// beRefused shows that errors are answers the client knows.
func (s *story) beRefused() {
	no := expect[*client.ChangeTaskForbidden]("mark one's own work")(s.students[0].ChangeTask(s.ctx,
		&client.ChangeTaskReqApplicationJSON{QualityPts: client.NewOptInt64(5)},
		client.ChangeTaskParams{ID: s.projects[0], TaskDefinitionID: s.task}))
	insist(no.Error != "" && no.Code != "", "a refusal without words: %+v", no)
}
