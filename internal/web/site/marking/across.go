package marking

import (
	"context"
	"io"
	"net/url"
	"slices"
	"strconv"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/enrol"
	"lectern/internal/teaching/portfolio"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/teaching/work"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

func (s *room) acrossRoutes() {
	page.Show(s.Site, links.UnitTasks, policy.ReadStatistics, "The tasks of a unit", s.unitTasks,
		endpoint.Asks(policy.SeeClusters))
	page.Show(s.Site, links.UnitTask, policy.ListStudents, "One task across the students of a unit", s.unitTask,
		endpoint.Asks(policy.GiveFeedback, policy.EditDefinitions))
	for _, d := range []struct {
		name, what, summary string
		list                func(context.Context, db.Q, int64, string) ([]portfolio.Entry, error)
	}{
		{"submissions", "submissions", "What all students handed in for a task, in a zip archive", portfolio.Submissions},
		{"documents", "documents", "The PDFs of all students for a task, in a zip archive", portfolio.Documents},
	} {
		endpoint.Route(s.Server, "GET "+links.UnitTask+"/"+d.name+".zip", 200, policy.GiveFeedback, d.summary,
			s.allFiles(d.what, d.list), endpoint.Audited(audit.Export), endpoint.Costs(endpoint.Exports),
			endpoint.Made("application/zip"))
	}
}

// unitTasksPage lists the tasks of a unit with how many students stand where.
type unitTasksPage struct {
	Unit          *course.Unit
	Tasks         []work.TaskTally
	MaySeeSimilar bool
}

func (s *room) unitTasks(ctx context.Context, who *access.Caller, in struct {
	ID int64 `path:"id" scope:"unit"`
}) (*page.Page, error) {
	v := &unitTasksPage{MaySeeSimilar: who.May(policy.SeeClusters)}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Unit, err = course.UnitByID(ctx, q, in.ID); err == nil {
			v.Tasks, err = work.Tallies(ctx, q, in.ID)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.Titled(who, "unit-tasks", s.Word("unit-tasks.title"), v), nil
}

// spread is a part of the bar of a task.
type spread struct {
	Colour   status.Colour
	From, To float64
}

// spreads are the counts of a task as parts of a bar of 100, by colour; what nobody
// has begun is left out.
func spreads(counts []work.StatusTally) (out []spread) {
	var total, at float64
	by := map[status.Colour]float64{}
	for _, c := range counts {
		total += float64(c.Count)
		by[c.Status.Colour()] += float64(c.Count)
	}
	for _, colour := range []status.Colour{status.Green, status.Blue, status.Orange, status.Red} {
		if n := by[colour]; n > 0 {
			out = append(out, spread{colour, at, n * 100 / total})
			at += n * 100 / total
		}
	}
	return out
}

type unitTaskIn struct {
	UnitID       int64  `path:"unit_id" scope:"unit"`
	DefinitionID int64  `path:"task_definition_id" scope:"definition"`
	Text         string `param:"text"`
	Tutorial     string `param:"tutorial"`
	Status       string `param:"status"`
	Handed       string `param:"handed"` // in, yes or no
	Aimed        string `param:"aimed"`  // yes: those whose target grades ask for it
	Sort         string `param:"sort"`
	Page         int64  `param:"page"`
}

// unitTaskPage shows all students of a unit on one task.
type unitTaskPage struct {
	unitTaskIn
	Definition *taskdef.Definition
	Students   []work.StudentTask
	Counts     []work.StatusTally
	Total      int64
	Numbers    acrossNumbers
	Tutorials  []enrol.Tutorial
	Batch      *batchForm // for one verdict on chosen students; nil: the reader gives none
	Edit       string     // where the task is changed; empty: not by the reader
	now        clock.Time
	words      language
}

func (s *room) unitTask(ctx context.Context, who *access.Caller, in unitTaskIn) (*page.Page, error) {
	in.clean()
	v := &unitTaskPage{unitTaskIn: in, now: s.DB.Now(), words: s.words}
	ask := work.Across{DefinitionID: in.DefinitionID, CallerID: who.ID, TutorialID: maybe(in.Tutorial),
		Status: status.Status(in.Status), HandedIn: in.handedIn(), Text: in.Text,
		Aimed: in.Aimed == "yes", Order: work.AcrossOrder(in.Sort), Page: pageOf(in.Page)}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Definition, err = taskdef.DefinitionByID(ctx, q, in.DefinitionID); err != nil {
			return err
		}
		if v.Tutorials, err = enrol.TutorialsOf(ctx, q, in.UnitID); err != nil {
			return err
		}
		if v.Counts, err = ask.Counts(ctx, q); err != nil {
			return err
		}
		all, err := work.Across{DefinitionID: in.DefinitionID}.Alike(ctx, q)
		if err != nil {
			return err
		}
		v.Numbers.count(all, v.now.Time)
		v.Students, v.Total, err = ask.Students(ctx, q)
		return err
	})
	if err != nil {
		return nil, err
	}
	if who.May(policy.GiveFeedback) {
		v.Batch = &batchForm{UnitID: in.UnitID, Back: v.address(), Graded: v.Definition.IsGraded,
			Quality: v.Definition.MaxQualityPts}
	}
	if who.May(policy.EditDefinitions) {
		v.Edit = links.To(links.TaskEditor, in.UnitID, in.DefinitionID)
	}
	return s.Titled(who, "unit-task", v.Definition.Abbreviation+" "+v.Definition.Name, v), nil
}

