//go:build race

package bench

func init() { raced = true }
