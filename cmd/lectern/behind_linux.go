package main

import (
	"os"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// last is how much this process lets others go first: the most there is.
const last = 19

// behind lets other processes go first, as work should that nobody waits for, and leaves all processors
// but one to them. Linux counts every thread by itself; one that is made later takes after the one that
// makes it.
func behind() {
	runtime.GOMAXPROCS(1)
	threads, _ := os.ReadDir("/proc/self/task") // without it the work is only less polite
	for _, t := range threads {
		if id, err := strconv.Atoi(t.Name()); err == nil {
			_ = unix.Setpriority(unix.PRIO_PROCESS, id, last)
		}
	}
}
