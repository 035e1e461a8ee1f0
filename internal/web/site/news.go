package site

import (
	"context"
	"encoding/json"
	"strconv"

	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/platform/events"
	"lectern/internal/teaching/status"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
)

// newsAtOnce is how many news stand on a page.
const newsAtOnce = 25

func (s *Server) newsRoutes() {
	page(s, links.News, policy.SignedIn, "News", s.news)
	page(s, links.News+"/bell", policy.SignedIn, "How much is new, for the bell on every page", s.bell)
	form(s, links.News+"/read", policy.SignedIn, "Mark the news as read", s.readNews,
		endpoint.Unaudited("it only notes what was read"))
}

// newsPage is a part of somebody's news.
type newsPage struct {
	List         []newsLine
	Newest       int64  // the number up to which this page shows all
	Newer, Older string // addresses; empty where there are none
	Unread       bool
}

// newsLine is one of the news in words.
type newsLine struct {
	usecase.News
	Words string
}

func (s *Server) news(ctx context.Context, who *access.Caller, in struct {
	Page int64 `param:"page"`
}) (*Page, error) {
	at := max(in.Page, 1)
	at = min(at, 1000)
	var list []usecase.News
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		list, err = usecase.NewestOf(ctx, q, who, db.Part(newsAtOnce+1, (at-1)*newsAtOnce))
		return err
	})
	if err != nil {
		return nil, err
	}
	v := newsPage{}
	if at > 1 {
		v.Newer = links.News + "?page=" + strconv.FormatInt(at-1, 10)
	}
	if len(list) > newsAtOnce {
		v.Older = links.News + "?page=" + strconv.FormatInt(at+1, 10)
		list = list[:newsAtOnce]
	}
	for _, n := range list {
		v.List = append(v.List, newsLine{n, s.words.newsWords(&n)})
		v.Newest = max(v.Newest, n.Seq)
		v.Unread = v.Unread || n.New
	}
	return s.page(who, "news", v), nil
}

// newsWords says what happened. Names of people are left to the template.
func (l *Language) newsWords(n *usecase.News) string {
	var b struct {
		Action, State string
		Status        status.Status
		Granted       *bool
		Enrolled      bool
	}
	if err := json.Unmarshal(n.Body, &b); err != nil {
		return l.word("news.other")
	}
	if !n.Mine {
		return l.word("news.student-" + string(n.Kind))
	}
	switch n.Kind {
	case events.Status:
		return l.word("news.status", l.status(b.Status))
	case events.Extension:
		switch {
		case b.Granted == nil:
			return l.word("news.extension")
		case *b.Granted:
			return l.word("news.granted")
		}
		return l.word("news.refused")
	case events.Enrolment:
		return l.word("news." + map[bool]string{true: "enrolled", false: "withdrawn"}[b.Enrolled])
	case events.Document, events.Portfolio:
		return l.word("news." + string(n.Kind) + map[bool]string{true: "-ready", false: "-failed"}[b.State == "ready"])
	}
	return l.word("news." + string(n.Kind))
}

// bell is the part of the frame that tells how much is new.
func (s *Server) bell(_ context.Context, who *access.Caller, _ struct{}) (*Page, error) {
	return s.fragment(who, "news", bellPart, nil), nil
}

func (s *Server) readNews(ctx context.Context, who *access.Caller, in struct {
	UpTo int64 `param:"up_to"`
}) (endpoint.Drawing, error) {
	err := s.DB.Brief(ctx, func(q db.Q) error { return usecase.ReadNews(ctx, q, who, in.UpTo) })
	return endpoint.Redirect{To: links.News}, err
}
