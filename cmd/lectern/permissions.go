package main

import (
	"os"

	"lectern/internal/web/api"
	"lectern/internal/web/site"
)

type permissionsCmd struct {
	Role   string `env:"-" help:"Only what this role may do: visitor, Student, Tutor, Convenor or Admin."`
	Route  string `env:"-" help:"Only endpoints whose method and path contain this, such as 'PUT /api/units'."`
	Format string `env:"-" default:"text" enum:"text,markdown,csv,json" help:"text, markdown, csv or json."`
}

func (c *permissionsCmd) Run() error {
	list, err := api.Narrow(api.AllPermissions(site.New(site.Config{}).Sorted()), c.Role, c.Route)
	if err != nil {
		return err
	}
	return api.WritePermissions(os.Stdout, list, c.Format)
}
