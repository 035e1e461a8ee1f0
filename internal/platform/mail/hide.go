package mail

import "regexp"

// anAddress finds what looks like a mail address. Versions of modules in the trace of a panic
// (sqlite@v1.2.3) do not.
var anAddress = regexp.MustCompile(`[\p{L}\p{N}._%+'=~-]+@(?:[\p{L}\p{N}-]+\.)*(?:xn--[a-z0-9-]+|\p{L}{2,})`)

// HideAddresses takes mail addresses out of a text that is kept or logged: what a server says of
// an email it refuses names whom it is for.
func HideAddresses(text string) string { return anAddress.ReplaceAllString(text, "[address]") }

// discreet is an error that tells no address.
type discreet struct{ error }

func (d discreet) Error() string { return HideAddresses(d.error.Error()) }

// Unwrap gives the error itself, for Permanent.
func (d discreet) Unwrap() error { return d.error }
