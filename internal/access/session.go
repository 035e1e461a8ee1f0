package access

import (
	"time"

	"lectern/internal/clock"
	"lectern/internal/fault"
	"lectern/internal/policy"
)

// Lifetime is how long a session lasts after its start or last extension.
func Lifetime(r policy.Role, remember bool) time.Duration {
	switch {
	case remember && r == policy.Student:
		return 14 * 24 * time.Hour
	case remember && r == policy.Tutor:
		return 7 * 24 * time.Hour
	}
	return 2 * time.Hour
}

// Until tells when a session ends: at its own time, or when the longest one of the
// present role would have, whichever comes first.
func Until(expires, renewed clock.Time, r policy.Role) clock.Time {
	if most := renewed.Add(Lifetime(r, true)); most.Before(expires.Time) {
		return clock.At(most)
	}
	return expires
}

func errEnded() error { return fault.New(fault.Unknown, "Your session has ended. Sign in again.") }
