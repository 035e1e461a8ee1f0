// Package policy is the table of rights: who may do what. Code asks it,
// documentation is printed from it, and nothing else decides.
//
// A caller is a set of standings (Who): what they are in the system, in the
// unit, on the project at hand. A right names the standings that hold it. The
// caller may when the two sets meet.
package policy

import (
	"math/bits"
	"strings"
)

// Role is what a person is, in the system or in a unit. The numbers are part of
// the wire.
type Role int64

// The roles.
const (
	Student Role = iota + 1
	Tutor
	Convenor
	Admin
)

var roleNames = [...]string{"", "Student", "Tutor", "Convenor", "Admin"}

// Enum gives the names of all roles, for the documentation of the API.
func (Role) Enum() []string { return roleNames[1:] }

// String gives the name on the wire.
func (r Role) String() string {
	if r < Student || r > Admin {
		return ""
	}
	return roleNames[r]
}

// MarshalText puts the name on the wire.
func (r Role) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// RoleName is a role by its name on the wire.
type RoleName string

// Name gives the name on the wire.
func (r Role) Name() RoleName { return RoleName(r.String()) }

// Enum gives the names of all roles, for the documentation of the API.
func (RoleName) Enum() []string { return Role(0).Enum() }

// ParseRole reads a role's name, whole, in any case.
func ParseRole(name string) (Role, bool) {
	for r := Student; r <= Admin; r++ {
		if strings.EqualFold(r.String(), strings.TrimSpace(name)) {
			return r, true
		}
	}
	return 0, false
}

// Who is a set of standings.
type Who uint32

// What a caller can be. Those of a unit and a project are told by the record
// the request is about.
const (
	Visitor             Who = 1 << iota // not signed in
	User                                // signed in, whatever else
	Self                                // the user the request is about
	SystemTutor                         // by system role
	SystemConvenor                      // by system role
	SystemAdmin                         // by system role
	UnitStudent                         // enrolled in the unit
	UnitTutor                           // employed in the unit
	UnitConvenor                        // employed in the unit
	Owner                               // the project is theirs, and they are enrolled
	FormerOwner                         // the project is theirs, but they are withdrawn
	OwnerMayMove                        // Owner where the unit lets students change tutorials
	OwnerMayExtend                      // Owner where the unit lets students ask for extensions
	GroupMember                         // in the group the request is about
	GroupMemberManaging                 // GroupMember where the set lets students manage groups and nothing is locked
	StudentCreating                     // UnitStudent where the set lets students make groups and is not locked
	OwnerManaging                       // Owner where the set lets students manage groups
	Enrolling                           // signed in with a password, and to set up a second factor before anything else
)

var whoNames = [...]string{"a visitor", "any signed-in user", "the user concerned", "a Tutor", "a Convenor", "an Admin",
	"a student of the unit", "a tutor of the unit", "a convenor of the unit", "the student concerned",
	"the student concerned, though withdrawn", "the student concerned where the unit lets students change tutorials",
	"the student concerned where the unit lets students ask for extensions", "a member of the group",
	"a member of the group where the set lets students manage groups and nothing is locked",
	"a student of the unit where the set lets students make groups and is not locked",
	"the student concerned where the set lets students manage groups",
	"whoever must set up a second factor first"}

// Names lists the standings in words.
func (w Who) Names() []string {
	var out []string
	for ; w != 0; w &= w - 1 {
		out = append(out, whoNames[bits.TrailingZeros32(uint32(w))])
	}
	return out
}

// Holding gives every standing that somebody of a role can have, named in any
// case; "visitor" is nobody signed in. Not ok: there is no such role.
func Holding(role string) (w Who, ok bool) {
	if strings.EqualFold(strings.TrimSpace(role), "visitor") {
		return Visitor, true
	}
	r, ok := ParseRole(role)
	if !ok {
		return 0, false
	}
	return User | Self | map[Role]Who{
		Student: UnitStudent | Owner | FormerOwner | OwnerMayMove | OwnerMayExtend | OwnerManaging | GroupMember |
			GroupMemberManaging | StudentCreating,
		Tutor: SystemTutor | UnitTutor, Convenor: SystemConvenor | UnitConvenor, Admin: SystemAdmin,
	}[r], true
}

// Scope is the kind of record a right is about.
type Scope string

// The scopes.
const (
	System  Scope = "system"
	Unit    Scope = "unit"
	Project Scope = "project"
	Task    Scope = "task"
)

// Right is one row of the table.
type Right struct {
	Scope  Scope
	Action string // completes "you may not ..."
	Who    Who
	Limit  string // what narrows it by the values of a request, in words; often empty
}

// Rule is what an endpoint asks of its caller: one right, or one of two, as the
// record of the request has it.
type Rule interface {
	// On gives the right that is asked on a record of a scope.
	On(s Scope) *Right
	// Rights gives all that may be asked.
	Rights() []*Right
	// Allows tells whether a caller with the standings w holds one of them.
	Allows(w Who) bool
}

// On implements Rule: a right is itself, whatever it is asked on.
func (r *Right) On(Scope) *Right { return r }

// Rights implements Rule.
func (r *Right) Rights() []*Right { return []*Right{r} }

type either struct{ unit, project *Right }

// Either asks for project where the request is about a project or a task, and for
// unit otherwise: what belongs to the unit and to each student alike.
func Either(unit, project *Right) Rule { return either{unit, project} }

func (e either) On(s Scope) *Right {
	if s == Project || s == Task {
		return e.project
	}
	return e.unit
}

func (e either) Rights() []*Right { return []*Right{e.unit, e.project} }

func (e either) Allows(w Who) bool { return e.unit.Allows(w) || e.project.Allows(w) }

// Allows tells whether a caller with the standings w holds the right.
func (r *Right) Allows(w Who) bool { return r.Who&w != 0 }

// Refusal says in a sentence who holds the right.
func (r *Right) Refusal() string {
	who := r.Who
	if who&Owner != 0 {
		who &^= FormerOwner // the student concerned, whether enrolled or withdrawn
	}
	names := who.Names()
	if n := len(names); n > 1 {
		names[n-2] += " or " + names[n-1]
		names = names[:n-1]
	}
	return "You may not " + r.Action + ": only " + strings.Join(names, ", ") + " may."
}
