package site

import (
	"context"

	"lectern/internal/people/ident"
	"lectern/internal/usecase"
	"lectern/internal/web/httpserver"
)

// bellPart is the part of the frame that a script renews by itself.
const bellPart = "bell"

// around reads what stands around a page. A page without it is better than none.
func (p *Page) around(ctx context.Context) {
	p.Frame = &usecase.Frame{}
	if !p.SignedIn() || p.Me.Enrolling || p.part != "" && p.part != bellPart {
		return
	}
	f, err := p.frame(ctx)
	if ctx.Err() != nil {
		return // whoever asked is gone
	}
	if err != nil {
		p.site.HTTP.Log.ErrorContext(ctx, "the frame of a page cannot be read", "request_id",
			httpserver.RequestID(ctx), "err", err)
		return
	}
	p.Frame = f
}

// frame reads what stands around a page. Whoever looks as a student does keeps the theme
// of their own pages, and nothing around the page leads out of the view.
func (p *Page) frame(ctx context.Context) (*usecase.Frame, error) {
	if p.View() == nil {
		return usecase.FrameOf(ctx, p.site.DB.Pool(), p.Me)
	}
	likes, err := ident.PreferencesOf(ctx, p.site.DB.Pool(), p.Me.Actor())
	if err != nil {
		return nil, err
	}
	return &usecase.Frame{Preferences: *likes}, nil
}

// Many tells that there are more unread news than are counted.
func (p *Page) Many() bool { return p.Frame.Unread >= usecase.MostUnread }

// Places tells how full the line is that leads to places: some of them fit on a wide
// screen only, many on none; "" where they fit.
func (p *Page) Places() string {
	switch n := len(p.Frame.Projects); {
	case n > 5:
		return "many"
	case n > 2:
		return "some"
	}
	return ""
}

// Here tells whether a path is the one of this page, or above it.
func (p *Page) Here(path string) bool { return p.path == path }
