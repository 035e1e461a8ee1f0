package student

import (
	"context"
	"fmt"
	"net/url"
	"strconv"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/source"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/teaching/work"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
	"lectern/internal/web/site/taskpart"
)

func (s *room) workRoutes(one string) {
	page.Show(s.Site, one+"/versions/{timestamp}/work", policy.ReadSubmission, "A submission with the comments in it",
		s.versionWork, endpoint.Asks(usecase.OfCommented...), endpoint.Asks(policy.Comment),
		endpoint.Costs(endpoint.Readings))
}

// workIn is what is looked at of a version, as addresses have it.
type workIn struct {
	versionIn
	File string `param:"file"` // the number of a text file; empty: the document
	Note int64  `param:"note"` // a comment: the file where it stands is open
	Line int64  `param:"line"` // that the part of a long file has
	From int64  `param:"from"` // the same, of the parts around it
}

// Path is that of the version's page.
func (in workIn) Path() string { return workPath(in.taskIn, in.Timestamp) }

func workPath(in taskIn, timestamp string) string {
	return in.Path() + "/versions/" + timestamp + "/work"
}

// noteAt is the address of a comment in a version, which opens what it points at.
func noteAt(in taskIn, timestamp string, id int64) string {
	return fmt.Sprintf("%s?note=%d#note-%d", workPath(in, timestamp), id, id)
}

// at is the address of a file of the version; -1: its document.
func (in workIn) at(number int) string {
	if number < 0 {
		return in.Path()
	}
	return in.Path() + "?" + url.Values{"file": {strconv.Itoa(number)}}.Encode()
}

// workPage shows a version of a submission: its document or one of its files, with what was said at places of it.
type workPage struct {
	Path      string // of the task
	Task      string // its name
	Desk      string // where the staff mark it; empty for others
	Version   *submit.ListedVersion
	Number    int
	Versions  []taskpart.VersionItem // all, the newest first
	Making    *taskpart.Making
	Document  string                // the address of the document's tab
	Files     *taskpart.SourceFiles // nil: none is text
	Source    *taskpart.Source      // the file that is shown; nil: the document is, or the file cannot be read
	Unread    string                // why it cannot be read
	Notes     []*workNote
	MayAnswer bool
	open      *source.File
}

// workNote is a comment in the list beside the work: where it does not stand under its line, it is there as a whole.
type workNote struct {
	*taskpart.Note
	Whole bool
	Then  string // the address of where it was said, in the version of then; empty: it stands in this one
}

// InFile tells whether a file is shown, and not the document.
func (v *workPage) InFile() bool { return v.open != nil }

// Open is how many of the comments are not done.
func (v *workPage) Open() (sum int) {
	for _, n := range v.Notes {
		if n.Place.DoneAt == nil {
			sum++
		}
	}
	return sum
}

// OnDocument is how many open comments point at the document.
func (v *workPage) OnDocument() (sum int) {
	for _, n := range v.Notes {
		if n.Place.DoneAt == nil && n.Stands != nil && n.Stands.File == nil {
			sum++
		}
	}
	return sum
}

func (s *room) versionWork(ctx context.Context, who *access.Caller, in workIn) (*page.Page, error) {
	v := &workPage{Path: in.taskIn.Path(), Document: in.at(-1), MayAnswer: who.May(policy.Comment)}
	var files []source.File
	var d *taskdef.Definition
	err := s.DB.View(ctx, func(q db.Q) error {
		all, err := submit.Versions(ctx, q, in.ProjectID, in.DefinitionID)
		if err != nil {
			return err
		}
		if v.Version, v.Number, err = submit.FindVersion(all, in.Timestamp); err != nil {
			return err
		}
		for i := range all {
			v.Versions = append(v.Versions, taskpart.VersionItem{Number: len(all) - i, Current: all[i].ID == v.Version.ID,
				Href: workPath(in.taskIn, all[i].At.String())})
		}
		if v.Making, files, err = s.madeOf(ctx, q, who, in); err != nil {
			return err
		}
		d, err = taskdef.DefinitionByID(ctx, q, in.DefinitionID)
		return err
	})
	if err != nil {
		return nil, err
	}
	v.Task = d.Abbreviation + " " + d.Name
	if v.Desk, err = s.deskOf(ctx, who, in.taskIn); err != nil {
		return nil, err
	}
	notes, err := s.notesIn(ctx, who, in)
	if err != nil {
		return nil, err
	}
	v.choose(in, files, notes)
	v.Files = taskpart.SourceFilesOf(s.Words, files, notes, v.shown(), in.at)
	if err := s.readFile(ctx, in, v, notes); err != nil {
		return nil, err
	}
	v.list(in, notes)
	p := s.Titled(who, "version-work", s.Word("work.title", v.Number), v)
	p.Within = &page.Crumb{Words: d.Abbreviation, Path: v.Path}
	return p, nil
}

