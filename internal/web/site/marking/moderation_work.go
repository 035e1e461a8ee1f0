package marking

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/grade"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/moderation"
	"lectern/internal/teaching/rubric"
	"lectern/internal/teaching/source"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/teaching/work"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
	"lectern/internal/web/site/page"
	"lectern/internal/web/site/taskpart"
)

// sampledPage is a work of a sample: for its second marker until they gave their mark, and both marks after that.
type sampledPage struct {
	*moderation.Work
	Unit       *usecase.UnitChoices
	Definition *taskdef.Definition
	Rubric     *rubric.Rubric // nil: none
	Making     *taskpart.Making
	Files      []source.File
	Source     *taskpart.Source // the file that is open; nil: none is, or it cannot be read
	Unread     string           // why it cannot be read
	Before     int64            // the works around it; 0: there is none
	After      int64
	Place      int // among those that wait for the reader, from 1; 0: it is none of them
	Waiting    int
	MaySettle  bool
	Staff      []course.StaffMember // to give the work to; none where that is not the reader's
	Typed      markTyped
	Settling   settleTyped
	file       int64
	words      *page.Language
}

// sampledIn names a work of a sample, and the file that is open.
type sampledIn struct {
	UnitID int64  `path:"unit_id" scope:"unit"`
	WorkID int64  `path:"work_id"`
	File   string `param:"file"`
	Line   int64  `param:"line"`
	From   int64  `param:"from"`
}

func (in sampledIn) path() string { return links.To(sampledPath, in.UnitID, in.WorkID) }

// markTyped is a mark as it was typed.
type markTyped struct {
	Status  string               `param:"status"`
	Grade   string               `param:"grade"`
	Quality string               `param:"quality"`
	Levels  params.JSON[[]int64] `param:"levels"` // 0 for a criterion that is left out
	Comment string               `param:"comment" text:"lines"`
}

// given is the mark; words that are no number are refused where it is looked at.
func (in markTyped) given() (g moderation.Given, err error) {
	g = moderation.Given{Status: status.Status(in.Status), Levels: rubric.Levels{}}
	for _, id := range in.Levels.V {
		if id != 0 {
			g.Levels = append(g.Levels, id)
		}
	}
	if in.Grade != "" {
		to, ok := grade.Parse(in.Grade)
		if !ok {
			return g, fault.Field(fault.Refused, "grade", "must be one of the list")
		}
		g.Grade = &to
	}
	if text := strings.TrimSpace(in.Quality); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			return g, fault.Field(fault.Refused, "quality_pts", "must be a whole number")
		}
		g.Quality = &n
	}
	return g, nil
}

// settleTyped is a settlement as it was typed.
type settleTyped struct {
	Stands string `param:"stands"`
	Reason string `param:"reason" text:"lines"`
}

func (s *room) sampled(ctx context.Context, who *access.Caller, in sampledIn) (*page.Page, error) {
	v, err := s.readSampled(ctx, who, in)
	if err != nil {
		return nil, err
	}
	return s.sampledPage(who, v, nil)
}

// sampledPage draws the page; with an error it is drawn again.
func (s *room) sampledPage(who *access.Caller, v *sampledPage, wrong error) (p *page.Page, err error) {
	title := v.Abbreviation + " " + v.Student
	if wrong == nil {
		p = s.Titled(who, "moderation-work", title, v)
	} else if p, err = s.Again(s.Refusal(who, "moderation-work", title, v), wrong); err != nil {
		return nil, err
	}
	p.Rail = true
	p.Within = &page.Crumb{Words: s.Word("moderation.title"), Path: v.List()}
	return p, nil
}

func (s *room) readSampled(ctx context.Context, who *access.Caller, in sampledIn) (*sampledPage, error) {
	v := &sampledPage{MaySettle: who.May(policy.Moderate), file: choice(in.File), words: s.Words}
	reader := usecase.ModerationReader(who)
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Work, err = moderation.ByID(ctx, q, reader, in.UnitID, in.WorkID); err != nil {
			return err
		}
		if v.Unit, err = usecase.UnitChoicesOf(ctx, q, in.UnitID); err != nil {
			return err
		}
		if v.Definition, err = taskdef.DefinitionByID(ctx, q, v.DefinitionID); err != nil {
			return err
		}
		if v.RubricID != nil {
			if v.Rubric, err = rubric.ByID(ctx, q, *v.RubricID); err != nil {
				return err
			}
		}
		if v.MaySettle && v.Work.State == moderation.Waits {
			if v.Staff, err = course.StaffOf(ctx, q, in.UnitID); err != nil {
				return err
			}
		}
		if err := v.around(ctx, q, reader); err != nil {
			return err
		}
		return v.readWork(ctx, q, who)
	})
	if err != nil {
		return nil, err
	}
	return v, s.openSampled(ctx, v, in)
}

