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

func usage(st *os.ProcessState) (rss int64, cpu time.Duration) {
	return 0, st.UserTime() + st.SystemTime()
}
