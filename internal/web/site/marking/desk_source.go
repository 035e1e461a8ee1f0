package marking

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"lectern/internal/ground/fault"
	"lectern/internal/teaching/source"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/work"
	"lectern/internal/usecase"
	"lectern/internal/web/site/taskpart"
)

// mostPointed is how many comments at places of the work are not folded: a browser lays them all out for the next work
// to be there.
const mostPointed = 30

// deskWork is what the desk shows of the files of a version, and of what was said at places of the work.
type deskWork struct {
	Version *submit.Version
	Number  int // of the version, from 1
	Files   []source.File
	Pointed []*taskpart.Note // at places of this version and those before
	Source  *taskpart.Source // the file that is open; nil: none is, or it cannot be read
	Unread  string           // why it cannot be read
	open    *source.File
}

// fileOpen is the file of a version that the address asks for: by its number, or as one moves on, by its name.
func (v *deskPage) fileOpen(w *deskWork) *source.File {
	if n, err := strconv.ParseInt(v.File, 10, 64); err == nil {
		if f, err := source.Find(w.Files, n); err == nil && f.IsText {
			return f
		}
		return nil
	}
	at := slices.IndexFunc(w.Files, func(f source.File) bool { return f.IsText && v.Named != "" && f.Name == v.Named })
	if at < 0 {
		return nil
	}
	return &w.Files[at]
}

// deskSource reads the file that is open and what was said at places of the work. It may take as long as files
// are large, so no snapshot of the database waits for it.
func (s *room) deskSource(ctx context.Context, v *deskPage) (err error) {
	if v.Now == nil || v.Now.Work == nil {
		return nil
	}
	w, at := v.Now.Work, v.Now.Ref()
	if slices.ContainsFunc(v.Now.Talk.Comments, func(c *work.Comment) bool { return c.Place != nil }) {
		list, err := s.Usecases.StandingComments(ctx, v.on, at, w.Version.At.String())
		if err != nil {
			return err
		}
		for _, c := range list {
			w.Pointed = append(w.Pointed, v.note(c))
		}
		taskpart.SortNotes(w.Pointed)
		taskpart.Spots([][]*taskpart.Line{v.Now.Earlier, v.Now.Recent}, w.spot)
	}
	w.open = v.fileOpen(w)
	v.File = ""
	if w.open == nil {
		return nil
	}
	v.File, v.Named = strconv.Itoa(w.open.Number), w.open.Name
	text, err := s.Usecases.Source(ctx, at, w.Version.At.String(), int64(w.open.Number))
	if fault.Is(err, fault.Refused) {
		w.Unread = err.Error()
		return nil
	}
	if err != nil {
		return err
	}
	t := taskpart.SourceText{Lines: text.Lines, Name: w.open.Name, ID: fmt.Sprint("f", w.open.Number),
		Number: w.open.Number, At: v.FileAt(w.open.Number) + "&line=", Show: int(max(v.Line, v.From)),
		Notes: taskpart.NotesOf(w.Pointed, w.open.Number), Cut: text.Cut, Guess: text.Note}
	if v.Line > 0 && !v.Now.Own {
		t.First, t.Last, t.Form, t.Data = int(v.Line), int(v.Line), "desk-point", v
	}
	w.Source = t.Shown(s.Words)
	return nil
}

// note is what was said at a place, with what can be done about it here.
func (v *deskPage) note(c *usecase.StandingComment) *taskpart.Note {
	n := &taskpart.Note{StandingComment: c, Talk: fmt.Sprint("#comment-", c.ID)}
	if !v.Now.Own {
		n.Tick, n.Reply = v.Action("tick"), fmt.Sprint(v.ReplyPath(), c.ID, "#say")
	}
	switch {
	case c.Stands == nil:
	case c.Stands.File != nil:
		n.Back = fmt.Sprint(v.FileAt(*c.Stands.File), "#note-", c.ID)
	case v.Now.Making != nil:
		n.Back = fmt.Sprint(v.Now.Making.Path, "/document#page=", *c.Stands.Page)
	}
	return n
}

