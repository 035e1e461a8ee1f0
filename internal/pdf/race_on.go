//go:build race

package pdf

// addressFactor makes room for the race detector's shadow of every byte.
const addressFactor = 24
