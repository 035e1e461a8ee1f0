package unit

import (
	"context"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
	"lectern/internal/web/site/page"
)

func (s *room) taskBundleRoutes() {
	at, size := links.TaskSetup+"/sheets", endpoint.Uploads(1, taskdef.MaxBundle)
	page.Show(s.Site, at, policy.SeeMaterial, "Import the sheets and resources of many tasks", s.taskBundle)
	page.Form(s.Site, at+"/plan", policy.EditDefinitions, "What would come of an archive of task sheets", s.planBundle,
		endpoint.Unaudited("tells what would happen and changes nothing"), size, endpoint.Costs(endpoint.Imports))
	page.Form(s.Site, at, policy.EditDefinitions, "Import an archive of task sheets whose plan was shown", s.takeBundle,
		endpoint.Audited(audit.Definition), size, endpoint.Costs(endpoint.Imports))
}

// Most is how large an archive may be.
func (v *sheetPage) Most() int64 { return taskdef.MaxBundle }

// Applies tells whether there is a plan to carry out.
func (v *sheetPage) Applies() bool {
	return v.Report != nil && !v.Done && len(v.Report.Success) > 0
}

func (s *room) taskBundle(ctx context.Context, who *access.Caller, in newTaskIn) (*page.Page, error) {
	u, err := course.UnitByID(ctx, s.DB.Pool(), in.ID)
	if err != nil {
		return nil, err
	}
	return s.Titled(who, "task-bundle", s.Word("task-bundle.title"),
		&sheetPage{Unit: u, List: links.To(links.TaskSetup, in.ID)}), nil
}

type bundleIn struct {
	newTaskIn
	File *params.Upload `param:"file"`
	Plan string         `param:"plan"`
}

func (s *room) planBundle(ctx context.Context, who *access.Caller, in bundleIn) (endpoint.Drawing, error) {
	return s.withBundle(ctx, who, in, func(v *sheetPage, file usecase.Upload) (err error) {
		return s.showBundle(ctx, in.ID, v, file, true)
	})
}

// takeBundle imports an archive. Where something else would come of it than was shown, because another
// file was chosen or somebody changed the unit, that is shown first.
func (s *room) takeBundle(ctx context.Context, who *access.Caller, in bundleIn) (endpoint.Drawing, error) {
	return s.withBundle(ctx, who, in, func(v *sheetPage, file usecase.Upload) error {
		if in.Plan == "" { // nobody carries out what they have not seen
			return fault.New(fault.Refused, "%s", s.Word("task-bundle.look-first"))
		}
		if err := s.showBundle(ctx, in.ID, v, file, true); err != nil || v.Plan != in.Plan {
			v.Again = true
			return err
		}
		v.Done = true
		return s.showBundle(ctx, in.ID, v, file, false)
	})
}

// withBundle shows what use says of the archive, or what is wrong with it as a whole.
func (s *room) withBundle(ctx context.Context, who *access.Caller, in bundleIn,
	use func(*sheetPage, usecase.Upload) error) (endpoint.Drawing, error) {
	p, err := s.taskBundle(ctx, who, in.newTaskIn)
	if err != nil {
		return nil, err
	}
	if err := s.Chosen(in.File); err != nil {
		return s.Again(p, err)
	}
	if err := use(p.Data.(*sheetPage), page.Uploaded(in.File)); err != nil {
		return s.Again(p, err)
	}
	return p, nil
}

// showBundle puts what comes of an archive, or came of it, on the page.
func (s *room) showBundle(ctx context.Context, unitID int64, v *sheetPage, file usecase.Upload, plan bool) error {
	report, err := s.Usecases.UnpackDefinitionFiles(ctx, unitID, file, s.Spool, plan)
	if err != nil {
		return err
	}
	v.Report = report
	v.show()
	return nil
}
