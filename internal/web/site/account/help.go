package account

import (
	"context"
	"strings"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/teaching/status"
	"lectern/internal/web/site/page"
)

func (s *room) helpRoutes() {
	page.Show(s.Site, "/help", policy.Anybody, "Help", s.help)
}

// meaning is a status with what it means to a student.
type meaning struct {
	Status status.Status
	Words  string
}

// helpKey is what a key does on the marking desk.
type helpKey struct{ Key, Words string }

// Keys are those that are pressed together.
func (k helpKey) Keys() []string { return strings.Fields(k.Key) }

// helpPage is what the help says.
type helpPage struct {
	Meanings []meaning
	Keys     []helpKey // of the marking desk; none for students
}

func (s *room) help(_ context.Context, who *access.Caller, _ struct{}) (*page.Page, error) {
	var v helpPage
	for _, st := range status.All {
		v.Meanings = append(v.Meanings, meaning{st, s.Word("meaning." + string(st))})
	}
	if who.ID == 0 || who.Role != policy.Student { // students have no desk
		for _, k := range s.Shortcuts() {
			v.Keys = append(v.Keys, helpKey(k))
		}
	}
	return s.Page(who, "help", v), nil
}
