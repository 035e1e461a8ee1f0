package site

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/grade"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/work"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

func (s *Server) deskActionRoutes(task string, asks endpoint.Option) {
	form(s, task+"/verdict", policy.GradeTask, "Judge a task on the desk", s.giveVerdict, asks,
		endpoint.Audited(audit.Status, audit.Grade))
	form(s, task+"/undo", policy.GradeTask, "Take a verdict back on the desk", s.deskUndo, asks,
		endpoint.Audited(audit.Status, audit.Grade, audit.Comment))
	form(s, task+"/comment", policy.GradeTask, "Say something on a task on the desk", s.deskSay, asks,
		endpoint.Unaudited("the comment is kept with its author"), endpoint.Uploads(1, s.mostMedia))
	form(s, task+"/read", policy.GradeTask, "Mark the conversation on the desk read", s.deskRead,
		endpoint.Unaudited("it only notes what was read"))
	form(s, task+"/pin", policy.PinTask, "Pin a task on the desk, or take the pin off", s.deskPin,
		endpoint.Unaudited("a mark for oneself"))
	form(s, task+"/snippets", policy.UseSnippets, "Keep a comment on the desk to use it again", s.keepSnippet, asks,
		endpoint.Unaudited(snippetsKept))
	form(s, task+"/note", policy.TakeNotes, "Write a note for the staff on the desk", s.deskNote, asks,
		endpoint.Audited(audit.Note))
	form(s, task+"/presence", policy.SeePresence, "Say that you look at a task on the desk", s.deskPresence,
		endpoint.Unaudited("who looks at a task at this moment is forgotten within minutes"))
	form(s, task+"/extension", policy.AssessExtension, "Decide on more time on the desk", s.deskExtension, asks,
		endpoint.Audited(audit.Extension, audit.Status, audit.Grade))
}

// snippetsKept is why the audit log has nothing of reusable comments.
const snippetsKept = "a text to write faster; what is said with it is kept with the task"

// deskDone is the answer to a form of the desk that was accepted: where to go on.
type deskDone struct {
	To        string `json:"to"`
	VerdictID int64  `json:"verdict_id,omitempty"`
	Version   int64  `json:"version,omitempty"` // of the task, after a verdict
	Next      int64  `json:"next"`              // the task that waits next; 0: none does
}

// Draw implements endpoint.Drawing.
func (v deskDone) Draw(w http.ResponseWriter, r *http.Request, status int) {
	answerForm(w, r, status, v.To, v)
}

// deskTaskIn names the task that a form of the desk is about, and the queue it stands
// in.
type deskTaskIn struct {
	UnitID int64  `path:"id" scope:"unit"`
	TaskID int64  `path:"task_id" scope:"task"`
	Filter string `param:"filter" text:"any"`
}

// desk is the desk the form stands on.
func (in deskTaskIn) desk() deskIn {
	v, _ := url.ParseQuery(in.Filter) //nolint:errcheck // what cannot be read narrows nothing
	return deskIn{UnitID: in.UnitID, queueIn: queueOf(v), View: v.Get("view"), At: in.TaskID}
}

// stay leads back to the same task.
func (in deskTaskIn) stay() deskDone {
	return deskDone{To: in.desk().address(in.TaskID), Next: in.TaskID}
}

type verdictIn struct {
	deskTaskIn
	Word    string                  `param:"status"`
	Comment string                  `param:"comment" text:"lines"`
	Grade   params.Opt[grade.Grade] `param:"grade"`
	Quality params.Opt[int64]       `param:"quality"`
	Version params.Opt[int64]       `param:"version"`
	Key     string                  `param:"key" text:"any"`
	Snippet int64                   `param:"snippet"`
	By      int64                   `param:"by"`
	Seen    int                     `param:"seen"` // how many comments stood beside it; 0 where none was new
}

// wrote refuses to give the words of one person as those of another: a page that kept
// them says by whom they are, and somebody else may have signed in meanwhile. 0 is
// whoever sends them.
func wrote(who *access.Caller, by int64) error {
	if by != 0 && by != who.ID {
		return fault.New(fault.Denied, "Somebody else wrote this. Sign in as the one who did to send it.")
	}
	return nil
}

// verdict is what the form says, on the work it was about.
func (in verdictIn) verdict(comment string) work.Verdict {
	v := work.Verdict{Trigger: &in.Word, Grade: in.Grade.Ptr(), Quality: quality(in.Quality), Comment: comment,
		Version: in.Version.Ptr(), Key: in.Key}
	if in.Word == "" {
		v.Trigger = nil
	}
	return v
}

// typed is what was written, to be mended.
func (in verdictIn) typed() typed {
	t := typed{Word: in.Word, Comment: in.Comment, Marks: true}
	if in.Grade.Has() {
		t.Grade = strconv.Itoa(int(in.Grade.V))
	}
	if in.Quality.Has() {
		t.Quality = strconv.FormatInt(in.Quality.V, 10)
	}
	return t
}

// giveVerdict judges a task and leads to the one that waits next in the same queue.
func (s *Server) giveVerdict(ctx context.Context, who *access.Caller, in verdictIn) (endpoint.Drawing, error) {
	if err := wrote(who, in.By); err != nil {
		return nil, err
	}
	t, err := work.TaskForMarker(ctx, s.DB.Pool(), in.TaskID, who.ID)
	if err != nil {
		return nil, err
	}
	comment, err := withSnippet(ctx, s.DB.Pool(), who, in.Comment, in.Snippet)
	if err != nil {
		return nil, err
	}
	given, err := s.usecases.GiveVerdict(ctx, who, t.Ref(), in.verdict(comment))
	if err != nil {
		return s.deskAgain(ctx, who, in.deskTaskIn, in.typed(), err)
	}
	s.countSnippets(ctx, who, t, in.UnitID, comment)
	s.readBeside(ctx, who, t, in.Seen)
	next, err := s.following(ctx, who, in.desk())
	if err != nil {
		return nil, err
	}
	to := in.desk()
	to.Undo = given.ID
	return deskDone{To: to.address(next), VerdictID: given.ID, Version: given.Version, Next: next}, nil
}

