package page

import (
	"context"

	"lectern/internal/ground/links"
	"lectern/internal/usecase"
	"lectern/internal/web/httpserver"
)

// BellPart is the part of the frame that a script renews by itself.
const BellPart = "bells"

// around reads what stands around a page. A page without it is better than none.
func (p *Page) around(ctx context.Context) {
	p.Frame = &usecase.Frame{}
	if !p.SignedIn() || p.Me.Enrolling || p.part != "" && p.part != BellPart {
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
	return usecase.FrameOfView(ctx, p.site.DB.Pool(), p.Me)
}

// Many tells that there are more unread news than are counted.
func (p *Page) Many() bool { return p.Frame.Unread >= usecase.MostUnread }

// Here tells whether a path is the one of this page.
func (p *Page) Here(path string) bool { return p.path == path }

// Find is where the page stands that searches: for whoever looks at a project as its student
// does, that of the project.
func (p *Page) Find() string {
	if v := p.View(); v != nil {
		return links.To(links.ProjectSearch, v.ProjectID)
	}
	return links.Search
}

// Scheme is the brightness a browser paints before a style is there: that of the chosen theme,
// so that no other one flashes up.
func (p *Page) Scheme() string {
	if t := p.Frame.Theme; t == "light" || t == "dark" {
		return string(t)
	}
	return "light dark"
}
