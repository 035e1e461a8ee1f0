package usecase

import (
	"time"

	"lectern/internal/teaching/due"
	"lectern/internal/teaching/status"
)

// Owed tells whether a task waits for work of its student: it never came, or has to come again.
func Owed(st status.Status, submitted bool) bool {
	return status.Again.Has(st) || !submitted && status.ToDo.Has(st)
}

// Overdue tells whether work that a task waits for should have come already.
func Overdue(st status.Status, submitted bool, d due.Dates, now time.Time) bool {
	return Owed(st, submitted) && !d.OnTime(now)
}
