package usecase

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/teaching/marking"
)

// Marks are a sheet of marks, alone or in an archive with annotated documents, that comes back
// from offline marking.
type Marks struct {
	UnitID int64
	Upload
	Spool string // a directory to unpack in
}

// PlanMarks tells what TakeMarks would make of each row and document, and changes nothing. It
// is for whoever holds policy.GiveFeedback on the unit.
func (s *Service) PlanMarks(ctx context.Context, who *access.Caller, m Marks) (*marking.Result, error) {
	return s.importMarks(who, m, func(i *marking.Importer, u marking.Upload) (*marking.Result, error) {
		return i.Plan(ctx, u)
	})
}

// TakeMarks carries out a sheet of marks, for whoever holds policy.GiveFeedback on the unit:
// each row as a whole or not at all, in a transaction of its own, and tells the students whose
// work was marked. It refuses a file that cannot be understood as a whole, and, where the plan
// of PlanMarks is named, with fault.Conflict when something else would come of it by now; then
// nothing is done.
func (s *Service) TakeMarks(ctx context.Context, who *access.Caller, m Marks, plan string) (*marking.Result, error) {
	return s.importMarks(who, m, func(i *marking.Importer, u marking.Upload) (*marking.Result, error) {
		return i.Take(ctx, u, plan)
	})
}

func (s *Service) importMarks(who *access.Caller, m Marks,
	use func(*marking.Importer, marking.Upload) (*marking.Result, error)) (*marking.Result, error) {
	f, err := m.Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return use(&marking.Importer{DB: s.DB, Files: s.Files, Spool: m.Spool, Tell: s.Mailer.FeedbackReady},
		marking.Upload{UnitID: m.UnitID, CallerID: who.ID, File: f, Size: m.Size})
}
