package enrol

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/opt"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
)

// MostMoved is how many students one change may be about.
const MostMoved = 1000

// Move is what to change of the enrolment of some students of a unit, of each alike; what is nil or empty
// is left alone.
type Move struct {
	Projects  []int64
	Enrolled  *bool
	CampusID  *int64  // below 1: none
	Join      []int64 // tutorials, each in place of the one a student has in its stream
	Leave     []int64 // tutorials
	Exceed    bool    // full tutorials take more
	Seen      *Places // of the one student it is about; what somebody changed since is not overwritten
	Plan      string  // the sign of what was shown; where something else would come of it, nothing is done
	Confirmed *int64  // so many withdrawals are meant, though they are many
}

// Places are where a student is: their campus and tutorials.
type Places struct {
	CampusID  *int64
	Tutorials []int64
}

// MoveOutcome is what becomes of one of the students of a Move.
type MoveOutcome string

// The outcomes.
const (
	Moves   MoveOutcome = "changed"
	Stays   MoveOutcome = "unchanged"
	Refused MoveOutcome = "refused"
)

// Enum gives all values, for the documentation of the API.
func (MoveOutcome) Enum() []string { return []string{string(Moves), string(Stays), string(Refused)} }

// MovedStudent is a student with what becomes of them.
type MovedStudent struct {
	ProjectID int64         `db:"id" json:"project_id"`
	UserID    int64         `db:"user_id" json:"-"`
	Username  string        `db:"username" json:"username"`
	FirstName string        `db:"first_name" json:"first_name"`
	LastName  string        `db:"last_name" json:"last_name"`
	Outcome   MoveOutcome   `json:"outcome" doc:"what becomes of the student"`
	Changes   []PlaceChange `json:"changes" doc:"what becomes different"`
	Message   string        `json:"message" doc:"why not; empty: it can be"`

	sitter *student
	campus bool // it changes
}

// Moved is what a Move came to, or would.
type Moved struct {
	Students    []MovedStudent `json:"students" doc:"by name"`
	Plan        string         `json:"plan" doc:"the sign of this answer, for the call that does it"`
	Enrolled    int64          `json:"enrolled" doc:"students enrolled before"`
	Withdrawals int64          `json:"withdrawals" doc:"students who are withdrawn, or would be"`
	Twice       bool           `json:"confirm" doc:"they are so many that their number has to be confirmed"`
}

// Count is how many students have an outcome.
func (m *Moved) Count(o MoveOutcome) (n int) {
	for _, s := range m.Students {
		if s.Outcome == o {
			n++
		}
	}
	return n
}

// MoveStudents changes the enrolment of students of a unit, on behalf of someone, for holders of
// policy.ChangeEnrolments. A student for whom it cannot be (a full tutorial, another campus, withdrawn, held
// by a group) stays as they are, and the answer says why; the others change. A plan does all but that. It
// refuses with fault.Missing who is not in the unit, with fault.Conflict what is no longer as it was seen or
// planned, and to withdraw more than one in twenty unless their number is confirmed.
func MoveStudents(ctx context.Context, q db.Q, by, unitID int64, m Move, planOnly bool) (*Moved, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	if !planOnly {
		if err := lockAllocation(ctx, q, unitID, m.Projects); err != nil {
			return nil, err
		}
	}
	a, err := readAllocation(ctx, q, unitID, m.Projects, m.Exceed)
	if err != nil {
		return nil, err
	}
	x := &moving{Move: m, allocation: a}
	if err := x.read(ctx, q, unitID); err != nil {
		return nil, err
	}
	if err := x.clash(); err != nil {
		return nil, err
	}
	for i := range x.out.Students {
		x.decide(&x.out.Students[i])
	}
	x.sum()
	switch {
	case planOnly:
		return x.out, nil
	case m.Plan != "" && m.Plan != x.out.Plan:
		return nil, fault.New(fault.Conflict, "Somebody changed the enrolments in the meantime, so nothing was done. "+
			"Look at the plan again.")
	case m.Confirmed != nil && *m.Confirmed != x.out.Withdrawals, m.Confirmed == nil && x.out.Twice && len(m.Projects) > 1:
		return nil, errMany(x.out.Withdrawals, x.out.Enrolled)
	}
	return x.out, x.write(ctx, q, by)
}

