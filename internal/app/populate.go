package app

import (
	"context"
	"fmt"

	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/similarity"
	"lectern/internal/teaching/submit"
	"lectern/internal/usecase/demo"
)

// populate gives an empty database its first people: the demo university, or one
// administrator whose password is printed this once.
func (a *App) populate(ctx context.Context) error {
	if a.Demo {
		return a.fillDemo(ctx)
	}
	var name, password string
	var made bool
	err := a.db.Tx(ctx, func(q db.Q) (err error) {
		name, password, made, err = ident.FirstAdmin(ctx, q)
		return err
	})
	if made {
		fmt.Fprintf(a.out, "This is a new installation. Sign in as %s with the password: %s\n"+
			"It is shown only now; change it after you have signed in.\n", name, password)
	}
	return err
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
