package app

import (
	"runtime/debug"
	"testing"
)

func TestTheVersionIsThatOfTheBuildOrOfTheTag(t *testing.T) {
	notes := []debug.BuildSetting{{Key: "vcs.revision", Value: "44a325f"},
		{Key: "vcs.time", Value: "2026-11-16T08:00:00Z"}}
	changed := append(notes[:2:2], debug.BuildSetting{Key: "vcs.modified", Value: "true"})
	for _, c := range []struct {
		what   string
		module string
		notes  []debug.BuildSetting
		given  Build
		want   string
	}{
		{"a release", "(devel)", notes, Build{Version: "1.4.0", Commit: "abc", Date: "2026-12-01"},
			"lectern 1.4.0\ncommit abc\ndate 2026-12-01\ngo1.26"},
		{"a tag", "v1.4.0", notes, Build{}, "lectern 1.4.0\ncommit 44a325f\ndate 2026-11-16T08:00:00Z\ngo1.26"},
		{"no tag", "v0.0.0-20261116080000-44a325f+dirty", changed, Build{},
			"lectern dev\ncommit 44a325f, changed\ndate 2026-11-16T08:00:00Z\ngo1.26"},
		{"no repository", "(devel)", nil, Build{}, "lectern dev\ngo1.26"},
	} {
		info := &debug.BuildInfo{GoVersion: "go1.26", Main: debug.Module{Version: c.module}, Settings: c.notes}
		if got := built(info, c.given).String(); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}
