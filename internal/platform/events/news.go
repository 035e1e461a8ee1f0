package events

import "encoding/json"

// For what students and staff get as news. Staff hear of what students do; what is
// theirs alone, such as final grades, is no news to students until it is published.
var (
	ForStudents = []Kind{Status, Submission, Comment, Enrolment, Extension, Review, Document, Portfolio, MarkedCopy,
		Assessment, Announcement, Grade}
	ForStaff = []Kind{Submission, Comment, Extension, Review}
)

// isNews tells whether an event with this body is one that people want to be told
// of, and not a step on the way.
func isNews(k Kind, body []byte) bool {
	var b struct {
		Action, Type, State string
		Status              string
	}
	if json.Unmarshal(body, &b) != nil { // not an object: nothing a person is told
		return false
	}
	switch k {
	case Comment:
		return (b.Action == "created" || b.Action == "replied") && b.Type != "status" && b.Type != "assessment"
	case Extension:
		return b.Action == "created" || b.Action == "assessed"
	case Document, Portfolio:
		return b.State == "ready" || b.State == "failed"
	case Assessment:
		return b.Status == "done" || b.Status == "failed"
	}
	return k != Grade || b.Action != "" // that a student sees it, not that the staff gave it
}
