// Package opt compares and reads values that may be absent: pointers whose nil
// means none.
package opt

// Same tells whether both are absent, or both are there and equal.
func Same[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}
