package usecase

import (
	"context"
	"strings"

	"lectern/internal/people/access"
	"lectern/internal/platform/db"
	"lectern/internal/platform/sheet"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/enrol"
)

// PlanGrades tells what GiveGrades would come to, and changes nothing.
func (s *Service) PlanGrades(ctx context.Context, who *access.Caller, unitID int64,
	list []enrol.GivenGrade) (*enrol.GradesGiven, error) {
	return view(ctx, s.DB, func(q db.Q) (*enrol.GradesGiven, error) {
		return enrol.GiveGrades(ctx, q, who.ID, unitID, list, "", true)
	})
}

// GiveGrades gives final grades to students of a unit, for whoever holds policy.GradeUnit there. A row that cannot
// be is refused, and the answer says why; the others are saved. Students who see their grades are told, without
// the grade. It refuses what enrol.GiveGrades refuses; then nothing is saved.
func (s *Service) GiveGrades(ctx context.Context, who *access.Caller, unitID int64, list []enrol.GivenGrade,
	plan string) (*enrol.GradesGiven, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*enrol.GradesGiven, error) {
		out, err := enrol.GiveGrades(ctx, q, who.ID, unitID, list, plan, false)
		if err != nil {
			return nil, err
		}
		if seen := out.Seen(); len(seen) > 0 {
			err = s.Mailer.GradesSeen(ctx, q, unitID, enrol.GradeChanged, seen...)
		}
		return out, err
	})
}

// SheetGrades reads the final grades of a sheet, for whoever holds policy.GradeUnit in the unit. It refuses what is
// neither CSV nor Excel, or has no column of grades.
func (s *Service) SheetGrades(ctx context.Context, unitID int64, f Upload) (list []enrol.GivenGrade, err error) {
	unit, err := view(ctx, s.DB, func(q db.Q) (*course.Unit, error) { return course.UnitByID(ctx, q, unitID) })
	if err != nil {
		return nil, err
	}
	err = Sheet{Upload: f}.read(enrol.GradeSheet, func(rows *sheet.Reader) error {
		list = enrol.GradesOfSheet(rows, unit.Code)
		return nil
	})
	return list, err
}

// PastedGrades reads the final grades that somebody pasted from a spreadsheet, for whoever holds policy.GradeUnit in
// the unit: with headings, or a student, a grade and perhaps a rationale in each line.
func (s *Service) PastedGrades(ctx context.Context, unitID int64, text string) ([]enrol.GivenGrade, error) {
	unit, err := view(ctx, s.DB, func(q db.Q) (*course.Unit, error) { return course.UnitByID(ctx, q, unitID) })
	if err != nil {
		return nil, err
	}
	text, headed := enrol.PastedGrades(text)
	rows, err := sheet.Read(strings.NewReader(text), int64(len(text)), enrol.GradeSheet)
	if err != nil {
		return nil, err
	}
	list := enrol.GradesOfSheet(rows, unit.Code)
	for i := range list {
		if headed { // lines are counted as they were pasted
			list[i].Line--
		}
	}
	return list, nil
}

// PublishGrades lets the students of a unit see their final grades and tells them so, without the grade, for whoever
// holds policy.PublishGrades there. It refuses what enrol.PublishGrades refuses.
func (s *Service) PublishGrades(ctx context.Context, who *access.Caller, unitID int64, plan string) (
	*enrol.Publication, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*enrol.Publication, error) {
		p, err := enrol.PublishGrades(ctx, q, who.ID, unitID, plan)
		if err != nil {
			return nil, err
		}
		return p, s.Mailer.GradesSeen(ctx, q, unitID, enrol.GradePublished)
	})
}

// TakeGradesBack hides the final grades of a unit from its students again and tells them so, for whoever holds
// policy.PublishGrades there. It refuses where they are not published.
func (s *Service) TakeGradesBack(ctx context.Context, who *access.Caller, unitID int64) (*enrol.Publication, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*enrol.Publication, error) {
		p, err := enrol.TakeGradesBack(ctx, q, who.ID, unitID)
		if err != nil {
			return nil, err
		}
		return p, s.Mailer.GradesSeen(ctx, q, unitID, enrol.GradeTakenBack)
	})
}
