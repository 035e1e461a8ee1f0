package account

import (
	"cmp"
	"context"
	"strconv"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

// newsAtOnce is how many news stand on a page.
const newsAtOnce = 50

func (s *room) newsRoutes() {
	page.Show(s.Site, links.News, policy.SignedIn, "News", s.news, endpoint.Asks(policy.ReadTask))
	page.Show(s.Site, links.News+"/bell", policy.SignedIn, "How much is new, for the bell on every page", s.bell)
	page.Form(s.Site, links.News+"/read", policy.SignedIn, "Mark the news as read", s.readNews,
		endpoint.Unaudited("it only notes what was read"))
}

// newsPage is a part of somebody's news.
type newsPage struct {
	Days         []page.NewsDay
	Newest       int64  // the number up to which this page shows all
	Newer, Older string // addresses; empty where there are none
	Unread       bool
}

func (s *room) news(ctx context.Context, who *access.Caller, in struct {
	Page int64 `param:"page"`
}) (*page.Page, error) {
	at := max(in.Page, 1)
	at = min(at, 1000)
	var list []usecase.News
	var prefer *ident.Preferences
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if prefer, err = ident.PreferencesOf(ctx, q, who.ID); err != nil {
			return err
		}
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
	v.Days = s.Words.NewsDays(list, cmp.Or(clock.Zone(prefer.TimeZone), time.UTC), s.DB.Now().Time)
	for _, n := range list {
		v.Newest = max(v.Newest, n.Seq)
		v.Unread = v.Unread || n.New
	}
	return s.Page(who, "news", v), nil
}

// bell is the part of the frame that tells how much is new.
func (s *room) bell(_ context.Context, who *access.Caller, _ struct{}) (*page.Page, error) {
	return s.Fragment(who, "news", page.BellPart, nil), nil
}

func (s *room) readNews(ctx context.Context, who *access.Caller, in struct {
	UpTo int64 `param:"up_to"`
}) (endpoint.Drawing, error) {
	return endpoint.Redirect{To: links.News}, s.Usecases.ReadNews(ctx, who, in.UpTo)
}