// madeOf tells how far the document of the version is, and lists its files.
func (s *room) madeOf(ctx context.Context, q db.Q, who *access.Caller, in workIn) (*taskpart.Making, []source.File,
	error) {
	version, files, err := usecase.SourceAt(ctx, q, in.Ref(), in.Timestamp)
	if err != nil {
		return nil, nil, err
	}
	m, err := taskpart.MakingOf(ctx, q, who, in.taskIn, version)
	return m, files, err
}

// deskOf is where whoever marks the task does so; empty for others.
func (s *room) deskOf(ctx context.Context, who *access.Caller, in taskIn) (string, error) {
	if !who.May(policy.GradeTask) {
		return "", nil
	}
	now, err := work.Refresh(ctx, s.DB.Pool(), in.ProjectID, in.DefinitionID)
	if err != nil {
		return "", err
	}
	return links.DeskAt(who.UnitID, now.TaskID), nil
}

// notesIn are the comments in the version, with what can be done about them here.
func (s *room) notesIn(ctx context.Context, who *access.Caller, in workIn) (notes []*taskpart.Note, err error) {
	if !who.May(policy.ReadTask) {
		return nil, nil
	}
	list, err := s.Usecases.StandingComments(ctx, who, in.Ref(), in.Timestamp)
	if err != nil {
		return nil, err
	}
	for _, c := range list {
		n := &taskpart.Note{StandingComment: c, Talk: fmt.Sprintf("%s#comment-%d", in.taskIn.Path(), c.ID)}
		if c.Stands != nil {
			n.Back = noteAt(in.taskIn, in.Timestamp, c.ID)
			if c.Stands.Page != nil {
				n.Sheet = fmt.Sprintf("%s/versions/%s/document#page=%d", in.taskIn.Path(), in.Timestamp, *c.Stands.Page)
			}
		}
		if who.May(policy.Comment) {
			n.Tick, n.Here = in.taskIn.Path()+"/done", in.taskIn.Path()+"/comments"
			n.Then = noteAt(in.taskIn, in.Timestamp, c.ID)
		}
		notes = append(notes, n)
	}
	taskpart.SortNotes(notes)
	return notes, nil
}

// choose finds the file that is shown: the one that is asked for, or where the comment stands that is.
func (v *workPage) choose(in workIn, files []source.File, notes []*taskpart.Note) {
	number := int64(-1)
	if n, err := strconv.ParseInt(in.File, 10, 64); err == nil {
		number = n
	}
	for _, n := range notes {
		if n.ID == in.Note && n.Stands != nil && n.Stands.File != nil {
			number = int64(*n.Stands.File)
		}
	}
	if f, err := source.Find(files, number); err == nil && f.IsText {
		v.open = f
	}
}

// shown is the number of the file that is shown; -1: the document is.
func (v *workPage) shown() int {
	if v.open == nil {
		return -1
	}
	return v.open.Number
}

// readFile reads the file that is shown.
func (s *room) readFile(ctx context.Context, in workIn, v *workPage, notes []*taskpart.Note) error {
	if v.open == nil {
		return nil
	}
	text, err := s.Usecases.Source(ctx, in.Ref(), in.Timestamp, int64(v.open.Number))
	if fault.Is(err, fault.Refused) {
		v.Unread = err.Error()
		return nil
	}
	if err != nil {
		return err
	}
	t := taskpart.SourceText{Lines: text.Lines, Name: v.open.Name, ID: fmt.Sprint("f", v.open.Number),
		Number: v.open.Number, At: in.at(v.open.Number) + "&line=", Show: int(max(in.Line, in.From)),
		Notes: taskpart.NotesOf(notes, v.open.Number), Cut: text.Cut, Guess: text.Note}
	for _, n := range notes {
		if n.ID == in.Note && n.Stands != nil && n.Stands.EndLine != nil {
			t.Show = *n.Stands.EndLine
		}
	}
	v.Source = t.Shown(s.Words)
	return nil
}

// list has every comment beside the work: as a whole where it stands under no line that is shown.
func (v *workPage) list(in workIn, notes []*taskpart.Note) {
	for _, n := range notes {
		one := &workNote{Note: n, Whole: !v.inline(n)}
		if n.Gone() {
			one.Then = noteAt(in.taskIn, n.Place.SubmittedAt.String(), n.ID)
		}
		v.Notes = append(v.Notes, one)
	}
}

// inline tells whether a comment stands under its line, or has to be opened with its file.
func (v *workPage) inline(n *taskpart.Note) bool {
	switch {
	case n.Gone():
		return false
	case n.Stands.File == nil:
		return v.open != nil
	default:
		return v.open == nil || v.Unread == "" || *n.Stands.File != v.open.Number
	}
}
