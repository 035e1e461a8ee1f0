package pdf

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// modest is how nice a child is to other processes; 0 is usual, 19 the most.
const modest = 5

// confine bounds this process before it sees any foreign byte. Address space
// is counted from what the runtime already reserved, which is large and unused.
func confine(memory int64) error {
	var pages int64
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return err
	}
	if _, err := fmt.Sscan(string(statm), &pages); err != nil {
		return err
	}
	space := uint64(pages)*uint64(os.Getpagesize()) + uint64(memory)*addressFactor
	for which, limit := range map[int]uint64{
		unix.RLIMIT_AS: space, unix.RLIMIT_CORE: 0, unix.RLIMIT_CPU: 300, unix.RLIMIT_NOFILE: 64,
		unix.RLIMIT_FSIZE: 4 << 30,
	} {
		if err := unix.Setrlimit(which, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
			return fmt.Errorf("limit %d: %w", which, err)
		}
	}
	// Documents wait for people, not people for documents: where processors are
	// short, whoever is answered goes first. The child leads a group of its own, of
	// which this reaches every thread. That it is not granted does no harm.
	_ = unix.Setpriority(unix.PRIO_PGRP, 0, modest)
	return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
}

// ownProgram is this very program, also when its file was replaced by a newer one.
func ownProgram() (string, error) { return "/proc/self/exe", nil }

// ownGroup starts a child as the head of its own process group.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// peakMemory reads the most memory this process ever held. The figure the
// parent gets when a child ends would count the parent's own, before exec.
func peakMemory() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var kb int64
	_, _ = fmt.Sscan(rest, &kb)
	return kb << 10
}

// processorTime is what a child has used so far, to a hundredth of a second;
// negative when it is not known.
func processorTime(pid int) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return -1
	}
	// The name in brackets may hold anything; what follows it is regular.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 13 {
		return -1
	}
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * (time.Second / 100)
}
