//go:build race

package dbtest

import "runtime/debug"

// The race detector makes collecting garbage dear, and a process of tests holds little: it is done less often.
func init() { debug.SetGCPercent(400) }
