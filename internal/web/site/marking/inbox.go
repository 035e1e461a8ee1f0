package marking

import (
	"cmp"
	"context"
	"strconv"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/enrol"
	"lectern/internal/teaching/queue"
	"lectern/internal/teaching/status"
	"lectern/internal/usecase"
	"lectern/internal/web/site/page"
)

// inboxRows is how many rows a page of the inbox has.
const inboxRows = 50

func (s *room) inboxRoutes() {
	page.Show(s.Site, links.Inbox, policy.GiveFeedback, "The inbox of a unit", s.inbox)
}

type inboxIn struct {
	UnitID int64 `path:"id" scope:"unit"`
	queueIn
	From int64 `param:"from"` // how many rows to pass over
}

// inboxPage is what the inbox of a unit shows.
type inboxPage struct {
	inboxIn
	*usecase.QueueListing
	Unit      *course.Unit
	Pins      []usecase.QueueRow // that are neither to mark nor to answer, on the first page
	Elsewhere int64              // that wait in the unit, where the filter lets nothing through
	Tutorials []enrol.Tutorial
	now       clock.Time
	words     language
}

func (s *room) inbox(ctx context.Context, who *access.Caller, in inboxIn) (*page.Page, error) {
	v := &inboxPage{inboxIn: in, words: s.words}
	v.From = max(0, in.From)
	if err := s.DB.View(ctx, func(q db.Q) error { return v.read(ctx, q, who) }); err != nil {
		return nil, err
	}
	return s.Titled(who, "inbox", s.Word("inbox.title"), v), nil
}

func (v *inboxPage) read(ctx context.Context, q db.Q, who *access.Caller) (err error) {
	v.now = q.Now()
	if v.Unit, err = course.UnitByID(ctx, q, v.UnitID); err != nil {
		return err
	}
	if v.Tutorials, err = enrol.TutorialsOf(ctx, q, v.UnitID); err != nil {
		return err
	}
	w := deskIn{UnitID: v.UnitID, queueIn: v.queueIn}.queue(who.ID)
	w.Page, w.Kind = db.Part(inboxRows, v.From), cmp.Or(w.Kind, queue.Waiting)
	if v.QueueListing, err = usecase.QueueList(ctx, q, w); err != nil {
		return err
	}
	if v.Kind == "" && v.From == 0 {
		pins := w
		pins.Kind, pins.Page = queue.Pinned, db.Part(inboxRows, 0)
		if v.Pins, _, err = usecase.QueueOf(ctx, q, pins); err != nil {
			return err
		}
	}
	if v.Total > 0 || len(v.Pins) > 0 || !v.Narrow() {
		return nil
	}
	all, err := queue.Queue{UnitID: v.UnitID, CallerID: who.ID}.Tally(ctx, q)
	v.Elsewhere = all.Waiting()
	return err
}

// Narrow tells whether the rows are a part of what waits in the unit.
func (v *inboxPage) Narrow() bool { return v.queueIn != (queueIn{Sort: v.Sort}) }

// with is the address of the inbox with another filter.
func (v *inboxPage) with(filter queueIn, from int64) string {
	values := filter.values()
	if from > 0 {
		values.Set("from", strconv.FormatInt(from, 10))
	}
	return withQuery(links.To(links.Inbox, v.UnitID), values)
}

// Everything is the address of all that waits, in the same order.
func (v *inboxPage) Everything() string { return v.with(queueIn{Sort: v.Sort}, 0) }

// OfTask is the address of one task in the same filter, or of all when that is chosen.
func (v *inboxPage) OfTask(definition int64) string {
	f := v.queueIn
	f.Task = definition
	return v.with(f, 0)
}

// order is one that the rows can stand in.
type order struct {
	Name, Address string
	Chosen        bool
}

// Orders are those of the inbox.
func (v *inboxPage) Orders() []order {
	list := make([]order, 0, 3)
	for _, o := range []struct {
		sort queue.Sort
		name string
	}{{queue.ByWaiting, v.words.Word("inbox.by-waiting")}, {queue.ByTask, v.words.Word("inbox.by-task")},
		{queue.ByStudent, v.words.Word("inbox.by-student")}} {
		f := v.queueIn
		f.Sort = string(o.sort)
		now := deskIn{queueIn: v.queueIn}.queue(0).Sort
		list = append(list, order{o.name, v.with(f, 0), now == o.sort || now == "" && o.sort == queue.ByWaiting})
	}
	return list
}

// Count is how many of the kind at hand wait with a task.
func (v *inboxPage) Count(c queue.TaskCount) int64 { return c.Of(v.kind()) }

// Kinds are those to narrow the rows to, each with its number.
func (v *inboxPage) Kinds() []kindChoice {
	return []kindChoice{v.choice(queue.ToMark, v.words.Word("queue.to-mark")),
		v.choice(queue.ToAnswer, v.words.Word("queue.to-answer"))}
}

func (v *inboxPage) choice(k queue.Kind, name string) kindChoice {
	f, on := v.queueIn, v.kind() == k
	if f.Kind = string(k); on {
		f.Kind = ""
	}
	return kindChoice{name, v.with(f, 0), v.Of(k), on}
}

// kindChoice leads to the rows of a kind, or from them to all.
type kindChoice struct {
	Text, Href string
	Count      int64
	On         bool
}

// Statuses are those to choose from: all, because a pinned task may stand at any.
func (v *inboxPage) Statuses() (list []status.Status) {
	for _, word := range status.Status("").Enum() {
		list = append(list, status.Status(word))
	}
	return list
}

// Desk is the address of a task on the desk, in the same filter; 0 is the first.
func (v *inboxPage) Desk(at int64) string {
	return deskIn{UnitID: v.UnitID, queueIn: v.queueIn}.address(at)
}

// First is the place of the first row among all that wait.
func (v *inboxPage) First() int64 { return v.From + 1 }

// Last is the place of the last row.
func (v *inboxPage) Last() int64 { return v.From + int64(len(v.Rows)) }

// Before is the address of the page before this one; empty for the first.
func (v *inboxPage) Before() string {
	if v.From == 0 {
		return ""
	}
	return v.with(v.queueIn, max(0, min(v.From, v.Total)-inboxRows))
}

// After is the address of the page after this one; empty for the last.
func (v *inboxPage) After() string {
	if v.Last() >= v.Total {
		return ""
	}
	return v.with(v.queueIn, v.From+inboxRows)
}

// Empty says why there is no row.
func (v *inboxPage) Empty() string {
	switch {
	case v.Total > 0:
		return v.words.Word("inbox.past")
	case !v.Narrow():
		return v.words.Word("inbox.nothing")
	case v.queueIn == queueIn{Who: "mine", Sort: v.Sort}:
		return v.words.Word("inbox.nothing-mine")
	default:
		return v.words.Word("inbox.nothing-so")
	}
}
