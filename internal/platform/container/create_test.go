package container

import (
	"slices"
	"testing"
	"time"
)

// What a run may use is told to the engine in full, whatever machine it is on.
func TestBodyOfAContainer(t *testing.T) {
	e := &Engine{service: "s"}
	b := e.body(Run{Image: "a/b", Command: []string{"sh", "-c", "x"}, User: 12345,
		Folders: []Folder{{Path: "/work", Size: 99, Exec: true}, {Path: "/quiet", Size: 98}},
		Limits:  Limits{Time: time.Second, Memory: 64, CPUs: 1.5, Processes: 32, OpenFiles: 16, Output: 10, File: 8},
		Labels:  map[string]string{"job": "1"}}, "seccomp=x")
	h := b.HostConfig
	if h.Memory != 64 || h.MemorySwap != 64 || h.NanoCpus != 1_500_000_000 || h.CpuShares != 2 || h.PidsLimit != 32 {
		t.Errorf("bounds %+v", h)
	}
	if h.NetworkMode != "none" || !h.ReadonlyRootfs || !slices.Equal(h.CapDrop, []string{"ALL"}) ||
		!slices.Equal(h.SecurityOpt, []string{"no-new-privileges", "seccomp=x"}) || b.User != "12345:12345" {
		t.Errorf("rights %+v of %s", h, b.User)
	}
	if want := []ulimit{{"nofile", 16, 16}, {"nproc", 32, 32}, {"fsize", 8, 8}, {"core", 0, 0}}; !slices.Equal(h.Ulimits,
		want) {
		t.Errorf("limits %v", h.Ulimits)
	}
	if h.Tmpfs["/work"] != "rw,exec,nosuid,nodev,mode=1777,size=99" ||
		h.Tmpfs["/quiet"] != "rw,noexec,nosuid,nodev,mode=1777,size=98" || len(h.Tmpfs) != 2 {
		t.Errorf("folders %v", h.Tmpfs)
	}
	if b.Labels[ownLabel] != "s" || b.Labels["job"] != "1" || b.WorkingDir != "/" || b.Image != "a/b:latest" {
		t.Errorf("%+v", b)
	}
}
