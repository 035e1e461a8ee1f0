package page

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// What browsers and systems are called, by what tells them in the header User-Agent. The
// order matters: most browsers also claim to be others.
var (
	browsers = [][2]string{{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser/", "Samsung Internet"},
		{"Vivaldi/", "Vivaldi"}, {"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"}, {"Chromium/", "Chromium"},
		{"Chrome/", "Chrome"}, {"CriOS/", "Chrome"}, {"Safari/", "Safari"}}
	systems = [][2]string{{"Windows", "Windows"}, {"Android", "Android"}, {"iPhone", "iOS"}, {"iPad", "iPadOS"},
		{"Macintosh", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"}}
	program = regexp.MustCompile(`^[\w.+-]{1,40}`)
)

// device gives a short name of what somebody signed in with.
func (l *Language) device(agent string) string {
	browser := cmp.Or(called(browsers, agent), strings.TrimPrefix(program.FindString(agent), "Mozilla"))
	switch system := called(systems, agent); {
	case browser != "" && system != "":
		return l.Word("profile.on", browser, system)
	default:
		return cmp.Or(browser, system, l.Word("profile.unknown"))
	}
}

// carried are the systems of what fits into a hand.
var carried = []string{"Android", "iOS", "iPadOS"}

// deviceIcon is the picture of what somebody signed in with.
func deviceIcon(agent string) Icon {
	if slices.Contains(carried, called(systems, agent)) {
		return Icon("smartphone")
	}
	return Icon("laptop")
}

func called(names [][2]string, agent string) string {
	for _, n := range names {
		if strings.Contains(agent, n[0]) {
			return n[1]
		}
	}
	return ""
}
