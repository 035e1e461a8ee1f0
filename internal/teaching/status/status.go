// Package status is the life of a task: the twelve statuses, who may move a task
// to which, what each move changes and records, and what moves by itself. It
// is pure: Decide says what must happen, its caller makes it happen.
package status

import (
	"slices"
	"strings"

	"lectern/internal/ground/fault"
)

// Status is where a task is, by the key the API and the database use.
type Status string

// The statuses, in the order of their ids.
const (
	NotStarted       Status = "not_started"
	Complete         Status = "complete"
	NeedHelp         Status = "need_help"
	WorkingOnIt      Status = "working_on_it"
	FixAndResubmit   Status = "fix_and_resubmit"
	FeedbackExceeded Status = "feedback_exceeded"
	Redo             Status = "redo"
	Discuss          Status = "discuss"
	ReadyForFeedback Status = "ready_for_feedback"
	Demonstrate      Status = "demonstrate"
	Fail             Status = "fail"
	TimeExceeded     Status = "time_exceeded"
)

// Enum gives the keys of all statuses, for the documentation of the API.
func (Status) Enum() []string {
	keys := make([]string, len(table))
	for i, r := range table {
		keys[i] = string(r.status)
	}
	return keys
}

// UploadTrigger is what whoever hands in can ask for.
type UploadTrigger string

// Enum gives all triggers of an upload, for the documentation of the API.
func (UploadTrigger) Enum() []string { return []string{string(NeedHelp), string(ReadyForFeedback)} }

// Colour is the class a status falls in where progress is shown.
type Colour string

// The colours, from trouble to done.
const (
	Red    Colour = "red"
	Orange Colour = "orange"
	Grey   Colour = "grey"
	Blue   Colour = "blue"
	Green  Colour = "green"
)

// effect is what a move to a status does beside setting it.
type effect uint8

const (
	note   effect = iota // nothing: the student tells how it goes
	submit               // hands the work in; late work becomes time_exceeded
	pass                 // assesses the work as good: completes it, takes grade and quality
	back                 // assesses the work as not good: not complete, or no longer
)

// traits are what else sets a status apart.
type traits uint8

const (
	byStudents traits = 1 << iota // students may move their task here; staff may always
	closed                        // students cannot move their task away from here
	assigned                      // nor from here, where the definition restricts status updates
	alone                         // a move here is not repeated on the tasks of the group
	final                         // a move of the group passes over a task that is here
	awaiting                      // the student waits for the staff
)

// row holds everything that differs between the statuses.
type row struct {
	status Status
	name   string
	does   effect
	traits traits
	colour Colour
	weight float64 // share of a task's points towards an outcome
	words  string  // accepted beside key and name
}

// table is the status machine; everything else reads it. The id of a status
// is its place here, from 1.
var table = []row{
	{NotStarted, "Not Started", note, byStudents, Grey, 0, "ns"},
	{Complete, "Complete", pass, closed | final, Green, 1, "completed"},
	{NeedHelp, "Need Help", note, byStudents | alone | awaiting, Orange, 0, ""},
	{WorkingOnIt, "Working On It", note, byStudents | alone, Grey, 0, "in progress"},
	{FixAndResubmit, "Fix and Resubmit", back, assigned, Orange, 0.3, "fix, f"},
	{FeedbackExceeded, "Feedback Exceeded", back, assigned | closed | final, Red, 0.1, "do not resubmit"},
	{Redo, "Redo", back, assigned, Orange, 0.1, ""},
	{Discuss, "Discuss", pass, assigned | closed, Green, 0.8, "d"},
	{ReadyForFeedback, "Ready for Feedback", submit, byStudents | assigned | awaiting, Blue, 0.7,
		"ready to mark, rtm, rff"},
	{Demonstrate, "Demonstrate", pass, assigned | closed, Green, 0.8, "demo"},
	{Fail, "Fail", back, assigned | closed | final, Red, 0, ""},
	{TimeExceeded, "Time Exceeded", back, assigned, Red, 0.5, ""},
}

