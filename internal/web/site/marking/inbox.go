package marking

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strconv"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/enrol"
	"lectern/internal/teaching/handover"
	"lectern/internal/teaching/queue"
	"lectern/internal/teaching/status"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

// inboxRows is how many rows a page of the inbox has.
const inboxRows = 50

func (s *room) inboxRoutes() {
	page.Show(s.Site, links.Inbox, policy.GiveFeedback, "The inbox of a unit", s.inbox,
		endpoint.Asks(policy.SeeTutorPace))
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
	Unit       *course.Unit
	Pins       []usecase.QueueRow // that are neither to mark nor to answer, on the first page
	Elsewhere  int64              // that wait in the unit, where the filter lets nothing through
	Tutorials  []enrol.Tutorial
	Late       int64               // to mark in the unit, and longer than promised
	Handovers  []handover.Handover // that concern the reader
	withOthers bool                // the reader's own queue is with others
	now        clock.Time
	words      language
}

func (s *room) inbox(ctx context.Context, who *access.Caller, in inboxIn) (*page.Page, error) {
	v := &inboxPage{inboxIn: in, words: s.words}
	v.From = max(0, in.From)
	if err := usecase.OfTutor(who, in.Tutor); err != nil {
		return nil, err
	}
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
	if v.Handovers, err = handover.Concerning(ctx, q, who.ID, v.UnitID); err != nil {
		return err
	}
	v.withOthers = slices.ContainsFunc(v.Handovers, func(h handover.Handover) bool { return h.UserID == who.ID })
	w := deskIn{UnitID: v.UnitID, queueIn: v.queueIn}.queue(who.ID)
	w.Page, w.Kind = db.Part(inboxRows, v.From), cmp.Or(w.Kind, queue.Waiting)
	if v.QueueListing, err = usecase.QueueList(ctx, q, w); err != nil {
		return err
	}
	if v.Unit.FeedbackDays != nil {
		unit := queue.Target{UnitID: v.UnitID, Days: v.Unit.FeedbackDays}
		all, err := queue.Tallies(ctx, q, who.ID, []queue.Target{unit})
		if err != nil {
			return err
		}
		v.Late = all[v.UnitID].Overdue
	}
	if v.Kind == "" && v.From == 0 && !v.Over {
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
func (v *inboxPage) Narrow() bool {
	return v.queueIn != (queueIn{Sort: v.Sort})
}

// with is the address of the inbox with another filter.
func (v *inboxPage) with(filter queueIn, from int64) string {
	return inboxIn{UnitID: v.UnitID, queueIn: filter, From: from}.address()
}

// address is that of the inbox.
func (in inboxIn) address() string { return withQuery(links.To(links.Inbox, in.UnitID), in.query()) }

func (in inboxIn) query() url.Values {
	values := in.values()
	if in.From > 0 {
		values.Set("from", strconv.FormatInt(in.From, 10))
	}
	return values
}

// Kept is what a search keeps of the filter.
func (v *inboxPage) Kept() url.Values {
	q := v.values()
	q.Del("text")
	return q
}

// Everything is the address of all that waits, in the same order.
func (v *inboxPage) Everything() string {
	return inboxIn{UnitID: v.UnitID, queueIn: queueIn{Sort: v.Sort}}.address()
}

// OverTarget is the chip of what has waited longer than promised.
func (v *inboxPage) OverTarget() kindChoice {
	in := v.inboxIn
	in.Over, in.From, in.Kind = !v.Over, 0, ""
	return kindChoice{v.words.Word("home.overdue"), in.address(), v.Late, v.Over}
}

// Days is within how many feedback is promised.
func (v *inboxPage) Days() int64 { return *v.Unit.FeedbackDays }

// IsLate tells whether a row is to mark and has waited longer than promised.
func (v *inboxPage) IsLate(r usecase.QueueRow) bool {
	days := v.Unit.FeedbackDays
	return days != nil && r.Kind == queue.ToMark && r.WaitingSince.Before(v.now.Add(-time.Duration(*days)*24*time.Hour))
}

// Menus are the chips with a choice: of tutorials and of a status.
func (v *inboxPage) Menus() []menuChip {
	tutorials := menuChip{Label: v.words.Word("inbox.who"), Text: v.words.Word("inbox.all")}
	add := func(name, who string, id int64) {
		f := v.queueIn
		f.Who, f.Tutorial = who, id
		tutorials.add(name, v.with(f, 0), v.Who == who && v.Tutorial == id, who == "" && id == 0)
	}
	add(tutorials.Text, "", 0)
	add(v.words.Word("inbox.mine"), "mine", 0)
	for _, t := range v.Tutorials {
		add(t.Abbreviation, "", t.ID)
	}
	statuses := menuChip{Label: v.words.Word("inbox.status"), Text: v.words.Word("inbox.any-status")}
	for _, word := range append([]string{""}, status.Status("").Enum()...) { // all, because a pinned task may stand at any
		f, name := v.queueIn, statuses.Text
		if f.Status = word; word != "" {
			name = v.words.Status(status.Status(word))
		}
		statuses.add(name, v.with(f, 0), v.Status == word, word == "")
	}
	return []menuChip{tutorials, statuses}
}

// TaskMenu is the chip with the choice of a task, each with how many wait.
func (v *inboxPage) TaskMenu() menuChip {
	c := menuChip{Label: v.words.Word("inbox.by-task"), Text: v.words.Word("inbox.any-task")}
	c.add(c.Text, v.OfTask(0), v.Task == 0, true)
	for _, t := range v.Counts {
		c.add(t.Abbreviation+" "+t.Name, v.OfTask(t.DefinitionID), v.Task == t.DefinitionID, false)
		c.Items[len(c.Items)-1].Count = v.Count(t)
	}
	return c
}

// Heads are those of the columns that order the rows.
func (v *inboxPage) Heads() map[string]sortHead {
	now := string(deskIn{queueIn: v.queueIn}.queue(0).Sort)
	out := map[string]sortHead{}
	for sort, head := range map[queue.Sort]sortHead{
		queue.ByStudent: {Text: v.words.Word("inbox.student"), Way: "ascending"},
		queue.ByTask:    {Text: v.words.Word("inbox.task"), Way: "ascending"},
		queue.ByWaiting: {Text: v.words.Word("inbox.waits"), Way: "descending", Number: true}} {
		f := v.queueIn
		f.Sort = string(sort)
		head.Href = v.with(f, 0)
		if cmp.Or(now, string(queue.ByWaiting)) != string(sort) {
			head.Way = ""
		}
		out[string(sort)] = head
	}
	return out
}

// SortMenu is the chip with the orders, for screens that have no heads.
func (v *inboxPage) SortMenu() menuChip {
	heads := v.Heads()
	return sortMenu(v.words, []sortHead{heads[string(queue.ByStudent)], heads[string(queue.ByTask)],
		heads[string(queue.ByWaiting)]})
}

// OfTask is the address of one task in the same filter, or of all when that is chosen.
func (v *inboxPage) OfTask(definition int64) string {
	f := v.queueIn
	f.Task = definition
	return v.with(f, 0)
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
		if v.withOthers {
			return v.words.Word("handover.nothing")
		}
		return v.words.Word("inbox.nothing-mine")
	default:
		return v.words.Word("inbox.nothing-so")
	}
}
