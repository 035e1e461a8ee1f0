package api

import (
	"context"

	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
)

// usualNews is how many news are listed where the caller names no limit.
const usualNews = 50

func (s *Server) newsRoutes() {
	endpoint.Route(s.Server, "GET /api/news", 200, policy.SignedIn, "List what is new for you, newest first: on your "+
		"own work, and from students in the units you teach", s.news)
	endpoint.Route(s.Server, "GET /api/news/unread", 200, policy.SignedIn, "Count the news you have not read, up to "+
		"a hundred", s.unreadNews)
	endpoint.Route(s.Server, "POST /api/news/read", 204, policy.SignedIn, "Mark your news as read, all or up to one "+
		"of them", s.readNews, endpoint.Unaudited("it only notes what was read"))
}

func (s *Server) news(ctx context.Context, who *access.Caller, in paging) (endpoint.List[usecase.News], error) {
	p, err := in.bounded(usualNews)
	if err != nil {
		return endpoint.List[usecase.News]{}, err
	}
	return view(ctx, s.db, func(q db.Q) (endpoint.List[usecase.News], error) {
		list, total, err := usecase.NewsOf(ctx, q, who, p)
		return endpoint.Listed(list, total), err
	})
}

type unreadOut struct {
	Unread int64 `json:"unread"`
	More   bool  `json:"more"` // there may be more than were counted
}

func (s *Server) unreadNews(ctx context.Context, who *access.Caller, _ none) (*unreadOut, error) {
	return view(ctx, s.db, func(q db.Q) (*unreadOut, error) {
		n, err := usecase.UnreadNews(ctx, q, who)
		return &unreadOut{n, n == usecase.MostUnread}, err
	})
}

type readNewsIn struct {
	UpTo int64 `param:"up_to" doc:"the seq of the newest news that was shown; all without it"`
}

func (s *Server) readNews(ctx context.Context, who *access.Caller, in readNewsIn) (endpoint.NoContent, error) {
	if in.UpTo < 0 {
		return endpoint.NoContent{}, fault.Field(fault.Invalid, "up_to", "must be the seq of a notification")
	}
	return endpoint.NoContent{}, s.usecases.ReadNews(ctx, who, in.UpTo)
}
