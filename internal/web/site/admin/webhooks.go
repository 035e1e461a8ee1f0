package admin

import (
	"context"
	"errors"
	"html/template"
	"maps"
	"slices"

	"lectern/internal/connect/webhook"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/events"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

func (s *room) webhookRoutes() {
	kept := endpoint.Audited(audit.Webhook)
	see := endpoint.Asks(policy.SeeWebhooks)
	page.Show(s.Site, links.AdminWebhooks, policy.SeeWebhooks, "The webhooks, and how their deliveries stand", s.webhooks)
	page.Form(s.Site, links.AdminWebhooks, policy.ManageWebhooks, "Add a webhook", s.addWebhook, kept, see)
	page.Show(s.Site, links.AdminWebhook, policy.SeeWebhooks, "A webhook", s.webhook)
	page.Form(s.Site, links.AdminWebhook, policy.ManageWebhooks, "Change a webhook", s.changeWebhook, kept, see)
	page.Form(s.Site, links.AdminWebhook+"/active", policy.ManageWebhooks, "Pause a webhook, or end the pause",
		s.pauseWebhook, kept)
	page.Form(s.Site, links.AdminWebhook+"/secret", policy.ManageWebhooks, "Give a webhook a new secret, shown once",
		s.newSecret, kept, see)
	page.Form(s.Site, links.AdminWebhook+"/retry", policy.ManageWebhooks, "Send what the receiver did not take again",
		s.retryWebhook, kept)
	page.Form(s.Site, links.AdminWebhook+"/test", policy.ManageWebhooks, "Send a webhook a test delivery", s.testWebhook,
		kept, see)
	page.Show(s.Site, links.AdminWebhook+"/delete", policy.SeeWebhooks, "Ask before a webhook is deleted", s.askWebhook)
	page.Form(s.Site, links.AdminWebhook+"/delete", policy.ManageWebhooks, "Delete a webhook", s.deleteWebhook, kept)
}

// hookForm is what the fields of a webhook hold, as it is typed.
type hookForm struct {
	URL   string        `param:"url"`
	Kinds webhook.Kinds `param:"kinds"`
}

// webhooksPage lists the webhooks, and has the form of a new one.
type webhooksPage struct {
	List  template.HTML // what hookLines drew
	Typed hookForm
	Kinds []option
	Wrong map[string]string
	Done  string // what was done, just now
}

type webhooksIn struct {
	Deleted bool `param:"deleted"`
}

func (s *room) webhooks(ctx context.Context, who *access.Caller, in webhooksIn) (*page.Page, error) {
	v := &webhooksPage{}
	if in.Deleted {
		v.Done = s.Word("webhooks.deleted")
	}
	return s.webhookList(ctx, who, v)
}

func (s *room) webhookList(ctx context.Context, who *access.Caller, v *webhooksPage) (p *page.Page, err error) {
	list, err := webhook.List(ctx, s.DB.Pool())
	v.List = s.hookLines(list)
	v.Kinds = s.eventOptions(v.Typed.Kinds)
	return s.Titled(who, "webhooks", s.Word("webhooks.title"), v), err
}

// hookLines draws webhooks as the rows of a list.
func (s *room) hookLines(list []webhook.Webhook) template.HTML {
	var r page.Rows
	delivered, never := s.Word("webhooks.delivered"), s.Word("webhooks.never")
	for i := range list {
		h := &list[i]
		r.Put(`<li><div class="grow"><a class="title" href="%s"><bdi>%s</bdi></a><div class="meta">`,
			links.To(links.AdminWebhook, h.ID), h.URL)
		if h.DeliveredAt != nil {
			r.Put(`<span>%s <time datetime="%s" data-as="near"></time></span>`, delivered, h.DeliveredAt.String())
		} else {
			r.Put(`<span>%s</span>`, never)
		}
		if h.Missed > 0 {
			r.Put(` <span>%s</span>`, s.Word("webhooks.missed", h.Missed))
		}
		if r.Put(`</div>`); h.LastError != nil {
			r.Put(`<p class="small why"><bdi>%s</bdi></p>`, *h.LastError)
		}
		r.Put(`</div>`)
		r.Add(s.hookState(h))
		r.Put("</li>\n")
	}
	return r.HTML()
}

// hookState is how the deliveries of a webhook stand, in a badge.
func (s *room) hookState(h *webhook.Webhook) template.HTML {
	switch {
	case !h.Active:
		return s.Badge(page.Icon("circle-slash"), "", s.Word("webhooks.paused"))
	case h.Failures > 0:
		return s.Badge(page.Icon("circle-x"), "red", s.Word("webhooks.failing", h.Failures))
	case h.Behind > 0:
		return s.Badge(page.Icon("clock"), "orange", s.Word("webhooks.behind", h.Behind))
	}
	return s.Badge(page.Icon("check"), "green", s.Word("webhooks.well"))
}

// eventOptions are the kinds of events to choose from.
func (s *room) eventOptions(chosen webhook.Kinds) (list []option) {
	for _, k := range events.Kinds() {
		list = append(list, option{string(k), s.Word(eventKey(k)), slices.Contains(chosen, k)})
	}
	return list
}

// addWebhook registers a webhook. Its secret is on the page that this answers with, and nowhere else.
func (s *room) addWebhook(ctx context.Context, who *access.Caller, in hookForm) (endpoint.Drawing, error) {
	none := ""
	h, err := s.Usecases.AddWebhook(ctx, webhook.Change{URL: &in.URL, Secret: &none, Kinds: &in.Kinds})
	if err != nil {
		p, failed := s.webhookList(ctx, who, &webhooksPage{Typed: in, Wrong: wrongFields(err)})
		if failed != nil {
			return nil, failed
		}
		return s.Again(p, err)
	}
	return s.showWebhook(ctx, who, &webhookPage{Webhook: h, Done: s.Word("webhooks.added")})
}

// wrongFields are what an error says of fields, by their names.
func wrongFields(err error) map[string]string {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return nil
	}
	return maps.Clone(e.Fields)
}

