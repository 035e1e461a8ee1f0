package usecase

import (
	"context"
	"errors"
	"fmt"

	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/platform/sheet"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/enrol"
	"lectern/internal/teaching/taskdef"
)

// Sheet is a sheet that somebody sent to be imported: CSV, or the first sheet of an Excel
// workbook.
type Sheet struct {
	Upload
	DryRun bool // report the same and change nothing
}

// read opens the sheet for use. It refuses what is neither CSV nor Excel, or lacks a column.
func (f Sheet) read(opts sheet.Options, use func(*sheet.Reader) error) error {
	file, err := f.Open()
	if err != nil {
		return fmt.Errorf("open the uploaded sheet: %w", err)
	}
	defer file.Close()
	rows, err := sheet.Read(file, f.Size, opts)
	if err != nil {
		return err
	}
	return use(rows)
}

// importSheet reads a sheet and has apply carry it out in one transaction, which a dry run
// undoes.
func (s *Service) importSheet(ctx context.Context, f Sheet, opts sheet.Options,
	apply func(db.Q, *sheet.Reader) (*sheet.Report, error)) (report *sheet.Report, err error) {
	err = f.read(opts, func(rows *sheet.Reader) error {
		return s.DB.Tx(ctx, func(q db.Q) error {
			report, err = apply(q, rows)
			if err == nil && f.DryRun {
				return errPlanned
			}
			return err
		})
	})
	if errors.Is(err, errPlanned) {
		err = nil
	}
	return report, err
}

// ImportOutcomes adds the outcomes of a sheet to a unit and changes those it has, told by
// their abbreviation, for whoever holds policy.ImportUnit. A row that cannot be used is
// reported and keeps no other back.
func (s *Service) ImportOutcomes(ctx context.Context, unitID int64, f Sheet) (*sheet.Report, error) {
	return s.importSheet(ctx, f, course.OutcomeSheet, func(q db.Q, rows *sheet.Reader) (*sheet.Report, error) {
		return course.ImportOutcomes(ctx, q, unitID, rows)
	})
}

// ImportAlignments adds and changes alignments of a unit, for whoever holds
// policy.EditAlignments, or of the student whose project is given, for whoever holds
// policy.AlignProject. A row that cannot be used is reported and keeps no other back.
func (s *Service) ImportAlignments(ctx context.Context, unitID, projectID int64, f Sheet) (*sheet.Report, error) {
	return s.importSheet(ctx, f, taskdef.AlignmentSheet, func(q db.Q, rows *sheet.Reader) (*sheet.Report, error) {
		return taskdef.ImportAlignments(ctx, q, unitID, projectID, rows)
	})
}

// ImportDefinitions adds and changes the task definitions of a unit, for whoever holds
// policy.ImportUnit. A row that cannot be used is reported and keeps no other back. All work
// of the unit is compared anew where any row was used.
func (s *Service) ImportDefinitions(ctx context.Context, unitID int64, f Sheet) (*sheet.Report, error) {
	return s.importSheet(ctx, f, taskdef.DefinitionSheet, func(q db.Q, rows *sheet.Reader) (*sheet.Report, error) {
		return importDefinitions(ctx, q, unitID, rows)
	})
}

// ImportTutorials makes the tutorials of a sheet in a unit and changes those it has, told by their
// abbreviation, for whoever holds policy.ImportUnit. Who may teach and is not on the staff becomes a
// tutor of the unit where the caller holds policy.EmployStaff, too; a stream that is missing is made
// where its activity type is known. A row that cannot be used is reported and keeps no other back.
func (s *Service) ImportTutorials(ctx context.Context, who *access.Caller, unitID int64, f Sheet) (*sheet.Report,
	error) {
	return s.importSheet(ctx, f, enrol.TutorialSheet, func(q db.Q, rows *sheet.Reader) (*sheet.Report, error) {
		r, first, err := enrol.ImportTutorials(ctx, q, unitID, who.May(policy.EmployStaff), rows)
		if err != nil || first == nil {
			return r, err
		}
		return r, takeOver(ctx, q, unitID, *first)
	})
}

