package mail

import "lectern/internal/ground/clock"

// Task is how a letter names a task.
type Task struct {
	Abbreviation string
	Name         string
}

// Feedback says that work has been marked.
type Feedback struct {
	Frame
	Unit  string // its code
	Tasks []MarkedTask
}

// MarkedTask is a task with the status its marker gave it, in words.
type MarkedTask struct {
	Task
	Status string
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
	Reason string
}

// WorkDeleted says that something was deleted together with the student's work, or
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
	Tasks            []DueTask // the few to look at first
	CommentsReceived int
	CommentsSent     int
	StatusChanges    int
	NoTutorial       bool
	Behind           int // overdue tasks of a pass, where the student aims higher and is far behind; 0 otherwise
}

// DueTask is a task with its day and its status in words.
type DueTask struct {
	Task
	Due     clock.Date
	Overdue bool
	Status  string
}

// StaffWeek tells a member of staff what waits for them in a unit. Only a
// convenor's has Tutors, WithoutTutorial and Behind.
type StaffWeek struct {
	Frame
	Unit             string
	Students         int
	Waiting          int // tasks that wait for feedback
	Oldest           *WaitingTask
	Assessed         int // in the past week
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
	Since   clock.Date
}

// TutorWeek is a tutor's line in a convenor's letter.
type TutorWeek struct {
	Name     string
	Students int
	Waiting  int
	Assessed int
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
	Text   string
}

// DigestExtension is a decided request for more time.
type DigestExtension struct {
	Unit    string
	Task    Task
	Granted bool
	Due     clock.Date // the day the task is due now
	Answer  string
}

// Password lets somebody choose a password: the first one of a New account,
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

func (f Feedback) subject() string        { return f.Unit + ": feedback is ready to read" }
func (p PortfolioReady) subject() string  { return p.Unit + ": your portfolio is ready" }
func (p PortfolioFailed) subject() string { return p.Unit + ": your portfolio could not be made" }
func (p PDFFailed) subject() string {
	return p.Unit + ": please submit " + p.Task.Abbreviation + " again"
}
func (w WorkDeleted) subject() string {
	if w.Restored {
		return w.Unit + ": " + w.What + " is back, with your work"
	}
	return w.Unit + ": " + w.What + " was deleted, with your work"
}
func (s StudentWeek) subject() string { return s.Unit + ": your week" }
func (s StaffWeek) subject() string   { return s.Unit + ": your teaching week" }

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
		return "Confirm your address for " + a.Product
	case a.Pending:
		return "Somebody asked to change the address of your account at " + a.Product
	}
	return "The address of your account at " + a.Product + " was changed"
}

func (p Password) subject() string {
	if p.New {
		return "Welcome to " + p.Product + ": choose your password"
	}
	return "Choose a new password for " + p.Product
}
