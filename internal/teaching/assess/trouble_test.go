package assess

import (
	"fmt"
	"testing"

	"lectern/internal/platform/container"
)

// Whatever an engine says, no path of a server is in what the staff read of it; what
// helps them is.
func TestWhatAnEngineSaysShowsNoPathOfAServer(t *testing.T) {
	for said, want := range map[string]string{
		"dial unix /run/podman/podman.sock: connect: no such file": "dial unix …: connect: no such file",
		`open "/var/lib/x y": denied`:                              `open "… y": denied`,
		"unix:///run/a.sock is away":                               "unix://… is away",
		"overlay@[/var/lib/containers+/run/containers]box":         "overlay@[…+…]box",
		"mount /a/b:/c/d (/e)":                                     "mount …:… (…)",
		"/etc/x\n/etc/y":                                           "…\n…",
		`exec: "/bin/sh": stat /bin/sh: no such file`:              `exec: "/bin/sh": stat /bin/sh: no such file`,
		"pinging registry.example.edu/a/b:1: Get \"https://registry.example.edu/v2/\": lookup registry.example.edu: " +
			"no such host": "pinging registry.example.edu/a/b:1: Get \"https://registry.example.edu/v2/\": lookup " +
			"registry.example.edu: no such host",
		"127.0.0.1:5000/x: manifest unknown": "127.0.0.1:5000/x: manifest unknown",
	} {
		if got := engineText(&container.Refused{Status: 500, Text: said}); got != want {
			t.Errorf("%q became %q", said, got)
		}
	}
	down := fmt.Errorf("%w: dial unix /run/engine.sock: connect: connection refused", container.ErrUnavailable)
	if got := engineText(down); got != "The container engine does not answer." {
		t.Error(got)
	}
}
