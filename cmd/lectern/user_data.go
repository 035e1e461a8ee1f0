package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"lectern/internal/app"
	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/usecase/privacy"
)

type userExportCmd struct {
	app.Storage
	Username string `arg:"" help:"Whose data."`
	Out      string `short:"o" env:"-" help:"The zip to write; USERNAME-data.zip in this directory without it."`
}

func (c *userExportCmd) Run(ctx context.Context) error {
	if err := c.There(true); err != nil {
		return err
	}
	return withDatabase(ctx, &c.Storage, func(d *db.DB) error {
		u, err := ident.ByUsername(ctx, d.Pool(), c.Username)
		if err != nil {
			return err
		}
		store, err := files.Open(ctx, c.Files())
		if err != nil {
			return err
		}
		out := c.Out
		if out == "" {
			out = fmt.Sprintf("%s-data.zip", filepath.Base(u.Username))
		}
		e := privacy.Exporter{DB: d, Files: store, Progress: func(line string) { fmt.Fprintln(os.Stderr, line) }}
		var s *privacy.Summary
		err = wholeFile(out, func(w io.Writer) (err error) {
			s, err = e.Export(ctx, u.ID, w)
			return err
		})
		if err != nil {
			return err
		}
		fmt.Printf("Wrote %s with %d files; index.json in it says what it holds.\n", out, s.Files)
		for _, name := range s.Missing {
			fmt.Printf("The store has lost %s.\n", name)
		}
		return nil
	})
}

// wholeFile writes a file that only its owner can read: all of it, or none.
func wholeFile(name string, write func(io.Writer) error) (err error) {
	if _, err := os.Stat(name); err == nil {
		return fmt.Errorf("%s exists already: move it away, or name another file with -o", name)
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".export-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	w := bufio.NewWriterSize(f, 1<<20)
	if err = errors.Join(write(w), w.Flush(), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

type userEraseCmd struct {
	app.Storage
	Username   string `arg:"" help:"Who is to be forgotten."`
	WithFiles  bool   `name:"files" env:"-" help:"Also remove the files the person uploaded."`
	WithoutAsk bool   `name:"yes" env:"-" help:"Do not ask first."`
}

func (c *userEraseCmd) Run(ctx context.Context) error {
	return withDatabase(ctx, &c.Storage, func(d *db.DB) error {
		u, err := ident.ByUsername(ctx, d.Pool(), c.Username)
		if err != nil {
			return err
		}
		if err := ident.Erasable(ctx, d.Pool(), u); err != nil {
			return err
		}
		for _, line := range privacy.Plan(u, c.WithFiles) {
			fmt.Println("*", line)
		}
		if !c.WithoutAsk && !agreed(os.Stdin, u.Username) {
			return errors.New("nothing was changed: type the user name to agree, or give --yes")
		}
		e, err := privacy.Erase(ctx, d, u.ID, c.WithFiles)
		if err != nil {
			return err
		}
		fmt.Printf("Done: the account is now erased-%d. %d records removed, files of %d records removed; the service "+
			"makes %d documents and %d portfolios anew.\n", u.ID, e.Records, e.Files, e.Documents, e.Portfolios)
		return nil
	})
}

// agreed asks for the name to be typed.
func agreed(in io.Reader, name string) bool { return agreedTo(in, "the user name", name) }

func agreedTo(in io.Reader, what, name string) bool {
	fmt.Printf("Type %s %s to agree: ", what, name)
	line, _ := bufio.NewReader(in).ReadString('\n') // what cannot be read is no agreement
	return strings.TrimSpace(line) == name
}
