package app

import (
	"context"
	"errors"
	"fmt"

	"lectern/internal/platform/container"
	"lectern/internal/teaching/assess"
)

// checkEngine looks whether the engine answers, and whether it can run a container: one that
// answers may still be kept from that by the kernel.
func checkEngine(ctx context.Context, s *Settings) []finding {
	if s.ContainerHost == "" || s.Assessment.check() != nil {
		return nil
	}
	f := finding{What: "engine", Saw: "answers at " + s.ContainerHost}
	// As a service of its own: the one that runs would take the container for a stray.
	e, err := container.Open(s.ContainerHost, s.ContainerCerts, s.place()+"-doctor")
	if err == nil {
		err = e.Check(ctx)
	}
	if err != nil {
		f.Saw, f.Bad = err.Error(), true
		f.Advice = remedyOfEngine(s.ContainerHost, err) + " Assessments wait until then."
		return []finding{f}
	}
	image, err := imageToTry(ctx, s, e)
	switch {
	case err != nil:
		f.Saw, f.Bad = f.Saw+", but does not say which images it has: "+err.Error(), true
		f.Advice = "Look into the log of the engine. Assessments wait until then."
	case image == "":
		f.Saw += "; it has no image that is on record, so no container was run"
		f.Advice = "Pull an image for assessments, and look again."
	default:
		tryContainer(ctx, &f, s, e, image)
	}
	return []finding{f}
}

// tryContainer runs a container, and adds what came of it.
func tryContainer(ctx context.Context, f *finding, s *Settings, e *container.Engine, image string) {
	err := assess.Probe(ctx, e, image, s.limits())
	if _, left := e.RemoveStrays(ctx, func(map[string]string) bool { return false }); err == nil {
		err = left
	}
	if err == nil {
		f.Saw += ", and runs containers of " + image
		return
	}
	f.Saw, f.Bad = fmt.Sprintf("%s, but cannot run a container of %s: %v", f.Saw, image, err), true
	f.Advice = "Run one by hand on its machine (podman run --rm " + image + " true), and look into its log. " +
		"Assessments are tried again until then."
}

// imageToTry finds an image for assessments that the engine has; "" where there is none.
func imageToTry(ctx context.Context, s *Settings, e *container.Engine) (string, error) {
	if s.checkStorage() != nil || s.DatabaseURL == "" && s.dataThere() != nil {
		return "", nil
	}
	d, _ := openToLook(ctx, s)
	if d == nil {
		return "", nil
	}
	defer d.Close()
	list, err := assess.Images(ctx, d.Pool())
	if err != nil { // a database without its schema, of which there is a finding of its own
		return "", nil //nolint:nilerr // as said
	}
	for _, i := range list {
		if _, err := e.ImageID(ctx, i.Tag); err == nil {
			return i.Tag, nil
		} else if !errors.Is(err, container.ErrNoImage) && container.CheckReference(i.Tag) == nil {
			return "", err
		}
	}
	return "", nil
}
