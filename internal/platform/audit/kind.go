package audit

import "slices"

// Kind is what an entry is about.
type Kind string

// The kinds. A new one is added here and to kinds; whatever lists or checks kinds
// follows.
const (
	SignIn       Kind = "sign_in"        // a session began
	SignInFailed Kind = "sign_in_failed" // a wrong password for an account that exists; see ident
	SignOut      Kind = "sign_out"       // a session was ended by its user
	Password     Kind = "password"       // a password was set, or a link to set one was made or asked for
	SecondFactor Kind = "second_factor"  // one was set up, dropped or reset, or its recovery codes used or renewed
	Account      Kind = "account"        // an account was created, changed, disabled or enabled
	Role         Kind = "role"           // a role in the system or in a unit; the action is the new one
	SeeAs        Kind = "see_as"         // somebody looked at the service as another person sees it
	Status       Kind = "status"         // a task was moved; the action is where to
	Grade        Kind = "grade"          // a grade or quality points were given or changed
	Extension    Kind = "extension"      // more time was asked for, granted or rejected
	Review       Kind = "review"         // a review of a mark was asked for or answered, or its answer undone
	Submission   Kind = "submission"     // work was handed in, or its document asked for anew
	Portfolio    Kind = "portfolio"      // a portfolio or what is in it was changed
	Enrolment    Kind = "enrolment"      // a student was enrolled or withdrawn, or their project changed
	Tutorial     Kind = "tutorial"       // a tutorial, a stream, or who is in it
	Group        Kind = "group"          // a group set, a group, or who is in it
	Unit         Kind = "unit"           // a unit was created, changed or rolled over
	Definition   Kind = "definition"     // a task definition or its files
	Outcome      Kind = "outcome"        // a learning outcome or an alignment with one
	Setting      Kind = "setting"        // teaching periods, campuses, activity types
	Webhook      Kind = "webhook"        // where events are sent
	Job          Kind = "job"            // a background job was given another try
	Comment      Kind = "comment"        // somebody else's comment was deleted
	Note         Kind = "note"           // a note of the staff on a student was written, changed or deleted
	Handover     Kind = "handover"       // a queue was handed to colleagues, or a handover ended early
	Similarity   Kind = "similarity"     // somebody decided whether similar work is to be looked at
	Export       Kind = "export"         // records of many people were downloaded
	Retention    Kind = "retention"      // old entries of this log were removed
	Agreement    Kind = "agreement"      // somebody accepted the agreement of the outside similarity service
	Announcement Kind = "announcement"   // the staff wrote to students
	Moderation   Kind = "moderation"     // marked work was drawn to be marked again, was, or a difference was settled
)

var kinds = []Kind{SignIn, SignInFailed, SignOut, Password, SecondFactor, Account, Role, SeeAs, Status, Grade,
	Extension, Review,
	Submission, Portfolio, Enrolment, Tutorial, Group, Unit, Definition, Outcome, Setting, Webhook, Job, Comment,
	Note, Handover, Similarity, Export, Retention, Agreement, Announcement, Moderation}

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

// Actions that many kinds share. Others say theirs where they happen: a word of
// the program, never one that somebody typed.
const (
	Created = "created"
	Changed = "changed"
	Deleted = "deleted"
)