func (r row) is(t traits) bool { return r.traits&t != 0 }

// Set is some of the statuses, in the order of their ids.
type Set []Status

// Has tells whether s is in the set.
func (set Set) Has(s Status) bool { return slices.Contains(set, s) }

// The sets rules and queries speak of.
var (
	All             = those(func(row) bool { return true })
	Closed          = those(func(r row) bool { return r.is(closed) })
	Awaiting        = those(func(r row) bool { return r.is(awaiting) })
	StaffAssigned   = those(func(r row) bool { return r.is(assigned) })
	ReadyOrComplete = those(func(r row) bool { return r.does == pass || r.does == submit })
	// Marked are those that say what came of the work.
	Marked = those(func(r row) bool { return r.does == pass || r.does == back })
	// Passed are those that say the work is good enough.
	Passed = those(func(r row) bool { return r.does == pass })
	// SentBack are those by which somebody says that it is not; time_exceeded says that it came late.
	SentBack = those(func(r row) bool { return r.does == back && r.status != TimeExceeded })
	// Automatable are those a program may set: marks of work that a person can
	// still put right.
	Automatable = those(func(r row) bool { return r.does == pass || r.does == back && r.colour == Orange })
	// ToDo are those in which it is the student's turn.
	ToDo = Set{NotStarted, WorkingOnIt, FixAndResubmit, Redo, Discuss, Demonstrate}
	// Again are those in which what was handed in has to come once more.
	Again = Set{FixAndResubmit, Redo}
)

func those(want func(row) bool) Set {
	var set Set
	for _, r := range table {
		if want(r) {
			set = append(set, r.status)
		}
	}
	return set
}

// row finds a status in the table. Text that is no status, such as the empty one
// of a task nobody has touched, counts as not started.
func (s Status) row() row { return table[max(s.ID(), 1)-1] }

// ID is the number of a status, 1 to 12; 0 for text that is none.
func (s Status) ID() int {
	return slices.IndexFunc(table, func(r row) bool { return r.status == s }) + 1
}

// Name is the status as people read it.
func (s Status) Name() string { return s.row().name }

// Colour is the class of the status where progress is shown.
func (s Status) Colour() Colour { return s.row().colour }

// Weight is the share of a task's points towards a learning outcome that the
// status earns.
func (s Status) Weight() float64 { return s.row().weight }

// FromID finds a status by its number.
func FromID(id int) (Status, bool) {
	if id < 1 || id > len(table) {
		return "", false
	}
	return table[id-1].status, true
}

var words = vocabulary()

func vocabulary() map[string]Status {
	all := map[string]Status{}
	for _, r := range table {
		all[plain(string(r.status))] = r.status
		for w := range strings.SplitSeq(r.words, ", ") {
			if w != "" {
				all[w] = r.status
			}
		}
	}
	return all
}

func plain(word string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(word)), "_", " ")
}

// Parse reads a status by key, name or one of its short words, in any case.
func Parse(word string) (Status, bool) {
	s, ok := words[plain(word)]
	return s, ok
}

// OnUpload is the status an upload asks for: feedback, or help if its trigger says
// so, even in quotes. Any other word is Invalid, or Denied where it is one that the
// actor could not set without files either.
func OnUpload(trigger string, by Actor) (Status, error) {
	word := strings.Trim(strings.TrimSpace(trigger), `"'`)
	if word == "" {
		return ReadyForFeedback, nil
	}
	to, ok := Parse(word)
	switch {
	case to == NeedHelp || to == ReadyForFeedback:
		return to, nil
	case ok && by != Staff && !to.row().is(byStudents):
		return "", fault.New(fault.Denied, "Only teaching staff can set a task to %s. Submit without a trigger, or "+
			"with %s.", to.Name(), NeedHelp)
	}
	return "", fault.Field(fault.Invalid, "trigger", "%q cannot be used for a submission: leave it out, or use %s "+
		"when the work is not ready for marking", word, NeedHelp)
}