// check tells what is wrong with a change by itself.
func (m *Move) check() error {
	var wrong fault.Fields
	slices.Sort(m.Projects)
	m.Projects = slices.Compact(m.Projects)
	wrong.When(len(m.Projects) == 0, "project_ids", "must name at least one student")
	wrong.When(len(m.Projects) > MostMoved, "project_ids", "may name at most %d students", MostMoved)
	wrong.When(m.Seen != nil && len(m.Projects) != 1, "seen", "is for one student only")
	if m.Enrolled == nil && m.CampusID == nil && len(m.Join)+len(m.Leave) == 0 {
		wrong.Add("tutorial_ids", "must be given, or campus_id or enrolled")
	}
	return wrong.Err(fault.Refused)
}

// moving is a Move while it is decided.
type moving struct {
	Move
	*allocation
	campus *course.Campus // to which they move; nil: none, or none is set
	out    *Moved
}

// read reads who the change is about, and what it leads to.
func (x *moving) read(ctx context.Context, q db.Q, unitID int64) error {
	list, args, err := idRows(q, x.Projects)
	if err != nil {
		return err
	}
	x.out = &Moved{}
	x.out.Students, err = db.All[MovedStudent](ctx, q, `SELECT p.id, p.user_id, u.username, u.first_name, u.last_name
		FROM projects p JOIN users u ON u.id = p.user_id WHERE p.unit_id = $2 AND p.id IN (SELECT id FROM `+list+` r)
		ORDER BY u.name_key, u.first_name, u.last_name, p.id`, append(args, unitID)...)
	if err != nil {
		return err
	}
	if len(x.out.Students) < len(x.Projects) {
		return fault.New(fault.Missing, "A student is not in this unit. Load the list again.")
	}
	for _, id := range slices.Concat(x.Join, x.Leave) {
		if x.tutorials[id] == nil {
			return fault.New(fault.Missing, "A tutorial is not of this unit. Load the list again.")
		}
	}
	n, err := db.One[int64](ctx, q, `SELECT count(*) FROM projects WHERE unit_id = $1 AND enrolled`, unitID)
	if err != nil {
		return err
	}
	x.out.Enrolled = *n
	if x.CampusID != nil && *x.CampusID > 0 {
		x.campus, err = course.CampusByID(ctx, q, *x.CampusID)
	}
	return err
}

// clash refuses to change what is no longer as it was seen: the campus, or the tutorial of a stream.
func (x *moving) clash() error {
	if x.Seen == nil {
		return nil
	}
	p := x.students[x.Projects[0]]
	var wrong fault.Fields
	if x.CampusID != nil && !opt.Same(p.HomeID, x.Seen.CampusID) && max(*x.CampusID, 0) != opt.Or(p.HomeID, 0) {
		wrong.Add("campus_id", "was changed in the meantime: it is %s", opt.Or(p.Home, "none"))
	}
	touched := map[int64]bool{} // streams, 0 for none
	for _, id := range slices.Concat(x.Join, x.Leave) {
		touched[opt.Or(x.tutorials[id].StreamID, 0)] = true
	}
	for stream := range touched {
		is, was := x.of(stream, ids(p.held)), x.of(stream, x.Seen.Tutorials)
		if is != was && !slices.Contains(x.Join, is) {
			name := "none"
			if is != 0 {
				name = x.tutorials[is].Tutorial
			}
			wrong.Add("tutorial_ids", "were changed in the meantime: it is %s", name)
		}
	}
	return wrong.Err(fault.Conflict)
}

// of is the tutorial of a stream among some; 0: there is none.
func (x *moving) of(stream int64, some []int64) int64 {
	for _, id := range some {
		if t := x.tutorials[id]; t != nil && opt.Or(t.StreamID, 0) == stream {
			return id
		}
	}
	return 0
}

func ids(held []Enrolment) []int64 {
	out := make([]int64, len(held))
	for i, e := range held {
		out[i] = e.TutorialID
	}
	return out
}

// decide says what becomes of a student.
func (x *moving) decide(s *MovedStudent) {
	s.sitter, s.Changes = x.students[s.ProjectID], []PlaceChange{}
	restore := x.state(s.sitter)
	before := *s.sitter
	if err := x.change(s); err != nil {
		restore()
		s.Outcome, s.Message, s.campus = Refused, err.Error(), false
		return
	}
	p := s.sitter
	if p.Enrolled != before.Enrolled {
		to := map[bool]string{true: "enrolled", false: "withdrawn"}
		s.Changes = append(s.Changes, PlaceChange{PlaceEnrolment, to[before.Enrolled], to[p.Enrolled]})
	}
	if s.campus {
		s.Changes = append(s.Changes, PlaceChange{PlaceCampus, opt.Or(before.Home, ""), opt.Or(p.Home, "")})
	}
	s.Changes = append(s.Changes, x.changes(p)...)
	if s.Outcome = Moves; len(s.Changes) == 0 {
		s.Outcome = Stays
	}
}

