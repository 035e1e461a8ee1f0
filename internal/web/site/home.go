package site

import (
	"context"
	"math"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/progress"
	"lectern/internal/teaching/status"
	"lectern/internal/usecase"
)

func (s *Server) homeRoutes() {
	page(s, home, policy.SignedIn, "Home", s.home)
}

func (s *Server) home(ctx context.Context, who *access.Caller, _ struct{}) (*Page, error) {
	var h *usecase.Home
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		h, err = usecase.HomeOf(ctx, q, who)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.page(who, "home", h), nil
}

// share is a part of a bar that shows how far a project is.
type share struct {
	Colour status.Colour
	Words  string
	Pct    int
	From   int // where it begins in the bar
}

// shares are the parts of a project that are done, waiting, asked for again or in
// trouble, in this order; what nobody has begun is left out.
func (l *Language) shares(s progress.Stats) (out []share) {
	at := 0
	for _, part := range []struct {
		colour status.Colour
		value  float64
	}{{status.Green, s.Green}, {status.Blue, s.Blue}, {status.Orange, s.Orange}, {status.Red, s.Red}} {
		if pct := int(math.Round(part.value * 100)); pct > 0 {
			out = append(out, share{part.colour, l.word("share."+string(part.colour), pct), pct, at})
			at += pct
		}
	}
	return out
}
