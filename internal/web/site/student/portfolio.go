package student

import (
	"cmp"
	"context"
	"slices"

	"lectern/internal/ground/grade"
	"lectern/internal/ground/links"
	"lectern/internal/ground/opt"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/portfolio"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
	"lectern/internal/web/site/page"
)

// The steps of the wizard, by what the address calls them.
const (
	stepGrade    = "grade"
	stepSummary  = "summary"
	stepFiles    = "files"
	stepTasks    = "tasks"
	stepOutcomes = "outcomes"
	stepCompile  = "compile"
)

var portfolioSteps = []string{stepGrade, stepSummary, stepFiles, stepTasks, stepOutcomes, stepCompile}

func (s *room) portfolioRoutes() {
	const one = links.Portfolio
	asks := endpoint.Asks(policy.ReadTask, policy.ReadUnit, policy.ListStudents, policy.EditPortfolio)
	changes := endpoint.Asks(policy.ReadTask, policy.ReadUnit, policy.ListStudents, policy.EditPortfolio,
		policy.GradeProject, policy.ChangeCampus, policy.ChangeEnrolments, policy.EndWeek, policy.GradeTask)
	audited := endpoint.Audited(audit.Portfolio)
	page.Show(s.Site, one, policy.ReadSubmission, "Put a portfolio together", s.portfolio, asks)
	endpoint.Route(s.Server, "GET "+one+"/document", 200, policy.ReadSubmission, "The compiled portfolio",
		s.portfolioDocument)
	page.Form(s.Site, one+"/grade", policy.ChangeProject, "Claim a grade", s.claim, changes,
		endpoint.Audited(audit.Enrolment, audit.Grade, audit.Status))
	page.Form(s.Site, one+"/summary", policy.EditPortfolio, "Write the learning summary", s.writeSummary, asks, audited)
	page.Form(s.Site, one+"/summary/file", policy.EditPortfolio, "Send the learning summary",
		s.sendSummary, asks, audited,
		endpoint.Uploads(1, portfolio.MaxFile), endpoint.Again(func(ctx context.Context, who *access.Caller, in summaryIn,
			wrong error) (endpoint.Drawing, error) {
			return s.stepAgain(ctx, who, in.portfolioIn, stepSummary, wrong, nil)
		}))
	page.Form(s.Site, one+"/files", policy.EditPortfolio, "Add a file to the portfolio", s.addFile, asks, audited,
		endpoint.Uploads(1, portfolio.MaxFile), endpoint.Again(func(ctx context.Context, who *access.Caller, in addFileIn,
			wrong error) (endpoint.Drawing, error) {
			return s.stepAgain(ctx, who, in.portfolioIn, stepFiles, wrong, nil)
		}))
	page.Form(s.Site, one+"/files/remove", policy.EditPortfolio, "Remove a file of the portfolio",
		s.removeFile, asks, audited)
	page.Form(s.Site, one+"/files/move", policy.EditPortfolio, "Move a file of the portfolio",
		s.moveFile, asks, audited)
	page.Form(s.Site, one+"/tasks", policy.EditPortfolio, "Choose the tasks of the portfolio",
		s.includeTasks, asks, audited)
	page.Form(s.Site, one+"/compile", policy.ChangeProject, "Have the portfolio compiled", s.compile, changes,
		endpoint.Audited(audit.Enrolment, audit.Grade, audit.Status))
	page.Show(s.Site, one+"/withdraw", policy.ReadSubmission, "Ask whether to withdraw the portfolio", s.askToWithdraw)
	page.Form(s.Site, one+"/withdraw", policy.ChangeProject, "Withdraw the portfolio", s.withdrawPortfolio, changes,
		endpoint.Audited(audit.Portfolio, audit.Enrolment, audit.Grade, audit.Status))
}

type portfolioIn struct {
	ID   int64  `path:"id" scope:"project"`
	Step string `param:"step"`
}

func (in portfolioIn) path() string { return links.To(links.Portfolio, in.ID) }

