package marking

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
	"lectern/internal/teaching/verdict"
	"lectern/internal/teaching/work"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
	"lectern/internal/web/site/page"
)

func (s *room) deskActionRoutes(task string, asks endpoint.Option) {
	page.Form(s.Site, task+"/verdict", policy.GradeTask, "Mark a task on the desk", s.giveVerdict, asks,
		endpoint.Audited(audit.Status, audit.Grade, audit.Review))
	page.Form(s.Site, task+"/undo", policy.GradeTask, "Take a verdict back on the desk", s.deskUndo, asks,
		endpoint.Audited(audit.Status, audit.Grade, audit.Review, audit.Comment))
	page.Form(s.Site, task+"/comment", policy.GradeTask, "Say something on a task on the desk", s.deskSay, asks,
		endpoint.Unaudited("the comment is kept with its author"), endpoint.Uploads(1, s.Usecases.MostMedia))
	page.Form(s.Site, task+"/tick", policy.GradeTask, "Tick a comment that points at the work on the desk",
		s.deskTick, asks,
		endpoint.Unaudited("who ticked a comment is kept with it"))
	page.Form(s.Site, task+"/read", policy.GradeTask, "Mark the conversation on the desk read", s.deskRead,
		endpoint.Unaudited("it only notes what was read"))
	page.Form(s.Site, task+"/pin", policy.PinTask, "Pin a task on the desk, or take the pin off", s.deskPin,
		endpoint.Unaudited("a mark for oneself"))
	page.Form(s.Site, task+"/snippets", policy.UseSnippets, "Keep a comment on the desk to use it again",
		s.keepSnippet, asks,
		endpoint.Unaudited(snippetsKept))
	page.Form(s.Site, task+"/note", policy.TakeNotes, "Write a note for the staff on the desk", s.deskNote, asks,
		endpoint.Audited(audit.Note))
	page.Form(s.Site, task+"/presence", policy.SeePresence, "Say that you look at a task on the desk", s.deskPresence,
		endpoint.Unaudited("who looks at a task at this moment is forgotten within minutes"))
	page.Form(s.Site, task+"/extension", policy.AssessExtension, "Decide on more time on the desk",
		s.deskExtension, asks,
		endpoint.Audited(audit.Extension, audit.Status, audit.Grade))
	page.Form(s.Site, task+"/review", policy.AnswerReview, "Answer a review on the desk", s.deskReview, asks,
		endpoint.Audited(audit.Review))
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
	page.AnswerForm(w, r, status, v.To, v)
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
	return deskIn{UnitID: in.UnitID, queueIn: queueOf(v), workIn: workOf(v), View: v.Get("view"), At: in.TaskID}
}

// ref is where the task stands.
func (in deskTaskIn) ref(ctx context.Context, d *db.DB) (work.TaskRef, error) {
	return work.RefOf(ctx, d.Pool(), in.TaskID)
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
	levelsIn
	points
}

// verdict is what the form says, on the work it was about.
func (in verdictIn) verdict() usecase.VerdictOn {
	v := verdict.Verdict{Trigger: &in.Word, Grade: in.Grade.Ptr(), Quality: quality(in.typed(in.Quality)),
		Comment: in.Comment, Version: in.Version.Ptr(), Key: in.Key, Rubric: in.pick()}
	if in.Word == "" {
		v.Trigger = nil
	}
	return usecase.VerdictOn{Verdict: v, TaskID: in.TaskID, Append: in.Snippet, Seen: new(int64(in.Seen)),
		PointsAt: in.pointed()}
}

// wrote is what was written, to be mended.
func (in verdictIn) wrote() typed {
	t := typed{Word: in.Word, Comment: in.Comment, Marks: true, picks: in.pick()}
	if in.Grade.Has() {
		t.Grade = strconv.Itoa(int(in.Grade.V))
	}
	if in.Quality.Has() {
		t.Quality = strconv.FormatInt(in.Quality.V, 10)
	}
	return t
}

// giveVerdict marks a task and leads to the one that waits next in the same queue.
func (s *room) giveVerdict(ctx context.Context, who *access.Caller, in verdictIn) (endpoint.Drawing, error) {
	if err := page.Wrote(who, in.By); err != nil {
		return nil, err
	}
	given, err := s.Usecases.GiveVerdict(ctx, who, in.verdict())
	if err != nil {
		return s.deskAgain(ctx, who, in.deskTaskIn, in.wrote(), err)
	}
	next, err := s.following(ctx, who, in.desk())
	if err != nil {
		return nil, err
	}
	to := in.desk()
	to.Undo = given.ID
	return deskDone{To: to.address(next), VerdictID: given.ID, Version: given.Version, Next: next}, nil
}

