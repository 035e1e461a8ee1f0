//go:build !linux

package pdf

import (
	"os"
	"os/exec"
	"time"
)

// confine has no address space limit to set outside Linux: the clock and the
// collector's target remain.
func confine(int64) error { return nil }

func ownProgram() (string, error) { return os.Executable() }

func ownGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func peakMemory() int64 { return 0 }

func processorTime(int) time.Duration { return -1 }
