package site

import (
	"context"

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

func (s *Server) help(_ context.Context, who *access.Caller, _ struct{}) (*Page, error) {
	var list []meaning
	for _, st := range status.All {
		list = append(list, meaning{st.Name(), word("status." + string(st)), st.Colour()})
	}
	return s.page(who, "help", list), nil
}
