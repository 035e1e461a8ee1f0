package marking

import (
	"context"
	"io"
	"net/url"
	"slices"
	"strconv"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/enrol"
	"lectern/internal/teaching/insight"
	"lectern/internal/teaching/queue"
	"lectern/internal/teaching/status"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

func (s *room) insightRoutes() {
	page.Show(s.Site, links.Insight, policy.ReadStatistics, "How the students of a unit stand, and how soon they hear",
		s.insight, endpoint.Asks(policy.SeeTutorPace, policy.SeeAtRisk, policy.SeeAllAtRisk, policy.ListStudents,
			policy.Announce))
	page.Show(s.Site, links.InsightMore, policy.ReadStatistics, "How the work of a unit's students shrinks, and what "+
		"they have learnt", s.insightMore)
	page.Show(s.Site, links.InsightRubrics, policy.ReadStatistics, "Where the students of a unit lose points, by rubric",
		s.insightRubrics, endpoint.Asks(policy.SeeTutorPace))
	endpoint.Route(s.Server, "GET "+links.Insight+"/sheets/{name}", 200, policy.ReadStatistics,
		"What a chart of a unit shows, as a sheet", s.chartSheet, endpoint.Audited(audit.Export),
		endpoint.Costs(endpoint.Exports), endpoint.Made("text/csv"), endpoint.Asks(policy.SeeTutorPace))
}

type insightIn struct {
	UnitID   int64  `path:"id" scope:"unit"`
	Tutorial string `param:"tutorial"` // of one; else of all students
	By       string `param:"by"`       // tutorial: statuses by tutorial; else by task
}

// insightBase is what the pages of insight share: whom they are about.
type insightBase struct {
	insightIn
	Unit      *course.Unit
	Week      string // that it is; empty outside the unit's time
	Tutorials []enrol.Tutorial
	Rubrics   []insight.RubricTask // the tasks that have one
	Task      string               // of these, where one is chosen
	at        string               // the page
	words     language
	begun     insight.Begun // by all students of the unit, where the page reads it
}

// class is the students that the page is about.
func (v *insightBase) class() insight.Class {
	return insight.Class{UnitID: v.UnitID, TutorialID: maybe(v.Tutorial), Begun: v.begun}
}

// read reads what the pages of insight share. A tutorial that the unit does not have is none.
func (v *insightBase) read(ctx context.Context, q db.Q) (err error) {
	if v.Unit, err = course.UnitByID(ctx, q, v.UnitID); err != nil {
		return err
	}
	if v.Tutorials, err = enrol.TutorialsOf(ctx, q, v.UnitID); err != nil {
		return err
	}
	id := maybe(v.Tutorial)
	if id == nil || !slices.ContainsFunc(v.Tutorials, func(t enrol.Tutorial) bool { return t.ID == *id }) {
		v.Tutorial = ""
	}
	if v.Rubrics, err = insight.RubricTasks(ctx, q, v.UnitID); err != nil {
		return err
	}
	weeks, err := course.Calendars(ctx, q, v.UnitID)
	v.Week = v.words.WeekOf(clock.Day(q.Now().Time), v.Unit.StartDate, v.Unit.EndDate, weeks[v.UnitID])
	return err
}

// with is an address below the unit with the tutorial and other values.
func (v *insightBase) with(path string, more ...string) string {
	q := url.Values{"tutorial": {v.Tutorial}}
	for i := 1; i < len(more); i += 2 {
		q.Set(more[i-1], more[i])
	}
	return withQuery(path, given(q))
}

// Menu is the chip that chooses a tutorial.
func (v *insightBase) Menu() menuChip {
	c := menuChip{Label: v.words.Word("students.tutorial"), Text: v.words.Word("students.any-tutorial")}
	at := links.To(v.at, v.UnitID)
	c.add(c.Text, v.with(at, "by", v.By, "task", v.Task, "tutorial", ""), v.Tutorial == "", true)
	for _, t := range v.Tutorials {
		id := strconv.FormatInt(t.ID, 10)
		c.add(t.Abbreviation, v.with(at, "by", v.By, "task", v.Task, "tutorial", id), v.Tutorial == id, false)
	}
	return c
}

// Tabs are the pages of insight.
func (v *insightBase) Tabs() []map[string]any {
	tabs := []map[string]any{
		{"Text": v.words.Word("insight.overview"), "Href": v.with(links.To(links.Insight, v.UnitID)),
			"Current": v.at == links.Insight},
		{"Text": v.words.Word("insight.progress"), "Href": v.with(links.To(links.InsightMore, v.UnitID)),
			"Current": v.at == links.InsightMore},
		{"Text": v.words.Word("risk.title"), "Href": v.with(links.To(links.AtRisk, v.UnitID)),
			"Current": v.at == links.AtRisk},
	}
	if len(v.Rubrics) == 0 {
		return tabs
	}
	return slices.Insert(tabs, 2, map[string]any{"Text": v.words.Word("insight.rubrics"),
		"Href": v.with(links.To(links.InsightRubrics, v.UnitID)), "Current": v.at == links.InsightRubrics})
}

// Sheet is where a chart is downloaded.
func (v *insightBase) Sheet(name string) string {
	return v.with(links.To(links.Insight, v.UnitID)+"/sheets/"+name, "task", v.Task)
}

// Counted is where what a chart of the class counts is listed.
func (v *insightBase) Counted(more ...string) string {
	return v.with(links.To(links.InsightRows, v.UnitID), more...)
}

// StudentRows is the address of the students of the class, in an order.
func (v *insightBase) StudentRows(order string) string {
	return v.with(links.To(links.Students, v.UnitID), "sort", order)
}

// insightPage is how the students of a unit stand.
type insightPage struct {
	insightBase
	Tasks    []insight.TaskStatuses
	Classes  []insight.TutorialStatuses // where they are asked for
	Turn     *insight.Turnaround
	Heat     map[string]any // by tutor and week; nil: nothing was marked, or the reader does not see it
	ByTutor  bool
	Risk     []insight.AtRisk
	SeesRisk bool
	MayWrite bool // to those at risk
	targets  map[grade.Grade]int
	done     int // tasks that are complete
	asked    int // of all that are asked of the class
}

func (s *room) insight(ctx context.Context, who *access.Caller, in insightIn) (*page.Page, error) {
	v := &insightPage{insightBase: insightBase{insightIn: in, at: links.Insight, words: s.words},
		ByTutor: who.May(policy.SeeTutorPace), SeesRisk: who.May(policy.SeeAtRisk),
		MayWrite: who.May(policy.Announce)}
	if v.By != "tutorial" {
		v.By = ""
	}
	search, refused := usecase.RiskSearch(who, in.UnitID)
	v.SeesRisk = v.SeesRisk && refused == nil
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if err = v.read(ctx, q); err != nil {
			return err
		}
		if v.Turn, err = insight.TurnaroundOf(ctx, q, in.UnitID, who.ID, v.ByTutor); err != nil {
			return err
		}
		if v.begun, err = insight.BegunIn(ctx, q, in.UnitID); err != nil {
			return err
		}
		if v.SeesRisk {
			search.TutorialID, search.Begun = maybe(v.Tutorial), v.begun
			if v.Risk, err = search.Find(ctx, q); err != nil {
				return err
			}
			if err = search.Name(ctx, q, v.FirstAtRisk()); err != nil {
				return err
			}
		}
		return v.count(ctx, q)
	})
	if err != nil {
		return nil, err
	}
	if v.ByTutor {
		v.Heat = (&promisePage{Turnaround: v.Turn, words: s.words, rows: v.markedBy}).Heat()
	}
	return s.Titled(who, "insight", s.Word("insight.title"), v), nil
}