// around finds what the reader looks at before and after the work: what waits for them or, where it is a difference,
// the other differences.
func (v *sampledPage) around(ctx context.Context, q db.Q, reader moderation.Reader) error {
	f := moderation.Query{UnitID: v.UnitID, Mine: true, Page: db.Part(moderation.MostDrawn, 0)}
	if v.MaySettle && v.Second != nil && v.Second.UserID != reader.UserID {
		f.Mine, f.State = false, moderation.Differs
	}
	list, n, err := f.List(ctx, q, reader)
	if err != nil {
		return err
	}
	v.Waiting = int(n)
	at := slices.IndexFunc(list, func(w moderation.Work) bool { return w.ID == v.ID })
	v.Place = at + 1
	if at > 0 {
		v.Before = list[at-1].ID
	}
	if at+1 < len(list) {
		v.After = list[at+1].ID
	}
	return nil
}

// readWork finds the version that was marked; it may be gone, or there was none.
func (v *sampledPage) readWork(ctx context.Context, q db.Q, who *access.Caller) error {
	if v.SubmittedAt == nil {
		return nil
	}
	last, err := submit.VersionAt(ctx, q, v.ProjectID, v.DefinitionID, v.SubmittedAt.String())
	if fault.Is(err, fault.Missing) {
		return nil
	}
	if err != nil {
		return err
	}
	in := taskpart.In{ProjectID: v.ProjectID, DefinitionID: v.DefinitionID}
	if v.Making, err = taskpart.MakingOf(ctx, q, who, in, last); err != nil {
		return err
	}
	v.Files, err = source.Files(ctx, q, last.ID)
	return err
}

// openSampled reads the file that is open: the one that was asked for, or the first where there is no document. What
// was said at its lines is left out.
func (s *room) openSampled(ctx context.Context, v *sampledPage, in sampledIn) error {
	at := slices.IndexFunc(v.Files, func(f source.File) bool {
		return f.IsText && (in.File == "" && !v.Ready() || in.File != "" && int64(f.Number) == v.file)
	})
	if at < 0 {
		v.file = -1
		return nil
	}
	f := v.Files[at]
	v.file = int64(f.Number)
	text, err := s.Usecases.Source(ctx, work.TaskRef{ProjectID: v.ProjectID, DefinitionID: v.DefinitionID},
		v.SubmittedAt.String(), v.file)
	if fault.Is(err, fault.Refused) {
		v.Unread = err.Error()
		return nil
	}
	if err != nil {
		return err
	}
	v.Source = taskpart.SourceText{Lines: text.Lines, Name: f.Name, ID: "f" + strconv.Itoa(f.Number), Number: f.Number,
		At: v.FileAt(f.Number) + "&line=", Show: int(max(in.Line, in.From)), Cut: text.Cut, Guess: text.Note}.Shown(s.Words)
	return nil
}

// Path is where the page stands, and List where all samples are.
func (v *sampledPage) Path() string { return v.At(v.ID) }

// List is where all samples are.
func (v *sampledPage) List() string { return links.To(links.Moderation, v.UnitID) }

// At is the page of a work.
func (v *sampledPage) At(id int64) string { return links.To(sampledPath, v.UnitID, id) }

// FileAt is the page with a file open.
func (v *sampledPage) FileAt(n int) string { return v.Path() + "?file=" + strconv.Itoa(n) }

// Ready tells whether there is a document.
func (v *sampledPage) Ready() bool { return v.Making != nil && v.Making.State == submit.Ready }

// OnDocument tells whether the document is what is shown.
func (v *sampledPage) OnDocument() bool { return v.Ready() && v.Source == nil && v.Unread == "" }

// Sources are the text files; nil: there is none.
func (v *sampledPage) Sources() *taskpart.SourceFiles {
	return taskpart.SourceFilesOf(v.words, v.Files, nil, int(v.file), v.FileAt)
}

