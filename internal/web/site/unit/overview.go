package unit

import (
	"context"
	"slices"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/handover"
	"lectern/internal/teaching/week"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

func (s *room) overviewRoutes() {
	page.Show(s.Site, links.Unit, policy.ReadStatistics, "What a unit lacks, and what in it needs somebody", s.overview,
		endpoint.Asks(policy.SeeTutorPace, policy.SeeReadiness, policy.SeeHandovers, policy.SeeExtensions,
			policy.SeeReviews, policy.SeeClusters))
}

type overviewIn struct {
	ID int64 `path:"id" scope:"unit"`
}

// overviewPage is what the staff of a unit see first.
type overviewPage struct {
	Unit   *course.Unit
	Week   string // that it is; empty outside the unit's time
	Needs  []need
	Tutors []tutorRow // with what waits for them; for convenors
	Handed []handover.Handover
	Checks []checkRow // what the unit needs before it can begin; empty when nothing is left to do
	Done   int        // checks that are fulfilled
}

// need is something that waits for somebody.
type need struct {
	Colour     string
	Icon       page.Icon
	Text, Note string
	Href, Act  string
}

// tutorRow is a tutor with what waits in their tutorials.
type tutorRow struct {
	UserID           int64
	Name             string
	Waiting, Overdue int
}

// checkRow is a check in words.
type checkRow struct {
	OK         bool
	Text, Note string
	Href       string // where it is put right; empty: nowhere on the pages
}

func (s *room) overview(ctx context.Context, who *access.Caller, in overviewIn) (*page.Page, error) {
	v, ready := &overviewPage{}, (*usecase.Readiness)(nil)
	var needs *usecase.Needs
	var weeks map[int64]week.Calendar
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Unit, err = course.UnitByID(ctx, q, in.ID); err != nil {
			return err
		}
		if needs, err = usecase.NeedsOf(ctx, q, who, in.ID); err != nil {
			return err
		}
		if len(needs.Tutors) > 0 && who.May(policy.SeeHandovers) {
			if v.Handed, err = handover.Of(ctx, q, in.ID); err != nil {
				return err
			}
		}
		if weeks, err = course.Calendars(ctx, q, in.ID); err != nil || !who.May(policy.SeeReadiness) {
			return err
		}
		ready, err = usecase.ReadinessOf(ctx, q, in.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	v.Week = s.Words.WeekOf(clock.Day(s.DB.Now().Time), v.Unit.StartDate, v.Unit.EndDate, weeks[in.ID])
	v.Needs = s.needs(in.ID, needs)
	for _, t := range needs.Tutors {
		if t.Waiting > 0 {
			v.Tutors = append(v.Tutors, tutorRow{t.UserID, t.FirstName + " " + t.LastName, t.Waiting, t.Overdue})
		}
	}
	if ready != nil && !ready.Ready {
		v.check(s, ready)
	}
	return s.Titled(who, "overview", v.Unit.Name, v), nil
}

// needs says what waits for somebody, each with where to go.
func (s *room) needs(unitID int64, n *usecase.Needs) (out []need) {
	at := links.To(links.Unit, unitID)
	add := func(count int64, n need) {
		if count > 0 {
			out = append(out, n)
		}
	}
	desk := func(f usecase.Failed) string {
		if f.TaskID == nil {
			return ""
		}
		return links.DeskAt(unitID, *f.TaskID)
	}
	mark := need{Colour: "blue", Icon: page.Icon("send"), Text: s.Word("overview.to-mark", n.Waiting), Href: at + "/desk",
		Act: s.Word("overview.mark")}
	if n.Overdue > 0 {
		mark.Colour, mark.Icon, mark.Note = "red", page.Icon("timer"), s.Word("overview.over", n.Overdue)
	}
	answer, look := s.Word("overview.answer"), s.Word("overview.look")
	add(int64(n.Waiting), mark)
	add(n.ToAnswer, need{"blue", page.Icon("message-square"), s.Word("overview.to-answer", n.ToAnswer), "", at + "/inbox",
		answer})
	add(n.Documents.Count, need{"red", page.Icon("file-text"), s.Word("overview.documents", n.Documents.Count), "",
		desk(n.Documents), look})
	add(n.Tests.Count, need{"red", page.Icon("flask-conical"), s.Word("overview.tests", n.Tests.Count), "",
		desk(n.Tests), look})
	add(n.Extensions, need{"violet", page.Icon("calendar-clock"), s.Word("overview.extensions", n.Extensions), "",
		at + "/extensions", answer})
	add(n.Reviews, need{"violet", page.Icon("file-question-mark"), s.Word("overview.reviews", n.Reviews), "",
		at + "/reviews", answer})
	add(n.Similar.Count, need{"violet", page.Icon("layers"), s.Word("overview.similar", n.Similar.Count), "",
		links.To(links.UnitSimilarity, unitID) + "?state=undecided", s.Word("overview.decide")})
	return out
}

// check says what a unit has and lacks.
func (v *overviewPage) check(s *room, r *usecase.Readiness) {
	for _, c := range r.Checks {
		name := string(c.Name)
		row := checkRow{OK: c.OK, Text: s.Word("overview.check-" + name)}
		switch {
		case c.OK:
			v.Done++
			row.Note = s.fulfilled(c)
		case c.Wrong == 0:
			row.Note = s.Word("overview.none-" + name)
		case len(c.Names) > 0:
			row.Note = s.Word("overview.wrong-"+name, strings.Join(c.Names, ", "))
			if more := c.Wrong - int64(len(c.Names)); more > 0 {
				row.Note += " " + s.Word("overview.more", more)
			}
		case c.Name == usecase.CheckStaff:
			row.Note = s.Word("overview.wrong-" + name)
		default:
			row.Note = s.Word("overview.wrong-"+name, c.Wrong)
		}
		if !c.OK {
			row.Href = v.mend(c.Name)
		}
		if c.Name == usecase.CheckDates && !c.OK {
			row.Href = links.To(links.UnitSettings, v.Unit.ID) + "#dates"
		}
		v.Checks = append(v.Checks, row)
	}
}

// mend is where a check is put right; empty: nowhere on the pages.
func (v *overviewPage) mend(name usecase.CheckName) string {
	switch tasks := links.To(links.TaskSetup, v.Unit.ID); {
	case name == usecase.CheckPlaces:
		return links.To(links.StudentSetup, v.Unit.ID) + "?tutorial=0"
	case name == usecase.CheckStudents:
		return links.To(links.StudentSetup, v.Unit.ID)
	case name == usecase.CheckStaff:
		return links.To(links.StaffSetup, v.Unit.ID)
	case name == usecase.CheckTutorials:
		return links.To(links.StaffSetup, v.Unit.ID) + "#tutorials"
	case name == usecase.CheckTasks:
		return tasks
	case slices.Contains(usecase.TaskChecks, name):
		return tasks + "?show=" + string(name)
	}
	return ""
}

// fulfilled says what a unit has: how many, or that none is in the way.
func (s *room) fulfilled(c usecase.Check) string {
	key := "overview.ok-" + string(c.Name)
	if isOrIsNot[c.Name] || c.Name == usecase.CheckStaff || c.Name == usecase.CheckTutorials {
		return s.Word(key, c.Count)
	}
	return s.Word(key)
}

// keys are those of words that are put together.
func keys() (list []string) {
	for _, name := range usecase.CheckNames {
		list = append(list, "overview.check-"+string(name), "overview.ok-"+string(name))
		if isOrIsNot[name] || name == usecase.CheckTutorials {
			list = append(list, "overview.none-"+string(name))
		}
		if !isOrIsNot[name] {
			list = append(list, "overview.wrong-"+string(name))
		}
	}
	return slices.Concat(list, taskKeys(), studentKeys(), outcomeKeys())
}

// isOrIsNot are the checks of what there is or is not: nothing of it can be in the way.
var isOrIsNot = map[usecase.CheckName]bool{usecase.CheckDates: true, usecase.CheckTasks: true,
	usecase.CheckStudents: true}
