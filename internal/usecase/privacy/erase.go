package privacy

import (
	"context"
	"fmt"

	"lectern/internal/connect/notify"
	"lectern/internal/people/ident"
	"lectern/internal/platform/backup"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/portfolio"
	"lectern/internal/teaching/submit"
)

// Erased tells what an erasure did.
type Erased struct {
	Records    int64 // removed
	Files      int64 // records whose files were let go of
	Documents  int   // to be made anew
	Portfolios int   // to be compiled anew
	Emails     int64 // to others, waiting to be sent or remembered, that named the person
}

// Plan says in sentences what Erase will do, for whoever has to agree.
func Plan(u *ident.User, withFiles bool) []string {
	list := []string{
		fmt.Sprintf("The name, username, email address and student number of %s %s (%s) and all preferences are "+
			"replaced by neutral values, and the account can no longer be used.", u.FirstName, u.LastName, u.Username),
		"Sessions, links to set a password or confirm an address, and the calendar feed are ended; emails to the " +
			"person are removed.",
		"Documents of the person that an outside similarity service was sent are deleted there, by the running " +
			"service; that the person once accepted its agreement cannot be taken back there.",
		"Kept: grades, the history of tasks, comments, the audit log and receipts, which are signed and still have " +
			"the user name of their time. What people wrote in comments is not searched for names.",
	}
	if withFiles {
		return append(list, "Files the person submitted, attached or added to portfolios are removed with the "+
			"documents made of them; the records say so. Work of a group stays the group's. This cannot be undone.")
	}
	return append(list, "Uploaded files stay (they are removed with --files, or where that is chosen). Documents and portfolios are made anew with "+
		"the replaced name. This cannot be undone.")
}

// Erase makes the service forget who a person is, in one transaction. With files,
// also what they uploaded goes. It refuses the last Admin. The academic record, the
// audit log and the receipts stay.
func Erase(ctx context.Context, d *db.DB, userID int64, withFiles bool) (e *Erased, err error) {
	err = d.Tx(ctx, func(q db.Q) error {
		e, err = erase(ctx, q, userID, withFiles)
		return err
	})
	return e, err
}

// erase is Erase within a transaction.
func erase(ctx context.Context, q db.Q, userID int64, withFiles bool) (*Erased, error) {
	e := &Erased{}
	was, err := ident.ByID(ctx, q, userID)
	if err != nil {
		return nil, err
	}
	if err := ident.Erase(ctx, q, userID); err != nil {
		return nil, err
	}
	is, err := ident.ByID(ctx, q, userID)
	if err != nil {
		return nil, err
	}
	if e.Emails, err = notify.Rename(ctx, q, called(was), called(is)); err != nil {
		return nil, err
	}
	if err := e.remove(ctx, q, userID, withFiles); err != nil {
		return nil, err
	}
	if e.Documents, err = submit.RemakeOf(ctx, q, userID); err != nil {
		return nil, err
	}
	if e.Portfolios, err = portfolio.RemakeOf(ctx, q, userID); err != nil {
		return nil, err
	}
	return e, backup.Erased(ctx, q, backup.Erasure{Kind: backup.ErasedPerson, ID: userID, Files: withFiles})
}

// called is how emails name a person.
func called(u *ident.User) notify.Name {
	return notify.Name{Full: u.FirstName + " " + u.LastName, Address: u.Email}
}

// remove runs the statements of every table, in reverse: what refers to a record
// goes before it.
func (e *Erased) remove(ctx context.Context, q db.Q, userID int64, withFiles bool) error {
	for i := len(tables) - 1; i >= 0; i-- {
		t := &tables[i]
		if t.Erase != "" {
			n, err := db.Exec(ctx, q, t.Erase, userID)
			if err != nil {
				return fmt.Errorf("erase from %s: %w", t.Name, err)
			}
			e.Records += n
		}
		if !withFiles {
			continue
		}
		for _, text := range t.EraseFiles {
			n, err := db.Exec(ctx, q, text, userID)
			if err != nil {
				return fmt.Errorf("remove files from %s: %w", t.Name, err)
			}
			e.Files += n
		}
	}
	return nil
}
