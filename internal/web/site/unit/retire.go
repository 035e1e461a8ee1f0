package unit

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/trash"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/editing"
	"lectern/internal/web/site/page"
)

func (s *room) retireRoutes() {
	see := endpoint.Asks(policy.DeleteWork)
	page.Show(s.Site, links.Retirement, policy.SeeDeleted, "What becomes of the work of a unit that is over", s.retirement,
		see)
	page.Form(s.Site, links.Retirement, policy.DeleteWork, "Decide what becomes of the work of a unit; asked twice",
		s.retire, see, endpoint.Audited(audit.Unit))
	page.Form(s.Site, links.Retirement+"/undo", policy.DeleteWork, "Bring back the work of a unit that was anonymised or deleted",
		s.undoRetire, see, endpoint.Audited(audit.Unit))
}

type retireIn struct {
	ID   int64  `path:"id" scope:"unit"`
	Plan string `param:"plan"`
}

// retirePage is what was decided on the work of a unit, and what would be.
type retirePage struct {
	Unit    *course.Unit
	List    []trash.Retirement
	Counts  *trash.RetirementPlan
	Chosen  trash.Plan // that is looked at; empty: none yet
	Asked   bool       // it was confirmed once: the code of the unit is asked for
	Typed   string
	MayAct  bool
	Working bool // it is being carried out
	Over    bool // the unit is: before, nothing is decided
	wrong   map[string]string
	words   *page.Language
}

// Path is where the page stands.
func (v *retirePage) Path() string { return links.To(links.Retirement, v.Unit.ID) }

// Changes tells whether the plan that is looked at changes anything.
func (v *retirePage) Changes() bool {
	return v.Chosen == trash.DeleteWork || v.Chosen == trash.Anonymise
}

// Changed tells whether a decision changed anything: what it was about is told then.
func (v *retirePage) Changed(p trash.Plan) bool { return p != trash.KeepAll }

// Error tells what is wrong with a field.
func (v *retirePage) Error(name string) string { return editing.Sentence(v.wrong[name]) }

// Plan says what a plan does.
func (v *retirePage) Plan(p trash.Plan) string {
	switch p {
	case trash.DeleteWork:
		return v.words.Word("retire.delete")
	case trash.Anonymise:
		return v.words.Word("retire.anonymise")
	}
	return v.words.Word("retire.keep")
}

// Do is what the last button says.
func (v *retirePage) Do() string {
	switch v.Chosen {
	case trash.DeleteWork:
		return v.words.Word("retire.do-delete")
	case trash.Anonymise:
		return v.words.Word("retire.do-anonymise")
	}
	return v.words.Word("retire.do-keep")
}

// State says how far a retirement is.
func (v *retirePage) State(p trash.Progress) string {
	switch p {
	case trash.Running:
		return v.words.Word("retire.running")
	case trash.Undoing:
		return v.words.Word("retire.undoing")
	case trash.Undone:
		return v.words.Word("retire.undone")
	}
	return v.words.Word("retire.done")
}

// Plans are what can be chosen.
func (v *retirePage) Plans() []map[string]any {
	hints := map[trash.Plan]string{trash.KeepAll: v.words.Word("retire.keep-hint"),
		trash.Anonymise:  v.words.Word("retire.anonymise-hint"),
		trash.DeleteWork: v.words.Word("retire.delete-hint")}
	var out []map[string]any
	for _, p := range []trash.Plan{trash.KeepAll, trash.Anonymise, trash.DeleteWork} {
		out = append(out, map[string]any{"ID": "plan-" + string(p), "Type": "radio", "Name": "plan", "Value": string(p),
			"On": p == cmp.Or(v.Chosen, trash.KeepAll), "Label": v.Plan(p), "Help": hints[p]})
	}
	return out
}

// retirePart is what becomes of some of the work.
type retirePart struct {
	Title string
	Rows  []string
	Note  string
}

