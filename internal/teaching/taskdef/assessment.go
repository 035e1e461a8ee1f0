package taskdef

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/teaching/status"
)

// AssessmentStatuses are the statuses that an automated assessment may give a
// task, kept as JSON text.
type AssessmentStatuses []status.Status

// DefaultAssessmentStatuses are those of a definition that says nothing else.
var DefaultAssessmentStatuses = AssessmentStatuses{status.FixAndResubmit, status.Discuss, status.Demonstrate,
	status.Complete}

// ParseAssessmentStatuses reads a list of status words; fault.Invalid for one
// that a program may not give. An empty list lets it give none.
func ParseAssessmentStatuses(text string) (AssessmentStatuses, error) {
	const field = "assessment_statuses"
	var words []string
	if err := json.Unmarshal([]byte(text), &words); err != nil {
		return nil, fault.Field(fault.Invalid, field, "must be a list of statuses such as complete")
	}
	list := AssessmentStatuses{}
	for _, w := range words {
		s, ok := status.Parse(w)
		if !ok || !status.Automatable.Has(s) {
			return nil, fault.Field(fault.Invalid, field, "holds %.40q; an assessment may set %s", w,
				status.Automatable)
		}
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list, nil
}

// Has tells whether an assessment may give the status.
func (a AssessmentStatuses) Has(s status.Status) bool { return slices.Contains(a, s) }

// Value implements driver.Valuer.
func (a AssessmentStatuses) Value() (driver.Value, error) { return string(encodeList(a)), nil }

// Scan implements sql.Scanner.
func (a *AssessmentStatuses) Scan(src any) error {
	if src == defaultStatuses { // nearly all definitions, of which a unit has many
		*a = DefaultAssessmentStatuses
		return nil
	}
	return scanList((*[]status.Status)(a), src)
}

// defaultStatuses is what the database holds for the default.
var defaultStatuses any = string(encodeList(DefaultAssessmentStatuses))

// Limits bound a run of an automated assessment. What is zero is bounded by the
// service's own only.
type Limits struct {
	Seconds   int64   `json:"seconds,omitempty"`
	MemoryMB  int64   `json:"memory_mb,omitempty"`
	CPUs      float64 `json:"cpus,omitempty"`
	Processes int64   `json:"processes,omitempty"`
	OpenFiles int64   `json:"open_files,omitempty"`
	OutputKB  int64   `json:"output_kb,omitempty"`
	FolderMB  int64   `json:"folder_mb,omitempty"`
}

// ParseLimits reads limits strictly: fault.Invalid for an unknown member or a
// number that is not above zero. Blank text and null are no limits.
func ParseLimits(text string) (Limits, error) {
	var l Limits
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil && strings.TrimSpace(text) != "" {
		return l, fault.Field(fault.Invalid, "assessment_limits", "must be an object with any of seconds, "+
			"memory_mb, cpus, processes, open_files, output_kb and folder_mb")
	}
	if l.CPUs < 0 || min(l.Seconds, l.MemoryMB, l.Processes, l.OpenFiles, l.OutputKB, l.FolderMB) < 0 {
		return l, fault.Field(fault.Invalid, "assessment_limits", "has a number below zero")
	}
	return l, nil
}

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

// Value implements driver.Valuer.
func (l Limits) Value() (driver.Value, error) {
	text, err := json.Marshal(l)
	return string(text), err
}

// Scan implements sql.Scanner.
func (l *Limits) Scan(src any) error {
	text, ok := src.(string)
	if !ok {
		return fmt.Errorf("cannot read limits from %T", src)
	}
	*l = Limits{}
	if text == "{}" {
		return nil
	}
	return json.Unmarshal([]byte(text), l)
}
