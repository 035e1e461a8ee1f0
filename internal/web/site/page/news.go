package page

import (
	"encoding/json"

	"lectern/internal/platform/events"
	"lectern/internal/teaching/status"
	"lectern/internal/usecase"
)

// News says what happened. Names of people are left to the template.
func (l *Language) News(n *usecase.News) string {
	var b struct {
		Action, State string
		Status        status.Status
		Granted       *bool
		Enrolled      bool
	}
	if err := json.Unmarshal(n.Body, &b); err != nil {
		return l.Word("news.other")
	}
	if !n.Mine {
		return l.Word("news.student-" + string(n.Kind))
	}
	switch n.Kind {
	case events.Status:
		return l.Word("news.status", l.Status(b.Status))
	case events.Extension:
		switch {
		case b.Granted == nil:
			return l.Word("news.extension")
		case *b.Granted:
			return l.Word("news.granted")
		}
		return l.Word("news.refused")
	case events.Enrolment:
		return l.Word("news." + map[bool]string{true: "enrolled", false: "withdrawn"}[b.Enrolled])
	case events.Grade:
		switch b.Action {
		case "changed":
			return l.Word("news.grade-changed")
		case "taken_back":
			return l.Word("news.grade-taken-back")
		}
		return l.Word("news.grade-published")
	case events.Document, events.Portfolio:
		return l.Word("news." + string(n.Kind) + map[bool]string{true: "-ready", false: "-failed"}[b.State == "ready"])
	}
	return l.Word("news." + string(n.Kind))
}