// count reads what the class has come to.
func (v *insightPage) count(ctx context.Context, q db.Q) (err error) {
	if v.By != "" {
		if v.Classes, err = v.class().StatusesByTutorial(ctx, q); err != nil {
			return err
		}
		v.done, v.asked, err = v.class().Completion(ctx, q)
	} else {
		v.Tasks, err = v.class().StatusesByTask(ctx, q)
		v.sumUp()
	}
	if err != nil {
		return err
	}
	v.targets, err = v.class().Targets(ctx, q)
	return err
}

// Students is how many are in the class.
func (v *insightPage) Students() (n int) {
	for _, count := range v.targets {
		n += count
	}
	return n
}

// sumUp counts what is complete of all tasks.
func (v *insightPage) sumUp() {
	for _, t := range v.Tasks {
		for st, n := range t.Counts {
			if v.asked += n; st == status.Complete {
				v.done += n
			}
		}
	}
}

// Complete is the share of the tasks asked of the class that are complete, in whole percent that are never rounded up;
// none where nothing is asked.
func (v *insightPage) Complete() *int {
	if v.asked == 0 {
		return nil
	}
	return new(v.done * 100 / v.asked)
}

// CompleteRows is where the tasks that are complete are listed.
func (v *insightPage) CompleteRows() string { return v.Counted("status", string(status.Complete)) }

