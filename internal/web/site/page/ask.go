package page

import "lectern/internal/people/access"

// Question is asked before what cannot be taken back. A script shows its page in a dialog over the
// page that leads to it; without one it is a page of its own.
type Question struct {
	About  string // what it concerns, as people named it; empty: the words tell
	Text   string
	Action string // what the form of the answer yes is sent to
	Do     string // what the button says
	Back   string // where no leads to
}

// Ask makes the page of a question.
func (s *Site) Ask(who *access.Caller, title string, q Question) *Page {
	return s.Titled(who, "ask", title, q)
}
