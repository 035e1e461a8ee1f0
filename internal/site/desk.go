package site

import (
	"context"
	"fmt"
	"net/url"
	"strconv"

	"lectern/internal/access"
	"lectern/internal/api/endpoint"
	"lectern/internal/course"
	"lectern/internal/db"
	"lectern/internal/ident"
	"lectern/internal/policy"
	"lectern/internal/work"
)

// deskRows is how many rows of the queue stand beside the work.
const deskRows = 60

func (s *Server) deskRoutes() {
	const desk = "/units/{id}/desk"
	asks := endpoint.Asks(policy.GradeTask, policy.ReadSubmission, policy.ListStudents, policy.Comment,
		policy.SeeSimilarities, policy.AssessExtension, policy.PinTask, policy.Submit)
	page(s, desk, policy.GiveFeedback, "The marking desk", s.desk, asks)
	const task = desk + "/tasks/{task_id}"
	page(s, task, policy.GradeTask, "A task on the marking desk, as a part of its page", s.deskPart, asks)
	s.deskActionRoutes(task, asks)
}

// queueIn is the filter of the queue, as the address of the inbox and of the desk
// have it.
type queueIn struct {
	Who      string `param:"who"`
	Tutorial int64  `param:"tutorial"`
	Task     int64  `param:"task"`
	Status   string `param:"status"`
	Text     string `param:"text"`
	Sort     string `param:"sort"`
}

// queueOf reads the filter from an address as values wrote it. What it does not know
// it passes over.
func queueOf(v url.Values) queueIn {
	id := func(name string) int64 {
		n, _ := strconv.ParseInt(v.Get(name), 10, 64) //nolint:errcheck // 0 is no filter
		return n
	}
	return queueIn{Who: v.Get("who"), Tutorial: id("tutorial"), Task: id("task"), Status: v.Get("status"),
		Text: v.Get("text"), Sort: v.Get("sort")}
}

// values is the filter as it stands in an address.
func (in queueIn) values() url.Values {
	v := url.Values{}
	for name, value := range map[string]string{"who": in.Who, "status": in.Status, "text": in.Text, "sort": in.Sort} {
		if value != "" {
			v.Set(name, value)
		}
	}
	for name, id := range map[string]int64{"tutorial": in.Tutorial, "task": in.Task} {
		if id != 0 {
			v.Set(name, strconv.FormatInt(id, 10))
		}
	}
	return v
}

type deskIn struct {
	UnitID int64 `path:"id" scope:"unit"`
	queueIn
	View string `param:"view"` // text: the document as plain text
	At   int64  `param:"at"`
	Undo int64  `param:"undo"`
}

// deskPage is what the marking desk shows.
type deskPage struct {
	deskIn
	Unit    *course.Unit
	Rows    []work.InboxTask
	Waiting int64     // how many wait in all
	Now     *deskTask // nil: nothing waits
	Keys    bool      // one letter is enough, as they want it
	Refused deskRefused
}

// deskRefused is what somebody typed into a form of the desk that was refused.
type deskRefused struct {
	Comment string
}

// address is that of a task on the desk, in the same filter; 0 is the first that
// waits.
func (in deskIn) address(at int64) string {
	v := in.values()
	if at != 0 {
		v.Set("at", strconv.FormatInt(at, 10))
	}
	return in.with(fmt.Sprintf("/units/%d/desk", in.UnitID), v)
}

func (in deskIn) with(path string, v url.Values) string {
	if in.View != "" {
		v.Set("view", in.View)
	}
	if len(v) == 0 {
		return path
	}
	return path + "?" + v.Encode()
}

// Address is that of a task on the desk.
func (v *deskPage) Address(at int64) string { return v.address(at) }

// Action is where a form about the task goes. What the queue is narrowed to stands
// there as one value: a form has a status of its own.
func (v *deskPage) Action(name string) string {
	path := fmt.Sprintf("/units/%d/desk/tasks/%d/%s", v.UnitID, v.Now.ID, name)
	filter := v.values()
	if v.View != "" {
		filter.Set("view", v.View)
	}
	if len(filter) == 0 {
		return path
	}
	return path + "?" + url.Values{"filter": {filter.Encode()}}.Encode()
}

// Inbox is the address of the list with the same filter.
func (v *deskPage) Inbox() string {
	return deskIn{UnitID: v.UnitID}.with(fmt.Sprintf("/units/%d/inbox", v.UnitID), v.values())
}

func (s *Server) desk(ctx context.Context, who *access.Caller, in deskIn) (*Page, error) {
	v := &deskPage{deskIn: in}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Unit, err = course.UnitByID(ctx, q, in.UnitID); err != nil {
			return err
		}
		return s.lay(ctx, q, who, v)
	})
	if err != nil {
		return nil, err
	}
	return s.deskDrawn(who, v), nil
}

// deskDrawn is the page of a desk that has all it needs.
func (s *Server) deskDrawn(who *access.Caller, v *deskPage) *Page {
	title := word("desk.title")
	if v.Now != nil {
		title = v.Now.Title()
	}
	return s.titled(who, "desk", title, v)
}

// lay puts the queue and one task of it on the desk: the one that is asked for, or
// the first that waits.
func (s *Server) lay(ctx context.Context, q db.Q, who *access.Caller, v *deskPage) error {
	likes, err := ident.PreferencesOf(ctx, q, who.ID)
	if err != nil {
		return err
	}
	v.Keys = likes.Shortcuts
	waiting := work.Waiting{UnitID: v.UnitID, CallerID: who.ID, Inbox: true, Mine: v.Who == "mine",
		Page: db.Part(deskRows, 0)}
	if v.Rows, v.Waiting, err = waiting.Tasks(ctx, q); err != nil {
		return err
	}
	at := v.At
	if at == 0 && len(v.Rows) > 0 {
		at = v.Rows[0].ID
	}
	if at == 0 {
		return nil
	}
	on, err := access.Permit(ctx, q, *who, access.Scope{Unit: v.UnitID, Task: at}, policy.GradeTask)
	if err != nil {
		return err
	}
	v.Now, err = s.deskTask(ctx, q, on, v)
	return err
}

type deskPartIn struct {
	deskIn
	TaskID int64 `path:"task_id" scope:"task"`
}

// deskPart is a task alone, for the script that fetches the next ones ahead.
func (s *Server) deskPart(ctx context.Context, who *access.Caller, in deskPartIn) (*Page, error) {
	in.At = in.TaskID
	v := &deskPage{deskIn: in.deskIn}
	err := s.DB.View(ctx, func(q db.Q) error { return s.lay(ctx, q, who, v) })
	if err != nil {
		return nil, err
	}
	return s.fragment(who, "desk", "desk-task", v), nil
}
