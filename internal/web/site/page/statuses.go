package page

import (
	"maps"

	"lectern/internal/teaching/status"
)

// Look is how a status is shown everywhere: its word stands in the colours of a family, with
// an icon before it.
type Look struct {
	Family string
	Icon   Icon
}

// looks are those of all statuses; a test finds one that is forgotten.
var looks = map[status.Status]Look{
	status.NotStarted:       {"grey", Icon("circle-dashed")},
	status.WorkingOnIt:      {"grey", Icon("circle-dot")},
	status.NeedHelp:         {"violet", Icon("hand-helping")},
	status.ReadyForFeedback: {"blue", Icon("send")},
	status.Discuss:          {"teal", Icon("messages-square")},
	status.Demonstrate:      {"teal", Icon("presentation")},
	status.Complete:         {"green", Icon("circle-check-big")},
	status.FixAndResubmit:   {"orange", Icon("wrench")},
	status.Redo:             {"orange", Icon("rotate-ccw")},
	status.TimeExceeded:     {"red", Icon("timer-off")},
	status.FeedbackExceeded: {"red", Icon("circle-slash")},
	status.Fail:             {"red", Icon("circle-x")},
}

// LookOf is how a status is shown. What is none counts as not started, as in the domain.
func LookOf(st status.Status) Look {
	if look, ok := looks[st]; ok {
		return look
	}
	return looks[status.NotStarted]
}

// InBars is the family whose colour a status has in bars and charts, where no word stands
// beside it: violet and blue look the same to some people.
func (l Look) InBars() string {
	if l.Family == "violet" {
		return "blue"
	}
	return l.Family
}

// Looks are those of all statuses.
func Looks() map[status.Status]Look { return maps.Clone(looks) }
