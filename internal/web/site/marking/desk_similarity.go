package marking

import (
	"context"
	"fmt"
	"html/template"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/ground/opt"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/similarity"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/teaching/work"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

func (s *room) deskSimilarityRoutes(task string) {
	const one = "/similarities/{similarity_id}"
	asks := endpoint.Asks(policy.SeeSimilarities, policy.FlagSimilarity, policy.DecideCases)
	page.Show(s.Site, task+one, policy.SeeSimilarities, "A work on the desk beside what it is similar to",
		s.deskSimilarity, asks)
	page.Form(s.Site, task+one, policy.FlagSimilarity, "Decide on the desk whether a similarity is to be looked at",
		s.deskDecides, asks, endpoint.Audited(audit.Similarity))
	endpoint.Route(s.Server, "GET "+task+one+"/report", 303, policy.SeeSimilarities,
		"See what an outside service says of a work on the desk", s.deskReport)
}

// similarityIn names something that the work of a task is similar to.
type similarityIn struct {
	deskTaskIn
	ID int64 `path:"similarity_id"`
}

// path is that of the page.
func (in similarityIn) path() string {
	d := deskPage{deskIn: in.desk()}
	return d.ActionOn(in.TaskID, fmt.Sprintf("similarities/%d", in.ID))
}

// comparePage shows a work beside what it is similar to.
type comparePage struct {
	*similarity.Record
	Path, Report, Work string // of this page, of what an outside service says, of the desk with the work
	Definition         *taskdef.Definition
	OwnFiles           template.HTML
	OtherFiles         template.HTML
	Deleted            bool // the files of one of them are gone
	MayDecide          bool
	Case               *similarity.Case // both sides of it; nil: it is none, as where the figures cleared it
	MayDecideCase      bool
	List               string // where all cases of the unit are
	words              *page.Language
}

// State says how far the staff are with the case.
func (v *comparePage) State() string { return stateWord(v.words, v.Case.State) }

// Reason is why it was decided so; empty: nobody said.
func (v *comparePage) Reason() string { return opt.Or(v.Case.Reason, "") }

// Seen is the case and when it was decided on.
func (v *comparePage) Seen() string { return seenOf(v.Case) }

// Decisions are what can be decided on both sides.
func (v *comparePage) Decisions() []map[string]any { return decisions(v.words, string(v.Case.State)) }

// Evidence is what speaks for it beside the sentence that sums it up.
func (v *comparePage) Evidence() []string { return v.Reasons()[1:] }

// Outside tells whether a service outside found it.
func (v *comparePage) Outside() bool { return v.Type == similarity.Outside }

func (s *room) deskSimilarity(ctx context.Context, who *access.Caller, in similarityIn) (*page.Page, error) {
	v := &comparePage{Path: in.path(), Work: in.desk().address(in.TaskID), MayDecide: who.May(policy.FlagSimilarity),
		MayDecideCase: who.May(policy.DecideCases), List: links.To(links.UnitSimilarity, in.UnitID),
		words: s.Words}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Record, err = similarity.ByID(ctx, q, who, in.TaskID, in.ID); err != nil {
			return err
		}
		if v.Case, err = similarity.CaseOf(ctx, q, who, in.UnitID, in.ID); err != nil && !fault.Is(err, fault.Missing) {
			return err
		}
		at, err := work.RefOf(ctx, q, in.TaskID)
		if err != nil {
			return err
		}
		v.Definition, err = taskdef.DefinitionByID(ctx, q, at.DefinitionID)
		return err
	})
	if err == nil {
		err = s.bothWorks(ctx, v)
	}
	if err != nil {
		return nil, err
	}
	v.Report = fmt.Sprintf("/units/%d/desk/tasks/%d/similarities/%d/report", in.UnitID, in.TaskID, in.ID)
	p := s.Titled(who, "compare", s.Word("compare.title", v.Pct), v)
	p.Rail = true
	return p, nil
}

// bothWorks reads the files of both. It takes as long as they are, so no snapshot of the database
// waits for it.
func (s *room) bothWorks(ctx context.Context, v *comparePage) error {
	if v.Outside() {
		return nil
	}
	own, other, err := s.Usecases.Similarity.Beside(ctx, s.DB.Pool(), v.Record)
	if fault.Is(err, fault.Missing) {
		v.Deleted = true
		return nil
	}
	// Everything in them is escaped where it is written: see the engine's pages.
	v.OwnFiles, v.OtherFiles = template.HTML(own), template.HTML(other) //nolint:gosec // as said above
	return err
}

// deskDecides notes whether it is to be looked at, and stays.
func (s *room) deskDecides(ctx context.Context, who *access.Caller, in struct {
	similarityIn
	Flagged bool `param:"flagged,required"`
}) (endpoint.Drawing, error) {
	_, err := s.Usecases.FlagSimilarity(ctx, who, in.TaskID, in.ID, in.Flagged)
	return page.Onward{To: in.path()}, err
}

// deskReport leads to the report of an outside service. The address is good for a while and for
// the caller only.
func (s *room) deskReport(ctx context.Context, who *access.Caller, in similarityIn) (endpoint.Redirect, error) {
	var r *similarity.Record
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		r, err = similarity.ByID(ctx, q, who, in.TaskID, in.ID)
		return err
	})
	if err != nil {
		return endpoint.Redirect{}, err
	}
	outside, ok := r.OutsideID()
	if !ok {
		return endpoint.Redirect{To: in.path()}, nil
	}
	to, err := s.Usecases.OutsideReport(ctx, who, outside)
	return endpoint.Redirect{To: to}, err
}
