package assess

import (
	"time"

	"lectern/internal/ground/bounds"
	"lectern/internal/platform/container"
	"lectern/internal/teaching/taskdef"
)

// room is how much the working folder holds.
func room(l taskdef.Limits) int64 { return l.FolderMB * bounds.MB }

// engineLimits are the limits as the engine takes them.
func engineLimits(l taskdef.Limits) container.Limits {
	return container.Limits{Time: time.Duration(l.Seconds) * time.Second, Memory: l.MemoryMB * bounds.MB, CPUs: l.CPUs,
		Processes: l.Processes, OpenFiles: l.OpenFiles, Output: l.OutputKB * bounds.KB, File: room(l)}
}