type webhookIn struct {
	ID      int64 `path:"id"`
	Saved   bool  `param:"saved"`
	Retried bool  `param:"retried"`
	Failed  bool  `param:"failed"` // only the deliveries that failed
	Page    int64 `param:"page"`
}

// webhookPage is a webhook, with what was sent to it.
type webhookPage struct {
	*webhook.Webhook
	State template.HTML // how its deliveries stand
	part
	Rows   template.HTML // of what was sent
	Failed bool          // only what failed is listed
	At     string
	Typed  hookForm
	Events []option
	Wrong  map[string]string
	Tried  *webhook.Tried
	Done   string
}

// Toggle is the other value of what narrows the list to failures.
func (v *webhookPage) Toggle() string {
	if v.Failed {
		return ""
	}
	return "true"
}

func (s *room) webhook(ctx context.Context, who *access.Caller, in webhookIn) (*page.Page, error) {
	h, err := webhook.ByID(ctx, s.DB.Pool(), in.ID)
	if err != nil {
		return nil, err
	}
	v := &webhookPage{Webhook: h, Failed: in.Failed, part: part{Page: in.Page}}
	switch {
	case in.Saved:
		v.Done = s.Word("webhooks.saved")
	case in.Retried:
		v.Done = s.Word("webhooks.retried")
	}
	return s.showWebhook(ctx, who, v)
}

// showWebhook is the page of a webhook, with the fields as they were typed where they were.
func (s *room) showWebhook(ctx context.Context, who *access.Caller, v *webhookPage) (*page.Page, error) {
	if v.Typed.URL == "" && v.Wrong == nil {
		v.Typed = hookForm{v.URL, v.Kinds}
	}
	v.State = s.hookState(v.Webhook)
	v.At, v.Events = links.To(links.AdminWebhook, v.ID), s.eventOptions(v.Typed.Kinds)
	query := filled()
	if v.Failed {
		query.Set("failed", "true")
	}
	v.part = newPart(v.Page, v.At, query)
	p := s.Titled(who, "webhook", s.Word("webhooks.one"), v)
	p.Within = &page.Crumb{Words: s.Word("webhooks.title"), Path: links.AdminWebhooks}
	return p, s.DB.View(ctx, func(q db.Q) error {
		list, total, err := webhook.Deliveries(ctx, q, v.ID, v.Failed, v.rows())
		v.Total, v.Rows = total, s.deliveryLines(list, v.At, v.Active)
		return err
	})
}

