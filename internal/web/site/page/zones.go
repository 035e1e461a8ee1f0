package page

import (
	"html/template"
	"strings"
	"sync"

	"lectern/internal/ground/clock"
)

// zoneOptions are the zones to choose from. There are hundreds, so they are written once.
var zoneOptions = sync.OnceValue(func() string {
	return "<option>" + strings.Join(clock.Zones(), "</option><option>") + "</option>"
})

// ZoneOptions are the time zones to choose from, and the one that is chosen among them; empty: none is.
func ZoneOptions(chosen string) template.HTML {
	all, own := zoneOptions(), template.HTMLEscapeString(chosen)
	if own != "" {
		plain, marked := "<option>"+own+"</option>", "<option selected>"+own+"</option>"
		if !strings.Contains(all, plain) {
			all += plain
		}
		all = strings.Replace(all, plain, marked, 1)
	}
	return template.HTML(all) //nolint:gosec // names of our own list, and one that is escaped
}
