package container_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"lectern/internal/platform/container"
	"lectern/internal/platform/container/enginetest"
	"lectern/internal/platform/db/dbtest"
)

var small = container.Limits{Time: 20 * time.Second, Memory: 64 << 20, CPUs: 1, Processes: 32, OpenFiles: 64,
	Output: 100_000, File: 8 << 20}

// sh runs a command of the shell.
func sh(t *testing.T, e *container.Engine, image string, l container.Limits, text, input string) (container.Ended,
	string, string) {
	t.Helper()
	var out, report bytes.Buffer
	ended, err := e.Run(t.Context(), container.Run{Image: image, Command: []string{"/bin/sh", "-c", "cd /work;" + text},
		User: 12345, Folders: []container.Folder{{Path: "/work", Size: 8 << 20, Exec: true},
			{Path: "/quiet", Size: 8 << 20}}, Limits: l,
		Input: strings.NewReader(input), Output: &out, Report: &report, MostReport: 100_000,
		Labels: map[string]string{"lectern.job": "1"}})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return ended, out.String(), report.String()
}

func TestRun(t *testing.T) {
	t.Parallel()
	engine := enginetest.New(t)
	e := engine.Open(t, t.Name())
	if err := e.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	ended, out, report := sh(t, e, engine.Box, small, "cat; echo to you >&2; exit 3", "from us")
	if ended != (container.Ended{Cause: container.Exited, ExitCode: 3}) || out != "from us" || report != "to you\n" {
		t.Errorf("%+v: %q and %q", ended, out, report)
	}
}

// What a program finds around it.
func TestConfinement(t *testing.T) {
	t.Parallel()
	engine := enginetest.New(t)
	e := engine.Open(t, t.Name())
	_, out, report := sh(t, e, engine.Box, small, `
		grep -E '^(Uid|Gid|Groups|CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status | tr -s '\t ' ' '
		ulimit -n; ulimit -u; ulimit -c
		ls /sys/class/net | tr '\n' ' '; echo
		echo x >/x || echo root is read-only
		printf '#!/bin/sh\necho ran\n' | tee /work/a >/quiet/a; chmod +x /work/a /quiet/a; /work/a; /quiet/a || echo not there
		df -k /work | tail -n 1 | awk '{print $2}'
		for f in cpu/cpu.shares cpu/cpu.cfs_quota_us memory/memory.limit_in_bytes pids/pids.max; do
			cat /sys/fs/cgroup/$f 2>/dev/null || cat /sys/fs/cgroup/$(basename $f) 2>/dev/null; done
		ls /run /var/run 2>/dev/null | grep sock; mount | grep -c "$0"`, "")
	for _, want := range []string{"Uid: 12345", "Gid: 12345", "CapEff: 0000000000000000", "CapBnd: 0000000000000000",
		"NoNewPrivs: 1", "Seccomp: 2", "64\n32\n0\n", "\nlo \n", "root is read-only", "ran\nnot there\n8192\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s%s", want, out, report)
		}
	}
	t.Log(out, report)
}

// A program cannot make namespaces, in which it would have rights; what programs usually do
// they still can. The profile is put in place again when somebody removed it.
func TestProgramsCannotMakeUserNamespaces(t *testing.T) { // beside no other, as it takes their volumes away
	engine := enginetest.New(t)
	e := engine.Open(t, t.Name())
	for range 2 {
		_, out, report := sh(t, e, engine.Box, small, `unshare -rm true && echo made; unshare -U true && echo made
			unshare -n true && echo made; mount -t tmpfs x /work && echo mounted
			echo a | cat | grep -c a; (sleep 0; echo b) & wait; kill -0 $$ && echo usual`, "")
		if out != "1\nb\nusual\n" || strings.Count(report, "not permitted") < 3 {
			t.Errorf("%s%s", out, report)
		}
		if text, err := engine.CommandLine("volume", "prune", "-f").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
	}
}

// Programs that will not end, or will not be modest, are ended.
func TestLimits(t *testing.T) {
	t.Parallel()
	engine := enginetest.New(t)
	e := engine.Open(t, t.Name())
	quick := small
	quick.Time = 1500 * time.Millisecond
	for _, c := range []struct {
		name, text string
		want       container.Cause
		limits     container.Limits
	}{
		{"time", `trap '' TERM INT HUP; while :; do :; done`, container.TimeUp, quick},
		{"output", `yes`, container.TooMuch, small},
		{"report", `yes >&2`, container.TooLarge, small},
		{"memory", `tail /dev/zero`, container.OutOfMem, small},
		{"folder", `dd if=/dev/zero of=/work/x bs=1M count=20 2>/dev/null; wc -c </work/x`, container.Exited, small},
		{"processes", `f() { f | f & }; f; sleep 1; kill -9 -1; echo still here`, container.Exited, small},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.want == container.Exited || c.want == container.TooLarge {
				dbtest.Long(t)
			}
			t.Parallel()
			begin := time.Now()
			ended, out, _ := sh(t, e, engine.Box, c.limits, c.text, "")
			if ended.Cause != c.want {
				t.Errorf("%+v: %.200s", ended, out)
			}
			if took := time.Since(begin); took > c.limits.Time+5*time.Second {
				t.Errorf("it took %v", took)
			}
			if len(out) > 100_000 {
				t.Errorf("%d bytes", len(out))
			}
			t.Logf("%v: %.100q", time.Since(begin), out)
		})
	}
}

func TestCallerGivesUp(t *testing.T) {
	t.Parallel()
	engine := enginetest.New(t)
	e := engine.Open(t, t.Name())
	ctx, stop := context.WithCancel(t.Context())
	begun := &signal{stop: stop}
	_, err := e.Run(ctx, container.Run{Image: engine.Box, Command: []string{"/bin/sh", "-c", "echo begun; sleep 60"},
		User: 12346, Limits: small, Output: begun, Report: &bytes.Buffer{}})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// signal calls stop when something is written to it.
type signal struct{ stop func() }

func (s *signal) Write(p []byte) (int, error) { s.stop(); return len(p), nil }

func TestEngineUnavailable(t *testing.T) {
	t.Parallel()
	e, err := container.Open("unix:///nowhere/engine.sock", "", "x")
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Check(t.Context()); !errors.Is(err, container.ErrUnavailable) {
		t.Error(err)
	}
}

func TestStraysAreRemoved(t *testing.T) {
	t.Parallel()
	engine := enginetest.New(t)
	e := engine.Open(t, t.Name())
	for _, job := range []string{"1", "2"} {
		out, err := engine.CommandLine("run", "-d", "--network", "none", "--ulimit", "nofile=64:64", "--ulimit",
			"nproc=64:64", "--label", "lectern.service="+t.Name(), "--label", "lectern.job="+job, engine.Box, "/bin/sh", "-c",
			"trap '' TERM; while :; do sleep 1; done").CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	n, err := e.RemoveStrays(t.Context(), func(l map[string]string) bool { return l["lectern.job"] == "2" })
	if n != 1 || err != nil {
		t.Errorf("%d removed: %v", n, err)
	}
	n, err = e.RemoveStrays(t.Context(), func(map[string]string) bool { return false })
	if n != 1 || err != nil {
		t.Errorf("%d removed: %v", n, err)
	}
}