// Look is how the state is drawn.
func (v *sampledPage) Look() map[string]any { return moderationLook(v.words, v.Work.State) }

// Statuses are what can be given, as radio buttons.
func (v *sampledPage) Statuses() (out []map[string]any) {
	for _, o := range statusOptions(v.words) {
		out = append(out, map[string]any{"ID": "status-" + o.Value, "Name": "status", "Type": "radio", "Value": o.Value,
			"Label": o.Text, "On": v.Typed.Status == o.Value})
	}
	return out
}

// StatusChoice is the same as a choice.
func (v *sampledPage) StatusChoice() []map[string]any {
	return chosen("–", v.Typed.Status, statusOptions(v.words))
}

// Grades are those a task can be given.
func (v *sampledPage) Grades() []map[string]any {
	return chosen(v.words.Word("desk.no-grade"), v.Typed.Grade, gradeOptions(grade.Grade.Letter))
}

// picks are levels of a criterion as they can be picked.
func (v *sampledPage) picks(i int) (out []option) {
	for _, l := range v.Rubric.Criteria[i].Levels {
		text := l.Name
		if l.Points != nil {
			text = strconv.FormatInt(*l.Points, 10) + " " + text
		}
		out = append(out, option{strconv.FormatInt(l.ID, 10), text})
	}
	return out
}

func (v *sampledPage) picked(i int) string {
	if i < len(v.Typed.Levels.V) && v.Typed.Levels.V[i] != 0 {
		return strconv.FormatInt(v.Typed.Levels.V[i], 10)
	}
	return ""
}

// LevelChoices are the levels of a criterion as radio buttons, the last of which picks none.
func (v *sampledPage) LevelChoices(i int) (out []map[string]any) {
	texts, at, is := v.Rubric.Criteria[i].Levels, strconv.Itoa(i), v.picked(i)
	for n, o := range append(v.picks(i), option{"0", v.words.Word("moderation.no-level")}) {
		one := map[string]any{"ID": "level-" + at + "-" + strconv.Itoa(n), "Name": "levels[" + at + "]", "Type": "radio",
			"Value": o.Value, "Label": o.Text, "On": is == o.Value || o.Value == "0" && is == ""}
		if n < len(texts) {
			one["Help"] = texts[n].Text
		}
		out = append(out, one)
	}
	return out
}

// beside is a row of the two marks.
type beside struct {
	Name, First, Second string
	Differs             bool
}

// Beside are both marks row by row.
func (v *sampledPage) Beside() (out []beside) {
	add := func(name, a, b string, differs bool) { out = append(out, beside{name, a, b, differs}) }
	l, a, b := v.words, v.First.Given, v.Second.Given
	add(l.Word("project.status"), l.Status(a.Status), l.Status(b.Status), a.Status != b.Status)
	text := func(g moderation.Given) (step, points string) {
		step, points = "–", "–"
		if g.Grade != nil {
			step = g.Grade.Name()
		}
		if g.Quality != nil {
			points = strconv.Itoa(*g.Quality)
		}
		return step, points
	}
	gradeA, pointsA := text(a)
	gradeB, pointsB := text(b)
	if v.Definition.IsGraded {
		add(l.Word("desk.grade"), gradeA, gradeB, gradeA != gradeB)
	}
	if v.Definition.MaxQualityPts > 0 {
		add(l.Word("moderation.quality"), pointsA, pointsB, pointsA != pointsB)
	}
	if v.Rubric == nil {
		return out
	}
	for i := range v.Rubric.Criteria {
		one, two := v.level(i, a.Levels), v.level(i, b.Levels)
		add(v.Rubric.Criteria[i].Title, one, two, one != two && len(a.Levels) > 0)
	}
	return out
}

// level is the one of a criterion that was picked, in words.
func (v *sampledPage) level(i int, picked rubric.Levels) string {
	for _, l := range v.Rubric.Criteria[i].Levels {
		if slices.Contains(picked, l.ID) {
			if l.Points != nil {
				return l.Name + " (" + strconv.FormatInt(*l.Points, 10) + ")"
			}
			return l.Name
		}
	}
	return "–"
}

// Says is what a work was given, in words.
func (v *sampledPage) Says(g moderation.Given) string { return givenWords(v.words, g) }

