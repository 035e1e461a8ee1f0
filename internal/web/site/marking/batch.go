package marking

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/grade"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/teaching/verdict"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
	"lectern/internal/web/signin"
	"lectern/internal/web/site/page"
)

func (s *room) verdictsRoutes() {
	asks := endpoint.Asks(policy.GradeTask, policy.ChangeTask, policy.Comment)
	page.Form(s.Site, links.Inbox+"/plan", policy.GiveFeedback, "See what one verdict on many tasks would do",
		s.planVerdicts, asks,
		endpoint.Unaudited("a plan changes nothing"))
	page.Form(s.Site, links.Inbox+"/verdicts", policy.GiveFeedback, "Give one verdict on many tasks",
		s.giveVerdicts, asks,
		endpoint.Audited(audit.Status, audit.Grade, audit.Review))
	page.Form(s.Site, links.Inbox+"/undo", policy.GiveFeedback, "Undo a verdict on many tasks", s.undoVerdicts, asks,
		endpoint.Audited(audit.Status, audit.Grade, audit.Review, audit.Comment))
}

// batchForm is the form for one verdict on tasks that are chosen in a list: each row has
// a box of that form.
type batchForm struct {
	UnitID  int64
	Back    string      // the address of the list
	Graded  bool        // a task of the list is given a grade
	Quality int64       // the most points that one of them is given; 0: none is given any
	Typed   *verdictsIn // what stands in it, with the tasks; nil: nothing yet, and they are chosen in the list
	Planned bool        // what stands in it is what the plan above it says
	By      verdict.BatchRubric
}

// Verdicts are those that can be given to many.
func (batchForm) Verdicts() []verdictButton { return slices.Concat(verdicts, rare) }

// Grades are those to choose from.
func (batchForm) Grades() []grade.Grade { return (&deskTask{}).Grades() }

// verdictsIn is one verdict on the tasks that were chosen in a list.
type verdictsIn struct {
	UnitID  int64                   `path:"id" scope:"unit"`
	Back    string                  `param:"back"`
	Tasks   []string                `param:"tasks"` // each as its number:version
	Word    string                  `param:"verdict"`
	Comment string                  `param:"comment" text:"lines"`
	Grade   params.Opt[grade.Grade] `param:"grade"`
	Quality params.Opt[int64]       `param:"quality"`
	Key     string                  `param:"key" text:"any"`
	Planned string                  `param:"planned" text:"any"` // the mark of what was planned; empty: it is not known
	levelsIn
}

// verdictsPage is what a batch would do, or did.
type verdictsPage struct {
	verdictsIn
	Plan    *verdict.Batch // before it was given
	Done    *verdict.Batch
	Undid   *verdict.UndoneBatch
	By      verdict.BatchRubric
	Changed bool // the form is not what was planned: there is another plan
}

// chosen are the tasks with the versions that the caller saw. They are told as well where nothing is said of them.
func (in verdictsIn) chosen() ([]verdict.TaskVersion, error) {
	if len(in.Tasks) == 0 {
		return nil, fault.New(fault.Refused, "No submission is selected. Go back and select at least one.")
	}
	list := make([]verdict.TaskVersion, len(in.Tasks))
	for i, text := range in.Tasks {
		id, version, _ := strings.Cut(text, ":")
		var err, also error
		list[i].ID, err = strconv.ParseInt(id, 10, 64)
		list[i].Version, also = strconv.ParseInt(version, 10, 64)
		if err != nil || also != nil {
			return nil, fault.Field(fault.Invalid, "tasks", "must each be a task and its version")
		}
	}
	if in.Word == "" && !in.Grade.Has() && !in.Quality.Has() && in.levels() == nil {
		return list, fault.New(fault.Refused, "No status is selected. Choose one, then review the changes.")
	}
	return list, nil
}

func (in verdictsIn) verdict() verdict.Verdict {
	v := verdict.Verdict{Grade: in.Grade.Ptr(), Quality: quality(in.typed(in.Quality)), Comment: in.Comment, Key: in.Key,
		Rubric: in.levels()}
	if in.Word != "" {
		v.Trigger = &in.Word
	}
	return v
}

func (s *room) planVerdicts(ctx context.Context, who *access.Caller, in verdictsIn) (endpoint.Drawing, error) {
	return s.planAgain(ctx, who, &verdictsPage{verdictsIn: in})
}

func (s *room) planAgain(ctx context.Context, who *access.Caller, v *verdictsPage) (endpoint.Drawing, error) {
	tasks, err := v.chosen()
	if err == nil {
		v.Plan, err = s.Usecases.PlanVerdicts(ctx, who, v.UnitID, v.verdict(), tasks)
	}
	v.Key = rand.Text()
	return s.batchPage(ctx, who, v, tasks, err)
}

// giveVerdicts does what was planned. A form that was changed since is planned anew.
func (s *room) giveVerdicts(ctx context.Context, who *access.Caller, in verdictsIn) (endpoint.Drawing, error) {
	v := &verdictsPage{verdictsIn: in}
	if in.Planned != "" && in.Planned != in.mark() {
		v.Changed = true
		return s.planAgain(ctx, who, v)
	}
	tasks, err := in.chosen()
	if err == nil {
		v.Done, err = s.Usecases.GiveVerdicts(ctx, who, in.UnitID, in.verdict(), tasks)
	}
	return s.batchPage(ctx, who, v, tasks, err)
}