// MarkedRows is where all that was marked is listed; empty for who does not see it.
func (v *insightPage) MarkedRows() string {
	if !v.ByTutor {
		return ""
	}
	return v.Counted("of", ofMarks, "from", v.Turn.Since.String(), "tutorial", "")
}

// markedBy is where what one of the staff marked is listed: in a week, or in all of them.
func (v *insightPage) markedBy(tutorID int64, week int) string {
	until := "" // the last goes up to now
	if week+1 < len(v.Turn.Weeks) {
		until = v.Turn.Weeks[week+1].From.String()
	}
	return v.Counted("of", ofMarks, "tutor", strconv.FormatInt(tutorID, 10), "from", v.Turn.Weeks[week].From.String(),
		"until", until, "tutorial", "")
}

// Risks is where the students at risk are listed.
func (v *insightPage) Risks() string { return v.with(links.To(links.AtRisk, v.UnitID)) }

// FeedbackDays is within how many days the unit promises feedback; none: it promises nothing.
func (v *insightPage) FeedbackDays() *int { return v.Turn.FeedbackDays }

// Sum is what all rows of the chart of statuses come to.
func (v *insightPage) Sum() map[status.Status]int {
	sum := map[status.Status]int{}
	for _, r := range v.Rows() {
		for st, n := range r.Counts {
			sum[st] += n
		}
	}
	return sum
}

// Number is a number that is there, for words around it.
func (v *insightPage) Number(n *int) int { return *n }

// Span writes a time.
func (v *insightPage) Span(hours *float64) string { return v.words.Span(hours) }

// Inbox is the address of what waits for feedback, of all of it or what is over the target.
func (v *insightPage) Inbox(over bool) string {
	in := inboxIn{UnitID: v.UnitID, queueIn: queueIn{Over: over}}
	if !over {
		in.Kind = string(queue.ToMark)
	}
	return in.address()
}

// FirstAtRisk are those who stand on the first page of insight.
func (v *insightPage) FirstAtRisk() []insight.AtRisk { return v.Risk[:min(len(v.Risk), mostAtRisk)] }

// All are the projects of all who are at risk.
func (v *insightPage) All() string { return projectsOf(v.Risk) }

// Total is how many are at risk.
func (v *insightPage) Total() int { return len(v.Risk) }

// mostAtRisk is how many students at risk stand beside the charts.
const mostAtRisk = 5