// to leads to a step of the wizard.
func (in portfolioIn) to(step string) endpoint.Drawing {
	return endpoint.Redirect{To: in.path() + "?step=" + step}
}

// portfolioPage is what the wizard shows. Of each step there is what it needs.
type portfolioPage struct {
	Path, Step string
	Term       *usecase.Term
	Progress   *portfolio.Progress
	Summary    *portfolio.File  // nil: none yet
	Files      []portfolio.File // beside the summary
	Tasks      []usecase.TermTask
	Included   int
	Outcomes   []usecase.ProjectOutcome
	Aligned    int // what the student says of their tasks
	Grades     []grade.Grade
	MayEdit    bool
	Text, Name string // what was typed in
	Alignment  taskdef.Alignment
	Chosen     bool      // the address names the step; else it is the one to go on with
	Hub        []hubStep // all steps with how far each is
}

// Claim is the grade that the student claims or, before they do, aims for.
func (v *portfolioPage) Claim() grade.Grade {
	if g := v.Term.Project.SubmittedGrade; g != nil {
		return *g
	}
	return v.Term.Project.TargetGrade
}

// portfolioRow is a file with the places before and after it; 0: none.
type portfolioRow struct {
	portfolio.File
	Up, Down int
}

// Rows are the files beside the summary.
func (v *portfolioPage) Rows() []portfolioRow {
	out := make([]portfolioRow, len(v.Files))
	for i, f := range v.Files {
		out[i] = portfolioRow{File: f, Up: i}
		if i+1 < len(v.Files) {
			out[i].Down = i + 2
		}
	}
	return out
}

// Ahead is how many jobs come first, as far as that is known.
func (v *portfolioPage) Ahead() int { return opt.Or(v.Progress.Ahead, 0) }

// Ratings are what a student can say of how a task serves an outcome.
func (v *portfolioPage) Ratings() []int64 { return ratings }

// Next is the step after this one, "" at the last.
func (v *portfolioPage) Next() string {
	if at := slices.Index(portfolioSteps, v.Step); at+1 < len(portfolioSteps) {
		return portfolioSteps[at+1]
	}
	return ""
}

func (s *room) portfolio(ctx context.Context, who *access.Caller, in portfolioIn) (*page.Page, error) {
	v := &portfolioPage{Path: in.path(), Step: in.Step, Grades: grade.Targets, Alignment: usual,
		MayEdit: who.May(policy.EditPortfolio), Chosen: slices.Contains(portfolioSteps, in.Step)}
	err := s.DB.View(ctx, func(q db.Q) error { return v.read(ctx, q, who, in.ID) })
	if err == nil && v.Step == stepSummary && v.Summary != nil && v.Summary.Typed() {
		var typed *portfolio.Summary
		if typed, err = portfolio.SummaryOf(ctx, s.DB.Pool(), s.Usecases.Files, in.ID); err == nil {
			v.Text = typed.Text
		}
	}
	if err != nil {
		return nil, err
	}
	v.Hub = v.hub(s.words)
	return s.Page(who, "portfolio", v), nil
}

// read gathers what the wizard shows in a number of statements that does not grow.
func (v *portfolioPage) read(ctx context.Context, q db.Q, who *access.Caller, id int64) (err error) {
	if v.Term, err = usecase.TermOf(ctx, q, who, id); err != nil {
		return err
	}
	if v.Progress, err = portfolio.ProgressOf(ctx, q, id); err != nil {
		return err
	}
	if v.Files, err = portfolio.FilesOf(ctx, q, id); err != nil {
		return err
	}
	if len(v.Files) > 0 && v.Files[0].IsSummary() {
		v.Summary, v.Files = &v.Files[0], v.Files[1:]
	}
	for _, t := range v.Term.Tasks {
		if t.ID == 0 {
			continue // nothing was done for it
		}
		v.Tasks = append(v.Tasks, t)
		if t.InPortfolio {
			v.Included++
		}
	}
	if !slices.Contains(portfolioSteps, v.Step) {
		v.Step = v.first()
	}
	v.Outcomes, err = usecase.OutcomesOf(ctx, q, who, id)
	for _, o := range v.Outcomes {
		v.Aligned += len(o.Own)
	}
	return err
}

