package taskpart

import (
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/teaching/chart"
	"lectern/internal/teaching/insight"
	"lectern/internal/web/site/page"
)

// pictured is what the burndown of a project says.
func pictured(l *page.Language) chart.BurndownWords {
	return chart.BurndownWords{Title: l.Word("burndown.title"), Target: l.Word("burndown.target"),
		Projected: l.Word("burndown.projected"), Submitted: l.Word("burndown.submitted"), Done: l.Word("burndown.done"),
		Axis: l.Word("burndown.axis"), Today: l.Word("burndown.today"), None: l.Word("burndown.none"),
		About: l.Word("burndown.about"), Line: l.Word("burndown.line"), Point: l.Word("burndown.point"),
		Short: func(t time.Time) string { return l.Date("short", t) },
		Long:  func(t time.Time) string { return l.Date("long", t) }}
}

// burndown draws the burndown of a project, or of a class.
func burndown(l *page.Language, b *insight.Lines) chart.Figure {
	return b.Figure(pictured(l), l.Word("burndown.day"), func(d clock.Date) string { return l.Date("brief", d.Time) })
}
