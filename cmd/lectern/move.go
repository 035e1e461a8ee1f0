package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"lectern/internal/app"
)

// moveCmd brings an installation to another place, where it goes on.
type moveCmd struct {
	app.Storage
	ToDatabaseURL string `secret:"" placeholder:"URL" help:"postgres://user:password@host/name of a database that is empty."`
	ToFilesURL    string `secret:"" placeholder:"URL" help:"s3://key:secret@host/bucket/prefix?region=… that is empty."`
	TakeBack      bool   `env:"-" help:"Use an installation that was moved here again, as it was then."`
}

func (c *moveCmd) Run(ctx context.Context) error {
	if c.TakeBack {
		if c.ToDatabaseURL != "" || c.ToFilesURL != "" {
			return errors.New("give --take-back, or where to move to, not both")
		}
		return c.takeBack(ctx)
	}
	tell := &telling{out: os.Stderr}
	to := app.Storage{Data: c.Data, DatabaseURL: c.ToDatabaseURL, FilesURL: c.ToFilesURL}
	moved, err := app.MoveTo(ctx, &c.Storage, &to, tell.progress)
	if err != nil {
		return err
	}
	fmt.Println(moved.Words())
	return nil
}

func (c *moveCmd) takeBack(ctx context.Context) error {
	gone, err := app.TakeBack(ctx, &c.Storage)
	if err != nil {
		return err
	}
	if gone == nil {
		fmt.Println("The installation is used here: it was not moved, or has not arrived.")
		return nil
	}
	fmt.Printf("The installation is used here again, as it was on %s. What was done at %s since is not here.\n"+
		"Serve it at one place only: emails and receipts would come from both.\n",
		gone.At.Format("2 January 2006, 15:04 UTC"), gone.Database)
	return nil
}