// Views are the two ways to count statuses.
func (v *insightPage) Views() []map[string]any {
	at := links.To(links.Insight, v.UnitID)
	return []map[string]any{
		{"Text": v.words.Word("insight.by-task"), "Href": v.with(at) + "#statuses", "Current": v.By == ""},
		{"Text": v.words.Word("insight.by-tutorial"), "Href": v.with(at, "by", "tutorial") + "#statuses",
			"Current": v.By != ""},
	}
}

// statusRow is a row of the chart of statuses.
type statusRow struct {
	Name, Href string
	Counts     map[status.Status]int
	rows       func(status.Status) string
}

// Cell is how many stand at a status.
func (r statusRow) Cell(st status.Status) int { return r.Counts[st] }

// Rows is where those who stand at a status are listed.
func (r statusRow) Rows(st status.Status) string { return r.rows(st) }

// Rows are those of the chart of statuses: tasks, or tutorials.
func (v *insightPage) Rows() (out []statusRow) {
	if v.By != "" {
		for _, c := range v.Classes {
			id := strconv.FormatInt(c.TutorialID, 10)
			name := c.Name
			if c.TutorialID == 0 {
				name = v.words.Word("students.no-tutorial")
			}
			out = append(out, statusRow{name, v.Counted("tutorial", id), c.Counts,
				func(st status.Status) string { return v.Counted("tutorial", id, "status", string(st)) }})
		}
		return out
	}
	for _, t := range v.Tasks {
		at := links.To(links.UnitTask, v.UnitID, t.DefinitionID)
		out = append(out, statusRow{t.Abbreviation + " " + t.Name, v.with(at, "aimed", "yes"), t.Counts,
			func(st status.Status) string { return v.with(at, "aimed", "yes", "status", string(st)) }})
	}
	return out
}

// Used are the statuses that any row of the chart has.
func (v *insightPage) Used() (out []status.Status) {
	rows := v.Rows()
	for _, st := range status.All {
		if slices.ContainsFunc(rows, func(r statusRow) bool { return r.Counts[st] > 0 }) {
			out = append(out, st)
		}
	}
	return out
}

// targetBar is how many students aim for a grade.
type targetBar struct {
	Grade    grade.Grade
	Students int
	Width    float64 // of the longest, in percent
	Href     string  // where they are listed
}

// Targets are the bars of the target grades.
func (v *insightPage) Targets() (out []targetBar) {
	most := 1
	for _, n := range v.targets {
		most = max(most, n)
	}
	for _, g := range grade.Targets {
		out = append(out, targetBar{g, v.targets[g], 100 * float64(v.targets[g]) / float64(most),
			v.with(links.To(links.Students, v.UnitID), "target", strconv.Itoa(int(g)))})
	}
	return out
}

type chartSheetIn struct {
	UnitID   int64  `path:"id" scope:"unit"`
	Name     string `path:"name" enum:"completion,statuses,tutorials,burndown,turnaround,targets,outcomes,rubrics,rubric-weeks,rubric-tutors"`
	Tutorial string `param:"tutorial"`
	Task     string `param:"task"` // of the charts by rubric: only this one
}

func (s *room) chartSheet(ctx context.Context, who *access.Caller, in chartSheetIn) (f *endpoint.File, err error) {
	err = s.DB.View(ctx, func(q db.Q) error {
		unit, err := course.UnitByID(ctx, q, in.UnitID)
		if err != nil {
			return err
		}
		class := insight.Class{UnitID: in.UnitID, TutorialID: maybe(in.Tutorial)}
		t, err := usecase.ClassTable(ctx, q, who, class, idIn(in.Task), in.Name)
		f = &endpoint.File{Name: unit.Code + "-" + in.Name + ".csv", Type: "text/csv; charset=utf-8", Attachment: true,
			Write: func(w io.Writer) error { return insight.WriteTable(w, t) }}
		return err
	})
	if err == nil {
		err = f.Confirm()
	}
	if err != nil {
		return nil, err
	}
	return f, s.Usecases.Exported(ctx, "charts")
}
