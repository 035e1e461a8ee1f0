package unit

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/enrol"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/editing"
	"lectern/internal/web/site/page"
)

func (s *room) studentMoveRoutes() {
	page.Form(s.Site, links.StudentSetup+"/move", policy.ChangeEnrolments,
		"Plan to move, withdraw or enrol again many students, or do it", s.moveStudents,
		endpoint.Audited(audit.Enrolment, audit.Tutorial))
}

// moveStudentsIn says which students change, and to what.
type moveStudentsIn struct {
	ID        int64   `path:"id" scope:"unit"`
	Chosen    []int64 `param:"chosen"`
	To        string  `param:"to"` // such as tutorial-12, campus-3, withdraw, enrol
	Exceed    bool    `param:"exceed"`
	Plan      string  `param:"plan"` // what was shown
	Confirmed string  `param:"confirmed"`
	Again     string  `param:"again"` // exceed: a plan in which full tutorials take more
}

// move is the change that is asked for; false: none is.
func (in *moveStudentsIn) move() (m enrol.Move, ok bool) {
	m = enrol.Move{Projects: in.Chosen, Exceed: in.Exceed, Plan: in.Plan}
	what, number, _ := strings.Cut(in.To, "-")
	id := maybeID(number)
	switch {
	case what == "tutorial" && id != nil:
		m.Join = []int64{*id}
	case what == "campus" && id != nil:
		m.CampusID = id
	case in.To == "withdraw":
		m.Enrolled = new(false)
	case in.To == "enrol":
		m.Enrolled = new(true)
	default:
		return m, false
	}
	return m, true
}

// movePage is what a change of many students would come to.
type movePage struct {
	*places
	moveStudentsIn
	*enrol.Moved
	What string // is done to them, in words
	Ask  bool   // the number has to be given
}

// moveStudents shows what would become of the students, and with the plan does it. Where many would be
// withdrawn, it asks for their number first.
func (s *room) moveStudents(ctx context.Context, who *access.Caller, in moveStudentsIn) (endpoint.Drawing, error) {
	if in.Again == "exceed" {
		in.Exceed, in.Plan = true, ""
	}
	m, ok := in.move()
	if !ok || len(in.Chosen) == 0 {
		return s.studentsAgain(ctx, who, in.ID, fault.New(fault.Refused, "%s", s.Word("enrol.choose")))
	}
	v := &movePage{moveStudentsIn: in}
	var err error
	if v.Moved, err = s.Usecases.PlanMove(ctx, who, in.ID, m); err != nil {
		return s.studentsAgain(ctx, who, in.ID, err)
	}
	if in.Plan != "" {
		v.Ask = v.Twice
		m.Confirmed = maybeID(strings.TrimSpace(in.Confirmed))
		if !v.Ask || m.Confirmed != nil {
			moved, err := s.Usecases.MoveStudents(ctx, who, in.ID, m)
			if err == nil {
				return endpoint.Redirect{To: links.To(links.StudentSetup, in.ID) + "?done=moved&about=" +
					strconv.Itoa(moved.Count(enrol.Moves))}, nil
			}
			return s.movePlan(ctx, who, v, err)
		}
	}
	return s.movePlan(ctx, who, v, nil)
}

