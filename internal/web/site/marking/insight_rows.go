package marking

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/insight"
	"lectern/internal/teaching/status"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

func (s *room) insightRowRoutes() {
	page.Show(s.Site, links.InsightRows, policy.ListStudents, "What a number of a unit's charts counts", s.insightRows,
		endpoint.Asks(policy.SeeTutorPace))
}

// What a chart of insight counts, as the address says it.
const (
	ofTasks   = ""        // tasks of students
	ofLeft    = "left"    // those that a line of the burndown has left
	ofMarks   = "marks"   // first words of the staff, for who sees the pace of tutors
	ofOutcome = "outcome" // students with their points
	ofLevels  = "levels"  // levels of rubrics that were given
)

type insightRowsIn struct {
	insightIn
	rowsAsked
}

// rowsAsked is which rows an address asks for.
type rowsAsked struct {
	Of      string `param:"of"`
	Status  string `param:"status"`
	Line    string `param:"line"` // of the burndown
	Day     string `param:"day"`
	Outcome string `param:"outcome"`
	Task    string `param:"task"`      // that has a rubric
	Which   string `param:"criterion"` // of that rubric
	Level   string `param:"level"`
	Tutor   string `param:"tutor"`  // who marked
	Others  string `param:"others"` // anybody but them
	From    string `param:"from"`   // moments between which it was marked, or days
	Until   string `param:"until"`
	Page    int64  `param:"page"`
}

// insightRowsPage lists what a number of a chart counts.
type insightRowsPage struct {
	insightBase
	rowsAsked
	Works   []insight.Work
	Marks   []insight.Mark
	Points  []insight.OutcomePoints
	Levels  []insight.LevelsGiven
	Total   int64
	Facts   []string // what is listed, in words
	ByTutor bool     // who marked is told
	title   string
}

func (s *room) insightRows(ctx context.Context, who *access.Caller, in insightRowsIn) (*page.Page, error) {
	v := &insightRowsPage{rowsAsked: in.rowsAsked, insightBase: insightBase{insightIn: in.insightIn,
		at: links.InsightRows, words: s.words},
		ByTutor: who.May(policy.SeeTutorPace)}
	v.Page = min(max(in.Page, 1), 1e6)
	if in.Of == ofMarks || in.Of == ofLevels && in.Tutor+in.Others != "" {
		if err := who.Must(policy.SeeTutorPace); err != nil {
			return nil, err
		}
	}
	err := s.DB.View(ctx, func(q db.Q) error {
		if err := v.read(ctx, q); err != nil {
			return err
		}
		if in.Tutorial == "0" && in.Of != ofMarks { // those without one
			v.Tutorial = "0"
		}
		switch in.Of {
		case ofMarks:
			return v.readMarks(ctx, q)
		case ofOutcome:
			return v.readPoints(ctx, q)
		case ofLevels:
			return v.readLevels(ctx, q)
		}
		return v.readWork(ctx, q)
	})
	if err != nil {
		return nil, err
	}
	return s.Titled(who, "insight-rows", v.title, v), nil
}

// readWork reads tasks of students: all, those at a status, or those that a line of the burndown has left. What the
// address says wrongly is passed over.
func (v *insightRowsPage) readWork(ctx context.Context, q db.Q) error {
	v.title = v.words.Word("insight.rows-tasks")
	search := insight.WorkSearch{Class: v.class(), Page: pageOf(v.Page)}
	if st := status.Status(v.Status); v.Of == ofTasks && slices.Contains(status.All, st) {
		search.Status = st
	} else {
		v.Status = ""
	}
	line := insight.Line(v.Line)
	if day, err := clock.ParseDate(v.Day); v.Of == ofLeft && err == nil && slices.Contains(insight.Lined, line) {
		search.Left, search.Day = line, day
	} else {
		v.Of, v.Line, v.Day = ofTasks, "", ""
	}
	works, tally, err := search.Rows(ctx, q)
	if err != nil {
		return err
	}
	v.Works, v.Total = works, tally.Tasks
	v.Facts = append(v.Facts, v.words.Word("insight.rows-counted", v.Total))
	if v.Of == ofLeft {
		v.title = v.words.Word("insight.rows-left", v.words.Date("long", search.Day.Time))
		v.Facts = append(v.Facts, v.words.Word("insight.rows-percent", tally.Percent()), v.words.line(line))
	}
	return nil
}

