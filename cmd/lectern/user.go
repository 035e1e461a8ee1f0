package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"golang.org/x/term"

	"lectern/internal/app"
	pages "lectern/internal/ground/links"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
)

type userCmd struct {
	Add      userAddCmd      `cmd:"" help:"Create an account and print a link to set its password."`
	Password userPasswordCmd `cmd:"" help:"Set the password of an account, read from the terminal or standard input."`
	Link     userLinkCmd     `cmd:"" help:"Print a new one-time link to set the password of an account."`
	Factor   userFactorCmd   `cmd:"" name:"reset-second-factor" help:"Take the second factor of an account away."`
	List     userListCmd     `cmd:"" help:"List the accounts."`

	Invitations userInvitationsCmd `cmd:"" help:"Tell how far the invitations of people of sheets are."`

	Export userExportCmd `cmd:"" help:"Write all that is kept about a person into a zip."`
	Erase  userEraseCmd  `cmd:"" help:"Make the service forget who a person is; says first what it will do."`
}

// links is what a command needs to print addresses people can open.
type links struct {
	app.Storage
	PublicURL string `default:"http://127.0.0.1:3000" help:"Address people reach the service at."`
}

func (l *links) print(token string) {
	fmt.Printf("Set the password within 7 days at:\n%s%s\n", strings.TrimSuffix(l.PublicURL, "/"),
		pages.With(pages.Password, token))
}

type userAddCmd struct {
	links
	Username  string `arg:"" help:"Name to sign in with."`
	Email     string `required:"" env:"-" help:"Mail address."`
	FirstName string `required:"" env:"-"`
	LastName  string `required:"" env:"-"`
	StudentID string `env:"-" help:"Student number, if any."`
	Role      string `default:"Student" env:"-" enum:"Student,Tutor,Convenor,Admin" help:"Student, Tutor, Convenor or Admin."`
}

func (c *userAddCmd) Run(ctx context.Context) error {
	role, _ := policy.ParseRole(c.Role)
	if err := c.Room(); err != nil {
		return err
	}
	return withAnyDatabase(ctx, &c.Storage, func(d *db.DB) error {
		var token string
		err := d.Tx(ctx, func(q db.Q) error {
			u, err := ident.Add(ctx, q, ident.NewUser{Username: c.Username, Email: c.Email, FirstName: c.FirstName,
				LastName: c.LastName, StudentID: c.StudentID, Role: role})
			if err != nil {
				return err
			}
			token, _, err = ident.NewLink(ctx, q, u.ID)
			return err
		})
		if err == nil {
			fmt.Printf("Created %s (%s).\n", c.Username, role)
			c.print(token)
		}
		return err
	})
}

type userLinkCmd struct {
	links
	Username string `arg:""`
}

func (c *userLinkCmd) Run(ctx context.Context) error {
	return withDatabase(ctx, &c.Storage, func(d *db.DB) error {
		var token string
		err := d.Tx(ctx, func(q db.Q) error {
			u, err := ident.ByUsername(ctx, q, c.Username)
			if err != nil {
				return err
			}
			token, _, err = ident.NewLink(ctx, q, u.ID)
			return err
		})
		if err == nil {
			c.print(token)
		}
		return err
	})
}

type userFactorCmd struct {
	app.Storage
	Username string `arg:""`
}

func (c *userFactorCmd) Run(ctx context.Context) error {
	return withDatabase(ctx, &c.Storage, func(d *db.DB) error {
		err := d.Tx(ctx, func(q db.Q) error {
			u, err := ident.ByUsername(ctx, q, c.Username)
			if err != nil {
				return err
			}
			return ident.ResetFactor(ctx, q, nil, u.ID)
		})
		if err == nil {
			fmt.Printf("%s signs in without a second factor now, and should set up another.\n", c.Username)
		}
		return err
	})
}

type userPasswordCmd struct {
	app.Storage
	Username string `arg:""`
}

func (c *userPasswordCmd) Run(ctx context.Context) error {
	password, err := readPassword()
	if err != nil {
		return err
	}
	return withDatabase(ctx, &c.Storage, func(d *db.DB) error {
		if err := ident.NewPasswords(d, ident.Limits{}).SetPassword(ctx, c.Username, password); err != nil {
			return err
		}
		fmt.Printf("The password of %s is changed and its sessions are ended.\n", c.Username)
		return nil
	})
}

// readPassword asks twice on a terminal, and takes one line from a pipe. It is
// no flag: other users of the machine could read that.
func readPassword() (string, error) {
	if !term.IsTerminal(int(os.Stdin.Fd())) {
		line, err := bufio.NewReader(os.Stdin).ReadString('\n')
		if line = strings.TrimRight(line, "\r\n"); line == "" {
			return "", errors.Join(errors.New("no password on standard input"), err)
		}
		return line, nil
	}
	var tries [2]string
	for i, ask := range []string{"New password: ", "Once more: "} {
		fmt.Fprint(os.Stderr, ask)
		b, err := term.ReadPassword(int(os.Stdin.Fd()))
		fmt.Fprintln(os.Stderr)
		if err != nil {
			return "", err
		}
		tries[i] = string(b)
	}
	if tries[0] != tries[1] {
		return "", errors.New("the two passwords differ")
	}
	return tries[0], nil
}

type userListCmd struct{ app.Storage }

func (c *userListCmd) Run(ctx context.Context) error {
	return withDatabase(ctx, &c.Storage, func(d *db.DB) error {
		w := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', 0)
		fmt.Fprintln(w, "ID\tUSERNAME\tROLE\tNAME\tEMAIL")
		for u, err := range ident.List(ctx, d.Pool(), ident.Selection{Limit: -1}) {
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "%d\t%s\t%s\t%s %s\t%s\n", u.ID, u.Username, u.Role, u.FirstName, u.LastName, u.Email)
		}
		return w.Flush()
	})
}

// withDatabase opens the database, which must be there, brings it up to date, and runs f on it.
func withDatabase(ctx context.Context, s *app.Storage, f func(*db.DB) error) error {
	if err := s.There(false); err != nil {
		return err
	}
	return withAnyDatabase(ctx, s, f)
}

// withAnyDatabase is withDatabase where it may also be made.
func withAnyDatabase(ctx context.Context, s *app.Storage, f func(*db.DB) error) error {
	d, err := app.OpenDatabase(ctx, s)
	if err != nil {
		return err
	}
	defer d.Close()
	if _, err := d.Migrate(ctx); err != nil {
		return err
	}
	return f(d)
}
