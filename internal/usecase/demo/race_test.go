//go:build race

package demo

func init() { raced = true }
