// Package assess runs the tests that the staff attach to a task over what
// students hand in, and makes known what came of it.
//
// A package is a zip archive with the scripts build.sh and run.sh at its root. It
// is unpacked over the student's files in a container without rights, and what
// the scripts write becomes the result. docs/assessment.md tells the contract.
package assess

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/container"
	"lectern/internal/platform/files"
	"lectern/internal/teaching/taskdef"
)

// Runner runs packages over submissions.
type Runner struct {
	Engine *container.Engine
	Files  files.Store
	Spool  string // a directory for what containers leave behind, while it is read
}

// Work is a submission to be assessed.
type Work struct {
	Image   string
	Package files.Hash
	Files   []Submitted
	Limits  taskdef.Limits
	Labels  map[string]string // of the containers
}

// Run runs the package over the submission. Whatever the package or the
// submission does wrong is part of the outcome; an error is trouble of our own or
// of the engine, which may be down, have lost the image or be unable to run it, and may pass.
func (r *Runner) Run(ctx context.Context, w Work) (*Outcome, error) {
	o, err := r.run(ctx, w)
	if errors.Is(err, container.ErrNoImage) { // as on a machine that is new
		if err = r.Engine.Pull(ctx, w.Image, func(string) {}); err == nil {
			o, err = r.run(ctx, w)
		}
	}
	if f, ok := errors.AsType[*fault.Error](err); ok && (f.Kind == fault.Unsupported || f.Kind == fault.TooLarge) {
		return &Outcome{Reason: f.Text}, nil
	}
	return o, err
}

func (r *Runner) run(ctx context.Context, w Work) (*Outcome, error) {
	t, err := openTests(ctx, r.Files, w.Package, room(w.Limits))
	if err != nil {
		return nil, err
	}
	defer t.closer.Close()
	submitted := handedIn(ctx, r.Files, w.Files)
	list := over(submitted, t.shown())
	if err := checkRoom(list, room(w.Limits)); err != nil {
		return nil, err
	}
	report, err := newSpooled(r.Spool)
	if err != nil {
		return nil, err
	}
	defer report.Close()
	o := &Outcome{HasJudge: t.has(judgeScript)}
	steps := []string{"build", "run"}
	if !t.has(buildScript) {
		steps = steps[1:]
	}
	before, ended, err := r.contain(ctx, w, steps, nil, report, &o.Output, func(p *packer) error {
		return p.add(workFolder, list)
	})
	if err != nil {
		return nil, err
	}
	told, err := o.take(ctx, before, ended, report, w.Limits)
	if err == nil && o.HasJudge {
		err = r.judge(ctx, w, o, report, told, submitted, t)
	}
	return o, err
}

// contain runs the driver in a container that is given what pack writes, and
// tells which files it was given.
func (r *Runner) contain(ctx context.Context, w Work, steps []string, more []container.Folder, report io.Writer,
	output *string, pack func(*packer) error) (tree, container.Ended, error) {
	in, out := io.Pipe()
	p := newPacker(out)
	packed := make(chan error, 1)
	go func() {
		err := pack(p)
		if err == nil {
			err = p.w.Close()
		}
		out.CloseWithError(err)
		packed <- err
	}()
	var text bytes.Buffer
	most := room(w.Limits)
	ended, err := r.Engine.Run(ctx, container.Run{Image: w.Image, User: someUser(), Limits: engineLimits(w.Limits),
		Command: append([]string{shell, "-c", driver, "sh"}, steps...), Labels: w.Labels,
		Env:     []string{"HOME=/" + workFolder, "TMPDIR=/" + tempFolder, "LANG=C.UTF-8"},
		Folders: append(more, folders(most)...), Input: in, Output: &text, Report: report, MostReport: mostReport(most)})
	in.CloseWithError(errors.New("nobody reads on"))
	if wrong := <-packed; err == nil && wrong != nil && ended.Cause == container.Exited && ended.ExitCode != 0 {
		err = wrong
	}
	*output = clean(text.String())
	return p.sums, ended, err
}

// someUser is a number that hardly any other container has at the time, so that
// limits by user are those of one run. Engines without root have the first 65,536.
func someUser() int { return 10_000 + rand.IntN(50_000) } //nolint:gosec // nobody gains by guessing it

// take reads what a run left and tells how many of its steps are whole. An error is the
// end of ctx: whatever is wrong with what was left is part of the outcome.
func (o *Outcome) take(ctx context.Context, before tree, e container.Ended, report io.ReadSeeker,
	l taskdef.Limits) (int, error) {
	var steps []step
	_, err := report.Seek(0, io.SeekStart)
	if err == nil {
		steps, err = readReport(ctx, report, room(l))
	}
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	o.Reason = because(e, engineLimits(l))
	if err != nil && o.Reason == "" {
		o.Reason = "What the run left behind cannot be read: the program wrote where only the service should."
	}
	for _, s := range steps {
		o.ExitCode = &s.code
		if word := o.hear(s.name+".yaml", s.yaml); word != "" {
			o.Claimed = word
		}
		if s.name == "build" {
			o.BuildDiff = before.changes(s.files)
		} else {
			o.RunDiff = before.changes(s.files)
		}
		before = s.files
	}
	if n := len(steps); n > 0 && o.Reason == "" && steps[n-1].code == 137 {
		o.Reason = fmt.Sprintf("%s.sh was killed, most likely for needing more than %s of memory.", steps[n-1].name,
			bounds.SizeText(engineLimits(l).Memory))
	}
	return len(steps), nil
}

// judge runs the judge in a second container, which sees what the first one left
// and executes nothing of it.
func (r *Runner) judge(ctx context.Context, w Work, o *Outcome, report io.ReadSeeker, told int, submitted []entry,
	t *tests) error {
	second, err := newSpooled(r.Spool)
	if err != nil {
		return err
	}
	defer second.Close()
	evidence := container.Folder{Path: "/" + evidenceFolder, Size: 3*room(w.Limits) + engineLimits(w.Limits).Output}
	_, ended, err := r.contain(ctx, w, []string{"judge"}, []container.Folder{evidence}, second, &o.JudgeOutput,
		func(p *packer) error {
			if err := p.add(workFolder, t.entries); err != nil {
				return err
			}
			if err := p.add(evidenceFolder, []entry{text("output.txt", o.Output), text("exit_code", o.exitWord()),
				text("claimed_status", o.Claimed)}); err != nil {
				return err
			}
			if err := p.add(evidenceFolder+"/submitted", submitted); err != nil {
				return err
			}
			return pass(ctx, report, room(w.Limits), told, p, evidenceFolder+"/after")
		})
	if err != nil {
		return err
	}
	var steps []step
	if _, err = second.Seek(0, io.SeekStart); err == nil {
		steps, err = readReport(ctx, second, room(w.Limits))
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if why := because(ended, engineLimits(w.Limits)); why != "" || err != nil || len(steps) != 1 {
		o.JudgeOutput = strings.TrimSpace(o.JudgeOutput + "\n" + why)
		return nil
	}
	o.Judged = o.hear("judge.yaml", steps[0].yaml)
	return nil
}

// exitWord tells the judge how the run ended: its exit code, or a word.
func (o *Outcome) exitWord() string {
	switch {
	case o.Reason != "":
		return "ended\n"
	case o.ExitCode == nil:
		return "none\n"
	}
	return strconv.Itoa(*o.ExitCode) + "\n"
}
