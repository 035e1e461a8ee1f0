package app

import (
	"runtime/debug"
	"strings"
)

// What a release is built with: go build -ldflags "-X lectern/internal/app.release=1.4.0
// -X lectern/internal/app.commit=… -X lectern/internal/app.date=…". Without them, what the
// compiler found in the working tree counts.
var release, commit, date string

// Version is the program's version, dev where it was not built for a release.
var Version = Built().Version

// Build tells which program this is.
type Build struct {
	Version string
	Commit  string // empty where it is not known
	Date    string // of the commit, or of the build for a release
	Go      string
}

// Built is what is known of this program.
func Built() Build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return built(info, Build{Version: release, Commit: commit, Date: date})
}

// built fills in from the compiler's notes what the build did not say.
func built(info *debug.BuildInfo, b Build) Build {
	b.Go = info.GoVersion
	tag, isTag := strings.CutPrefix(info.Main.Version, "v")
	if b.Version == "" && isTag && !strings.HasPrefix(tag, "0.0.0-") { // which is no tag, but a commit
		b.Version = tag
	}
	if b.Version == "" {
		b.Version = "dev"
	}
	notes := map[string]string{}
	for _, s := range info.Settings {
		notes[s.Key] = s.Value
	}
	if b.Commit == "" && notes["vcs.revision"] != "" {
		b.Commit = notes["vcs.revision"]
		if notes["vcs.modified"] == "true" {
			b.Commit += ", changed"
		}
	}
	if b.Date == "" {
		b.Date = notes["vcs.time"]
	}
	return b
}

// String is what lectern version prints.
func (b Build) String() string {
	text := "lectern " + b.Version
	for _, line := range []struct{ name, value string }{{"commit ", b.Commit}, {"date ", b.Date}, {"", b.Go}} {
		if line.value != "" {
			text += "\n" + line.name + line.value
		}
	}
	return text
}
