// Package assessment holds the packages to start from, for the demo to use one of them.
package assessment

import "embed"

// TextDiff is the package in the folder text-diff.
//
//go:embed text-diff
var TextDiff embed.FS
