package pdf

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

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
		unix.RLIMIT_AS: space, unix.RLIMIT_CORE: 0, unix.RLIMIT_CPU: 300, unix.RLIMIT_NOFILE: 64, unix.RLIMIT_FSIZE: 4 << 30,
	} {
		if err := unix.Setrlimit(which, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
			return fmt.Errorf("limit %d: %w", which, err)
		}
	}
	return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
}

// ownProgram is this very program, also when its file was replaced by a newer one.
func ownProgram() (string, error) { return "/proc/self/exe", nil }

// ownGroup starts a child as the head of its own process group.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

func usage(st *os.ProcessState) (rss int64, cpu time.Duration) {
	if u, ok := st.SysUsage().(*syscall.Rusage); ok {
		rss = u.Maxrss << 10
	}
	return rss, st.UserTime() + st.SystemTime()
}
