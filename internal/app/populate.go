package app

import (
	"context"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/similarity"
	"lectern/internal/teaching/submit"
	"lectern/internal/usecase/demo"
)

// populate fills an empty database with the demo university, where that is asked for.
func (a *App) populate(ctx context.Context) error {
	if a.Demo {
		return a.fillDemo(ctx)
	}
	return nil
}

// invite tells whoever started a service without an administrator how the first one gets in: by a link
// on a terminal, which nobody else reads. Whatever is no terminal may be kept and read by others, so it is
// told only how to make a link.
func (a *App) invite(ctx context.Context, at string) error {
	has, err := ident.HasAdministrator(ctx, a.db.Pool())
	if err != nil || has {
		return err
	}
	if !terminal(a.out) {
		fmt.Fprintln(a.out, "This is a new installation. lectern first-link makes the link to set it up.")
		return nil
	}
	token, err := FirstLink(ctx, a.db)
	if fault.Is(err, fault.Conflict) {
		return nil // another instance was set up meanwhile
	}
	if err == nil {
		if a.PublicURL != "" || len(a.ACMEDomain) > 0 {
			at = a.Public()
		}
		fmt.Fprint(a.out, FirstLinkWords(at, token))
	}
	return err
}

// terminal tells whether people read w as it is written.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// FirstLink makes a link to set up an installation that has no administrator.
func FirstLink(ctx context.Context, d *db.DB) (token string, err error) {
	err = d.Tx(ctx, func(q db.Q) error {
		token, err = ident.NewFirstLink(ctx, q)
		return err
	})
	return token, err
}

// FirstLinkWords tell of a link to set up the installation at an address.
func FirstLinkWords(at, token string) string {
	return fmt.Sprintf("This is a new installation. Set it up within an hour at:\n%s%s\n", at,
		links.With(links.FirstStart, token))
}

func (a *App) fillDemo(ctx context.Context) error {
	seal, err := ident.NewPasswords(a.db, ident.Limits{}).Seal(ctx, demo.Password)
	if err != nil {
		return err
	}
	key, err := a.signingKey()
	if err != nil {
		return err
	}
	signer, err := submit.NewKeys(a.db, key).Signer(ctx)
	if err != nil {
		return err
	}
	var filled bool
	err = a.db.Tx(ctx, func(q db.Q) (err error) {
		filled, err = demo.Fill(ctx, q, seal, &submit.Service{Files: a.files,
			Service: a.ExternalName, Received: similarity.Received}, signer)
		if err == nil && filled && a.ContainerHost != "" {
			err = demo.Assess(ctx, q, a.files)
		}
		return err
	})
	if err == nil && filled { // its people came after those that the service makes findable as it starts
		err = ident.FillWords(ctx, a.db)
	}
	if err == nil && filled {
		fmt.Fprintf(a.out, "Demo data: sign in as aadmin, aconvenor, atutor, astudent or student_1 with the password "+
			"%q.\n", demo.Password)
	}
	return err
}
