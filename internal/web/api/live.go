package api

import (
	"context"

	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
)

func (s *Server) liveRoutes() {
	endpoint.Route(s.Server, "POST /api/events/ticket", 201, policy.SignedIn, "Get a ticket for GET /api/events, "+
		"good once and for a minute", s.liveTicket,
		endpoint.Unaudited("a minute of the session that asks"))
	// Open to visitors because a ticket stands for headers; the handler asks
	// for one or the other.
	endpoint.Route(s.Server, "GET /api/events", 200, policy.Anybody,
		"Hear of new comments, changes of status and extensions on your tasks and in the units you teach, and as staff "+
			"of who begins and ceases to look at a task", s.listen,
		endpoint.Also(401, "neither headers nor a good ticket"),
		endpoint.Also(429, "the user listens too often at once"))
}

func (s *Server) liveTicket(ctx context.Context, who *access.Caller, _ none) (*usecase.LiveTicket, error) {
	return s.usecases.AddLiveTicket(ctx, who)
}

type listenIn struct {
	Ticket string `param:"ticket" doc:"instead of the headers Username and Auth_Token"`
	// Text, so that who may not listen hears that first.
	LastEventID string `param:"last_event_id" doc:"the id of the last event seen, where the header Last-Event-ID cannot be sent"`
}

// listen answers with events until the client leaves, the session ends or the
// service stops. Without the number of the last event seen they begin now.
func (s *Server) listen(ctx context.Context, who *access.Caller, in listenIn) (endpoint.Live, error) {
	who, err := s.listener(ctx, who, in.Ticket)
	if err != nil {
		return nil, err
	}
	return s.events.Listen(ctx, who, in.LastEventID)
}

// listener is who listens: by headers, or by a ticket.
func (s *Server) listener(ctx context.Context, who *access.Caller, ticket string) (*access.Caller, error) {
	if ticket != "" {
		who, err := s.usecases.UseLiveTicket(ctx, ticket)
		if fault.Is(err, fault.Unknown) {
			err = fault.New(fault.Unknown, "%s Ask for another with POST /api/events/ticket.", err)
		}
		return who, err
	}
	if who.ID == 0 {
		return nil, fault.New(fault.Unknown, "Sign in first: send the headers Username and Auth_Token, or a ticket "+
			"of POST /api/events/ticket.")
	}
	return who, nil
}
