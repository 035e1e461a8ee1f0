// Package styleguide is a page for whoever builds pages: every component with all its states,
// as it looks in the theme and on the screen at hand.
package styleguide

import (
	"context"
	"embed"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/teaching/chart"
	"lectern/internal/teaching/due"
	"lectern/internal/teaching/handover"
	"lectern/internal/teaching/progress"
	"lectern/internal/teaching/status"
	"lectern/internal/web/site/page"
	"lectern/internal/web/site/taskpart"
)

//go:embed templates components
var kit embed.FS

// Room holds the page. It is there only where the service is told to show it. What it says are
// examples in English, which stand in its templates: it is no part of what people use.
var Room = &page.Room{Kit: page.Kit{Files: kit}, Parts: []*page.Kit{&taskpart.Kit}, Open: open}

// samples are what components show that take values of the domain.
type samples struct {
	Statuses []status.Status
	Stats    progress.Stats
	Counts   map[status.Status]int
	Chart    chart.Figure
	Due      due.Dates
	Overdue  due.Dates
	Moment   clock.Time
	Day      clock.Date
	Handed   []handover.Handover // of the queue of user 1, and of that of user 2
	Source   *taskpart.Source    // a file with comments
	Few      *taskpart.SourceFiles
	Files    *taskpart.SourceFiles // so many that they are a tree
}

// handed are the queues of two tutors that are with each other's colleague.
var handed = []handover.Handover{
	{UnitID: 1, Code: "COS20007", Colleague: handover.Colleague{UserID: 1, FirstName: "Tomas", LastName: "Becker"},
		Active: true,
		Until:  sampleDay(17), Staff: []handover.Colleague{{UserID: 2, FirstName: "Priya", LastName: "Raman"}}},
	{UnitID: 1, Code: "COS20007", Colleague: handover.Colleague{UserID: 2, FirstName: "Priya", LastName: "Raman"},
		Active: true,
		Until:  sampleDay(20), Staff: []handover.Colleague{{UserID: 1, FirstName: "Tomas", LastName: "Becker"}}},
}

// aChart is one with bars of which the last is over target.
var aChart = chart.WaitingAges{Promise: "Target 3 days",
	Words: chart.AgesWords{Title: "Waiting now", Axis: "Submissions", None: "Nothing is waiting.",
		About: "%d submissions: %s", Late: "%s, over target", Age: "Waiting", Tasks: "Submissions"},
	Ages: []chart.Age{{Days: "Under 1 day", Tasks: 12}, {Days: "1 to 3 days", Tasks: 7}, {Days: "Over 3 days", Tasks: 2,
		Late: true}}}

func open(s *page.Site) {
	if !s.Styleguide {
		return
	}
	page.Show(s, "/styleguide", policy.Anybody, "Styleguide",
		func(_ context.Context, who *access.Caller, _ struct{}) (*page.Page, error) {
			return s.Titled(who, "styleguide", "Styleguide", samples{Statuses: status.All, Due: sample(17, 17),
				Overdue: sample(13, 20), Moment: clock.At(sampleDay(13).Time), Day: sampleDay(13), Chart: aChart.Figure(),
				Handed: handed, Source: file(s.Words), Few: filesOf(3), Files: filesOf(12),
				Counts: map[status.Status]int{status.Complete: 11, status.Discuss: 2, status.ReadyForFeedback: 3,
					status.FixAndResubmit: 1, status.NotStarted: 7},
				Stats: progress.Stats{Green: .46, Blue: .21, Orange: .08, Red: .04, Grey: .21}}), nil
		})
}

// sample are dates of a task. They are of long ago, so that the page looks the same every day.
func sample(target, deadline int) due.Dates {
	return due.Dates{Target: sampleDay(target), Deadline: sampleDay(deadline), Zone: time.UTC}
}

func sampleDay(day int) clock.Date { return clock.On(2020, time.November, day) }
