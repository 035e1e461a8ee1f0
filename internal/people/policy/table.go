package policy

// Sets that recur. An Admin has every right of staff in every unit.
const (
	anyone     = Visitor | User
	staff      = UnitTutor | UnitConvenor | SystemAdmin
	convenors  = UnitConvenor | SystemAdmin
	organisers = SystemConvenor | SystemAdmin
	member     = UnitStudent | staff
	reader     = Owner | FormerOwner | staff
	worker     = Owner | staff
)

var table []*Right

func right(s Scope, action string, who Who) *Right {
	r := &Right{Scope: s, Action: action, Who: who}
	table = append(table, r)
	return r
}

// limited says what narrows the right.
func (r *Right) limited(limit string) *Right {
	r.Limit = limit
	return r
}

// convenorsLimit is the limit of MayAppoint and MayEdit.
const convenorsLimit = "a Convenor, of others, only Students and Tutors"

// All gives every right in the order of the table.
func All() []*Right { return table }

// Rights that no record decides.
var (
	Anybody        = right(System, "see what is public", anyone)
	SignedIn       = right(System, "see and change what is your own", User)
	SignOut        = right(System, "sign out", User|Enrolling)
	OwnFactor      = right(System, "set up your second factor", User|Enrolling)
	ListUsers      = right(System, "list the users", organisers)
	ReadUser       = right(System, "read this user's record", Self|SystemAdmin)
	CreateUsers    = right(System, "create users", organisers).limited(convenorsLimit)
	EditUser       = right(System, "change this user's record", Self|organisers).limited(convenorsLimit)
	ImportUsers    = right(System, "import users", organisers).limited(convenorsLimit)
	SeeInvitations = right(System, "see how far the invitations of users are", organisers)
	ExportUsers    = right(System, "export the users", SystemAdmin)
	FindPeople     = right(System, "find people of all units", SystemAdmin)
	ManageAccounts = right(System, "disable accounts or make password links", SystemAdmin)
	CreateUnits    = right(System, "create units", organisers)
	EditCalendar   = right(System, "change teaching periods and their breaks", SystemAdmin)
	EditCampuses   = right(System, "change campuses", SystemAdmin)
	EditActivities = right(System, "change activity types", SystemAdmin)
	SeeSetup       = right(System, "see what periods, campuses, activity types and images are used for", SystemAdmin)
	SeeAllUnits    = right(System, "list all units, closed ones too", SystemAdmin)
	RolloverPeriod = right(System, "roll a teaching period over", SystemAdmin)
	ListImages     = right(System, "list the container images", organisers)
	ManageImages   = right(System, "change and pull container images", SystemAdmin)
	SeeJobs        = right(System, "see background jobs", SystemAdmin)
	ManageJobs     = right(System, "retry background jobs", SystemAdmin)
	ReadAudit      = right(System, "read the audit log", SystemAdmin)
	VerifyAudit    = right(System, "have the audit log verified", SystemAdmin)
	SeeBackups     = right(System, "see how the backups are doing", SystemAdmin)
	SeeWebhooks    = right(System, "see the webhooks and read the event log", SystemAdmin)
	ManageWebhooks = right(System, "add, change, test and delete webhooks", SystemAdmin)
	SeeMail        = right(System, "see how emails are doing", SystemAdmin)
	ManageMail     = right(System, "have emails sent now that waited or failed", SystemAdmin)
	SeeService     = right(System, "see how the service is doing", SystemAdmin)
	SeeAccounts    = right(System, "see how the accounts of all people stand", SystemAdmin)
	ExportData     = right(System, "export the data of a person", SystemAdmin)
	EraseData      = right(System, "erase a person, or cancel that", SystemAdmin)
	SeeSettings    = right(System, "see the settings of the service", SystemAdmin)
	ChangeSettings = right(System, "change the settings of the service", SystemAdmin)
	AcceptTerms    = right(System, "accept the similarity service's agreement for this user", Self)
)

