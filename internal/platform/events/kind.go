package events

import "slices"

// Kind is what an event tells of.
type Kind string

// The kinds. A new one is added here and to kinds; whatever lists or checks
// kinds follows.
const (
	Status     Kind = "status"      // a task was moved
	Submission Kind = "submission"  // work was handed in
	Comment    Kind = "comment"     // something was said on a task, or taken back
	Enrolment  Kind = "enrolment"   // a student was enrolled or withdrawn
	Grade      Kind = "grade"       // a final or target grade was set, or students see another final grade
	Extension  Kind = "extension"   // more time was asked for or granted
	Review     Kind = "review"      // a review of a mark was asked for or answered
	Document   Kind = "document"    // a submission's document was made, or could not be
	Portfolio  Kind = "portfolio"   // a portfolio was compiled, or could not be
	MarkedCopy Kind = "marked_copy" // a tutor returned a marked copy
	Assessment Kind = "assessment"  // an automated assessment waits, runs or is over
	Deletion   Kind = "deletion"    // a task or group was deleted with the student's work, or restored

	Announcement Kind = "announcement" // the staff wrote to students
)

var kinds = []Kind{Status, Submission, Comment, Enrolment, Grade, Extension, Review, Document, Portfolio, MarkedCopy,
	Assessment, Deletion, Announcement}

// Kinds gives all kinds there are.
func Kinds() []Kind { return slices.Clone(kinds) }

// Enum gives the texts of all kinds, for the documentation of the API.
func (Kind) Enum() []string {
	all := make([]string, len(kinds))
	for i, k := range kinds {
		all[i] = string(k)
	}
	return all
}
