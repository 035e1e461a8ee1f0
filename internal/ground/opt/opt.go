// Package opt is about values that may be absent: pointers whose nil means none.
package opt

// Same tells whether both are absent, or both are there and equal.
func Same[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

// Or gives the value, or another where it is absent.
func Or[T any](v *T, otherwise T) T {
	if v == nil {
		return otherwise
	}
	return *v
}

// Set assigns the value to what to points to; an absent one leaves that alone.
func Set[T any](to, v *T) {
	if v != nil {
		*to = *v
	}
}

// NonZero gives a value that is absent when v is zero.
func NonZero[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}