// first is where somebody goes on who names no step.
func (v *portfolioPage) first() string {
	switch {
	case v.Progress.State != portfolio.Unasked:
		return stepCompile
	case v.Term.Project.SubmittedGrade == nil:
		return stepGrade
	case v.Summary == nil:
		return stepSummary
	}
	return stepFiles
}

// Task gives the task of a definition, to name it.
func (v *portfolioPage) Task(definitionID int64) usecase.TermTask {
	at := slices.IndexFunc(v.Term.Tasks, func(t usecase.TermTask) bool { return t.DefinitionID == definitionID })
	if at < 0 {
		return usecase.TermTask{}
	}
	return v.Term.Tasks[at]
}

// stepAgain draws a step again with what was wrong with its form, and what was typed.
func (s *room) stepAgain(ctx context.Context, who *access.Caller, in portfolioIn, step string, err error,
	typed func(*portfolioPage)) (endpoint.Drawing, error) {
	in.Step = step
	p, drawn := s.portfolio(ctx, who, in)
	if drawn != nil {
		return nil, drawn
	}
	if typed != nil {
		typed(p.Data.(*portfolioPage))
	}
	return s.Again(p, err)
}

func (s *room) claim(ctx context.Context, who *access.Caller, in struct {
	portfolioIn
	Grade int64 `param:"submitted_grade,required"`
}) (endpoint.Drawing, error) {
	g := grade.Grade(in.Grade)
	_, err := s.Usecases.ChangeProject(ctx, who, in.ID, usecase.ProjectChange{
		SubmittedGrade: course.Setting[grade.Grade]{Set: true, To: &g}})
	if err != nil {
		return s.stepAgain(ctx, who, in.portfolioIn, stepGrade, err, nil)
	}
	return in.to(stepSummary), nil
}

func (s *room) writeSummary(ctx context.Context, who *access.Caller, in struct {
	portfolioIn
	Text string `param:"text" text:"lines"`
}) (endpoint.Drawing, error) {
	if _, err := s.Usecases.WriteSummary(ctx, in.ID, in.Text); err != nil {
		return s.stepAgain(ctx, who, in.portfolioIn, stepSummary, err, func(v *portfolioPage) { v.Text = in.Text })
	}
	return in.to(stepFiles), nil
}

type summaryIn struct {
	portfolioIn
	File *params.Upload `param:"file0"`
}

func (s *room) sendSummary(ctx context.Context, who *access.Caller, in summaryIn) (endpoint.Drawing, error) {
	err := s.Chosen(in.File)
	if err == nil {
		_, err = s.Usecases.AddPortfolioFile(ctx, in.ID, portfolio.SummaryName, taskdef.Document,
			page.Uploaded(in.File))
	}
	if err != nil {
		return s.stepAgain(ctx, who, in.portfolioIn, stepSummary, err, nil)
	}
	return in.to(stepFiles), nil
}

type addFileIn struct {
	portfolioIn
	Name string         `param:"name" text:"any"`
	File *params.Upload `param:"file0"`
}

func (s *room) addFile(ctx context.Context, who *access.Caller, in addFileIn) (endpoint.Drawing, error) {
	kind, err := s.kindOf(in.File)
	if err == nil {
		_, err = s.Usecases.AddPortfolioFile(ctx, in.ID, cmp.Or(in.Name, in.File.Name), kind, page.Uploaded(in.File))
	}
	if err != nil {
		return s.stepAgain(ctx, who, in.portfolioIn, stepFiles, err, func(v *portfolioPage) { v.Name = in.Name })
	}
	return in.to(stepFiles), nil
}

