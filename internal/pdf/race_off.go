//go:build !race

package pdf

const addressFactor = 1
