// Package moderation knows which marked work is marked a second time: a sample that a convenor draws, what a second
// marker gives each work of it without having seen what it was given first, and which of the two stands.
package moderation

import (
	"slices"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/ground/opt"
	"lectern/internal/teaching/rubric"
	"lectern/internal/teaching/status"
)

// State is how far a work of a sample is.
type State string

// The states, in the order in which a convenor has to look at them.
const (
	Differs State = "differs" // both marks are there and are not the same
	Waits   State = "waits"   // for its second marker
	Agreed  State = "agreed"  // both say the same
	Settled State = "settled" // a convenor said which stands
)

// States are all states in their order.
var States = []State{Differs, Waits, Agreed, Settled}

// Enum gives all values, for the documentation of the API.
func (State) Enum() []string {
	return []string{string(Differs), string(Waits), string(Agreed), string(Settled)}
}

// Stands is which mark stands after a difference was settled.
type Stands string

// What can stand.
const (
	StandsFirst  Stands = "first"
	StandsSecond Stands = "second"
	StandsOther  Stands = "other" // neither of both
)

// Enum gives all values, for the documentation of the API.
func (Stands) Enum() []string {
	return []string{string(StandsFirst), string(StandsSecond), string(StandsOther)}
}

// Given is what somebody gives a work.
type Given struct {
	Status  status.Status `json:"status" doc:"the status"`
	Grade   *grade.Grade  `json:"grade" doc:"-1 (fail) to 3 (high distinction); null: none"`
	Quality *int          `json:"quality_pts" doc:"the quality points; null: none"`
	Levels  rubric.Levels `json:"levels" doc:"the numbers of the levels picked in the rubric, in the order of the criteria"`
}

// same tells whether both say the same. Levels count where the first has any: work that was marked without them can
// still be given the same.
func (g Given) same(o Given) bool {
	return g.Status == o.Status && opt.Same(g.Grade, o.Grade) && opt.Same(g.Quality, o.Quality) &&
		(len(g.Levels) == 0 || slices.Equal(g.Levels, o.Levels))
}

// Mark is what a work was given, by whom and when.
type Mark struct {
	Given
	UserID int64      `json:"user_id" doc:"who gave it"`
	Name   string     `json:"name" doc:"their name"`
	At     clock.Time `json:"date" doc:"when it was given"`
}

// SecondMark is what the second marker gave.
type SecondMark struct {
	Mark
	Comment string `json:"comment" doc:"for the staff; may be empty"`
}

// Settlement is what a convenor said of a difference.
type Settlement struct {
	Mark
	Stands Stands `json:"stands" doc:"whose mark stands"`
	Reason string `json:"reason" doc:"why, for the staff"`
}

// Work is a work of a sample as one of the staff sees it.
type Work struct {
	ID           int64       `json:"id" doc:"the number of the work in its sample"`
	SampleID     int64       `json:"sample_id" doc:"the sample that it is of"`
	UnitID       int64       `json:"unit_id"`
	TaskID       int64       `json:"task_id" doc:"the task that was drawn"`
	ProjectID    int64       `json:"project_id"`
	DefinitionID int64       `json:"task_definition_id"`
	Abbreviation string      `json:"abbreviation" doc:"of the task definition"`
	TaskName     string      `json:"task_name" doc:"of the task definition"`
	Student      string      `json:"student" doc:"the name of the student"`
	State        State       `json:"state" doc:"how far it is"`
	SubmittedAt  *clock.Time `json:"submitted_at" doc:"the version that was marked; null: it was marked without one"`
	RubricID     *int64      `json:"rubric_id" doc:"the rubric that both mark with; null: none"`
	AssignedID   *int64      `json:"assigned_id" doc:"who is to mark it; null: anybody on the staff who did not"`
	Assigned     string      `json:"assigned" doc:"their name; empty: nobody in particular"`
	Mine         bool        `json:"mine" doc:"the caller may mark it now"`
	// First and all below are nil until the second mark is there, and for whoever has no part in it.
	First   *Mark       `json:"first" doc:"what it had been given when it was drawn; null until the second mark is there, and for others than convenors and the second marker"`
	Second  *SecondMark `json:"second" doc:"the second mark; null until it is there, and for others than convenors and the second marker"`
	Settled *Settlement `json:"settled" doc:"what was decided; null until it is, and for others than convenors and the second marker"`
	Again   bool        `json:"marked_again" doc:"the task was marked again since it was drawn; false until the second mark is there"`
	// TaskVersion is what a settlement names, so that nothing is settled over what somebody did meanwhile.
	TaskVersion *int64 `json:"task_version" doc:"the version of the task, to settle a difference by; null where the marks are left out"`
}

// Sample is work that was drawn to be marked a second time.
type Sample struct {
	ID      int64      `db:"id" json:"id" doc:"the number of the sample"`
	UnitID  int64      `db:"unit_id" json:"unit_id"`
	Seed    string     `db:"seed" json:"seed" doc:"with the same work to draw from it draws the same again"`
	From    Narrowed   `db:"narrowed" json:"from" doc:"which marked work it was drawn from"`
	Spread  Spread     `db:"spread" json:"spread" doc:"of what it has so many works each"`
	Size    int64      `db:"size" json:"size" doc:"how many were asked for"`
	Matched int64      `db:"matched" json:"matched" doc:"how much work it was drawn from"`
	UserID  int64      `db:"user_id" json:"user_id" doc:"who drew it"`
	Name    string     `db:"name" json:"name" doc:"their name"`
	At      clock.Time `db:"at" json:"date" doc:"when it was drawn"`
	Tally
}

// Tally counts the works of a sample by their states.
type Tally struct {
	Waits   int64 `db:"waits" json:"waits" doc:"how many wait for their second marker"`
	Agreed  int64 `db:"agreed" json:"agreed" doc:"of how many both marks are the same"`
	Differs int64 `db:"differs" json:"differs" doc:"of how many they differ, and nobody said which stands"`
	Settled int64 `db:"settled" json:"settled" doc:"how many differences were settled"`
}

// All is how many works there are.
func (t Tally) All() int64 { return t.Waits + t.Agreed + t.Differs + t.Settled }

// Done is how many have a second mark.
func (t Tally) Done() int64 { return t.All() - t.Waits }