// clean replaces what the address says wrongly by what is usual: everybody, by name.
func (in *unitTaskIn) clean() {
	if !work.AcrossOrder(in.Sort).Known() {
		in.Sort = "name"
	}
	if !slices.Contains(status.All, status.Status(in.Status)) {
		in.Status = ""
	}
	if in.handedIn() == nil {
		in.Handed = ""
	}
	if in.Aimed != "yes" {
		in.Aimed = ""
	}
	in.Tutorial = number(in.Tutorial)
	in.Page = min(max(in.Page, 1), 1e6)
}

// handedIn tells whether those who have handed in are asked for; nil: either.
func (in *unitTaskIn) handedIn() *bool {
	if in.Handed != "yes" && in.Handed != "no" {
		return nil
	}
	return new(in.Handed == "yes")
}

// Orders are the ways to sort.
func (v *unitTaskPage) Orders() []string { return work.AcrossOrder("").Enum() }

// with is the address of this page with another value of one of its filters.
func (v *unitTaskPage) with(name, value string) string {
	q := v.query()
	q.Set(name, value)
	return withQuery(links.To(links.UnitTask, v.UnitID, v.DefinitionID), given(q))
}

// Kept is what a search keeps of the list.
func (v *unitTaskPage) Kept() url.Values {
	q := given(v.query())
	q.Del("text")
	return q
}

// Menus are the chips with a choice: of a tutorial, of whether it was handed in, and of the order.
func (v *unitTaskPage) Menus() []menuChip {
	tutorial := menuChip{Label: v.words.Word("students.tutorial"), Text: v.words.Word("students.any-tutorial")}
	tutorial.add(tutorial.Text, v.with("tutorial", ""), v.Tutorial == "", true)
	tutorial.add(v.words.Word("students.no-tutorial"), v.with("tutorial", "0"), v.Tutorial == "0", false)
	for _, t := range v.Tutorials {
		id := strconv.FormatInt(t.ID, 10)
		tutorial.add(t.Abbreviation, v.with("tutorial", id), v.Tutorial == id, false)
	}
	handed := menuChip{Label: v.words.Word("unit-task.submitted"), Text: v.words.Word("unit-task.submitted-any")}
	handed.add(handed.Text, v.with("handed", ""), v.Handed == "", true)
	handed.add(v.words.Word("unit-task.submitted"), v.with("handed", "yes"), v.Handed == "yes", false)
	handed.add(v.words.Word("unit-task.missing"), v.with("handed", "no"), v.Handed == "no", false)
	order := menuChip{Label: v.words.Word("project.sort"), Text: v.words.Word("project.sort")}
	for _, o := range v.Orders() {
		order.add(v.words.Word("unit-task.sort-"+o), v.with("sort", o), v.Sort == o, o == "name")
	}
	return []menuChip{tutorial, handed, order}
}

// Filtered tells whether the address leaves some students out.
func (v *unitTaskPage) Filtered() bool {
	return v.Text != "" || v.Tutorial != "" || v.Status != "" || v.Handed != "" || v.Aimed != ""
}

// Late tells whether a student should have handed in already.
func (v *unitTaskPage) Late(t work.StudentTask) bool {
	return t.Aimed && usecase.Overdue(t.Status, t.SubmittedAt != nil, t.Dates, v.now.Time)
}

// Waits tells whether a student waits for feedback.
func (v *unitTaskPage) Waits(t work.StudentTask) bool {
	return slices.Contains(status.Awaiting, t.Status)
}

func (v *unitTaskPage) query() url.Values {
	return url.Values{"text": {v.Text}, "tutorial": {v.Tutorial}, "status": {v.Status}, "handed": {v.Handed},
		"aimed": {v.Aimed}, "sort": {v.Sort}}
}

// address is that of the page, for a form to lead back to.
func (v *unitTaskPage) address() string {
	q := given(v.query())
	if v.Page > 1 {
		q.Set("page", strconv.FormatInt(v.Page, 10))
	}
	return withQuery(links.To(links.UnitTask, v.UnitID, v.DefinitionID), q)
}

// Missing is the address of this page with those who have not handed in.
func (v *unitTaskPage) Missing() string {
	q := v.query()
	q.Set("status", "")
	q.Set("handed", "no")
	return "?" + given(q).Encode()
}

// At is the address of this page with one state shown only, or with all.
func (v *unitTaskPage) At(s status.Status) string {
	q := v.query()
	q.Set("status", string(s))
	q.Set("handed", "")
	return "?" + given(q).Encode()
}

// Pages leads to the pages beside this one.
func (v *unitTaskPage) Pages() pages { return pagesOf(v.Page, v.Total, v.query()) }

// allFiles packs what students handed in for a task while it is sent.
func (s *room) allFiles(what string, list func(context.Context, db.Q, int64, string) ([]portfolio.Entry,
	error)) func(context.Context, *access.Caller, unitTaskIn) (*endpoint.File, error) {
	return func(ctx context.Context, _ *access.Caller, in unitTaskIn) (*endpoint.File, error) {
		var f *endpoint.File
		err := s.DB.View(ctx, func(q db.Q) error {
			d, err := taskdef.DefinitionByID(ctx, q, in.DefinitionID)
			if err != nil {
				return err
			}
			entries, err := list(ctx, q, d.ID, d.Abbreviation)
			f = endpoint.Zip(ctx, s.Usecases.Files, portfolio.Hashes(entries),
				d.UnitCode+"-"+d.Abbreviation+"-"+what+".zip",
				func(w io.Writer) error { return portfolio.WriteZip(ctx, s.Usecases.Files, entries, w) })
			return err
		})
		if err == nil {
			err = f.Confirm()
		}
		if err != nil {
			return nil, err
		}
		return f, s.Usecases.Exported(ctx, what)
	}
}
