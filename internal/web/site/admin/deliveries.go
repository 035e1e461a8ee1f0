package admin

import (
	"html/template"
	"slices"
	"strconv"

	"lectern/internal/connect/webhook"
	"lectern/internal/ground/opt"
	"lectern/internal/platform/events"
	"lectern/internal/web/site/page"
)

// deliveryLines draws deliveries of a webhook at an address as the rows of delivery-table. What waits after a failure
// can be sent at once, unless the webhook is paused.
func (s *room) deliveryLines(list []webhook.Delivery, at string, active bool) template.HTML {
	var r page.Rows
	event, outcome, attempts := s.Word("webhooks.event"), s.Word("webhooks.outcome"), s.Word("jobs.attempts")
	took, retry, again := s.Word("webhooks.took"), s.Word("webhooks.retry"), s.Icon(page.Icon("rotate-ccw"))
	for i := range list {
		d := &list[i]
		id := strconv.FormatInt(d.ID, 10)
		r.Put(`<tr id="delivery-%s"><th scope="row"><time datetime="%s" data-as="at"></time></th>`, id, d.TriedAt.String())
		r.Put(`<td data-label="%s"><span><bdi>%s</bdi>`, event, s.deliveryName(d.Kind))
		if d.Seq != nil {
			r.Put(` <span class="tiny muted">%s</span>`, strconv.FormatInt(*d.Seq, 10))
		}
		r.Put(`</span></td><td data-label="%s"><div>`, outcome)
		s.deliveryOutcome(&r, d)
		r.Put(`</div></td><td class="n" data-label="%s"><span>%s</span></td>`, attempts, strconv.FormatInt(d.Attempts, 10))
		r.Put(`<td class="n" data-label="%s"><span>%s</span></td>`, took, s.Word("webhooks.ms", d.Took))
		if r.Put(`<td class="end">`); active && !d.Delivered && d.Seq != nil {
			r.Put(`<form method="post" action="%s/retry"><button class="btn sm">`, at)
			r.Add(again)
			r.Put(`%s<span class="unseen"> %s</span></button></form>`, retry, id)
		}
		r.Put("</td></tr>\n")
	}
	return r.HTML()
}

// deliveryOutcome draws what came of a delivery: its state, the receiver's answer, and why a try failed.
func (s *room) deliveryOutcome(r *page.Rows, d *webhook.Delivery) {
	if d.Delivered {
		r.Put(`<span class="pill green">`)
		r.Add(s.Icon(page.Icon("check")))
		r.Put(`%s</span>`, s.Word("webhooks.taken"))
	} else {
		r.Put(`<span class="pill red">`)
		r.Add(s.Icon(page.Icon("circle-x")))
		r.Put(`%s</span>`, s.Word("webhooks.failed"))
	}
	if d.Status != nil {
		r.Put(` <span class="tiny muted">%s</span>`, s.Word("webhooks.answer", *d.Status))
	}
	switch why := opt.Or(d.Error, ""); {
	case why == "" || d.Status != nil && !d.Delivered: // the answer is the reason
	case d.Delivered:
		r.Put(`<p class="tiny muted"><bdi>%s</bdi></p>`, s.Word("webhooks.failed-before", why))
	default:
		r.Put(`<p class="tiny why"><bdi>%s</bdi></p>`, why)
	}
}

// deliveryName is what a kind of delivery tells of.
func (s *room) deliveryName(kind string) string {
	if kind == string(webhook.Trial) {
		return s.Word("webhooks.kind-test")
	}
	if !slices.Contains(events.Kinds(), events.Kind(kind)) {
		return kind // of a program from before
	}
	return s.Word(eventKey(events.Kind(kind)))
}