type changeWebhookIn struct {
	ID int64 `path:"id"`
	hookForm
}

func (s *room) changeWebhook(ctx context.Context, who *access.Caller, in changeWebhookIn) (endpoint.Drawing, error) {
	_, err := s.Usecases.ChangeWebhook(ctx, in.ID, webhook.Change{URL: &in.URL, Kinds: &in.Kinds})
	if err == nil {
		return endpoint.Redirect{To: links.To(links.AdminWebhook, in.ID) + "?saved=true"}, nil
	}
	h, failed := webhook.ByID(ctx, s.DB.Pool(), in.ID)
	if failed != nil {
		return nil, failed
	}
	wrong := wrongFields(err)
	if wrong == nil {
		wrong = map[string]string{}
	}
	p, failed := s.showWebhook(ctx, who, &webhookPage{Webhook: h, Typed: in.hookForm, Wrong: wrong})
	if failed != nil {
		return nil, failed
	}
	return s.Again(p, err)
}

type pauseWebhookIn struct {
	ID     int64 `path:"id"`
	Active bool  `param:"active"`
}

func (s *room) pauseWebhook(ctx context.Context, _ *access.Caller, in pauseWebhookIn) (endpoint.Drawing, error) {
	if _, err := s.Usecases.ChangeWebhook(ctx, in.ID, webhook.Change{Active: &in.Active}); err != nil {
		return nil, err
	}
	return endpoint.Redirect{To: links.To(links.AdminWebhook, in.ID) + "?saved=true"}, nil
}

func (s *room) retryWebhook(ctx context.Context, _ *access.Caller, in oneWebhook) (endpoint.Drawing, error) {
	if _, err := s.Usecases.RetryWebhook(ctx, in.ID); err != nil {
		return nil, err
	}
	return endpoint.Redirect{To: links.To(links.AdminWebhook, in.ID) + "?retried=true"}, nil
}

type oneWebhook struct {
	ID int64 `path:"id"`
}

// newSecret answers with the page that shows the secret, which no address leads to.
func (s *room) newSecret(ctx context.Context, who *access.Caller, in oneWebhook) (endpoint.Drawing, error) {
	none := ""
	h, err := s.Usecases.ChangeWebhook(ctx, in.ID, webhook.Change{Secret: &none})
	if err != nil {
		return nil, err
	}
	return s.showWebhook(ctx, who, &webhookPage{Webhook: h, Done: s.Word("webhooks.secret-made")})
}

func (s *room) testWebhook(ctx context.Context, who *access.Caller, in oneWebhook) (endpoint.Drawing, error) {
	tried, err := s.Usecases.TryWebhook(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	h, err := webhook.ByID(ctx, s.DB.Pool(), in.ID)
	if err != nil {
		return nil, err
	}
	return s.showWebhook(ctx, who, &webhookPage{Webhook: h, Tried: tried})
}

func (s *room) askWebhook(ctx context.Context, who *access.Caller, in oneWebhook) (*page.Page, error) {
	h, err := webhook.ByID(ctx, s.DB.Pool(), in.ID)
	if err != nil {
		return nil, err
	}
	at := links.To(links.AdminWebhook, in.ID)
	return s.Ask(who, s.Word("webhooks.delete-title"), page.Question{About: h.URL, Text: s.Word("webhooks.delete-text"),
		Action: at + "/delete", Do: s.Word("webhooks.delete"), Back: at}), nil
}

func (s *room) deleteWebhook(ctx context.Context, _ *access.Caller, in oneWebhook) (endpoint.Drawing, error) {
	if err := s.Usecases.DeleteWebhook(ctx, in.ID); err != nil {
		return nil, err
	}
	return endpoint.Redirect{To: links.AdminWebhooks + "?deleted=true"}, nil
}
