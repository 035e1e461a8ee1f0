package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"lectern/internal/app"
	"lectern/internal/platform/db"
	"lectern/internal/web/api"
	"lectern/internal/web/endpoint"
)

type serveCmd struct{ app.Settings }

func (c *serveCmd) Run(ctx context.Context, kept *app.Kept) error {
	holdMemory()
	c.Kept = kept
	a, err := app.New(ctx, c.Settings, os.Stdout)
	if err != nil {
		return err
	}
	return a.Serve(ctx)
}

type workerCmd struct{ app.Settings }

func (c *workerCmd) Run(ctx context.Context, kept *app.Kept) error {
	c.Kept = kept
	if err := c.There(true); err != nil {
		return err
	}
	a, err := app.New(ctx, c.Settings, os.Stdout)
	if err != nil {
		return err
	}
	return a.Work(ctx)
}

type firstLinkCmd struct{ links }

func (c *firstLinkCmd) Run(ctx context.Context) error {
	if err := c.Room(); err != nil {
		return err
	}
	return withAnyDatabase(ctx, &c.Storage, func(d *db.DB) error {
		token, err := app.FirstLink(ctx, d)
		if err == nil {
			fmt.Print(app.FirstLinkWords(strings.TrimSuffix(c.PublicURL, "/"), token))
		}
		return err
	})
}

type migrateCmd struct{ app.Storage }

func (c *migrateCmd) Run(ctx context.Context) error {
	d, err := app.OpenDatabase(ctx, &c.Storage)
	if err != nil {
		return err
	}
	defer d.Close()
	ran, err := d.Migrate(ctx)
	if err != nil {
		return err
	}
	for _, name := range ran {
		fmt.Println("applied", name)
	}
	fmt.Println("The schema is up to date.")
	return nil
}

type openAPICmd struct{}

func (*openAPICmd) Run() error {
	e := json.NewEncoder(os.Stdout)
	e.SetIndent("", "  ")
	return e.Encode(api.New(api.Config{Config: endpoint.Config{Version: app.Version}}).Document())
}

type doctorCmd struct {
	app.Settings
	All bool `env:"-" help:"Look for every file on record, not for a sample."`
}

func (c *doctorCmd) Run(ctx context.Context) error {
	if c.All {
		return app.DoctorOfAllFiles(ctx, c.Settings, os.Stdout)
	}
	return app.Doctor(ctx, c.Settings, os.Stdout)
}

type versionCmd struct {
	SBOM bool `name:"sbom" help:"Print what the program is made of instead, as CycloneDX 1.5 JSON."`
}

func (c *versionCmd) Run() error {
	if c.SBOM {
		return printSBOM(os.Stdout)
	}
	fmt.Println(app.Built())
	return nil
}
