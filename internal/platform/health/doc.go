// Package health knows how the service is doing: what its checks found last, how long ago, and what
// to do about it. Whoever knows the checks hands them in; here they are run side by side, each bounded
// in time, so that a server elsewhere that does not answer holds nobody up.
package health
