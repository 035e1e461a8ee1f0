package marking

import (
	"context"
	"net/http"

	"lectern/internal/people/access"
	"lectern/internal/teaching/presence"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

// lookers is who else looks at a task, for the script that asks again and again.
type lookers struct {
	Others []presence.Looker `json:"others"`
	to     string
}

// Draw implements endpoint.Drawing.
func (v lookers) Draw(w http.ResponseWriter, r *http.Request, status int) {
	page.AnswerForm(w, r, status, v.to, v)
}

type deskPresenceIn struct {
	deskTaskIn
	Left bool `param:"left"`
}

// deskPresence notes that the caller looks at a task, or no longer does, and tells who
// else does.
func (s *room) deskPresence(ctx context.Context, who *access.Caller, in deskPresenceIn) (endpoint.Drawing, error) {
	out := lookers{Others: []presence.Looker{}, to: in.stay().To}
	at, err := in.ref(ctx, s.DB)
	switch {
	case err != nil:
		return nil, err
	case in.Left:
		return out, s.Usecases.StopLooking(ctx, who, at)
	}
	out.Others, err = s.Usecases.LookAtTask(ctx, who, at)
	return out, err
}