// kindOf tells what a file is by its content, so that nobody is asked.
func (s *room) kindOf(u *params.Upload) (taskdef.UploadKind, error) {
	if err := s.Chosen(u); err != nil {
		return "", err
	}
	f, err := u.Open()
	if err != nil {
		return "", err
	}
	defer f.Close()
	for _, k := range []taskdef.UploadKind{taskdef.Document, taskdef.Image} {
		if k.Check(f, u.Size) == nil {
			return k, nil
		}
	}
	return taskdef.Code, nil
}

// fileIn names a file of the portfolio, so that nobody changes another one that has
// its number by now.
type fileIn struct {
	portfolioIn
	Idx  int64              `param:"idx,required"`
	Kind taskdef.UploadKind `param:"kind,required" enum:""`
	Name string             `param:"name,required" text:"any"`
}

func (in fileIn) file() portfolio.File {
	return portfolio.File{Idx: in.Idx, Kind: in.Kind, Name: in.Name}
}

func (s *room) removeFile(ctx context.Context, who *access.Caller, in fileIn) (endpoint.Drawing, error) {
	back := stepFiles
	if in.file().IsSummary() {
		back = stepSummary
	}
	if err := s.Usecases.RemovePortfolioFile(ctx, in.ID, in.file()); err != nil {
		return s.stepAgain(ctx, who, in.portfolioIn, back, err, nil)
	}
	return in.to(back), nil
}

func (s *room) moveFile(ctx context.Context, who *access.Caller, in struct {
	fileIn
	Place int64 `param:"place,required"`
}) (endpoint.Drawing, error) {
	if _, err := s.Usecases.MovePortfolioFile(ctx, in.ID, in.file(), in.Place); err != nil {
		return s.stepAgain(ctx, who, in.portfolioIn, stepFiles, err, nil)
	}
	return in.to(stepFiles), nil
}

func (s *room) includeTasks(ctx context.Context, who *access.Caller, in struct {
	portfolioIn
	Shown    []int64 `param:"shown"`
	Included []int64 `param:"included"`
}) (endpoint.Drawing, error) {
	excluded := slices.DeleteFunc(slices.Clone(in.Shown), func(id int64) bool {
		return slices.Contains(in.Included, id)
	})
	if _, err := s.Usecases.IncludeTasks(ctx, in.ID, in.Included, excluded); err != nil {
		return s.stepAgain(ctx, who, in.portfolioIn, stepTasks, err, nil)
	}
	return in.to(stepOutcomes), nil
}

func (s *room) compile(ctx context.Context, who *access.Caller, in portfolioIn) (endpoint.Drawing, error) {
	_, err := s.Usecases.ChangeProject(ctx, who, in.ID, usecase.ProjectChange{CompilePortfolio: new(true)})
	if err != nil {
		return s.stepAgain(ctx, who, in, stepCompile, err, nil)
	}
	return in.to(stepCompile), nil
}

// askToWithdraw is what stands between a student and the loss of their document.
func (s *room) askToWithdraw(_ context.Context, who *access.Caller, in portfolioIn) (*page.Page, error) {
	return s.Ask(who, s.Word("portfolio.withdraw-ask"), page.Question{Text: s.Word("portfolio.withdraw-loss"),
		Action: in.path() + "/withdraw", Do: s.Word("portfolio.withdraw"), Back: in.path() + "?step=" + stepCompile}), nil
}

func (s *room) withdrawPortfolio(ctx context.Context, who *access.Caller, in portfolioIn) (endpoint.Drawing, error) {
	if err := s.Usecases.WithdrawPortfolio(ctx, who, in.ID); err != nil {
		return s.stepAgain(ctx, who, in, stepCompile, err, nil)
	}
	return in.to(stepCompile), nil
}

func (s *room) portfolioDocument(ctx context.Context, _ *access.Caller, in portfolioIn) (*endpoint.File, error) {
	c, err := portfolio.CompiledOf(ctx, s.DB.Pool(), in.ID)
	if err != nil {
		return nil, err
	}
	return endpoint.FromStore(ctx, s.Usecases.Files, files.Hash(c.Hash), endpoint.File{Name: c.FileName(),
		Type: "application/pdf", Modified: c.At.Time})
}
