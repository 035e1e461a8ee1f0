package pdf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"lectern/internal/ground/fault"
)

// cleaners bounds the children that clean files while somebody waits for it.
var cleaners = make(chan struct{}, runtime.GOMAXPROCS(0))

// Clean gives take a foreign PDF that cannot act: the bytes as they came where nothing in
// them does, else a copy that has the pages with their annotations, links and bookmarks,
// title, language and structure, and nothing else: no scripts, no actions
// that run by themselves, no embedded files; the fields of a form become what they
// show. It works in a bounded child process, and refuses what cannot be read there
// with fault.Unsupported.
func Clean(ctx context.Context, in io.Reader, limits Limits, take func(io.Reader) error) error {
	if !mayStart.Load() {
		return errNoChild
	}
	select {
	case cleaners <- struct{}{}:
		defer func() { <-cleaners }()
	case <-ctx.Done():
		return ctx.Err()
	}
	dir, err := os.MkdirTemp("", tempPrefix)
	if err != nil {
		return fmt.Errorf("private directory: %w", err)
	}
	defer os.RemoveAll(dir)
	j := &readJob{Kind: PDF, Alone: true, In: filepath.Join(dir, "in"), Out: filepath.Join(dir, "out"),
		Limits: limits.orDefaults()}
	if err := cleanIn(ctx, dir, in, j); err != nil {
		return err
	}
	out, err := os.Open(j.Out)
	if err != nil {
		return err
	}
	defer out.Close()
	return take(out)
}

func cleanIn(ctx context.Context, dir string, in io.Reader, j *readJob) error {
	bounded := io.LimitReader(in, j.Limits.InputBytes+1)
	size, err := spool(&File{Open: func() (io.ReadCloser, error) { return io.NopCloser(bounded), nil }}, j.In)
	if err != nil {
		return err
	}
	if size > j.Limits.InputBytes {
		return fault.New(fault.TooLarge, "The PDF is larger than %s.", SizeText(j.Limits.InputBytes))
	}
	wk := &worker{dir: dir, limits: j.Limits}
	defer wk.stop()
	a, err := wk.do(ctx, request{Read: j}, j.Limits.FileTime)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errTooSlow):
		return refused("it takes too long to read")
	case errors.Is(err, errDied):
		return refused("it needs more memory than one file may take")
	case err != nil:
		return err
	case a.Read.Why != "":
		return refused(a.Read.Why)
	}
	return nil
}

func refused(why string) error {
	return fault.New(fault.Unsupported, "The PDF cannot be used: %s. Export or print it to PDF again, and upload "+
		"that.",
		why)
}