// spot leads from a comment of the conversation to where it stands.
func (w *deskWork) spot(c *work.Comment) *taskpart.Spot {
	at := slices.IndexFunc(w.Pointed, func(n *taskpart.Note) bool { return n.ID == c.ID })
	if at < 0 {
		return &taskpart.Spot{Where: c.Place.WhereThen()}
	}
	n := w.Pointed[at]
	s := &taskpart.Spot{Where: n.Where, Href: n.Back}
	if n.Stands != nil {
		s.Page = n.Stands.Page
	}
	return s
}

// FileAt is the address of the same task with a file of its work open.
func (v *deskPage) FileAt(number int) string {
	in := v.deskIn
	in.View, in.Undo, in.File, in.Line, in.From = "", 0, strconv.Itoa(number), 0, 0
	return in.address(v.Now.ID)
}

// InFile tells whether a file is open, and not the document.
func (v *deskPage) InFile() bool { return v.Now.Work != nil && v.Now.Work.open != nil }

// FileOpen is the number of the file that is open.
func (v *deskPage) FileOpen() int { return v.Now.Work.open.Number }

// FileName is its name.
func (v *deskPage) FileName() string { return v.Now.Work.open.Name }

// Sources are the text files of the work; nil: it has none.
func (v *deskPage) Sources() *taskpart.SourceFiles {
	w := v.Now.Work
	if w == nil {
		return nil
	}
	current := -1
	if w.open != nil {
		current = w.open.Number
	}
	return taskpart.SourceFilesOf(v.words.Language, w.Files, w.Pointed, current, v.FileAt)
}

// FirstPointed are the comments at places of the work that stand on the desk unfolded.
func (w *deskWork) FirstPointed() []*taskpart.Note {
	return w.Pointed[:min(mostPointed, len(w.Pointed))]
}

// MorePointed are the others.
func (w *deskWork) MorePointed() []*taskpart.Note { return w.Pointed[len(w.FirstPointed()):] }

// OnDocument is how many open comments point at the document.
func (v *deskPage) OnDocument() int {
	if v.Now.Work == nil {
		return 0
	}
	return taskpart.Open(v.Now.Work.Pointed)[-1]
}

// beside is the file so many further in the list, as an address; empty: there is none. The document stands before
// the first.
func (v *deskPage) beside(steps int) string {
	f := v.Sources()
	if f == nil {
		return ""
	}
	at := slices.IndexFunc(f.List, func(t taskpart.SourceTab) bool { return t.Current }) + steps
	switch {
	case at >= 0 && at < len(f.List):
		return f.List[at].Href
	case at == -1 && v.Now.Ready() && steps < 0:
		return v.Shown("")
	}
	return ""
}

// FileBefore and FileAfter are the addresses of the files around the one that is open.
func (v *deskPage) FileBefore() string { return v.beside(-1) }

// FileAfter is the address of the file after the one that is open.
func (v *deskPage) FileAfter() string { return v.beside(1) }

// Pane names what of the work is in view, for scripts.
func (v *deskPage) Pane() string {
	switch {
	case v.InFile():
		return "file-" + v.File
	case v.Plain():
		return "text"
	default:
		return "document"
	}
}

// workIn is which part of the work is open, as addresses have it.
type workIn struct {
	File  string `param:"file"`             // the number of a text file of the latest version; empty: the document
	Named string `param:"named" text:"any"` // the name of one, as one moves on to another task
	Line  int64  `param:"line"`             // that is being commented on, without a script
	From  int64  `param:"from"`             // a line that the part of a long file has
}

// write puts it into the address of a task: the file where it is the same, its name where it is another one.
func (in workIn) write(v url.Values, same bool) {
	if same && in.File != "" {
		v.Set("file", in.File)
	} else if !same && in.Named != "" {
		v.Set("named", in.Named)
	}
}

// workOf reads it from an address as write wrote it.
func workOf(v url.Values) workIn { return workIn{File: v.Get("file"), Named: v.Get("named")} }
