package endpoint

import (
	"context"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/web/params"
)

// Accepts lets an endpoint that takes files of any name (*files) say which it
// wants, before any of them is stored: choose is asked once, with the parameters
// that came ahead of the first file, and what it gives refuses the others.
func Accepts[In any](choose func(ctx context.Context, who *access.Caller, in In) (func(field string) error,
	error)) Option {
	return func(i *Info) {
		i.accepts = func(ctx context.Context, who *access.Caller, in any) (func(string) error, error) {
			return choose(ctx, who, *in.(*In))
		}
	}
}

// accept gives what refuses a file by the name of its part: one that nobody asked
// for, or that has come already. In holds what came ahead of the files.
func (i *Info) accept(ctx context.Context, who *access.Caller, in any) func(field string) error {
	asked, seen := i.declared, map[string]bool{}
	chosen := i.accepts == nil
	return func(field string) (err error) {
		if !chosen {
			if asked, err = i.accepts(ctx, who, in); err != nil {
				return err
			}
			chosen = true
		}
		if err := asked(field); err != nil {
			return err
		}
		if seen[field] && !strings.HasSuffix(field, "[]") {
			return fault.Field(fault.Invalid, field, "must be a single file")
		}
		seen[field] = true
		return nil
	}
}

// declared refuses a file that no field of the input is for.
func (i *Info) declared(field string) error {
	name := strings.TrimSuffix(field, "[]")
	for _, f := range params.Fields(i.In) {
		if f.In == "file" && f.Name == name {
			return nil
		}
	}
	return fault.Field(fault.Invalid, field, "is not a file that is asked for here")
}