// ImportGroups makes the groups of a sheet in a group set and changes those it has, told by
// their names, for whoever holds policy.EditGroupSets. A tutorial that is missing is made.
func (s *Service) ImportGroups(ctx context.Context, unitID, setID int64, f Sheet) (*sheet.Report, error) {
	return s.importSheet(ctx, f, enrol.GroupSheet, func(q db.Q, rows *sheet.Reader) (*sheet.Report, error) {
		return enrol.ImportGroups(ctx, q, unitID, setID, rows)
	})
}

// ImportMembers puts the students of a sheet into groups of a set, out of those they were
// in, for whoever holds policy.EditGroupSets: full groups and tutorials take them, too.
func (s *Service) ImportMembers(ctx context.Context, unitID, setID int64, f Sheet) (*sheet.Report, error) {
	return s.importSheet(ctx, f, enrol.MemberSheet, func(q db.Q, rows *sheet.Reader) (*sheet.Report, error) {
		return enrol.ImportMembers(ctx, q, unitID, setID, rows)
	})
}

// StudentSheet is a sheet of students with how it is taken in.
type StudentSheet struct {
	Sheet
	Exceed    bool   // full tutorials take more
	Strict    bool   // a row whose tutorial cannot be had is refused as a whole
	Withdraw  bool   // whoever is enrolled and stands in no row is withdrawn
	Confirmed *int64 // so many withdrawals are meant, though they are many
	Told      bool   // give the plan, person by person
	Mailed    bool   // who gets an account is invited by an email
}

// ImportStudents enrols the students of a sheet in a unit, making accounts where there are
// none, for whoever holds policy.ImportUnit. Full tutorials take nobody unless told so. It
// runs in short transactions, so that an import broken off can be sent again. It refuses to
// withdraw more than one in twenty unless their number is confirmed.
func (s *Service) ImportStudents(ctx context.Context, who *access.Caller, unitID int64,
	f StudentSheet) (*enrol.ImportedStudents, error) {
	o := enrol.ImportOptions{By: who.Role, Actor: who.ID, Exceed: f.Exceed, Dry: f.DryRun, Strict: f.Strict,
		Withdraw: f.Withdraw, Confirmed: f.Confirmed, Told: f.Told}
	if f.Mailed {
		if !s.Mailer.Sends() {
			return nil, errNoMail
		}
		o.Inviter = s.Mailer
	}
	r, err := s.roster(ctx, unitID)
	if err != nil {
		return nil, err
	}
	var out *enrol.ImportedStudents
	err = f.read(r.Sheet(), func(rows *sheet.Reader) error {
		out, err = r.Import(ctx, s.DB, rows, o)
		return err
	})
	return out, err
}

// WithdrawStudents takes the students of a sheet out of a unit, for whoever holds
// policy.ImportUnit. Their work stays for the case that they come back.
func (s *Service) WithdrawStudents(ctx context.Context, who *access.Caller, unitID int64, f Sheet) (*ident.Imported,
	error) {
	r, err := s.roster(ctx, unitID)
	if err != nil {
		return nil, err
	}
	var out *ident.Imported
	err = f.read(enrol.WithdrawSheet, func(rows *sheet.Reader) error {
		out, err = r.Withdraw(ctx, s.DB, who.ID, rows, f.DryRun)
		return err
	})
	return out, err
}

// roster reads what the sheets of a unit's students are about. It fails with fault.Missing where
// there is no such unit.
func (s *Service) roster(ctx context.Context, unitID int64) (*enrol.Roster, error) {
	return view(ctx, s.DB, func(q db.Q) (*enrol.Roster, error) { return enrol.ReadRoster(ctx, q, unitID) })
}

// ImportUsers makes accounts of the rows of a sheet, for whoever holds policy.ImportUsers;
// those who have one are left alone. A row with a role that the caller may not give is
// reported. It runs in short transactions, so that an import broken off can be sent again.
// Those who have not come in yet are emailed an invitation if mailed.
func (s *Service) ImportUsers(ctx context.Context, who *access.Caller, f Sheet, mailed bool) (*ident.Imported, error) {
	var inviter ident.Inviter
	if mailed {
		if !s.Mailer.Sends() {
			return nil, errNoMail
		}
		inviter = s.Mailer
	}
	file, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("open the uploaded sheet: %w", err)
	}
	defer file.Close()
	rows, err := ident.ReadSheet(file, f.Size)
	if err != nil {
		return nil, err
	}
	return ident.Import(ctx, s.DB, who.Role, rows, f.DryRun, inviter)
}
