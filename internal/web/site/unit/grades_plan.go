package unit

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/ground/opt"
	"lectern/internal/people/access"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/enrol"
	"lectern/internal/teaching/insight"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
	"lectern/internal/web/site/page"
)

// gradePlanPage is what would become of final grades that were typed, pasted or sent as a sheet.
type gradePlanPage struct {
	gradesIn
	Unit     *course.Unit
	Given    *enrol.GradesGiven // nil: a sheet is to be chosen
	Again    bool               // somebody changed a grade since the plan was shown
	Paste    string             // what was pasted
	Replaced int                // grades that were typed, and that others were pasted for
	held     []heldGrade
	was      enrol.GradeSpread
	words    *page.Language
}

// mostPlanned is how many rows of a plan are shown.
const mostPlanned = 500

// Path is where the grid stands.
func (v *gradePlanPage) Path() string { return (&gradesPage{Unit: v.Unit}).Path() }

// Held is what would be saved, for the form that does it.
func (v *gradePlanPage) Held() (string, error) { return packGrades(v.held) }

// Rows are those that are shown: first those that cannot be, then those that change something.
func (v *gradePlanPage) Rows() (list []enrol.GradeOutcome) {
	for _, outcome := range []enrol.MoveOutcome{enrol.Refused, enrol.Moves} {
		for i := range v.Given.Rows {
			if r := &v.Given.Rows[i]; r.Outcome == outcome && len(list) < mostPlanned {
				list = append(list, *r)
			}
		}
	}
	return list
}

// More is how many rows are not shown.
func (v *gradePlanPage) More() int { return max(v.Given.Changed+v.Given.Refused-mostPlanned, 0) }

// GradeText is a final grade; none is a dash.
func (v *gradePlanPage) GradeText(grade int64) string {
	if grade == 0 {
		return v.words.Word("grades.none")
	}
	return strconv.FormatInt(grade, 10)
}

// Distribution is how many students have which grades, before and after.
func (v *gradePlanPage) Distribution() gradeBars {
	now := v.was
	for i := range v.Given.Rows {
		if r := &v.Given.Rows[i]; r.Outcome == enrol.Moves {
			now[r.From.Grade]--
			now[r.To.Grade]++
		}
	}
	return barsOf(&v.was, &now, v.words, true)
}

func (s *room) gradePlanTitled(who *access.Caller, v *gradePlanPage) *page.Page {
	if v.Given == nil {
		return s.Titled(who, "grade-import", s.Word("grades.import"), v)
	}
	return s.Titled(who, "grade-plan", s.Word("grades.plan"), v)
}

func (s *room) gradePlan(ctx context.Context, unitID int64, in gradesIn) (*gradePlanPage, error) {
	in.clean()
	v := &gradePlanPage{gradesIn: in, words: s.Words}
	var err error
	v.Unit, err = course.UnitByID(ctx, s.DB.Pool(), unitID)
	return v, err
}

func (s *room) importGrades(ctx context.Context, who *access.Caller, in unitGrades) (*page.Page, error) {
	v, err := s.gradePlan(ctx, in.ID, gradesIn{})
	if err != nil {
		return nil, err
	}
	return s.gradePlanTitled(who, v), nil
}

// planGradesIn is what a plan is asked with: the rows of the grid, something pasted, or a sheet.
type planGradesIn struct {
	unitGrades
	gradesIn
	typedIn
	File  *params.Upload `param:"file"`
	Paste string         `param:"paste" text:"any"`
	From  string         `param:"from"` // sheet or paste; empty: the grid
}

// planGrades shows what would become of the grades, and changes nothing.
func (s *room) planGrades(ctx context.Context, who *access.Caller, in planGradesIn) (endpoint.Drawing, error) {
	v, err := s.gradePlan(ctx, in.ID, in.gradesIn)
	if err != nil {
		return nil, err
	}
	v.Paste = in.Paste
	typed, pasted, err := s.heldBy(ctx, in)
	if v.held = slices.Concat(typed, pasted); err == nil && len(v.held) == 0 {
		return page.Onward{To: v.Path()}, nil // nothing was typed
	}
	if err == nil && len(typed) > 0 && len(pasted) > 0 {
		err = s.pasteOver(ctx, who, v, len(typed))
	}
	if err == nil {
		err = s.showGradePlan(ctx, who, v)
	}
	if err != nil {
		return s.Again(s.gradePlanTitled(who, v), err)
	}
	return s.gradePlanTitled(who, v), nil
}

// heldBy reads what a plan is asked with: what was typed into the grid, and what was pasted or stands in a sheet.
func (s *room) heldBy(ctx context.Context, in planGradesIn) (typed, pasted []heldGrade, err error) {
	if typed, err = s.typed(in.typedIn); err != nil || in.From == "" {
		return typed, nil, err
	}
	var list []enrol.GivenGrade
	if in.From == "paste" {
		list, err = s.Usecases.PastedGrades(ctx, in.ID, in.Paste)
	} else if err = s.Chosen(in.File); err == nil {
		list, err = s.Usecases.SheetGrades(ctx, in.ID, page.Uploaded(in.File))
	}
	for _, one := range list {
		pasted = append(pasted, heldGrade(one))
	}
	return typed, pasted, err
}