// Parts say what becomes of all of it, by counts.
func (v *retirePage) Parts() []retirePart {
	c, w := v.Counts, v.words
	work := []string{w.Word("retire.students", c.Students), w.Word("deleted-work.submissions", c.Submissions),
		w.Word("deleted-work.files", c.Files), w.Word("deleted-work.comments", c.Comments)}
	portfolios := w.Word("retire.portfolios", c.Portfolios)
	stays := []string{w.Word("retire.statuses", c.Kept.Tasks), w.Word("retire.grades", c.Kept.FinalGrades)}
	switch v.Chosen {
	case trash.DeleteWork:
		return []retirePart{{w.Word("retire.goes"), append(work, portfolios), ""}, {w.Word("retire.stays"), stays, ""}}
	case trash.Anonymise:
		return []retirePart{{w.Word("retire.hidden"), work, w.Word("retire.hidden-hint")},
			{w.Word("retire.goes"), []string{portfolios}, w.Word("retire.goes-hint")}, {w.Word("retire.stays"), stays, ""}}
	}
	return []retirePart{{w.Word("retire.stays"), append(append(work, portfolios), stays...), ""}}
}

func (s *room) retirement(ctx context.Context, who *access.Caller, in retireIn) (*page.Page, error) {
	v, err := s.readRetire(ctx, who, in)
	if err != nil {
		return nil, err
	}
	return s.Titled(who, "retire", s.Word("retire.title"), v), nil
}

func (s *room) readRetire(ctx context.Context, who *access.Caller, in retireIn) (*retirePage, error) {
	v := &retirePage{MayAct: who.May(policy.DeleteWork), words: s.Words}
	if slices.Contains(trash.Plan("").Enum(), in.Plan) {
		v.Chosen = trash.Plan(in.Plan)
	}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Unit, err = course.UnitByID(ctx, q, in.ID); err != nil {
			return err
		}
		if v.List, err = trash.Retirements(ctx, q, in.ID); err != nil || v.Chosen == "" {
			return err
		}
		v.Counts, err = trash.PlanOf(ctx, q, in.ID)
		return err
	})
	v.Over = err == nil && v.Unit.EndDate.Before(clock.Day(s.DB.Now().Time))
	v.Working = slices.ContainsFunc(v.List, func(r trash.Retirement) bool {
		return r.State == trash.Running || r.State == trash.Undoing
	})
	return v, err
}

type doRetireIn struct {
	retireIn
	Asked       bool   `param:"asked"` // it was confirmed once
	Confirm     string `param:"confirm"`
	Submissions int64  `param:"submissions"`
	Comments    int64  `param:"comments"`
	Portfolios  int64  `param:"portfolios"`
}

// retire asks once more, by the code of the unit, and then carries the plan out.
func (s *room) retire(ctx context.Context, who *access.Caller, in doRetireIn) (endpoint.Drawing, error) {
	in.Confirm = strings.TrimSpace(in.Confirm)
	var why error
	if in.Asked {
		_, why = s.Usecases.RetireUnit(ctx, who, in.ID, trash.Intent{Plan: trash.Plan(in.Plan), Confirm: in.Confirm,
			Submissions: in.Submissions, Comments: in.Comments, Portfolios: in.Portfolios})
		if why == nil {
			return endpoint.Redirect{To: links.To(links.Retirement, in.ID)}, nil
		}
	}
	v, err := s.readRetire(ctx, who, in.retireIn)
	if err != nil {
		return nil, err
	}
	v.Asked, v.Typed = v.Chosen != "", in.Confirm
	if why == nil {
		return s.Titled(who, "retire", s.Word("retire.title"), v), nil
	}
	if e, ok := errors.AsType[*fault.Error](why); ok {
		v.wrong = e.Fields
	}
	p, err := s.Again(s.Refusal(who, "retire", s.Word("retire.title"), v), why)
	if err == nil && v.wrong["confirm"] != "" {
		p.Wrong.Text = s.Word("settings.refused") // the field says what it must be
	}
	return p, err
}

func (s *room) undoRetire(ctx context.Context, who *access.Caller, in struct {
	ID         int64 `path:"id" scope:"unit"`
	Retirement int64 `param:"retirement"`
}) (endpoint.Drawing, error) {
	if _, err := s.Usecases.UndoRetirement(ctx, who, in.ID, in.Retirement); err != nil {
		v, again := s.readRetire(ctx, who, retireIn{ID: in.ID})
		if again != nil {
			return nil, again
		}
		return s.Again(s.Refusal(who, "retire", s.Word("retire.title"), v), err)
	}
	return endpoint.Redirect{To: links.To(links.Retirement, in.ID)}, nil
}
