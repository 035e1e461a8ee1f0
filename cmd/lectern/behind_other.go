//go:build !linux

package main

// behind is for Linux alone.
func behind() {}