// pasteOver lets what was pasted stand where something was typed for the same student, as in a spreadsheet: cell by
// cell, and told in the plan. The first of what is held was typed. What cannot be a grade replaces nothing.
func (s *room) pasteOver(ctx context.Context, who *access.Caller, v *gradePlanPage, typed int) error {
	out, err := s.Usecases.PlanGrades(ctx, who, v.Unit.ID, given(v.held))
	if err != nil {
		return err
	}
	over := map[int64]int{}
	for i := len(v.held) - 1; i >= typed; i-- {
		if v.held[i].Wrong == "" {
			over[out.Rows[i].ProjectID] = i
		}
	}
	list := v.held[:0:0]
	for i, h := range v.held {
		j, has := over[h.ProjectID]
		if i >= typed || !has || h.Wrong != "" && v.held[j].Grade == nil {
			list = append(list, h)
			continue
		}
		if p := &v.held[j]; p.takes(&h, &out.Rows[i].From) {
			v.Replaced++
		}
	}
	v.held = list
	return nil
}

// takes puts a pasted row over what was typed for the same student, who has a grade, and tells whether a grade that
// was typed is replaced by another one.
func (h *heldGrade) takes(typed *heldGrade, has *enrol.GradeValue) (replaced bool) {
	before := opt.Or(has.GradeRationale, "")
	replaced = typed.Grade != nil && h.Grade != nil && *typed.Grade != *h.Grade
	h.ProjectID, h.Name = typed.ProjectID, ""
	if h.Grade == nil {
		h.Grade = typed.Grade
	}
	if h.Rationale == nil {
		h.Rationale = typed.Rationale
	}
	// What was seen when it was typed guards it.
	h.Old, h.OldWords = cmp.Or(typed.Old, h.Old, &has.Grade), cmp.Or(typed.OldWords, h.OldWords, &before)
	return replaced
}

// showGradePlan works out what would become of what is held.
func (s *room) showGradePlan(ctx context.Context, who *access.Caller, v *gradePlanPage) (err error) {
	if v.Given, err = s.Usecases.PlanGrades(ctx, who, v.Unit.ID, given(v.held)); err != nil {
		return err
	}
	v.match()
	return s.DB.View(ctx, func(q db.Q) (err error) {
		v.was, err = enrol.GradeQuery{UnitID: v.Unit.ID, CallerID: who.ID}.Spread(ctx, q)
		return err
	})
}

// match notes for whom the rows of a sheet are and what they were seen to change, so that they are guarded and can be
// edited in the grid as what was typed there.
func (v *gradePlanPage) match() {
	for i := range v.held {
		h, r := &v.held[i], &v.Given.Rows[i]
		if h.ProjectID != 0 || r.Outcome == enrol.Refused {
			continue
		}
		before := opt.Or(r.From.GradeRationale, "")
		h.ProjectID, h.Name, h.OldWords = r.ProjectID, "", &before
		if h.Old == nil {
			h.Old = &r.From.Grade
		}
	}
}

func given(held []heldGrade) []enrol.GivenGrade {
	list := make([]enrol.GivenGrade, len(held))
	for i, h := range held {
		list[i] = enrol.GivenGrade(h)
	}
	return list
}

// saveGrades saves what was planned. Where something else would come of it than was shown, because somebody changed
// a grade, that is shown first.
func (s *room) saveGrades(ctx context.Context, who *access.Caller, in struct {
	unitGrades
	gradesIn
	Held string `param:"held"`
	Plan string `param:"plan"`
}) (endpoint.Drawing, error) {
	v, err := s.gradePlan(ctx, in.ID, in.gradesIn)
	if err != nil {
		return nil, err
	}
	if v.held, err = s.unpackGrades(in.Held); err != nil {
		return s.Again(s.gradePlanTitled(who, v), err)
	}
	if err := s.showGradePlan(ctx, who, v); err != nil {
		v.Given = nil
		return s.Again(s.gradePlanTitled(who, v), err)
	}
	if v.Given.Plan != strings.TrimSpace(in.Plan) {
		v.Again = true
		return s.gradePlanTitled(who, v), nil
	}
	out, err := s.Usecases.GiveGrades(ctx, who, in.ID, given(v.held), in.Plan)
	if err != nil {
		return s.Again(s.gradePlanTitled(who, v), err)
	}
	at := &gradesPage{Unit: v.Unit, gradesIn: v.gradesIn}
	to := at.With("page", strconv.FormatInt(v.Page, 10))
	return page.Onward{To: to + "&saved=" + strconv.Itoa(out.Changed)}, nil
}

func (s *room) exportGrades(ctx context.Context, who *access.Caller, in unitGrades) (*endpoint.File, error) {
	var f *endpoint.File
	err := s.DB.View(ctx, func(q db.Q) error {
		u, err := course.UnitByID(ctx, q, in.ID)
		if err != nil {
			return err
		}
		list, err := insight.GradesOf(ctx, q, in.ID, who.ID, true)
		f = csvFile(u.Code+"-Grades.csv", func(w io.Writer) error { return insight.WriteGrades(w, u.Code, list) })
		return err
	})
	return s.exportedTasks(ctx, f, err, "grades")
}