// movePlan draws the plan, with what was wrong where something was.
func (s *room) movePlan(ctx context.Context, who *access.Caller, v *movePage, why error) (endpoint.Drawing, error) {
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		v.places, err = s.readPlaces(ctx, q, v.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	v.What = v.what()
	if why != nil {
		return s.Again(s.Refusal(who, "student-move", s.Word("enrol.review"), v), why)
	}
	return s.Titled(who, "student-move", s.Word("enrol.review"), v), nil
}

// what says what is done to the students.
func (v *movePage) what() string {
	what, number, _ := strings.Cut(v.To, "-")
	id := maybeID(number)
	switch {
	case what == "tutorial" && v.classes[*id] != nil:
		return v.words.Word("enrol.to-tutorial", v.classes[*id].Abbreviation)
	case what == "campus" && *id == 0:
		return v.words.Word("enrol.to-no-campus")
	case what == "campus":
		return v.words.Word("enrol.to-campus", v.CampusName(id))
	case v.To == "withdraw":
		return v.words.Word("enrol.withdraw")
	}
	return v.words.Word("enrol.enrol-again")
}

// Ordered are the students with those first for whom it cannot be.
func (v *movePage) Ordered() (out []enrol.MovedStudent) {
	for _, outcome := range []enrol.MoveOutcome{enrol.Refused, enrol.Moves, enrol.Stays} {
		for _, s := range v.Students {
			if s.Outcome == outcome {
				out = append(out, s)
			}
		}
	}
	return out
}

// Moving is how many students change.
func (v *movePage) Moving() int { return v.Count(enrol.Moves) }

// Staying is how many stay as they are.
func (v *movePage) Staying() int { return v.Count(enrol.Stays) }

// Refusing is for how many it cannot be.
func (v *movePage) Refusing() int { return v.Count(enrol.Refused) }

// Full tells whether more could move if full tutorials took them.
func (v *movePage) Full() bool {
	return len(v.Students) > 0 && v.Refusing() > 0 && !v.Exceed && v.joins()
}

func (v *movePage) joins() bool { return strings.HasPrefix(v.To, "tutorial-") }

// Do is what the button says.
func (v *movePage) Do() string {
	switch n := v.Moving(); v.To {
	case "withdraw":
		return v.words.Word("enrol.do-withdraw", n)
	case "enrol":
		return v.words.Word("enrol.do-enrol", n)
	default:
		return v.words.Word("enrol.do-move", n)
	}
}

// studentsAgain draws the list with what was wrong.
func (s *room) studentsAgain(ctx context.Context, who *access.Caller, unitID int64, why error) (endpoint.Drawing,
	error) {
	v, err := s.readStudents(ctx, who, unitID, studentsIn{})
	if err != nil {
		return nil, err
	}
	return s.Again(s.Refusal(who, "student-setup", s.Word("students.title"), v), why)
}

// Told says what changes in the words of the page.
func (v *movePage) Told(list []enrol.PlaceChange) []toldChange { return toldChanges(v.words, list) }

// Percent is how many of a hundred would be withdrawn.
func (v *movePage) Percent() int64 { return 100 * v.Withdrawals / max(v.Moved.Enrolled, 1) }

// targetGroup is some of what can be done with many students.
type targetGroup struct {
	Label   string
	Options []editing.Option
}

// Targets are what can be done with many students: a tutorial of a stream, a campus, or leaving and coming back.
func (v *studentsPage) Targets() (out []targetGroup) {
	for _, s := range append(slices.Clone(v.Streams), enrol.Stream{Name: v.words.Word("students.tutorial")}) {
		g := targetGroup{Label: v.words.Word("enrol.move-to", s.Name)}
		for _, t := range v.streamOf(s.Abbreviation) {
			g.Options = append(g.Options, editing.Named("tutorial-"+strconv.FormatInt(t.ID, 10), v.full(t), false))
		}
		if len(g.Options) > 0 {
			out = append(out, g)
		}
	}
	campus := targetGroup{Label: v.words.Word("enrol.set-campus")}
	for _, c := range v.Campuses {
		campus.Options = append(campus.Options, editing.Named("campus-"+strconv.FormatInt(c.ID, 10), c.Name, false))
	}
	campus.Options = append(campus.Options, editing.Named("campus-0", v.words.Word("enrol.no-campus"), false))
	return append(out, campus, targetGroup{v.words.Word("students.show"), []editing.Option{
		editing.Named("withdraw", v.words.Word("enrol.withdraw"), false),
		editing.Named("enrol", v.words.Word("enrol.enrol-again"), false)}})
}
