package site

import (
	"context"
	"slices"
	"strings"

	"lectern/internal/access"
	"lectern/internal/policy"
	"lectern/internal/status"
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
	Keys     []helpKey
}

func (s *Server) help(_ context.Context, who *access.Caller, _ struct{}) (*Page, error) {
	v := helpPage{Keys: []helpKey{{"j", word("help.key-next")}, {"k", word("help.key-before")},
		{"n", word("help.key-waiting")}, {"p", word("help.key-pin")}, {"e", word("help.key-comment")},
		{"1", word("help.key-snippet")}, {"g", word("help.key-grade")}}}
	for _, st := range status.All {
		v.Meanings = append(v.Meanings, meaning{st.Name(), word("status." + string(st)), st.Colour()})
	}
	for _, to := range slices.Concat(verdicts, rare) {
		if to.Letter != "" {
			v.Keys = append(v.Keys, helpKey{to.Letter, word("help.key-verdict", to.Name())})
		}
	}
	v.Keys = append(v.Keys, helpKey{"Ctrl Enter", word("desk.key-send")},
		helpKey{"Ctrl Shift Enter", word("desk.key-repeat")}, helpKey{"Esc", word("desk.key-leave")},
		helpKey{"u", word("help.key-undo")}, helpKey{"?", word("help.key-all")})
	return s.page(who, "help", v), nil
}
