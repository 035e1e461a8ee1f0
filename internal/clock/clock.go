// Package clock tells the time, and lets a test tell it instead.
package clock

import "time"

// Clock gives the present moment. The zero value is not usable; take Real.
type Clock func() time.Time

// Real is the machine's clock, in UTC and to the millisecond the service
// stores and shows, so that what is written equals what is read back.
func Real() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

// Date is a calendar day at midnight UTC.
func Date(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) }
