package assess

import (
	"time"

	"lectern/internal/ground/bounds"
	"lectern/internal/platform/container"
	"lectern/internal/teaching/taskdef"
)

// room is how much the working folder holds.
func room(l taskdef.Limits) int64 { return l.FolderMB * size.MB }

// bounds are the limits as the engine takes them.
func bounds(l taskdef.Limits) container.Limits {
	return container.Limits{Time: time.Duration(l.Seconds) * time.Second, Memory: l.MemoryMB * size.MB, CPUs: l.CPUs,
		Processes: l.Processes, OpenFiles: l.OpenFiles, Output: l.OutputKB * size.KB, File: room(l)}
}