// line is what a line of the burndown has left.
func (l language) line(line insight.Line) string {
	switch line {
	case insight.Planned:
		return l.Word("insight.rows-planned")
	case insight.HandedIn:
		return l.Word("insight.rows-submitted")
	}
	return l.Word("insight.rows-done")
}

// readPoints reads the students with what they have towards an outcome.
func (v *insightRowsPage) readPoints(ctx context.Context, q db.Q) error {
	id, err := strconv.ParseInt(v.Outcome, 10, 64)
	if err != nil {
		return fault.New(fault.Missing, "There is no such outcome.")
	}
	name, err := v.class().OutcomeName(ctx, q, id)
	if err != nil {
		return err
	}
	v.title = v.words.Word("insight.rows-outcome", name)
	v.Points, v.Total, err = v.class().OutcomeRows(ctx, q, id, pageOf(v.Page))
	v.Facts = append(v.Facts, v.words.Word("insight.students", int(v.Total)))
	return err
}

// readMarks reads what was marked, by one of the staff or all, in a week or since a moment.
func (v *insightRowsPage) readMarks(ctx context.Context, q db.Q) (err error) {
	v.Tutorial, v.title = "", v.words.Word("insight.rows-marks")
	search := insight.MarkSearch{UnitID: v.UnitID, TutorID: maybe(v.Tutor), From: insight.TurnaroundSince(q),
		Page: pageOf(v.Page)}
	if from, ok := moment(v.From); ok {
		search.From = from
	} else {
		v.From = ""
	}
	if until, ok := moment(v.Until); ok {
		search.Until = &until
	} else {
		v.Until = ""
	}
	var pace insight.Pace
	if v.Marks, pace, err = search.Rows(ctx, q); err != nil {
		return err
	}
	v.Total = int64(pace.Marked)
	v.Facts = append(v.Facts, v.words.Word("insight.rows-counted", v.Total), v.words.Word("insight.rows-median",
		v.words.Span(pace.Median)), v.words.weekLong(search.From))
	if search.TutorID != nil && len(v.Marks) > 0 {
		v.Facts = append(v.Facts, v.Marks[0].Marker)
	}
	return nil
}

// moment reads one of an address.
func moment(text string) (clock.Time, bool) {
	t, err := time.Parse(time.RFC3339Nano, text)
	return clock.At(t), err == nil
}

func (v *insightRowsPage) query() url.Values {
	return given(url.Values{"of": {v.Of}, "tutorial": {v.Tutorial}, "status": {v.Status}, "line": {v.Line},
		"day": {v.Day}, "outcome": {v.Outcome}, "task": {v.rowsAsked.Task}, "criterion": {v.Which},
		"level": {v.Level}, "tutor": {v.Tutor}, "others": {v.Others}, "from": {v.From}, "until": {v.Until}})
}

// but is the address with another value of one of its filters.
func (v *insightRowsPage) but(name, value string) string {
	q := v.query()
	q.Set(name, value)
	return withQuery(links.To(links.InsightRows, v.UnitID), given(q))
}

// Menus are the chips with a choice: of a tutorial, and of a status where tasks are listed.
func (v *insightRowsPage) Menus() (out []menuChip) {
	if v.Of == ofMarks {
		return nil
	}
	c := menuChip{Label: v.words.Word("students.tutorial"), Text: v.words.Word("students.any-tutorial")}
	now := v.Tutorial
	c.add(c.Text, v.but("tutorial", ""), now == "", true)
	c.add(v.words.Word("students.no-tutorial"), v.but("tutorial", "0"), now == "0", false)
	for _, t := range v.Tutorials {
		id := strconv.FormatInt(t.ID, 10)
		c.add(t.Abbreviation, v.but("tutorial", id), now == id, false)
	}
	out = append(out, c)
	if v.Of != ofTasks {
		return out
	}
	c = menuChip{Label: v.words.Word("project.status"), Text: v.words.Word("inbox.any-status")}
	c.add(c.Text, v.but("status", ""), v.Status == "", true)
	for _, st := range status.All {
		c.add(v.words.Status(st), v.but("status", string(st)), v.Status == string(st), false)
	}
	return append(out, c)
}

// Pages leads to the pages beside this one.
func (v *insightRowsPage) Pages() pages { return pagesOf(v.Page, v.Total, v.query()) }

// Span writes a time.
func (v *insightRowsPage) Span(hours *float64) string { return v.words.Span(hours) }

// Tenths writes a number of points.
func (v *insightRowsPage) Tenths(n float64) string { return v.words.Word("promise.tenth", n) }
