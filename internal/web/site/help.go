package site

import (
	"context"
	"slices"
	"strings"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/teaching/status"
)

func (s *Server) helpRoutes() {
	page(s, "/help", policy.Anybody, "Help", s.help)
}

// meaning is a status with what it means to a student.
type meaning struct {
	Name, Words string
	Colour      status.Colour
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

func (s *Server) help(_ context.Context, who *access.Caller, _ struct{}) (*Page, error) {
	var v helpPage
	for _, st := range status.All {
		v.Meanings = append(v.Meanings, meaning{s.words.status(st), s.word("meaning." + string(st)), st.Colour()})
	}
	if who.ID == 0 || who.Role != policy.Student { // students have no desk
		v.Keys = s.deskKeys()
	}
	return s.page(who, "help", v), nil
}

// deskKeys are the keys of the marking desk.
func (s *Server) deskKeys() []helpKey {
	keys := []helpKey{{"j", s.word("help.key-next")}, {"k", s.word("help.key-before")},
		{"n", s.word("help.key-waiting")}, {"p", s.word("help.key-pin")}, {"e", s.word("help.key-comment")},
		{"1", s.word("help.key-snippet")}, {"g", s.word("help.key-grade")}}
	for _, to := range slices.Concat(verdicts, rare) {
		if to.Letter != "" {
			keys = append(keys, helpKey{to.Letter, s.word("help.key-verdict", s.words.status(to.Status))})
		}
	}
	return append(keys, helpKey{"Ctrl Enter", s.word("desk.key-send")},
		helpKey{"Ctrl Shift Enter", s.word("desk.key-repeat")}, helpKey{"Esc", s.word("desk.key-leave")},
		helpKey{"u", s.word("help.key-undo")}, helpKey{"?", s.word("help.key-all")})
}