// batchPage draws what became of a batch, or what is wrong with it.
func (s *room) batchPage(ctx context.Context, who *access.Caller, v *verdictsPage, tasks []verdict.TaskVersion,
	wrong error) (endpoint.Drawing, error) {
	if err := v.readRubric(ctx, s.DB, tasks); err != nil {
		return nil, err
	}
	switch {
	case wrong != nil:
		return s.Again(s.Titled(who, "batch", s.Word("batch.title"), v), wrong)
	case v.Plan != nil:
		return s.Titled(who, "batch", s.Word("batch.plan", v.Plan.Done), v), nil
	}
	return s.Titled(who, "batch", s.Word("batch.done", v.Done.Done), v), nil
}

type undoVerdictsIn struct {
	UnitID int64  `path:"id" scope:"unit"`
	Back   string `param:"back"`
	Batch  int64  `param:"batch"`
}

func (s *room) undoVerdicts(ctx context.Context, who *access.Caller, in undoVerdictsIn) (endpoint.Drawing, error) {
	v := &verdictsPage{verdictsIn: verdictsIn{UnitID: in.UnitID, Back: in.Back}}
	var err error
	if v.Undid, err = s.Usecases.UndoVerdicts(ctx, who, in.Batch); err != nil {
		return nil, err
	}
	return s.Titled(who, "batch", s.Word("batch.undone", v.Undid.Done), v), nil
}

// List is the address of the list the tasks were chosen in.
func (v *verdictsPage) List() string {
	if v.Back == "" {
		return links.To(links.Inbox, v.UnitID)
	}
	return signin.Inside(v.Back)
}

// Action is where a form about the batch goes.
func (v *verdictsPage) Action(name string) string {
	return fmt.Sprintf("/units/%d/inbox/%s", v.UnitID, name)
}

// Batch is the plan or what was done.
func (v *verdictsPage) Batch() *verdict.Batch {
	if v.Plan != nil {
		return v.Plan
	}
	return v.Done
}

// Rows are the tasks of the batch, those it is refused for first: they need somebody.
func (v *verdictsPage) Rows() []verdict.BatchRow {
	rows := slices.Clone(v.Batch().Tasks)
	slices.SortStableFunc(rows, func(a, b verdict.BatchRow) int { return refusedFirst(a.Refused, b.Refused) })
	return rows
}

// Undone are the tasks whose verdicts were to be undone, those that could not be first.
func (v *verdictsPage) Undone() []verdict.UndoneRow {
	rows := slices.Clone(v.Undid.Tasks)
	slices.SortStableFunc(rows, func(a, b verdict.UndoneRow) int { return refusedFirst(a.Refused, b.Refused) })
	return rows
}

func refusedFirst(a, b *string) int {
	switch {
	case a != nil && b == nil:
		return -1
	case a == nil && b != nil:
		return 1
	}
	return 0
}

// Desk is the address of a task of the batch on the desk.
func (v *verdictsPage) Desk(at int64) string { return deskIn{UnitID: v.UnitID}.address(at) }

// Needs tells whether some of the tasks need a mark.
func (v *verdictsPage) Needs() bool { return v.needs("grade") || v.needs("quality_pts") }

func (v *verdictsPage) needs(mark string) bool {
	return v.Plan != nil && slices.ContainsFunc(v.Plan.Tasks, func(r verdict.BatchRow) bool {
		return slices.Contains(r.Needs, mark)
	})
}

// Form is that to change what is planned, with what was written; nil where it is done,
// or where there is nothing to be marked.
func (v *verdictsPage) Form() *batchForm {
	if v.Done != nil || v.Undid != nil || len(v.Tasks) == 0 {
		return nil
	}
	f := &batchForm{UnitID: v.UnitID, Back: v.List(), Graded: v.Grade.Has() || v.needs("grade"), Typed: &v.verdictsIn,
		Planned: v.Plan != nil, By: v.By}
	switch {
	case v.By.Rubric != nil && v.By.Points != nil:
		f.Quality = *v.By.Points // they are the task's
	case v.Quality.Has() || v.needs("quality_pts"):
		f.Quality = mostPoints
	}
	return f
}

// mostPoints are more than any task is given: each row says how many it takes.
const mostPoints = 1000

// Marked is the grade as its field has it; empty for none.
func (in verdictsIn) Marked() string {
	if g := in.Grade.Ptr(); g != nil {
		return strconv.Itoa(int(*g))
	}
	return ""
}

// Points are the quality points that were typed; empty for none.
func (in verdictsIn) Points() string {
	if n := in.typed(in.Quality).Ptr(); n != nil {
		return strconv.FormatInt(*n, 10)
	}
	return ""
}

// Has tells whether a verdict or a grade is the one that was chosen.
func (f *batchForm) Has(chosen string) bool {
	return f.Typed != nil && chosen != "" && (f.Typed.Word == chosen || f.Typed.Marked() == chosen)
}

// Batch is the form for what is chosen in the inbox.
func (v *inboxPage) Batch() *batchForm {
	f := &batchForm{UnitID: v.UnitID, Back: v.with(v.queueIn, 0)}
	for _, r := range slices.Concat(v.Rows, v.Pins) {
		f.Graded, f.Quality = f.Graded || r.IsGraded, max(f.Quality, int64(r.MaxQuality))
	}
	return f
}
