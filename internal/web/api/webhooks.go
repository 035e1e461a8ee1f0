package api

import (
	"context"

	"lectern/internal/connect/webhook"
	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/events"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

func (s *Server) webhookRoutes() {
	refused := endpoint.Also(422, "the url is none that may be used, or the secret is too short")
	endpoint.Route(s.Server, "GET /api/admin/webhooks", 200, policy.SeeWebhooks, "List the webhooks and how their "+
		"deliveries stand", s.listHooks)
	endpoint.Route(s.Server, "GET /api/admin/webhooks/{id}", 200, policy.SeeWebhooks, "Get a webhook", s.getHook)
	endpoint.Route(s.Server, "POST /api/admin/webhooks", 201, policy.ManageWebhooks, "Register a webhook", s.addHook,
		endpoint.Audited(audit.Webhook),
		endpoint.Location("/api/admin/webhooks/{.id}"), refused, endpoint.Also(409, "there are too many webhooks"))
	endpoint.Route(s.Server, "PUT /api/admin/webhooks/{id}", 200, policy.ManageWebhooks, "Change a webhook",
		s.changeHook,
		endpoint.Audited(audit.Webhook), refused)
	endpoint.Route(s.Server, "DELETE /api/admin/webhooks/{id}", 204, policy.ManageWebhooks, "Delete a webhook",
		s.deleteHook,
		endpoint.Audited(audit.Webhook))
	endpoint.Route(s.Server, "POST /api/admin/webhooks/{id}/test", 200, policy.ManageWebhooks,
		"Send a webhook a delivery about nothing, and tell what became of it", s.tryHook, endpoint.Audited(audit.Webhook),
		endpoint.Also(503, "the installation is paused and calls no other service"))
	endpoint.Route(s.Server, "GET /api/admin/webhooks/{id}/deliveries", 200, policy.SeeWebhooks,
		"List what was sent to a webhook and what came of it, newest first", s.deliveries)
	endpoint.Route(s.Server, "POST /api/admin/webhooks/{id}/retry", 200, policy.ManageWebhooks,
		"Send what the receiver did not take again at once", s.retryHook, endpoint.Audited(audit.Webhook),
		endpoint.Also(409, "nothing waits to be sent again, or the webhook is paused"))
	endpoint.Route(s.Server, "GET /api/admin/event_log", 200, policy.SeeWebhooks, "Read what happened, oldest "+
		"first, as webhooks get it", s.eventLog)
}

func (s *Server) listHooks(ctx context.Context, _ *access.Caller, in paging) (endpoint.List[webhook.Webhook], error) {
	list, err := webhook.List(ctx, s.db.Pool())
	return short(in, list, err)
}

func (s *Server) getHook(ctx context.Context, _ *access.Caller, in byID) (*webhook.Webhook, error) {
	return webhook.ByID(ctx, s.db.Pool(), in.ID)
}

type addHookIn struct {
	URL    string                    `param:"url,required" doc:"where events are sent"`
	Secret string                    `param:"secret" doc:"signs what is sent; one is made and shown once when absent"`
	Kinds  params.Opt[webhook.Kinds] `param:"kinds" doc:"the events to send; all when absent"`
	Active params.Opt[bool]          `param:"active" doc:"true when absent"`
}

func (s *Server) addHook(ctx context.Context, _ *access.Caller, in addHookIn) (*webhook.Webhook, error) {
	return s.usecases.AddWebhook(ctx, webhook.Change{URL: &in.URL, Secret: &in.Secret, Kinds: in.Kinds.Ptr(),
		Active: in.Active.Ptr()})
}

type changeHookIn struct {
	ID     int64                     `path:"id"`
	URL    params.Opt[string]        `param:"url"`
	Secret params.Opt[string]        `param:"secret" doc:"empty: make a new one, shown once"`
	Kinds  params.Opt[webhook.Kinds] `param:"kinds" null:"clears" doc:"an empty list: all"`
	Active params.Opt[bool]          `param:"active"`
}

func (s *Server) changeHook(ctx context.Context, _ *access.Caller, in changeHookIn) (*webhook.Webhook, error) {
	return s.usecases.ChangeWebhook(ctx, in.ID, webhook.Change{URL: in.URL.Ptr(), Secret: in.Secret.Ptr(),
		Kinds: orNone(in.Kinds, webhook.Kinds{}), Active: in.Active.Ptr()})
}

func (s *Server) deleteHook(ctx context.Context, _ *access.Caller, in byID) (endpoint.NoContent, error) {
	return endpoint.NoContent{}, s.usecases.DeleteWebhook(ctx, in.ID)
}

func (s *Server) tryHook(ctx context.Context, _ *access.Caller, in byID) (*webhook.Tried, error) {
	return s.usecases.TryWebhook(ctx, in.ID)
}

type deliveriesIn struct {
	ID     int64             `path:"id"`
	Failed bool              `param:"failed" doc:"only what failed at least once"`
	Limit  params.Opt[int64] `param:"limit" doc:"at most so many; 100 when absent"`
	Offset params.Opt[int64] `param:"offset"`
}

func (s *Server) deliveries(ctx context.Context, _ *access.Caller, in deliveriesIn) (endpoint.List[webhook.Delivery],
	error) {
	p, err := paging{in.Limit, in.Offset}.bounded(100)
	if err != nil {
		return endpoint.List[webhook.Delivery]{}, err
	}
	var total int64
	list, err := view(ctx, s.db, func(q db.Q) (list []webhook.Delivery, err error) {
		list, total, err = webhook.Deliveries(ctx, q, in.ID, in.Failed, p)
		return list, err
	})
	return endpoint.Listed(list, total), err
}

func (s *Server) retryHook(ctx context.Context, _ *access.Caller, in byID) (*webhook.Webhook, error) {
	return s.usecases.RetryWebhook(ctx, in.ID)
}

type eventLogIn struct {
	After int64             `param:"after" doc:"the number of the last event seen; from the oldest kept when absent"`
	Limit params.Opt[int64] `param:"limit" doc:"at most so many; 100 when absent"`

	Newest bool        `param:"newest" doc:"the newest first, those before a number"`
	Before int64       `param:"before" doc:"with newest, only events of lower numbers"`
	Kind   events.Kind `param:"kind" enum:"" doc:"with newest, only events of this kind"`
	UnitID int64       `param:"unit_id" doc:"with newest, only events of this unit"`
}

func (s *Server) eventLog(ctx context.Context, _ *access.Caller, in eventLogIn) ([]events.Event, error) {
	p, err := paging{Limit: in.Limit}.bounded(100)
	if err != nil {
		return nil, err
	}
	if in.Newest {
		return events.Newest(ctx, s.db.Pool(), events.Choice{Kind: in.Kind, UnitID: in.UnitID, Before: in.Before},
			int(p.Limit()))
	}
	if in.After < 0 {
		return nil, fault.Field(fault.Invalid, "after", "must not be negative")
	}
	return events.Since(ctx, s.db.Pool(), events.Filter{All: true, Shared: true}, in.After, int(p.Limit()))
}
