package status

import (
	"cmp"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/teaching/due"
)

// Actor is what the person who moves a task is to it.
type Actor uint8

// The actors. None has no right to move the task; GroupMember acts only through
// the group.
const (
	None Actor = iota
	Student
	GroupMember
	Staff
)

// ActorOn tells what someone is to a task. The owner is a student of it even
// when they teach the unit: nobody marks their own work.
func ActorOn(owns, teaches, sharesGroup bool) Actor {
	switch {
	case owns:
		return Student
	case teaches:
		return Staff
	case sharesGroup:
		return GroupMember
	}
	return None
}

// Rules are what a task's definition and unit say about moving it.
type Rules struct {
	Restricted      bool // students cannot leave a status staff gave
	NeedsFiles      bool // ready_for_feedback comes with an upload only
	Graded          bool
	MaxQuality      int // quality points to give; 0 when there are none
	Group           bool
	WeeksOnResubmit int // extension that fix_and_resubmit gives when little time is left
}

// State is what a move may change of a task.
type State struct {
	Status        Status
	SubmittedAt   *clock.Time
	UploadedAt    *clock.Time
	AssessedAt    *clock.Time
	CompletedOn   *clock.Date
	TimesAssessed int
	Grade         *grade.Grade
	GradedLate    bool // the grade was given by lateness, not by a person
	Quality       int  // -1 when not rated
	Extensions    int  // weeks
}

// Fresh is the state of a task nobody has touched.
var Fresh = State{Status: NotStarted, Quality: -1}

// Submission is a row of a task's history of submissions.
type Submission struct {
	At       clock.Time
	Assessed bool
}

// Task is all that Decide must know of one.
type Task struct {
	State
	Rules
	Due     due.Dates   // its Extensions are ignored: State holds them
	InGroup bool        // the student has a group, for a group task
	Last    *Submission // the latest, if any
}

func (t Task) dates() due.Dates {
	d := t.Due
	d.Extensions = t.Extensions
	return d
}

// day is the calendar day of a moment where the unit is.
func (t Task) day(at clock.Time) *clock.Date {
	zone := cmp.Or(t.Due.Zone, time.UTC)
	day := clock.Day(at.In(zone))
	return &day
}

// Move is a wish to change a task.
type Move struct {
	Word    string // a status word; "" only grades
	By      Actor
	Teaches bool // By is a student here, but teaches the unit, too
	Upload  bool // files come with it
	Grade   *grade.Grade
	Quality *int
	At      clock.Time
}

// Author is who a record names.
type Author uint8

// The authors.
const (
	Nobody Author = iota
	Mover         // who asked for the move
	Tutor         // the student's tutor, in whose name the service acts
)

// Entry is one status change for the history: always an engagement, and a
// status comment too where Comment says so.
type Entry struct {
	Status  Status
	By      Author
	Comment bool
}

// Row is what to write to the history of submissions: a new row, or the latest
// one changed. Outcome is empty while the submission awaits assessment.
type Row struct {
	New         bool
	SubmittedAt clock.Time
	AssessedAt  *clock.Time
	Outcome     Status
	Assessor    Author
}

// Plan is what a move comes to: the state after it, in whole, and the records
// to write in the same transaction. A plan without entries moved nothing, but
// may still have taken a grade or noted an upload.
type Plan struct {
	After   State
	Entries []Entry
	Row     *Row
}

// Quiet is the plan without status comments, which in a group stand only on
// the task the move was made on.
func (p Plan) Quiet() Plan {
	loud := p.Entries
	p.Entries = make([]Entry, len(loud))
	for i, e := range loud {
		e.Comment = false
		p.Entries[i] = e
	}
	return p
}
