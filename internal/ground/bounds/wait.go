package bounds

import (
	"fmt"
	"time"
)

// WaitText is how long to wait, in words such as 12 minutes. It is rounded up, so that whoever
// waits so long has waited long enough.
func WaitText(d time.Duration) string {
	count := func(unit time.Duration, name string) string {
		n := max(1, (d+unit-1)/unit)
		if n == 1 {
			return "one " + name
		}
		return fmt.Sprintf("%d %ss", n, name)
	}
	switch {
	case d <= time.Minute-time.Second:
		return count(time.Second, "second")
	case d <= time.Hour-time.Minute:
		return count(time.Minute, "minute")
	}
	return count(time.Hour, "hour")
}
