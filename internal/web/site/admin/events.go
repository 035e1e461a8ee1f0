package admin

import (
	"cmp"
	"context"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/platform/events"
	"lectern/internal/usecase"
	"lectern/internal/web/site/page"
)

func (s *room) eventRoutes() {
	page.Show(s.Site, links.AdminEvents, policy.SeeWebhooks, "What happened, as webhooks get it", s.events)
}

type eventsIn struct {
	Kind   events.Kind `param:"kind"`
	UnitID int64       `param:"unit_id"`
	Before int64       `param:"before"`
}

// eventsPage is the event log.
type eventsPage struct {
	part
	Kinds         []option
	Rows          template.HTML // what eventLines drew
	Unit          string
	UnitID        int64
	Older, Newest string
}

// eventRow is an event in words.
type eventRow struct {
	events.Event
	Kind              string
	Actor, User, Unit string
}

func eventKey(k events.Kind) string { return "events.kind-" + strings.ReplaceAll(string(k), "_", "-") }

// eventKeys are the words for kinds of events.
func eventKeys() (list []string) {
	for _, k := range events.Kinds() {
		list = append(list, eventKey(k))
	}
	return list
}

func (s *room) events(ctx context.Context, who *access.Caller, in eventsIn) (*page.Page, error) {
	if !slices.Contains(events.Kinds(), in.Kind) {
		in.Kind = ""
	}
	query := filled("kind", string(in.Kind), "unit_id", strconv.FormatInt(in.UnitID, 10))
	v := &eventsPage{part: newPart(1, links.AdminEvents, query), UnitID: in.UnitID}
	err := s.DB.View(ctx, func(q db.Q) error {
		list, err := events.Newest(ctx, q, events.Choice{Kind: in.Kind, UnitID: in.UnitID, Before: in.Before}, rowsAtOnce+1)
		if err != nil {
			return err
		}
		if len(list) > rowsAtOnce {
			list = list[:rowsAtOnce]
			v.Older = v.With("before", strconv.FormatInt(list[rowsAtOnce-1].Seq, 10))
		}
		rows, unit, err := s.eventRows(ctx, q, list, in.UnitID)
		v.Rows, v.Unit = s.eventLines(rows, &v.part), unit
		return err
	})
	if in.Before > 0 {
		v.Newest = v.With("before", "")
	}
	v.Kinds = append(v.Kinds, option{"", s.Word("events.all-kinds"), in.Kind == ""})
	for _, k := range events.Kinds() {
		v.Kinds = append(v.Kinds, option{string(k), s.Word(eventKey(k)), k == in.Kind})
	}
	return s.Titled(who, "events", s.Word("events.title"), v), err
}

// eventRows puts events into words, and tells the code of the unit they are narrowed to.
func (s *room) eventRows(ctx context.Context, q db.Q, list []events.Event, unit int64) ([]eventRow, string, error) {
	people, units := []int64{}, []int64{unit}
	for i := range list {
		people, units = append(people, list[i].ActorID, list[i].UserID), append(units, list[i].UnitID)
	}
	names, err := usecase.NamesOf(ctx, q, people, units)
	if err != nil {
		return nil, "", err
	}
	rows := make([]eventRow, len(list))
	for i, e := range list {
		rows[i] = eventRow{e, s.Word(eventKey(e.Kind)), names.Person(e.ActorID), names.Person(e.UserID), names.Unit(e.UnitID)}
	}
	return rows, names.Unit(unit), nil
}

// eventLines draws events as the rows of the table; their units lead to the part of the list that is theirs.
func (s *room) eventLines(rows []eventRow, list *part) template.HTML {
	var r page.Rows
	kind, actor, user, unit := s.Word("events.kind"), s.Word("audit.actor"), s.Word("audit.user"), s.Word("audit.unit")
	service, at := s.Word("health.the-service"), map[int64]string{}
	for i := range rows {
		one := &rows[i]
		if at[one.UnitID] == "" {
			at[one.UnitID] = list.With("unit_id", strconv.FormatInt(one.UnitID, 10))
		}
		seq := strconv.FormatInt(one.Seq, 10)
		r.Put(`<tr id="event-%s"><th scope="row"><time datetime="%s" data-as="at"></time>`, seq, one.At.String())
		r.Put(` <small class="below">%s</small></th><td data-label="%s">%s</td>`, seq, kind, one.Kind)
		r.Put(`<td data-label="%s"><bdi>%s</bdi></td><td data-label="%s"><bdi>%s</bdi></td><td data-label="%s">`, actor,
			cmp.Or(one.Actor, service), user, one.User, unit)
		if one.UnitID != 0 {
			r.Put(`<a href="%s"><bdi>%s</bdi><span class="unseen"> %s</span></a>`, at[one.UnitID], one.Unit, seq)
		}
		r.Put("</td></tr>\n")
	}
	return r.HTML()
}