// following is the task that waits next after one in a queue, from its beginning where
// it was the last; 0 where none does.
func (s *room) following(ctx context.Context, who *access.Caller, in deskIn) (next int64, err error) {
	if usecase.OfTutor(who, in.Tutor) != nil {
		in.Tutor = 0
	}
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
	Comment    string            `param:"comment" text:"lines"`
	Attachment *params.Upload    `param:"attachment"`
	By         int64             `param:"by"`
	Seen       int               `param:"seen"`
	ReplyTo    params.Opt[int64] `param:"reply_to_id"`
	placeIn
	points
}

func (s *room) deskSay(ctx context.Context, who *access.Caller, in deskSayIn) (endpoint.Drawing, error) {
	if err := page.Wrote(who, in.By); err != nil {
		return nil, err
	}
	if said := in.pointed(); said != nil {
		err := s.Usecases.Comments(ctx, who, usecase.CommentsOn{TaskID: in.TaskID, PointsAt: said, Words: in.Comment,
			Seen: int64(in.Seen)})
		if err != nil {
			return nil, err // only a script sends several
		}
		return in.stay(), nil
	}
	var attachment *usecase.Upload
	if in.Attachment != nil && in.Attachment.Size > 0 {
		attachment = new(page.Uploaded(in.Attachment))
	}
	var at *usecase.PlaceOn
	if in.Submission != "" {
		at = new(in.place())
	}
	_, err := s.Usecases.Comment(ctx, who, usecase.CommentOn{NewComment: work.NewComment{Text: in.Comment,
		ReplyTo: in.ReplyTo.Ptr()}, TaskID: in.TaskID, Attachment: attachment, PointsAt: at, Seen: int64(in.Seen)})
	if err != nil {
		wrote := typed{Comment: in.Comment}
		if attachment != nil {
			wrote = typed{Form: "attach", WithFile: in.Comment}
		}
		if in.ReplyTo.Has() {
			wrote = typed{Form: "reply", Reply: in.Comment, answers: in.ReplyTo.V}
		}
		if at != nil {
			wrote = typed{Form: "point", Point: in.Comment, line: int64(in.Line.V)}
		}
		return s.deskAgain(ctx, who, in.deskTaskIn, wrote, err)
	}
	return in.stay(), nil
}

func (s *room) deskRead(ctx context.Context, who *access.Caller, in deskTaskIn) (endpoint.Drawing, error) {
	at, err := in.ref(ctx, s.DB)
	if err != nil {
		return nil, err
	}
	_, err = s.Usecases.ReadComments(ctx, who, at, db.Page{})
	return in.stay(), err
}

func (s *room) deskPin(ctx context.Context, who *access.Caller, in struct {
	deskTaskIn
	Pinned bool `param:"pinned"`
}) (endpoint.Drawing, error) {
	if !in.Pinned {
		return in.stay(), s.Usecases.UnpinTask(ctx, who, in.TaskID)
	}
	_, err := s.Usecases.PinTask(ctx, who, in.TaskID)
	return in.stay(), err
}

type deskExtensionIn struct {
	deskTaskIn
	ID      int64 `param:"extension"`
	Granted bool  `param:"granted"`
}

func (s *room) deskExtension(ctx context.Context, who *access.Caller, in deskExtensionIn) (endpoint.Drawing, error) {
	at, err := in.ref(ctx, s.DB)
	if err != nil {
		return nil, err
	}
	if _, err := s.Usecases.AssessExtension(ctx, who, at, in.ID, in.Granted); err != nil {
		return s.deskAgain(ctx, who, in.deskTaskIn, typed{Form: "extension"}, err)
	}
	return in.stay(), nil
}

// deskAgain draws the desk again with what was wrong with one of its forms beside it, and
// what was typed into it.
func (s *room) deskAgain(ctx context.Context, who *access.Caller, in deskTaskIn, wrote typed,
	err error) (endpoint.Drawing, error) {
	if !endpoint.FromForm(ctx) {
		return nil, err // a script shows it beside the form, which is still there
	}
	at := in.desk()
	at.Line = wrote.line
	p, drawn := s.desk(ctx, who, at)
	if drawn != nil {
		return nil, drawn
	}
	v := p.Data.(*deskPage)
	v.Typed, v.Reply = wrote, wrote.answers
	if e, ok := errors.AsType[*fault.Error](err); ok {
		v.Theirs, _ = e.Stands.(*verdict.TaskNow) // nil where nobody was faster
	}
	if p, err = s.Again(p, err); err == nil {
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
