package mail

import (
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

// PDFFailed says that a submission could not be turned into a PDF.
type PDFFailed struct {
	Frame
	Unit   string
	Task   Task
	Due    Due
	Reason string
}

// WorkDeleted says that something was deleted together with the student's submissions, or
// that it is back.
type WorkDeleted struct {
	Frame
	Unit     string
	What     string     // such as "the task 1.1P Hello World"
	Until    clock.Date // the last day on which it can be restored and its files fetched
	Restored bool
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
	Validity string // how long the link works, such as "2 hours"
}

// Address is about a change of an account's address: to the new one, which is to
// Confirm; to the old one while that is Pending; or to the old one afterwards.
type Address struct {
	Frame
	Username         string
	Confirm, Pending bool
	Validity         string // how long the link to confirm works
}

func (Feedback) template() string        { return "feedback" }
func (PortfolioReady) template() string  { return "portfolio_ready" }
func (PortfolioFailed) template() string { return "portfolio_failed" }
func (PDFFailed) template() string       { return "pdf_failed" }
func (WorkDeleted) template() string     { return "work_deleted" }
func (StudentWeek) template() string     { return "student_week" }
func (StaffWeek) template() string       { return "staff_week" }
func (Digest) template() string          { return "digest" }
func (Password) template() string        { return "password" }
func (Address) template() string         { return "address" }

func (f Feedback) subject() string {
	if len(f.Tasks) == 1 {
		return f.Unit + ": feedback on " + f.Tasks[0].Abbreviation
	}
	return f.Unit + ": feedback on " + count(len(f.Tasks), "task", "tasks")
}
func (p PortfolioReady) subject() string  { return p.Unit + ": your portfolio is ready" }
func (p PortfolioFailed) subject() string { return p.Unit + ": your portfolio could not be created" }
func (p PDFFailed) subject() string       { return p.Unit + ": submit " + p.Task.Abbreviation + " again" }
func (w WorkDeleted) subject() string {
	if w.Restored {
		return w.Unit + ": " + w.What + " was restored"
	}
	return w.Unit + ": " + w.What + " was deleted"
}
func (s StudentWeek) subject() string {
	if s.Soon == 0 {
		return s.Unit + ": your week"
	}
	return s.Unit + ": your week, " + count(s.Soon, "task", "tasks") + " due"
}
func (s StaffWeek) subject() string { return s.Unit + ": your teaching week" }

func (d Digest) subject() string {
	switch {
	case len(d.Extensions) == 0:
		return count(len(d.Comments), "new comment", "new comments")
	case len(d.Comments) == 0:
		return count(len(d.Extensions), "extension decided", "extensions decided")
	}
	return count(len(d.Comments), "new comment", "new comments") + " and " +
		count(len(d.Extensions), "extension decided", "extensions decided")
}

func (a Address) subject() string {
	switch {
	case a.Confirm:
		return "Confirm your email address for " + a.Product
	case a.Pending:
		return "A change of your email address at " + a.Product + " was requested"
	}
	return "Your email address at " + a.Product + " was changed"
}

func (p Password) subject() string {
	if p.New {
		return "Welcome to " + p.Product + ": set your password"
	}
	return "Set a new password for " + p.Product
}