// Choices are what can be said of a difference.
func (v *sampledPage) Choices() (out []map[string]any) {
	l := v.words
	for _, o := range []option{{string(moderation.StandsFirst), l.Word("moderation.stands-first")},
		{string(moderation.StandsSecond), l.Word("moderation.stands-second")},
		{string(moderation.StandsOther), l.Word("moderation.stands-other")}} {
		out = append(out, map[string]any{"ID": "stands-" + o.Value, "Name": "stands", "Type": "radio", "Value": o.Value,
			"Label": o.Text, "On": v.Settling.Stands == o.Value})
	}
	return out
}

// Markers are whom the work can be given to.
func (v *sampledPage) Markers() []map[string]any {
	list, is := []option{}, ""
	if v.AssignedID != nil {
		is = strconv.FormatInt(*v.AssignedID, 10)
	}
	for _, m := range v.Staff {
		list = append(list, option{strconv.FormatInt(m.UserID, 10), m.FirstName + " " + m.LastName})
	}
	return chosen(v.words.Word("moderation.anybody"), is, list)
}

type markSampledIn struct {
	sampledIn
	markTyped
}

func (s *room) markSampled(ctx context.Context, who *access.Caller, in markSampledIn) (endpoint.Drawing, error) {
	g, err := in.given()
	if err == nil && in.Status == "" {
		err = fault.New(fault.Refused, "Choose the status you would give.")
	}
	if err == nil {
		_, err = s.Usecases.GiveSecondMark(ctx, who, in.UnitID, in.WorkID, moderation.NewMark{Given: g, Comment: in.Comment})
	}
	if err == nil {
		return endpoint.Redirect{To: in.path()}, nil
	}
	return s.sampledAgain(ctx, who, in.sampledIn, err, func(v *sampledPage) { v.Typed = in.markTyped })
}

// sampledAgain draws the page with what was typed and what was wrong. A work that somebody else marked meanwhile is no
// longer the reader's: then the refusal is all there is.
func (s *room) sampledAgain(ctx context.Context, who *access.Caller, in sampledIn, wrong error,
	typed func(*sampledPage)) (endpoint.Drawing, error) {
	v, err := s.readSampled(ctx, who, in)
	if fault.Is(err, fault.Missing) && (fault.Is(wrong, fault.Conflict) || fault.Is(wrong, fault.Denied)) {
		list, again := s.readModeration(ctx, who, moderationIn{ID: in.UnitID})
		if again != nil {
			return nil, again
		}
		return s.Again(s.Refusal(who, "moderation", s.Word("moderation.title"), list), wrong)
	}
	if err != nil {
		return nil, err
	}
	typed(v)
	return s.sampledPage(who, v, wrong)
}

type settleSampledIn struct {
	sampledIn
	markTyped
	settleTyped
	Version params.Opt[int64] `param:"version"`
}

func (s *room) settleSampled(ctx context.Context, who *access.Caller, in settleSampledIn) (endpoint.Drawing, error) {
	g, err := in.given()
	if err == nil && in.Stands == "" {
		err = fault.New(fault.Refused, "Choose which mark stands.")
	}
	if err == nil {
		_, err = s.Usecases.SettleDifference(ctx, who, in.UnitID, in.WorkID, usecase.Settling{
			Settling: moderation.Settling{Stands: moderation.Stands(in.Stands), Given: g, Reason: in.Reason},
			Version:  in.Version.Ptr(), Comment: in.Comment})
	}
	if err == nil {
		return endpoint.Redirect{To: in.path()}, nil
	}
	return s.sampledAgain(ctx, who, in.sampledIn, err, func(v *sampledPage) {
		v.Typed, v.Settling = in.markTyped, in.settleTyped
	})
}

func (s *room) assignSampled(ctx context.Context, who *access.Caller, in struct {
	sampledIn
	Marker string `param:"marker"`
}) (endpoint.Drawing, error) {
	var to *int64
	if id := choice(in.Marker); id != 0 {
		to = &id
	}
	if _, err := s.Usecases.AssignSecondMarker(ctx, who, in.UnitID, in.WorkID, to); err != nil {
		return s.sampledAgain(ctx, who, in.sampledIn, err, func(*sampledPage) {})
	}
	return endpoint.Redirect{To: in.path()}, nil
}