// change makes the change of one student in memory, all of it or, with an error, what the caller undoes.
func (x *moving) change(s *MovedStudent) error {
	p := s.sitter
	if x.CampusID != nil {
		var id *int64
		var name *string
		if x.campus != nil {
			id, name = &x.campus.ID, &x.campus.Name
		}
		s.campus = !opt.Same(p.HomeID, id)
		p.HomeID, p.Home = id, name
	}
	if x.Enrolled != nil && *x.Enrolled && !p.Enrolled {
		x.readmit(p)
	}
	for _, id := range x.Join {
		if err := x.take(p, x.tutorials[id]); err != nil {
			return err
		}
	}
	held := slices.DeleteFunc(slices.Clone(x.Leave), func(id int64) bool { return !enrolledIn(p.held, id) })
	if err := x.leave(p, held); err != nil {
		return err
	}
	if x.Enrolled != nil && !*x.Enrolled {
		p.Enrolled = false
	}
	for _, h := range p.held {
		if t := x.tutorials[h.TutorialID]; s.campus && p.apart(t) {
			return fault.New(fault.Conflict, "The student is in %s, which is not for that campus. Move them to another "+
				"tutorial first.", t.Tutorial)
		}
	}
	return nil
}

// sum counts what is decided, and makes the sign by which it is known again.
func (x *moving) sum() {
	sign := sha256.New()
	for _, s := range x.out.Students {
		fmt.Fprintln(sign, s.ProjectID, s.Outcome, s.Changes, s.Message)
		if s.Outcome == Moves && x.Enrolled != nil && !*x.Enrolled {
			x.out.Withdrawals++
		}
	}
	x.out.Plan = hex.EncodeToString(sign.Sum(nil))
	x.out.Twice = x.out.Withdrawals > 0 && manyLeave(x.out.Withdrawals, x.out.Enrolled)
}

// write makes the change of those for whom it can be.
func (x *moving) write(ctx context.Context, q db.Q, by int64) error {
	var rows [][]any
	var come, back []int64
	var sitters []*student
	var entries []audit.Entry
	for _, s := range x.out.Students {
		if s.Outcome != Moves {
			continue
		}
		p := s.sitter
		sitters = append(sitters, p)
		rows = append(rows, []any{p.ProjectID, p.HomeID, p.Enrolled, q.Now().String()})
		entries = append(entries, s.entries()...)
		if s.Changes[0].Field != PlaceEnrolment {
			continue
		}
		come = append(come, p.ProjectID)
		if p.Enrolled {
			back = append(back, p.ProjectID)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	list, args, err := db.Rows(q, nil, []string{"id BIGINT", "campus BIGINT", "stays BOOLEAN", "at TIMESTAMPTZ"}, rows)
	if err != nil {
		return err
	}
	if _, err := db.Exec(ctx, q, `UPDATE projects SET enrolled = r.stays, campus_id = r.campus, updated_at = r.at FROM `+
		list+` r WHERE projects.id = r.id`, args...); err != nil {
		return err
	}
	if err := x.allocation.write(ctx, q, sitters); err != nil {
		return err
	}
	if err := dropStale(ctx, q, back...); err != nil {
		return err
	}
	if err := audit.Add(ctx, q, entries...); err != nil {
		return err
	}
	return tellEnrolment(ctx, q, by, come...)
}

// entries are what the audit log keeps of a student's change, but for their enrolment, which is told.
func (s *MovedStudent) entries() (out []audit.Entry) {
	e := audit.Entry{UserID: s.UserID, ProjectID: s.ProjectID}
	if s.campus {
		e.Kind, e.Action, e.Fields = audit.Enrolment, audit.Changed, []string{"campus_id"}
		out = append(out, e)
	}
	e.Kind, e.Fields = audit.Tutorial, nil
	for _, h := range s.sitter.held {
		if !enrolledIn(s.sitter.was, h.TutorialID) {
			e.Action, e.RecordID = "joined", h.TutorialID
			out = append(out, e)
		}
	}
	for _, h := range s.sitter.was {
		if !enrolledIn(s.sitter.held, h.TutorialID) {
			e.Action, e.RecordID = "left", h.TutorialID
			out = append(out, e)
		}
	}
	return out
}
