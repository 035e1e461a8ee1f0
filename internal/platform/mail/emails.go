package mail

import (
	"strings"
	"time"

	"lectern/internal/ground/clock"
)

// Task is how an email names a task.
type Task struct {
	Abbreviation string
	Name         string
}

// Status is a status as pages show it: its word, in the colours of a family.
type Status struct {
	Name   string
	Family string
}

// Feedback says that submissions have been marked.
type Feedback struct {
	Frame
	Unit  string // its code
	Tasks []MarkedTask
}

// Abbreviations name the tasks.
func (f Feedback) Abbreviations() string {
	names := make([]string, len(f.Tasks))
	for i, t := range f.Tasks {
		names[i] = oneLine(t.Abbreviation)
	}
	return strings.Join(names, ", ")
}

// MarkedTask is a task with the status its marker gave it.
type MarkedTask struct {
	Task
	Status Status
	Due    *Due // where there is something to submit again
}

// PortfolioReady says that a portfolio can be read.
type PortfolioReady struct {
	Frame
	Unit      string
	Automatic bool // made by the service on the unit's day, not asked for
}

// PortfolioFailed says that a portfolio could not be made.
type PortfolioFailed struct {
	Frame
	Unit   string
	Reason string // what the student can do something about; may be empty
}

// FinalGrade says that a student sees their final grade in a unit, another one, or none any longer. The grade
// itself is no part of it.
type FinalGrade struct {
	Frame
	Unit string
	// What happened where it was not published just now.
	Changed, TakenBack bool
}

// PDFFailed says that a submission could not be turned into a PDF.
type PDFFailed struct {
	Frame
	Unit   string
	Task   Task
	Due    Due
	Reason string
}

// WorkDeleted says that something was deleted together with the student's submissions, or
// that it is back; or that their name was taken off it.
type WorkDeleted struct {
	Frame
	Unit     string
	What     string     // such as "the task 1.1P Hello World"
	Until    clock.Date // the last day on which it can be restored and its files fetched
	Restored bool

	GradesStay bool // only the work went
	Anonymised bool // it is there without the student's name
}

// Announcement is what a convenor wrote to a student. Who else got it is not part of it.
type Announcement struct {
	Frame
	Unit   string
	Title  string
	Text   string
	Author string
}

// StudentWeek tells a student where they stand in a unit.
type StudentWeek struct {
	Frame
	Unit             string
	Tasks            []DueTask    // the few to look at first
	Soon             int          // how many are due within the week
	Marked           []MarkedTask // in the past week
	Progress         Progress
	CommentsReceived int
	CommentsSent     int
	StatusChanges    int
	NoTutorial       bool
	Behind           int // overdue tasks of a pass, where the student aims higher and is far behind; 0 otherwise
}

// DueTask is a task with its dates and its status.
type DueTask struct {
	Task
	Due    Due
	Status Status
}

// Progress is how far a student is with the tasks up to the grade they aim for.
type Progress struct {
	Target   string // the grade
	Complete int
	All      int
	Overdue  int
}

// Percent is the share that is complete.
func (p Progress) Percent() int {
	if p.All == 0 {
		return 0
	}
	return 100 * p.Complete / p.All
}

// Left is the share that is not.
func (p Progress) Left() int { return 100 - p.Percent() }

// StaffWeek tells a member of staff what is waiting for them in a unit. Only a
// convenor's has Tutors, WithoutTutorial and Behind.
type StaffWeek struct {
	Frame
	Unit             string
	Students         int
	Waiting          int // tasks that wait for feedback
	Oldest           *WaitingTask
	Marked           int // in the past week
	CommentsReceived int
	CommentsSent     int
	Tutors           []TutorWeek
	WithoutTutorial  int
	Behind           int // students who aim higher but are far behind with the tasks of a pass
}

// WaitingTask is work that has waited longest.
type WaitingTask struct {
	Task
	Student string
	Since   time.Time
}

// TutorWeek is a tutor's line in a convenor's email.
type TutorWeek struct {
	Name     string
	Students int
	Waiting  int
	Marked   int
}

// Digest gathers what was said and decided since the last one.
type Digest struct {
	Frame
	Comments   []DigestComment
	Extensions []DigestExtension
	Reviews    []DigestReview // the reader's, which were answered
	Asked      []DigestReview // students', which wait for the reader
}

// DigestReview is a review request. Neither its reason nor its answer is sent by email.
type DigestReview struct {
	Unit    string
	Task    Task
	Student string
}

// DigestComment is a new comment on a task.
type DigestComment struct {
	Unit   string
	Task   Task
	Author string
	At     time.Time
	Text   string
}

