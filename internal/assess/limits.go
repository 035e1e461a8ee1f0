package assess

import (
	"time"

	"lectern/internal/container"
	"lectern/internal/size"
)

// Limits bound a run; what is zero takes the default, and a task's are never above
// those of the settings.
type Limits struct {
	Seconds   int64   `json:"seconds,omitempty"`
	MemoryMB  int64   `json:"memory_mb,omitempty"`
	CPUs      float64 `json:"cpus,omitempty"`
	Processes int64   `json:"processes,omitempty"`
	OpenFiles int64   `json:"open_files,omitempty"`
	OutputKB  int64   `json:"output_kb,omitempty"`
	FolderMB  int64   `json:"folder_mb,omitempty"`
}

// DefaultLimits are those of a service that is told nothing else.
var DefaultLimits = Limits{Seconds: 300, MemoryMB: 512, CPUs: 1, Processes: 128, OpenFiles: 1024, OutputKB: 1000,
	FolderMB: 64}

// Under gives the limits with those of a task, which can only be lower.
func (l Limits) Under(task Limits) Limits {
	lower := func(a *int64, b int64) {
		if b > 0 {
			*a = min(*a, b)
		}
	}
	lower(&l.Seconds, task.Seconds)
	lower(&l.MemoryMB, task.MemoryMB)
	lower(&l.Processes, task.Processes)
	lower(&l.OpenFiles, task.OpenFiles)
	lower(&l.OutputKB, task.OutputKB)
	lower(&l.FolderMB, task.FolderMB)
	if task.CPUs > 0 {
		l.CPUs = min(l.CPUs, task.CPUs)
	}
	return l
}

func (l Limits) folder() int64 { return l.FolderMB * size.MB }

func (l Limits) container() container.Limits {
	return container.Limits{Time: time.Duration(l.Seconds) * time.Second, Memory: l.MemoryMB * size.MB, CPUs: l.CPUs,
		Processes: l.Processes, OpenFiles: l.OpenFiles, Output: l.OutputKB * size.KB, File: l.folder()}
}