// readBeside marks the comments read that stood beside the form in which somebody answered:
// whoever judges has seen to them. What came since stays new, and so does all of it where
// this fails: the answer is given.
func (s *Server) readBeside(ctx context.Context, who *access.Caller, t *work.MarkedTask, seen int) {
	if seen <= 0 {
		return
	}
	if _, err := s.usecases.ReadComments(ctx, who, t.Ref(), db.Part(int64(seen), 0)); err != nil {
		s.HTTP.Log.ErrorContext(ctx, "what was answered is still new", "err", err)
	}
}

// following is the task that waits next after one in a queue, from its beginning where
// it was the last; 0 where none does.
func (s *Server) following(ctx context.Context, who *access.Caller, in deskIn) (next int64, err error) {
	err = s.DB.View(ctx, func(q db.Q) error {
		around, err := in.queue(who.ID).Around(ctx, q, in.At, deskRows)
		switch {
		case err != nil:
			return err
		case len(around.After) > 0:
			next = around.After[0]
		case len(around.Before) > 0:
			next = around.Before[len(around.Before)-1]
		}
		return nil
	})
	return next, err
}

func quality(points params.Opt[int64]) *int {
	if !points.Has() {
		return nil
	}
	return new(int(min(max(points.V, -2), 1000)))
}

type deskSayIn struct {
	deskTaskIn
	Comment    string         `param:"comment" text:"lines"`
	Attachment *params.Upload `param:"attachment"`
	By         int64          `param:"by"`
	Seen       int            `param:"seen"`
}

func (s *Server) deskSay(ctx context.Context, who *access.Caller, in deskSayIn) (endpoint.Drawing, error) {
	if err := wrote(who, in.By); err != nil {
		return nil, err
	}
	var attachment *usecase.Upload
	if in.Attachment != nil && in.Attachment.Size > 0 {
		attachment = new(uploaded(in.Attachment))
	}
	t, err := work.TaskForMarker(ctx, s.DB.Pool(), in.TaskID, who.ID)
	if err == nil {
		_, err = s.usecases.Comment(ctx, who, t.Ref(), work.NewComment{Text: in.Comment}, attachment)
	}
	if err != nil {
		wrote := typed{Comment: in.Comment}
		if attachment != nil {
			wrote = typed{Form: "attach", WithFile: in.Comment}
		}
		return s.deskAgain(ctx, who, in.deskTaskIn, wrote, err)
	}
	s.readBeside(ctx, who, t, in.Seen)
	return in.stay(), nil
}

func (s *Server) deskRead(ctx context.Context, who *access.Caller, in deskTaskIn) (endpoint.Drawing, error) {
	t, err := work.TaskForMarker(ctx, s.DB.Pool(), in.TaskID, who.ID)
	if err != nil {
		return nil, err
	}
	_, err = s.usecases.ReadComments(ctx, who, t.Ref(), db.Page{})
	return in.stay(), err
}

func (s *Server) deskPin(ctx context.Context, who *access.Caller, in struct {
	deskTaskIn
	Pinned bool `param:"pinned"`
}) (endpoint.Drawing, error) {
	pin := work.Pin{TaskID: in.TaskID, UserID: who.ID}
	err := s.DB.Brief(ctx, func(q db.Q) error {
		if in.Pinned {
			return work.PinTask(ctx, q, pin)
		}
		return work.UnpinTask(ctx, q, pin)
	})
	return in.stay(), err
}

type deskExtensionIn struct {
	deskTaskIn
	ID      int64 `param:"extension"`
	Granted bool  `param:"granted"`
}

func (s *Server) deskExtension(ctx context.Context, who *access.Caller, in deskExtensionIn) (endpoint.Drawing, error) {
	err := s.DB.Brief(ctx, func(q db.Q) error {
		t, err := work.TaskForMarker(ctx, q, in.TaskID, who.ID)
		if err == nil {
			_, err = work.AssessExtension(ctx, q, usecase.Reader(who), t.Ref(), in.ID, in.Granted)
		}
		return err
	})
	if err != nil {
		return s.deskAgain(ctx, who, in.deskTaskIn, typed{Form: "extension"}, err)
	}
	return in.stay(), nil
}

// deskAgain draws the desk again with what was wrong with one of its forms beside it, and
// what was typed into it.
func (s *Server) deskAgain(ctx context.Context, who *access.Caller, in deskTaskIn, wrote typed,
	err error) (endpoint.Drawing, error) {
	if !endpoint.FromForm(ctx) {
		return nil, err // a script shows it beside the form, which is still there
	}
	p, drawn := s.desk(ctx, who, in.desk())
	if drawn != nil {
		return nil, drawn
	}
	v := p.Data.(*deskPage)
	v.Typed = wrote
	if e, ok := errors.AsType[*fault.Error](err); ok {
		v.Theirs, _ = e.Stands.(*work.TaskNow) // nil where nobody was faster
	}
	if p, err = s.again(p, err); err == nil {
		v.Typed.wrong = p.Wrong.Text
	}
	return p, err
}

// ticked are the names of boxes that are ticked.
func ticked(boxes map[string]bool) (names []string) {
	for name, is := range boxes {
		if is {
			names = append(names, name)
		}
	}
	return names
}