// Rights in a unit.
var (
	ReadUnit         = right(Unit, "read this unit", member)
	ListStudents     = right(Unit, "list the students of this unit", staff)
	EnrolStudents    = right(Unit, "enrol students in this unit", staff)
	GiveFeedback     = right(Unit, "see the work waiting in this unit", staff)
	SeeExtensions    = right(Unit, "see the extension requests of this unit, and their reasons", staff)
	GrantExtensions  = right(Unit, "give extensions without a request in this unit", staff)
	SeeGrantReasons  = right(Unit, "see why others gave extensions without a request in this unit", convenors)
	SeeReviews       = right(Unit, "see the review requests of this unit, and their reasons", staff)
	ReadStatistics   = right(Unit, "see the statistics of this unit", staff)
	SeeHandovers     = right(Unit, "see whose queue of this unit is handed to whom", staff)
	HandOver         = right(Unit, "hand a queue of this unit to others of its staff", convenors)
	SeeTutorPace     = right(Unit, "see how soon each tutor of this unit gives feedback", convenors)
	SeeAtRisk        = right(Unit, "see who of your tutorials of this unit is at risk", staff)
	SeeAllAtRisk     = right(Unit, "see every student of this unit who is at risk", convenors)
	ExportUnit       = right(Unit, "export from this unit", staff)
	GradeUnit        = right(Unit, "give final grades in this unit", staff).limited("not to oneself")
	PublishGrades    = right(Unit, "publish the final grades of this unit, and take them back", convenors)
	ExceedCapacity   = right(Unit, "enrol into a full tutorial", staff)
	EditUnit         = right(Unit, "change this unit", convenors)
	SeeReadiness     = right(Unit, "see what this unit still lacks", convenors)
	SeeAccess        = right(Unit, "see who has access to this unit", convenors)
	SeeStaff         = right(Unit, "see the roles on the staff of this unit", convenors)
	EmployStaff      = right(Unit, "change the staff of this unit", convenors)
	FindTeachers     = right(Unit, "look for people to add to the staff of this unit", convenors)
	ExportOutcomes   = right(Unit, "export the outcomes of this unit", convenors)
	EditOutcomes     = right(Unit, "change the outcomes of this unit", convenors)
	EditAlignments   = right(Unit, "change the alignments of this unit", convenors)
	EditTutorials    = right(Unit, "change the tutorials of this unit", convenors)
	SeeMaterial      = right(Unit, "see the tests, templates and attachments of the tasks of this unit", convenors)
	EditDefinitions  = right(Unit, "change the task definitions of this unit", convenors)
	ImportUnit       = right(Unit, "import into this unit", convenors)
	ChangeEnrolments = right(Unit, "withdraw or re-enrol students of this unit", convenors)
	RolloverUnit     = right(Unit, "roll this unit over", convenors)
	SeeDeleted       = right(Unit, "see what was deleted of this unit", convenors)
	DeleteWork       = right(Unit, "delete what holds students' work in this unit, and restore it", convenors)
	ExportGroups     = right(Unit, "export the groups of this unit", convenors)
	EditGroupSets    = right(Unit, "change the group sets of this unit", convenors)
	ListGroups       = right(Unit, "list the groups of this unit", member)
	CreateGroups     = right(Unit, "create groups in this set", StudentCreating|staff)
	EditGroup        = right(Unit, "change this group", GroupMemberManaging|staff)
	SteerGroup       = right(Unit, "lock a group, move it or change its capacity", staff)
	ReadMembers      = right(Unit, "see the members of this group", GroupMember|staff)
	OverfillGroup    = right(Unit, "exceed the capacity of a group", convenors)
	SeeClusters      = right(Unit, "see which work of this unit is alike", staff)
	DecideCases      = right(Unit, "decide on the work of this unit that is alike", staff)
	SecondMark       = right(Unit, "mark sampled work of this unit a second time", staff).limited("not what one marked first")
	Moderate         = right(Unit, "draw samples of the marked work of this unit, and settle differences", convenors)
	UseSnippets      = right(Unit, "use the saved comments of this unit", staff)
	EditSnippets     = right(Unit, "change others' saved comments of this unit", convenors)
	Announce         = right(Unit, "write announcements to the students of this unit", convenors)
	SeeAnnouncements = right(Unit, "see the announcements to all of this unit, to your tutorials, and your own", staff)
	SeeRecipients    = right(Unit, "see every announcement of this unit, and who got it", convenors)
	SteerOutside     = right(Unit, "see and retry what is done at the similarity service", convenors)
)

// Rights on a project. Whoever owns it is there as its student only, whatever
// else they are: nobody marks their own work.
var (
	ReadProject    = right(Project, "see this project", reader)
	ChangeProject  = right(Project, "change this project", worker)
	ChangeTutorial = right(Project, "change the tutorial of this student", OwnerMayMove|staff)
	ChangeCampus   = right(Project, "change the campus of this student", staff)
	ChangeGroup    = right(Project, "put this student into a group or take them out", OwnerManaging|staff)
	GradeProject   = right(Project, "give the final grade", staff)
	EndWeek        = right(Project, "sign off the week of this student", staff)
	SeeAsStudent   = right(Project, "see this project as its student does", staff)
	ReadSubmission = right(Project, "read this work", reader)
	Submit         = right(Project, "submit work for this project", worker)
	EditPortfolio  = right(Project, "change this portfolio", worker)
	TakeNotes      = right(Project, "see and write the staff notes on this student", staff)
	EditNotes      = right(Project, "change or delete somebody else's staff note on this student", convenors)
	ReadCopies     = right(Project, "read the announcements to this student", reader)
	AlignProject   = right(Project, "change the alignments of this project", worker)
)

// Rights on a task.
var (
	ReadTask         = right(Task, "see this task", reader)
	ChangeTask       = right(Task, "change this task", worker)
	GradeTask        = right(Task, "grade this task", staff)
	Comment          = right(Task, "comment on this task", worker)
	DeleteComments   = right(Task, "delete someone else's comment", staff)
	RequestExtension = right(Task, "ask for an extension of this task", OwnerMayExtend|staff)
	AssessExtension  = right(Task, "decide on an extension", staff)
	AskReview        = right(Task, "ask for a review of what the staff gave on this task", Owner)
	AnswerReview     = right(Task, "answer a review request", staff)
	StartDiscussion  = right(Task, "start a discussion", staff)
	ReplyDiscussion  = right(Task, "reply to a discussion", Owner)
	PinTask          = right(Task, "pin this task", staff)
	SeePresence      = right(Task, "see who on the staff looks at this task", staff)
	SeeSimilarities  = right(Task, "see what this work is similar to", staff)
	FlagSimilarity   = right(Task, "decide whether a similarity is to be looked at", staff)
)

// MayAppoint tells whether a caller of system role by may give someone the role
// to who has the role from now (0: a new account).
func MayAppoint(by, from, to Role) bool {
	return by == Admin || by == Convenor && from <= Tutor && to <= Tutor
}

// MayEdit tells whether a caller of system role by may change the record of
// another who has the role of.
func MayEdit(by, of Role) bool { return by == Admin || by == Convenor && of <= Tutor }

// MayRenumber tells whether a caller of system role by may change the student
// number, or the address, of another who has the role of. Of an account that was
// opened they are an Admin's to change: whoever has the address has the account.
func MayRenumber(by, of Role, opened bool) bool {
	return by == Admin || MayEdit(by, of) && !opened
}