// DigestExtension is a decided request for an extension.
type DigestExtension struct {
	Unit    string
	Task    Task
	Granted bool
	Due     Due // as it is now
	Answer  string
}

// Password lets somebody set a password: the first one of a New account,
// or another in place of a forgotten one.
type Password struct {
	Frame
	Username string
	New      bool
	Validity time.Duration // of the link
}

// Address is about a change of an account's address: to the new one, which is to
// Confirm; to the old one while that is Pending; or to the old one afterwards.
type Address struct {
	Frame
	Username         string
	Confirm, Pending bool
	Validity         time.Duration // of the link to confirm
}

// Trial tells an administrator who asked for it that emails arrive.
type Trial struct{ Frame }

func (Feedback) template() string        { return "feedback" }
func (PortfolioReady) template() string  { return "portfolio_ready" }
func (PortfolioFailed) template() string { return "portfolio_failed" }
func (PDFFailed) template() string       { return "pdf_failed" }
func (FinalGrade) template() string      { return "final_grade" }
func (WorkDeleted) template() string     { return "work_deleted" }
func (Announcement) template() string    { return "announcement" }
func (StudentWeek) template() string     { return "student_week" }
func (StaffWeek) template() string       { return "staff_week" }
func (Digest) template() string          { return "digest" }
func (Password) template() string        { return "password" }
func (Address) template() string         { return "address" }
func (Trial) template() string           { return "trial" }

func (f Feedback) subject(l *Language) string {
	if len(f.Tasks) == 1 {
		return l.Word("feedback.subject-one", f.Unit, f.Tasks[0].Abbreviation)
	}
	return l.Word("feedback.subject", f.Unit, len(f.Tasks))
}
func (p PortfolioReady) subject(l *Language) string { return l.Word("portfolio-ready.subject", p.Unit) }
func (p PortfolioFailed) subject(l *Language) string {
	return l.Word("portfolio-failed.subject", p.Unit)
}
func (g FinalGrade) subject(l *Language) string {
	switch {
	case g.Changed:
		return l.Word("final-grade.subject-changed", g.Unit)
	case g.TakenBack:
		return l.Word("final-grade.subject-taken-back", g.Unit)
	}
	return l.Word("final-grade.subject", g.Unit)
}
func (p PDFFailed) subject(l *Language) string {
	return l.Word("pdf-failed.subject", p.Unit, p.Task.Abbreviation)
}
func (w WorkDeleted) subject(l *Language) string {
	switch {
	case w.Restored:
		return l.Word("restored.subject", w.Unit, w.What)
	case w.Anonymised:
		return l.Word("anonymised.subject", w.Unit, w.What)
	}
	return l.Word("deleted.subject", w.Unit, w.What)
}
func (a Announcement) subject(l *Language) string {
	return l.Word("announcement.subject", a.Unit, a.Title)
}

func (s StudentWeek) subject(l *Language) string {
	if s.Soon == 0 {
		return l.Word("student-week.subject-none", s.Unit)
	}
	return l.Word("student-week.subject", s.Unit, s.Soon)
}
func (s StaffWeek) subject(l *Language) string { return l.Word("staff-week.subject", s.Unit) }

func (d Digest) subject(l *Language) string {
	var parts []string
	if len(d.Comments) > 0 {
		parts = append(parts, l.Word("digest.comments", len(d.Comments)))
	}
	if len(d.Extensions) > 0 {
		parts = append(parts, l.Word("digest.extensions", len(d.Extensions)))
	}
	if len(d.Reviews) > 0 {
		parts = append(parts, l.Word("digest.reviews", len(d.Reviews)))
	}
	if len(d.Asked) > 0 {
		parts = append(parts, l.Word("digest.asked", len(d.Asked)))
	}
	switch len(parts) {
	case 0:
		return l.Word("digest.comments", 0)
	case 1:
		return parts[0]
	case 2:
		return l.Word("digest.both", parts[0], parts[1])
	}
	if len(parts) > 3 { // whoever studies and teaches
		parts[2] = l.Word("digest.both", parts[2], parts[3])
	}
	return l.Word("digest.all", parts[0], parts[1], parts[2])
}

// Title is what the email says of itself: the same as its subject.
func (d Digest) Title() string { return d.subject(d.language()) }

func (a Address) subject(l *Language) string {
	switch {
	case a.Confirm:
		return l.Word("address.confirm-subject", a.Product)
	case a.Pending:
		return l.Word("address.pending-subject", a.Product)
	}
	return l.Word("address.moved-subject", a.Product)
}

func (p Password) subject(l *Language) string {
	if p.New {
		return l.Word("password.new-subject", p.Product)
	}
	return l.Word("password.subject", p.Product)
}
func (t Trial) subject(l *Language) string { return l.Word("trial.subject", t.Product) }
